//! Role by role: systems on shared channels as systems with a channel for each thread [Sem 5.7].
//!
//! Every thread of both systems gets a public channel of its own in the place of each public channel it uses; the threads of the
//! systems are matched, and a thread of the left system shares its new channel
//! with its counterpart in the right one. *If the new systems are equivalent in the private semantics, the old ones are, in either
//! semantics.* Take a run of the left one. Where two threads talk to each other on a public channel, let the
//! environment hear the message and pass it on at once. What results is a run of the new left system, with the new
//! channels, hence of the new right one, where the same threads do the same. Going back to the old channels gives a run of the old
//! right system; and where a message was passed on, the two threads can talk to each other instead: they are different, and
//! nothing happened between, since on private channels nobody talks here. What the environment hears is then less, which
//! leaves it statically equivalent.
//!
//! The converse fails: a thread's part may be taken by another. So only "equivalent" counts; otherwise the systems are
//! explored as they are.
//!
//! The argument is about any matching. Threads of the same shape whose names play the same part come first: then it
//! does not matter in which order the systems were written down. If that is not confirmed they are matched by position.

use super::canon::{is_private, mix};
use crate::knowledge::is_constant;
use crate::process::{Action, StepId, System};
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// Rounds in which threads are told apart by what else their names occur in.
const ROUNDS: usize = 3;

/// For each thread of the right system, the number of its counterpart in the left one, or one beyond.
pub type Matching = Vec<u32>;

/// The ways to match the threads of two systems, the more promising one first.
pub fn matchings(store: &TermStore, left: &System, right: &System) -> Vec<Matching> {
    let [of_left, of_right] = [left, right].map(threads);
    let position: Matching = (0..of_right.len() as u32).collect();
    let [colors, others] = [(left, &of_left), (right, &of_right)]
        .map(|(system, threads)| colored(store, system, threads));
    let mut matching: Vec<Option<u32>> = vec![None; of_right.len()];
    let mut free: Vec<bool> = vec![true; of_left.len()];
    // What tells most comes first.
    for round in (0..=ROUNDS).rev() {
        let mut waiting: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for i in (0..of_left.len()).rev().filter(|i| free[*i]) {
            let waiting = waiting.entry(colors[round][i]).or_default();
            waiting.push(i as u32);
        }
        for (counterpart, color) in matching.iter_mut().zip(&others[round]) {
            if counterpart.is_none()
                && let Some(i) = waiting.get_mut(color).and_then(Vec::pop)
            {
                *counterpart = Some(i);
                free[i as usize] = false;
            }
        }
    }
    let beyond = of_left.len() as u32..;
    let mut rest = (0u32..)
        .zip(&free)
        .filter(|(_, f)| **f)
        .map(|(i, _)| i)
        .chain(beyond);
    let shape: Matching = matching
        .into_iter()
        .filter_map(|m| m.or_else(|| rest.next()))
        .collect();
    if shape == position {
        vec![position]
    } else {
        vec![shape, position]
    }
}

/// The threads that a system starts with.
fn threads(system: &System) -> Vec<StepId> {
    let mut found = Vec::new();
    let mut work = vec![system.root];
    while let Some(step) = work.pop() {
        match &system.step(step).action {
            Action::Nil => {}
            Action::Fork(parts) => work.extend(parts.iter().rev()),
            Action::Event { next, .. } => work.push(*next),
            Action::Output { .. } | Action::Input { .. } | Action::Test { .. } => found.push(step),
        }
    }
    found
}

/// The colours of threads in each round: their shape at first, then also what their restricted names are in other threads.
fn colored(store: &TermStore, system: &System, threads: &[StepId]) -> Vec<Vec<u64>> {
    let shape = |t: &StepId| u64::from(system.step(*t).shape.0);
    let mut rounds: Vec<Vec<u64>> = vec![threads.iter().map(shape).collect()];
    for round in 0..ROUNDS {
        let mut names: FxHashMap<TermId, u64> = FxHashMap::default();
        for (thread, color) in threads.iter().zip(&rounds[round]) {
            for (place, name) in (0..).zip(&system.step(*thread).args) {
                let sum = names.entry(*name).or_insert(0);
                *sum = sum.wrapping_add(mix(*color, place));
            }
        }
        let colors = threads.iter().map(|thread| {
            let args = system.step(*thread).args.iter();
            args.fold(shape(thread), |h, a| match names.get(a) {
                Some(color) if is_private(store, *a) => mix(h, *color),
                _ => mix(h, store.facts(*a).hash),
            })
        });
        rounds.push(colors.collect());
    }
    rounds
}

/// Both systems with a channel for each thread; `None` if one uses something else than public names for channels.
pub fn apart(
    store: &TermStore,
    left: &System,
    right: &System,
    matching: &[u32],
) -> Option<[System; 2]> {
    let position: Matching = (0..threads(left).len() as u32).collect();
    // Places within threads come after those of the threads.
    let first = (position.len() + matching.len()) as u32;
    let mut places = Places {
        first,
        numbers: FxHashMap::default(),
    };
    let mut one = |system: &System, matching: &[u32]| {
        let threads = threads(system);
        let mut system = system.clone();
        let mut work: Vec<(StepId, u32)> = (threads.into_iter())
            .zip(matching.iter().copied())
            .collect();
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
    Some([one(left, &position)?, one(right, matching)?])
}

/// Places in parallel compositions within threads, numbered.
struct Places {
    first: u32,
    numbers: FxHashMap<(u32, usize), u32>,
}

impl Places {
    fn of(&mut self, parent: u32, part: usize) -> u32 {
        let next = self.first + self.numbers.len() as u32;
        *self.numbers.entry((parent, part)).or_insert(next)
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
