//! Experiments: ground tests that tell two systems apart [Sem 5.5].
//!
//! An experiment is a straight test process with a barb at its end: it sends and hears messages, then compares what it
//! has. A system passes if *some* run passes (may testing). It distinguishes two systems if one passes and the other
//! does not. "An action that only one side can do" is an experiment that ends with that action.

use super::Recipe;
use super::recipe::Frame;
use crate::term::{TermId, TermStore};
use std::sync::Arc;

/// One action of the tester.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Probe {
    /// It sends a message, which an input takes.
    Send {
        /// The channel.
        channel: Arc<Recipe>,
        /// The message.
        message: Arc<Recipe>,
    },
    /// It hears a message: the outputs heard are numbered from 0.
    Hear {
        /// The channel.
        channel: Arc<Recipe>,
    },
    /// It lets a phase begin.
    Phase(u8),
}

/// A check of what the tester has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Both can be made and are equal.
    Equal(Arc<Recipe>, Arc<Recipe>),
    /// They are different: both can be made, but for powers of what is no share.
    Different(Arc<Recipe>, Arc<Recipe>),
    /// It can be made: all its destructors succeed.
    Succeeds(Arc<Recipe>),
    /// It can't be made: a destructor fails.
    Fails(Arc<Recipe>),
}

/// One of the two systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum Side {
    Left,
    Right,
}

impl Side {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Side {
        match self {
            Side::Left => Side::Right,
            Side::Right => Side::Left,
        }
    }
}

/// A test that one side passes and the other does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Experiment {
    /// The tester's actions, in order.
    pub actions: Vec<Probe>,
    /// What must hold at the end.
    pub conditions: Vec<Condition>,
    /// The side that passes.
    pub passes: Side,
}

impl Condition {
    pub(crate) fn recipes(&self) -> Vec<&Arc<Recipe>> {
        match self {
            Condition::Equal(r, s) | Condition::Different(r, s) => vec![r, s],
            Condition::Succeeds(r) | Condition::Fails(r) => vec![r],
        }
    }

    /// How many outputs must have been heard before it can be checked.
    pub fn needs(&self) -> usize {
        self.recipes().iter().map(|r| r.needs()).max().unwrap_or(0)
    }

    /// Whether it holds of some initial knowledge and what was heard.
    pub fn holds(&self, store: &TermStore, initial: &[TermId], heard: &[TermId]) -> bool {
        let frame = Frame { initial, heard };
        let make = |r: &Arc<Recipe>| r.make(store, frame);
        match self {
            Condition::Equal(r, s) => make(r).is_some() && make(r) == make(s),
            Condition::Different(r, s) => {
                let there = |r: &Arc<Recipe>| make(r).is_some() || r.lacks_share(store, frame);
                there(r) && there(s) && (make(r).is_none() || make(r) != make(s))
            }
            Condition::Succeeds(r) => make(r).is_some(),
            Condition::Fails(r) => make(r).is_none(),
        }
    }
}

impl Probe {
    pub(crate) fn recipes(&self) -> Vec<&Arc<Recipe>> {
        match self {
            Probe::Send { channel, message } => vec![channel, message],
            Probe::Hear { channel } => vec![channel],
            Probe::Phase(_) => Vec::new(),
        }
    }
}

impl Experiment {
    /// The same without some actions, and without the conditions on what is then no longer heard; `None` if another
    /// action needs what one of them hears.
    pub fn without(&self, dropped: &[usize]) -> Option<Experiment> {
        // The new number of each output.
        let mut numbers: Vec<Option<usize>> = Vec::new();
        let mut heard = 0;
        for (i, action) in self.actions.iter().enumerate() {
            if matches!(action, Probe::Hear { .. }) {
                let stays = !dropped.contains(&i);
                numbers.push(stays.then_some(heard));
                heard += usize::from(stays);
            }
        }
        let number = |k: usize| numbers.get(k).copied().flatten();
        let renumbered = |r: &Arc<Recipe>| r.renumbered(&number);
        let kept = self.actions.iter().enumerate();
        let actions = kept
            .filter(|(i, _)| !dropped.contains(i))
            .map(|(_, action)| {
                Some(match action {
                    Probe::Send { channel, message } => Probe::Send {
                        channel: renumbered(channel)?,
                        message: renumbered(message)?,
                    },
                    Probe::Hear { channel } => Probe::Hear {
                        channel: renumbered(channel)?,
                    },
                    Probe::Phase(number) => Probe::Phase(*number),
                })
            })
            .collect::<Option<Vec<Probe>>>()?;
        let condition = |c: &Condition| {
            Some(match c {
                Condition::Equal(r, s) => Condition::Equal(renumbered(r)?, renumbered(s)?),
                Condition::Different(r, s) => Condition::Different(renumbered(r)?, renumbered(s)?),
                Condition::Succeeds(r) => Condition::Succeeds(renumbered(r)?),
                Condition::Fails(r) => Condition::Fails(renumbered(r)?),
            })
        };
        Some(Experiment {
            actions,
            conditions: self.conditions.iter().filter_map(condition).collect(),
            passes: self.passes,
        })
    }

    /// Whether the tester uses only what it has: proper recipes over outputs heard before.
    pub(super) fn is_proper(&self, store: &TermStore) -> bool {
        let mut heard = 0;
        for action in &self.actions {
            let fine = |r: &&Arc<Recipe>| r.is_proper(store) && r.needs() <= heard;
            if !action.recipes().iter().all(fine) {
                return false;
            }
            heard += usize::from(matches!(action, Probe::Hear { .. }));
        }
        let fine = |r: &&Arc<Recipe>| r.is_proper(store) && r.needs() <= heard;
        self.conditions.iter().all(|c| c.recipes().iter().all(fine))
    }
}
