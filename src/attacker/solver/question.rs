//! Questions and their answers, as the solver takes and gives them [Sem 2.2].

use super::{GenericInfo, Generics, Typing};
use crate::attacker::knowledge::{Element, Level};
use crate::term::{Subst, TermId, TermStore, View};

/// What a question is asked against.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Context<'a> {
    /// The terms.
    pub store: &'a TermStore,
    /// The generics that may be narrowed.
    pub generics: &'a Generics,
    /// The attacker's elements; recipes name them by position.
    pub elements: &'a [Element],
    /// The agents that the attacker plays.
    pub spies: &'a [TermId],
    /// Present in typed analysis.
    pub typing: Option<&'a Typing>,
}

/// Equations and goals, to hold together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question {
    /// Pairs of terms to be made equal; process variables in them are pattern variables.
    pub equations: Vec<(TermId, TermId)>,
    /// Terms to be derived, each at its level.
    pub goals: Vec<(TermId, Level)>,
}

/// A narrowed generic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The generic.
    pub generic: u32,
    /// Its value as a term.
    pub term: TermId,
    /// Its value as a recipe.
    pub recipe: TermId,
}

/// A most general solution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The narrowed generics, by number.
    pub bindings: Vec<Binding>,
    /// New generics, numbered from the number of existing ones.
    pub fresh: Vec<GenericInfo>,
    /// Values of the pattern variables, by number.
    pub vars: Vec<(u32, TermId)>,
    /// Recipes of the question's goals, in order.
    pub recipes: Vec<TermId>,
}

impl Solution {
    /// Whether no generic is narrowed: the answer is "yes, always".
    pub fn is_identity(&self) -> bool {
        self.bindings.is_empty()
    }

    /// The narrowing as a substitution on terms.
    pub fn on_terms(&self, store: &TermStore) -> Subst {
        self.bindings
            .iter()
            .map(|b| (store.generic(b.generic), b.term))
            .collect()
    }

    /// The narrowing as a substitution on recipes.
    pub fn on_recipes(&self, store: &TermStore) -> Subst {
        self.bindings
            .iter()
            .map(|b| (store.generic(b.generic), b.recipe))
            .collect()
    }

    /// Renumbers the fresh generics, which start at `known`, in order of first use, and drops those that do not occur.
    pub(super) fn compact(&mut self, store: &TermStore, known: u32) {
        if self.fresh.is_empty() {
            return;
        }
        let mut order: Vec<u32> = Vec::new();
        let mut rename = |t: TermId| {
            store.map_atoms(t, &mut |atom| match store.view(atom) {
                View::Generic(g) if g >= known => {
                    let at = order.iter().position(|o| *o == g).unwrap_or_else(|| {
                        order.push(g);
                        order.len() - 1
                    });
                    Some(store.generic(known + at as u32))
                }
                _ => None,
            })
        };
        for b in &mut self.bindings {
            b.term = rename(b.term);
            b.recipe = rename(b.recipe);
        }
        for (_, t) in &mut self.vars {
            *t = rename(*t);
        }
        for r in &mut self.recipes {
            *r = rename(*r);
        }
        self.fresh = order
            .iter()
            .map(|g| self.fresh[(*g - known) as usize])
            .collect();
    }
}
