//! What a name means at one place of a process.
//!
//! A scope is a persistent map: the two branches of a test and the threads of a composition each
//! extend their own version of what came before, and share the rest.

use im::OrdMap;

use super::clash::Values;
use crate::base::source::Span;
use crate::lang::syntax::ast::Name;

/// How a local name came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A parameter of a definition or system.
    Parameter,
    /// Made by `new`.
    Restricted,
    /// The whole message of an input `c(x)`.
    Message,
    /// Bound by a pattern, or the predecessor in an integer case.
    Pattern,
    /// Never written: `_`, the tuple of an input, the pair behind a key.
    Hidden,
    /// A variable of a claim.
    Claim,
    /// A variable of a rule.
    Rule,
}

impl Origin {
    /// A few words for "declared here" labels.
    pub(super) fn describe(self) -> &'static str {
        match self {
            Origin::Parameter => "a parameter",
            Origin::Restricted => "a fresh name",
            Origin::Message | Origin::Pattern => "a received value",
            Origin::Hidden => "an unnamed part",
            Origin::Claim => "a variable of the claim",
            Origin::Rule => "a variable of a rule",
        }
    }
}

/// A local name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    /// Its variable.
    pub var: u32,
    /// How it came about.
    pub origin: Origin,
    /// Where.
    pub span: Span,
}

/// The local names at one place, and what is known there.
#[derive(Clone, Default)]
pub(super) struct Scope {
    locals: OrdMap<Name, Local>,
    /// What the tests passed so far say about the values of variables.
    pub values: Values,
    /// Number of steps before this place.
    pub depth: u32,
    /// In how many ways through the rules of destructors this place is reached; 0 counts as 1.
    pub copies: u32,
    /// Whether an input or output stands before this place.
    pub guarded: bool,
    /// Whether something before this place could not be read: it may have bound any name.
    pub hole: bool,
}

impl Scope {
    /// The local of this name.
    pub(super) fn get(&self, name: &str) -> Option<Local> {
        self.locals.get(name).copied()
    }

    /// Adds a local, which may hide another one.
    pub(super) fn bind(&mut self, name: Name, local: Local) {
        self.locals.insert(name, local);
    }

    /// All names in scope, in alphabetical order.
    pub(super) fn names(&self) -> impl Iterator<Item = &Name> {
        self.locals.keys()
    }
}
