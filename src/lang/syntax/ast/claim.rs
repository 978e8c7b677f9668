//! Claims.

use super::{Ident, Term};
use crate::base::source::Span;

/// A claim.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What is claimed.
    pub kind: ClaimKind,
    /// The verdict that `spi test` compares with.
    pub expect: Option<Expect>,
    /// The goal of a narration that it stands for, in the words of the narration.
    pub goal: Option<super::Name>,
    /// Its place, `expect` included.
    pub span: Span,
}

/// The expected verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expect {
    /// `expect holds`
    Holds,
    /// `expect proof`
    Proof,
    /// `expect attack`
    Attack,
}

/// The kinds of claims.
#[derive(Clone, Debug)]
pub enum ClaimKind {
    /// `secrecy Na, Nb in S`, `secrecy k after E(.., k, ..) in S`, `forward secrecy ..`
    Secrecy {
        /// The word `forward`, if it is there: long-term keys are lost when all is over.
        forward: Option<Span>,
        /// What is to stay secret.
        targets: Vec<SecrecyTarget>,
        /// The event after which it counts.
        after: Option<EventPattern>,
        /// Where.
        system: SystemRef,
    },
    /// `agreement E(..) => F(..) in S` and its kin
    Correspondence {
        /// Which of them.
        strength: Correspondence,
        /// The event that needs a reason.
        then: EventPattern,
        /// The event that must have come before.
        before: EventPattern,
        /// Where.
        system: SystemRef,
    },
    /// `reachable E(..) in S`
    Reachable {
        /// The event.
        event: EventPattern,
        /// Where.
        system: SystemRef,
    },
    /// `unsendable c<M> in S`: the attacker can never send `M` on `c`
    Unsendable {
        /// On which channel.
        channel: Term,
        /// What, as a tuple.
        message: Vec<Term>,
        /// Where.
        system: SystemRef,
    },
    /// `strong secrecy m in S`
    StrongSecrecy {
        /// The parameters of the system that stay secret.
        params: Vec<Ident>,
        /// Where.
        system: SystemRef,
    },
    /// `S ~ T`, `equivalence S ~ T`, `S <= T`
    Compare {
        /// Which comparison.
        relation: Relation,
        /// The left system.
        left: SystemRef,
        /// The right system.
        right: SystemRef,
    },
}

/// What `E(..) => F(..)` demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Correspondence {
    /// `agreement`: each `E` is preceded by a matching `F`.
    Agreement,
    /// `injective agreement`: by distinct ones.
    Injective,
    /// `weak agreement`
    Weak,
    /// `aliveness`
    Aliveness,
}

/// The comparison of two systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `~`: testing equivalence
    Equivalent,
    /// `<=`: the may-preorder
    Preorder,
}

/// What a secrecy claim is about.
#[derive(Clone, Debug)]
pub enum SecrecyTarget {
    /// `Na`: that name in every role instance with honest agents
    Name(Ident),
    /// `Init(A, B).Na`: that name in one role instance
    Instance {
        /// The role.
        role: Ident,
        /// Its arguments.
        args: Vec<Term>,
        /// The name.
        name: Ident,
        /// Its place.
        span: Span,
    },
    /// `({Na}K(A)+)`: a whole term, in parentheses
    Term(Term),
}

impl SecrecyTarget {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            SecrecyTarget::Name(ident) => ident.span,
            SecrecyTarget::Instance { span, .. } => *span,
            SecrecyTarget::Term(term) => term.span,
        }
    }
}

/// An event in a claim, `E(a, _, n)`.
#[derive(Clone, Debug)]
pub struct EventPattern {
    /// The event.
    pub name: Ident,
    /// Its arguments.
    pub args: Vec<EventArg>,
    /// Its place.
    pub span: Span,
}

/// An argument of an event in a claim.
#[derive(Clone, Debug)]
pub enum EventArg {
    /// `_`
    Any(Span),
    /// A variable of the claim or a concrete term; a bare name that is not declared is a variable.
    Term(Term),
}

impl EventArg {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            EventArg::Any(span) => *span,
            EventArg::Term(term) => term.span,
        }
    }
}

/// A system in a claim, `S`, `S(m1)` or `S given K(A)- unless L(A)`.
#[derive(Clone, Debug)]
pub struct SystemRef {
    /// Its name.
    pub name: Ident,
    /// Its arguments, empty if there are none.
    pub args: Vec<Term>,
    /// What the attacker has from the start besides.
    pub given: Vec<Term>,
    /// Events that excuse what comes after them.
    pub unless: Vec<EventPattern>,
    /// Its place.
    pub span: Span,
}
