//! `spi fmt`: canonical layout.

use std::io;
use std::path::{Path, PathBuf};

use super::folder::Found;
use super::output::rewrite;
use super::progress::Watch;
use super::{Console, Status};
use crate::base::source::visible::visible;
use crate::base::source::{Code, Diagnostic, SourceMap, load};
use crate::lang::syntax::format::format;
use crate::lang::syntax::hidden;

/// Arguments of `spi fmt`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, or directories that are searched for `*.spi`; `-` reads standard input and prints
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Change nothing; list the files that are not formatted and exit with 1 if there are any
    #[arg(long)]
    check: bool,
}

/// Formats files in place, or standard input to standard output.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let found = Found::below(&args.paths);
    let mut status = found.complain(console)?;
    for file in &found.files {
        if Watch::was_cancelled() {
            return Ok(status.worst(Status::Inconclusive));
        }
        status = status.worst(one(file, args.check, console)?);
    }
    Ok(status)
}

fn one(path: &Path, check: bool, console: &mut Console) -> io::Result<Status> {
    let mut map = SourceMap::new();
    let file = match load::load(&mut map, path) {
        Ok(file) => file,
        Err(diagnostic) => {
            console.diagnostics(&map, &[diagnostic])?;
            return Ok(Status::Error);
        }
    };
    let formatted = match format(&file) {
        Ok(text) => text,
        Err(diagnostics) => {
            console.diagnostics(&map, &diagnostics)?;
            return Ok(Status::Error);
        }
    };
    console.diagnostics(&map, &hidden(&file))?;
    let same = *file.text == *formatted;
    if check {
        if !same {
            writeln!(console.out(), "{}", visible(&file.name))?;
        }
        return Ok(if same { Status::Holds } else { Status::Refuted });
    }
    if path.as_os_str() == load::STDIN {
        console.raw(formatted.as_bytes())?;
    } else if !same && let Err(error) = rewrite(path, &file.text, &formatted) {
        let message = format!("cannot write `{}`: {error}", file.name);
        console.diagnostics(&map, &[Diagnostic::new(Code::CannotWrite, message)])?;
        return Ok(Status::Error);
    }
    Ok(Status::Holds)
}
