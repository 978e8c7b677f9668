//! Files that a command writes beside its report: attacks for `spi replay`, charts.
//!
//! The first goes to the path that was given, the second to `name-2.ext`, and so on: one claim, one file.

use std::fmt::Write;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use super::output::{Form, Outputs};
use super::{Console, Status};
use crate::base::source::SourceMap;
use crate::base::source::visible::mark;
use crate::present::draw::{self, Chart, PageContent, PageLink};

/// A word as a shell has to be given it.
pub(super) fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_./:=@%+,-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if !word.chars().any(|c| mark(c).is_some()) {
        return format!("'{}'", word.replace('\'', r"'\''"));
    }
    // Only this form has escapes for what must not be printed.
    let mut text = String::from("$'");
    for c in word.chars() {
        match c {
            '\'' | '\\' => text.extend(['\\', c]),
            c if mark(c).is_none() => text.push(c),
            c => {
                for byte in c.encode_utf8(&mut [0; 4]).bytes() {
                    let _ = write!(text, "\\{byte:03o}");
                }
            }
        }
    }
    text + "'"
}

/// What is to be written, and how much has been.
#[derive(Debug)]
pub(super) struct Artifacts {
    path: Option<PathBuf>,
    form: Form,
    what: &'static str,
    outputs: Rc<Outputs>,
    written: usize,
}

impl Artifacts {
    /// Attacks, or `what` else is written as a process, at this path, if one was given.
    pub(super) fn new(
        path: Option<&PathBuf>,
        what: &'static str,
        outputs: &Rc<Outputs>,
    ) -> Artifacts {
        Artifacts {
            path: path.cloned(),
            form: Form::Model,
            what,
            outputs: Rc::clone(outputs),
            written: 0,
        }
    }

    /// The path of the next file.
    pub(super) fn next(&self) -> Option<PathBuf> {
        Some(numbered(self.path.as_ref()?, self.written + 1))
    }

    /// Writes the next file, if files are wanted.
    pub(super) fn write(&mut self, text: String, console: &mut Console) -> io::Result<Status> {
        let Some(path) = self.next() else {
            return Ok(Status::Holds);
        };
        self.written += 1;
        // The file may be where our own output goes.
        console.out().flush()?;
        if let Err(diagnostic) = self.outputs.write(&path, text, self.form) {
            console.diagnostics(&SourceMap::new(), &[diagnostic])?;
            return Ok(Status::Error);
        }
        console.note(&format!("wrote {}", path.display()))?;
        Ok(Status::Holds)
    }

    /// Says so if files were wanted and none was written.
    pub(super) fn finish(&self, console: &mut Console) -> io::Result<()> {
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

/// Says so if an output can't be written as things are, before anybody has worked for it.
pub(super) fn refused<'a>(
    outputs: &Outputs,
    paths: impl IntoIterator<Item = &'a PathBuf>,
    console: &mut Console,
) -> io::Result<bool> {
    let refusals = outputs.refusals(paths.into_iter().map(PathBuf::as_path));
    console.diagnostics(&SourceMap::new(), &refusals)?;
    Ok(!refusals.is_empty())
}

/// Charts and pages: the extension decides.
#[derive(Debug)]
pub(super) struct Charts {
    files: Artifacts,
    /// Pages wait until all are there: each leads to the others.
    pages: Vec<PageContent>,
}

/// What a chart file is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChartKind {
    /// The chart alone.
    Svg,
    /// The page around it.
    Html,
    /// The chart alone, for a paper.
    Tex,
}

impl Charts {
    /// Charts at this path, if one was given.
    pub(super) fn new(path: Option<&PathBuf>, outputs: &Rc<Outputs>) -> Charts {
        Charts {
            files: Artifacts {
                form: match path.map(|p| kind(p)) {
                    Some(Ok(ChartKind::Tex)) => Form::Tex,
                    _ => Form::Markup,
                },
                ..Artifacts::new(path, "runs to draw", outputs)
            },
            pages: Vec::new(),
        }
    }

    /// What is wanted, if anything is.
    pub(super) fn kind(&self) -> Option<ChartKind> {
        kind(self.files.path.as_ref()?).ok()
    }

    /// Writes the next chart, if charts are wanted; a page is written when all are known.
    pub(super) fn write(
        &mut self,
        chart: impl FnOnce() -> Chart,
        sheet: impl FnOnce() -> PageContent,
        console: &mut Console,
    ) -> io::Result<Status> {
        let text = match self.kind() {
            Some(ChartKind::Svg) => draw::svg(&chart()),
            Some(ChartKind::Html) => {
                self.pages.push(sheet());
                return Ok(Status::Holds);
            }
            Some(ChartKind::Tex) => draw::tikz(&chart()),
            None => return Ok(Status::Holds),
        };
        self.files.write(text, console)
    }

    /// Writes the pages. Says so if charts were wanted and none was written.
    pub(super) fn finish(&mut self, console: &mut Console) -> io::Result<Status> {
        let pages = std::mem::take(&mut self.pages);
        let links: Vec<PageLink> = (pages.iter().enumerate())
            .filter_map(|(i, page)| {
                let path = numbered(self.files.path.as_ref()?, i + 1);
                Some(PageLink {
                    file: path.file_name()?.to_string_lossy().into_owned(),
                    title: page.title.clone(),
                    verdict: page.verdict.clone(),
                })
            })
            .collect();
        let mut status = Status::Holds;
        for (i, page) in pages.iter().enumerate() {
            let text = draw::page(page, &links, i);
            status = status.worst(self.files.write(text, console)?);
        }
        self.files.finish(console)?;
        Ok(status)
    }
}

fn kind(path: &Path) -> Result<ChartKind, String> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    match extension.to_ascii_lowercase().as_str() {
        "svg" => Ok(ChartKind::Svg),
        "html" | "htm" => Ok(ChartKind::Html),
        "tex" => Ok(ChartKind::Tex),
        _ => Err("the name must end in `.svg`, `.html` or `.tex`".to_owned()),
    }
}

/// A path for charts, as the arguments take it.
pub(super) fn chart_path(text: &str) -> Result<PathBuf, String> {
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
    fn a_word_is_one_word_in_a_shell() {
        assert_eq!(shell_word("a/b-2.spi"), "a/b-2.spi");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(
            shell_word("a'\u{1b}\n\u{202e}"),
            r"$'a\'\033\012\342\200\256'"
        );
    }

    #[test]
    fn the_second_file_has_a_number() {
        let path = Path::new("a b/lowe.attack.spi");
        assert_eq!(numbered(path, 1), path);
        assert_eq!(numbered(path, 2), Path::new("a b/lowe.attack-2.spi"));
        assert_eq!(numbered(Path::new("out"), 3), Path::new("out-3"));
    }
}
