//! One version of a text, checked.

use super::index::Index;
use super::position::Lines;
use crate::report::Context;
use crate::sema::{Checked, resolve};
use crate::source::{Code, Diagnostic, SourceFile, SourceMap, Span, load};
use crate::syntax::ast::{DeclKind, File};
use crate::term::TermStore;

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
    /// Checks a text. One that is too large is not looked into.
    pub fn new(name: &str, text: &str) -> Snapshot {
        let mut map = SourceMap::new();
        let file = map.add(name, text);
        let lines = Lines::new(text);
        let store = TermStore::new();
        let large = text.len() as u64 > load::MAX_BYTES;
        let read = if large {
            SourceFile::anonymous(name, "")
        } else {
            file.clone()
        };
        let mut resolved = resolve(&read, &store);
        if large {
            let limit = load::MAX_BYTES >> 20;
            resolved.checked.diagnostics = vec![
                Diagnostic::new(Code::FileTooLarge, format!("`{name}` is too large"))
                    .note(format!("files of up to {limit} MiB are read")),
            ];
        }
        Snapshot {
            file,
            map,
            lines,
            store,
            tree: resolved.tree,
            checked: resolved.checked,
            index: Index::new(resolved.mentions),
        }
    }

    /// What is wrong with the text.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.checked.diagnostics
    }

    /// The text as reports want it.
    pub fn context(&self) -> Context<'_> {
        Context {
            store: &self.store,
            program: &self.checked.program,
            map: &self.map,
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
        let inside = |outer: Span| outer.start <= span.start && span.end <= outer.end;
        let decl = self.tree.decls.iter().find(|d| inside(d.span))?;
        match &decl.kind {
            DeclKind::Def(def) => Some(&def.name.name),
            DeclKind::System(system) => Some(&system.name.name),
            _ => None,
        }
    }
}
