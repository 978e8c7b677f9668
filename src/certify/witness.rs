//! Ground witnesses of reachability: a schedule of the system's steps with the message of each input.
//!
//! Every step of an unfolded system runs at most once and restricted names are static, so a run is the sequence of
//! its steps. Forks, tests and creation marks ([`crate::process::EventId::CREATED`]) run by themselves as soon as they
//! are reached and never occur in a witness; everything else does, events that no claim looks at included.

use crate::process::StepId;
use crate::term::TermId;

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The step that runs; the sender's for a communication.
    pub step: StepId,
    /// What it does.
    pub kind: MoveKind,
}

/// What a step of a run does; all terms are ground.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// An output that the attacker hears.
    Send {
        /// The channel, which the attacker must know.
        channel: TermId,
        /// The message.
        message: TermId,
    },
    /// An input of a message that the attacker made.
    Receive {
        /// The channel, which the attacker must know.
        channel: TermId,
        /// The message, which the attacker must be able to make.
        message: TermId,
    },
    /// An output taken by an input without the attacker; any channel.
    Communicate {
        /// The receiving step.
        receiver: StepId,
        /// The channel.
        channel: TermId,
        /// The message.
        message: TermId,
    },
    /// An event.
    Event {
        /// Its arguments.
        args: Vec<TermId>,
    },
    /// A phase begins. The step of the move is one that waits for it; whoever waits for it goes on, and whoever does not wait
    /// for it or a later one is gone.
    Phase {
        /// Which one.
        number: u8,
    },
}

/// Which instance of the claim the run violates (for `reachable`: fulfils). Events are named by the number of their
/// move, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// `secrecy`: the attacker derives the target.
    Leak {
        /// Number of the target.
        target: usize,
        /// The copies that stand for the target's restricted names, in the order of its `names`.
        names: Vec<TermId>,
    },
    /// `secrecy .. after`: the event happened and the attacker derives the term.
    LeakAfter {
        /// The event's move.
        event: usize,
    },
    /// `agreement`: these events can't be given matching earlier events; distinct ones, if the claim is injective.
    /// Without injectivity it is a single event.
    Unmatched {
        /// The events' moves.
        events: Vec<usize>,
    },
    /// `reachable`: the event happened.
    Reached {
        /// The event's move.
        event: usize,
    },
    /// `unsendable`: the attacker derives channel and message.
    Sendable {
        /// The copies that stand for the target's restricted names.
        names: Vec<TermId>,
    },
}

/// A run and what it violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// The run.
    pub moves: Vec<Move>,
    /// What it violates.
    pub violation: Violation,
    /// It is said to leave nobody stuck [Sem 4.5].
    pub transparent: bool,
}

impl MoveKind {
    /// The terms of a move.
    pub fn terms(&self) -> Vec<TermId> {
        match self {
            MoveKind::Send { channel, message }
            | MoveKind::Receive { channel, message }
            | MoveKind::Communicate {
                channel, message, ..
            } => vec![*channel, *message],
            MoveKind::Event { args } => args.clone(),
            MoveKind::Phase { .. } => Vec::new(),
        }
    }
}
