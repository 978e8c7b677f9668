//! A narration as data: its lines, and what can be wrong with them.

use crate::certify::Move;
use crate::process::{InstanceId, StepId, System};
use crate::term::{Subst, TermId, TermStore};

/// One end of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The attacker, under whatever name.
    Spy,
    /// One of these role instances. With a number it is the same one on each line that has the
    /// number.
    Roles(Vec<InstanceId>, Option<String>),
}

/// A line.
#[derive(Clone, Debug)]
pub struct Line {
    /// The sender.
    pub from: End,
    /// The receiver.
    pub to: End,
    /// The message, with variables for the names of the narration.
    pub message: TermId,
}

/// Why no run fits the narration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discrepancy {
    /// The sender has nothing to send at this point.
    Silent,
    /// The sender sends this instead.
    Differs(TermId),
    /// The attacker can't make this part of the message.
    Lacks(TermId),
    /// The receiver waits for no message at this point.
    Deaf,
    /// The receiver gets this, and a test of its own fails.
    Refused(TermId, StepId),
}

/// The system that a narration is about.
#[derive(Clone, Copy)]
pub(crate) struct NarratedSystem<'a> {
    /// The terms.
    pub store: &'a TermStore,
    /// The system, with all its tests.
    pub system: &'a System,
    /// What the attacker knows from the start.
    pub initial: &'a [TermId],
    /// Whether a variable of the system may take a value; for typed analysis.
    pub accepts: &'a dyn Fn(u32, TermId) -> bool,
}

/// How far a narration can be followed.
#[derive(Clone, Debug)]
pub struct Followed {
    /// The run.
    pub moves: Vec<Move>,
    /// What the names stand for.
    pub bound: Subst,
    /// The line that does not happen, from 0, and why.
    pub discrepancy: Option<(usize, Discrepancy)>,
    /// Not all ways were tried.
    pub limited: bool,
}
