//! The `.spi` files of a folder, or all its files.
//!
//! What can't be looked into is told and the rest is gone on with: one folder without permission, or a link to nothing, must
//! not keep anybody from the other files, nor be left out without a word.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Console, Status};
use crate::base::source::{Code, Diagnostic, SourceMap, load};

/// What was found below some paths.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The files, those of each path in the order of their names.
    pub files: Vec<PathBuf>,
    /// What could not be looked into.
    pub problems: Vec<Diagnostic>,
}

impl Found {
    /// Each file itself, and every `.spi` file below a directory.
    pub(super) fn below<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> Found {
        let mut found = Found::default();
        for path in paths {
            found.add(path);
        }
        found
    }

    /// Every file below a folder, whatever it is called and whether it can be read; what is hidden is left out.
    pub(super) fn everything(folder: &Path) -> Found {
        let mut found = Found::default();
        found.walk(folder, |found, path| found.files.push(path));
        let hidden = |path: &PathBuf| {
            let below = path.strip_prefix(folder).unwrap_or(path);
            let mut names = below.iter().map(OsStr::as_encoded_bytes);
            names.any(|n| n.starts_with(b"."))
        };
        found.files.retain(|path| !hidden(path));
        found.files.sort();
        found.problems.sort_by(|a, b| a.message.cmp(&b.message));
        if found.files.is_empty() && found.problems.is_empty() {
            let message = format!("no file below `{}`", folder.display());
            found
                .problems
                .push(Diagnostic::new(Code::CannotRead, message));
        }
        found
    }

    /// Tells what could not be looked into, and what that means for the exit code.
    pub(super) fn complain(&self, console: &mut Console) -> io::Result<Status> {
        console.diagnostics(&SourceMap::new(), &self.problems)?;
        Ok(if self.problems.is_empty() {
            Status::Holds
        } else {
            Status::Error
        })
    }

    fn add(&mut self, path: &Path) {
        if path.as_os_str() == load::STDIN || !path.is_dir() {
            self.files.push(path.to_owned());
            return;
        }
        let (files, problems) = (self.files.len(), self.problems.len());
        self.walk(path, Found::model);
        self.files[files..].sort();
        self.problems[problems..].sort_by(|a, b| a.message.cmp(&b.message));
        if self.files.len() == files && self.problems.len() == problems {
            let message = format!("no `.spi` file below `{}`", path.display());
            self.problems
                .push(Diagnostic::new(Code::CannotRead, message));
        }
    }

    fn walk(&mut self, top: &Path, take: fn(&mut Found, PathBuf)) {
        let mut folders = vec![top.to_owned()];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) => {
                    self.unreadable(&folder, &error);
                    continue;
                }
            };
            for entry in entries {
                let kind = entry.and_then(|e| Ok((e.path(), e.file_type()?)));
                match kind {
                    // Links are followed to files, not to folders: a cycle of folders would never end.
                    Ok((path, kind)) if kind.is_dir() => folders.push(path),
                    Ok((path, _)) => take(self, path),
                    Err(error) => self.unreadable(&folder, &error),
                }
            }
        }
    }

    /// Something that is no folder: it counts if it has the name of a model.
    fn model(&mut self, path: PathBuf) {
        if path.extension().is_none_or(|e| e != "spi") {
            return;
        }
        let shown = path.display();
        let problem = match fs::metadata(&path) {
            Ok(meta) if meta.is_file() => {
                self.files.push(path);
                return;
            }
            Ok(meta) if meta.is_dir() => {
                format!("`{shown}` is a link to a folder, which is not followed")
            }
            Ok(_) => format!("`{shown}` is no file"),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                format!("cannot read `{shown}`: it is a link to nothing")
            }
            Err(error) => return self.unreadable(&path, &error),
        };
        self.problems
            .push(Diagnostic::new(Code::CannotRead, problem));
    }

    fn unreadable(&mut self, path: &Path, error: &io::Error) {
        let message = format!("cannot read `{}`: {error}", path.display());
        self.problems
            .push(Diagnostic::new(Code::CannotRead, message));
    }
}
