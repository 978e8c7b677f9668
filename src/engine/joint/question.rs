//! Questions of a configuration and their answers [Sem 2.2].
//!
//! Every question of the joint exploration is answered here: tests, channels, statuses of elements
//! and the comparison of labels. An answer that depends on the generics splits the node.

use super::Semantics;
use super::node::{Config, Node};
use super::setup::Setup;
use crate::attacker::knowledge::{Element, Level};
use crate::attacker::solver::{Context, Entry, Question, Solution, TooLarge, conceivable, solve};
use crate::term::TermId;
use std::sync::Arc;

/// The answer to a question.
#[derive(Clone, Debug)]
pub enum Answer {
    /// Yes, whatever the generics stand for.
    Always(Box<Solution>),
    /// No, whatever the generics stand for.
    Never,
    /// Yes for the instances of this solution; for others ask again.
    Sometimes(Box<Solution>),
}

/// A question that has to be decided before a node can go on.
pub type Split = Box<Solution>;

impl Setup<'_> {
    /// Asks a configuration of the node; elements are taken as they are given.
    pub fn ask_with(&self, node: &Node, elements: &[Element], question: &Question) -> Answer {
        self.choose(node, &self.solutions(node, elements, question))
    }

    /// The solutions of a question, whatever Lambda says.
    pub fn solutions(
        &self,
        node: &Node,
        elements: &[Element],
        question: &Question,
    ) -> Vec<Solution> {
        let cx = Context {
            store: self.store,
            generics: &node.generics,
            elements,
            spies: self.spies,
            typing: None,
        };
        let mut solutions = self.answered(solve(&cx, question));
        if self.options.reversed {
            solutions.reverse();
        }
        solutions
    }

    /// The answer that the solutions of a question give: the first of them that Lambda allows.
    pub fn choose(&self, node: &Node, solutions: &[Solution]) -> Answer {
        for s in solutions {
            if s.is_identity() {
                return Answer::Always(Box::new(s.clone()));
            }
            let allowed = node.allowed(self.store, self.spies, s);
            if self.answered(allowed).is_some() {
                return Answer::Sometimes(Box::new(s.clone()));
            }
        }
        Answer::Never
    }

    /// Asks a configuration of the node.
    pub fn ask(&self, node: &Node, config: &Config, question: &Question) -> Answer {
        let elements = config.elements(self.store, &node.lives);
        self.ask_with(node, &elements, question)
    }

    /// Whether two terms of a configuration are equal.
    pub fn equal(&self, node: &Node, config: &Config, a: TermId, b: TermId) -> Result<bool, Split> {
        if a == b {
            return Ok(true);
        }
        if self.store.is_ground(a) && self.store.is_ground(b) {
            return Ok(false);
        }
        let question = Question {
            equations: vec![(a, b)],
            goals: Vec::new(),
        };
        match self.ask(node, config, &question) {
            Answer::Always(_) => Ok(true),
            Answer::Never => Ok(false),
            Answer::Sometimes(s) => Err(s),
        }
    }

    /// Whether a term may be derivable for some values of the generics; a "no" is certain.
    pub fn may_derive(
        &self,
        node: &Node,
        elements: &[Element],
        term: TermId,
        level: Level,
    ) -> bool {
        let cx = Context {
            store: self.store,
            generics: &node.generics,
            elements,
            spies: self.spies,
            typing: None,
        };
        conceivable(&cx, term, level)
    }

    /// The recipe of a term of a configuration at a level, if it is derivable.
    pub fn recipe(
        &self,
        node: &Node,
        elements: &[Element],
        term: TermId,
        level: Level,
    ) -> Result<Option<TermId>, Split> {
        if crate::attacker::knowledge::is_constant(self.store, term) {
            return Ok(Some(term));
        }
        if !self.may_derive(node, elements, term, level) {
            return Ok(None);
        }
        let question = Question {
            equations: Vec::new(),
            goals: vec![(term, level)],
        };
        match self.ask_with(node, elements, &question) {
            Answer::Always(s) => Ok(Some(s.recipes[0])),
            Answer::Never => Ok(None),
            Answer::Sometimes(s) => Err(s),
        }
    }

    /// Whether internal communication on channels that the attacker derives is left out.
    pub fn is_private(&self) -> bool {
        self.options.semantics == Semantics::Private
    }

    /// Splits a node: the instances of the solution first, then the rest.
    pub fn split(&self, node: &Node, solution: &Solution) -> [Option<Node>; 2] {
        [
            self.narrowed(node, solution),
            Some(node.clone().without(self.store, solution)),
        ]
    }

    /// The node after a narrowing, or `None` if Lambda forbids it or a term becomes too large.
    pub fn narrowed(&self, node: &Node, solution: &Solution) -> Option<Node> {
        let store = self.store;
        let node = self.answered(node.narrowed(store, self.spies, solution))?;
        let refused = |t: TermId| self.halt.refuse(store.facts(t).size);
        let in_config = |c: &Config| {
            let values = c.threads.iter().flat_map(|t| t.values.iter());
            c.terms.iter().chain(values).any(|t| refused(*t))
        };
        let in_entry = |e: &Arc<Entry>| e.bindings.iter().any(|(_, r)| refused(*r));
        if node.configs.iter().any(in_config) || node.lambda.entries().iter().any(in_entry) {
            return None;
        }
        Some(node)
    }

    /// What some work comes to, unless a term becomes too large: then the comparison is given up.
    fn answered<T: Default>(&self, result: Result<T, TooLarge>) -> T {
        result.unwrap_or_else(|TooLarge| {
            self.halt.refuse(u32::MAX);
            T::default()
        })
    }
}
