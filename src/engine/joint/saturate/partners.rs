//! Which private part belongs to which public part: the last questions of static equivalence.

use super::survey::{Works, group};
use super::{Draft, Look};
use crate::engine::joint::node::Config;
use crate::engine::joint::setup::Setup;
use crate::engine::joint::trail::{Check, Recipe};
use crate::term::{FamilyKind, Op, TermId, View};
use std::sync::Arc;

impl Draft {
    /// At the fixpoint: which private parts have a derivable public part, and which members of
    /// key-pair families one that can be made without them. Each such element is examined once
    /// more.
    pub(super) fn partners(&mut self, setup: &Setup<'_>) -> Look {
        let store = setup.store;
        for index in 0..self.node.lives.len() {
            if !self.node.is_live(index) {
                continue;
            }
            let public = |c: &Config| match store.view(c.terms[index]) {
                View::Priv(inner) => Some(store.pub_part(inner)),
                View::Family(f, _) if store.family_info(f).kind == FamilyKind::KeyPair => {
                    Some(store.pub_part(c.terms[index]))
                }
                _ => None,
            };
            let goals: Vec<_> = self.node.configs.iter().map(public).collect();
            if goals.iter().all(Option::is_none) {
                continue;
            }
            let kind = |c: &Config| matches!(store.view(c.terms[index]), View::Priv(_));
            let survey = match self.survey(setup, index, &goals) {
                Ok(survey) => survey,
                Err(question) => return Look::Split(question),
            };
            let answers = self.node.configs.iter().zip(survey.works.iter().cloned());
            let groups = group(answers.map(|(c, works)| {
                let kind = !works.is_empty() && kind(c);
                (kind, works)
            }));
            if groups.len() == 1 {
                self.tell_partners(setup, index, &survey.recipes, &groups[0].answer);
                continue;
            }
            let parts = groups.into_iter().map(|g| {
                let mut draft = self.pick(&g.members);
                draft.tell_partners(setup, index, &survey.recipes, &g.answer);
                draft
            });
            return Look::Parts(parts.collect());
        }
        Look::Fixpoint
    }

    /// Records the comparisons of [`Draft::partners`] in the trail.
    fn tell_partners(
        &mut self,
        setup: &Setup<'_>,
        index: usize,
        recipes: &[TermId],
        answer: &(bool, Works),
    ) {
        let store = setup.store;
        let Some(trail) = &mut self.node.trail else {
            return;
        };
        let zero = Arc::new(Recipe::Constant(store.zero()));
        for (r, recipe) in recipes.iter().enumerate() {
            let public = trail.lift(store, *recipe);
            let element = trail.defs[index].clone();
            let works = answer.1.get(r).copied().unwrap_or(false);
            let locked = Arc::new(Recipe::Apply(Op::Aenc, vec![zero.clone(), public.clone()]));
            let content = Arc::new(Recipe::Open(Op::Aenc, locked, element.clone()));
            trail.see(Check::Computes(content), works && answer.0);
            let made = Arc::new(Recipe::Apply(Op::Pub, vec![element]));
            trail.see(Check::Equal(made, public), works && !answer.0);
        }
    }
}
