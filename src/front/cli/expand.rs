//! `spi expand`: what the narrations of a file stand for, as definitions, systems and claims.

use std::io;
use std::path::PathBuf;

use super::{Console, Status};
use crate::base::source::{Diagnostic, SourceMap, load};
use crate::lang::syntax::{link, narration};

/// Arguments of `spi expand`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The file; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Prints the file with each `protocol` replaced by what it stands for.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let mut map = SourceMap::new();
    let read = load::load(&mut map, &args.file).map_err(|d| vec![d]);
    let expanded = read.and_then(|file| {
        let (tree, mistakes) = link::parse(&mut map, &file);
        if mistakes.iter().any(Diagnostic::is_error) {
            return Err(mistakes);
        }
        Ok(narration::expanded(&file, &tree))
    });
    match expanded {
        Ok(text) => {
            console.out().write_all(text.as_bytes())?;
            Ok(Status::Holds)
        }
        Err(mistakes) => {
            console.diagnostics(&map, &mistakes)?;
            Ok(Status::Error)
        }
    }
}
