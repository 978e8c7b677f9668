//! A checked file: what every way in makes of a text, and what every claim is decided about.
//!
//! A file is lowered twice over one store, tuples as nested pairs and tuples that keep their length; definitions, systems, events
//! and claims have the same numbers in both. Command line, editor, mutants, grading and tests hold a [`Model`] and ask it.

use super::decide::{Decision, decide};
use super::{Kept, Settings, Subject};
use crate::base::limits::Observer;
use crate::base::source::{Diagnostic, SourceFile, SourceMap};
use crate::lang::sema::{Checked, Lowered};
use crate::lang::syntax::ast;
use crate::process::{Claim, Program, UnfoldError};
use crate::term::TermStore;

/// A checked file in both lowerings.
#[derive(Debug)]
pub struct Model {
    /// The terms.
    pub store: TermStore,
    /// The tree, with what it uses.
    pub tree: ast::File,
    /// Tuples as nested pairs.
    pub nested: Checked,
    /// Tuples that keep their length.
    pub flat: Checked,
    kept: Kept,
}

impl Model {
    /// Checks a file and what it uses, which joins `map`. Mistakes end in `Err`, with the warnings; warnings alone stay with the model.
    pub fn from_file(map: &mut SourceMap, file: &SourceFile) -> Result<Model, Vec<Diagnostic>> {
        Self::new(|store| Lowered::from_file(map, file, store))
    }

    /// Checks a text that stands alone: it may use libraries, but no files.
    pub fn from_text(text: &str) -> Result<Model, Vec<Diagnostic>> {
        let file = SourceFile::anonymous("text.spi", text);
        Self::new(|store| Lowered::from_text(&file, store))
    }

    /// Checks a tree. Mistakes end in `Err`, without the warnings, which nobody asks for in a version of a text.
    pub fn from_tree(tree: ast::File) -> Result<Model, Vec<Diagnostic>> {
        Self::new(|store| Lowered::from_tree(tree, Vec::new(), store)).map_err(|mut mistakes| {
            mistakes.retain(Diagnostic::is_error);
            mistakes
        })
    }

    fn new(lower: impl FnOnce(&TermStore) -> Lowered) -> Result<Model, Vec<Diagnostic>> {
        let store = TermStore::new();
        let Lowered { tree, nested, flat } = lower(&store);
        if !nested.is_sound() {
            return Err(nested.diagnostics);
        }
        Ok(Model {
            store,
            tree,
            nested,
            flat,
            kept: Kept::new(),
        })
    }

    /// The warnings.
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.nested.diagnostics
    }

    /// The program of one of the two lowerings.
    pub fn program(&self, typed: bool) -> &Program {
        if typed {
            &self.flat.program
        } else {
            &self.nested.program
        }
    }

    /// The claims; their numbers are their places.
    pub fn claims(&self) -> &[Claim] {
        &self.nested.program.claims
    }

    /// Adds the claim `secrecy TARGET in SYSTEM` of the command line, for each system that can be asked if none is named. Returns the numbers of
    /// the new claims.
    pub fn add_secrecy(
        &mut self,
        map: &mut SourceMap,
        target: &str,
        system: Option<&str>,
    ) -> Result<std::ops::Range<usize>, Vec<Diagnostic>> {
        let store = &self.store;
        let claims = self.nested.add_secrecy(map, store, target, system)?;
        self.flat.add_secrecy(map, store, target, system)?;
        Ok(claims)
    }

    /// The file as the analyses want it.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            store: &self.store,
            nested: &self.nested.program,
            flat: &self.flat.program,
            kept: &self.kept,
        }
    }

    /// Decides a claim: the one way from a text to what is said of it. `Err` if the system can't be written out within the bounds.
    pub fn decide(
        &self,
        claim: usize,
        settings: &Settings,
        observer: &dyn Observer,
    ) -> Result<Decision, UnfoldError> {
        let [nested, flat] = [false, true].map(|typed| &self.program(typed).claims[claim]);
        decide(&self.subject(), nested, flat, settings, observer)
    }
}
