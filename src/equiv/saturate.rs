//! Saturation: what the environment makes of a message that it has heard [Sem 3.2].
//!
//! The elements are looked at newest first, so that old indices survive. For each the configurations answer, in this
//! order: can it be composed from the others; is it a tuple or a number; can it be opened, and how. An answer that
//! depends on the generics splits the node; configurations with different answers part, since the environment can tell
//! them apart from now on. After a definite yes one step is taken and the elements are looked at again, until every
//! answer is no.
//!
//! Two more questions complete static equivalence: which private part belongs to which public part (what is
//! encrypted with the one opens with the other), and whether a member of a key-pair family is one whose public part
//! can be made from its arguments.
//!
//! A configuration's answer names a recipe. Before the fixpoint a term may have several, so configurations are not
//! compared by the recipe they happened to find: every recipe that one of them named is tried in all of them.

use super::ask::{Answer, Setup, Split};
use super::node::{Config, Life, Node};
use super::template::Templates;
use super::trail::{Check, Opener, Recipe};
use crate::knowledge::Level;
use crate::symbolic::Question;
use crate::term::{FamilyKind, Op, Subst, TermId, View};
use smallvec::SmallVec;
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

/// An answer of a configuration: which of the recipes work; none if the answer is no.
type Works = SmallVec<[bool; 4]>;

/// What a question found: the recipes named, and for each configuration which of them work.
struct Survey {
    recipes: Vec<TermId>,
    works: Vec<Works>,
}

/// An element that can be opened.
#[derive(Clone, Copy)]
struct Unlocked {
    how: Opener,
    key: TermId,
    recipe: TermId,
    content: TermId,
}

/// The configurations with the same answer.
struct Group<T> {
    answer: T,
    members: Vec<usize>,
}

/// What one look at a draft leads to.
enum Look {
    /// A question must be decided first.
    Split(Split),
    /// The configurations part, or a step was taken.
    Parts(Vec<Draft>),
    /// Everything is settled.
    Fixpoint,
}

/// Adds to each configuration the message that it has just sent (one per configuration, in order), and saturates.
/// The message has already been booked in the trail.
pub fn hear(setup: &Setup<'_>, mut node: Node, messages: &[TermId], heard: &mut Vec<Node>) {
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
pub fn start(setup: &Setup<'_>, mut node: Node, knows: &[TermId]) -> Vec<Node> {
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
    /// Looks at the next element that is not settled.
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

    /// Asks each configuration for a recipe of its goal (`None` if its answer is no anyway), without the help of one
    /// element.
    fn survey(
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
                    elements[hidden].born = Level::MAX;
                    setup.recipe(&self.node, &elements, *term, self.next)?
                }
            });
        }
        self.compare(setup, goals, &own)
    }

    /// For each configuration the first one with the same terms. What is asked here is asked of the terms only (goals,
    /// recipes and contents are made from them), so it gives the same answers.
    fn first_alike(&self) -> Vec<usize> {
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
    fn compare(
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

    /// Looks at one element. `None`: it is settled for now and all configurations agree.
    fn examine(&mut self, setup: &Setup<'_>, index: usize) -> Result<Option<Vec<Draft>>, Split> {
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
        self.done[index] = true;
        Ok(None)
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

    /// Ciphertexts and signatures.
    fn open(&self, setup: &Setup<'_>, index: usize) -> Result<Option<Vec<Draft>>, Split> {
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
        let mut answers: Vec<Option<(Opener, Works)>> = vec![None; locks.len()];
        let mut named: Vec<(Opener, Vec<TermId>)> = Vec::new();
        for how in [Opener::Senc, Opener::Aenc, Opener::Sign] {
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
        let hole = Templates::bound_var(0);
        let inner = store.var(hole);
        let (how, content, equations, key) = match store.view(config.terms[index]) {
            View::Senc(m, k) => (Opener::Senc, m, Vec::new(), k),
            View::Aenc(m, k) => {
                let shape = vec![(k, store.pub_part(inner))];
                (Opener::Aenc, m, shape, store.priv_part(inner))
            }
            View::Sign(m, k) => {
                let shape = vec![(k, store.priv_part(inner))];
                (Opener::Sign, m, shape, store.pub_part(inner))
            }
            _ => return Ok(None),
        };
        let question = Question {
            equations,
            goals: vec![(key, self.next)],
        };
        match setup.ask(&self.node, config, &question) {
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
                    content,
                }))
            }
        }
    }

    /// At the fixpoint: which private parts have a derivable public part, and which members of key-pair families one
    /// that can be made without them. Each such element is looked at once more.
    fn partners(&mut self, setup: &Setup<'_>) -> Look {
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

    /// Books the comparisons of [`Draft::partners`] in the trail.
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
            let content = Arc::new(Recipe::Open(Opener::Aenc, locked, element.clone()));
            trail.see(Check::Computes(content), works && answer.0);
            let made = Arc::new(Recipe::Apply(Op::Pub, vec![element]));
            trail.see(Check::Equal(made, public), works && !answer.0);
        }
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

    /// Books in the trail which of the recipes make the element.
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

/// Groups numbers by answer, in order of first occurrence.
fn group<T: PartialEq>(answers: impl Iterator<Item = T>) -> Vec<Group<T>> {
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
