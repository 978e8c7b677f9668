//! Verdicts as data: what was established, for what, and why not more.

use super::{Attack, AttackError, Gate, Reach, Shown, Vacuity, Wider};
use crate::base::limits::StopReason;
use crate::certify::proof::ProofError;
use crate::engine::prove::Proof;
use crate::engine::search::Stats;
use crate::process::Claim;
use std::fmt;

/// The systems of `--sessions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generated {
    /// How many there are.
    pub systems: usize,
    /// Of how many role instances each.
    pub instances: u32,
    /// These are all; otherwise a limit was met while they were generated.
    pub complete: bool,
}

/// What a verdict is about [Sem 6.2].
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Scope {
    /// The system.
    pub system: String,
    /// The declared agents, spies last.
    pub agents: Vec<String>,
    /// Sorts limit who may play what.
    pub sorts: bool,
    /// Its role instances, as written: `Init(A, B)`.
    pub instances: Vec<String>,
    /// The roles whose agents `--sessions` chooses.
    pub roles: Vec<String>,
    /// Generated assignments.
    pub generated: Option<Generated>,
    /// How many of them were searched to the end without a violation.
    pub finished: Option<usize>,
    /// Generated assignments were asked for, but the system has no role instances at its top to replace.
    pub as_written: bool,
    /// The claim was proved, for this.
    pub proved: Option<Reach>,
    /// The proof also covers every assignment of the declared agents to the roles.
    pub any_agents: bool,
    /// Recursion was cut after this many returns.
    pub recursion_cut: Option<u32>,
    /// Bare `!` was taken as this many copies.
    pub copies: Option<u32>,
    /// Powers of groups were computed: of two exponents at most.
    pub powers: bool,
    /// The attacker respected declared types.
    pub typed: bool,
    /// Only attackers that leave no role stuck were considered.
    pub transparent: bool,
}

/// An engine and the certifier disagree: a mistake of ours, never shown as an attack or a proof.
#[derive(Clone, Debug)]
pub enum InternalError {
    /// No proposed run was confirmed.
    NotConfirmed(AttackError),
    /// The certificate of a proof was rejected.
    ProofRefused(ProofError),
}

impl fmt::Display for InternalError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (proposal, error): (_, &dyn fmt::Display) = match self {
            InternalError::NotConfirmed(e) => {
                ("search proposed an attack that its replay", &e.error)
            }
            InternalError::ProofRefused(e) => ("prover proposed a proof that its check", e),
        };
        write!(
            f,
            "the {proposal} rejects ({error}); this is a mistake in spi: please report it"
        )
    }
}

/// What was established.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No attacker violates the claim, within the scope. For `reachable`: the event is reached, by this run.
    Holds {
        /// The run that shows a `reachable` claim.
        run: Option<Box<Attack>>,
    },
    /// The claim is violated: certified attacks, the shortest first.
    Attack(Vec<Attack>),
    /// `reachable`: no run reaches the event.
    Unreachable,
    /// The claim would hold, but nothing makes it say anything.
    Vacuous(Vacuity),
    /// The claim would hold, but only because some role instance never finishes.
    NotExecutable,
    /// A limit was met first.
    Inconclusive(StopReason),
    /// A run was found, but a limit was met before it was confirmed.
    Unconfirmed(StopReason),
    /// The analyser contradicts itself.
    Internal(InternalError),
}

/// A claim with what was established about it.
#[derive(Clone, Debug)]
pub struct ClaimResult {
    /// The claim.
    pub claim: Claim,
    /// What was established.
    pub verdict: Verdict,
    /// For what.
    pub scope: Scope,
    /// At what cost.
    pub stats: Stats,
    /// The proof, if nothing was searched.
    pub proof: Option<Proof>,
    /// What shows it, if there is a proof.
    pub certificate: Option<Shown>,
    /// The limit that was met, if one was: a list of attacks is then not complete.
    pub stopped: Option<StopReason>,
    /// The honest runs of the system.
    pub gate: Option<Gate>,
    /// The attack was found untyped; this says whether one exists when types are respected.
    pub also_typed: Option<bool>,
    /// What was seen beyond what is written, if that was looked at.
    pub wider: Option<Wider>,
}
