//! What states lead to: the part of the exploration that is done in parallel.
//!
//! Where the states are to be shown they are expanded as they were first reached, under their own names; where they are only
//! counted, from their vectors.

use super::form::{Former, Order, Room};
use super::label::{Label, label};
use super::memo::Memo;
use super::options::Options;
use super::quick::Quick;
use super::step::{Mode, successors};
use super::table::{Vectors, hash, owner};
use crate::engine::joint::ask::Setup;
use crate::engine::joint::node::Node;
use crate::engine::joint::trail::Trail;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// States that are to be expanded.
pub enum Waiting<'a> {
    /// They are only counted.
    Stored(Vectors),
    /// They are to be shown, and were first reached like this.
    Shown(&'a [Node]),
}

impl Waiting<'_> {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Stored(vectors) => vectors.len(),
            Self::Shown(nodes) => nodes.len(),
        }
    }

    /// Whose state it is, of so many: states with the same environment are of the same.
    fn owner(&self, state: usize, of: usize) -> usize {
        match self {
            Self::Stored(vectors) => match vectors.get(state) {
                [env, rest, ..] => owner([*env, *rest], of),
                _ => 0,
            },
            Self::Shown(_) => state % of,
        }
    }
}

/// A transition that was found.
pub struct Found {
    /// The hash of the vector of the target, and the length of that.
    pub hash: u32,
    pub width: u32,
    /// Number of transitions that it stands for.
    pub weight: u32,
    /// What is to be shown: the label, the target, the order of its canonical form.
    pub shown: Option<Box<(Label, Node, Order)>>,
}

/// The transitions of some states of a lot, one state after the other.
#[derive(Default)]
pub struct Batch {
    /// The transitions.
    pub found: Vec<Found>,
    /// The states, by their place in the lot, and where the transitions of each end.
    pub ends: Vec<(u32, usize)>,
    /// The vectors of the targets, one after the other.
    pub words: Vec<u32>,
}

impl Batch {
    fn clear(&mut self) {
        self.found.clear();
        self.ends.clear();
        self.words.clear();
    }

    fn push(&mut self, vector: &[u32], weight: u32, shown: Option<Box<(Label, Node, Order)>>) {
        self.words.extend_from_slice(vector);
        self.found.push(Found {
            hash: hash(vector),
            width: vector.len() as u32,
            weight,
            shown,
        });
    }
}

/// Expands states.
pub struct Scout<'a, 'b> {
    setup: &'a Setup<'b>,
    options: &'a Options,
    former: Former<'a>,
    /// Finds transitions where no labels are wanted.
    pub quick: Option<Quick<'a, 'b>>,
    /// One for each worker.
    rooms: Vec<Mutex<Room>>,
    /// Batches that were booked: memory that one worker takes and another gives back makes both wait.
    spare: Mutex<Vec<Batch>>,
}

impl<'a, 'b> Scout<'a, 'b> {
    /// No states yet.
    pub fn new(
        setup: &'a Setup<'b>,
        options: &'a Options,
        former: Former<'a>,
        quick: Option<Quick<'a, 'b>>,
    ) -> Self {
        let workers = 0..rayon::current_num_threads();
        Self {
            setup,
            options,
            former,
            quick,
            rooms: workers.map(|_| Mutex::default()).collect(),
            spare: Mutex::default(),
        }
    }

    /// What is no longer needed when all states are known.
    pub fn end(self) -> Option<Memo> {
        self.quick.map(Quick::into_memo)
    }

    /// Takes back batches that were booked.
    pub fn give_back(&self, mut batches: Vec<Batch>) {
        for batch in &mut batches {
            batch.clear();
        }
        let spare = self.spare.lock();
        spare
            .unwrap_or_else(PoisonError::into_inner)
            .append(&mut batches);
    }

    /// What waiting states of a lot lead to: those of one owner, of so many.
    pub fn expand(
        &self,
        waiting: &Waiting<'_>,
        lot: Range<usize>,
        (owner, of): (usize, usize),
    ) -> Batch {
        let worker = rayon::current_thread_index().unwrap_or(0);
        let room = self.rooms[worker % self.rooms.len()].lock();
        // What a worker that panicked was at is written anew.
        let room = &mut *room.unwrap_or_else(PoisonError::into_inner);
        let spare = self.spare.lock();
        let spare = spare.unwrap_or_else(PoisonError::into_inner).pop();
        let mut batch = spare.unwrap_or_default();
        for (place, state) in (0u32..).zip(lot) {
            if waiting.owner(state, of) != owner {
                continue;
            }
            // What is found after a reason to stop is not used.
            if !self.setup.halt.stopped() {
                self.transitions(room, waiting, state, &mut batch);
            }
            batch.ends.push((place, batch.found.len()));
        }
        batch
    }

    fn transitions(&self, room: &mut Room, waiting: &Waiting<'_>, state: usize, batch: &mut Batch) {
        let node = match waiting {
            Waiting::Shown(nodes) => {
                let mut node = nodes[state].clone();
                let trail = Trail::at(node.lives.len(), node.generics.len());
                node.trail = Some(Box::new(trail));
                node
            }
            Waiting::Stored(vectors) => {
                let vector = vectors.get(state);
                let mut take = |vector: &[u32], weight: u32| batch.push(vector, weight, None);
                let quick = self.quick.as_ref();
                if let Some(()) = quick.and_then(|q| q.transitions(room, vector, &mut take)) {
                    return;
                }
                self.former.codec.decode(vector)
            }
        };
        let mode = Mode {
            symmetry: self.options.symmetry,
            late: self.options.late,
        };
        let all = successors(self.setup, self.former.codec, mode, &node);
        if self.setup.halt.reason().is_some() {
            // What was found is not all, and not used.
            return;
        }
        for s in all {
            let label = self
                .options
                .graph
                .then(|| label(self.setup.store, self.setup.spies, &node, &s));
            self.enter(room, s.node, s.weight, label, batch);
        }
    }

    /// Notes a state that was reached.
    pub fn enter(
        &self,
        room: &mut Room,
        mut node: Node,
        weight: u32,
        label: Option<Label>,
        batch: &mut Batch,
    ) {
        node.trail = None;
        let shown = self.options.graph.then(|| node.clone());
        let (env, threads) = self.former.codec.cut(self.setup, &mut node);
        self.former.form(room, &env, &threads);
        let shown = shown.map(|node| {
            let label = label.unwrap_or(Label::START);
            Box::new((label, node, room.order()))
        });
        batch.push(&room.vector, weight, shown);
    }
}
