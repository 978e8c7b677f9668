//! The options of a comparison, and its outcome.

use super::distinction::Distinction;
use crate::base::limits::{Budgets, Limits, Progress, StopReason};
pub use crate::certify::Semantics;
use crate::certify::equivalence::EquivalenceError;
use crate::term::TermId;
use std::time::Duration;

/// The reductions. None changes the verdict, and all are on by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Reductions {
    /// A node that was seen is not explored again.
    pub share: bool,
    /// Configurations equal up to their restricted names are one.
    pub merge: bool,
    /// Nodes equal up to a common renaming of indices and generics are one.
    pub common_renaming: bool,
    /// Nodes equal up to a common renaming of public names are one.
    pub public_renaming: bool,
    /// Generics that occur nowhere are dropped.
    pub drop_generics: bool,
    /// Dead elements that no open message could use are dropped.
    pub drop_elements: bool,
    /// Levels are renumbered by what is alive.
    pub renumber_levels: bool,
    /// A node whose two sides have the same configurations is not explored.
    pub reflexive: bool,
    /// Of threads that an exchange of private names relates, one moves.
    pub symmetry: bool,
    /// Configurations that add no trace, because another one of their side has their threads, are
    /// dropped.
    pub subsume: bool,
    /// Of the runs of simple systems, those in a normal form are enough.
    pub compress: bool,
    /// Systems with channels for each thread are compared by the causal cones of what can be seen.
    pub cones: bool,
    /// Of the cones, those that add nothing to what was found with fewer actions or more choices
    /// are left out.
    pub contained: bool,
    /// Systems on shared channels are first compared role by role.
    pub by_role: bool,
    /// Systems that are structurally congruent are not explored.
    pub congruence: bool,
}

impl Default for Reductions {
    fn default() -> Self {
        Self {
            share: true,
            merge: true,
            common_renaming: true,
            public_renaming: true,
            drop_generics: true,
            drop_elements: true,
            renumber_levels: true,
            reflexive: true,
            symmetry: true,
            subsume: true,
            compress: true,
            cones: true,
            contained: true,
            by_role: true,
            congruence: true,
        }
    }
}

impl Reductions {
    /// The plain tree search.
    pub fn none() -> Self {
        Self {
            share: false,
            merge: false,
            common_renaming: false,
            public_renaming: false,
            drop_generics: false,
            drop_elements: false,
            renumber_levels: false,
            reflexive: false,
            symmetry: false,
            subsume: false,
            compress: false,
            cones: false,
            contained: false,
            by_role: false,
            congruence: false,
        }
    }
}

/// How to compare.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Classic or private.
    pub semantics: Semantics,
    /// Only ask whether every run of the left system is one of the right system.
    pub preorder: bool,
    /// Worker threads; 0 for one per core.
    pub threads: usize,
    /// When to give up; states are nodes.
    pub limits: Limits,
    /// The number of visible actions: longer runs are not explored.
    pub actions: Option<u32>,
    /// The work of the causal cones, in steps. Without it they and the joint exploration take turns
    /// [Sem 5.8].
    pub steps: Option<u64>,
    /// How much is tried.
    pub budgets: Budgets,
    /// What to leave out.
    pub reductions: Reductions,
    /// Take the solver's solutions in reverse order; the verdict must not change.
    pub reversed: bool,
}

/// The surroundings of both systems.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surroundings<'a> {
    /// Initial knowledge of the attacker beyond public names.
    pub knows: &'a [TermId],
    /// The agents that the attacker plays.
    pub spies: &'a [TermId],
}

/// How equivalence was established.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// By joint exploration: the numbers are those of nodes and configurations.
    #[default]
    Joint,
    /// By causal cones: the numbers are those of most general runs and of looks at them.
    Cones,
    /// The systems are structurally congruent, and nothing was explored.
    Congruence,
}

/// What was covered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Different nodes.
    pub nodes: u64,
    /// Configurations in them.
    pub configurations: u64,
    /// Children that had been seen before.
    pub matched: u64,
    /// Children whose sides were the same.
    pub reflexive: u64,
    /// The most configurations in one node.
    pub widest: u64,
    /// Visible actions that are covered completely.
    pub depth: u32,
    /// How equivalence was established.
    pub way: Way,
    /// It was established role by role, each thread answered by its counterpart.
    pub by_role: bool,
    /// The steps within which the causal cones did not decide.
    pub gave_up: Option<u64>,
    /// Nodes of joint explorations that did not decide in their turn.
    pub left: u64,
    /// Time taken.
    pub time: Duration,
}

impl Stats {
    /// For the observer.
    pub(crate) fn progress(&self, waiting: usize) -> Progress {
        Progress {
            states: self.nodes,
            depth: self.depth,
            waiting,
            time: self.time,
        }
    }

    /// Both together.
    #[must_use]
    pub fn and(&self, other: &Stats) -> Stats {
        Stats {
            nodes: self.nodes + other.nodes,
            configurations: self.configurations + other.configurations,
            matched: self.matched + other.matched,
            reflexive: self.reflexive + other.reflexive,
            widest: self.widest.max(other.widest),
            depth: self.depth.max(other.depth),
            way: other.way,
            by_role: other.by_role,
            gave_up: self.gave_up.max(other.gave_up),
            left: self.left + other.left,
            time: self.time + other.time,
        }
    }
}

/// How a comparison ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The systems are equivalent (or in the preorder).
    Equivalent(Stats),
    /// They are not.
    Distinguished(Box<Distinction>, Stats),
    /// They were said to be equivalent, and the check of the certificate refuses it: a mistake of ours.
    Refused(EquivalenceError, Stats),
    /// It is not known.
    Inconclusive(StopReason, Stats),
    /// They are not, but a limit was met before the run was found again.
    Untold(StopReason, Stats),
}

impl Outcome {
    pub(crate) fn stats_mut(&mut self) -> &mut Stats {
        match self {
            Outcome::Equivalent(s)
            | Outcome::Distinguished(_, s)
            | Outcome::Refused(_, s)
            | Outcome::Inconclusive(_, s)
            | Outcome::Untold(_, s) => s,
        }
    }

    /// What was covered.
    pub fn stats(&self) -> &Stats {
        match self {
            Outcome::Equivalent(s)
            | Outcome::Distinguished(_, s)
            | Outcome::Refused(_, s)
            | Outcome::Inconclusive(_, s)
            | Outcome::Untold(_, s) => s,
        }
    }
}
