//! The breadth-first exploration, in parallel and deterministic.
//!
//! A layer is cut into chunks; the states of a chunk are expanded in parallel and enter the table at once, but numbers are
//! given out in order afterwards. So states, numbers and everything written about them do not depend on the number of
//! threads. Where the states are to be shown they are kept as they were first reached, under their own names; where they
//! are only counted, as vectors.

use super::codec::Codec;
use super::form::{Former, Order, Room};
use super::graph::{Edge, Graph, Skeleton, Vertex};
use super::label::{Label, label};
use super::memo::Memo;
use super::options::{Options, Space, Stats};
use super::quick::Quick;
use super::state::initial;
use super::step::{Mode, Successor, successors};
use super::table::{Handle, StateId, Table};
use crate::equiv::ask::{Halt, Setup};
use crate::equiv::node::Node;
use crate::equiv::template::Templates;
use crate::equiv::trail::Trail;
use crate::equiv::{self, Limits, Observer, Quiet, Reductions, StopReason, Surroundings};
use crate::process::System;
use crate::term::{NameClass, TermStore};
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// States expanded between two looks at the limits.
const CHUNK: usize = 1024;

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
    let idle = setup.templates.idle(store);
    let root = initial(&setup, surroundings.knows);
    let refused = setup.halt.reason();
    setup.halt = Halt::new(options.limits, observer);
    #[cfg(feature = "distributed")]
    if let Some(cluster) = observer.cluster()
        && !options.graph
    {
        return super::distributed::explore(cluster, &setup, options, observer, root, refused);
    }
    let run = || {
        let codec = Codec::default();
        let former = Former {
            store,
            pool: &setup.pool,
            codec: &codec,
            renamed,
        };
        let quick = Quick::new(
            &setup,
            former,
            Memo::new(idle, options.limits.memory),
            options.symmetry,
        );
        let mut search = Search {
            setup: &setup,
            options,
            observer,
            started,
            table: Table::default(),
            former,
            rooms: (0..rayon::current_num_threads())
                .map(|_| Mutex::default())
                .collect(),
            quick: (!options.graph && !options.late).then_some(quick),
            handles: Vec::new(),
            skeleton: Skeleton::default(),
            shown: Vec::new(),
            stats: Stats::default(),
        };
        let stopped = search.run(root, refused);
        let (mut stats, skeleton, shown) = (search.stats, search.skeleton, search.shown);
        stats.bytes += codec.bytes();
        // The rest needs the transitions only.
        let (table, memo) = (search.table, search.quick.map(Quick::into_memo));
        let count = || skeleton.trees(|| limit(&setup, &stats));
        let count = || stopped.is_none().then(count).transpose();
        let free = || drop((table, memo, codec));
        let ((), trees) = rayon::join(free, count);
        stats.time = started.elapsed();
        (stopped, trees, stats, shown)
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
    former: Former<'a>,
    /// One for each worker.
    rooms: Vec<Mutex<Room>>,
    /// Finds transitions where no labels are wanted.
    quick: Option<Quick<'a, 'b>>,
    /// Of each state.
    handles: Vec<Handle>,
    skeleton: Skeleton,
    shown: Vec<Shown>,
    stats: Stats,
}

impl Search<'_, '_> {
    /// Explores from the initial state, unless it was refused.
    fn run(&mut self, root: Node, refused: Option<StopReason>) -> Option<StopReason> {
        let root = self.enter(&mut Room::default(), root, 1, None);
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
                self.spare();
                if let Some(reason) = limit(self.setup, &self.stats) {
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

    /// Keeps no steps any more when three quarters of the memory are used: the states need it.
    fn spare(&self) {
        let (Some(limit), Some(quick)) = (self.options.limits.memory, &self.quick) else {
            return;
        };
        if !quick.keeps_nothing()
            && self
                .observer
                .memory()
                .is_some_and(|used| used > limit / 4 * 3)
        {
            quick.keep_nothing();
        }
    }

    fn expand(&self, id: StateId) -> Vec<Found> {
        if self.setup.halt.stopped() {
            return Vec::new();
        }
        let worker = rayon::current_thread_index().unwrap_or(0);
        let room = self.rooms[worker % self.rooms.len()].lock();
        // What a worker that panicked was at is written anew.
        let room = &mut *room.unwrap_or_else(PoisonError::into_inner);
        let node = if let Some(shown) = self.shown.get(id as usize) {
            let mut node = shown.vertex.node.clone();
            let trail = Trail::at(node.lives.len(), node.generics.len());
            node.trail = Some(Box::new(trail));
            node
        } else {
            let vector = self.table.vector(self.handles[id as usize]);
            let mut found = Vec::with_capacity(vector.len());
            let mut take = |vector: &[u32], weight: u32| {
                found.push(Found {
                    handle: Some(self.table.insert(vector)),
                    weight,
                    shown: None,
                });
            };
            let quick = self.quick.as_ref();
            if let Some(()) = quick.and_then(|q| q.transitions(room, &vector, &mut take)) {
                return found;
            }
            self.former.codec.decode(&vector)
        };
        let mode = Mode {
            symmetry: self.options.symmetry,
            late: self.options.late,
        };
        let found = successors(self.setup, self.former.codec, mode, &node);
        if self.setup.halt.reason().is_some() {
            // What was found is not all, and not used.
            return Vec::new();
        }
        let enter = |s: Successor| {
            let label = self
                .options
                .graph
                .then(|| label(self.setup.store, self.setup.spies, &node, &s));
            self.enter(room, s.node, s.weight, label)
        };
        found.into_iter().map(enter).collect()
    }

    /// Stores a state that was reached.
    fn enter(&self, room: &mut Room, mut node: Node, weight: u32, label: Option<Label>) -> Found {
        node.trail = None;
        let shown = self.options.graph.then(|| node.clone());
        let (env, threads) = self.former.codec.cut(self.setup, &mut node);
        self.former.form(room, &env, &threads);
        let shares = self.options.sharing || !self.options.graph;
        Found {
            handle: shares.then(|| self.table.insert(&room.vector)),
            weight,
            shown: shown.map(|node| {
                let label = label.unwrap_or(Label::START);
                Box::new((label, node, room.order()))
            }),
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
        let (id, width) = match found.handle {
            Some(handle) => self.table.number(handle, fresh),
            None => (fresh, 0),
        };
        let new = id == fresh;
        if new {
            self.stats.states += 1;
            self.stats.depth = self.stats.depth.max(depth);
            next.push(id);
            self.stats.widest = self.stats.widest.max(next.len() as u64);
            if let Some(handle) = found.handle
                && !self.options.graph
            {
                self.stats.bytes += 4 * width as u64;
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
}

fn limit(setup: &Setup<'_>, stats: &Stats) -> Option<StopReason> {
    // Numbers of states are 32 bits wide.
    if stats.states >= u64::from(StateId::MAX) - (1 << 28) {
        return Some(StopReason::Nodes(stats.states));
    }
    setup.halt.look();
    setup.halt.reason()
}
