//! Why a certificate is rejected.

use crate::process::StepId;
use crate::term::{FamilyId, NameId};
use std::fmt;

/// What a first clause is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// What a step of the system does.
    Step(StepId),
    /// Composition by an operator [Sem 1.2].
    Compose,
    /// Decomposition [Sem 1.3].
    Open,
    /// A declared destructor [Sem 1.6].
    Destructor,
    /// The attacker hears on channels that it has [Sem 3].
    Hear,
    /// The attacker speaks on channels that it has [Sem 3].
    Speak,
    /// The public part of a member of a family of key pairs.
    PublicPart(FamilyId),
    /// A member with a spy among its arguments.
    Spy(FamilyId),
    /// Initial knowledge, by number.
    Knows(usize),
    /// What the claim is about.
    Claim,
}

/// Why a certificate is rejected. Clauses are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofError {
    /// Something of the system or the claim has no clauses: such claims are not proved.
    NotExpressed,
    /// An entry of the certificate is none, or its arguments do not come before it.
    Malformed {
        /// The entry.
        entry: u32,
    },
    /// A clause has no such condition, or a part of it is no fact.
    NoClause {
        /// The clause.
        clause: usize,
    },
    /// The selected condition may be true without being the conclusion of a clause.
    Selection {
        /// The clause.
        clause: usize,
    },
    /// The conclusion is none that clauses decide, or gives the attacker terms of any form.
    Conclusion {
        /// The clause.
        clause: usize,
    },
    /// A name is a function of something that is not received before all its uses.
    Name {
        /// The name.
        name: NameId,
    },
    /// A first clause does not follow from the certificate.
    Missing(Reason),
    /// What the resolution of two clauses gives does not follow from the certificate.
    Unresolved {
        /// The clause without selected condition.
        rule: usize,
        /// The clause whose selected condition it was put in for.
        into: usize,
    },
    /// A cut does not follow from the clauses and the cuts before it.
    Cut {
        /// The cut.
        cut: usize,
    },
    /// The clause derives what must not happen.
    Reached {
        /// The clause.
        clause: usize,
    },
    /// The clause derives the later event without the earlier one.
    NotPreceded {
        /// The clause.
        clause: usize,
    },
    /// Two later events may have the same earlier one.
    NotInjective {
        /// The clause of the one.
        one: usize,
        /// The clause of the other.
        other: usize,
    },
    /// Terms grow too large to be compared: nothing is known.
    GaveUp,
    /// The check was to be stopped: nothing is known.
    Stopped,
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ProofError::NotExpressed => write!(f, "the claim has no clauses"),
            ProofError::Malformed { entry } => write!(f, "entry {entry} is malformed"),
            ProofError::NoClause { clause } => write!(f, "clause {clause} is malformed"),
            ProofError::Selection { clause } => {
                write!(f, "clause {clause} selects what clauses do not derive")
            }
            ProofError::Conclusion { clause } => {
                write!(f, "clause {clause} concludes what clauses do not decide")
            }
            ProofError::Name { .. } => {
                write!(f, "a name depends on what is not received before its uses")
            }
            ProofError::Missing(reason) => {
                write!(f, "a first clause does not follow: {reason:?}")
            }
            ProofError::Unresolved { rule, into } => {
                write!(f, "clause {rule} put into clause {into} does not follow")
            }
            ProofError::Cut { cut } => write!(f, "cut {cut} does not follow"),
            ProofError::Reached { clause } => {
                write!(f, "clause {clause} derives what must not happen")
            }
            ProofError::NotPreceded { clause } => {
                write!(f, "clause {clause} has no earlier event")
            }
            ProofError::NotInjective { one, other } => {
                write!(f, "clauses {one} and {other} may share an earlier event")
            }
            ProofError::GaveUp => write!(f, "the clauses are too large to be compared"),
            ProofError::Stopped => write!(f, "the check was stopped"),
        }
    }
}

impl std::error::Error for ProofError {}
