//! A tree, checked, and its claims decided.

use crate::analysis::{
    ClaimResult, Comparison, Gate, Kept, Reach, Settings, Subject, check_claim, compare_claim,
};
use crate::process::{Claim, TupleMode, UnfoldError};
use crate::report::{Context, comparison_word, json, summary};
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
    /// About one system.
    One(Box<ClaimResult>),
    /// A comparison of systems.
    Compared(Box<Comparison>),
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
        let program = &self.nested.program;
        match compare_claim(&self.store, program, &nested.kind, settings, observer) {
            Some(Ok(comparison)) => Decided::Compared(Box::new(comparison)),
            Some(Err(error)) => Decided::Failed(error),
            None => match check_claim(&self.subject(), nested, flat, settings, observer) {
                Ok(result) => Decided::One(Box::new(result)),
                Err(error) => Decided::Failed(error),
            },
        }
    }
}

impl Decided {
    /// The verdict in a word or two.
    pub fn word(&self) -> &'static str {
        match self {
            Decided::One(result) => summary::word(&result.verdict).0,
            Decided::Compared(comparison) => comparison_word(comparison).0,
            Decided::Failed(_) => "too large",
        }
    }

    /// Whether the claim is violated.
    pub fn is_refuted(&self) -> bool {
        matches!(
            self.word(),
            "attack" | "unreachable" | "not equivalent" | "does not hold"
        )
    }

    /// Whether the claim holds.
    pub fn holds(&self) -> bool {
        matches!(self.word(), "holds" | "equivalent")
    }

    /// Whether the claim was proved for any number of runs.
    pub fn is_proved(&self) -> bool {
        let Decided::One(result) = self else {
            return false;
        };
        let reach = result.scope.proved;
        self.holds() && matches!(reach, Some(Reach::Repeated | Reach::Everyone))
    }

    /// Whether some role instance certainly never finishes.
    pub fn is_idle(&self) -> bool {
        match self {
            Decided::One(result) => result.gate.as_ref().is_some_and(Gate::is_closed),
            _ => false,
        }
    }

    /// What an attack is called.
    pub fn kinds(&self, variant: &Variant, map: &SourceMap, typed: bool) -> Vec<String> {
        match self {
            Decided::One(result) => json::kinds_of(variant.context(map, typed), result),
            _ => Vec::new(),
        }
    }
}
