//! The breadth-first exploration, in parallel and deterministic.
//!
//! A layer of states is cut into chunks; a chunk's states are expanded in parallel, its results merged in the order
//! of the states. What is found and in which order therefore does not depend on the number of workers. Breadth
//! first, the first proposal takes the fewest moves of the attacker.

use super::key::{Key, Spelt, key};
use super::settle::{Settled, start};
use super::state::{MESSAGE_SIZE, State};
use super::{Setup, moves, pruning, reach, witness};
use crate::attacker::solver::TooLarge;
use crate::base::limits::{Halt, Limits, Observer, Progress, StopReason};
use crate::certify::Move;
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};

/// States expanded between two looks at the limits.
pub(super) const CHUNK: usize = 512;

/// A search that is done by then does not start threads, which takes about as long.
const BRIEF: Duration = Duration::from_millis(2);

/// What was covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Different settled states.
    pub states: u64,
    /// Successors that had been seen, or were subsumed.
    pub matched: u64,
    /// Successors in all.
    pub transitions: u64,
    /// Moves of the attacker that are covered completely.
    pub depth: u32,
    /// Time taken.
    pub time: Duration,
}

impl Stats {
    /// For whoever looks on.
    pub(super) fn progress(&self, waiting: usize) -> Progress {
        Progress {
            states: self.states,
            depth: self.depth,
            waiting,
            time: self.time,
        }
    }
}

/// A run that is claimed to reach the goal: ground, not yet certified.
pub type Proposal = Vec<Move>;

/// How a search ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Everything was explored; the proposals are all there are (none, usually).
    Complete(Vec<Proposal>),
    /// The goal was reached; the search stopped there.
    Reached(Vec<Proposal>),
    /// The search gave up, with these proposals so far.
    Stopped(StopReason, Vec<Proposal>),
}

/// The states seen so far, by threads; for each the sets of elements.
#[derive(Default)]
struct Seen {
    exact: FxHashSet<Key>,
    by_threads: FxHashMap<Box<[u32]>, Vec<Box<[Spelt]>>>,
    subsumption: bool,
}

impl Seen {
    /// Whether the state is new; it is then remembered.
    fn insert(&mut self, key: Key) -> bool {
        if !self.subsumption {
            return self.exact.insert(key);
        }
        let known = self.by_threads.entry(key.threads).or_default();
        if known.iter().any(|k| subset(&key.elements, k)) {
            return false;
        }
        known.retain(|k| !subset(k, &key.elements));
        known.push(key.elements);
        true
    }
}

/// Whether the first sorted list is contained in the second.
fn subset(a: &[Spelt], b: &[Spelt]) -> bool {
    let mut rest = b.iter();
    a.len() <= b.len() && a.iter().all(|x| rest.any(|y| x == y))
}

#[derive(Default)]
struct Expansion {
    states: Vec<(Option<Key>, State)>,
    reached: Vec<Proposal>,
    oversized: bool,
}

/// Explores until the goal is reached, everything is seen, or a limit is met.
pub fn explore(setup: &Setup<'_>, limits: &Limits, observer: &dyn Observer) -> (Outcome, Stats) {
    let started = Instant::now();
    // A state can take long: look in between, and throw its results away if it has to end.
    let halt = Halt::new(limits, observer);
    let halted = || halt.stopped();
    let setup = &Setup {
        halt: Some(&halt),
        ..setup.clone()
    };
    #[cfg(feature = "distributed")]
    if let Some(cluster) = observer.cluster() {
        return super::distributed::explore(cluster, setup, limits, observer, started);
    }
    let mut stats = Stats::default();
    let mut proposals = Vec::new();
    let mut seen = Seen {
        subsumption: setup.options.subsumption,
        ..Seen::default()
    };
    let start = finish(setup, start(setup));
    if let Some(reason) = halt.reason() {
        stats.time = started.elapsed();
        return (Outcome::Stopped(reason, proposals), stats);
    }
    let mut oversized = start.oversized;
    let mut layer = Vec::new();
    merge(start, &mut seen, &mut stats, &mut layer, &mut proposals);
    // Made when the search turns out to take longer: most systems of `--sessions` end before.
    let mut pool = None;
    loop {
        if !setup.options.all && !proposals.is_empty() {
            stats.time = started.elapsed();
            return (Outcome::Reached(proposals), stats);
        }
        if layer.is_empty() {
            stats.time = started.elapsed();
            if oversized {
                let reason = StopReason::Size(MESSAGE_SIZE);
                return (Outcome::Stopped(reason, proposals), stats);
            }
            return (Outcome::Complete(proposals), stats);
        }
        let mut next = Vec::new();
        let total = layer.len();
        for (i, chunk) in layer.chunks(CHUNK).enumerate() {
            let spent = limits.states.filter(|max| stats.states >= *max);
            if let Some(reason) = spent.map(StopReason::States).or_else(|| halt.reason()) {
                stats.time = started.elapsed();
                return (Outcome::Stopped(reason, proposals), stats);
            }
            let expand = |setup: &Setup<'_>, state: &State| {
                if halted() {
                    Expansion::default()
                } else {
                    expand(setup, state)
                }
            };
            let alone = setup.options.workers == 1 || chunk.len() == 1;
            let results: Vec<Expansion> = if alone || started.elapsed() < BRIEF {
                chunk.iter().map(|state| expand(setup, state)).collect()
            } else {
                let work = || chunk.par_iter().map(|state| expand(setup, state)).collect();
                let workers = setup.options.workers;
                match pool.get_or_insert_with(|| threads(workers)) {
                    Some(pool) => pool.install(work),
                    None => work(),
                }
            };
            if let Some(reason) = halt.reason() {
                stats.time = started.elapsed();
                return (Outcome::Stopped(reason, proposals), stats);
            }
            for result in results {
                oversized |= result.oversized;
                merge(result, &mut seen, &mut stats, &mut next, &mut proposals);
            }
            if !setup.options.all && !proposals.is_empty() {
                break;
            }
            stats.time = started.elapsed();
            observer.progress(&stats.progress(total - ((i + 1) * CHUNK).min(total) + next.len()));
        }
        stats.depth += 1;
        layer = next;
    }
}

/// As many threads; `None` if the system has none to give.
fn threads(workers: usize) -> Option<rayon::ThreadPool> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(workers)
        .stack_size(64 << 20)
        .build()
        .ok()
}

fn expand(setup: &Setup<'_>, state: &State) -> Expansion {
    finish(setup, successors(setup, state))
}

/// The settled successors of a state.
pub(super) fn successors(setup: &Setup<'_>, state: &State) -> Settled {
    let mut out = Settled::default();
    match moves::successors(setup, state, &mut out) {
        Ok(()) => out,
        Err(TooLarge) => Settled {
            oversized: true,
            ..Settled::default()
        },
    }
}

/// Checks the goal on settled states and computes the keys of those that go on.
fn finish(setup: &Setup<'_>, out: Settled) -> Expansion {
    let out = check_goal(setup, out);
    // After a halt nobody looks at keys.
    let sharing = || setup.options.sharing && !setup.is_halted();
    let keyed = |state: State| (sharing().then(|| key(setup, &state)), state);
    Expansion {
        reached: out.reached,
        states: out.states.into_iter().map(keyed).collect(),
        oversized: out.oversized,
    }
}

/// Settled states, the goal checked.
#[derive(Default)]
pub(super) struct Checked {
    /// Those that go on.
    pub states: Vec<State>,
    /// The runs that those that reach it propose.
    pub reached: Vec<Proposal>,
    /// As in [`Settled`].
    pub oversized: bool,
}

/// Checks the goal on settled states: those that reach it go no further.
pub(super) fn check_goal(setup: &Setup<'_>, out: Settled) -> Checked {
    let mut reached = out.reached;
    let mut states = Vec::with_capacity(out.states.len());
    let mut oversized = out.oversized;
    for state in out.states {
        if setup.is_halted() {
            break;
        }
        match reach::settled(setup, &state) {
            Err(TooLarge) => oversized = true,
            Ok(here) if !here.is_empty() => reached.extend(here),
            Ok(_) if pruning::is_lost(setup, &state) => {}
            Ok(_) => states.push(state),
        }
    }
    let proposed = reached.iter().map(|s| witness::propose(setup, s));
    let proposals: Vec<Proposal> = proposed.filter_map(Result::ok).collect();
    Checked {
        states,
        oversized: oversized || proposals.len() < reached.len(),
        reached: proposals,
    }
}

fn merge(
    expansion: Expansion,
    seen: &mut Seen,
    stats: &mut Stats,
    next: &mut Vec<State>,
    proposals: &mut Vec<Proposal>,
) {
    proposals.extend(expansion.reached);
    for (key, state) in expansion.states {
        stats.transitions += 1;
        if key.is_none_or(|k| seen.insert(k)) {
            stats.states += 1;
            next.push(state);
        } else {
            stats.matched += 1;
        }
    }
}
