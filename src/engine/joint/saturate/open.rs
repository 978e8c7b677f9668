//! Opening ciphertexts and signatures: which configurations can, how, and with what.

use super::Draft;
use super::survey::{Works, group};
use crate::attacker::knowledge::openings;
use crate::attacker::solver::Question;
use crate::engine::joint::node::Config;
use crate::engine::joint::question::{Answer, Split};
use crate::engine::joint::setup::Setup;
use crate::engine::joint::trail::{Check, Recipe};
use crate::term::{Op, Subst, TermId};
use std::sync::Arc;

/// An element that can be opened.
#[derive(Clone, Copy)]
struct Unlocked {
    /// The operator.
    how: Op,
    key: TermId,
    recipe: TermId,
    content: TermId,
}

impl Draft {
    /// Ciphertexts and signatures.
    pub(super) fn open(
        &self,
        setup: &Setup<'_>,
        index: usize,
    ) -> Result<Option<Vec<Draft>>, Split> {
        let store = setup.store;
        let first = self.first_alike();
        let mut locks: Vec<Option<Unlocked>> = Vec::new();
        for (i, config) in self.node.configs.iter().enumerate() {
            locks.push(if first[i] < i {
                locks[first[i]]
            } else {
                self.unlock(setup, config, index)?
            });
        }
        let mut answers: Vec<Option<(Op, Works)>> = vec![None; locks.len()];
        let mut named: Vec<(Op, Vec<TermId>)> = Vec::new();
        for how in Op::ciphers() {
            let of = |l: &Option<Unlocked>| l.filter(|l| l.how == how);
            let goals: Vec<_> = locks.iter().map(|l| of(l).map(|l| l.key)).collect();
            let own: Vec<_> = locks.iter().map(|l| of(l).map(|l| l.recipe)).collect();
            let survey = self.compare(setup, &goals, &own)?;
            for (i, works) in survey.works.into_iter().enumerate() {
                if !works.is_empty() {
                    answers[i] = Some((how, works));
                }
            }
            named.push((how, survey.recipes));
        }
        let groups = group(answers.into_iter());
        if groups.len() == 1 && groups[0].answer.is_none() {
            return Ok(None);
        }
        let parts = groups.into_iter().map(|g| {
            let mut draft = self.pick(&g.members);
            if let Some(trail) = &mut draft.node.trail {
                for (how, recipes) in &named {
                    for (r, recipe) in recipes.iter().enumerate() {
                        let holds = matches!(&g.answer, Some((h, works)) if h == how && works[r]);
                        let key = trail.lift(store, *recipe);
                        let content = Arc::new(Recipe::Open(*how, trail.defs[index].clone(), key));
                        trail.see(Check::Computes(content), holds);
                    }
                }
            }
            if let Some((how, works)) = &g.answer {
                let at = works.iter().position(|w| *w).expect("its own recipe works");
                let key = named
                    .iter()
                    .find(|(h, _)| h == how)
                    .map(|(_, recipes)| recipes[at])
                    .expect("it was named");
                let contents: Vec<TermId> = g
                    .members
                    .iter()
                    .map(|m| locks[*m].expect("it was opened").content)
                    .collect();
                draft.node.lives[index].opened = true;
                let lifted = draft.node.trail.as_ref().map(|t| t.lift(store, key));
                draft.add(
                    |c| contents[c],
                    |defs| {
                        let key = lifted.clone().expect("there is a trail");
                        Recipe::Open(*how, defs[index].clone(), key)
                    },
                );
            }
            draft
        });
        Ok(Some(parts.collect()))
    }

    /// How an element of a configuration is opened; `None` if it can't be.
    fn unlock(
        &self,
        setup: &Setup<'_>,
        config: &Config,
        index: usize,
    ) -> Result<Option<Unlocked>, Split> {
        let store = setup.store;
        let sealed = config.terms[index];
        let how = store.node(sealed).op;
        let by_key = openings(store, sealed)
            .into_iter()
            .find(|o| o.rule.is_none());
        let Some(opening) = by_key else {
            return Ok(None);
        };
        let (equations, key) = (opening.equations.to_vec(), opening.sides[0]);
        let elements = config.elements(store, &self.node.lives);
        if !setup.may_derive(&self.node, &elements, key, self.next) {
            return Ok(None);
        }
        let question = Question {
            equations,
            goals: vec![(key, self.next)],
        };
        match setup.ask_with(&self.node, &elements, &question) {
            Answer::Never => Ok(None),
            Answer::Sometimes(question) => Err(question),
            Answer::Always(solution) => {
                let found: Subst = solution
                    .vars
                    .iter()
                    .map(|(v, t)| (store.var(*v), *t))
                    .collect();
                Ok(Some(Unlocked {
                    how,
                    key: found.apply(store, key),
                    recipe: solution.recipes[0],
                    content: opening.content,
                }))
            }
        }
    }
}
