//! Expanding states: the part of the exploration that runs in parallel.
//!
//! States that are to be shown are expanded as they were first reached, with their own names.
//! States that are only counted are expanded from their vectors.

use super::canonical_form::{Canonicaliser, Order, Scratch};
use super::label::{Label, label};
use super::memo::Memo;
use super::memoised::Memoised;
use super::options::Options;
use super::successors::{Mode, successors};
use super::table::{Vectors, hash, owner};
use crate::engine::joint::node::Node;
use crate::engine::joint::setup::Setup;
use crate::engine::joint::trail::Trail;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// States to expand.
pub(super) enum Frontier<'a> {
    /// Only to be counted.
    Stored(Vectors),
    /// To be shown, as they were first reached.
    Shown(&'a [Node]),
}

impl Frontier<'_> {
    /// The number of states.
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Stored(vectors) => vectors.len(),
            Self::Shown(nodes) => nodes.len(),
        }
    }

    /// Which of the workers expands a state. That depends on the environment only.
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
pub(super) struct Found {
    /// The hash of the vector of the target, and the length of that.
    pub hash: u32,
    pub width: u32,
    /// The number of transitions that it stands for.
    pub weight: u32,
    /// What is to be shown: the label, the target, the order of its canonical form.
    pub shown: Option<Box<(Label, Node, Order)>>,
}

/// The transitions of some states of a chunk, one state after the other.
#[derive(Default)]
pub(super) struct Batch {
    /// The transitions.
    pub found: Vec<Found>,
    /// The states, by their place in the chunk, and where the transitions of each end.
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
pub(super) struct Expander<'a, 'b> {
    setup: &'a Setup<'b>,
    options: &'a Options,
    canonicaliser: Canonicaliser<'a>,
    /// Finds transitions where no labels are wanted.
    pub memoised: Option<Memoised<'a, 'b>>,
    /// Scratch buffers, one for each worker.
    scratches: Vec<Mutex<Scratch>>,
    /// Recorded batches, used again: if one worker allocates memory and another frees it, both
    /// wait.
    spare: Mutex<Vec<Batch>>,
}

impl<'a, 'b> Expander<'a, 'b> {
    /// An expander with empty scratch buffers.
    pub(super) fn new(
        setup: &'a Setup<'b>,
        options: &'a Options,
        canonicaliser: Canonicaliser<'a>,
        memoised: Option<Memoised<'a, 'b>>,
    ) -> Self {
        let workers = 0..rayon::current_num_threads();
        Self {
            setup,
            options,
            canonicaliser,
            memoised,
            scratches: workers.map(|_| Mutex::default()).collect(),
            spare: Mutex::default(),
        }
    }

    /// Ends the exploration. Returns the memoised steps, which are slow to free.
    pub(super) fn end(self) -> Option<Memo> {
        self.memoised.map(Memoised::into_memo)
    }

    /// Takes recorded batches back.
    pub(super) fn give_back(&self, mut batches: Vec<Batch>) {
        for batch in &mut batches {
            batch.clear();
        }
        let spare = self.spare.lock();
        spare
            .unwrap_or_else(PoisonError::into_inner)
            .append(&mut batches);
    }

    /// Expands the states of a chunk that belong to one of the workers.
    pub(super) fn expand(
        &self,
        frontier: &Frontier<'_>,
        chunk: Range<usize>,
        (owner, of): (usize, usize),
    ) -> Batch {
        let worker = rayon::current_thread_index().unwrap_or(0);
        let scratch = self.scratches[worker % self.scratches.len()].lock();
        // After a panic the buffers are still good: they are cleared for every state.
        let scratch = &mut *scratch.unwrap_or_else(PoisonError::into_inner);
        let spare = self.spare.lock();
        let spare = spare.unwrap_or_else(PoisonError::into_inner).pop();
        let mut batch = spare.unwrap_or_default();
        for (place, state) in (0u32..).zip(chunk) {
            if frontier.owner(state, of) != owner {
                continue;
            }
            // After a reason to stop the results are not used.
            if !self.setup.halt.stopped() {
                self.transitions(scratch, frontier, state, &mut batch);
            }
            batch.ends.push((place, batch.found.len()));
        }
        batch
    }

    fn transitions(
        &self,
        scratch: &mut Scratch,
        frontier: &Frontier<'_>,
        state: usize,
        batch: &mut Batch,
    ) {
        let node = match frontier {
            Frontier::Shown(nodes) => {
                let mut node = nodes[state].clone();
                let trail = Trail::at(node.lives.len(), node.generics.len());
                node.trail = Some(Box::new(trail));
                node
            }
            Frontier::Stored(vectors) => {
                let vector = vectors.get(state);
                let mut take = |vector: &[u32], weight: u32| batch.push(vector, weight, None);
                let memoised = self.memoised.as_ref();
                if let Some(()) = memoised.and_then(|m| m.transitions(scratch, vector, &mut take)) {
                    return;
                }
                self.canonicaliser.codec.decode(vector)
            }
        };
        let mode = Mode {
            symmetry: self.options.symmetry,
            late: self.options.late,
        };
        let all = successors(self.setup, self.canonicaliser.codec, mode, &node);
        if self.setup.halt.reason().is_some() {
            // The list is incomplete and not used.
            return;
        }
        for s in all {
            let label = self
                .options
                .graph
                .then(|| label(self.setup.store, self.setup.spies, &node, &s));
            self.add(scratch, s.node, s.weight, label, batch);
        }
    }

    /// Adds a state that was reached to the batch.
    pub(super) fn add(
        &self,
        scratch: &mut Scratch,
        mut node: Node,
        weight: u32,
        label: Option<Label>,
        batch: &mut Batch,
    ) {
        node.trail = None;
        let shown = self.options.graph.then(|| node.clone());
        let (env, threads) = self.canonicaliser.codec.cut(self.setup, &mut node);
        self.canonicaliser.form(scratch, &env, &threads);
        let shown = shown.map(|node| {
            let label = label.unwrap_or(Label::START);
            Box::new((label, node, scratch.order()))
        });
        batch.push(&scratch.vector, weight, shown);
    }
}
