//! What the configurations of a draft answer to one question, and which of them answer alike.

use super::Draft;
use crate::attacker::knowledge::Level;
use crate::engine::joint::question::Split;
use crate::engine::joint::setup::Setup;
use crate::term::TermId;
use smallvec::SmallVec;

/// An answer of a configuration: which of the recipes work; none if the answer is no.
pub(super) type Works = SmallVec<[bool; 4]>;

/// What a question found: the recipes named, and for each configuration which of them work.
pub(super) struct Survey {
    pub recipes: Vec<TermId>,
    pub works: Vec<Works>,
}

/// The configurations with the same answer.
pub(super) struct Group<T> {
    pub answer: T,
    pub members: Vec<usize>,
}

/// Groups numbers by answer, in order of first occurrence.
pub(super) fn group<T: PartialEq>(answers: impl Iterator<Item = T>) -> Vec<Group<T>> {
    let mut groups: Vec<Group<T>> = Vec::new();
    for (i, answer) in answers.enumerate() {
        match groups.iter_mut().find(|g| g.answer == answer) {
            Some(g) => g.members.push(i),
            None => groups.push(Group {
                answer,
                members: vec![i],
            }),
        }
    }
    groups
}

impl Draft {
    /// Asks each configuration for a recipe of its goal (`None` if its answer is no anyway),
    /// without the help of one element, if there is one of that number.
    pub(super) fn survey(
        &self,
        setup: &Setup<'_>,
        hidden: usize,
        goals: &[Option<TermId>],
    ) -> Result<Survey, Split> {
        let first = self.first_alike();
        let mut own: Vec<Option<TermId>> = Vec::with_capacity(goals.len());
        for (i, (config, goal)) in self.node.configs.iter().zip(goals).enumerate() {
            own.push(match goal {
                None => None,
                Some(_) if first[i] < i => own[first[i]],
                Some(term) => {
                    let mut elements = config.elements(setup.store, &self.node.lives);
                    if let Some(element) = elements.get_mut(hidden) {
                        element.born = Level::MAX;
                    }
                    setup.recipe(&self.node, &elements, *term, self.next)?
                }
            });
        }
        self.compare(setup, goals, &own)
    }

    /// For each configuration the first one with the same terms. What is asked here is asked of the
    /// terms only (goals, recipes and contents are made from them), so it gives the same answers.
    pub(super) fn first_alike(&self) -> Vec<usize> {
        let configs = &self.node.configs;
        let mut firsts: Vec<usize> = Vec::new();
        (0..configs.len())
            .map(|i| {
                let same = |f: &&usize| configs[**f].terms == configs[i].terms;
                firsts.iter().find(same).copied().unwrap_or_else(|| {
                    firsts.push(i);
                    i
                })
            })
            .collect()
    }

    /// Tries every recipe that a configuration named in all configurations that have one.
    pub(super) fn compare(
        &self,
        setup: &Setup<'_>,
        goals: &[Option<TermId>],
        own: &[Option<TermId>],
    ) -> Result<Survey, Split> {
        let mut recipes: Vec<TermId> = Vec::new();
        for r in own.iter().flatten() {
            if !recipes.contains(r) {
                recipes.push(*r);
            }
        }
        let first = self.first_alike();
        let mut works: Vec<Works> = Vec::with_capacity(own.len());
        for (i, ((config, goal), own)) in self.node.configs.iter().zip(goals).zip(own).enumerate() {
            if first[i] < i {
                let same = works[first[i]].clone();
                works.push(same);
                continue;
            }
            let mut row = Works::new();
            if let (Some(goal), Some(own)) = (goal, own) {
                for r in &recipes {
                    let value = config.interpret(setup.store, *r);
                    row.push(own == r || setup.equal(&self.node, config, value, *goal)?);
                }
            }
            works.push(row);
        }
        Ok(Survey { recipes, works })
    }
}
