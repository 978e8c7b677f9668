//! One version of a text, checked.

use super::index::Index;
use super::position::Lines;
use super::uri;
use crate::base::source::{Code, Diagnostic, SourceFile, SourceMap, Span, Unsaved, load, shipped};
use crate::lang::sema::{Checked, Mention, resolve};
use crate::lang::syntax::ast::{DeclKind, File, Source, Used};
use crate::term::TermStore;
use std::path::PathBuf;
use std::sync::Arc;

/// A checked text with what an editor asks about.
#[derive(Debug)]
pub struct Snapshot {
    /// The text.
    pub file: SourceFile,
    /// The text as reports want it.
    pub map: SourceMap,
    /// Its lines.
    pub lines: Lines,
    /// The terms.
    pub store: TermStore,
    /// The tree.
    pub tree: File,
    /// The program, tuples as nested pairs.
    pub checked: Checked,
    /// Its names.
    pub index: Index,
}

impl Snapshot {
    /// The same with another text.
    pub fn edited(&self, text: &str) -> Snapshot {
        Snapshot::among(&self.file.name, text, self.map.all_unsaved())
    }

    /// Checks a text; `others` replace files that it may use. A text that is too large is not
    /// checked.
    pub fn among(name: &str, text: &str, others: &Arc<Unsaved>) -> Snapshot {
        let mut map = SourceMap::with_unsaved(others.clone());
        let file = map.add(name, text);
        let lines = Lines::new(text);
        let store = TermStore::new();
        let large = text.len() as u64 > load::MAX_BYTES;
        let read = if large {
            SourceFile::anonymous(name, "")
        } else {
            file.clone()
        };
        let mut resolved = resolve(&mut map, &read, &store);
        if large {
            let limit = load::MAX_BYTES >> 20;
            resolved.checked.diagnostics = vec![
                Diagnostic::new(Code::FileTooLarge, format!("`{name}` is too large"))
                    .note(format!("files of up to {limit} MiB are read")),
            ];
        }
        // What a narration stands for has names that do not stand in the text.
        let written = |m: &Mention| m.span.file != read.id || is_name(read.slice(m.span));
        resolved.mentions.retain(written);
        Snapshot {
            file,
            map,
            lines,
            store,
            tree: resolved.tree,
            checked: resolved.checked,
            index: Index::new(resolved.mentions, read.id),
        }
    }

    /// What is wrong with the text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.checked.diagnostics
    }

    /// Where a span lies: the URI of its file, if that is another one, and the range there; `None`
    /// in a text that has no URI.
    pub fn place(&self, span: Span) -> Option<(Option<String>, gen_lsp_types::Range)> {
        if span.file == self.file.id {
            return Some((None, self.range(span)));
        }
        let file = self.map.get(span.file)?;
        let uri = uri::of(&self.path_of(span)?);
        Some((Some(uri), Lines::new(&file.text).range(&file.text, span)))
    }

    /// The path of the file that a span lies in, if it is a file and another one.
    pub fn path_of(&self, span: Span) -> Option<PathBuf> {
        let shipped = shipped::with_id(span.file).is_some();
        let file = self
            .map
            .get(span.file)
            .filter(|_| !shipped && span.file != self.file.id)?;
        std::path::absolute(&*file.name).ok()
    }

    /// The file or library that is used at an offset.
    pub fn item_at(&self, offset: usize) -> Option<&Used> {
        let items = self.tree.decls.iter().filter_map(|d| match &d.kind {
            DeclKind::Use(items) => Some(items),
            _ => None,
        });
        let here = |u: &&Used| u.span.range().start <= offset && offset <= u.span.range().end;
        items.flatten().find(here)
    }

    /// The path of the file that is used at an offset.
    pub fn used_at(&self, offset: usize) -> Option<PathBuf> {
        match &self.item_at(offset)?.what {
            Source::File(path) => std::path::absolute(self.file.folder.join(&**path)).ok(),
            Source::Library(_) => None,
        }
    }

    /// The range of a span.
    pub fn range(&self, span: Span) -> gen_lsp_types::Range {
        self.lines.range(&self.file.text, span)
    }

    /// The byte offset of a position.
    pub fn offset(&self, position: gen_lsp_types::Position) -> usize {
        self.lines.offset(&self.file.text, position)
    }

    /// The definition or system around a place, in words: `Init`.
    pub fn around(&self, span: Span) -> Option<&str> {
        if span.file != self.file.id {
            return None;
        }
        let inside = |outer: Span| outer.start <= span.start && span.end <= outer.end;
        let decl = self.tree.decls.iter().find(|d| inside(d.span))?;
        match &decl.kind {
            DeclKind::Def(def) => Some(&def.name.name),
            DeclKind::System(system) => Some(&system.name.name),
            _ => None,
        }
    }
}

/// Whether a piece of text is one word.
fn is_name(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_alphanumeric() || c == '_' || c == '\'')
}
