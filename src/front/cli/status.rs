//! How a run ends.

use crate::analysis::Outcome;

/// The exit status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Every claim holds, the systems are equivalent, everything is as expected.
    Holds,
    /// An attack, a distinguishing test, an expectation missed, a file not formatted.
    Refuted,
    /// A usage, syntax, type or file error; nothing to check.
    Error,
    /// Time, states, memory or an interrupt ended the run before an answer.
    Inconclusive,
    /// No honest run completes, or a claim says nothing.
    NotExecutable,
}

impl From<Outcome> for Status {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Proved
            | Outcome::ProvedForAgents
            | Outcome::Holds
            | Outcome::Reached
            | Outcome::Equivalent
            | Outcome::EquivalentForAny => Status::Holds,
            Outcome::Attack | Outcome::Unreachable | Outcome::Different => Status::Refuted,
            Outcome::Vacuous | Outcome::NotExecutable => Status::NotExecutable,
            Outcome::Inconclusive => Status::Inconclusive,
            Outcome::Internal => Status::Error,
        }
    }
}

impl Status {
    /// The exit code.
    pub fn code(self) -> u8 {
        match self {
            Status::Holds => 0,
            Status::Refuted => 1,
            Status::Error => 2,
            Status::Inconclusive => 3,
            Status::NotExecutable => 4,
        }
    }

    /// The status of a run with several ends. An error comes first: something was not even looked at. An attack comes
    /// before whatever is left open, a model that does not run before a search that gave up.
    #[must_use]
    pub fn worst(self, other: Status) -> Status {
        let rank = |s: Status| match s {
            Status::Holds => 0,
            Status::Inconclusive => 1,
            Status::NotExecutable => 2,
            Status::Refuted => 3,
            Status::Error => 4,
        };
        if rank(other) > rank(self) {
            other
        } else {
            self
        }
    }
}
