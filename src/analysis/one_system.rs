//! Searching one unfolded system: what is proposed is certified before anything is said of it.

use super::attack::Certifier;
use super::guard::after_search;
use super::question::Question;
use super::{Attack, InternalError, Settings, Verdict};
use crate::attacker::solver::Typing;
use crate::base::limits::StopReason;
use crate::certify::CertifyError;
use crate::engine::search::{Goal, Options, Outcome, Setup, Stats, explore};
use crate::process::{Bounds, ClaimKind, InstanceId, Program, System, UnfoldError};
use crate::term::TermStore;
use std::sync::Arc;

/// What a search over one system came to.
pub(super) struct Found {
    pub verdict: Verdict,
    pub stats: Stats,
    pub stopped: Option<StopReason>,
    pub cut: bool,
    pub copied: bool,
    pub instances: Vec<String>,
    /// Of several systems, how many were searched to the end.
    pub finished: usize,
}

impl Found {
    /// Whether everything was searched, and nothing violates the claim.
    pub(super) fn is_complete(&self) -> bool {
        self.stopped.is_none() && matches!(self.verdict, Verdict::Holds { .. })
    }

    /// Nothing was found, since there was nothing to search.
    pub(super) fn nothing(claim: &ClaimKind) -> Self {
        let verdict = match claim {
            ClaimKind::Reachable { .. } => Verdict::Unreachable,
            _ => Verdict::Holds { run: None },
        };
        Self {
            verdict,
            stats: Stats::default(),
            stopped: None,
            cut: false,
            copied: false,
            instances: Vec::new(),
            finished: 0,
        }
    }
}

/// The bounds of a search. The transparent attacker must see where roles would be stuck.
pub(super) fn search_bounds(settings: &Settings) -> Bounds {
    Bounds {
        trim: !settings.search.transparent,
        ..settings.bounds
    }
}

/// Searches an unfolded system of a program; the instances are not yet named.
pub(super) fn search_system(
    question: &Question<'_>,
    program: &Program,
    system: &Arc<System>,
) -> Result<Found, UnfoldError> {
    let Question {
        store,
        claim,
        settings,
        observer,
        ..
    } = *question;
    let Some(goal) = Goal::new(store, system, claim) else {
        return Err(UnfoldError::OtherKind);
    };
    let typing = settings.typed.then(|| Typing::new(program, system));
    let knows = &program.signature.knows;
    let spies = &program.signature.spies;
    let options = Options {
        all: settings.all,
        ..settings.search
    };
    let named = program.signature.named();
    let setup = Setup::new(
        store,
        system,
        knows,
        spies,
        &named,
        typing.as_ref(),
        &goal,
        options,
    );
    let limits = settings.limits.start();
    let (outcome, stats) = explore(&setup, &limits, observer);
    let guard = after_search(&settings.limits, &limits, observer);
    let certifier = Certifier {
        store,
        system,
        knows,
        claim,
        goal: &goal,
        transparent: settings.search.transparent,
        reorderings: settings.budgets.reorderings,
        guard: &guard,
    };
    let (proposals, mut stopped) = match outcome {
        Outcome::Complete(p) | Outcome::Reached(p) => (p, None),
        Outcome::Stopped(reason, p) => (p, Some(reason)),
    };
    let verdict = conclude(&certifier, &proposals, &mut stopped, settings);
    Ok(Found {
        verdict,
        stats,
        stopped,
        cut: !system.cuts.is_empty(),
        copied: !system.copied.is_empty(),
        instances: Vec::new(),
        finished: 0,
    })
}

/// Certifies what was proposed and says what follows. A limit that is met in the middle is noted.
fn conclude(
    certifier: &Certifier<'_>,
    proposals: &[crate::engine::search::Proposal],
    stopped: &mut Option<StopReason>,
    settings: &Settings,
) -> Verdict {
    let all = settings.all;
    let reachable = matches!(certifier.claim, ClaimKind::Reachable { .. });
    if proposals.is_empty() {
        return match stopped {
            Some(reason) => Verdict::Inconclusive(*reason),
            None if reachable => Verdict::Unreachable,
            None => Verdict::Holds { run: None },
        };
    }
    let mut attacks: Vec<Attack> = Vec::new();
    let mut shortest: Vec<&crate::engine::search::Proposal> = proposals.iter().collect();
    shortest.sort_by_key(|p| p.len());
    if !all {
        // They were found at the same depth; shortening decides among the few that start shortest.
        shortest.truncate(settings.budgets.candidates);
    }
    for proposal in shortest {
        match certifier.certify(proposal) {
            Ok(attack) => {
                let variants = if all {
                    certifier.start_orders(attack)
                } else {
                    vec![attack]
                };
                for attack in variants {
                    if !attacks.iter().any(|a| a.witness == attack.witness) {
                        attacks.push(attack);
                    }
                }
            }
            Err(error) if error.error == CertifyError::Stopped => {
                *stopped = stopped.or(certifier.guard.reason());
                break;
            }
            Err(error) => return Verdict::Internal(InternalError::NotConfirmed(error)),
        }
    }
    if let (true, Some(reason)) = (attacks.is_empty(), *stopped) {
        return Verdict::Unconfirmed(certifier.guard.reason().unwrap_or(reason));
    }
    // Stable: of equally long attacks the first found comes first.
    attacks.sort_by_key(|a| a.witness.moves.len());
    if !all {
        attacks.truncate(1);
    }
    if reachable {
        return Verdict::Holds {
            run: attacks.into_iter().next().map(Box::new),
        };
    }
    Verdict::Attack(attacks)
}

/// The role instances as they would be written.
pub(super) fn instance_names(store: &TermStore, system: &System) -> Vec<String> {
    super::gate::roles(system)
        .into_iter()
        .map(|i| instance_name(store, system, i))
        .collect()
}

/// A role instance as it would be written.
pub fn instance_name(store: &TermStore, system: &System, id: InstanceId) -> String {
    let instance = system.instance(id);
    if instance.def.is_none() || instance.args.is_empty() {
        return instance.label.to_string();
    }
    let args: Vec<String> = instance.args.iter().map(|a| store.show(*a)).collect();
    format!("{}({})", instance.label, args.join(", "))
}
