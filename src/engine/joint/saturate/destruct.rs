//! Declared destructors: which of them succeed with an element, and what they give [Sem 5.10].
//!
//! Each configuration names its ways to open the element by the rules: a destructor and recipes of
//! its arguments. The environment sees the destructor, not the rule: another configuration may
//! succeed by another rule. So every way that one configuration named is tried in all of them.
//! Those that succeed with the same ways stay together. The result is a new element unless it can
//! be made already.

use super::Draft;
use super::survey::{Works, group};
use crate::attacker::knowledge::{arguments, openings};
use crate::attacker::solver::Question;
use crate::engine::joint::node::Config;
use crate::engine::joint::question::{Answer, Split};
use crate::engine::joint::setup::Setup;
use crate::engine::joint::trail::{Check, Recipe};
use crate::term::{DestructorId, Op, Subst, TermId};
use std::sync::Arc;

/// A destructor and recipes of its arguments.
#[derive(Clone, PartialEq, Eq)]
struct Way {
    destructor: DestructorId,
    args: Vec<TermId>,
}

impl Draft {
    /// Applies destructors to an element. `None`: nothing new comes of it, and all configurations
    /// agree.
    pub(super) fn destruct(
        &self,
        setup: &Setup<'_>,
        index: usize,
    ) -> Result<Option<Vec<Draft>>, Split> {
        let first = self.first_alike();
        let mut ways: Vec<Way> = Vec::new();
        for (i, config) in self.node.configs.iter().enumerate() {
            if first[i] == i {
                self.name_ways(setup, config, index, &mut ways)?;
            }
        }
        let mut given: Vec<Vec<Option<TermId>>> = Vec::new();
        for (i, config) in self.node.configs.iter().enumerate() {
            let row = if first[i] < i {
                given[first[i]].clone()
            } else {
                let each = ways.iter().map(|way| self.apply(setup, config, way));
                each.collect::<Result<_, _>>()?
            };
            given.push(row);
        }
        let works = |row: &Vec<Option<TermId>>| row.iter().map(Option::is_some).collect::<Works>();
        let groups = group(given.iter().map(works));
        if groups.len() > 1 {
            let parts = groups.into_iter().map(|g| {
                let mut draft = self.pick(&g.members);
                draft.note_ways(setup, &ways, &g.answer);
                draft
            });
            return Ok(Some(parts.collect()));
        }
        for (w, way) in ways.iter().enumerate() {
            let goals: Vec<Option<TermId>> = given.iter().map(|row| row[w]).collect();
            if goals.iter().all(Option::is_none) {
                continue;
            }
            // The element itself may be what the content is made of.
            let made = self.survey(setup, usize::MAX, &goals)?;
            let groups = group(made.works.iter().cloned());
            if groups.len() == 1 && !groups[0].answer.is_empty() {
                continue;
            }
            let parts = groups.into_iter().map(|g| {
                let mut draft = self.pick(&g.members);
                draft.note_equal(setup, way, &made.recipes, &g.answer);
                if g.answer.is_empty() {
                    let contents: Vec<TermId> =
                        g.members.iter().filter_map(|m| goals[*m]).collect();
                    let lifted = draft.node.trail.as_ref().map(|t| way.lift(setup, t));
                    draft.add(
                        |c| contents[c],
                        |_| lifted.clone().expect("there is a trail"),
                    );
                }
                draft
            });
            return Ok(Some(parts.collect()));
        }
        Ok(None)
    }

    /// The ways in which an element of a configuration is opened by rules.
    fn name_ways(
        &self,
        setup: &Setup<'_>,
        config: &Config,
        index: usize,
        ways: &mut Vec<Way>,
    ) -> Result<(), Split> {
        let store = setup.store;
        let elements = config.elements(store, &self.node.lives);
        for opening in openings(store, config.terms[index]) {
            let Some(rule) = opening.rule.and_then(|r| store.openings().nth(r)) else {
                continue;
            };
            let mut sides = opening.sides.iter();
            if sides.any(|t| !setup.may_derive(&self.node, &elements, *t, self.next)) {
                continue;
            }
            let question = Question {
                equations: opening.equations.to_vec(),
                goals: opening.sides.iter().map(|t| (*t, self.next)).collect(),
            };
            let solution = match setup.ask_with(&self.node, &elements, &question) {
                Answer::Never => continue,
                Answer::Sometimes(question) => return Err(question),
                Answer::Always(solution) => solution,
            };
            let principal = store.basis_index(index as u32);
            let make = |op: Op, args: Vec<TermId>| store.make(op, args.into_iter().collect());
            let way = Way {
                destructor: store.rule(rule.rule).destructor,
                args: arguments(store, rule, &principal, &solution.recipes, &make),
            };
            if !ways.contains(&way) {
                ways.push(way);
            }
        }
        Ok(())
    }

    /// What a destructor gives for its arguments in a configuration: the result of the first rule
    /// that fits.
    fn apply(
        &self,
        setup: &Setup<'_>,
        config: &Config,
        way: &Way,
    ) -> Result<Option<TermId>, Split> {
        let store = setup.store;
        let value = |r: &TermId| config.interpret(store, *r);
        let args: Vec<TermId> = way.args.iter().map(value).collect();
        for rule in store.rules_of(way.destructor) {
            let equations = args.iter().copied().zip(rule.premises.iter().copied());
            let question = Question {
                equations: equations.collect(),
                goals: Vec::new(),
            };
            match setup.ask(&self.node, config, &question) {
                Answer::Never => {}
                Answer::Sometimes(question) => return Err(question),
                Answer::Always(solution) => {
                    let vars = solution.vars.iter();
                    let found: Subst = vars.map(|(v, t)| (store.var(*v), *t)).collect();
                    return Ok(Some(found.resolve(store, rule.result)));
                }
            }
        }
        Ok(None)
    }

    /// Records in the trail which of the ways succeed.
    fn note_ways(&mut self, setup: &Setup<'_>, ways: &[Way], works: &Works) {
        let Some(trail) = &mut self.node.trail else {
            return;
        };
        for (way, holds) in ways.iter().zip(works) {
            let check = Check::Computes(Arc::new(way.lift(setup, trail)));
            trail.see(check, *holds);
        }
    }

    /// Records in the trail which of the recipes make what a destructor gives.
    fn note_equal(&mut self, setup: &Setup<'_>, way: &Way, recipes: &[TermId], works: &Works) {
        let Some(trail) = &mut self.node.trail else {
            return;
        };
        let given = Arc::new(way.lift(setup, trail));
        for (r, recipe) in recipes.iter().enumerate() {
            let check = Check::Equal(given.clone(), trail.lift(setup.store, *recipe));
            trail.see(check, works.get(r).copied().unwrap_or(false));
        }
    }
}

impl Way {
    /// The way as a recipe of the run.
    fn lift(&self, setup: &Setup<'_>, trail: &crate::engine::joint::trail::Trail) -> Recipe {
        let args = self.args.iter().map(|r| trail.lift(setup.store, *r));
        Recipe::Destruct(self.destructor, args.collect())
    }
}
