//! What the user asked for, in the terms of the analyses.

use crate::base::limits::{Budgets, Limits};
pub use crate::certify::Semantics;
use crate::engine::search::Options;
use crate::process::Bounds;
use std::time::{Duration, Instant};

/// Limits as the user gives them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitSpec {
    /// Time for each claim.
    pub timeout: Option<Duration>,
    /// States for each claim.
    pub states: Option<u64>,
    /// Resident memory of the process, in bytes.
    pub memory: Option<u64>,
    /// For equivalences: steps of the causal cones; without it they and the joint exploration take turns.
    pub steps: Option<u64>,
    /// When the time of the claim at hand ends.
    pub deadline: Option<Instant>,
}

impl LimitSpec {
    /// The limits of a claim that starts now: all its searches together have the one time.
    #[must_use]
    pub fn pinned(self) -> Self {
        let deadline = self.timeout.map(|t| Instant::now() + t);
        Self {
            deadline: self.deadline.or(deadline),
            ..self
        }
    }

    /// The limits of an analysis that starts now.
    pub fn start(&self) -> Limits {
        Limits {
            states: self.states,
            deadline: self.pinned().deadline,
            memory: self.memory,
        }
    }
}

/// How to analyse.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools)]
pub struct Settings {
    /// The attacker respects declared types, tuples keep their arity [Sem 4.5].
    pub typed: bool,
    /// List all attacks that differ.
    pub all: bool,
    /// Unfolding of recursion and bare replication.
    pub bounds: Bounds,
    /// Generate all assignments of agents to this many role instances instead of taking the system as written.
    pub sessions: Option<u32>,
    /// Reductions, the transparent attacker, worker threads.
    pub search: Options,
    /// When to give up.
    pub limits: LimitSpec,
    /// How much is tried before something gives up by itself.
    pub budgets: Budgets,
    /// Claims are first tried to be proved for any number of runs.
    pub proofs: bool,
    /// Between two attempts at a proof there is a brief search.
    pub brief: bool,
    /// After a claim that holds, look whether more runs or other agents than are written break it.
    pub wider: bool,
    /// For equivalences: each role instance any number of times, if that can be shown.
    pub any: bool,
    /// For equivalences.
    pub semantics: Semantics,
    /// For equivalences: of the runs of simple systems only those in a normal form are explored.
    pub compression: bool,
    /// For equivalences: systems with channels for each thread are compared by causal cones.
    pub cones: bool,
    /// For equivalences: systems on shared channels are first compared role by role.
    pub by_role: bool,
    /// For equivalences: systems that are structurally congruent are not explored.
    pub congruence: bool,
    /// After an untyped attack, look whether it needs a type confusion.
    pub compare_typed: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            typed: false,
            all: false,
            bounds: Bounds {
                copies: 2,
                ..Bounds::default()
            },
            sessions: None,
            search: Options::default(),
            limits: LimitSpec::default(),
            budgets: Budgets::default(),
            proofs: true,
            brief: true,
            wider: true,
            any: false,
            semantics: Semantics::Classic,
            compression: true,
            cones: true,
            by_role: true,
            congruence: true,
            compare_typed: true,
        }
    }
}
