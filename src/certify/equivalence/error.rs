//! Why a certificate of an equivalence is rejected.

use super::certificate::Event;
use std::fmt;

/// Why a certificate is rejected. Sides, facts and places are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquivalenceError {
    /// The systems have something that such certificates are not about: phases, groups, destructors, channels that are no public names.
    NotExpressed,
    /// Something in the certificate is none: a thread, a bundle, a run that can't be done.
    Malformed,
    /// Two processes that can be active together have a thread in common.
    NotDeterminate {
        /// On this side.
        side: usize,
    },
    /// Two bundles of a class can't be exchanged.
    Exchange {
        /// The bundle.
        bundle: usize,
    },
    /// A side can't do a run that is said to be its own.
    Run {
        /// The side.
        side: usize,
    },
    /// A thread gets to an action in a way that no place contains.
    Place {
        /// The side.
        side: usize,
        /// The thread and the number of the action.
        event: Event,
    },
    /// The environment computes a term that it makes in no way that the facts tell.
    Fact {
        /// The side.
        side: usize,
    },
    /// The other side does not see what a side sees.
    Look {
        /// The side that sees it.
        side: usize,
    },
    /// What is compared grows too large, or too many branches are to be taken: nothing is known.
    GaveUp,
    /// The check was to be stopped: nothing is known.
    Stopped,
}

impl fmt::Display for EquivalenceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = |s: &usize| if *s == 0 { "left" } else { "right" };
        match self {
            EquivalenceError::NotExpressed => write!(f, "such systems have no certificates"),
            EquivalenceError::Malformed => write!(f, "it is malformed"),
            EquivalenceError::NotDeterminate { side: s } => {
                write!(
                    f,
                    "two processes of the {} system have a thread in common",
                    side(s)
                )
            }
            EquivalenceError::Exchange { bundle } => {
                write!(f, "bundle {bundle} can't take the place of one before it")
            }
            EquivalenceError::Run { side: s } => {
                write!(f, "the {} system can't do a run", side(s))
            }
            EquivalenceError::Place {
                side: s,
                event: (thread, at),
            } => write!(
                f,
                "in the {} system no place says how thread {thread} gets to action {at}",
                side(s)
            ),
            EquivalenceError::Fact { side: s } => {
                write!(
                    f,
                    "in the {} system a term is computed that no fact tells",
                    side(s)
                )
            }
            EquivalenceError::Look { side: s } => {
                write!(
                    f,
                    "what the {} system shows the other one does not",
                    side(s)
                )
            }
            EquivalenceError::GaveUp => write!(f, "what is compared grows too large"),
            EquivalenceError::Stopped => write!(f, "the check was stopped"),
        }
    }
}

impl std::error::Error for EquivalenceError {}
