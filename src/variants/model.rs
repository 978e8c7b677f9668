//! A tree, checked, and its claims decided.

use crate::analysis::{Decision, Kept, Outcome, Settings, Subject, decide};
use crate::process::{Claim, TupleMode, UnfoldError};
use crate::report::{self, Context, comparison_word, json, summary};
use crate::search::Observer;
use crate::sema::{Checked, check};
use crate::source::{Diagnostic, SourceMap};
use crate::syntax::ast;
use crate::term::TermStore;

/// A checked tree in both lowerings.
pub struct Variant {
    /// The terms.
    pub store: TermStore,
    /// Tuples as nested pairs.
    pub nested: Checked,
    /// Tuples that keep their length.
    pub flat: Checked,
    kept: Kept,
}

/// A claim of a variant, decided.
pub enum Decided {
    /// Whatever it is about.
    Done(Decision),
    /// The system does not unfold.
    Failed(UnfoldError),
}

impl Variant {
    /// Checks a tree; mistakes end in `Err`, warnings are of no interest in a variant.
    pub fn new(tree: &ast::File) -> Result<Variant, Vec<Diagnostic>> {
        let store = TermStore::new();
        let nested = check(tree, &store, TupleMode::Nested);
        if !nested.is_sound() {
            let mut errors = nested.diagnostics;
            errors.retain(Diagnostic::is_error);
            return Err(errors);
        }
        let flat = check(tree, &store, TupleMode::Flat);
        Ok(Variant {
            store,
            nested,
            flat,
            kept: Kept::new(),
        })
    }

    /// The claims.
    pub fn claims(&self) -> &[Claim] {
        &self.nested.program.claims
    }

    /// What the analyses want.
    pub fn subject(&self) -> Subject<'_> {
        Subject {
            store: &self.store,
            nested: &self.nested.program,
            flat: &self.flat.program,
            kept: &self.kept,
        }
    }

    /// What reports want.
    pub fn context<'a>(&'a self, map: &'a SourceMap, typed: bool) -> Context<'a> {
        let checked = if typed { &self.flat } else { &self.nested };
        Context {
            store: &self.store,
            program: &checked.program,
            map,
        }
    }

    /// Decides a claim.
    pub fn decide(&self, claim: usize, settings: &Settings, observer: &dyn Observer) -> Decided {
        let (nested, flat) = (
            &self.nested.program.claims[claim],
            &self.flat.program.claims[claim],
        );
        match decide(&self.subject(), nested, flat, settings, observer) {
            Ok(decision) => Decided::Done(decision),
            Err(error) => Decided::Failed(error),
        }
    }
}

impl Decided {
    /// What was established, if anything could be.
    pub fn outcome(&self) -> Option<Outcome> {
        match self {
            Decided::Done(decision) => Some(decision.outcome()),
            Decided::Failed(_) => None,
        }
    }

    /// The words of the verdict.
    pub fn word(&self) -> &'static str {
        match self {
            Decided::Done(Decision::One(result)) => summary::word(result.outcome()).0,
            Decided::Done(Decision::Compared(comparison)) => comparison_word(comparison).0,
            Decided::Failed(_) => "too large",
        }
    }

    /// Whether the claim is violated.
    pub fn is_refuted(&self) -> bool {
        self.outcome().is_some_and(Outcome::is_refuted)
    }

    /// Whether the claim holds.
    pub fn holds(&self) -> bool {
        self.outcome().is_some_and(Outcome::holds)
    }

    /// Whether the claim was proved for any number of runs.
    pub fn is_proved(&self) -> bool {
        self.outcome().is_some_and(Outcome::is_proved)
    }

    /// Whether some role instance certainly never finishes.
    pub fn is_idle(&self) -> bool {
        matches!(self, Decided::Done(decision) if decision.is_idle())
    }

    /// Whether more runs or other agents than are written break the claim.
    pub fn breaks_beyond(&self) -> bool {
        matches!(self, Decided::Done(decision) if decision.breaks_beyond())
    }

    /// What breaks the claim beyond what is written, if something was found.
    pub fn beyond(&self, variant: &Variant) -> Option<String> {
        match self {
            Decided::Done(Decision::One(result)) => report::beyond(&variant.store, result),
            _ => None,
        }
    }

    /// What an attack is called.
    pub fn kinds(&self, variant: &Variant, map: &SourceMap, typed: bool) -> Vec<String> {
        match self {
            Decided::Done(Decision::One(result)) => {
                json::kinds_of(variant.context(map, typed), result)
            }
            _ => Vec::new(),
        }
    }
}
