//! The breadth-first exploration, in parallel and deterministic.
//!
//! Workers expand the states of a layer in parallel (`expand`). Each environment belongs to one
//! worker, which expands the states that have it: what it memoised for them is in its cache. The
//! successors of a chunk are stored and numbered in order (`visited`) while other chunks are being
//! expanded. So states, their numbers and all reports are the same for any number of threads.

use super::canonical_form::{Canonicaliser, Scratch};
use super::codec::Codec;
use super::expand::{Batch, Expander, Frontier};
use super::graph::Graph;
use super::in_order::in_order;
use super::memo::{Generation, Memo};
use super::memoised::Memoised;
use super::options::{Options, Space, Stats};
use super::state::initial;
use super::table::StateId;
use super::visited::Visited;
use crate::base::limits::{Limits, Observer, Progress, Silent, StopReason};
use crate::engine::joint::halt::Halt;
use crate::engine::joint::node::Node;
use crate::engine::joint::setup::Setup;
use crate::engine::joint::template::Templates;
use crate::engine::joint::{self, Reductions, Surroundings};
use crate::process::System;
use crate::term::{NameClass, TermStore};
use std::ops::ControlFlow;
use std::time::Instant;

/// States that are recorded together. The limits are checked after each chunk.
const CHUNK: usize = 1 << 10;

/// States that are expanded before the workers wait for the last chunk to be recorded.
const WINDOW: usize = 64 * CHUNK;

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
        public_names: Vec::new(),
        options: &inner,
        compressed: false,
        // The initial state is stored whatever the limits.
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
        let canonicaliser = Canonicaliser {
            store,
            pool: &setup.pool,
            codec: &codec,
            renamed,
        };
        let memo = Memo::new(idle, options.limits.memory);
        let memoised = Memoised::new(&setup, canonicaliser, memo, options.symmetry);
        let memoised = (!options.graph && !options.late).then_some(memoised);
        let mut search = Search {
            setup: &setup,
            options,
            observer,
            started,
            expander: Expander::new(&setup, options, canonicaliser, memoised),
            visited: Visited::new(options),
        };
        let stopped = search.run(root, refused);
        let (mut visited, expander) = (search.visited, search.expander);
        visited.stats.bytes += codec.bytes();
        // Counting the trees needs the transitions only.
        let ended = expander.end();
        let table = std::mem::take(&mut visited.table);
        let (stats, transitions) = (&visited.stats, &visited.transitions);
        let count = || transitions.trees(|| limit(&setup, stats));
        let count = || stopped.is_none().then(count).transpose();
        // Free the rest in the background.
        rayon::spawn(move || drop((ended, table, codec)));
        let trees = count();
        visited.stats.time = started.elapsed();
        (stopped, trees, visited)
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .stack_size(64 << 20)
        .build();
    let (stopped, trees, visited) = match pool {
        Ok(pool) => pool.install(run),
        Err(_) => run(),
    };
    let stats = visited.stats;
    let graph = options.graph.then(|| Graph {
        templates: setup.templates,
        vertices: visited.into_vertices().collect(),
    });
    let uncounted = trees.err();
    // If the tree was asked for and not counted, the answer is incomplete.
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
    expander: Expander<'a, 'b>,
    visited: Visited,
}

impl Search<'_, '_> {
    /// Explores from the initial state, unless it was refused.
    fn run(&mut self, root: Node, refused: Option<StopReason>) -> Option<StopReason> {
        let mut start = Batch::default();
        self.expander
            .add(&mut Scratch::default(), root, 1, None, &mut start);
        self.visited.record_initial(start);
        if refused.is_some() {
            return refused;
        }
        let mut forgotten = None;
        let mut window = WINDOW;
        for depth in 1.. {
            let (layer, nodes) = self.visited.layer();
            if layer.is_empty() {
                break;
            }
            let mut done = 0;
            while done < layer.len() {
                let end = layer.len().min(done + window);
                let frontier = if self.options.graph {
                    Frontier::Shown(&nodes[done..end])
                } else {
                    let states = layer.start + done..layer.start + end;
                    Frontier::Stored(self.visited.table.vectors(states))
                };
                let left = layer.len() - done;
                let (chunks, stopped) =
                    self.expand_window(&frontier, depth, left, forgotten.take());
                done += chunks * CHUNK;
                match stopped {
                    // Chunks that were expanded at the same time are lost. To make the result
                    // independent of them, the window is explored again, one chunk after the other.
                    Some(StopReason::Size(_)) if window > CHUNK => {
                        window = CHUNK;
                        self.setup.halt.reset();
                        self.expander.memoised.as_mut().map(Memoised::forget);
                    }
                    Some(reason) => return Some(reason),
                    None => forgotten = self.spare(),
                }
            }
        }
        None
    }

    /// Expands states and records what they lead to; `left` states of the layer are pending.
    /// Returns how many chunks were recorded, and why it stopped. It may end early so that memoised
    /// steps can be dropped.
    fn expand_window(
        &mut self,
        frontier: &Frontier<'_>,
        depth: u32,
        left: usize,
        mut forgotten: Option<Generation>,
    ) -> (usize, Option<StopReason>) {
        let states = frontier.len();
        let (setup, expander, visited) = (self.setup, &self.expander, &mut self.visited);
        let (options, observer, started) = (self.options, self.observer, self.started);
        let mut stopped = None;
        let mut recorded = 0;
        let workers = rayon::current_num_threads();
        let expand = |part: usize| {
            let (chunk, own) = (part / workers, part % workers);
            let end = states.min(chunk * CHUNK + CHUNK);
            expander.expand(frontier, chunk * CHUNK..end, (own, workers))
        };
        let take = |mut chunk: Vec<Batch>| {
            drop(forgotten.take());
            stopped = setup
                .halt
                .reason()
                .or_else(|| visited.record(&mut chunk, depth));
            expander.give_back(chunk);
            if stopped.is_some() {
                return ControlFlow::Break(());
            }
            recorded += 1;
            let left = left.saturating_sub(recorded * CHUNK) + visited.waiting();
            report(observer, started, &mut visited.stats, left);
            stopped = limit(setup, &visited.stats);
            let tight = || is_tight(options, observer);
            let pause = |memoised: &Memoised<'_, '_>| {
                memoised.is_full() || !memoised.is_disabled() && tight()
            };
            if stopped.is_some() || expander.memoised.as_ref().is_some_and(pause) {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        in_order(states.div_ceil(CHUNK) * workers, workers, expand, take);
        (recorded, stopped)
    }

    /// The memoised steps to drop. When three quarters of the memory are used, nothing is memoised
    /// any more: the states need the memory.
    fn spare(&mut self) -> Option<Generation> {
        let memoised = self.expander.memoised.as_mut()?;
        if !memoised.is_disabled() && is_tight(self.options, self.observer) {
            memoised.disable();
        }
        memoised.turn(self.visited.stats.states)
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
    setup.halt.poll();
    setup.halt.reason()
}
