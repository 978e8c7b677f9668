//! `spi explain`: the long form of a diagnostic, and the words of a report.

use std::io;

use super::{Console, Status};
use crate::source::{Code, Diagnostic, SourceMap, explain};
use crate::syntax::foreign::nearest;

/// Arguments of `spi explain`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A code such as `E0201`, or a word of a report such as `injective` or `not executable`; without one, all are listed
    #[arg(value_name = "CODE or WORD", num_args = 0..)]
    asked: Vec<String>,
}

/// Prints the explanation of one code or word, or the list of all.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let asked = args.asked.join(" ");
    if asked.trim().is_empty() {
        for code in Code::ALL {
            writeln!(console.out(), "{code}  {}", code.title())?;
        }
        writeln!(console.out())?;
        for word in explain::words() {
            writeln!(console.out(), "{word}")?;
        }
        return Ok(Status::Holds);
    }
    let width = console.look().width;
    let text = match Code::parse(asked.trim()) {
        Some(code) => Some(explain::to_text(code, width)),
        None => explain::word(&asked, width),
    };
    if let Some(text) = text {
        console.out().write_all(text.as_bytes())?;
        return Ok(Status::Holds);
    }
    let unknown = Diagnostic::new(Code::UnknownCode, format!("`{asked}` is not explained"));
    let codes = Code::ALL.iter().map(|c| c.as_str());
    let meant = nearest(&asked.to_lowercase(), explain::spellings())
        .or_else(|| nearest(&asked.to_uppercase(), codes));
    let unknown = match meant {
        Some(near) => unknown.did_you_mean(near),
        None => unknown.help("`spi explain` without an argument lists all codes and words"),
    };
    console.diagnostics(&SourceMap::new(), &[unknown])?;
    Ok(Status::Error)
}
