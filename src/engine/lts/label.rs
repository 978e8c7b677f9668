//! Labels of transitions: canonical representations with respect to the new knowledge (equations 2
//! to 4 of the S3A paper).
//!
//! A label is written in the names of the state that it leaves; the numbering continues with what
//! the transition adds. It determines what the environment sees: how the message is composed, what
//! opens to which content, what can be composed now, and which private part belongs to which public
//! part. Static equivalence asks for no more (`saturate`).

use super::successors::{Event, Successor};
use crate::attacker::knowledge::{self, Level, arguments, composed_result, openings};
use crate::attacker::solver::{Binding, Context, Entry, Solution, derive_rigid};
use crate::engine::joint::node::Node;
use crate::engine::joint::trail::Recipe;
use crate::term::{DestructorId, FamilyKind, Op, Subst, TermId, TermStore, View};
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
    /// The specialisation: the values of generics of the state. Of equal generics the first one
    /// stands for all in the whole label, whichever the target keeps.
    pub narrowing: Vec<(u32, TermId)>,
    /// The forbidden specialisations that were added, after the narrowing; their variables stand
    /// for anything.
    pub forbidden: Vec<Arc<Entry>>,
    /// Elements that the environment has just learned.
    pub learned: Vec<u32>,
    /// Elements that can be opened now and stay.
    pub opened: Vec<Opening>,
    /// Declared destructors that succeed now.
    pub destructed: Vec<Destructed>,
    /// Elements that can be composed now and are dropped, with their recipes.
    pub dropped: Vec<(u32, TermId)>,
    /// Keys that go with a public part, which was not known before.
    pub partners: Vec<Partner>,
}

/// An element that can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// The element.
    pub index: u32,
    /// It is a signature; otherwise a ciphertext.
    pub signature: bool,
    /// What opens it.
    pub key: TermId,
    /// What is inside.
    pub content: TermId,
}

impl Opening {
    /// What is opened: the environment can tell, because it opens the one and verifies the other.
    pub fn kind(&self) -> &'static str {
        if self.signature {
            "signature"
        } else {
            "ciphertext"
        }
    }
}

/// A declared destructor that succeeds with an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destructed {
    /// The element.
    pub index: u32,
    /// The destructor.
    pub destructor: DestructorId,
    /// Its arguments.
    pub args: Vec<TermId>,
    /// What it gives.
    pub content: TermId,
}

/// A key that goes with a public part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partner {
    /// The element.
    pub index: u32,
    /// It is the whole pair; otherwise the private part.
    pub pair: bool,
    /// The public part.
    pub public: TermId,
}

impl Partner {
    /// What the element is.
    pub fn kind(&self) -> &'static str {
        if self.pair {
            "key pair"
        } else {
            "private part"
        }
    }
}

impl Label {
    /// The label of no transition: how the initial state is reached.
    pub(super) const START: Label = Label {
        act: Act::Tau,
        narrowing: Vec::new(),
        forbidden: Vec::new(),
        learned: Vec::new(),
        opened: Vec::new(),
        destructed: Vec::new(),
        dropped: Vec::new(),
        partners: Vec::new(),
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
        Recipe::Heard(_)
        | Recipe::Part(..)
        | Recipe::Predecessor(_)
        | Recipe::Open(..)
        | Recipe::Destruct(..) => store.zero(),
    }
}

/// The label of a transition from `before`; its trail must have been started there.
pub(super) fn label(store: &TermStore, spies: &[TermId], before: &Node, step: &Successor) -> Label {
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
    let whole = narrowing_of(store, before, after);
    let mut subst = Subst::new();
    let mut narrowing = Vec::new();
    for b in &whole.bindings {
        subst.bind(store.generic(b.generic), b.term);
        let recipe = derive_rigid(&cx, b.term, after.level).unwrap_or(b.term);
        narrowing.push((b.generic, recipe));
    }
    let first = orient(store, &mut narrowing, before.generics.len());
    let canonical = |t: TermId| first.apply(store, derive_rigid(&cx, t, after.level).unwrap_or(t));
    // What was forbidden before is no news. The transition is there, so this narrowing is not too large.
    let old = before.allowed(store, spies, &whole);
    let old = old.ok().flatten().unwrap_or_default();
    let entries = after.lambda.entries().iter();
    let forbidden = entries.filter(|e| !old.entries().contains(e));
    let forbidden = forbidden.map(|e| Arc::new(oriented(store, e, &first)));
    let term = |i: usize| config.terms[i];
    let was = |i: usize| before.lives.get(i);
    let lives = || after.lives.iter().enumerate();
    let opened = lives().filter(|(i, life)| {
        life.opened && life.dead.is_none() && !was(*i).is_some_and(|w| w.opened)
    });
    let opened = opened.filter_map(|(i, _)| {
        let by_key = |o: &knowledge::Opening| o.rule.is_none() && o.equations.is_empty();
        let inside = openings(store, term(i)).into_iter().find(by_key)?;
        Some(Opening {
            index: i as u32,
            signature: store.node(term(i)).op == Op::Sign,
            key: canonical(inside.sides[0]),
            content: canonical(inside.content),
        })
    });
    let dropped = lives()
        .filter(|(i, life)| life.dead.is_some() && was(*i).is_some_and(|w| w.dead.is_none()));
    let partners = partners(&cx, before, after);
    let mut destructed = destructed(&cx, after, after.level);
    let old = destructed_before(&cx, before, after);
    destructed.retain(|d| !old.contains(d));
    for d in &mut destructed {
        // What a test gives is made of elements already.
        d.content = canonical(d.content);
        for arg in &mut d.args {
            *arg = first.apply(store, *arg);
        }
    }
    Label {
        act: match step.event {
            Event::Silent => Act::Tau,
            Event::Input { channel, generic } => Act::Input { channel, generic },
            Event::Output { channel, message } => Act::Output {
                channel: canonical(subst.apply(store, before.configs[0].interpret(store, channel))),
                message: canonical(subst.apply(store, message)),
            },
        },
        forbidden: forbidden.collect(),
        learned: (before.lives.len() as u32..after.lives.len() as u32).collect(),
        opened: opened.collect(),
        destructed,
        dropped: dropped
            .map(|(i, _)| (i as u32, canonical(term(i))))
            .collect(),
        partners: partners
            .map(|p| Partner {
                public: first.apply(store, p.public),
                ..p
            })
            .collect(),
        narrowing,
    }
}

/// The declared destructors that succeed with the elements of a state at a level, with what they
/// give: a term, or for tests how it is composed.
fn destructed(cx: &Context<'_>, node: &Node, level: Level) -> Vec<Destructed> {
    let store = cx.store;
    let mut found = Vec::new();
    if !store.has_rules() {
        return found;
    }
    let make = |op: Op, args: Vec<TermId>| store.make(op, args.into_iter().collect());
    for (i, element) in cx.elements.iter().enumerate() {
        if !element.alive_at(level) || i >= node.lives.len() {
            continue;
        }
        for opening in openings(store, element.term) {
            let Some(rule) = opening.rule.and_then(|r| store.openings().nth(r)) else {
                continue;
            };
            let sides = opening.sides.iter();
            let sides: Option<Vec<TermId>> = sides.map(|t| derive_rigid(cx, *t, level)).collect();
            let (Some(sides), true) = (sides, opening.equations.is_empty()) else {
                continue;
            };
            let principal = store.basis_index(i as u32);
            let content = if rule.is_test(store) {
                composed_result(store, rule, &principal, &sides, &make)
            } else {
                opening.content
            };
            found.push(Destructed {
                index: i as u32,
                destructor: store.rule(rule.rule).destructor,
                args: arguments(store, rule, &principal, &sides, &make),
                content,
            });
        }
    }
    found
}

/// Those that succeeded before the transition already.
fn destructed_before(cx: &Context<'_>, before: &Node, after: &Node) -> Vec<Destructed> {
    if before.level == after.level {
        return destructed(cx, after, after.level);
    }
    destructed(cx, before, before.level)
}

/// The private parts whose public part the environment can make now and could not before, and the
/// whole pairs whose public part it can make without them.
fn partners<'a>(
    cx: &'a Context<'_>,
    before: &'a Node,
    after: &'a Node,
) -> impl Iterator<Item = Partner> + 'a {
    let store = cx.store;
    let candidates = after.lives.iter().zip(&after.configs[0].terms).enumerate();
    let alive = candidates.filter(|(_, (life, _))| life.dead.is_none());
    alive.filter_map(move |(i, (_, term))| {
        if after.level == before.level {
            return None;
        }
        let (pair, public) = match store.view(*term) {
            View::Priv(z) => (false, store.pub_part(z)),
            View::Family(f, _) if store.family_info(f).kind == FamilyKind::KeyPair => {
                (true, store.pub_part(*term))
            }
            _ => return None,
        };
        let mut others = cx.elements.to_vec();
        others[i].born = Level::MAX;
        let without = Context {
            elements: &others,
            ..*cx
        };
        let made = derive_rigid(&without, public, after.level)?;
        let old = i < before.lives.len() && derive_rigid(&without, public, before.level).is_some();
        (!old).then_some(Partner {
            index: i as u32,
            pair,
            public: made,
        })
    })
}

/// Writes equations between generics below `known` from the first of them to the others, whichever
/// was bound. The result replaces the ones that were written by the first.
fn orient(store: &TermStore, bindings: &mut Vec<(u32, TermId)>, known: u32) -> Subst {
    let mut classes: Vec<(u32, Vec<u32>)> = Vec::new();
    for (bound, recipe) in bindings.iter() {
        let View::Generic(free) = store.view(*recipe) else {
            continue;
        };
        match classes.iter_mut().find(|(f, _)| *f == free) {
            Some((_, members)) => members.push(*bound),
            None if free < known => classes.push((free, vec![free, *bound])),
            None => {}
        }
    }
    let mut first = Subst::new();
    for (free, members) in &mut classes {
        members.sort_unstable();
        if members[0] != *free {
            first.bind(store.generic(*free), store.generic(members[0]));
        }
    }
    bindings.retain(|(g, _)| !classes.iter().any(|(_, members)| members.contains(g)));
    for (_, recipe) in bindings.iter_mut() {
        *recipe = first.apply(store, *recipe);
    }
    for (_, members) in &classes {
        let name = store.generic(members[0]);
        bindings.extend(members[1..].iter().map(|g| (*g, name)));
    }
    bindings.sort_by_key(|(g, _)| *g);
    first
}

/// An entry of Lambda in the same spelling.
pub(super) fn oriented(store: &TermStore, entry: &Entry, first: &Subst) -> Entry {
    let name = |g: u32| match store.view(first.apply(store, store.generic(g))) {
        View::Generic(first) => first,
        _ => g,
    };
    let mut entry = entry.map(name, |r| first.apply(store, r), |l| l);
    orient(store, &mut entry.bindings, u32::MAX);
    entry
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
