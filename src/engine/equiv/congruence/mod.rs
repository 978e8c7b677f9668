//! Structural congruence: systems that are the same but for the names of restrictions and variables, the order and grouping of
//! parallel compositions, and what nobody sees [Sem 5.4].
//!
//! *Congruent systems have the same traces*, in either semantics, so both `S ~ T` and `S <= T` hold. Every `new` is a name of its
//! own ([`crate::process`]), so a system is a tree of inputs, outputs and tests, of which the children of a fork have no order;
//! events and tests that guard nothing are left out, since the environment can't see them. Congruent means: a bijection of
//! the trees' steps that keeps parents and branches, and one of the names, under which the terms of all steps are the same;
//! variables follow the steps that bind them. It turns each run of the one system into a run of the other, step by step, with the same recipes.
//! Renamed are restricted names and declared private ones, as long as they do not occur in what the environment knows from the start: it
//! has no other way to speak of them than by what it hears.
//!
//! The bijection of names is found by refinement of one partition of the steps and names of both systems ([`partition`]): what
//! is in different cells has different neighbours. A cell with more of one side than of the other shows that there is none. Where a
//! tie of names is left, one of them is paired with each candidate in turn. That is how isomorphism of graphs is decided in practice; it
//! takes little time, except for graphs made to be hard, and then it gives up: which costs work and nothing else. What was found is
//! checked on the terms themselves, so that nothing rests on hashes.

mod graph;
mod partition;

use crate::process::{Action, System};
use crate::term::{TermId, TermStore};
use graph::{Branch, Graph};
use partition::{Exhausted, Partition};
use rustc_hash::FxHashMap;

/// Whether two systems are found to be structurally congruent in an environment that knows these terms.
pub fn congruent(
    store: &TermStore,
    left: &System,
    right: &System,
    knows: &[TermId],
    edges: usize,
) -> bool {
    let Some(graph) = Graph::new(store, [left, right], knows) else {
        return false;
    };
    let search = Search {
        store,
        systems: [left, right],
        graph: &graph,
        patience: edges as u64,
    };
    search.run().is_ok_and(|found| found)
}

/// A tie that was broken: which of how many candidates was taken.
#[derive(Clone, Copy)]
struct Choice {
    taken: usize,
    of: usize,
}

struct Search<'a> {
    store: &'a TermStore,
    systems: [&'a System; 2],
    graph: &'a Graph,
    /// Edges looked at before the search for a renaming is given up.
    patience: u64,
}

impl Search<'_> {
    /// Tries the ways to break ties in turn, each from the start: the first one does unless the graph is a strange one.
    fn run(&self) -> Result<bool, Exhausted> {
        let mut patience = self.patience;
        let mut choices: Vec<Choice> = Vec::new();
        loop {
            if let Some(partition) = self.attempt(&mut choices, &mut patience)?
                && self.holds(&partition)
            {
                return Ok(true);
            }
            loop {
                match choices.pop() {
                    None => return Ok(false),
                    Some(Choice { taken, of }) if taken + 1 < of => {
                        let taken = taken + 1;
                        choices.push(Choice { taken, of });
                        break;
                    }
                    Some(_) => {}
                }
            }
        }
    }

    /// Refines until each name has one counterpart; ties are broken as was chosen, and then by the first candidate.
    fn attempt(
        &self,
        choices: &mut Vec<Choice>,
        patience: &mut u64,
    ) -> Result<Option<Partition>, Exhausted> {
        let Some(mut partition) = Partition::new(self.graph, patience)? else {
            return Ok(None);
        };
        let mut depth = 0;
        while let Some((name, candidates)) = partition.tie(self.graph, patience)? {
            if depth == choices.len() {
                choices.push(Choice {
                    taken: 0,
                    of: candidates.len(),
                });
            }
            let other = candidates[choices[depth].taken];
            depth += 1;
            if !partition.pair(self.graph, name, other, patience)? {
                choices.truncate(depth);
                return Ok(None);
            }
        }
        Ok(Some(partition))
    }

    /// Whether pairing what shares a cell turns the left system into the right one.
    fn holds(&self, partition: &Partition) -> bool {
        let graph = self.graph;
        let Some(mut image) = self.names(partition) else {
            return false;
        };
        let mut work = vec![(graph.roots[0].clone(), graph.roots[1].clone())];
        while let Some((mut left, mut right)) = work.pop() {
            if left.len() != right.len() {
                return false;
            }
            let cell = |v: &u32| partition.cell(*v);
            left.sort_by_key(cell);
            right.sort_by_key(cell);
            for (l, r) in left.into_iter().zip(right) {
                if !self.same_step(l, r, &mut image) {
                    return false;
                }
                for branch in [Branch::Then, Branch::Otherwise] {
                    let [l, r] = [l, r].map(|v| graph.children(v, branch));
                    if !(l.is_empty() && r.is_empty()) {
                        work.push((l, r));
                    }
                }
            }
        }
        true
    }

    /// The renaming of the left names.
    fn names(&self, partition: &Partition) -> Option<FxHashMap<TermId, TermId>> {
        let graph = self.graph;
        let mut image = FxHashMap::default();
        for (name, vertex) in &graph.names[0] {
            let other = partition.counterpart(graph, *vertex)?;
            image.insert(*name, graph.name_of(other)?);
        }
        Some(image)
    }

    /// Whether the left step is the right one under the renaming, which is extended by the variables they bind.
    fn same_step(&self, l: u32, r: u32, image: &mut FxHashMap<TermId, TermId>) -> bool {
        let [left, right] = [(0, l), (1, r)].map(|(side, v)| {
            let step = self.graph.step_of(v);
            step.map(|s| &self.systems[side].step(s).action)
        });
        let mut bind = |from: &[u32], to: &[u32]| {
            for (x, y) in from.iter().zip(to) {
                image.insert(self.store.var(*x), self.store.var(*y));
            }
            from.len() == to.len()
        };
        let bound = match (left, right) {
            (Some(Action::Output { .. }), Some(Action::Output { .. })) => true,
            (Some(Action::Input { binder: x, .. }), Some(Action::Input { binder: y, .. })) => {
                bind(&[*x], &[*y])
            }
            (Some(Action::Test { test: x, .. }), Some(Action::Test { test: y, .. })) => {
                bind(&x.binds, &y.binds)
            }
            _ => false,
        };
        let renamed = |t: TermId| (self.store).map_atoms(t, &mut |atom| image.get(&atom).copied());
        bound
            && left.zip(right).is_some_and(|(left, right)| {
                let [left, right] = [left, right].map(graph::terms);
                left.len() == right.len() && left.iter().zip(&right).all(|(a, b)| renamed(*a) == *b)
            })
    }
}
