//! What states lead to: the part of the exploration that is done in parallel.
//!
//! States are taken a few at a time, and whoever has nothing to do takes the next few. Where the states are to be shown they
//! are expanded as they were first reached, under their own names; where they are only counted, from their vectors.

use super::form::{Former, Order, Room};
use super::label::{Label, label};
use super::memo::Memo;
use super::options::Options;
use super::quick::Quick;
use super::step::{Mode, Successor, successors};
use super::table::{Handle, Table};
use crate::equiv::ask::Setup;
use crate::equiv::node::Node;
use crate::equiv::trail::Trail;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// States that are taken at a time. If there are many, others wait for the last; if there are few, sharing out costs more.
const FEW: usize = 16;

/// A state that waits to be expanded.
pub enum Waiting {
    /// Its vector is stored here.
    Stored(Handle),
    /// It is to be shown, and was first reached like this.
    Shown(Box<Node>),
}

/// A transition that was found.
pub struct Found {
    /// Where the target is stored; `None` if each is a state of its own.
    pub handle: Option<Handle>,
    /// The length of its vector.
    pub width: u32,
    /// Number of transitions that it stands for.
    pub weight: u32,
    /// What is to be shown: the label, the target, the order of its canonical form.
    pub shown: Option<Box<(Label, Node, Order)>>,
}

/// The transitions of some states, one state after the other.
#[derive(Default)]
pub struct Batch {
    /// The transitions.
    pub found: Vec<Found>,
    /// Where those of each state end.
    pub ends: Vec<usize>,
}

/// Expands states.
pub struct Scout<'a, 'b> {
    setup: &'a Setup<'b>,
    options: &'a Options,
    former: Former<'a>,
    table: Table,
    /// Finds transitions where no labels are wanted.
    pub quick: Option<Quick<'a, 'b>>,
    /// One for each worker.
    rooms: Vec<Mutex<Room>>,
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
            table: Table::default(),
            quick,
            rooms: workers.map(|_| Mutex::default()).collect(),
        }
    }

    /// What is no longer needed when all states are known.
    pub fn end(self) -> (Table, Option<Memo>) {
        (self.table, self.quick.map(Quick::into_memo))
    }

    /// What some states lead to, in their order.
    pub fn expand(&self, states: &[Waiting]) -> Vec<Batch> {
        let batches = states.par_chunks(FEW).with_max_len(1);
        batches.map(|few| self.batch(few)).collect()
    }

    fn batch(&self, states: &[Waiting]) -> Batch {
        let worker = rayon::current_thread_index().unwrap_or(0);
        let room = self.rooms[worker % self.rooms.len()].lock();
        // What a worker that panicked was at is written anew.
        let room = &mut *room.unwrap_or_else(PoisonError::into_inner);
        let mut batch = Batch {
            found: Vec::with_capacity(4 * states.len()),
            ends: Vec::with_capacity(states.len()),
        };
        for state in states {
            // What is found after a reason to stop is not used.
            if !self.setup.halt.stopped() {
                self.transitions(room, state, &mut batch.found);
            }
            batch.ends.push(batch.found.len());
        }
        batch
    }

    fn transitions(&self, room: &mut Room, state: &Waiting, found: &mut Vec<Found>) {
        let node = match state {
            Waiting::Shown(node) => {
                let mut node = Node::clone(node);
                let trail = Trail::at(node.lives.len(), node.generics.len());
                node.trail = Some(Box::new(trail));
                node
            }
            Waiting::Stored(handle) => {
                let vector = self.table.vector(*handle);
                let mut take = |vector: &[u32], weight: u32| {
                    found.push(Found {
                        handle: Some(self.table.insert(vector)),
                        width: vector.len() as u32,
                        weight,
                        shown: None,
                    });
                };
                let quick = self.quick.as_ref();
                if let Some(()) = quick.and_then(|q| q.transitions(room, &vector, &mut take)) {
                    return;
                }
                self.former.codec.decode(&vector)
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
        let enter = |s: Successor| {
            let label = self
                .options
                .graph
                .then(|| label(self.setup.store, self.setup.spies, &node, &s));
            self.enter(room, s.node, s.weight, label)
        };
        found.extend(all.into_iter().map(enter));
    }

    /// Stores a state that was reached.
    pub fn enter(
        &self,
        room: &mut Room,
        mut node: Node,
        weight: u32,
        label: Option<Label>,
    ) -> Found {
        node.trail = None;
        let shown = self.options.graph.then(|| node.clone());
        let (env, threads) = self.former.codec.cut(self.setup, &mut node);
        self.former.form(room, &env, &threads);
        let shares = self.options.sharing || !self.options.graph;
        Found {
            handle: shares.then(|| self.table.insert(&room.vector)),
            width: room.vector.len() as u32,
            weight,
            shown: shown.map(|node| {
                let label = label.unwrap_or(Label::START);
                Box::new((label, node, room.order()))
            }),
        }
    }
}
