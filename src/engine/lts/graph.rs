//! The explored space as data: states with their transitions.

use super::label::Label;
use crate::engine::joint::node::Node;
use crate::engine::joint::template::Templates;

/// The renaming between a target and the transition that leads there, if the state was first
/// reached in another way: pairs of a name in the target and the name in the label.
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
    /// The label.
    pub label: Label,
    /// The target.
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
