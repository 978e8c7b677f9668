//! Questions of a configuration and their answers [Sem 2.2].
//!
//! All questions of the joint exploration come through here: tests, channels, statuses of elements and the comparison
//! of labels. An answer that depends on the generics splits the node.

use super::node::{Config, Node};
use super::template::Templates;
use super::{Options, Semantics};
use crate::attacker::knowledge::{Element, Level};
use crate::attacker::solver::{Context, Entry, Question, Solution, TooLarge, conceivable, solve};
use crate::base::limits::{self, Limits, Observer, StopReason};
use crate::term::{TermId, TermStore};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// How often this thread was asked whether to stop.
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// Operators and names of the largest message that is compared, heard or passed on. Tests and threads can double a
/// message, and terms are walked as trees.
const LARGEST: u32 = 1 << 14;

/// What does not change during a comparison.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The terms.
    pub store: &'a TermStore,
    /// The agents that the attacker plays.
    pub spies: &'a [TermId],
    /// The templates of both sides.
    pub templates: Templates,
    /// Canonical restricted names.
    pub pool: Vec<TermId>,
    /// The public names that are renamed, in the order in which they are given to a canonical node.
    pub publics: Vec<TermId>,
    /// How to compare.
    pub options: &'a Options,
    /// Runs may be compressed: the systems are simple.
    pub compressed: bool,
    /// When to stop in the middle.
    pub halt: Halt<'a>,
}

/// When to stop in the middle: the limits, and messages that have become too large.
#[derive(Debug)]
pub struct Halt<'a> {
    limits: limits::Halt<'a>,
    refused: AtomicBool,
}

impl<'a> Halt<'a> {
    /// Stops at the deadline, when too much memory is used, or when the observer says so.
    pub fn new(limits: &Limits, observer: &'a dyn Observer) -> Self {
        Self {
            limits: limits::Halt::new(limits, observer),
            refused: AtomicBool::new(false),
        }
    }

    /// Looks at the clock, the memory and the user now.
    pub fn look(&self) {
        self.limits.reason();
    }

    /// Whether to stop; looks at the clock now and then. Results computed after a yes are not used.
    pub fn stopped(&self) -> bool {
        // Each thread counts by itself: a common counter would be what they wait for.
        let calls = CALLS.replace(CALLS.get().wrapping_add(1));
        if calls.is_multiple_of(64) {
            self.look();
        }
        self.reason().is_some()
    }

    /// Stops because a message has become too large; whether it has.
    pub fn refuse(&self, size: u32) -> bool {
        let refused = size > LARGEST;
        if refused {
            self.refused.store(true, Ordering::Relaxed);
        }
        refused
    }

    /// Forgets that a message was too large, so that what was computed since can be computed again.
    pub fn again(&self) {
        self.refused.store(false, Ordering::Relaxed);
    }

    /// Why to stop, if a look found a reason.
    pub fn reason(&self) -> Option<StopReason> {
        let refused = || self.refused.load(Ordering::Relaxed);
        let met = self.limits.met();
        met.or_else(|| refused().then_some(StopReason::Size(LARGEST)))
    }
}

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
