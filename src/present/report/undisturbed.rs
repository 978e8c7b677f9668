//! Claims that fail although nobody interferes: the honest run already breaks them.
//!
//! The run that the search shows may have an attacker in it; what explains it is that none is needed.

use super::story::Context;
use crate::analysis::{Attack, Gate, asked_for, fits};
use crate::certify::{Move, MoveKind};
use crate::engine::honest::{HonestMove, HonestRun};
use crate::process::{Action, ClaimKind, EventId, EventPattern, System};
use crate::term::{TermId, TermStore};

/// Whether the attacker has a part in a run: it plays somebody, or makes up what somebody takes.
pub(super) fn is_disturbed(store: &TermStore, run: &Attack) -> bool {
    let system = &run.system;
    let moves = &run.witness.moves;
    let sent = |at: usize, what: (TermId, TermId)| {
        moves[..at].iter().any(
            |m| matches!(m.kind, MoveKind::Send { channel, message } if (channel, message) == what),
        )
    };
    let made = |(at, m): (usize, &Move)| match m.kind {
        MoveKind::Receive { channel, message } => !sent(at, (channel, message)),
        _ => false,
    };
    let spied = |m: &Move| {
        let role = system.role_of(system.step(m.step).instance);
        system.is_honest(store, role) == Some(false)
    };
    // Who is gone when a phase begins finishes in no honest run.
    let phase = |m: &Move| matches!(m.kind, MoveKind::Phase { .. });
    let alone = moves.iter().any(phase);
    !alone && (moves.iter().enumerate().any(made) || moves.iter().any(spied))
}

/// An event of an honest run.
struct Marked<'a> {
    event: EventId,
    args: &'a [TermId],
    /// A role instance of honest agents marks it.
    counts: bool,
}

fn marked<'a>(store: &TermStore, system: &System, run: &'a HonestRun) -> Vec<Marked<'a>> {
    let event = |m: &'a HonestMove| {
        let HonestMove::Event { step, args } = m else {
            return None;
        };
        match &system.step(*step).action {
            Action::Event { event, actors, .. } => Some(Marked {
                event: *event,
                args,
                counts: !actors.iter().any(|a| store.is_spy(*a)),
            }),
            _ => None,
        }
    };
    run.moves.iter().filter_map(event).collect()
}

/// Whether an agreement is broken in an honest run; with a remark about what to look at.
pub(super) fn broken(ctx: Context<'_>, claim: &ClaimKind, gate: &Gate) -> Option<String> {
    let ClaimKind::Agreement { after, before, .. } = claim else {
        return None;
    };
    if !claim.unless().is_empty() {
        return None;
    }
    let store = ctx.store;
    for run in gate.all() {
        let events = marked(store, &gate.system, run);
        for (i, late) in events.iter().enumerate() {
            let Some(wanted) = wanted(store, after, before, late) else {
                continue;
            };
            let is_it = |e: &Marked<'_>| e.event == before.event && fits(&wanted, e.args);
            if !events[..i].iter().any(is_it) {
                let later = events[i..].iter().any(is_it);
                let other = events.iter().any(|e| e.event == before.event);
                return Some(remark(ctx, after, before, later, other));
            }
        }
    }
    None
}

/// The arguments that the earlier event must have, if the claim is about this one.
fn wanted(
    store: &TermStore,
    after: &EventPattern,
    before: &EventPattern,
    late: &Marked<'_>,
) -> Option<Vec<Option<TermId>>> {
    let counts = late.event == after.event && late.counts;
    // An event agrees with its own pattern if that has the same value wherever a variable stands.
    let is_meant = || fits(&asked_for(store, after, after, late.args), late.args);
    (counts && is_meant()).then(|| asked_for(store, after, before, late.args))
}

fn remark(
    ctx: Context<'_>,
    after: &EventPattern,
    before: &EventPattern,
    later: bool,
    other: bool,
) -> String {
    let label = |e: &EventPattern| &ctx.program.events[e.event.index()].label;
    let (after, before) = (label(after), label(before));
    match (later, other) {
        (true, _) => format!(
            "Also in the honest run {before} comes only after {after}. `agreement E => F` says that F has happened before E: \
             mark {before} earlier, or turn the claim round."
        ),
        (false, true) => format!(
            "Also in the honest run {after} has no {before} with these arguments: compare the arguments of both events, and \
             their order in the claim."
        ),
        (false, false) => format!(
            "Also in the honest run {after} happens and {before} does not: is it marked where the partner gets to?"
        ),
    }
}
