//! Nodes of the joint exploration [Sem 5.2].
//!
//! A node holds configurations of both sides that the environment can't tell apart. They share the
//! indices of the basis with their history, the generics (as recipe variables) and Lambda; each has
//! its own threads and its own terms for the indices.
//!
//! Invariant: every assignment of recipes to the generics that satisfies Lambda is possible for all
//! configurations of the node, and gives them statically equivalent knowledge. An element born at
//! level i mentions only generics of levels below i.

use super::template::{TemplateId, Templates, Values};
use super::trail::Trail;
use crate::attacker::knowledge::{Death, Element, Level};
use crate::attacker::solver::{Context, Entry, GenericInfo, Generics, Lambda, Solution, TooLarge};
pub use crate::certify::Side;
use crate::process::Type;
use crate::term::{Subst, TermId, TermStore, View};

/// A running thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Thread {
    /// What it does.
    pub template: TemplateId,
    /// With which values.
    pub values: Values,
}

/// A configuration of one side.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// Whose it is.
    pub side: Side,
    /// Its threads.
    pub threads: Vec<Thread>,
    /// The terms of the basis indices, dead ones included.
    pub terms: Vec<TermId>,
}

/// The history of a basis index, common to all configurations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Life {
    /// The first level at which it is known.
    pub born: Level,
    /// The first level at which it is composable.
    pub dead: Option<Level>,
    /// Its contents have been added to the basis.
    pub opened: bool,
}

/// A node.
#[derive(Clone, Debug)]
pub struct Node {
    /// The current level.
    pub level: Level,
    /// The history of the indices.
    pub lives: Vec<Life>,
    /// The generics with their levels.
    pub generics: Generics,
    /// What they are known not to be.
    pub lambda: Lambda,
    /// The configurations; never empty.
    pub configs: Vec<Config>,
    /// How the environment came here; kept only when a run is reported.
    pub trail: Option<Box<Trail>>,
}

impl Config {
    /// The term of a recipe.
    pub fn interpret(&self, store: &TermStore, recipe: TermId) -> TermId {
        store.map_atoms(recipe, &mut |atom| match store.view(atom) {
            View::Index(i) => Some(self.terms[i as usize]),
            _ => None,
        })
    }

    /// The elements of the basis, as the solver wants them.
    pub fn elements(&self, store: &TermStore, lives: &[Life]) -> Vec<Element> {
        let none = store.zero();
        self.terms
            .iter()
            .zip(lives)
            .map(|(term, life)| Element {
                term: *term,
                born: life.born,
                dead: life.dead.map(|level| Death {
                    level,
                    recipe: none,
                }),
                opened: life.opened,
            })
            .collect()
    }

    /// Replaces generics in all terms.
    pub fn apply(&mut self, store: &TermStore, subst: &Subst) {
        for t in &mut self.terms {
            *t = subst.apply(store, *t);
        }
        for thread in &mut self.threads {
            for v in &mut thread.values {
                *v = subst.apply(store, *v);
            }
        }
    }

    /// The values of narrowed generics in this configuration. Lowest level first: a recipe of level
    /// i uses elements whose generics have lower levels.
    pub fn image(&self, store: &TermStore, generics: &Generics, narrowing: &Solution) -> Subst {
        let mut bindings: Vec<_> = narrowing.bindings.iter().collect();
        bindings.sort_by_key(|b| generics.info(b.generic).level);
        let mut subst = Subst::new();
        for b in bindings {
            let term = store.map_atoms(b.recipe, &mut |atom| match store.view(atom) {
                View::Index(i) => Some(subst.apply(store, self.terms[i as usize])),
                _ => None,
            });
            subst.bind(store.generic(b.generic), term);
        }
        subst
    }

    /// The channel and, for an output, the message of a thread that waits for a communication.
    pub fn offer(
        store: &TermStore,
        templates: &Templates,
        thread: &Thread,
    ) -> Option<(TermId, Option<TermId>)> {
        match templates.act(thread.template) {
            super::template::Act::Output {
                channel, message, ..
            } => Some((
                Templates::fill(store, *channel, &thread.values),
                Some(Templates::fill(store, *message, &thread.values)),
            )),
            super::template::Act::Input { channel, .. } => {
                Some((Templates::fill(store, *channel, &thread.values), None))
            }
            super::template::Act::Test { .. } => None,
        }
    }
}

impl Node {
    /// Whether an index is alive at the current level.
    pub fn is_live(&self, index: usize) -> bool {
        self.lives[index].dead.is_none()
    }

    /// Whether a side has configurations here.
    pub fn has(&self, side: Side) -> bool {
        self.configs.iter().any(|c| c.side == side)
    }

    /// Adds a generic of the current level.
    pub fn fresh_generic(&mut self) -> u32 {
        self.generics.push(GenericInfo {
            level: self.level,
            ty: Type::Msg,
        })
    }

    /// The node after a narrowing, or `None` if Lambda forbids it.
    pub fn narrowed(
        &self,
        store: &TermStore,
        spies: &[TermId],
        narrowing: &Solution,
    ) -> Result<Option<Node>, TooLarge> {
        let Some(lambda) = self.allowed(store, spies, narrowing)? else {
            return Ok(None);
        };
        let mut node = self.clone();
        node.lambda = lambda;
        node.generics.extend(&narrowing.fresh);
        for config in &mut node.configs {
            let subst = config.image(store, &self.generics, narrowing);
            config.apply(store, &subst);
        }
        if let Some(trail) = &mut node.trail {
            trail.narrow(store, narrowing);
        }
        Ok(Some(node))
    }

    /// Lambda after a narrowing, or `None` if Lambda forbids it.
    pub fn allowed(
        &self,
        store: &TermStore,
        spies: &[TermId],
        narrowing: &Solution,
    ) -> Result<Option<Lambda>, TooLarge> {
        if self.lambda.is_empty() {
            return Ok(Some(Lambda::new()));
        }
        let mut generics = self.generics.clone();
        generics.extend(&narrowing.fresh);
        let witness = self.configs.first().expect("a node has a configuration");
        let subst = witness.image(store, &self.generics, narrowing);
        let mut elements = witness.elements(store, &self.lives);
        for e in &mut elements {
            e.term = subst.apply(store, e.term);
        }
        let cx = Context {
            store,
            generics: &generics,
            elements: &elements,
            spies,
            typing: None,
        };
        self.lambda.narrowed(&cx, narrowing)
    }

    /// The node without the instances of a solution.
    pub fn without(mut self, store: &TermStore, solution: &Solution) -> Node {
        let known = self.generics.len();
        self.lambda.forbid(Entry::negation(store, known, solution));
        self
    }
}
