//! Role by role: systems on shared channels as systems with channels for each process [Sem 5.7].
//!
//! Every process of both systems, until it ends or splits, gets a public channel of its own in the place of each public channel it
//! uses. The processes of the systems are matched, at the beginning and wherever matched processes split, and a process of the
//! left system shares its new channels with its counterpart in the right one. *If the new systems are equivalent in the private
//! semantics, and no two processes that can be active together have a channel in common, the old ones are equivalent, in either
//! semantics.* Take a run of the left one. Where two processes talk to each other on a public channel, let the
//! environment hear the message and pass it on at once. What results is a run of the new left system, with the new
//! channels, hence of the new right one. Going back to the old channels gives a run of the old
//! right system; and where a message was passed on, two processes of it can talk to each other instead. For in the new left system
//! the input was offered before the message was heard, so it was in the new right one, which has only one way to follow the run:
//! by a process that was there already, and not by the one that sent the message, which offered something else. In between
//! nothing happened, since on private channels nobody talks here. What the environment hears is then less, which
//! leaves it statically equivalent. That no two such processes share a channel is looked at by whoever decides
//! about the new systems (`cones`, `joint::compress`).
//!
//! The converse fails: a process's part may be taken by another. So only "equivalent" counts. What tells the new systems apart is a
//! candidate for a test of the old ones ([`Apart::as_they_are`]): it is tried on them before they are explored at length.
//!
//! The argument is about any matching. Processes of the same shape whose names play the same part come first: then it
//! does not matter in which order the systems were written down. If that is not confirmed they are matched by position.

use crate::attacker::knowledge::is_constant;
use crate::certify::{Probe, Recipe};
use crate::engine::joint::Distinction;
use crate::engine::joint::private_form::{is_private, mix};
use crate::process::{Action, StepId, System};
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Rounds in which threads are told apart by what else their names occur in.
const ROUNDS: usize = 3;

/// Both systems with channels for each process.
pub(super) struct Apart {
    pub systems: [System; 2],
    /// In the place of which channel each new one stands.
    channels: FxHashMap<TermId, TermId>,
}

impl Apart {
    /// A test of these systems as one of the systems as they are: it may tell them apart, or not.
    pub(super) fn as_they_are(&self, mut test: Distinction) -> Distinction {
        for action in &mut test.experiment.actions {
            let (Probe::Send { channel, .. } | Probe::Hear { channel }) = action else {
                continue;
            };
            if let Recipe::Constant(new) = &**channel
                && let Some(old) = self.channels.get(new)
            {
                *channel = Arc::new(Recipe::Constant(*old));
            }
        }
        test
    }
}

/// How the processes of two parallel compositions are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// By what they do with which names.
    Shape,
    Position,
}

/// Both systems with channels for each process, one pair for each way to match the processes, the more promising one first. None if
/// something else than public names is used for channels.
pub(super) fn apart(store: &TermStore, left: &System, right: &System) -> Vec<Apart> {
    let mut pairs = Vec::new();
    let mut moved = true;
    for by in [By::Shape, By::Position] {
        if moved {
            let mut division = Division::new(store, left, right, by);
            let divided = division.divide();
            moved = division.moved;
            let Division {
                apart, channels, ..
            } = division;
            pairs.extend(divided.then_some(Apart {
                systems: apart,
                channels,
            }));
        }
    }
    pairs
}

/// The processes that a step stands for.
fn processes(system: &System, step: StepId) -> Vec<StepId> {
    let mut found = Vec::new();
    let mut work = vec![step];
    while let Some(step) = work.pop() {
        match &system.step(step).action {
            Action::Nil => {}
            Action::Fork(parts) => work.extend(parts.iter().rev()),
            Action::Event { next, .. } => work.push(*next),
            Action::Output { .. }
            | Action::Input { .. }
            | Action::Test { .. }
            | Action::Phase { .. } => found.push(step),
        }
    }
    found
}

/// The colours of processes in each round: their shape at first, then also what their restricted names are in other processes.
fn colored(store: &TermStore, system: &System, processes: &[StepId]) -> Vec<Vec<u64>> {
    let shape = |t: &StepId| u64::from(system.step(*t).shape.0);
    let unknown = |t: TermId| is_private(store, t) || matches!(store.view(t), View::Var(_));
    let mut rounds: Vec<Vec<u64>> = vec![processes.iter().map(shape).collect()];
    for round in 0..ROUNDS {
        let mut names: FxHashMap<TermId, u64> = FxHashMap::default();
        for (process, color) in processes.iter().zip(&rounds[round]) {
            for (place, name) in (0..).zip(&system.step(*process).args) {
                let sum = names.entry(*name).or_insert(0);
                *sum = sum.wrapping_add(mix(*color, place));
            }
        }
        let colors = processes.iter().map(|process| {
            let args = system.step(*process).args.iter();
            args.fold(shape(process), |h, a| match names.get(a) {
                Some(color) if unknown(*a) => mix(h, *color),
                _ => mix(h, store.facts(*a).hash),
            })
        });
        rounds.push(colors.collect());
    }
    rounds
}

/// Steps of both sides that are matched.
type Pair = [Option<StepId>; 2];

/// Gives every process its place.
struct Division<'a> {
    store: &'a TermStore,
    systems: [&'a System; 2],
    by: By,
    /// The systems with the new channels.
    apart: [System; 2],
    /// The places by the place that split and the number of the part.
    places: FxHashMap<(u32, usize), u32>,
    /// In the place of which channel each new one stands.
    channels: FxHashMap<TermId, TermId>,
    /// Matching by shape was not matching by position.
    moved: bool,
}

impl<'a> Division<'a> {
    fn new(store: &'a TermStore, left: &'a System, right: &'a System, by: By) -> Self {
        Self {
            store,
            systems: [left, right],
            by,
            apart: [left.clone(), right.clone()],
            places: FxHashMap::default(),
            channels: FxHashMap::default(),
            moved: false,
        }
    }

    /// Gives every process its place and channels; whether all channels were public names.
    fn divide(&mut self) -> bool {
        let all = [0, 1].map(|side| processes(self.systems[side], self.systems[side].root));
        let mut work: Vec<(Pair, u32)> = Vec::new();
        self.split(u32::MAX, &all, &mut work);
        while let Some((pair, place)) = work.pop() {
            if self.step(pair, place, &mut work).is_none() {
                return false;
            }
        }
        true
    }

    /// The place of a part of what a place splits into.
    fn part(&mut self, place: u32, part: usize) -> u32 {
        let next = self.places.len() as u32;
        *self.places.entry((place, part)).or_insert(next)
    }

    fn split(&mut self, place: u32, parts: &[Vec<StepId>; 2], work: &mut Vec<(Pair, u32)>) {
        let pairs = self.matched(parts);
        for (i, pair) in pairs.into_iter().enumerate() {
            work.push((pair, self.part(place, i)));
        }
    }

    /// Goes one step with a pair at a place; `None` if a channel is no public name.
    fn step(&mut self, pair: Pair, place: u32, work: &mut Vec<(Pair, u32)>) -> Option<()> {
        let all = [0, 1].map(|side| {
            let found = pair[side].map(|step| processes(self.systems[side], step));
            found.unwrap_or_default()
        });
        if all.iter().any(|parts| parts.len() > 1) {
            // A process that goes on as it is stays where it is.
            let [left, right] = &all;
            match (&left[..], &right[..]) {
                ([one], _) => {
                    work.push(([Some(*one), None], place));
                    self.split(place, &[Vec::new(), right.clone()], work);
                }
                (_, [one]) => {
                    work.push(([None, Some(*one)], place));
                    self.split(place, &[left.clone(), Vec::new()], work);
                }
                _ => self.split(place, &all, work),
            }
            return Some(());
        }
        // Nothing, one way to go on, or two.
        let mut ways: [Vec<StepId>; 2] = Default::default();
        for side in [0, 1] {
            let Some(step) = all[side].first() else {
                continue;
            };
            match &mut self.apart[side].steps[step.index()].action {
                Action::Output { channel, next, .. } | Action::Input { channel, next, .. } => {
                    let new = own_channel(self.store, *channel, place)?;
                    self.channels.insert(new, *channel);
                    *channel = new;
                    ways[side] = vec![*next];
                }
                Action::Test {
                    then, otherwise, ..
                } => ways[side] = vec![*then, *otherwise],
                // Systems with phases are not compared.
                Action::Phase { .. } => return None,
                Action::Nil | Action::Fork(_) | Action::Event { .. } => {}
            }
        }
        for i in 0..2 {
            let pair = [0, 1].map(|side| ways[side].get(i).copied());
            if pair != [None, None] {
                work.push((pair, place));
            }
        }
        Some(())
    }

    /// The processes of two parallel compositions in pairs.
    fn matched(&mut self, parts: &[Vec<StepId>; 2]) -> Vec<Pair> {
        let [left, right] = parts;
        let counterparts = match self.by {
            By::Shape => self.by_shape(left, right),
            By::Position => (0..right.len()).map(Some).collect(),
        };
        let mut free = vec![true; left.len() + right.len()];
        for i in counterparts.iter().flatten() {
            free[*i] = false;
        }
        let mut rest = (0..free.len()).filter(|i| free[*i]);
        let mut pairs: Vec<Pair> = left.iter().map(|l| [Some(*l), None]).collect();
        for (j, (r, counterpart)) in right.iter().zip(counterparts).enumerate() {
            let Some(i) = counterpart.or_else(|| rest.next()) else {
                continue;
            };
            self.moved |= i != j;
            pairs.resize(pairs.len().max(i + 1), [None, None]);
            pairs[i][1] = Some(*r);
        }
        pairs
    }

    /// For each process on the right the number of one on the left that does the same, as far as there is one.
    fn by_shape(&self, left: &[StepId], right: &[StepId]) -> Vec<Option<usize>> {
        let colors = colored(self.store, self.systems[0], left);
        let others = colored(self.store, self.systems[1], right);
        let mut found: Vec<Option<usize>> = vec![None; right.len()];
        let mut free: Vec<bool> = vec![true; left.len()];
        // What tells most comes first.
        for round in (0..=ROUNDS).rev() {
            let mut waiting: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
            for i in (0..left.len()).rev().filter(|i| free[*i]) {
                waiting.entry(colors[round][i]).or_default().push(i);
            }
            for (counterpart, color) in found.iter_mut().zip(&others[round]) {
                if counterpart.is_none()
                    && let Some(i) = waiting.get_mut(color).and_then(Vec::pop)
                {
                    *counterpart = Some(i);
                    free[i] = false;
                }
            }
        }
        found
    }
}

/// The channel of a place instead of a public one.
fn own_channel(store: &TermStore, channel: TermId, place: u32) -> Option<TermId> {
    match store.view(channel) {
        View::Name(n) if is_constant(store, channel) => {
            let label = format!("{}·", store.name_info(n).label);
            Some(store.name(NameClass::Public, &label, place))
        }
        _ => None,
    }
}
