//! The explored space as data: states with their transitions, and the sizes of the trees it folds.

use super::label::Label;
use super::options::Trees;
use crate::equiv::node::Node;
use crate::equiv::template::Templates;

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

/// The transitions without their labels, row by row.
#[derive(Debug, Default)]
pub struct Skeleton {
    /// Where the row of each state ends.
    ends: Vec<u64>,
    targets: Vec<u32>,
    weights: Vec<u32>,
}

impl Skeleton {
    /// Adds the row of the next state.
    pub fn push(&mut self, row: impl Iterator<Item = (u32, u32)>) {
        for (target, weight) in row {
            self.targets.push(target);
            self.weights.push(weight);
        }
        self.ends.push(self.targets.len() as u64);
    }

    fn row(&self, state: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let start = if state == 0 { 0 } else { self.ends[state - 1] };
        let range = start as usize..self.ends[state] as usize;
        let targets = self.targets[range.clone()].iter().map(|t| *t as usize);
        targets.zip(self.weights[range].iter().copied())
    }

    /// The sizes of the trees. Every transition uses something up, so the graph has no cycle; a node of the tree is a
    /// path of the graph, and paths are counted in an order in which a state comes after all that lead to it.
    pub fn trees(&self) -> Trees {
        let count = self.ends.len();
        let mut incoming = vec![0u32; count];
        for target in &self.targets {
            incoming[*target as usize] += 1;
        }
        let mut paths: Vec<(Option<u128>, Option<u128>, u32)> = vec![(Some(0), Some(0), 0); count];
        if let Some(first) = paths.first_mut() {
            *first = (Some(1), Some(1), 0);
        }
        let mut trees = Trees {
            full: Some(0),
            reduced: Some(0),
            depth: 0,
        };
        let mut open: Vec<usize> = (0..count.min(1)).collect();
        while let Some(state) = open.pop() {
            let (full, reduced, depth) = paths[state];
            let add =
                |a: Option<u128>, b: Option<u128>| a.zip(b).and_then(|(a, b)| a.checked_add(b));
            trees.full = add(trees.full, full);
            trees.reduced = add(trees.reduced, reduced);
            trees.depth = trees.depth.max(depth);
            for (target, weight) in self.row(state) {
                let next = &mut paths[target];
                let many = full.and_then(|f| f.checked_mul(u128::from(weight)));
                next.0 = add(next.0, many);
                next.1 = add(next.1, reduced);
                next.2 = next.2.max(depth + 1);
                incoming[target] -= 1;
                if incoming[target] == 0 {
                    open.push(target);
                }
            }
        }
        trees
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diamond_unfolds_into_five_nodes() {
        let mut skeleton = Skeleton::default();
        skeleton.push([(1, 1), (2, 1)].into_iter());
        skeleton.push([(3, 1)].into_iter());
        skeleton.push([(3, 1)].into_iter());
        skeleton.push(std::iter::empty());
        let trees = skeleton.trees();
        assert_eq!(
            (trees.full, trees.reduced, trees.depth),
            (Some(5), Some(5), 2)
        );
    }

    #[test]
    fn weights_count_in_the_full_tree_only() {
        let mut skeleton = Skeleton::default();
        skeleton.push([(1, 2)].into_iter());
        skeleton.push([(2, 3)].into_iter());
        skeleton.push(std::iter::empty());
        let trees = skeleton.trees();
        assert_eq!((trees.full, trees.reduced), (Some(9), Some(3)));
    }
}
