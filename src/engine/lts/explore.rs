//! The breadth-first exploration, in parallel and deterministic.
//!
//! The states of a layer are expanded in parallel (`expand`): of each lot a worker takes those whose environments are its own, since
//! what it has computed and remembered is near it then. What they lead to
//! is stored and numbered in order, a lot at a time (`book`), while others are being expanded. So states, numbers and
//! everything written about them do not depend on the number of threads.

use super::book::Book;
use super::codec::Codec;
use super::expand::{Batch, Scout, Waiting};
use super::form::{Former, Room};
use super::graph::Graph;
use super::in_order::in_order;
use super::memo::{Generation, Memo};
use super::options::{Options, Space, Stats};
use super::quick::Quick;
use super::state::initial;
use super::table::StateId;
use crate::base::limits::{Limits, Observer, Progress, Silent, StopReason};
use crate::engine::joint::ask::{Halt, Setup};
use crate::engine::joint::node::Node;
use crate::engine::joint::template::Templates;
use crate::engine::joint::{self, Reductions, Surroundings};
use crate::process::System;
use crate::term::{NameClass, TermStore};
use std::ops::ControlFlow;
use std::time::Instant;

/// States that are booked together; after each lot there is a look at the limits.
const LOT: usize = 1 << 10;

/// States that are expanded while one book is open: what follows waits until all of these are booked.
const STRETCH: usize = 64 * LOT;

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
    let inner = joint::Options {
        semantics: options.semantics,
        reductions: Reductions {
            merge: renamed,
            common_renaming: renamed,
            drop_generics: true,
            drop_elements: true,
            renumber_levels: true,
            ..Reductions::none()
        },
        ..joint::Options::default()
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
        halt: Halt::new(&Limits::default(), &Silent),
    };
    let idle = setup.templates.idle(store);
    let root = initial(&setup, surroundings.knows);
    let refused = setup.halt.reason();
    setup.halt = Halt::new(&options.limits, observer);
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
        let table = std::mem::take(&mut book.table);
        let (stats, skeleton) = (&book.stats, &book.skeleton);
        let count = || skeleton.trees(|| limit(&setup, stats));
        let count = || stopped.is_none().then(count).transpose();
        // Nobody has to wait until all is free again.
        rayon::spawn(move || drop((ended, table, codec)));
        let trees = count();
        book.stats.time = started.elapsed();
        (stopped, trees, book)
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .stack_size(64 << 20)
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
        let mut start = Batch::default();
        self.scout
            .enter(&mut Room::default(), root, 1, None, &mut start);
        self.book.begin(start);
        if refused.is_some() {
            return refused;
        }
        let mut forgotten = None;
        let mut stretch = STRETCH;
        for depth in 1.. {
            let (layer, nodes) = self.book.layer();
            if layer.is_empty() {
                break;
            }
            let mut done = 0;
            while done < layer.len() {
                let end = layer.len().min(done + stretch);
                let waiting = if self.options.graph {
                    Waiting::Shown(&nodes[done..end])
                } else {
                    let states = layer.start + done..layer.start + end;
                    Waiting::Stored(self.book.table.vectors(states))
                };
                let left = layer.len() - done;
                let (lots, stopped) = self.stretch(&waiting, depth, left, forgotten.take());
                done += lots * LOT;
                match stopped {
                    // What others found at the same time is lost. So that it does not depend on them what is booked, each
                    // lot has to be done before the next.
                    Some(StopReason::Size(_)) if stretch > LOT => {
                        stretch = LOT;
                        self.setup.halt.again();
                        self.scout.quick.as_mut().map(Quick::forget);
                    }
                    Some(reason) => return Some(reason),
                    None => forgotten = self.spare(),
                }
            }
        }
        None
    }

    /// Expands and books states, of so many that are left in their layer. Tells how many lots were booked, and why there are
    /// no more. May end early, to have steps forgotten.
    fn stretch(
        &mut self,
        waiting: &Waiting<'_>,
        depth: u32,
        left: usize,
        mut forgotten: Option<Generation>,
    ) -> (usize, Option<StopReason>) {
        let states = waiting.len();
        let (setup, scout, book) = (self.setup, &self.scout, &mut self.book);
        let (options, observer, started) = (self.options, self.observer, self.started);
        let mut stopped = None;
        let mut booked = 0;
        let workers = rayon::current_num_threads();
        let expand = |part: usize| {
            let (lot, own) = (part / workers, part % workers);
            let end = states.min(lot * LOT + LOT);
            scout.expand(waiting, lot * LOT..end, (own, workers))
        };
        let take = |mut lot: Vec<Batch>| {
            drop(forgotten.take());
            stopped = setup.halt.reason().or_else(|| book.enter(&mut lot, depth));
            scout.give_back(lot);
            if stopped.is_some() {
                return ControlFlow::Break(());
            }
            booked += 1;
            let left = left.saturating_sub(booked * LOT) + book.waiting();
            report(observer, started, &mut book.stats, left);
            stopped = limit(setup, &book.stats);
            let tight = || is_tight(options, observer);
            let pause =
                |quick: &Quick<'_, '_>| quick.is_full() || !quick.keeps_nothing() && tight();
            if stopped.is_some() || scout.quick.as_ref().is_some_and(pause) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        in_order(states.div_ceil(LOT) * workers, workers, expand, take);
        (booked, stopped)
    }

    /// The steps that are to be forgotten. When three quarters of the memory are used no steps are kept any more: the states
    /// need it.
    fn spare(&mut self) -> Option<Generation> {
        let quick = self.scout.quick.as_mut()?;
        if !quick.keeps_nothing() && is_tight(self.options, self.observer) {
            quick.keep_nothing();
        }
        quick.turn(self.book.stats.states)
    }
}

/// Whether three quarters of the memory are used.
fn is_tight(options: &Options, observer: &dyn Observer) -> bool {
    let Some(limit) = options.limits.memory else {
        return false;
    };
    observer.memory().is_some_and(|used| used > limit / 4 * 3)
}

fn report(observer: &dyn Observer, started: Instant, stats: &mut Stats, waiting: usize) {
    stats.time = started.elapsed();
    observer.progress(&Progress {
        states: stats.states,
        depth: stats.depth,
        waiting,
        time: stats.time,
    });
}

fn limit(setup: &Setup<'_>, stats: &Stats) -> Option<StopReason> {
    // Numbers of states are 32 bits wide.
    if stats.states >= u64::from(StateId::MAX) - (1 << 28) {
        return Some(StopReason::States(stats.states));
    }
    setup.halt.look();
    setup.halt.reason()
}
