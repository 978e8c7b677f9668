//! A run to an event in which nobody interferes.
//!
//! `reachable` asks for some run, and the search finds a short one: often the attacker makes up in it what a partner would have sent. Who
//! asks whether a model works wants to see it work. So if an honest run gets to the event, that is shown, as far as the event needs it.

use super::Gate;
use super::attack::{Attack, Certifier};
use super::guard::after_search;
use super::question::Question;
use crate::certify::{Move, MoveKind};
use crate::engine::honest::HonestMove;
use crate::engine::search::Goal;
use crate::process::{Action, ClaimKind, StepId, System};
use crate::term::TermStore;

/// The shortest part of an honest run that gets to the event of a `reachable`, certified; `None` if there is none among the runs of the gate, or
/// if it could not be confirmed within the limits.
pub(super) fn honest_reach(question: &Question<'_>, gate: &Gate) -> Option<Attack> {
    let Question {
        store,
        program,
        claim,
        settings,
        observer,
        ..
    } = *question;
    let ClaimKind::Reachable { event, .. } = claim else {
        return None;
    };
    if settings.sessions.is_some() || settings.search.transparent {
        return None;
    }
    let system = &gate.system;
    let goal = Goal::new(store, system, claim)?;
    let limits = settings.limits.start();
    let guard = after_search(&settings.limits, &limits, observer);
    let certifier = Certifier {
        store,
        system,
        knows: &program.signature.knows,
        claim,
        goal: &goal,
        transparent: false,
        reorderings: 0,
        guard: &guard,
    };
    let above = above(system);
    let is_it = |m: &HonestMove| match m {
        HonestMove::Event { step, .. } => {
            matches!(&system.step(*step).action, Action::Event { event: e, .. } if *e == event.event)
        }
        _ => false,
    };
    let ends = gate.all().flat_map(|run| {
        let at = (0..run.moves.len()).filter(|i| is_it(&run.moves[*i]));
        at.map(|i| &run.moves[..=i])
    });
    let mut found: Vec<Vec<Move>> = Vec::new();
    for run in ends.take(settings.budgets.candidates) {
        if guard.stopped() {
            return None;
        }
        let needed = needed(&above, run);
        found.extend(in_order(store, system, &above, &needed));
    }
    found.sort_by_key(Vec::len);
    found.iter().find_map(|run| certifier.confirm(run).ok())
}

/// The step before each step.
fn above(system: &System) -> Vec<Option<StepId>> {
    let mut above = vec![None; system.steps.len()];
    for (i, step) in (0u32..).map(StepId).zip(&system.steps) {
        let next: Vec<StepId> = match &step.action {
            Action::Nil => Vec::new(),
            Action::Fork(parts) => parts.clone(),
            Action::Output { next, .. }
            | Action::Input { next, .. }
            | Action::Event { next, .. }
            | Action::Phase { next, .. } => vec![*next],
            Action::Test {
                then, otherwise, ..
            } => vec![*then, *otherwise],
        };
        for step in next {
            above[step.index()] = Some(i);
        }
    }
    above
}

/// Of a run that ends with an event, the moves that the event comes after.
fn needed<'a>(above: &[Option<StepId>], run: &'a [HonestMove]) -> Vec<&'a HonestMove> {
    let mut marked = vec![false; above.len()];
    let mut kept = Vec::new();
    for (i, m) in run.iter().enumerate().rev() {
        let (HonestMove::Output { step, .. }
        | HonestMove::Event { step, .. }
        | HonestMove::Deliver { to: step, .. }) = m;
        if i + 1 < run.len() && !marked[step.index()] {
            continue;
        }
        let from = match m {
            HonestMove::Deliver { from, .. } => Some(*from),
            _ => None,
        };
        for start in [Some(*step), from].into_iter().flatten() {
            let mut at = Some(start);
            while let Some(step) = at
                && !std::mem::replace(&mut marked[step.index()], true)
            {
                at = above[step.index()];
            }
        }
        kept.push(m);
    }
    kept.reverse();
    kept
}

/// A move of a run and the steps that it runs.
struct Item {
    action: Move,
    runs: Vec<StepId>,
    /// The output that it takes from the attacker's hands.
    after: Option<StepId>,
}

/// The moves as those of a run with an attacker, who hands on what is open to everybody. What goes over other channels is given from hand to
/// hand, so the receiver must have got so far.
fn in_order(
    store: &TermStore,
    system: &System,
    above: &[Option<StepId>],
    moves: &[&HonestMove],
) -> Option<Vec<Move>> {
    let mut items: Vec<Item> = Vec::new();
    for m in moves {
        let (step, kind, runs, after) = match m {
            HonestMove::Output {
                step,
                channel,
                message,
            } => {
                if store.facts(*channel).has_secret {
                    continue;
                }
                let (channel, message) = (*channel, *message);
                (
                    *step,
                    MoveKind::Send { channel, message },
                    vec![*step],
                    None,
                )
            }
            HonestMove::Deliver {
                from,
                to,
                channel,
                message,
            } => {
                let (channel, message) = (*channel, *message);
                if store.facts(channel).has_secret {
                    let kind = MoveKind::Communicate {
                        receiver: *to,
                        channel,
                        message,
                    };
                    (*from, kind, vec![*from, *to], None)
                } else {
                    let kind = MoveKind::Receive { channel, message };
                    (*to, kind, vec![*to], Some(*from))
                }
            }
            HonestMove::Event { step, args } => {
                let args = args.clone();
                (*step, MoveKind::Event { args }, vec![*step], None)
            }
        };
        let action = Move { step, kind };
        items.push(Item {
            action,
            runs,
            after,
        });
    }
    let mut acting = vec![false; system.steps.len()];
    for step in items.iter().flat_map(|i| &i.runs) {
        acting[step.index()] = true;
    }
    let mut done = vec![false; system.steps.len()];
    let before = |step: StepId| {
        let mut at = above[step.index()];
        while let Some(step) = at
            && !acting[step.index()]
        {
            at = above[step.index()];
        }
        at
    };
    let mut order = Vec::new();
    while !items.is_empty() {
        let left = items.len();
        items.retain(|item| {
            let is_done = |step: StepId| done[step.index()];
            let may = item.runs.iter().all(|s| before(*s).is_none_or(is_done))
                && item.after.is_none_or(is_done);
            if may {
                item.runs.iter().for_each(|s| done[s.index()] = true);
                order.push(item.action.clone());
            }
            !may
        });
        if items.len() == left {
            return None;
        }
    }
    Some(order)
}
