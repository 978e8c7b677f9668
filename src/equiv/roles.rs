//! Role by role: systems on shared channels as systems with a channel for each thread [Sem 5.7].
//!
//! Every thread of both systems gets a public channel of its own in the place of each public channel it uses; threads are
//! told apart by where they stand in the parallel compositions, so the first thread of the left system shares its new channel
//! with the first of the right one. *If the new systems are equivalent in the private semantics, the old ones are, in either
//! semantics.* Take a run of the left one. Where two threads talk to each other on a public channel, let the
//! environment hear the message and pass it on at once. What results is a run of the new left system, with the new
//! channels, hence of the new right one, where the same threads do the same. Going back to the old channels gives a run of the old
//! right system; and where a message was passed on, the two threads can talk to each other instead: they are different, and
//! nothing happened between, since on private channels nobody talks here. What the environment hears is then less, which
//! leaves it statically equivalent.
//!
//! The converse fails: a thread's part may be taken by another. So only "equivalent" counts; otherwise the systems are
//! explored as they are.

use crate::knowledge::is_constant;
use crate::process::{Action, StepId, System};
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// Both systems with a channel for each thread; `None` if one uses something else than public names for channels.
pub fn apart(store: &TermStore, left: &System, right: &System) -> Option<[System; 2]> {
    let mut places = Places::default();
    let mut one = |system: &System| {
        let mut system = system.clone();
        let mut work: Vec<(StepId, u32)> = vec![(system.root, 0)];
        while let Some((step, place)) = work.pop() {
            match &mut system.steps[step.index()].action {
                Action::Nil => {}
                Action::Fork(parts) => {
                    for (i, part) in parts.iter().enumerate() {
                        work.push((*part, places.of(place, i)));
                    }
                }
                Action::Output { channel, next, .. } | Action::Input { channel, next, .. } => {
                    *channel = own_channel(store, *channel, place)?;
                    work.push((*next, place));
                }
                Action::Test {
                    then, otherwise, ..
                } => work.extend([(*then, place), (*otherwise, place)]),
                Action::Event { next, .. } => work.push((*next, place)),
            }
        }
        Some(system)
    };
    Some([one(left)?, one(right)?])
}

/// Places in parallel compositions, numbered.
#[derive(Default)]
struct Places(FxHashMap<(u32, usize), u32>);

impl Places {
    fn of(&mut self, parent: u32, part: usize) -> u32 {
        let next = self.0.len() as u32 + 1;
        *self.0.entry((parent, part)).or_insert(next)
    }
}

/// The channel of a thread instead of a public one.
fn own_channel(store: &TermStore, channel: TermId, place: u32) -> Option<TermId> {
    match store.view(channel) {
        View::Name(n) if is_constant(store, channel) => {
            let label = format!("{}·", store.name_info(n).label);
            Some(store.name(NameClass::Public, &label, place))
        }
        _ => None,
    }
}
