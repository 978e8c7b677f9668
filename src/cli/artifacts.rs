//! Files that a command writes beside its report: attacks for `spi replay`, charts.
//!
//! The first goes to the path that was given, the second to `name-2.ext`, and so on: one claim, one file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Console, Status};
use crate::draw::{self, Chart, Sheet};
use crate::source::{Code, Diagnostic, SourceMap};

/// A word as a shell has to be given it.
pub fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_./:=@%+,-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// What is to be written, and how much has been.
#[derive(Debug)]
pub struct Artifacts {
    path: Option<PathBuf>,
    what: &'static str,
    written: usize,
}

impl Artifacts {
    /// Files at this path, if one was given; `what` they are, in the plural.
    pub fn new(path: Option<&PathBuf>, what: &'static str) -> Artifacts {
        Artifacts {
            path: path.cloned(),
            what,
            written: 0,
        }
    }

    /// The path of the next file.
    pub fn next(&self) -> Option<PathBuf> {
        Some(numbered(self.path.as_ref()?, self.written + 1))
    }

    /// Writes the next file, if files are wanted.
    pub fn write(&mut self, text: &str, console: &mut Console) -> io::Result<Status> {
        let Some(path) = self.next() else {
            return Ok(Status::Holds);
        };
        self.written += 1;
        if let Err(error) = fs::write(&path, text) {
            let message = format!("cannot write `{}`: {error}", path.display());
            let map = SourceMap::new();
            console.diagnostics(&map, &[Diagnostic::new(Code::CannotWrite, message)])?;
            return Ok(Status::Error);
        }
        console.note(&format!("wrote {}", path.display()))?;
        Ok(Status::Holds)
    }

    /// Says so if files were wanted and none was written.
    pub fn finish(&self, console: &mut Console) -> io::Result<()> {
        match &self.path {
            Some(path) if self.written == 0 => {
                let path = path.display();
                console.note(&format!(
                    "there are no {}: {path} was not written",
                    self.what
                ))
            }
            _ => Ok(()),
        }
    }
}

/// Charts and pages: the extension decides.
#[derive(Debug)]
pub struct Charts {
    files: Artifacts,
}

/// What a chart file is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartKind {
    /// The chart alone.
    Svg,
    /// The page around it.
    Html,
}

impl Charts {
    /// Charts at this path, if one was given.
    pub fn new(path: Option<&PathBuf>) -> Charts {
        Charts {
            files: Artifacts::new(path, "runs to draw"),
        }
    }

    /// What is wanted, if anything is.
    pub fn kind(&self) -> Option<ChartKind> {
        kind(self.files.path.as_ref()?).ok()
    }

    /// Writes the next chart, if charts are wanted.
    pub fn write(
        &mut self,
        chart: impl FnOnce() -> Chart,
        sheet: impl FnOnce() -> Sheet,
        console: &mut Console,
    ) -> io::Result<Status> {
        let text = match self.kind() {
            Some(ChartKind::Svg) => draw::svg(&chart()),
            Some(ChartKind::Html) => draw::page(&sheet()),
            None => return Ok(Status::Holds),
        };
        self.files.write(&text, console)
    }

    /// Says so if charts were wanted and none was written.
    pub fn finish(&self, console: &mut Console) -> io::Result<()> {
        self.files.finish(console)
    }
}

fn kind(path: &Path) -> Result<ChartKind, String> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    match extension.to_ascii_lowercase().as_str() {
        "svg" => Ok(ChartKind::Svg),
        "html" | "htm" => Ok(ChartKind::Html),
        _ => Err("the name must end in `.svg` or `.html`".to_owned()),
    }
}

/// A path for charts, as the arguments take it.
pub fn chart_path(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    kind(&path).map(|_| path)
}

/// The path of the file of this number.
fn numbered(path: &Path, number: usize) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_file_has_a_number() {
        let path = Path::new("a b/lowe.attack.spi");
        assert_eq!(numbered(path, 1), path);
        assert_eq!(numbered(path, 2), Path::new("a b/lowe.attack-2.spi"));
        assert_eq!(numbered(Path::new("out"), 3), Path::new("out-3"));
    }
}
