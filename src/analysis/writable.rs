//! Experiments that can be written as processes of the language, in the place of one that can't [Sem 5.5].
//!
//! The integer case has no `else`: no process goes on where something that is no integer has no predecessor. Such a look
//! is made narrower (it is 0, or a destructor further out fails), turned round, or left out. Others are turned round as
//! well, as the system that fails the test may be the one that passes the turned one. Which of these tell the systems
//! apart is for the replayer to say.

use crate::certify::{Condition, Experiment, Recipe};
use crate::term::TermStore;
use std::sync::Arc;

/// More of them are not proposed.
const MOST: usize = 64;

/// Experiments with the same actions that look at the same from another side, those that turn less round first.
pub(super) fn alternatives(store: &TermStore, experiment: &Experiment) -> Vec<Experiment> {
    // Each with the number of looks that are turned round.
    let mut forms: Vec<(usize, Vec<Condition>)> = vec![(0, Vec::new())];
    for condition in &experiment.conditions {
        let mut longer = Vec::new();
        for (turned, form) in &forms {
            for (turns, look) in looks(store, condition) {
                longer.push((turned + turns, [form.as_slice(), &look].concat()));
            }
        }
        longer.sort_by_key(|(turned, _)| *turned);
        longer.truncate(MOST);
        forms = longer;
    }
    let with = |conditions: &[Condition], passes| Experiment {
        actions: experiment.actions.clone(),
        conditions: conditions.to_vec(),
        passes,
    };
    let both = |(_, conditions): &(usize, Vec<Condition>)| {
        [experiment.passes, experiment.passes.other()].map(|side| with(conditions, side))
    };
    forms.iter().flat_map(both).collect()
}

/// What can be looked at in the place of a condition, and whether that turns it round.
fn looks(store: &TermStore, condition: &Condition) -> Vec<(usize, Vec<Condition>)> {
    let turned = |c: Condition| (1, vec![c]);
    match condition {
        Condition::Equal(r, s) => vec![
            (0, vec![condition.clone()]),
            turned(Condition::Different(r.clone(), s.clone())),
        ],
        Condition::Different(r, s) => vec![
            (0, vec![condition.clone()]),
            turned(Condition::Equal(r.clone(), s.clone())),
        ],
        Condition::Succeeds(r) => vec![
            (0, vec![condition.clone()]),
            turned(Condition::Fails(r.clone())),
        ],
        Condition::Fails(r) => {
            let mut looks = narrower(store, r);
            looks.push((0, Vec::new()));
            looks.push(turned(Condition::Succeeds(r.clone())));
            looks
        }
    }
}

/// Looks that hold only where a recipe fails.
fn narrower(store: &TermStore, recipe: &Arc<Recipe>) -> Vec<(usize, Vec<Condition>)> {
    let mut within = Vec::new();
    predecessors(recipe, &mut within);
    // With all of them at hand, a destructor further out is what fails.
    let mut outer: Vec<Condition> = within.iter().cloned().map(Condition::Succeeds).collect();
    outer.push(Condition::Fails(recipe.clone()));
    let mut looks = vec![(0, outer)];
    let zero = Arc::new(Recipe::Constant(store.zero()));
    for found in &within {
        if let Recipe::Predecessor(of) = &**found {
            looks.push((0, vec![Condition::Equal(of.clone(), zero.clone())]));
        }
    }
    looks
}

/// The predecessors that a recipe takes, inner ones first.
fn predecessors(recipe: &Arc<Recipe>, found: &mut Vec<Arc<Recipe>>) {
    for part in recipe.parts() {
        predecessors(part, found);
    }
    if matches!(**recipe, Recipe::Predecessor(_)) && !found.contains(recipe) {
        found.push(recipe.clone());
    }
}
