//! Role instances that a claim asks for: those it picks by name, and whether roles that the attacker could play itself count.

use super::Settings;
use super::question::Question;
use crate::engine::search::Goal;
use crate::process::{ClaimKind, SecrecyTarget, System, UnfoldError};
use crate::term::TermStore;

/// For `reachable` the attacker's own roles count: their events are events. So they do for a target that picks an
/// instance: it counts whoever its agents are.
pub(super) fn keeps_own(claim: &ClaimKind) -> bool {
    matches!(claim, ClaimKind::Reachable { .. }) || picks_instance(claim)
}

/// The transparent attacker can't play a role in the place of an instance: another would have to be there, which may be stuck.
pub(super) fn searches_own(claim: &ClaimKind, settings: &Settings) -> bool {
    settings.search.transparent || keeps_own(claim)
}

/// The targets of a claim about what the attacker can make.
fn targets(claim: &ClaimKind) -> &[SecrecyTarget] {
    match claim {
        ClaimKind::Secrecy { targets, .. } => targets.as_slice(),
        ClaimKind::Unsendable { target, .. } => std::slice::from_ref(target),
        _ => &[],
    }
}

pub(super) fn picks_instance(claim: &ClaimKind) -> bool {
    targets(claim)
        .iter()
        .any(|t| t.names.iter().any(|n| n.instance.is_some()))
}

/// A target that picks an instance which is not there would hold for nothing.
pub(super) fn every_pick_exists(question: &Question<'_>) -> Result<(), UnfoldError> {
    let (store, claim) = (question.store, question.claim);
    if !picks_instance(claim) {
        return Ok(());
    }
    let bounds = question.settings.bounds;
    let system = (question.systems).unfolded(store, question.program, question.closed, bounds)?;
    match missing_pick(store, &system, claim, &mut Vec::new()) {
        Some(target) => Err(UnfoldError::NothingPicked { span: target.span }),
        None => Ok(()),
    }
}

/// A target that picks an instance which is neither in this system nor, as `found` says, in one looked at before.
pub(super) fn missing_pick<'c>(
    store: &TermStore,
    system: &System,
    claim: &'c ClaimKind,
    found: &mut Vec<usize>,
) -> Option<&'c SecrecyTarget> {
    if let Some(
        Goal::Leak(secrets)
        | Goal::Send {
            messages: secrets, ..
        },
    ) = Goal::new(store, system, claim)
    {
        found.extend(secrets.iter().map(|s| s.target));
    }
    let missing = |(i, t): &(usize, &SecrecyTarget)| {
        t.names.iter().any(|n| n.instance.is_some()) && !found.contains(i)
    };
    let targets = targets(claim);
    targets.iter().enumerate().find(missing).map(|(_, t)| t)
}
