//! Whether the goal is still within reach of a state: a branch that has lost it ends.
//!
//! What happens to a thread is laid down in the tree of its steps, so an event that is in no thread's future never happens.
//! This only looks at which events those are, not at messages; it leaves that to the search.

use super::Setup;
use super::goal::{Goal, Pattern};
use super::reach::may_be_honest;
use super::state::State;
use crate::process::{Action, EventId, System};
use crate::term::{TermId, TermStore};

/// The event without which the goal is not reached, if there is one, and whether only honest instances count.
fn needed(goal: &Goal) -> Option<(&Pattern, bool)> {
    match goal {
        Goal::LeakAfter { event, .. } | Goal::Disagreement { after: event, .. } => {
            Some((event, true))
        }
        Goal::Event(event) => Some((event, false)),
        Goal::Leak(_) | Goal::Send { .. } | Goal::Finish(_) => None,
    }
}

/// The steps that have the needed event in their future.
pub(super) fn hopeful(store: &TermStore, system: &System, goal: &Goal) -> Vec<bool> {
    let Some((pattern, honest)) = needed(goal) else {
        return Vec::new();
    };
    let counts = |event: EventId, actors: &[TermId]| {
        event == pattern.event && !(honest && actors.iter().any(|a| store.is_spy(*a)))
    };
    let mut hopeful: Vec<bool> = Vec::with_capacity(system.steps.len());
    // Steps are stored children first.
    for step in &system.steps {
        let hope = match &step.action {
            Action::Nil => false,
            Action::Fork(parts) => parts.iter().any(|p| hopeful[p.index()]),
            Action::Output { next, .. }
            | Action::Input { next, .. }
            | Action::Phase { next, .. } => hopeful[next.index()],
            Action::Test {
                then, otherwise, ..
            } => hopeful[then.index()] || hopeful[otherwise.index()],
            Action::Event {
                event,
                actors,
                next,
                ..
            } => counts(*event, actors) || hopeful[next.index()],
        };
        hopeful.push(hope);
    }
    hopeful
}

/// Whether no continuation of a settled state reaches the goal.
pub(super) fn is_lost(setup: &Setup<'_>, state: &State) -> bool {
    if !setup.options.pruning || state.won {
        return false;
    }
    let ahead = || {
        let threads = state.threads.iter();
        threads.map(|t| t.step).any(|s| setup.hopeful[s.index()])
    };
    match setup.goal {
        Goal::Leak(secrets)
        | Goal::Send {
            messages: secrets, ..
        } => secrets.is_empty(),
        Goal::LeakAfter { event, .. } => {
            let counts = |actors: &[TermId]| actors.iter().all(|a| may_be_honest(setup, *a));
            let happened = state.events.iter();
            !ahead()
                && !happened
                    .into_iter()
                    .any(|h| h.event == event.event && counts(&h.actors))
        }
        // These are reached in the moment of the event.
        Goal::Disagreement { .. } | Goal::Event(_) => !ahead(),
        Goal::Finish(_) => false,
    }
}
