//! An attack written as a process, composed with the system that it attacks: all runs of the two
//! are enumerated.
//!
//! The attack is a process like any other, with two rules of its own. It may use only what an
//! attacker has: every term of its text must be derivable from what it has received by then
//! (`abilities`). And an output on one of its own channels, which the system does not know, is a
//! *barb*: it shows that this point was reached.
//!
//! The enumeration is naive on purpose, like [`crate::certify::attempt`]. Whoever can take a
//! message may take it, threads of the system may talk to each other, and only literally equal
//! configurations are tried once. It takes one liberty, with the timing of events, which nobody
//! sees: an event that the claim asks for happens as soon as it can, any other only when its thread
//! goes on. A run that violates an agreement still violates it when the later event moves forward
//! and the earlier one back.

use super::enumerate::Enumeration;
use crate::certify::{CertifyError, Difference, Move, Violation};
use crate::process::{ClaimKind, StepId, System};
use crate::term::{TermId, TermStore};

/// An attack in parallel with a system.
#[derive(Clone, Copy)]
pub struct Composition<'a> {
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
    /// The number of configurations to try.
    pub limit: usize,
    /// Whether to stop.
    pub stopped: &'a dyn Fn() -> bool,
}

/// The aim of an attack.
#[derive(Clone, Copy, Debug)]
pub enum Aim<'a> {
    /// To violate a claim (for `reachable`: to fulfil it).
    Claim(&'a ClaimKind),
    /// To show a barb.
    Barb,
}

/// A run of an attack in parallel with a system.
#[derive(Clone, Debug, Default)]
pub struct AttackRun {
    /// What the system does.
    pub moves: Vec<Move>,
    /// For each move the step of the attack that takes part in it.
    pub by: Vec<Option<StepId>>,
    /// The barbs shown: step, channel, message.
    pub barbs: Vec<(StepId, TermId, TermId)>,
    /// The number of steps that the attack has made.
    pub followed: usize,
    /// The attack has nothing left to do.
    pub finished: bool,
    /// What roles refused on the way.
    pub refused: Vec<Obstacle>,
}

/// Why the attack does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
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
pub enum AttackOutcome {
    /// The aim is achieved by this run.
    Achieved(AttackRun, Option<Violation>),
    /// In this run the attack does all it can, and no run achieves the aim.
    InVain(AttackRun),
    /// No run goes further than this one.
    Stopped(AttackRun, Vec<Obstacle>),
}

/// What the enumeration found, and whether it tried all runs.
#[derive(Clone, Debug)]
pub struct AttackResult {
    /// What it found.
    pub outcome: AttackOutcome,
    /// Not all runs were tried: the limit was met.
    pub limited: bool,
}

/// Tries whether some run of the attack beside the system achieves the aim.
pub fn run_attack(
    composition: &Composition<'_>,
    aim: Aim<'_>,
) -> Result<AttackResult, CertifyError> {
    Enumeration::new(composition, aim).explore()
}
