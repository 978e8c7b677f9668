//! `spi explain`: the long form of a diagnostic.

use std::io;

use super::{Console, Status};
use crate::source::{Code, Diagnostic, SourceMap, explain};

/// Arguments of `spi explain`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A code such as `E0201`; without one, all codes are listed
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

/// Prints the explanation of one code, or the list of all.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let Some(word) = &args.code else {
        for code in Code::ALL {
            writeln!(console.out(), "{code}  {}", code.title())?;
        }
        return Ok(Status::Holds);
    };
    let Some(code) = Code::parse(word) else {
        let diagnostic = Diagnostic::new(Code::UnknownCode, format!("there is no code `{word}`"))
            .help("`spi explain` without an argument lists all codes");
        console.diagnostics(&SourceMap::new(), &[diagnostic])?;
        return Ok(Status::Error);
    };
    let text = explain::to_text(code, console.look().width);
    console.out().write_all(text.as_bytes())?;
    Ok(Status::Holds)
}
