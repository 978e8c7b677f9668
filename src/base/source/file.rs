//! Files, the map that owns them, and byte spans.

use super::{lines, shipped};
use rustc_hash::FxHashMap;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Identity of a file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A byte range of one file.
///
/// Offsets are `u32`: files above [`super::load::MAX_BYTES`] are refused before they get here.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file it lies in.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The range `start..end` of `file`.
    pub fn new(file: FileId, range: Range<usize>) -> Span {
        let clamp = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Span {
            file,
            start: clamp(range.start),
            end: clamp(range.end),
        }
    }

    /// The smallest span that covers both; `other` is taken to be in the same file.
    #[must_use]
    pub fn to(self, other: Span) -> Span {
        Span {
            file: self.file,
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// The empty span just before this one.
    #[must_use]
    pub fn before(self) -> Span {
        Span {
            end: self.start,
            ..self
        }
    }

    /// The empty span just after this one.
    #[must_use]
    pub fn after(self) -> Span {
        Span {
            start: self.end,
            ..self
        }
    }

    /// The offsets as a range for slicing.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Number of bytes.
    pub fn len(self) -> usize {
        self.range().len()
    }

    /// Whether the span holds no byte.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}..{}", self.file.0, self.start, self.end)
    }
}

/// A named text. Cheap to clone.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Identity within its [`SourceMap`].
    pub id: FileId,
    /// The name shown to people: the path as it was typed, or `<stdin>`.
    pub name: Arc<str>,
    /// The whole text, byte-order mark included if there was one.
    pub text: Arc<str>,
    /// The folder it lies in, as far as the name tells: paths in the text start there.
    pub folder: Arc<Path>,
}

impl SourceFile {
    /// A file outside any map, with id 0; for tests and for fragments of the command line.
    pub fn anonymous(name: &str, text: &str) -> SourceFile {
        SourceFile {
            id: FileId::default(),
            name: name.into(),
            text: text.into(),
            folder: folder(Path::new(name)),
        }
    }

    /// The text at `span`, or nothing if the span does not lie in this file.
    pub fn slice(&self, span: Span) -> &str {
        let own = self.text.get(span.range());
        own.filter(|_| span.file == self.id).unwrap_or("")
    }

    /// The span of the whole text.
    pub fn span(&self) -> Span {
        Span::new(self.id, 0..self.text.len())
    }

    /// Line and column of a byte offset, both from 1, the column counted in characters.
    /// Costs a scan of the text: for messages, not for loops.
    pub fn line_column(&self, offset: u32) -> (usize, usize) {
        let mut end = (offset as usize).min(self.text.len());
        while !self.text.is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text[..end];
        // Between the two characters of one line end the line has not ended.
        let before = match before.strip_suffix('\r') {
            Some(line) if self.text[end..].starts_with('\n') => line,
            _ => before,
        };
        let line = lines::count(before) + 1;
        let start = before.rfind(lines::ENDS).map_or(0, |i| i + 1);
        (line, before[start..].chars().count() + 1)
    }
}

fn folder(path: &Path) -> Arc<Path> {
    path.parent().unwrap_or(Path::new("")).into()
}

/// All files of a run. Files are only ever added, so ids stay valid.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
    unsaved: Arc<Unsaved>,
}

/// Texts that stand in place of files on disk: what an editor has not saved. Paths are without links.
pub type Unsaved = FxHashMap<PathBuf, Arc<str>>;

impl SourceMap {
    /// An empty map.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Adds a text under a name and returns it as a file with its new id.
    pub fn add(&mut self, name: &str, text: &str) -> SourceFile {
        self.add_at(Path::new(name), name, text)
    }

    /// The same for a text that was read from `path`.
    pub fn add_at(&mut self, path: &Path, name: &str, text: &str) -> SourceFile {
        let id = FileId(u32::try_from(self.files.len()).expect("fewer than 2^32 files"));
        let file = SourceFile {
            id,
            name: name.into(),
            text: text.into(),
            folder: folder(path),
        };
        self.files.push(file.clone());
        file
    }

    /// An empty map in which these texts stand in place of files.
    pub fn with_unsaved(unsaved: Arc<Unsaved>) -> SourceMap {
        SourceMap {
            files: Vec::new(),
            unsaved,
        }
    }

    /// The texts that stand in place of files.
    pub fn all_unsaved(&self) -> &Arc<Unsaved> {
        &self.unsaved
    }

    /// The text that stands in place of the file at a path.
    pub fn unsaved(&self, path: &Path) -> Option<&Arc<str>> {
        if self.unsaved.is_empty() {
            return None;
        }
        let same = || self.unsaved.get(&std::fs::canonicalize(path).ok()?);
        self.unsaved.get(path).or_else(same)
    }

    /// The file with this id, if it was made by this map or comes with the program.
    pub fn get(&self, id: FileId) -> Option<&SourceFile> {
        let own = self.files.get(id.0 as usize);
        own.or_else(|| shipped::with_id(id))
    }

    /// All files in the order in which they were added.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }
}

impl From<SourceFile> for SourceMap {
    /// A map of one file, which must have id 0 (as [`SourceFile::anonymous`] gives it).
    fn from(file: SourceFile) -> SourceMap {
        SourceMap {
            files: vec![SourceFile {
                id: FileId::default(),
                ..file
            }],
            unsaved: Arc::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_characters_from_one() {
        let file = SourceFile::anonymous("t", "ν a\nbé c");
        assert_eq!(file.line_column(0), (1, 1));
        assert_eq!(file.line_column(3), (1, 3));
        assert_eq!(file.line_column(5), (2, 1));
        assert_eq!(file.line_column(9), (2, 4));
        assert_eq!(
            file.line_column(7),
            (2, 2),
            "inside a character counts as its start"
        );
        assert_eq!(file.line_column(999), (2, 5));
        let file = SourceFile::anonymous("t", "a\rb\r\nc");
        assert_eq!(file.line_column(2), (2, 1));
        assert_eq!(file.line_column(4), (2, 2));
        assert_eq!(file.line_column(5), (3, 1));
    }

    #[test]
    fn a_map_returns_the_files_it_was_given() {
        let mut map = SourceMap::new();
        let one = map.add("one.spi", "a");
        let two = map.add("two.spi", "b");
        assert_ne!(one.id, two.id);
        assert_eq!(map.get(two.id).map(|f| &*f.name), Some("two.spi"));
        assert!(map.get(FileId(7)).is_none());
    }
}
