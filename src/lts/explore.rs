//! The breadth-first exploration, in parallel and deterministic.
//!
//! A layer is cut into chunks; the states of a chunk are expanded in parallel and enter the table at once, but numbers are
//! given out in order afterwards. So states, numbers and everything written about them do not depend on the number of
//! threads. Where the states are to be shown they are kept as they were first reached, under their own names; where they
//! are only counted, as vectors.

use super::codec::Codec;
use super::graph::{Edge, Graph, Renaming, Skeleton, Vertex};
use super::label::{Label, label};
use super::options::{Options, Space, Stats};
use super::state::initial;
use super::step::{Mode, Successor, successors};
use super::table::{Handle, StateId, Table};
use crate::equiv::ask::{Halt, Setup};
use crate::equiv::key::form;
use crate::equiv::node::Node;
use crate::equiv::template::Templates;
use crate::equiv::trail::{Recipe, Trail};
use crate::equiv::{self, Limits, Observer, Quiet, Reductions, StopReason, Surroundings};
use crate::process::System;
use crate::term::{NameClass, TermStore};
use rayon::prelude::*;
use std::time::Instant;

/// States expanded between two looks at the limits.
const CHUNK: usize = 256;

/// Explores the state space of a system.
pub fn explore(
    store: &TermStore,
    system: &System,
    surroundings: &Surroundings<'_>,
    options: &Options,
    observer: &dyn Observer,
) -> Space {
    let started = Instant::now();
    // A tree that is only counted is counted on the smallest graph that folds it.
    let renamed = if options.sharing {
        options.symmetry
    } else {
        !options.graph
    };
    let inner = equiv::Options {
        semantics: options.semantics,
        reductions: Reductions {
            merge: renamed,
            common_renaming: renamed,
            drop_generics: true,
            drop_elements: true,
            renumber_levels: true,
            ..Reductions::none()
        },
        ..equiv::Options::default()
    };
    let mut setup = Setup {
        store,
        spies: surroundings.spies,
        templates: Templates::new(store, system, system, &[]),
        pool: (0..system.names.len() as u32)
            .map(|i| store.name(NameClass::Restricted, "·", i))
            .collect(),
        publics: Vec::new(),
        options: &inner,
        compressed: false,
        // The initial state is there whatever the limits.
        halt: Halt::new(Limits::default(), &Quiet),
    };
    let root = initial(&setup, surroundings.knows);
    let refused = setup.halt.reason();
    setup.halt = Halt::new(options.limits, observer);
    #[cfg(feature = "distributed")]
    if let Some(cluster) = observer.cluster()
        && !options.graph
    {
        return super::distributed::explore(cluster, &setup, options, observer, root, refused);
    }
    let mut search = Search {
        setup: &setup,
        options,
        observer,
        started,
        table: Table::default(),
        codec: Codec::default(),
        handles: Vec::new(),
        skeleton: Skeleton::default(),
        shown: Vec::new(),
        stats: Stats::default(),
    };
    let run = || {
        let stopped = search.run(root, refused);
        search.stats.bytes += search.codec.bytes();
        // The rest needs the transitions only.
        search.table = Table::default();
        search.codec = Codec::default();
        search.handles = Vec::new();
        let count = || search.skeleton.trees(|| search.limit());
        let trees = stopped.is_none().then(count).transpose();
        search.stats.time = started.elapsed();
        (stopped, trees, search.stats, search.shown)
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build();
    let (stopped, trees, stats, shown) = match pool {
        Ok(pool) => pool.install(run),
        Err(_) => run(),
    };
    let graph = options.graph.then(|| Graph {
        templates: setup.templates,
        vertices: shown.into_iter().map(|s| s.vertex).collect(),
    });
    let uncounted = trees.err();
    // A tree that is only counted is known by its count.
    let asked = !options.sharing && !options.graph;
    Space {
        stopped: stopped.or_else(|| uncounted.filter(|_| asked)),
        stats,
        trees: trees.ok().flatten(),
        uncounted,
        graph,
    }
}

/// A state that is to be shown, with the order of its canonical form.
struct Shown {
    vertex: Vertex,
    order: Order,
}

/// The names of a state in the order of its canonical form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Order {
    indices: Vec<u32>,
    generics: Vec<u32>,
}

/// A transition that was found.
struct Found {
    handle: Option<Handle>,
    weight: u32,
    shown: Option<Box<(Label, Node, Order)>>,
}

struct Search<'a, 'b> {
    setup: &'a Setup<'b>,
    options: &'a Options,
    observer: &'a dyn Observer,
    started: Instant,
    table: Table,
    codec: Codec,
    /// Of each state.
    handles: Vec<Handle>,
    skeleton: Skeleton,
    shown: Vec<Shown>,
    stats: Stats,
}

impl Search<'_, '_> {
    /// Explores from the initial state, unless it was refused.
    fn run(&mut self, root: Node, refused: Option<StopReason>) -> Option<StopReason> {
        let root = self.enter(root, 1, None);
        let mut layer = Vec::new();
        self.number(root, 0, &mut layer);
        if refused.is_some() {
            return refused;
        }
        for depth in 1.. {
            let mut next = Vec::new();
            for (c, chunk) in layer.chunks(CHUNK).enumerate() {
                let expanded: Vec<Vec<Found>> =
                    chunk.par_iter().map(|id| self.expand(*id)).collect();
                if let Some(reason) = self.setup.halt.reason() {
                    return Some(reason);
                }
                for (id, found) in chunk.iter().zip(expanded) {
                    if let Some(reason) = self.full(&found) {
                        return Some(reason);
                    }
                    self.merge(*id, found, depth, &mut next);
                }
                let done = (c * CHUNK + chunk.len()).min(layer.len());
                self.report(layer.len() - done + next.len());
                if let Some(reason) = self.limit() {
                    return Some(reason);
                }
            }
            if next.is_empty() {
                break;
            }
            layer = next;
        }
        None
    }

    /// The state of a number.
    fn state(&self, id: StateId) -> Node {
        if let Some(shown) = self.shown.get(id as usize) {
            return shown.vertex.node.clone();
        }
        let vector = self.table.vector(self.handles[id as usize]);
        self.codec.decode(&vector)
    }

    fn expand(&self, id: StateId) -> Vec<Found> {
        let mut node = self.state(id);
        if self.options.graph {
            let trail = Trail::at(node.lives.len(), node.generics.len());
            node.trail = Some(Box::new(trail));
        }
        let mode = Mode {
            symmetry: self.options.symmetry,
            late: self.options.late,
        };
        let found = successors(self.setup, mode, &node);
        if self.setup.halt.reason().is_some() {
            // What was found is not all, and not used.
            return Vec::new();
        }
        let enter = |s: Successor| {
            let label = self
                .options
                .graph
                .then(|| label(self.setup.store, self.setup.spies, &node, &s));
            self.enter(s.node, s.weight, label)
        };
        found.into_iter().map(enter).collect()
    }

    /// Stores a state that was reached.
    fn enter(&self, mut node: Node, weight: u32, label: Option<Label>) -> Found {
        node.trail = None;
        if self.options.graph {
            let mut named = node.clone();
            let trail = Trail::at(node.lives.len(), node.generics.len());
            named.trail = Some(Box::new(trail));
            let canonical = form(self.setup, named);
            let order = canonical.trail.as_deref().map(order).unwrap_or_default();
            let shares = self.options.sharing;
            let handle = shares.then(|| self.table.insert(&self.codec.encode(&canonical)));
            let label = label.unwrap_or(Label::START);
            return Found {
                handle,
                weight,
                shown: Some(Box::new((label, node, order))),
            };
        }
        let canonical = form(self.setup, node);
        Found {
            handle: Some(self.table.insert(&self.codec.encode(&canonical))),
            weight,
            shown: None,
        }
    }

    /// Gives a state its number, and tells whether it is new.
    fn number(
        &mut self,
        found: Found,
        depth: u32,
        next: &mut Vec<StateId>,
    ) -> (StateId, Option<Edge>) {
        let fresh = self.stats.states as StateId;
        let id = found.handle.map_or(fresh, |h| self.table.number(h, fresh));
        let new = id == fresh;
        if new {
            self.stats.states += 1;
            self.stats.depth = self.stats.depth.max(depth);
            next.push(id);
            self.stats.widest = self.stats.widest.max(next.len() as u64);
            if let Some(handle) = found.handle
                && !self.options.graph
            {
                self.stats.bytes += 4 * self.table.vector(handle).len() as u64;
                self.handles.push(handle);
            }
        } else {
            self.stats.matched += 1;
        }
        let edge = found.shown.map(|shown| {
            let (label, node, order) = *shown;
            let mut renaming = None;
            if new {
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
        (id, edge)
    }

    /// The limit on states, if storing what a state leads to would pass it.
    fn full(&self, found: &[Found]) -> Option<StopReason> {
        let limit = self.options.limits.nodes?;
        let alone = found.iter().filter(|f| f.handle.is_none()).count();
        let mut new: Vec<Handle> = found.iter().filter_map(|f| f.handle).collect();
        new.retain(|h| !self.table.is_numbered(*h));
        new.sort_unstable();
        new.dedup();
        let more = (alone + new.len()) as u64;
        (more > 0 && self.stats.states + more > limit).then_some(StopReason::Nodes(limit))
    }

    /// Books the transitions of a state; they lead to states of the given depth, or to known ones.
    fn merge(&mut self, id: StateId, found: Vec<Found>, depth: u32, next: &mut Vec<StateId>) {
        self.stats.ends += u64::from(found.is_empty());
        let mut row = Vec::with_capacity(found.len());
        let mut edges = Vec::new();
        for f in found {
            let weight = f.weight;
            self.stats.transitions += 1;
            self.stats.pruned += u64::from(weight) - 1;
            let (target, edge) = self.number(f, depth, next);
            row.push((target, weight));
            edges.extend(edge);
        }
        self.skeleton.push(row.into_iter());
        if let Some(shown) = self.shown.get_mut(id as usize) {
            shown.vertex.edges = Some(edges);
        }
    }

    fn report(&mut self, waiting: usize) {
        self.stats.time = self.started.elapsed();
        let seen = equiv::Stats {
            nodes: self.stats.states,
            matched: self.stats.matched,
            depth: self.stats.depth,
            time: self.stats.time,
            ..equiv::Stats::default()
        };
        self.observer.progress(&seen, waiting);
    }

    fn limit(&self) -> Option<StopReason> {
        // Numbers of states are 32 bits wide.
        if self.stats.states >= u64::from(StateId::MAX) - (1 << 28) {
            return Some(StopReason::Nodes(self.stats.states));
        }
        self.setup.halt.look();
        self.setup.halt.reason()
    }
}

/// The names of a state in the order of its canonical form, from the trail that went through it.
fn order(trail: &Trail) -> Order {
    let index = |r: &std::sync::Arc<Recipe>| match &**r {
        Recipe::Initial(i) => *i as u32,
        _ => u32::MAX,
    };
    Order {
        indices: trail.defs.iter().map(index).collect(),
        generics: trail.choices.clone(),
    }
}

impl Order {
    /// What the names of this state are called in another with the same canonical form; `None` if the same.
    fn renaming(&self, other: &Order) -> Option<Renaming> {
        if self == other {
            return None;
        }
        let pair = |a: &[u32], b: &[u32]| -> Vec<(u32, u32)> {
            let mut pairs: Vec<(u32, u32)> = a.iter().copied().zip(b.iter().copied()).collect();
            pairs.sort_unstable();
            pairs
        };
        Some(Renaming {
            indices: pair(&self.indices, &other.indices),
            generics: pair(&self.generics, &other.generics),
        })
    }
}
