//! Runs without interference [Sem 6.4]: does the model run at all?
//!
//! Messages are only delivered; nobody forges anything. Nobody receives what it sent itself, every message is delivered
//! once, values have their declared types, and whoever takes part comes to its end. A *party* (`party`) is a role
//! instance; for each one that is wanted a *group* of partners is looked for (`group`) that finishes together, and groups that
//! have nobody in common make up one run (`runs`). Where a party finishes in no such run, more is allowed, step by step
//! (`Leave`): two of the same role may talk to each other, an `else` may be taken, a message may be heard by several.
//!
//! Who finishes in no run is stuck at the first step that it never passes; `blame` says why.
//!
//! Left to others: role instances that talk to a spy (`analysis` asks the attacker search), wording (`report`).

mod blame;
mod effort;
mod furthest;
mod group;
mod likeness;
mod offer;
mod party;
mod runs;
mod settle;
mod state;

pub use blame::{Cause, Difference, Near, Stuck};
pub use runs::{Honest, HonestRun, honest_runs};

use crate::process::StepId;
use crate::term::TermId;

/// A step of an honest run; all terms are ground.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HonestMove {
    /// A message goes out.
    Output {
        /// The sending step.
        step: StepId,
        /// The channel.
        channel: TermId,
        /// The message.
        message: TermId,
    },
    /// A message arrives.
    Deliver {
        /// The sending step.
        from: StepId,
        /// The receiving step.
        to: StepId,
        /// The channel.
        channel: TermId,
        /// The message.
        message: TermId,
    },
    /// An event.
    Event {
        /// The step.
        step: StepId,
        /// Its arguments.
        args: Vec<TermId>,
    },
}

/// How far values keep to the declared types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Types {
    /// A key may be a hash or a ciphertext, data anything put together: the checker warns where it sees that.
    Meant,
    /// As in typed analysis [Sem 4.6].
    Exact,
}

/// What is allowed besides plain deliveries between partners; each is tried only if it does not work without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Leave {
    /// Two parties of one role may hear each other, and what was received may lead to an `else`.
    peers: bool,
    /// A message on an open channel may be heard by several parties, none of them in the sender's role.
    several: bool,
    /// Instances that talk to a spy may take part; they need not finish.
    spied: bool,
}

impl Leave {
    /// From nothing to everything.
    const STEPS: [Leave; 4] = [
        Leave {
            peers: false,
            several: false,
            spied: false,
        },
        Leave {
            peers: true,
            several: false,
            spied: false,
        },
        Leave {
            peers: true,
            several: true,
            spied: false,
        },
        Leave {
            peers: true,
            several: true,
            spied: true,
        },
    ];
}
