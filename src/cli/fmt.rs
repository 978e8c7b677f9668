//! `spi fmt`: canonical layout.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Console, Status};
use crate::source::{Code, Diagnostic, SourceMap, load};
use crate::syntax::format::format;

/// Arguments of `spi fmt`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, or directories that are searched for `*.spi`; `-` reads standard input and prints
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Change nothing; list the files that are not formatted and exit with 1 if there are any
    #[arg(long)]
    check: bool,
}

/// Formats files in place, or standard input to standard output.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let mut status = Status::Holds;
    for path in &args.paths {
        match files(path) {
            Ok(files) => {
                for file in files {
                    status = status.max(one(&file, args.check, console)?);
                }
            }
            Err(diagnostic) => {
                console.diagnostics(&SourceMap::new(), &[diagnostic])?;
                status = Status::Error;
            }
        }
    }
    Ok(status)
}

/// The file itself, or every `.spi` file below a directory, in the order of their names.
pub(super) fn files(path: &Path) -> Result<Vec<PathBuf>, Diagnostic> {
    if path.as_os_str() == load::STDIN || !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |path: &Path, error: &io::Error| {
        let message = format!("cannot read `{}`: {error}", path.display());
        Diagnostic::new(Code::CannotRead, message)
    };
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(|e| unreadable(&folder, &e))? {
            let entry = entry.map_err(|e| unreadable(&folder, &e))?;
            let kind = entry
                .file_type()
                .map_err(|e| unreadable(&entry.path(), &e))?;
            let path = entry.path();
            // Links are followed to files, not to folders: a cycle of folders would never end.
            if kind.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "spi") && path.is_file() {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        let message = format!("no `.spi` file below `{}`", path.display());
        return Err(Diagnostic::new(Code::CannotRead, message));
    }
    found.sort();
    Ok(found)
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
    let same = *file.text == *formatted;
    if check {
        if !same {
            writeln!(console.out(), "{}", file.name)?;
        }
        return Ok(if same { Status::Holds } else { Status::Refuted });
    }
    if path.as_os_str() == load::STDIN {
        console.out().write_all(formatted.as_bytes())?;
    } else if !same && let Err(error) = fs::write(path, formatted) {
        let message = format!("cannot write `{}`: {error}", file.name);
        console.diagnostics(&map, &[Diagnostic::new(Code::CannotWrite, message)])?;
        return Ok(Status::Error);
    }
    Ok(Status::Holds)
}
