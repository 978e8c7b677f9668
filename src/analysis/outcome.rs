//! What was established, as one word of data: exit codes, expectations, tables and wordings all go by it.

use super::{ClaimResult, Comparison, ComparisonVerdict, Reach, Scope, Verdict};
use crate::process::Expectation;

/// What was established about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// No attacker violates it, however often each role instance runs, with whatever declared agents.
    Proved,
    /// No attacker violates it, however often each role instance runs, with the agents as they are written; others might.
    ProvedForAgents,
    /// No attacker violates it in the runs that were searched; more runs might.
    Holds,
    /// `reachable`: a run reaches the event.
    Reached,
    /// A certified run violates it.
    Attack,
    /// `reachable`: no run reaches the event.
    Unreachable,
    /// No test tells the systems apart, as they are written.
    Equivalent,
    /// No test tells the systems apart, with any number of copies of each `!`.
    EquivalentForAny,
    /// A certified test tells the systems apart.
    Different,
    /// It would hold, but nothing in the system makes it say anything.
    Vacuous,
    /// It would hold, but only because some role instance never finishes.
    NotExecutable,
    /// A limit was met first.
    Inconclusive,
    /// The analyser contradicts itself.
    Internal,
}

impl Outcome {
    /// Whether the claim holds, for whatever runs.
    pub fn holds(self) -> bool {
        matches!(
            self,
            Outcome::Proved
                | Outcome::ProvedForAgents
                | Outcome::Holds
                | Outcome::Reached
                | Outcome::Equivalent
                | Outcome::EquivalentForAny
        )
    }

    /// Whether the claim was proved for any number of runs.
    pub fn is_proved(self) -> bool {
        matches!(self, Outcome::Proved | Outcome::ProvedForAgents)
    }

    /// Whether the claim is violated.
    pub fn is_refuted(self) -> bool {
        matches!(
            self,
            Outcome::Attack | Outcome::Unreachable | Outcome::Different
        )
    }

    /// Whether this is what was expected. A proof is asked for only where there could be one: what is reached has none.
    pub fn meets(self, expected: Expectation) -> bool {
        match expected {
            Expectation::Holds => self.holds(),
            Expectation::Proof => {
                self.holds() && !matches!(self, Outcome::Holds | Outcome::Equivalent)
            }
            Expectation::Attack => self.is_refuted(),
        }
    }
}

impl Scope {
    /// Whether the claim was proved for any number of runs, no bound met.
    pub fn is_any_number(&self) -> bool {
        matches!(self.proved, Some(Reach::Repeated | Reach::Everyone))
            && self.recursion_cut.is_none()
            && self.copies.is_none()
    }
}

impl ClaimResult {
    /// What was established.
    pub fn outcome(&self) -> Outcome {
        match &self.verdict {
            Verdict::Holds { run: Some(_) } => Outcome::Reached,
            Verdict::Holds { run: None } if !self.scope.is_any_number() => Outcome::Holds,
            Verdict::Holds { run: None } if self.scope.any_agents => Outcome::Proved,
            Verdict::Holds { run: None } => Outcome::ProvedForAgents,
            Verdict::Attack(_) => Outcome::Attack,
            Verdict::Unreachable => Outcome::Unreachable,
            Verdict::Vacuous(_) => Outcome::Vacuous,
            Verdict::NotExecutable => Outcome::NotExecutable,
            Verdict::Inconclusive(_) | Verdict::Unconfirmed(_) => Outcome::Inconclusive,
            Verdict::Internal(_) => Outcome::Internal,
        }
    }
}

impl Comparison {
    /// What was established.
    pub fn outcome(&self) -> Outcome {
        match &self.verdict {
            ComparisonVerdict::Equivalent if self.vacuous.is_some() => Outcome::Vacuous,
            ComparisonVerdict::Equivalent if self.is_idle() => Outcome::NotExecutable,
            ComparisonVerdict::Equivalent if self.is_for_any_number() => Outcome::EquivalentForAny,
            ComparisonVerdict::Equivalent => Outcome::Equivalent,
            ComparisonVerdict::Distinguished(_) => Outcome::Different,
            ComparisonVerdict::Bounded(_)
            | ComparisonVerdict::Inconclusive(_)
            | ComparisonVerdict::Unconfirmed(_) => Outcome::Inconclusive,
            ComparisonVerdict::Internal(_) | ComparisonVerdict::Refused(_) => Outcome::Internal,
        }
    }
}
