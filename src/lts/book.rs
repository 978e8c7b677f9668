//! What was found, booked in order: numbers of states, figures, transitions.
//!
//! Workers store states in any order; here they get their numbers, in the order in which one worker would have met them.
//! So nothing that is booked depends on the number of workers.

use super::expand::{Batch, Found, Waiting};
use super::form::Order;
use super::graph::{Edge, Skeleton, Vertex};
use super::options::{Options, Stats};
use super::table::{Handle, Numbers, StateId};
use crate::equiv::StopReason;

/// A state that is to be shown, with the order of its canonical form.
struct Shown {
    vertex: Vertex,
    order: Order,
}

/// The states and transitions so far.
pub struct Book {
    /// Keep the states and the labels.
    graph: bool,
    /// The limit on states.
    limit: Option<u64>,
    numbers: Numbers,
    /// The transitions.
    pub skeleton: Skeleton,
    shown: Vec<Shown>,
    /// The next state whose transitions are to be booked.
    due: usize,
    /// The states of the next layer.
    pub next: Vec<Waiting>,
    /// The figures.
    pub stats: Stats,
}

impl Book {
    /// No states yet.
    pub fn new(options: &Options) -> Self {
        Self {
            graph: options.graph,
            limit: options.limits.nodes,
            numbers: Numbers::default(),
            skeleton: Skeleton::default(),
            shown: Vec::new(),
            due: 0,
            next: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// The states that are to be shown.
    pub fn into_vertices(self) -> impl Iterator<Item = Vertex> {
        self.shown.into_iter().map(|s| s.vertex)
    }

    /// Books the transitions of the states that are due; they lead to states of the given depth, or to known ones. Ends
    /// early at the limit on states.
    pub fn enter(&mut self, batches: Vec<Batch>, depth: u32) -> Option<StopReason> {
        for batch in batches {
            let mut found = batch.found.into_iter();
            let mut start = 0;
            for end in batch.ends {
                if let Some(reason) = self.full(&found.as_slice()[..end - start]) {
                    return Some(reason);
                }
                self.row(found.by_ref().take(end - start), depth);
                start = end;
            }
        }
        None
    }

    /// The limit on states, if storing what a state leads to would pass it.
    fn full(&self, found: &[Found]) -> Option<StopReason> {
        let limit = self.limit?;
        let alone = found.iter().filter(|f| f.handle.is_none()).count();
        let mut new: Vec<Handle> = found.iter().filter_map(|f| f.handle).collect();
        new.retain(|h| !self.numbers.has(*h));
        new.sort_unstable();
        new.dedup();
        let more = (alone + new.len()) as u64;
        (more > 0 && self.stats.states + more > limit).then_some(StopReason::Nodes(limit))
    }

    /// Books the transitions of the state that is due.
    fn row(&mut self, found: impl Iterator<Item = Found>, depth: u32) {
        let before = self.stats.transitions;
        let mut edges = Vec::new();
        for f in found {
            let weight = f.weight;
            self.stats.transitions += 1;
            self.stats.pruned += u64::from(weight) - 1;
            let (target, edge) = self.number(f, depth);
            self.skeleton.push(target, weight);
            edges.extend(edge);
        }
        self.stats.ends += u64::from(self.stats.transitions == before);
        self.skeleton.end_row();
        if let Some(shown) = self.shown.get_mut(self.due) {
            shown.vertex.edges = Some(edges);
        }
        self.due += 1;
    }

    /// Gives a state its number, and tells how to show the transition that leads there.
    pub fn number(&mut self, found: Found, depth: u32) -> (StateId, Option<Edge>) {
        let fresh = self.stats.states as StateId;
        let id = match found.handle {
            Some(handle) => self.numbers.number(handle, fresh),
            None => fresh,
        };
        let new = id == fresh;
        if new {
            self.stats.states += 1;
            self.stats.depth = self.stats.depth.max(depth);
            if let Some(handle) = found.handle
                && !self.graph
            {
                self.stats.bytes += 4 * u64::from(found.width);
                self.next.push(Waiting::Stored(handle));
            }
        } else {
            self.stats.matched += 1;
        }
        let edge = found.shown.map(|shown| {
            let (label, node, order) = *shown;
            let mut renaming = None;
            if new {
                self.next.push(Waiting::Shown(Box::new(node.clone())));
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
        self.stats.widest = self.stats.widest.max(self.next.len() as u64);
        (id, edge)
    }
}
