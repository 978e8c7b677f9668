//! What is asked of a claim beyond that it holds for the runs as written.

use super::Status;
use crate::analysis::{Decision, Outcome, Settings};
use crate::process::Expectation;

/// How far a claim must hold, common to the commands that judge claims.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Beyond what is written")]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Demands {
    /// Look only at the runs as written: not at every role instance twice, not at other assignments of agents
    #[arg(long)]
    pub as_written: bool,

    /// An attack beyond what is written counts like any other: exit code 1
    #[arg(long, conflicts_with = "as_written")]
    pub strict: bool,

    /// A claim that holds for these runs only is not enough: exit code 3
    #[arg(long)]
    pub require_proof: bool,
}

impl Demands {
    /// Settings that follow what is asked.
    pub(super) fn apply(&self, settings: &Settings) -> Settings {
        Settings {
            wider: !self.as_written,
            ..*settings
        }
    }

    /// What a decision means for the exit code.
    pub(super) fn status(&self, decision: &Decision) -> Status {
        match decision.outcome() {
            outcome if self.strict && outcome.holds() && decision.breaks_beyond() => {
                Status::Refuted
            }
            Outcome::Holds if self.require_proof => Status::Inconclusive,
            outcome => outcome.into(),
        }
    }

    /// Whether a decision is what a file expects.
    pub(super) fn met(&self, decision: &Decision, expected: Expectation) -> bool {
        let expected = match expected {
            // Comparisons that have no `!` have no proof.
            Expectation::Holds if self.require_proof && matches!(decision, Decision::One(_)) => {
                Expectation::Proof
            }
            expected => expected,
        };
        let broken = self.strict && decision.breaks_beyond();
        decision.meets(expected) && !broken
    }
}
