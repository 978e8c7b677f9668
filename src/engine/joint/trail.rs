//! The environment's run that leads to a node, in recipes over what it heard.
//!
//! Nodes are renamed, narrowed and stripped as they are explored. When a run has to be reported,
//! the exploration is repeated along the path to the refutation. The nodes on it carry a trail: how
//! the environment obtained each index, which message of the run each generic stands for, and the
//! comparisons that separated the configurations of the other side.

use crate::attacker::solver::Solution;
use crate::term::{DestructorId, Op, TermId, TermStore, View};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// How the environment computes a term of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Recipe {
    /// The initial knowledge of this number.
    Initial(usize),
    /// The message heard by the output of this number.
    Heard(usize),
    /// A message of the environment's own choice, by number.
    Choice(u32),
    /// A public name or 0.
    Constant(TermId),
    /// An operator applied by the environment.
    Apply(Op, Vec<Arc<Recipe>>),
    /// The component of this number of a tuple of so many.
    Part(Arc<Recipe>, usize, usize),
    /// The predecessor of a number.
    Predecessor(Arc<Recipe>),
    /// The content of a ciphertext or signature with this operator.
    Open(Op, Arc<Recipe>, Arc<Recipe>),
    /// A declared destructor applied to its arguments.
    Destruct(DestructorId, Vec<Arc<Recipe>>),
}

/// What the environment does in one step of a run.
#[derive(Clone, Debug)]
pub(crate) enum Act {
    /// It hears an output.
    Hear {
        /// On this channel.
        channel: Arc<Recipe>,
    },
    /// It sends a message.
    Send {
        /// On this channel.
        channel: Arc<Recipe>,
        /// The message.
        message: Arc<Recipe>,
    },
}

/// What the environment looks at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// Whether two things it can compute are equal.
    Equal(Arc<Recipe>, Arc<Recipe>),
    /// Whether it can compute something.
    Computes(Arc<Recipe>),
}

/// A look of the environment and what it saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    /// The look.
    pub check: Check,
    /// Whether it is so.
    pub holds: bool,
}

/// The way to a node.
#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    /// For each index of the node.
    pub defs: Vec<Arc<Recipe>>,
    /// For each generic of the node, the number of the choice.
    pub choices: Vec<u32>,
    /// What each choice was narrowed to.
    values: Vec<Option<Arc<Recipe>>>,
    /// The actions so far.
    pub acts: Vec<Act>,
    /// What it saw so far.
    pub seen: Vec<Seen>,
    /// Number of outputs heard.
    heard: usize,
    /// The public names of the node and what they are in the run; others are themselves.
    names: FxHashMap<TermId, TermId>,
}

impl Trail {
    /// The start of a run with some initial knowledge.
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// The start of a run in the middle of another: the indices and generics of the node are its
    /// initial knowledge and its first choices.
    pub(crate) fn at(indices: usize, generics: u32) -> Self {
        Self {
            defs: (0..indices).map(|i| Arc::new(Recipe::Initial(i))).collect(),
            choices: (0..generics).collect(),
            values: vec![None; generics as usize],
            ..Self::default()
        }
    }

    /// What each choice was narrowed to.
    pub(crate) fn values(&self) -> &[Option<Arc<Recipe>>] {
        &self.values
    }

    /// A recipe of the node as a recipe of the run.
    pub(crate) fn lift(&self, store: &TermStore, recipe: TermId) -> Arc<Recipe> {
        match store.view(recipe) {
            View::Index(i) => self.defs[i as usize].clone(),
            View::Generic(g) => Arc::new(Recipe::Choice(self.choices[g as usize])),
            View::Name(_) | View::Zero => Arc::new(Recipe::Constant(self.name(recipe))),
            _ => {
                let node = store.node(recipe);
                let args = node.args.iter().map(|a| self.lift(store, *a)).collect();
                Arc::new(Recipe::Apply(node.op, args))
            }
        }
    }

    /// What a public name of the node is in the run.
    fn name(&self, name: TermId) -> TermId {
        self.names.get(&name).copied().unwrap_or(name)
    }

    /// Records that the public names of the node were renamed.
    pub(crate) fn rename(&mut self, new: &FxHashMap<TermId, TermId>) {
        self.names = new
            .iter()
            .map(|(old, new)| (*new, self.name(*old)))
            .collect();
    }

    /// Records a new generic.
    pub(crate) fn choose(&mut self) {
        self.choices.push(self.values.len() as u32);
        self.values.push(None);
    }

    /// Records a narrowing.
    pub(crate) fn narrow(&mut self, store: &TermStore, narrowing: &Solution) {
        for _ in &narrowing.fresh {
            self.choose();
        }
        for b in &narrowing.bindings {
            let value = self.lift(store, b.recipe);
            let at = self.choices[b.generic as usize] as usize;
            self.values[at] = Some(value);
        }
    }

    /// Records an input of the process on a channel; the message is the newest generic.
    pub(crate) fn send(&mut self, store: &TermStore, channel: TermId) {
        let channel = self.lift(store, channel);
        let newest = *self.choices.last().expect("the message has been recorded");
        self.acts.push(Act::Send {
            channel,
            message: Arc::new(Recipe::Choice(newest)),
        });
    }

    /// Records an output on a channel; the message becomes the newest index.
    pub(crate) fn hear(&mut self, store: &TermStore, channel: TermId) {
        let channel = self.lift(store, channel);
        self.acts.push(Act::Hear { channel });
        self.defs.push(Arc::new(Recipe::Heard(self.heard)));
        self.heard += 1;
    }

    /// Records a comparison.
    pub(crate) fn see(&mut self, check: Check, holds: bool) {
        let seen = Seen { check, holds };
        if !self.seen.contains(&seen) {
            self.seen.push(seen);
        }
    }

    /// A recipe with all choices replaced by what they were narrowed to; what is left is free.
    pub(crate) fn resolve(&self, recipe: &Arc<Recipe>) -> Arc<Recipe> {
        match &**recipe {
            Recipe::Choice(c) => match &self.values[*c as usize] {
                Some(value) => self.resolve(value),
                None => recipe.clone(),
            },
            Recipe::Initial(_) | Recipe::Heard(_) | Recipe::Constant(_) => recipe.clone(),
            Recipe::Apply(op, args) => Arc::new(Recipe::Apply(
                *op,
                args.iter().map(|a| self.resolve(a)).collect(),
            )),
            Recipe::Destruct(d, args) => Arc::new(Recipe::Destruct(
                *d,
                args.iter().map(|a| self.resolve(a)).collect(),
            )),
            Recipe::Part(of, i, n) => Arc::new(Recipe::Part(self.resolve(of), *i, *n)),
            Recipe::Predecessor(of) => Arc::new(Recipe::Predecessor(self.resolve(of))),
            Recipe::Open(how, of, key) => {
                Arc::new(Recipe::Open(*how, self.resolve(of), self.resolve(key)))
            }
        }
    }
}
