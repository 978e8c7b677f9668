//! The breadth-first exploration, in parallel and deterministic.
//!
//! A layer is cut into chunks; the states of a chunk are expanded in parallel (`expand`) and enter the table at once, but
//! numbers are given out in order afterwards (`book`), while the next chunk is being expanded. So states, numbers and
//! everything written about them do not depend on the number of threads.

use super::book::Book;
use super::codec::Codec;
use super::expand::Scout;
use super::form::{Former, Room};
use super::graph::Graph;
use super::memo::{Generation, Memo};
use super::options::{Options, Space, Stats};
use super::quick::Quick;
use super::state::initial;
use super::table::StateId;
use crate::equiv::ask::{Halt, Setup};
use crate::equiv::node::Node;
use crate::equiv::template::Templates;
use crate::equiv::{self, Limits, Observer, Quiet, Reductions, StopReason, Surroundings};
use crate::process::System;
use crate::term::{NameClass, TermStore};
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
        let memo = Memo::new(idle, options.limits.memory);
        let quick = Quick::new(&setup, former, memo, options.symmetry);
        let quick = (!options.graph && !options.late).then_some(quick);
        let mut search = Search {
            setup: &setup,
            options,
            observer,
            started,
            scout: Scout::new(&setup, options, former, quick),
            book: Book::new(options),
        };
        let stopped = search.run(root, refused);
        let (mut book, scout) = (search.book, search.scout);
        book.stats.bytes += codec.bytes();
        // The rest needs the transitions only.
        let ended = scout.end();
        let (stats, skeleton) = (&book.stats, &book.skeleton);
        let count = || skeleton.trees(|| limit(&setup, stats));
        let count = || stopped.is_none().then(count).transpose();
        let free = || drop((ended, codec));
        let ((), trees) = rayon::join(free, count);
        book.stats.time = started.elapsed();
        (stopped, trees, book)
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .build();
    let (stopped, trees, book) = match pool {
        Ok(pool) => pool.install(run),
        Err(_) => run(),
    };
    let stats = book.stats;
    let graph = options.graph.then(|| Graph {
        templates: setup.templates,
        vertices: book.into_vertices().collect(),
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

struct Search<'a, 'b> {
    setup: &'a Setup<'b>,
    options: &'a Options,
    observer: &'a dyn Observer,
    started: Instant,
    scout: Scout<'a, 'b>,
    book: Book,
}

impl Search<'_, '_> {
    /// Explores from the initial state, unless it was refused.
    fn run(&mut self, root: Node, refused: Option<StopReason>) -> Option<StopReason> {
        let root = self.scout.enter(&mut Room::default(), root, 1, None);
        self.book.number(root, 0);
        if refused.is_some() {
            return refused;
        }
        let mut forgotten = None;
        for depth in 1.. {
            let layer = std::mem::take(&mut self.book.next);
            let mut waiting = layer.len();
            let mut chunks = layer.chunks(CHUNK);
            let mut chunk = chunks.next()?;
            let mut found = self.scout.expand(chunk);
            loop {
                if let Some(reason) = self.setup.halt.reason() {
                    return Some(reason);
                }
                // While one worker books a chunk the others are at the next.
                let (scout, book) = (&self.scout, &mut self.book);
                let next = chunks.next();
                let booking = || {
                    drop(forgotten.take());
                    book.enter(found, depth)
                };
                let (full, ahead) = rayon::join(booking, || next.map(|chunk| scout.expand(chunk)));
                if full.is_some() {
                    return full;
                }
                waiting -= chunk.len();
                self.report(waiting + self.book.next.len());
                forgotten = self.spare();
                if let Some(reason) = limit(self.setup, &self.book.stats) {
                    return Some(reason);
                }
                let (Some(next), Some(ahead)) = (next, ahead) else {
                    break;
                };
                (chunk, found) = (next, ahead);
            }
        }
        None
    }

    /// The steps that are to be forgotten. When three quarters of the memory are used no steps are kept any more: the states
    /// need it.
    fn spare(&mut self) -> Option<Generation> {
        let quick = self.scout.quick.as_mut()?;
        if let Some(limit) = self.options.limits.memory
            && !quick.keeps_nothing()
            && self
                .observer
                .memory()
                .is_some_and(|used| used > limit / 4 * 3)
        {
            quick.keep_nothing();
        }
        quick.turn(self.book.stats.states)
    }

    fn report(&mut self, waiting: usize) {
        let stats = &mut self.book.stats;
        stats.time = self.started.elapsed();
        let seen = equiv::Stats {
            nodes: stats.states,
            matched: stats.matched,
            depth: stats.depth,
            time: stats.time,
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
