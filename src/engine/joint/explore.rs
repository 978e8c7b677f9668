//! The breadth-first search over nodes, in parallel and deterministic.
//!
//! A layer of nodes is cut into chunks. The nodes of a chunk are expanded in parallel and the
//! results merged in order, so neither the verdict nor the run depends on the number of threads.
//! Breadth first, the first refutation takes the fewest visible actions, unless runs are
//! compressed. Of visited nodes only keys and parents are kept. The run to a refutation is found by
//! walking the same path again, with trails.

use super::canonical::{Key, canonical};
use super::compress::are_simple;
use super::distinction::Distinction;
use super::halt::Halt;
use super::moves::{Expansion, Next, Refutation, expand};
use super::node::{Config, Node, Side, Thread};
use super::options::{Options, Outcome, Stats, Surroundings};
use super::public_names;
use super::saturate;
use super::settle::settle;
use super::setup::Setup;
use super::subsumption::{Outline, fits};
use super::template::Templates;
use super::trail::Trail;
use crate::attacker::solver::{Generics, Lambda};
use crate::base::limits::{Observer, StopReason};
use crate::process::System;
use crate::term::{NameClass, TermId, TermStore};
use rayon::prelude::*;
use rustc_hash::FxHashSet;
use std::time::Instant;

/// Nodes expanded between two checks of the limits.
pub(super) const CHUNK: usize = 256;

/// Decides whether two systems are equivalent, or in the preorder, by exploring them together.
pub(crate) fn explore(
    store: &TermStore,
    left: &System,
    right: &System,
    surroundings: &Surroundings<'_>,
    options: &Options,
    observer: &dyn Observer,
) -> Outcome {
    let started = Instant::now();
    let names = left.names.len().max(right.names.len());
    let reductions = &options.reductions;
    let mut templates = Templates::new(store, left, right, &[]);
    let compressed = reductions.compress && !options.preorder && are_simple(store, &templates);
    let mut public_names = Vec::new();
    if reductions.common_renaming && reductions.public_renaming {
        public_names = public_names::of(store, &templates, surroundings.knows);
        templates = Templates::new(store, left, right, &public_names);
    }
    let setup = Setup {
        store,
        spies: surroundings.spies,
        compressed,
        templates,
        public_names,
        pool: (0..names as u32)
            .map(|i| store.name(NameClass::Restricted, "·", i))
            .collect(),
        options,
        halt: Halt::new(&options.limits, observer),
    };
    let search = || {
        let mut search = Search::new(&setup, surroundings, observer, started);
        #[cfg(feature = "distributed")]
        if let Some(cluster) = observer.cluster() {
            return super::distributed::run(cluster, &search);
        }
        let end = search.run();
        search.stats.time = started.elapsed();
        match end {
            End::Covered => Outcome::Equivalent(search.stats),
            End::Stopped(reason) => Outcome::Inconclusive(reason, search.stats),
            End::Refuted(parent) => match search.tell(parent) {
                Ok(distinction) => Outcome::Distinguished(Box::new(distinction), search.stats),
                Err(reason) => Outcome::Untold(reason, search.stats),
            },
        }
    };
    match rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .stack_size(64 << 20)
        .build()
    {
        Ok(pool) => pool.install(search),
        Err(_) => search(),
    }
}

enum End {
    Covered,
    /// A child of this node refutes.
    Refuted(u32),
    Stopped(StopReason),
}

/// The state of the search.
pub(super) struct Search<'a, 'b> {
    pub(super) setup: &'a Setup<'b>,
    surroundings: &'a Surroundings<'a>,
    pub(super) observer: &'a dyn Observer,
    pub(super) started: Instant,
    seen: FxHashSet<Key>,
    /// Key of each node.
    keys: Vec<Key>,
    /// Parent of each node; the first ones are their own parents.
    parents: Vec<u32>,
    stats: Stats,
}

/// A child, in canonical form.
pub(super) struct Child {
    pub(super) node: Node,
    key: Key,
    /// If set, only actions on this channel are followed.
    pub(super) focus: Option<TermId>,
    /// Its sides have the same traces, so it need not be explored.
    pub(super) settled: bool,
}

/// A pending node.
struct Waiting {
    id: u32,
    node: Node,
    focus: Option<TermId>,
}

/// The children of a node, and whether one of them refutes.
pub(super) struct Expanded {
    pub(super) children: Vec<Child>,
    pub(super) refuted: bool,
}

impl<'a, 'b> Search<'a, 'b> {
    fn new(
        setup: &'a Setup<'b>,
        surroundings: &'a Surroundings<'a>,
        observer: &'a dyn Observer,
        started: Instant,
    ) -> Self {
        Self {
            setup,
            surroundings,
            observer,
            started,
            seen: FxHashSet::default(),
            keys: Vec::new(),
            parents: Vec::new(),
            stats: Stats::default(),
        }
    }

    /// The settled nodes before any action.
    pub(super) fn roots(&self, trail: bool) -> Vec<Child> {
        let sides = [Side::Left, Side::Right];
        let configs = sides.map(|side| Config {
            side,
            threads: self.setup.templates.roots[side as usize]
                .iter()
                .map(|(template, values)| Thread {
                    template: *template,
                    values: values.clone(),
                })
                .collect(),
            terms: Vec::new(),
        });
        let empty = Node {
            level: 0,
            lives: Vec::new(),
            generics: Generics::new(),
            lambda: Lambda::new(),
            configs: configs.into(),
            trail: trail.then(|| Box::new(Trail::new())),
        };
        let mut settled = Vec::new();
        for node in saturate::start(self.setup, empty, self.surroundings.knows) {
            settle(self.setup, node, &mut settled);
        }
        let free = |node| Next { node, focus: None };
        self.finish(settled.into_iter().map(free).collect())
    }

    /// The canonical forms; none after a halt, when they are not used.
    pub(super) fn finish(&self, nodes: Vec<Next>) -> Vec<Child> {
        let halt = &self.setup.halt;
        let finish = |next: Next| {
            let mut focus = next.focus;
            let (node, key) = canonical(self.setup, next.node, &mut focus);
            let settled =
                self.setup.options.reductions.reflexive && settled_by_itself(self.setup, &node);
            Child {
                node,
                key,
                focus,
                settled,
            }
        };
        let going = |_: &Next| !halt.stopped();
        nodes.into_iter().take_while(going).map(finish).collect()
    }

    pub(super) fn expand(&self, node: Node, focus: Option<TermId>) -> Expanded {
        let Expansion {
            children,
            refutation,
        } = expand(self.setup, node, focus);
        let refuted = refutation.is_some();
        Expanded {
            children: if refuted {
                Vec::new()
            } else {
                self.finish(children)
            },
            refuted,
        }
    }

    /// Stores the children that are new, and appends them to the layer.
    fn merge(&mut self, parent: Option<u32>, children: Vec<Child>, layer: &mut Vec<Waiting>) {
        let reductions = &self.setup.options.reductions;
        for child in children {
            let Child {
                node,
                key,
                focus,
                settled,
            } = child;
            if settled {
                self.stats.reflexive += 1;
                continue;
            }
            let id = self.parents.len() as u32;
            if reductions.share && !self.seen.insert(key.clone()) {
                self.stats.matched += 1;
                continue;
            }
            self.keys.push(key);
            self.parents.push(parent.unwrap_or(id));
            self.stats.nodes += 1;
            let width = node.configs.len() as u64;
            self.stats.configurations += width;
            self.stats.widest = self.stats.widest.max(width);
            layer.push(Waiting { id, node, focus });
        }
    }

    fn run(&mut self) -> End {
        let mut layer = Vec::new();
        let roots = self.roots(false);
        if let Some(reason) = self.setup.halt.reason() {
            return End::Stopped(reason);
        }
        self.merge(None, roots, &mut layer);
        while !layer.is_empty() {
            let mut next = Vec::new();
            let mut rest = layer.into_iter();
            loop {
                let chunk: Vec<Waiting> = rest.by_ref().take(CHUNK).collect();
                if chunk.is_empty() {
                    break;
                }
                let expanded: Vec<(u32, Expanded)> = chunk
                    .into_par_iter()
                    .map(|w| (w.id, self.expand(w.node, w.focus)))
                    .collect();
                if let Some(reason) = self.setup.halt.reason() {
                    return End::Stopped(reason);
                }
                for (id, e) in expanded {
                    if e.refuted {
                        return End::Refuted(id);
                    }
                    self.merge(Some(id), e.children, &mut next);
                }
                self.stats.time = self.started.elapsed();
                self.observer
                    .progress(&self.stats.progress(rest.len() + next.len()));
                if let Some(reason) = self.limit() {
                    return End::Stopped(reason);
                }
            }
            self.stats.depth += 1;
            layer = next;
            if let Some(n) = self.setup.options.actions
                && self.stats.depth >= n
                && !layer.is_empty()
            {
                return End::Stopped(StopReason::Actions(n));
            }
        }
        End::Covered
    }

    fn limit(&self) -> Option<StopReason> {
        let limits = &self.setup.options.limits;
        if limits.states.is_some_and(|n| self.stats.nodes > n) {
            return limits.states.map(StopReason::States);
        }
        self.setup.halt.poll();
        self.setup.halt.reason()
    }

    /// Walks to the node whose child refutes, with trails.
    fn tell(&self, last: u32) -> Result<Distinction, StopReason> {
        let going = || self.setup.halt.reason().map_or(Ok(()), Err);
        let mut way = vec![last];
        while let Some(id) = way.last()
            && self.parents[*id as usize] != *id
        {
            way.push(self.parents[*id as usize]);
        }
        let mut candidates = self.roots(true);
        let mut refutation = None;
        while let Some(id) = way.pop() {
            going()?;
            let key = &self.keys[id as usize];
            let Child { node, focus, .. } = candidates
                .into_iter()
                .find(|c| c.key == *key)
                .expect("expanding a node twice gives the same children");
            let expansion = expand(self.setup, node, focus);
            refutation = expansion.refutation;
            candidates = self.finish(expansion.children);
        }
        going()?;
        let refutation = refutation.expect("expanding a node twice gives the same children");
        Ok(self.told(refutation))
    }

    /// The run that a refutation found with trails stands for.
    pub(super) fn told(&self, refutation: Refutation) -> Distinction {
        let Refutation {
            side,
            reason,
            trail,
        } = refutation;
        let trail = trail.expect("the roots carried a trail");
        let shortest = !self.setup.compressed;
        Distinction::new(self.setup.store, side, reason, &trail, shortest)
    }
}

/// Whether the configurations of the two sides are the same, or within those of the other; for a
/// preorder, whether those of the smaller side are within those of the larger one.
fn settled_by_itself(setup: &Setup<'_>, node: &Node) -> bool {
    let first_right = node.configs.partition_point(|c| c.side == Side::Left);
    let (left, right) = node.configs.split_at(first_right);
    let same = |(a, b): (&Config, &Config)| a.threads == b.threads && a.terms == b.terms;
    if left.len() == right.len() && left.iter().zip(right).all(same) {
        return true;
    }
    if !setup.options.reductions.subsume {
        return false;
    }
    let [left, right] = [left, right].map(|side| {
        let outlined = |c| (c, Outline::of(setup, c));
        side.iter().map(outlined).collect::<Vec<_>>()
    });
    let covered = |by: &[(&Config, Outline)], (c, outline): &(&Config, Outline)| {
        let mut pairs = by.iter().map(|(d, other)| (*d, other));
        !setup.halt.stopped() && pairs.any(|large| fits(setup, (c, outline), large))
    };
    left.iter().all(|l| covered(&right, l))
        && (setup.options.preorder || right.iter().all(|r| covered(&left, r)))
}
