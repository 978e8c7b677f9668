//! An attack written as a process, beside the system it attacks: all runs of the two together, enumerated.
//!
//! The attacker is a process like any other, with two rules of its own. It may write down only what an attacker has:
//! every term of its text must be derivable from what it has heard by then, so keys and private names come from the
//! model and from nowhere else. And an output on one of its own channels, which the system does not know, is a *barb*:
//! it shows that this point was reached.
//!
//! Naive on purpose, like [`super::trial`]: whoever can take a message may take it, threads of the system may talk to
//! each other, and only configurations that are literally equal are tried once. The one liberty is the timing of
//! events, which nobody sees: an event that the claim asks for happens as soon as it can, any other only when its thread
//! goes on. A run that violates an agreement still does when the later event is moved forward and the earlier one back.

use super::fight::Fight;
use super::matching::Difference;
use super::{CertifyError, Move, Violation};
use crate::process::{ClaimKind, StepId, System};
use crate::term::{TermId, TermStore};

/// An attack and the system it is to be tried on.
#[derive(Clone, Copy)]
pub struct Contest<'a> {
    /// The terms.
    pub store: &'a TermStore,
    /// The system, with all its tests.
    pub system: &'a System,
    /// What the attacker knows from the start.
    pub initial: &'a [TermId],
    /// The attack; the names it makes are of [`crate::term::NameClass::Attacker`].
    pub attack: &'a System,
    /// The channels that are the attack's own.
    pub barbs: &'a [TermId],
    /// Whether a variable of the system may take a value; for typed analysis.
    pub accepts: &'a dyn Fn(u32, TermId) -> bool,
    /// Configurations to try.
    pub limit: usize,
    /// Whether somebody wants it to stop.
    pub stopped: &'a dyn Fn() -> bool,
}

/// What the attack is to achieve.
#[derive(Clone, Copy, Debug)]
pub enum Aim<'a> {
    /// To violate a claim (for `reachable`: to fulfil it).
    Claim(&'a ClaimKind),
    /// To show a barb.
    Barb,
}

/// A run of attack and system.
#[derive(Clone, Debug, Default)]
pub struct Bout {
    /// What the system does.
    pub moves: Vec<Move>,
    /// For each move the step of the attack that takes part in it.
    pub by: Vec<Option<StepId>>,
    /// The barbs shown: step, channel, message.
    pub barbs: Vec<(StepId, TermId, TermId)>,
    /// Number of steps that the attack has made.
    pub followed: usize,
    /// The attack has nothing left to do.
    pub finished: bool,
    /// What roles refused on the way.
    pub refused: Vec<Hindrance>,
}

/// Why the attack does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// Nobody takes what it sends here, or sends what it waits for.
    Alone {
        /// The attack's step.
        step: StepId,
        /// Its channel.
        channel: TermId,
    },
    /// No thread of the system waits for the phase.
    NoPhase {
        /// The attack's step.
        step: StepId,
        /// The phase.
        number: u8,
    },
    /// A test of the attack itself fails.
    Failed {
        /// The attack's step.
        step: StepId,
        /// What differs.
        difference: Option<Difference>,
    },
    /// The attacker does not have what it uses.
    Lacks {
        /// The attack's step.
        step: StepId,
        /// What it lacks.
        term: TermId,
    },
    /// A role does not accept what the attack sent last.
    Refused {
        /// The attack's step that sent it.
        sent: StepId,
        /// The message.
        message: TermId,
        /// The system's step that refuses it: a test, or an input whose type it does not have.
        by: StepId,
        /// What differs; `None` if it is the type.
        difference: Option<Difference>,
    },
}

/// What the enumeration found.
#[derive(Clone, Debug)]
pub enum Ending {
    /// The aim is achieved by this run.
    Achieved(Bout, Option<Violation>),
    /// In this run the attack does all it can, and no run achieves the aim.
    InVain(Bout),
    /// No run goes further than this one.
    Stopped(Bout, Vec<Hindrance>),
}

/// What the enumeration found, and whether it saw all runs.
#[derive(Clone, Debug)]
pub struct Result {
    /// What it found.
    pub ending: Ending,
    /// Not all runs were tried: the limit was met.
    pub limited: bool,
}

/// Tries whether some run of the attack beside the system achieves the aim.
pub fn contest(contest: &Contest<'_>, aim: Aim<'_>) -> std::result::Result<Result, CertifyError> {
    Fight::new(contest, aim).explore()
}
