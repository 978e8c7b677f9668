//! The explored space as data: states with their transitions, and the sizes of the trees it folds.

use super::label::Label;
use super::options::Trees;
use crate::equiv::StopReason;
use crate::equiv::node::Node;
use crate::equiv::template::Templates;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// States counted between two looks at the limits.
const LOOK: usize = 4096;

/// How the names of a target differ from those of the transition that leads there, where the state was first reached in
/// another way: pairs of a name in the target and the name in the label.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Renaming {
    /// Indices.
    pub indices: Vec<(u32, u32)>,
    /// Generics.
    pub generics: Vec<(u32, u32)>,
}

/// A transition.
#[derive(Clone, Debug)]
pub struct Edge {
    /// What is seen.
    pub label: Label,
    /// Where it leads.
    pub target: u32,
    /// Number of transitions that it stands for.
    pub weight: u32,
    /// `None` if the target keeps the names.
    pub renaming: Option<Renaming>,
}

/// A state with its transitions.
#[derive(Clone, Debug)]
pub struct Vertex {
    pub(crate) node: Node,
    /// The distance from the initial state.
    pub depth: u32,
    /// The transitions; `None` if the state was not explored.
    pub edges: Option<Vec<Edge>>,
}

/// States and transitions; state 0 is the initial one.
#[derive(Debug)]
pub struct Graph {
    pub(crate) templates: Templates,
    /// The states.
    pub vertices: Vec<Vertex>,
}

impl Graph {
    /// Number of transitions.
    pub fn transitions(&self) -> usize {
        let edges = self.vertices.iter().filter_map(|v| v.edges.as_ref());
        edges.map(Vec::len).sum()
    }
}

/// The paths to a state; the largest number stands for all that do not fit.
#[derive(Clone, Copy, Debug, Default)]
struct Paths {
    full: u128,
    reduced: u128,
    longest: u32,
}

/// The transitions without their labels, row by row.
#[derive(Debug, Default)]
pub struct Skeleton {
    /// Where the row of each state ends.
    ends: Vec<u64>,
    targets: Vec<u32>,
    weights: Vec<u32>,
}

impl Skeleton {
    /// Adds a transition to the row of the state whose turn it is.
    pub fn push(&mut self, target: u32, weight: u32) {
        self.targets.push(target);
        self.weights.push(weight);
    }

    /// Ends that row; it is the turn of the next state.
    pub fn end_row(&mut self) {
        self.ends.push(self.targets.len() as u64);
    }

    fn row(&self, state: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let start = if state == 0 { 0 } else { self.ends[state - 1] };
        let range = start as usize..self.ends[state] as usize;
        let targets = self.targets[range.clone()].iter().map(|t| *t as usize);
        targets.zip(self.weights[range].iter().copied())
    }

    /// The sizes of the trees. Every transition uses something up, so the graph has no cycle; a node of the tree is a
    /// path of the graph, and paths are counted in an order in which a state comes after all that lead to it. Numbers
    /// are kept only of states between their first and their last predecessor. `limit` is looked at now and then.
    pub fn trees(&self, limit: impl Fn() -> Option<StopReason>) -> Result<Trees, StopReason> {
        let mut incoming = vec![0u32; self.ends.len()];
        for target in &self.targets {
            incoming[*target as usize] += 1;
        }
        let mut begun: FxHashMap<u32, Paths> = FxHashMap::default();
        let mut open: VecDeque<(usize, Paths)> = VecDeque::new();
        if !self.ends.is_empty() {
            let start = Paths {
                full: 1,
                reduced: 1,
                longest: 0,
            };
            open.push_back((0, start));
        }
        let mut all = Paths::default();
        let mut done = 0usize;
        while let Some((state, paths)) = open.pop_front() {
            if done.is_multiple_of(LOOK)
                && let Some(reason) = limit()
            {
                return Err(reason);
            }
            done += 1;
            all.full = all.full.saturating_add(paths.full);
            all.reduced = all.reduced.saturating_add(paths.reduced);
            all.longest = all.longest.max(paths.longest);
            for (target, weight) in self.row(state) {
                let next = begun.entry(target as u32).or_default();
                let many = paths.full.saturating_mul(u128::from(weight));
                next.full = next.full.saturating_add(many);
                next.reduced = next.reduced.saturating_add(paths.reduced);
                next.longest = next.longest.max(paths.longest + 1);
                incoming[target] -= 1;
                if incoming[target] == 0
                    && let Some(paths) = begun.remove(&(target as u32))
                {
                    open.push_back((target, paths));
                }
            }
        }
        let fits = |n: u128| (n < u128::MAX).then_some(n);
        Ok(Trees {
            full: fits(all.full),
            reduced: fits(all.reduced),
            depth: all.longest,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(skeleton: &mut Skeleton, row: &[(u32, u32)]) {
        for (target, weight) in row {
            skeleton.push(*target, *weight);
        }
        skeleton.end_row();
    }

    #[test]
    fn a_diamond_unfolds_into_five_nodes() {
        let mut skeleton = Skeleton::default();
        row(&mut skeleton, &[(1, 1), (2, 1)]);
        row(&mut skeleton, &[(3, 1)]);
        row(&mut skeleton, &[(3, 1)]);
        row(&mut skeleton, &[]);
        let trees = skeleton.trees(|| None).expect("no limit");
        assert_eq!(
            (trees.full, trees.reduced, trees.depth),
            (Some(5), Some(5), 2)
        );
    }

    #[test]
    fn weights_count_in_the_full_tree_only() {
        let mut skeleton = Skeleton::default();
        row(&mut skeleton, &[(1, 2)]);
        row(&mut skeleton, &[(2, 3)]);
        row(&mut skeleton, &[]);
        let trees = skeleton.trees(|| None).expect("no limit");
        assert_eq!((trees.full, trees.reduced), (Some(9), Some(3)));
    }

    #[test]
    fn numbers_that_do_not_fit_are_left_out() {
        let mut skeleton = Skeleton::default();
        for state in 1..=140 {
            row(&mut skeleton, &[(state, 2)]);
        }
        row(&mut skeleton, &[]);
        let trees = skeleton.trees(|| None).expect("no limit");
        assert_eq!(
            (trees.full, trees.reduced, trees.depth),
            (None, Some(141), 140)
        );
    }

    #[test]
    fn counting_keeps_to_the_limits() {
        let mut skeleton = Skeleton::default();
        row(&mut skeleton, &[]);
        let trees = skeleton.trees(|| Some(StopReason::Memory(7)));
        assert_eq!(trees, Err(StopReason::Memory(7)));
    }
}
