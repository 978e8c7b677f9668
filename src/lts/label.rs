//! Labels of transitions: canonical representations with respect to the new knowledge (equations 2 to 4 of the S3A
//! paper).
//!
//! A label is written in the names of the state that it leaves; what the transition adds is numbered on from there.

use super::step::{Event, Successor};
use crate::equiv::node::{Life, Node};
use crate::equiv::trail::Recipe;
use crate::symbolic::{Binding, Context, Entry, Solution, derive_rigid};
use crate::term::{Subst, TermId, TermStore, View};
use std::sync::Arc;

/// The action of the process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Silent.
    Tau,
    /// Input on a channel; the environment chose this generic.
    Input {
        /// The channel.
        channel: TermId,
        /// The number of the generic.
        generic: u32,
    },
    /// Output on a channel.
    Output {
        /// The channel.
        channel: TermId,
        /// The message.
        message: TermId,
    },
}

/// A label. Terms are recipes over indices and generics.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The action.
    pub act: Act,
    /// The specialisation: what generics of the state turned out to be.
    pub narrowing: Vec<(u32, TermId)>,
    /// The forbidden specialisations that were added, after the narrowing; their variables stand for anything.
    pub forbidden: Vec<Arc<Entry>>,
    /// Elements that the environment has just learned.
    pub learned: Vec<u32>,
    /// Elements that can be opened now and stay, with the keys.
    pub opened: Vec<(u32, TermId)>,
    /// Elements that can be composed now and are dropped, with their recipes.
    pub dropped: Vec<(u32, TermId)>,
}

impl Label {
    /// The label of no transition: how the initial state is reached.
    pub(super) const START: Label = Label {
        act: Act::Tau,
        narrowing: Vec::new(),
        forbidden: Vec::new(),
        learned: Vec::new(),
        opened: Vec::new(),
        dropped: Vec::new(),
    };
}

/// The recipe of a trail that starts at a state, as a term.
fn lower(store: &TermStore, recipe: &Recipe) -> TermId {
    match recipe {
        Recipe::Initial(i) => store.basis_index(*i as u32),
        Recipe::Choice(c) => store.generic(*c),
        Recipe::Constant(t) => *t,
        Recipe::Apply(op, args) => store.make(*op, args.iter().map(|a| lower(store, a)).collect()),
        // Recipes of narrowings compose what was known before; they open nothing.
        Recipe::Heard(_) | Recipe::Part(..) | Recipe::Predecessor(_) | Recipe::Open(..) => {
            store.zero()
        }
    }
}

/// The label of a transition from `before`; its trail must have been started there.
pub fn label(store: &TermStore, spies: &[TermId], before: &Node, step: &Successor) -> Label {
    let after = &step.node;
    let config = &after.configs[0];
    let elements = config.elements(store, &after.lives);
    let cx = Context {
        store,
        generics: &after.generics,
        elements: &elements,
        spies,
        typing: None,
    };
    let canonical = |t: TermId| derive_rigid(&cx, t, after.level).unwrap_or(t);
    let whole = narrowing_of(store, before, after);
    let mut subst = Subst::new();
    let mut narrowing = Vec::new();
    for b in &whole.bindings {
        subst.bind(store.generic(b.generic), b.term);
        narrowing.push((b.generic, canonical(b.term)));
    }
    // What was forbidden before is no news.
    let old = before.allowed(store, spies, &whole).unwrap_or_default();
    let entries = after.lambda.entries().iter();
    let forbidden = entries.filter(|e| !old.entries().contains(e)).cloned();
    let term = |i: usize| config.terms[i];
    let was = |i: usize| before.lives.get(i);
    let opened = after.lives.iter().enumerate().filter(|(i, life)| {
        life.opened && life.dead.is_none() && !was(*i).is_some_and(|w| w.opened)
    });
    let dropped = after
        .lives
        .iter()
        .enumerate()
        .filter(|(i, life)| life.dead.is_some() && was(*i).is_some_and(|w| w.dead.is_none()));
    let with = |(i, _): (usize, &Life)| (i as u32, canonical(term(i)));
    let key = |(i, _): (usize, &Life)| (i as u32, canonical(key_of(store, term(i))));
    Label {
        act: match step.event {
            Event::Silent => Act::Tau,
            Event::Input { channel, generic } => Act::Input { channel, generic },
            Event::Output { channel, message } => Act::Output {
                channel: canonical(subst.apply(store, before.configs[0].interpret(store, channel))),
                message: canonical(subst.apply(store, message)),
            },
        },
        narrowing,
        forbidden: forbidden.collect(),
        learned: (before.lives.len() as u32..after.lives.len() as u32).collect(),
        opened: opened.map(key).collect(),
        dropped: dropped.map(with).collect(),
    }
}

/// All narrowings of a transition as one.
fn narrowing_of(store: &TermStore, before: &Node, after: &Node) -> Solution {
    let known = before.generics.len();
    let values = after.trail.iter().flat_map(|trail| {
        let values = (0..known).zip(trail.values());
        values.filter_map(|(generic, value)| {
            let recipe = lower(store, &trail.resolve(value.as_ref()?));
            let term = after.configs[0].interpret(store, recipe);
            Some(Binding {
                generic,
                term,
                recipe,
            })
        })
    });
    Solution {
        bindings: values.collect(),
        fresh: (known..after.generics.len())
            .map(|g| after.generics.info(g))
            .collect(),
        vars: Vec::new(),
        recipes: Vec::new(),
    }
}

/// The key that opens an element.
fn key_of(store: &TermStore, t: TermId) -> TermId {
    match store.view(t) {
        View::Senc(_, k) => k,
        View::Aenc(_, k) => match store.view(k) {
            View::Pub(z) => store.priv_part(z),
            _ => k,
        },
        View::Sign(_, k) => match store.view(k) {
            View::Priv(z) => store.pub_part(z),
            _ => k,
        },
        _ => t,
    }
}
