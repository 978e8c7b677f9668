//! The comparison on several processes: each owns the nodes whose bytes have one of its hashes.
//!
//! Nodes are expanded as in one process, and their paths keep the breadth-first order. So verdict,
//! counts and run are the same. Every process finds the run for itself: it walks the path to the
//! node whose child refutes again, with trails.
//!
//! Left to others: transport and rounds (`cluster`).

use super::bytes;
use super::explore::{CHUNK, Search};
use super::moves::expand;
use super::{Distinction, Outcome, Stats};
use crate::base::cluster::{
    Child, Cluster, End, Expanded, Explorer, Found, Halts, HitRule, Path, Rules, Seen, Stop,
    Totals, explore, hash, indices,
};
use crate::base::limits::StopReason;
use rustc_hash::FxHashSet;

/// Decides the comparison that a search is about, together with other processes.
pub(super) fn run(cluster: &Cluster, search: &Search<'_, '_>) -> Outcome {
    let options = search.setup.options;
    let rules = Rules {
        chunk: CHUNK,
        hit: HitRule::Before,
        bound: options.limits.states,
        ahead: false,
        depth: options.actions,
        sharing: options.reductions.share,
        threads: options.threads,
    };
    let mut known = Known::default();
    let roots = search.children(search.roots(false));
    let Found {
        end,
        totals,
        depth,
        hits,
        ..
    } = explore(cluster, search, &mut known, roots, &rules, search);
    let stats = search.stats_of(&totals, depth);
    match end {
        End::Complete => Outcome::Equivalent(stats),
        End::Bound => {
            let reason = StopReason::States(rules.bound.unwrap_or(totals.fresh));
            Outcome::Inconclusive(reason, stats)
        }
        End::Depth => {
            let reason = StopReason::Actions(rules.depth.unwrap_or(depth));
            Outcome::Inconclusive(reason, stats)
        }
        End::Lost(loss) => Outcome::Inconclusive(loss.into(), stats),
        End::Stopped(stop) => Outcome::Inconclusive(StopReason::heard(stop), stats),
        End::Hit => match search.walk(hits.first()) {
            Ok(distinction) => {
                let stats = search.stats_of(&totals, depth);
                Outcome::Distinguished(Box::new(distinction), stats)
            }
            Err(reason) => Outcome::Untold(reason, stats),
        },
    }
}

impl Search<'_, '_> {
    /// Children as the other processes get them, and how many are settled by themselves.
    fn children(&self, all: Vec<super::explore::Child>) -> (Vec<Child>, u64) {
        let mut children = Vec::with_capacity(all.len());
        let mut dropped = 0;
        for (index, child) in (0..).zip(all) {
            if child.settled {
                dropped += 1;
                continue;
            }
            let key = bytes::write(self.setup.store, &child.node, child.focus);
            children.push(Child {
                index,
                hash: hash(&key),
                key,
                state: Vec::new(),
                width: child.node.configs.len() as u64,
            });
        }
        (children, dropped)
    }

    fn stats_of(&self, totals: &Totals, depth: u32) -> Stats {
        Stats {
            nodes: totals.fresh,
            configurations: totals.width,
            matched: totals.children - totals.fresh,
            reflexive: totals.dropped,
            widest: totals.widest,
            depth,
            time: self.started.elapsed(),
            ..Stats::default()
        }
    }

    /// Walks to the node whose child refutes, with trails.
    fn walk(&self, path: Option<&Path>) -> Result<Distinction, StopReason> {
        let halt = &self.setup.halt;
        // A walk that leads nowhere was stopped, or the processes do not run the same program.
        let lost = || halt.reason().unwrap_or(StopReason::Interrupted);
        let way = path.and_then(|p| indices(p)).ok_or_else(lost)?;
        let mut candidates = self.roots(true);
        let mut refutation = None;
        for index in way {
            if let Some(reason) = halt.reason() {
                return Err(reason);
            }
            let child = candidates
                .into_iter()
                .nth(index as usize)
                .ok_or_else(lost)?;
            let expansion = expand(self.setup, child.node, child.focus);
            refutation = expansion.refutation;
            candidates = self.finish(expansion.children);
        }
        let refutation = refutation.ok_or_else(lost)?;
        halt.reason().map_or(Ok(()), Err)?;
        Ok(self.told(refutation))
    }
}

impl Explorer for Search<'_, '_> {
    fn expand(&self, state: &[u8]) -> Option<Expanded> {
        let setup = self.setup;
        let (node, focus) = bytes::read(setup.store, &setup.templates, state)?;
        let expanded = Search::expand(self, node, focus);
        let (children, dropped) = self.children(expanded.children);
        Some(Expanded {
            children,
            dropped,
            hit: expanded.refuted,
            flawed: false,
        })
    }
}

impl Halts for Search<'_, '_> {
    fn stop(&self) -> Option<Stop> {
        self.setup.halt.poll();
        self.setup.halt.reason().map(StopReason::told)
    }

    fn progress(&self, totals: &Totals, depth: u32, waiting: u64) {
        let stats = self.stats_of(totals, depth);
        self.observer.progress(&stats.progress(waiting as usize));
    }
}

/// The nodes that this process owns.
#[derive(Default)]
struct Known(FxHashSet<Box<[u8]>>);

impl Seen for Known {
    fn knows(&self, key: &[u8]) -> bool {
        self.0.contains(key)
    }

    fn insert(&mut self, key: &[u8]) -> bool {
        self.0.insert(key.into())
    }
}
