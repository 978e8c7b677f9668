//! Recipes and runs, looked through and written anew.

use super::certificate::{Event, Recipe};
use crate::term::TermId;
use std::sync::Arc;

/// Operators of the largest recipe.
const LARGEST: u32 = 1 << 14;

/// How far each of some threads has gone, by thread.
pub(super) type Clock = Vec<(u16, u16)>;

/// How many actions a thread has done.
pub(super) fn done(clock: &[(u16, u16)], thread: u16) -> u16 {
    clock
        .binary_search_by_key(&thread, |(t, _)| *t)
        .map_or(0, |i| clock[i].1)
}

/// The later of two clocks.
pub(super) fn join(clock: &mut Clock, other: &[(u16, u16)]) {
    for (thread, count) in other {
        match clock.binary_search_by_key(thread, |(t, _)| *t) {
            Ok(i) => clock[i].1 = clock[i].1.max(*count),
            Err(i) => clock.insert(i, (*thread, *count)),
        }
    }
}

/// Whether the first clock is nowhere ahead of the second.
pub(super) fn within(clock: &[(u16, u16)], of: &[(u16, u16)]) -> bool {
    clock.iter().all(|(t, n)| done(of, *t) >= *n)
}

/// Calls `visit` for each part of a recipe that has no parts.
pub(super) fn leaves(recipe: &Recipe, visit: &mut impl FnMut(&Recipe)) {
    match recipe {
        Recipe::Initial(_) | Recipe::Heard(_) | Recipe::Choice(_) | Recipe::Constant(_) => {
            visit(recipe);
        }
        Recipe::Apply(_, args) => args.iter().for_each(|a| leaves(a, visit)),
        Recipe::Part(of, ..) | Recipe::Predecessor(of) => leaves(of, visit),
        Recipe::Open(_, of, key) => {
            leaves(of, visit);
            leaves(key, visit);
        }
    }
}

/// The recipe with others in the place of its leaves; `None` in the place of one that stays. Too large ones are none.
pub(super) fn replaced(
    recipe: &Arc<Recipe>,
    by: &mut dyn FnMut(&Recipe) -> Option<Arc<Recipe>>,
) -> Option<Arc<Recipe>> {
    let mut left = LARGEST;
    replace(recipe, by, &mut left)
}

fn size(recipe: &Recipe, left: &mut u32) -> Option<()> {
    *left = left.checked_sub(1)?;
    match recipe {
        Recipe::Initial(_) | Recipe::Heard(_) | Recipe::Choice(_) | Recipe::Constant(_) => Some(()),
        Recipe::Apply(_, args) => args.iter().try_for_each(|a| size(a, left)),
        Recipe::Part(of, ..) | Recipe::Predecessor(of) => size(of, left),
        Recipe::Open(_, of, key) => {
            size(of, left)?;
            size(key, left)
        }
    }
}

fn replace(
    recipe: &Arc<Recipe>,
    by: &mut dyn FnMut(&Recipe) -> Option<Arc<Recipe>>,
    left: &mut u32,
) -> Option<Arc<Recipe>> {
    *left = left.checked_sub(1)?;
    Some(match &**recipe {
        Recipe::Initial(_) | Recipe::Heard(_) | Recipe::Choice(_) | Recipe::Constant(_) => {
            match by(recipe) {
                Some(new) => {
                    size(&new, left)?;
                    new
                }
                None => recipe.clone(),
            }
        }
        Recipe::Apply(op, args) => {
            let args: Option<Vec<_>> = args.iter().map(|a| replace(a, by, left)).collect();
            Arc::new(Recipe::Apply(*op, args?))
        }
        Recipe::Part(of, i, n) => Arc::new(Recipe::Part(replace(of, by, left)?, *i, *n)),
        Recipe::Predecessor(of) => Arc::new(Recipe::Predecessor(replace(of, by, left)?)),
        Recipe::Open(how, of, key) => Arc::new(Recipe::Open(
            *how,
            replace(of, by, left)?,
            replace(key, by, left)?,
        )),
    })
}

/// What takes the place of threads, channels and restricted names.
#[derive(Clone, Debug, Default)]
pub(super) struct Renaming {
    /// Threads that get another number.
    pub threads: Vec<(u16, u16)>,
    /// Names that get another one.
    pub names: Vec<(TermId, TermId)>,
}

impl Renaming {
    pub(super) fn thread(&self, thread: u16) -> u16 {
        let image = self.threads.iter().find(|(from, _)| *from == thread);
        image.map_or(thread, |(_, to)| *to)
    }

    pub(super) fn event(&self, (thread, at): Event) -> Event {
        (self.thread(thread), at)
    }

    pub(super) fn clock(&self, clock: &[(u16, u16)]) -> Clock {
        let mut image: Clock = clock.iter().map(|(t, n)| (self.thread(*t), *n)).collect();
        image.sort_unstable();
        image
    }

    pub(super) fn name(&self, name: TermId) -> Option<TermId> {
        let image = self.names.iter().find(|(from, _)| *from == name);
        image.map(|(_, to)| *to)
    }

    /// A recipe renamed, with other choices.
    pub(super) fn recipe(
        &self,
        recipe: &Arc<Recipe>,
        choice: &mut dyn FnMut(u32) -> Arc<Recipe>,
    ) -> Option<Arc<Recipe>> {
        replaced(recipe, &mut |leaf| match leaf {
            Recipe::Heard(event) => Some(Arc::new(Recipe::Heard(self.event(*event)))),
            Recipe::Choice(c) => Some(choice(*c)),
            Recipe::Constant(t) => Some(Arc::new(Recipe::Constant(self.name(*t)?))),
            _ => None,
        })
    }
}
