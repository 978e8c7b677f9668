//! Narrations: a protocol as Alice and Bob tell it.

use super::{Binder, Decl, Expect, Ident, Term};
use crate::base::source::Span;
use std::sync::Arc;

/// `protocol NS(A, B)`, its lines and its goals.
#[derive(Clone, Debug)]
pub struct Protocol {
    /// Its name, which is that of its system.
    pub name: Ident,
    /// The roles that any agent may take, or any of the sort that is written.
    pub roles: Vec<Binder>,
    /// What is told, in its order.
    pub lines: Vec<Line>,
    /// What is claimed.
    pub goals: Vec<Goal>,
    /// From the name to the closing bracket of the roles.
    pub head: Span,
    /// The definitions, the system and the claims that it stands for (`syntax::narration`).
    pub decls: Arc<[Decl]>,
}

/// A line of a narration.
#[derive(Clone, Debug)]
pub struct Line {
    /// Which one.
    pub kind: LineKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of lines.
#[derive(Clone, Debug)]
pub enum LineKind {
    /// `A knows K(S)-`: besides what follows from the declarations.
    Knows(Ident, Vec<Term>),
    /// `A creates Na: Nonce`
    Creates(Ident, Vec<Binder>),
    /// `1. A -> B: M, N`
    Message {
        /// Who sends.
        from: Ident,
        /// Who takes it.
        to: Ident,
        /// What, as a tuple.
        message: Vec<Term>,
    },
}

/// A goal of a protocol.
#[derive(Clone, Debug)]
pub struct Goal {
    /// Which one.
    pub kind: GoalKind,
    /// The verdict that `spi test` compares with.
    pub expect: Option<Expect>,
    /// Its place, `expect` included.
    pub span: Span,
}

/// The kinds of goals.
#[derive(Clone, Debug)]
pub enum GoalKind {
    /// `secrecy Na, Nb between A, B`
    Secrecy {
        /// What stays secret.
        secrets: Vec<Term>,
        /// Whose values are meant; without any, those of whoever makes them.
        between: Vec<Ident>,
    },
    /// `B authenticates A on Na, Nb`
    Authentication {
        /// Who is to be sure.
        who: Ident,
        /// Of whom.
        whom: Ident,
        /// On which values they agree.
        on: Vec<Term>,
        /// `weakly`: several runs of the one may go with one of the other.
        weakly: bool,
    },
}
