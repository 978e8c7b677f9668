//! Saturation: what the environment makes of a message that it has heard [Sem 3.2].
//!
//! The elements are examined newest first, so that old indices survive. For each the configurations
//! answer, in this order: can it be composed from the others; is it a tuple or a number; can it be
//! opened, and how (`open`); which destructors succeed with it (`destruct`). An answer that depends
//! on the generics splits the node. Configurations with different answers are separated, since the
//! environment can tell them apart from now on. After a definite yes one step is taken and the
//! elements are examined again, until every answer is no.
//!
//! Two more questions complete static equivalence (`partners`): which private part belongs to which
//! public part (what is encrypted with the one opens with the other), and whether a member of a
//! key-pair family is one whose public part can be made from its arguments.
//!
//! A configuration's answer names a recipe. Before the fixpoint a term may have several, so
//! configurations are not compared by the recipe they happened to find: every recipe that one of
//! them named is tried in all of them.

mod destruct;
mod open;
mod partners;
mod survey;

use self::survey::{Works, group};
use super::node::{Config, Life, Node};
use super::question::Split;
use super::setup::Setup;
use super::trail::{Check, Recipe};
use crate::attacker::knowledge::{Level, openings};
use crate::term::{TermId, View};
use std::sync::Arc;

/// A node between two levels: the message has been added, its consequences have not all been drawn.
struct Draft {
    node: Node,
    /// Indices from here on were not there at the last level.
    first_new: usize,
    /// The level that is being built.
    next: Level,
    /// Whether an index is settled until something is added.
    done: Vec<bool>,
    /// Whether anything but the composable message was found.
    changed: bool,
}

/// The result of examining a draft.
enum Look {
    /// A question must be decided first.
    Split(Split),
    /// The configurations were separated, or a step was taken.
    Parts(Vec<Draft>),
    /// Everything is settled.
    Fixpoint,
}

/// Adds to each configuration the message that it has just sent (one per configuration, in order),
/// and saturates. The message is already in the trail. One that is too large is refused.
pub(crate) fn hear(setup: &Setup<'_>, mut node: Node, messages: &[TermId], heard: &mut Vec<Node>) {
    let size = |m: &TermId| setup.store.facts(*m).size;
    if messages.iter().any(|m| setup.halt.refuse(size(m))) {
        return;
    }
    let first_new = node.lives.len();
    let next = node.level + 1;
    node.lives.push(Life {
        born: next,
        dead: None,
        opened: false,
    });
    for (config, message) in node.configs.iter_mut().zip(messages) {
        config.terms.push(*message);
    }
    let done = vec![false; node.lives.len()];
    saturate(
        setup,
        Draft {
            node,
            first_new,
            next,
            done,
            changed: false,
        },
        heard,
    );
}

/// Gives all configurations the initial knowledge, at level 0.
pub(crate) fn start(setup: &Setup<'_>, mut node: Node, knows: &[TermId]) -> Vec<Node> {
    for (i, term) in knows.iter().enumerate() {
        node.lives.push(Life {
            born: 0,
            dead: None,
            opened: false,
        });
        for config in &mut node.configs {
            config.terms.push(*term);
        }
        if let Some(trail) = &mut node.trail {
            trail.defs.push(Arc::new(Recipe::Initial(i)));
        }
    }
    let done = vec![false; node.lives.len()];
    let mut started = Vec::new();
    saturate(
        setup,
        Draft {
            node,
            first_new: 0,
            next: 0,
            done,
            changed: true,
        },
        &mut started,
    );
    started
}

fn saturate(setup: &Setup<'_>, draft: Draft, heard: &mut Vec<Node>) {
    let mut open = vec![draft];
    while let Some(mut draft) = open.pop() {
        if setup.halt.stopped() {
            return;
        }
        match draft.look(setup) {
            Look::Fixpoint => heard.push(draft.finish()),
            Look::Parts(parts) => open.extend(parts.into_iter().rev()),
            Look::Split(question) => {
                let [yes, no] = setup.split(&draft.node, &question);
                for node in [no, yes].into_iter().flatten() {
                    open.push(Draft {
                        node,
                        done: draft.done.clone(),
                        ..draft
                    });
                }
            }
        }
    }
}

impl Draft {
    /// Examines the next element that is not settled.
    fn look(&mut self, setup: &Setup<'_>) -> Look {
        loop {
            let alone = self.node.lives.len() == self.first_new;
            if !self.changed && alone {
                // The message could be composed: nothing is known that was not known before.
                return Look::Fixpoint;
            }
            let next = (0..self.done.len())
                .rev()
                .find(|i| !self.done[*i] && self.node.is_live(*i));
            let looked = match next {
                Some(index) => self.examine(setup, index),
                None => return self.partners(setup),
            };
            match looked {
                Err(question) => return Look::Split(question),
                Ok(Some(parts)) => return Look::Parts(parts),
                Ok(None) => {}
            }
        }
    }

    /// Examines one element. `None`: it is settled for now and all configurations agree.
    fn examine(&mut self, setup: &Setup<'_>, index: usize) -> Result<Option<Vec<Draft>>, Split> {
        let mut configs = self.node.configs.iter();
        if configs.all(|c| self.is_inert(setup, c, index)) {
            self.done[index] = true;
            return Ok(None);
        }
        let goals: Vec<_> = self
            .node
            .configs
            .iter()
            .map(|c| Some(c.terms[index]))
            .collect();
        let composed = self.survey(setup, index, &goals)?;
        let groups = group(composed.works.iter().cloned());
        if groups.len() > 1 || !groups[0].answer.is_empty() {
            let parts = groups.into_iter().map(|g| {
                let mut draft = self.pick(&g.members);
                draft.note(setup, index, &composed.recipes, &g.answer);
                if !g.answer.is_empty() {
                    draft.bury(index);
                }
                draft
            });
            return Ok(Some(parts.collect()));
        }
        if let Some(parts) = self.take_apart(setup, index) {
            return Ok(Some(parts));
        }
        if !self.node.lives[index].opened
            && let Some(parts) = self.open(setup, index)?
        {
            return Ok(Some(parts));
        }
        if setup.store.has_rules()
            && let Some(parts) = self.destruct(setup, index)?
        {
            return Ok(Some(parts));
        }
        self.done[index] = true;
        Ok(None)
    }

    /// Whether every answer about an element is no, for its operators alone; a "no" is not certain.
    fn is_inert(&self, setup: &Setup<'_>, config: &Config, index: usize) -> bool {
        let (store, term) = (setup.store, config.terms[index]);
        if matches!(store.view(term), View::Tuple(_) | View::Suc(_)) {
            return false;
        }
        let mut elements = config.elements(store, &self.node.lives);
        let locked = openings(store, term).iter().all(|o| {
            let mut sides = o.sides.iter();
            let done = o.rule.is_none() && self.node.lives[index].opened;
            done || sides.any(|t| !setup.may_derive(&self.node, &elements, *t, self.next))
        });
        elements[index].born = Level::MAX;
        locked && !setup.may_derive(&self.node, &elements, term, self.next)
    }

    /// Tuples and numbers; the element can't be composed, so it is no generic.
    fn take_apart(&self, setup: &Setup<'_>, index: usize) -> Option<Vec<Draft>> {
        let store = setup.store;
        let arity = |c: &Config| match store.view(c.terms[index]) {
            View::Tuple(parts) => (1, parts.len()),
            View::Suc(_) => (2, 1),
            _ => (0, 0),
        };
        let groups = group(self.node.configs.iter().map(arity));
        if groups.len() == 1 && groups[0].answer.0 == 0 {
            return None;
        }
        let kinds: Vec<(i32, usize)> = groups.iter().map(|g| g.answer).collect();
        let parts = groups.into_iter().map(|g| {
            let mut draft = self.pick(&g.members);
            let (kind, parts) = g.answer;
            if let Some(trail) = &mut draft.node.trail {
                for (k, n) in kinds.iter().filter(|(k, _)| *k != 0) {
                    let part = Arc::new(piece(&trail.defs[index], *k, 0, *n));
                    trail.see(Check::Computes(part), g.answer == (*k, *n));
                }
            }
            if kind != 0 {
                let whole = |c: &Config| c.terms[index];
                let wholes: Vec<TermId> = draft.node.configs.iter().map(whole).collect();
                for i in 0..parts {
                    draft.add(
                        |c| store.node(wholes[c]).args[i],
                        |defs| piece(&defs[index], kind, i, parts),
                    );
                }
                draft.bury(index);
            }
            draft
        });
        Some(parts.collect())
    }

    /// The draft with some of the configurations.
    fn pick(&self, members: &[usize]) -> Draft {
        let configs = members.iter().map(|m| self.node.configs[*m].clone());
        Draft {
            node: Node {
                configs: configs.collect(),
                lives: self.node.lives.clone(),
                generics: self.node.generics.clone(),
                lambda: self.node.lambda.clone(),
                level: self.node.level,
                trail: self.node.trail.clone(),
            },
            done: self.done.clone(),
            ..*self
        }
    }

    /// Records in the trail which of the recipes make the element.
    fn note(&mut self, setup: &Setup<'_>, index: usize, recipes: &[TermId], works: &Works) {
        let Some(trail) = &mut self.node.trail else {
            return;
        };
        for (r, recipe) in recipes.iter().enumerate() {
            let check = Check::Equal(trail.defs[index].clone(), trail.lift(setup.store, *recipe));
            trail.see(check, works.get(r).copied().unwrap_or(false));
        }
    }

    /// Adds an element.
    fn add(&mut self, term: impl Fn(usize) -> TermId, def: impl Fn(&[Arc<Recipe>]) -> Recipe) {
        self.node.lives.push(Life {
            born: self.next,
            dead: None,
            opened: false,
        });
        for (i, config) in self.node.configs.iter_mut().enumerate() {
            config.terms.push(term(i));
        }
        if let Some(trail) = &mut self.node.trail {
            let made = def(&trail.defs);
            trail.defs.push(Arc::new(made));
        }
        self.changed = true;
        self.done.clear();
        self.done.resize(self.node.lives.len(), false);
    }

    /// Ends an element's life; one that was born in this saturation was alive at no level.
    fn bury(&mut self, index: usize) {
        if index < self.first_new {
            self.node.lives[index].dead = Some(self.next);
            self.changed = true;
            return;
        }
        self.node.lives.remove(index);
        self.done.remove(index);
        for config in &mut self.node.configs {
            config.terms.remove(index);
        }
        if let Some(trail) = &mut self.node.trail {
            trail.defs.remove(index);
        }
    }

    fn finish(self) -> Node {
        let mut node = self.node;
        if self.changed || node.lives.len() > self.first_new {
            node.level = self.next;
        }
        node
    }
}

/// The recipe of a component of a tuple (kind 1), or of a predecessor.
fn piece(whole: &Arc<Recipe>, kind: i32, i: usize, arity: usize) -> Recipe {
    if kind == 1 {
        Recipe::Part(whole.clone(), i, arity)
    } else {
        Recipe::Predecessor(whole.clone())
    }
}
