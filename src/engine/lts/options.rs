//! The options of a state space, and the results.

use super::graph::Graph;
use crate::base::limits::Limits;
use crate::base::limits::StopReason;
use crate::engine::joint::Semantics;
use std::time::Duration;

/// How to explore.
#[derive(Clone, Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Options {
    /// Which internal communication is a transition [Sem 3.4].
    pub semantics: Semantics,
    /// A state reached before is not explored again.
    pub sharing: bool,
    /// States equal up to renaming are one, and of related threads only one moves.
    pub symmetry: bool,
    /// Undecided tests wait while other threads move, as in the S3A paper; otherwise they are
    /// decided at once.
    pub late: bool,
    /// Keep the states and the labels, not only their numbers.
    pub graph: bool,
    /// Worker threads; 0 for one per core.
    pub threads: usize,
    /// The limits.
    pub limits: Limits,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            semantics: Semantics::Classic,
            sharing: true,
            symmetry: true,
            late: false,
            graph: false,
            threads: 0,
            limits: Limits::default(),
        }
    }
}

/// What was covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Different states.
    pub states: u64,
    /// Transitions whose target had been reached before.
    pub matched: u64,
    /// Transitions.
    pub transitions: u64,
    /// Transitions left out because a related thread takes them.
    pub pruned: u64,
    /// States without a transition.
    pub ends: u64,
    /// The greatest distance of a state from the initial one.
    pub depth: u32,
    /// The most states at one distance.
    pub widest: u64,
    /// Bytes of the stored states: their vectors and the table of the components that vectors
    /// share.
    pub bytes: u64,
    /// Time taken.
    pub time: Duration,
}

/// The sizes of the trees that the graph is the folding of; `None` if a number does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trees {
    /// Nodes of the tree in which every thread moves.
    pub full: Option<u128>,
    /// Nodes of the tree in which of related threads one moves; the same number if symmetry was
    /// off.
    pub reduced: Option<u128>,
    /// The length of the longest path.
    pub depth: u32,
}

/// A state space.
#[derive(Debug)]
pub struct Space {
    /// Why the exploration ended early, if it did.
    pub stopped: Option<StopReason>,
    /// What was covered.
    pub stats: Stats,
    /// The trees, if the space is complete.
    pub trees: Option<Trees>,
    /// Why the trees of a complete space were not counted.
    pub uncounted: Option<StopReason>,
    /// States and labels, if they were wanted.
    pub graph: Option<Graph>,
}
