//! `spi explain`: the long form of a diagnostic, the words of a report, the libraries for `use`.

use std::io;

use super::{Console, Status};
use crate::base::source::{Code, Diagnostic, SourceMap, explain, shipped};
use crate::lang::syntax::foreign::nearest;

/// Arguments of `spi explain`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A code such as `E0201`, a word of a report such as `injective` or `not executable`, or a library such as `aead`; without one, all are listed
    #[arg(value_name = "CODE or WORD", num_args = 0..)]
    asked: Vec<String>,
}

/// Prints the explanation of one code or word, or the list of all.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let asked = args.asked.join(" ");
    if asked.trim().is_empty() {
        for code in Code::ALL {
            writeln!(console.out(), "{code}  {}", code.title())?;
        }
        writeln!(console.out())?;
        for word in explain::words() {
            writeln!(console.out(), "{word}")?;
        }
        writeln!(console.out())?;
        for (name, about) in shipped::all() {
            writeln!(console.out(), "use {name}  {about}")?;
        }
        return Ok(Status::Holds);
    }
    let width = console.look().width;
    let text = match Code::parse(asked.trim()) {
        Some(code) => Some(explain::to_text(code, width)),
        None => explain::library(asked.trim().trim_start_matches("use "))
            .or_else(|| explain::word(&asked, width)),
    };
    if let Some(text) = text {
        console.out().write_all(text.as_bytes())?;
        return Ok(Status::Holds);
    }
    let unknown = Diagnostic::new(Code::UnknownCode, format!("`{asked}` is not explained"));
    let codes = Code::ALL.iter().map(|c| c.as_str());
    let libraries = shipped::all().map(|(name, _)| name);
    let meant = nearest(&asked.to_lowercase(), explain::spellings().chain(libraries))
        .or_else(|| nearest(&asked.to_uppercase(), codes));
    let unknown = match meant {
        Some(near) => unknown.did_you_mean(near),
        None => unknown.help("`spi explain` without an argument lists all codes and words"),
    };
    console.diagnostics(&SourceMap::new(), &[unknown])?;
    Ok(Status::Error)
}
