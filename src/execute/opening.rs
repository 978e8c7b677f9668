//! Taking a message apart in one pattern.
//!
//! The recipes of a process say which parts of a message it will need. As soon as the message is
//! received, one pattern opens everything that can be opened with what is known: `case w1 of {Na,
//! _}K(C)- in`. A part that is needed whole and in parts gets a variable, and a pattern of its own.

use super::script::{Printer, Scope, Step};
use crate::certify::Recipe;
use crate::process::TupleMode;
use rustc_hash::FxHashMap;

/// How a message or part of one is needed.
#[derive(Clone, Debug, Default)]
struct Need {
    /// As it is.
    whole: bool,
    /// Taken apart in these ways.
    parts: Vec<Recipe>,
}

/// What is needed of the messages heard.
#[derive(Clone, Debug, Default)]
pub(super) struct Openings {
    needs: FxHashMap<Recipe, Need>,
}

impl Openings {
    /// Notes that a recipe's message is made.
    pub(super) fn note(&mut self, recipe: &Recipe) {
        self.need(recipe, true);
    }

    fn need(&mut self, recipe: &Recipe, whole: bool) {
        self.needs.entry(recipe.clone()).or_default().whole |= whole;
        let mut inner = |of: &Recipe| {
            let parts = &mut self.needs.entry(of.clone()).or_default().parts;
            if !parts.contains(recipe) {
                parts.push(recipe.clone());
            }
            self.need(of, false);
        };
        match recipe {
            Recipe::Part { of, .. } | Recipe::Predecessor(of) => inner(of),
            Recipe::Open(_, m, k) => {
                inner(m);
                self.need(k, true);
            }
            _ => recipe.parts().into_iter().for_each(|p| self.need(p, true)),
        }
    }

    fn of(&self, recipe: &Recipe) -> Need {
        self.needs.get(recipe).cloned().unwrap_or_default()
    }
}

impl Printer<'_> {
    /// Takes apart what was heard, or a part that has a variable, as far as that is possible now.
    pub(super) fn open_all(&mut self, recipe: &Recipe, scope: &mut Scope, steps: &mut Vec<Step>) {
        let mut later = vec![recipe.clone()];
        while let Some(next) = later.pop() {
            let Some(term) = scope.terms.get(&next).copied() else {
                continue;
            };
            let Some(pattern) = self.pattern(&next, scope, &mut later) else {
                continue;
            };
            let subject = self.show(term);
            steps.push(Step::Open(if pattern.starts_with('(') {
                format!("let {pattern} = {subject} in")
            } else {
                format!("case {subject} of {pattern} in")
            }));
        }
    }

    /// A pattern that takes the message of a recipe apart; `None` if nothing is to be taken out of
    /// it, or not now, or not in one way. Parts that are wanted get variables; those that are to be
    /// taken apart further go to `later`.
    fn pattern(
        &mut self,
        recipe: &Recipe,
        scope: &mut Scope,
        later: &mut Vec<Recipe>,
    ) -> Option<String> {
        let parts = self.openings.of(recipe).parts;
        match parts.first()? {
            Recipe::Part { arity, .. } => {
                let arity = *arity;
                let fits = |p: &Recipe| matches!(p, Recipe::Part { arity: a, .. } if *a == arity);
                if !parts.iter().all(fits) {
                    return None;
                }
                let mut holes = vec!["_".to_owned(); arity];
                for part in &parts {
                    if let Recipe::Part { index, .. } = part {
                        holes[*index] = self.hole(part, scope, later);
                    }
                }
                let mut text = holes.join(", ");
                // Where tuples are nested pairs the tail of a pair is written without its
                // parentheses.
                let nested = arity == 2 && self.tuples == TupleMode::Nested;
                if let Some(last) = holes.last().filter(|l| l.starts_with('(') && nested) {
                    text = format!("{}, {}", holes[0], &last[1..last.len() - 1]);
                }
                Some(format!("({text})"))
            }
            opening @ Recipe::Open(op, _, key) => {
                if parts.len() > 1 || !is_there(key, scope) {
                    return None;
                }
                let key = self.term(key, scope, &mut Vec::new());
                let signed = self.store.node(key).op.is_key_part();
                // With a sign behind it, this would be asymmetric.
                if signed && op.opens_with_its_lock() {
                    return None;
                }
                let (left, right) = op.braces(signed);
                let inner = self.hole(opening, scope, later);
                let inner = inner
                    .strip_prefix('(')
                    .and_then(|i| i.strip_suffix(')'))
                    .unwrap_or(&inner);
                Some(format!("{left}{inner}{right}{}", self.show(key)))
            }
            _ => None,
        }
    }

    /// What stands for a part in a pattern: a variable, or a pattern if only parts of the part are
    /// wanted.
    fn hole(&mut self, part: &Recipe, scope: &mut Scope, later: &mut Vec<Recipe>) -> String {
        if !self.openings.of(part).whole
            && let Some(pattern) = self.pattern(part, scope, later)
        {
            return pattern;
        }
        let y = self.part_variable(part);
        scope.terms.insert(part.clone(), y);
        later.push(part.clone());
        self.show(y)
    }
}

/// Whether a recipe needs nothing that is not in scope yet, and no further step.
fn is_there(recipe: &Recipe, scope: &Scope) -> bool {
    if scope.terms.contains_key(recipe) {
        return true;
    }
    match recipe {
        Recipe::Initial(_) | Recipe::Constant(_) => true,
        Recipe::Build(..) | Recipe::Member(..) | Recipe::PublicPart(..) => {
            recipe.parts().iter().all(|p| is_there(p, scope))
        }
        _ => false,
    }
}
