//! Agreements that a role keeps with itself: whoever marks the later event has marked the earlier one on its own way there. They hold whatever
//! the partner does, and say nothing about it.

use crate::process::{Action, EventPattern, StepId, System};
use crate::term::{TermId, TermStore, View};

/// Whether each way to the later event passes the earlier one, with the arguments that are asked for, in the same role instance. Those
/// that talk to a spy are looked at as well: with other agents they would count.
pub(super) fn keeps_with_itself(
    store: &TermStore,
    system: &System,
    after: &EventPattern,
    before: &EventPattern,
) -> bool {
    let mut above: Vec<Option<StepId>> = vec![None; system.steps.len()];
    let all = || (0u32..).map(StepId).zip(&system.steps);
    for (id, step) in all() {
        for child in next(&step.action) {
            above[child.index()] = Some(id);
        }
    }
    let mut marked = false;
    for (id, step) in all() {
        let Action::Event { event, args, .. } = &step.action else {
            continue;
        };
        if *event != after.event {
            continue;
        }
        marked = true;
        let wanted = asked_for(store, after, before, args);
        // What follows an event belongs to the role instance that marked it.
        let mut earlier = std::iter::successors(above[id.index()], |at| above[at.index()]);
        let own = earlier.any(|at| {
            let step = system.step(at);
            let Action::Event { event, args, .. } = &step.action else {
                return false;
            };
            *event == before.event && fits(&wanted, args)
        });
        if !own {
            return false;
        }
    }
    marked
}

/// The arguments that the earlier event of an agreement must have where the later one has these; none for those that may be anything. Where a
/// variable stands twice, the claim is about the later event only if both values are equal.
pub fn asked_for(
    store: &TermStore,
    after: &EventPattern,
    before: &EventPattern,
    args: &[TermId],
) -> Vec<Option<TermId>> {
    let value = |t: &TermId| match store.view(*t) {
        View::Var(_) => after.args.iter().position(|p| p == t).map(|at| args[at]),
        _ => Some(*t),
    };
    before.args.iter().map(value).collect()
}

/// Whether an event has the arguments that are asked for.
pub fn fits(wanted: &[Option<TermId>], args: &[TermId]) -> bool {
    let same = |(wanted, t): (&Option<TermId>, &TermId)| wanted.is_none_or(|w| w == *t);
    wanted.iter().zip(args).all(same)
}

/// What comes after an action in its tree.
fn next(action: &Action) -> Vec<StepId> {
    match action {
        Action::Nil => Vec::new(),
        Action::Fork(parts) => parts.clone(),
        Action::Output { next, .. }
        | Action::Input { next, .. }
        | Action::Event { next, .. }
        | Action::Phase { next, .. } => vec![*next],
        Action::Test {
            then, otherwise, ..
        } => vec![*then, *otherwise],
    }
}
