//! The attacker search on several processes: each owns the states whose threads have one of its hashes.
//!
//! States with the same threads have one owner, so that subsumption is decided in one place; it takes what has come in the
//! breadth-first order, so that the same states are dropped as in one process. Verdict, counts and proposals are the same.
//! Proposals are made by every process for itself: the paths to the states that reach the goal are walked once more.
//!
//! Left to others: transport and rounds (`cluster`).

use super::bytes;
use super::explore::{CHUNK, Checked, check_goal, successors};
use super::settle;
use super::state::{MESSAGE_SIZE, State};
use super::{Outcome, Proposal, Setup, Stats};
use crate::base::cluster::{
    self, Child, Cluster, End, Expanded, Explorer, Halts, HitRule, Path, Rules, Seen, Stop, Totals,
    hash, indices,
};
use crate::base::limits::{Halt, Limits, Observer, StopReason};
use rustc_hash::FxHashMap;
use std::time::Instant;

/// Explores together with other processes.
pub(super) fn explore(
    cluster: &Cluster,
    setup: &Setup<'_>,
    limits: &Limits,
    observer: &dyn Observer,
    started: Instant,
) -> (Outcome, Stats) {
    let shared = Shared {
        setup,
        observer,
        started,
    };
    let start = check_goal(setup, settle::start(setup));
    let options = &setup.options;
    let mut proposals = start.reached;
    if !options.all && !proposals.is_empty() && !setup.is_halted() {
        let count = start.states.len() as u64;
        let mut totals = Totals {
            children: count,
            ..Totals::default()
        };
        let mut known = Known::new(options.subsumption);
        for child in shared.children(&start.states) {
            totals.fresh += u64::from(!options.sharing || known.insert(&child.key));
        }
        return (Outcome::Reached(proposals), shared.stats(&totals, 0));
    }
    let rules = Rules {
        chunk: CHUNK,
        hit: if options.all {
            HitRule::GoOn
        } else {
            HitRule::Through
        },
        bound: limits.states.map(|n| n.saturating_sub(1)),
        ahead: true,
        depth: None,
        sharing: options.sharing,
        threads: options.workers,
    };
    let mut known = Known::new(options.subsumption);
    let roots = (shared.children(&start.states), 0);
    let found = cluster::explore(cluster, &shared, &mut known, roots, &rules, &shared);
    let way = shared.walk(&start.states, &found.hits, &mut proposals);
    let stats = shared.stats(&found.totals, found.depth);
    let outcome = match found.end {
        // The processes do not run the same program, or there was no time left to walk.
        _ if way.is_none() => {
            let met = setup.halt.and_then(Halt::reason);
            let reason = met.unwrap_or(StopReason::Interrupted);
            Outcome::Stopped(reason, proposals)
        }
        End::Complete if found.flawed || start.oversized => {
            Outcome::Stopped(StopReason::Size(MESSAGE_SIZE), proposals)
        }
        End::Complete => Outcome::Complete(proposals),
        End::Hit => Outcome::Reached(proposals),
        End::Bound | End::Depth => {
            let reason = StopReason::States(limits.states.unwrap_or(stats.states));
            Outcome::Stopped(reason, proposals)
        }
        End::Stopped(reason) => Outcome::Stopped(StopReason::heard(reason), proposals),
        End::Lost(loss) => Outcome::Stopped(loss.into(), proposals),
    };
    (outcome, stats)
}

struct Shared<'a, 'b> {
    setup: &'a Setup<'b>,
    observer: &'a dyn Observer,
    started: Instant,
}

impl Shared<'_, '_> {
    /// States as the other processes get them.
    fn children(&self, states: &[State]) -> Vec<Child> {
        let child = |(index, state): (u32, &State)| {
            let written = bytes::write(self.setup, state);
            if !self.setup.options.sharing {
                return Child {
                    index,
                    hash: hash(&written),
                    state: written,
                    ..Child::default()
                };
            }
            let (threads, elements) = bytes::write_key(self.setup, state);
            Child {
                index,
                hash: hash(&threads),
                key: bytes::join(&threads, &elements),
                state: written,
                width: 0,
            }
        };
        (0..).zip(states).map(child).collect()
    }

    /// Everything that a state leads to.
    fn successors(&self, state: &State) -> Checked {
        check_goal(self.setup, successors(self.setup, state))
    }

    fn stats(&self, totals: &Totals, depth: u32) -> Stats {
        Stats {
            states: totals.fresh,
            matched: totals.children - totals.fresh,
            transitions: totals.children,
            depth,
            time: self.started.elapsed(),
        }
    }

    /// Walks the paths to states that reach the goal, and adds what they propose; `None` if one leads nowhere.
    fn walk(&self, start: &[State], hits: &[Path], proposals: &mut Vec<Proposal>) -> Option<()> {
        // The way to the last hit: what it has in common with the next one is not walked again.
        let mut way: Vec<(u32, Checked)> = Vec::new();
        for hit in hits {
            let hit = indices(hit)?;
            let common = way.iter().zip(&hit).take_while(|((i, _), j)| i == *j);
            let common = common.count();
            way.truncate(common);
            for index in &hit[common..] {
                let states = way.last().map_or(start, |(_, out)| &out.states);
                let state = states.get(*index as usize)?;
                let out = self.successors(state);
                if self.setup.is_halted() {
                    return None;
                }
                way.push((*index, out));
            }
            let (_, out) = way.last()?;
            proposals.extend(out.reached.iter().cloned());
        }
        Some(())
    }
}

impl Explorer for Shared<'_, '_> {
    fn expand(&self, state: &[u8]) -> Option<Expanded> {
        if self.setup.is_halted() {
            return Some(Expanded::default());
        }
        let state = bytes::read(self.setup, state)?;
        let out = self.successors(&state);
        Some(Expanded {
            children: self.children(&out.states),
            dropped: 0,
            hit: !out.reached.is_empty(),
            flawed: out.oversized,
        })
    }
}

impl Halts for Shared<'_, '_> {
    fn stop(&self) -> Option<Stop> {
        self.setup.halt.and_then(Halt::reason).map(StopReason::told)
    }

    fn progress(&self, totals: &Totals, depth: u32, waiting: u64) {
        let stats = self.stats(totals, depth);
        self.observer.progress(&stats.progress(waiting as usize));
    }
}

/// The states that this process owns, by threads; for each the sets of elements.
struct Known {
    subsumption: bool,
    elements: FxHashMap<Box<[u8]>, u32>,
    by_threads: FxHashMap<Box<[u8]>, Vec<Box<[u32]>>>,
}

impl Known {
    fn new(subsumption: bool) -> Self {
        Self {
            subsumption,
            elements: FxHashMap::default(),
            by_threads: FxHashMap::default(),
        }
    }

    /// Whether a set of elements makes another superfluous.
    fn covers(&self, large: &[u32], small: &[u32]) -> bool {
        if !self.subsumption {
            return large == small;
        }
        let mut rest = large.iter();
        small.len() <= large.len() && small.iter().all(|x| rest.any(|y| x == y))
    }
}

impl Seen for Known {
    fn knows(&self, key: &[u8]) -> bool {
        let Some((threads, elements)) = bytes::split(key) else {
            return false;
        };
        let Some(known) = self.by_threads.get(threads) else {
            return false;
        };
        let numbers = elements.iter().map(|e| self.elements.get(*e).copied());
        let Some(mut numbers) = numbers.collect::<Option<Vec<u32>>>() else {
            return false;
        };
        numbers.sort_unstable();
        known.iter().any(|k| self.covers(k, &numbers))
    }

    fn insert(&mut self, key: &[u8]) -> bool {
        if self.knows(key) {
            return false;
        }
        let Some((threads, elements)) = bytes::split(key) else {
            return false;
        };
        let mut numbers = Vec::with_capacity(elements.len());
        for e in elements {
            let next = self.elements.len() as u32;
            numbers.push(*self.elements.entry(e.into()).or_insert(next));
        }
        numbers.sort_unstable();
        let mut known = self.by_threads.remove(threads).unwrap_or_default();
        known.retain(|k| !self.subsumption || !self.covers(&numbers, k));
        known.push(numbers.into());
        self.by_threads.insert(threads.into(), known);
        true
    }
}
