//! The visited states, numbered in order, with their transitions and the statistics.
//!
//! Workers find states in any order. One worker at a time records them here, in the order in which
//! a single worker would have met them. So nothing that is recorded depends on the number of
//! workers.

use super::canonical_form::Order;
use super::expand::{Batch, Found};
use super::graph::{Edge, Vertex};
use super::options::{Options, Stats};
use super::table::{StateId, Table};
use super::trees::Transitions;
use crate::base::limits::StopReason;
use crate::engine::joint::node::Node;
use std::ops::Range;

/// A state that is to be shown, with the order of its canonical form.
struct Shown {
    vertex: Vertex,
    order: Order,
}

/// The states and transitions so far.
pub(super) struct Visited {
    /// Keep the states and the labels.
    graph: bool,
    /// Equal states are one.
    shares: bool,
    /// The limit on states.
    limit: Option<u64>,
    /// The vectors of the states, where equal ones are one.
    pub table: Table,
    /// The transitions.
    pub transitions: Transitions,
    shown: Vec<Shown>,
    /// The next state whose transitions are to be recorded.
    due: usize,
    /// The first state of the next layer, and the states of that if they are to be shown.
    first: usize,
    nodes: Vec<Node>,
    /// The statistics.
    pub stats: Stats,
}

impl Visited {
    /// No states yet.
    pub(super) fn new(options: &Options) -> Self {
        Self {
            graph: options.graph,
            shares: options.sharing || !options.graph,
            limit: options.limits.states,
            table: Table::default(),
            transitions: Transitions::default(),
            shown: Vec::new(),
            due: 0,
            first: 0,
            nodes: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// The states that are to be shown.
    pub(super) fn into_vertices(self) -> impl Iterator<Item = Vertex> {
        self.shown.into_iter().map(|s| s.vertex)
    }

    /// The number of states that the next layer has so far.
    pub(super) fn waiting(&self) -> usize {
        self.stats.states as usize - self.first
    }

    /// The next layer, which is complete, and its states if they are to be shown. Another layer
    /// begins.
    pub(super) fn layer(&mut self) -> (Range<usize>, Vec<Node>) {
        let layer = self.first..self.stats.states as usize;
        self.first = layer.end;
        (layer, std::mem::take(&mut self.nodes))
    }

    /// Records the initial state.
    pub(super) fn record_initial(&mut self, batch: Batch) {
        for found in batch.found {
            self.number(found, &batch.words, 0);
        }
    }

    /// Records the transitions of the next states. They lead to states of the given depth, or to
    /// known ones. Ends early at the limit on states.
    pub(super) fn record(&mut self, batches: &mut [Batch], depth: u32) -> Option<StopReason> {
        let parts = batches.iter_mut().map(|batch| {
            let rows = batch.ends.drain(..).peekable();
            (rows, batch.found.drain(..), &batch.words, (0, 0))
        });
        let mut parts: Vec<_> = parts.collect();
        // Each state of the chunk is in one of the batches.
        for place in 0.. {
            let next = parts.iter_mut().find_map(|(rows, found, words, done)| {
                let (_, end) = rows.next_if(|(next, _)| *next == place)?;
                Some((end, found, words, done))
            });
            let Some((end, found, words, (start, read))) = next else {
                break;
            };
            let mut rest = &words[*read..];
            if let Some(reason) = self.full(&found.as_slice()[..end - *start], rest) {
                return Some(reason);
            }
            self.row(found.take(end - *start), &mut rest, depth);
            (*start, *read) = (end, words.len() - rest.len());
        }
        None
    }

    /// The limit on states, if storing what a state leads to would pass it.
    fn full(&self, found: &[Found], mut words: &[u32]) -> Option<StopReason> {
        let limit = self.limit?;
        if self.stats.states + found.len() as u64 <= limit {
            return None;
        }
        let vectors = found.iter().map(|f| (f.hash, cut(&mut words, f.width)));
        let mut new: Vec<(u32, &[u32])> = vectors.collect();
        if self.shares {
            new.retain(|(hash, vector)| !self.table.has(*hash, vector));
            new.sort_unstable();
            new.dedup();
        }
        let more = new.len() as u64;
        (more > 0 && self.stats.states + more > limit).then_some(StopReason::States(limit))
    }

    /// Records the transitions of the next state.
    fn row(&mut self, found: impl Iterator<Item = Found>, words: &mut &[u32], depth: u32) {
        let before = self.stats.transitions;
        let mut edges = Vec::new();
        for f in found {
            let weight = f.weight;
            self.stats.transitions += 1;
            self.stats.pruned += u64::from(weight) - 1;
            let vector = cut(words, f.width);
            let (target, edge) = self.number(f, vector, depth);
            self.transitions.push(target, weight);
            edges.extend(edge);
        }
        self.stats.ends += u64::from(self.stats.transitions == before);
        self.transitions.end_row();
        if let Some(shown) = self.shown.get_mut(self.due) {
            shown.vertex.edges = Some(edges);
        }
        self.due += 1;
    }

    /// Gives a state its number. Returns also the transition that leads there, if it is to be
    /// shown.
    fn number(&mut self, found: Found, vector: &[u32], depth: u32) -> (StateId, Option<Edge>) {
        let fresh = self.stats.states as StateId;
        let id = if self.shares {
            self.table.number(found.hash, vector)
        } else {
            fresh
        };
        let new = id == fresh;
        if new {
            self.stats.states += 1;
            self.stats.depth = self.stats.depth.max(depth);
            if !self.graph {
                self.stats.bytes += size_of_val(vector) as u64;
            }
        } else {
            self.stats.matched += 1;
        }
        let edge = found.shown.map(|shown| {
            let (label, node, order) = *shown;
            let mut renaming = None;
            if new {
                self.nodes.push(node.clone());
                self.shown.push(Shown {
                    vertex: Vertex {
                        node,
                        depth,
                        edges: None,
                    },
                    order,
                });
            } else if let Some(target) = self.shown.get(id as usize) {
                renaming = target.order.renaming(&order);
            }
            Edge {
                label,
                target: id,
                weight: found.weight,
                renaming,
            }
        });
        self.stats.widest = self.stats.widest.max(self.waiting() as u64);
        (id, edge)
    }
}

/// The first vector of several, one after the other.
fn cut<'a>(words: &mut &'a [u32], width: u32) -> &'a [u32] {
    let (vector, rest) = words.split_at(width as usize);
    *words = rest;
    vector
}
