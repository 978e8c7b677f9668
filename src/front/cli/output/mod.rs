//! The files that a command writes, and what it must not write over: its inputs, what it has written in the same run, and
//! files that are not its own.
//!
//! `whole` writes them, `seal` tells which are our own, `identity` which paths are one file.

mod identity;
mod seal;
mod whole;

use std::cell::RefCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::base::source::{Code, Diagnostic, SourceMap, load};
use crate::lang::syntax::link;
pub(super) use identity::Identity;
pub(super) use seal::Form;
pub(super) use whole::rewrite;

/// What may be written over.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct OutputArgs {
    /// Write over files that `spi` did not write or that were changed since; never over an input
    #[arg(long)]
    force: bool,
}

impl OutputArgs {
    /// What these arguments mean for a command with these inputs.
    pub(super) fn outputs<'a>(self, inputs: impl IntoIterator<Item = &'a Path>) -> Outputs {
        Outputs {
            force: self.force,
            inputs: RefCell::new(inputs.into_iter().flat_map(read).collect()),
            written: RefCell::default(),
        }
    }
}

/// A file that is read, and what it uses.
fn read(path: &Path) -> Vec<Identity> {
    let mut found: Vec<Identity> = input(path).into_iter().collect();
    let used = link::files_of(path);
    found.extend(used.iter().filter_map(|p| Identity::of(p)));
    found
}

/// The file that is read, also from standard input.
fn input(path: &Path) -> Option<Identity> {
    if path.as_os_str() == load::STDIN {
        Identity::of_stream(&io::stdin())
    } else {
        Identity::of(path)
    }
}

/// What a run reads and has written.
#[derive(Debug)]
pub(super) struct Outputs {
    force: bool,
    inputs: RefCell<Vec<Identity>>,
    written: RefCell<Vec<(PathBuf, Option<Identity>)>>,
}

impl Outputs {
    /// Adds what was read: standard input tells only then which files it uses.
    pub(super) fn add_inputs(&self, map: &SourceMap) {
        let paths = map.files().iter().map(|f| Path::new(&*f.name));
        self.inputs
            .borrow_mut()
            .extend(paths.filter_map(Identity::of));
    }

    /// Why a file is not written over, if it is not.
    pub(super) fn refusal(&self, path: &Path) -> Option<Diagnostic> {
        let shown = path.display();
        let file = Identity::of(path);
        // What flows away lies nowhere to be written over.
        if whole::Flow::at(path).is_some() {
            return None;
        }
        if file
            .as_ref()
            .is_some_and(|f| self.inputs.borrow().contains(f))
        {
            let message = format!("`{shown}` is an input, and is not written over");
            return Some(Diagnostic::new(Code::OutputIsInput, message).help("name another file"));
        }
        let again = |(p, f): &(PathBuf, Option<Identity>)| p == path || f.is_some() && *f == file;
        if self.written.borrow().iter().any(again) {
            let message = format!("`{shown}` would be written twice");
            let help =
                "give the outputs names of their own; numbers are added to a name: `out-2.svg`";
            return Some(Diagnostic::new(Code::OutputIsInput, message).help(help));
        }
        if self.force || !is_foreign(path) {
            return None;
        }
        let message = format!("`{shown}` is there already, and not as `spi` wrote it");
        Some(
            Diagnostic::new(Code::NotOurs, message)
                .help("name another file, or say `--force` to write over it"),
        )
    }

    /// The same for all files that are to be written; none of them may be another one of them.
    pub(super) fn refusals<'a>(
        &self,
        paths: impl IntoIterator<Item = &'a Path>,
    ) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        for path in paths {
            found.extend(self.refusal(path));
            self.written
                .borrow_mut()
                .push((path.to_owned(), Identity::of(path)));
        }
        self.written.borrow_mut().clear();
        found
    }

    /// Makes a file for somebody to go on with: it has no seal, and what is there already stays unless `--force` is said.
    pub(super) fn create(&self, path: &Path, text: &str) -> Result<(), Diagnostic> {
        if !self.force && fs::symlink_metadata(path).is_ok() && whole::Flow::at(path).is_none() {
            let message = format!("`{}` is there already", path.display());
            return Err(Diagnostic::new(Code::NotOurs, message)
                .help("name another file, or say `--force` to write over it"));
        }
        whole::write(path, text).map_err(|error| {
            let message = format!("cannot write `{}`: {error}", path.display());
            Diagnostic::new(Code::CannotWrite, message)
        })
    }

    /// Writes a file.
    pub(super) fn write(&self, path: &Path, text: String, form: Form) -> Result<(), Diagnostic> {
        if let Some(refusal) = self.refusal(path) {
            return Err(refusal);
        }
        whole::write(path, &seal::sealed(text, form)).map_err(|error| {
            let message = format!("cannot write `{}`: {error}", path.display());
            Diagnostic::new(Code::CannotWrite, message)
        })?;
        let written = (path.to_owned(), Identity::of(path));
        self.written.borrow_mut().push(written);
        Ok(())
    }
}

/// Whether there is a file that is not as we wrote it. One that can't be read may be anybody's.
fn is_foreign(path: &Path) -> bool {
    match fs::metadata(path) {
        Ok(meta) if meta.is_dir() => false,
        Ok(meta) if meta.is_file() && meta.len() <= load::MAX_BYTES => {
            !fs::read(path).is_ok_and(|bytes| seal::is_sealed(&bytes))
        }
        Ok(_) => true,
        Err(_) => false,
    }
}
