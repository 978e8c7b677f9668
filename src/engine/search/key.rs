//! Canonical keys of states: private names, generics, levels and the order of threads renamed canonically [Sem 2.4].
//!
//! Atoms are coloured by colour refinement over the items they occur in (threads, elements, disequations, events), ties
//! are broken one atom at a time, and the state is then spelt with the atoms' ranks as names. Equal keys always mean
//! states that are equal up to renaming; equal states nearly always get equal keys (a tie that is no symmetry may
//! separate them, which costs sharing, not soundness).
//!
//! Levels are renumbered by what the generics in use can tell apart: two elements born between the same two levels of
//! generics are alike, and a dead element that no generic can use is dropped [Sem 5.3].

use super::Setup;
use super::state::State;
use crate::attacker::knowledge::Level;
use crate::process::ShapeId;
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// What two states have in common when they are equal up to renaming. `threads` (with generics, disequations and
/// events) must be equal; of `elements` the one with more subsumes the other.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub threads: Box<[u32]>,
    pub elements: Box<[Spelt]>,
}

/// An element, spelt: term, birth and death by class of levels.
pub(super) type Spelt = (u32, u32, u32);

/// What a part of a state is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    /// Shape, and whether the goal is about the thread's instance.
    Thread(ShapeId, bool),
    Element(u32, u32),
    Forbidden,
    Event(u32, u32),
    /// The phase of the run, if it is not the first.
    Phase(u8),
    /// The goal is reached.
    Won,
}

/// A part of a state.
pub(super) struct Item {
    pub kind: Kind,
    pub terms: Vec<TermId>,
}

impl Kind {
    /// The kind as numbers.
    pub fn numbers(self) -> (u32, u32, u32) {
        match self {
            Kind::Thread(shape, target) => (0, shape.0, u32::from(target)),
            Kind::Forbidden => (1, 0, 0),
            Kind::Event(event, order) => (2, event, order),
            Kind::Element(born, dead) => (3, born, dead),
            Kind::Won => (4, 0, 0),
            Kind::Phase(number) => (5, u32::from(number), 0),
        }
    }
}

fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(23) ^ b)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(31)
}

/// The canonical key of a settled state.
pub(super) fn key(setup: &Setup<'_>, state: &State) -> Key {
    spell(setup.store, &named(setup, state))
}

/// What a key spells: the parts of a state, and the names that its atoms get.
pub(super) struct Named {
    pub items: Vec<Item>,
    /// Numbers: different ones for names of different marks, so that a secret is never taken for another name.
    pub names: FxHashMap<TermId, u32>,
    /// New name, class of levels and type of each generic that occurs, in order.
    pub generics: Vec<(u32, u32, u32)>,
}

impl Named {
    /// A term with its new names.
    pub fn rename(&self, store: &TermStore, t: TermId) -> TermId {
        let facts = store.facts(t);
        if !facts.has_secret && !facts.has_generic {
            return t;
        }
        store.map_atoms(t, &mut |atom| {
            let number = *self.names.get(&atom)?;
            Some(match store.view(atom) {
                View::Generic(_) => store.generic(number),
                _ => store.unlabelled(number),
            })
        })
    }
}

/// The parts of a settled state, and the names that its atoms get.
pub(super) fn named(setup: &Setup<'_>, state: &State) -> Named {
    let store = setup.store;
    let used = used_generics(setup, state);
    let mut levels: Vec<Level> = used.iter().map(|g| state.generics.info(*g).level).collect();
    levels.sort_unstable();
    levels.dedup();
    let class = |l: Level| levels.partition_point(|x| *x < l) as u32;
    let mut items = Vec::with_capacity(state.threads.len() + state.elements.len());
    for t in &state.threads {
        let step = setup.system.step(t.step);
        let kind = Kind::Thread(step.shape, setup.is_target(step.instance));
        items.push(Item {
            kind,
            terms: setup.arguments(t),
        });
    }
    let current = levels.len() as u32;
    for e in &state.elements {
        let born = class(e.born).min(current);
        let dead = e.dead.map_or(u32::MAX, |d| class(d.level));
        if dead != u32::MAX && dead <= born {
            // Alive at no level that a generic in use has, and composable now.
            continue;
        }
        items.push(Item {
            kind: Kind::Element(born, dead),
            terms: vec![e.term],
        });
    }
    for d in &state.lambda {
        // A generic that occurs nowhere else can be given a fresh name. Where the entry needs a particular value of it to
        // be violated, that satisfies the entry.
        let free = |t: TermId| mentions_other(store, t, &used);
        // It was solved when it was added.
        for bindings in d.solved(store).into_iter().flatten() {
            if bindings.iter().any(|(g, t)| free(*g) || free(*t)) {
                continue;
            }
            let terms = bindings.into_iter().flat_map(|(g, t)| [g, t]).collect();
            items.push(Item {
                kind: Kind::Forbidden,
                terms,
            });
        }
    }
    for (i, h) in state.events.iter().enumerate() {
        let order = if setup.events_ordered { i as u32 } else { 0 };
        let terms = h.args.iter().chain(&h.actors).copied().collect();
        items.push(Item {
            kind: Kind::Event(h.event.0, order),
            terms,
        });
    }
    if state.phase > 0 {
        items.push(Item {
            kind: Kind::Phase(state.phase),
            terms: Vec::new(),
        });
    }
    if state.won {
        items.push(Item {
            kind: Kind::Won,
            terms: Vec::new(),
        });
    }
    let mut names = Colouring::new(setup, state, &items, &class).discrete();
    for (atom, number) in &mut names {
        if !matches!(store.view(*atom), View::Generic(_)) {
            *number = setup.number_of(*atom, *number);
        }
    }
    let generic = |(atom, rank): (&TermId, &u32)| match store.view(*atom) {
        View::Generic(g) => {
            let info = state.generics.info(g);
            Some((*rank, class(info.level), info.ty.number()))
        }
        _ => None,
    };
    let mut generics: Vec<(u32, u32, u32)> = names.iter().filter_map(generic).collect();
    generics.sort_unstable();
    Named {
        items,
        names,
        generics,
    }
}

/// The generics that occur in threads, elements or events.
fn used_generics(setup: &Setup<'_>, state: &State) -> Vec<u32> {
    let store = setup.store;
    let mut used = Vec::new();
    let mut seen = vec![false; state.generics.len() as usize];
    let mut note = |t: TermId| {
        if store.facts(t).has_generic {
            store.visit(t, &mut |s| {
                if let View::Generic(g) = store.view(s)
                    && !std::mem::replace(&mut seen[g as usize], true)
                {
                    used.push(g);
                }
                store.facts(s).has_generic
            });
        }
    };
    state
        .threads
        .iter()
        .flat_map(|t| &t.env)
        .for_each(|t| note(*t));
    state.elements.iter().for_each(|e| note(e.term));
    state
        .events
        .iter()
        .flat_map(|h| h.args.iter().chain(&h.actors))
        .for_each(|t| note(*t));
    used
}

fn mentions_other(store: &TermStore, t: TermId, used: &[u32]) -> bool {
    let mut other = false;
    store.visit(t, &mut |s| {
        if let View::Generic(g) = store.view(s) {
            other |= !used.contains(&g);
        }
        !other && store.facts(s).has_generic
    });
    other
}

/// Colour refinement.
struct Colouring<'a> {
    setup: &'a Setup<'a>,
    store: &'a TermStore,
    items: &'a [Item],
    /// Occurrences of atoms: (item, position, atom).
    places: Vec<(usize, u64, usize)>,
    atoms: Vec<TermId>,
    colours: Vec<u64>,
    at: FxHashMap<TermId, usize>,
}

impl<'a> Colouring<'a> {
    fn new(
        setup: &'a Setup<'a>,
        state: &State,
        items: &'a [Item],
        class: &impl Fn(Level) -> u32,
    ) -> Self {
        let store = setup.store;
        let mut c = Colouring {
            setup,
            store,
            items,
            places: Vec::new(),
            atoms: Vec::new(),
            colours: Vec::new(),
            at: FxHashMap::default(),
        };
        for (i, item) in items.iter().enumerate() {
            let mut position = 0;
            for t in &item.terms {
                walk(store, *t, &mut position, None, &mut |s, position| {
                    let start = match store.view(s) {
                        View::Generic(g) => {
                            let info = state.generics.info(g);
                            Some(mix(
                                u64::from(class(info.level)) + 7,
                                u64::from(info.ty.number()),
                            ))
                        }
                        View::Name(n) if store.name_info(n).class == NameClass::Restricted => {
                            Some(mix(3, setup.mark_of(s)))
                        }
                        _ => None,
                    };
                    if let Some(colour) = start {
                        let k = *c.at.entry(s).or_insert_with(|| {
                            c.atoms.push(s);
                            c.colours.push(colour);
                            c.atoms.len() - 1
                        });
                        c.places.push((i, position, k));
                    }
                });
            }
        }
        c
    }

    fn hash(&self, t: TermId) -> u64 {
        if let Some(k) = self.at.get(&t) {
            return self.colours[*k];
        }
        let facts = self.store.facts(t);
        if !facts.has_secret && !facts.has_generic {
            return facts.hash;
        }
        let node = self.store.node(t);
        if let View::Joint(share, y) = node.view()
            && let View::Share(base, x) = self.store.view(share)
        {
            // Whatever the order of the exponents.
            let exponents = [x, y].map(|e| mix(23, self.hash(e)));
            return mix(self.hash(base), exponents[0].wrapping_add(exponents[1]));
        }
        // Names that are not renamed keep their content.
        let start = if node.args.is_empty() {
            facts.hash
        } else {
            mix(
                u64::from(node.op.tag()),
                self.store.declared_hash(node.op).unwrap_or(0),
            )
        };
        node.args.iter().fold(start, |h, a| mix(h, self.hash(*a)))
    }

    fn refine(&mut self) {
        loop {
            if self.setup.is_halted() {
                return;
            }
            let before = distinct(&self.colours);
            let hashes: Vec<u64> = self
                .items
                .iter()
                .map(|item| {
                    let kind = match item.kind {
                        Kind::Thread(s, target) => mix(1 + u64::from(target), u64::from(s.0)),
                        Kind::Element(b, d) => mix(mix(5, u64::from(b)), u64::from(d)),
                        Kind::Forbidden => 11,
                        Kind::Event(e, o) => mix(mix(13, u64::from(e)), u64::from(o)),
                        Kind::Won => 19,
                        Kind::Phase(number) => mix(29, u64::from(number)),
                    };
                    item.terms.iter().fold(kind, |h, t| mix(h, self.hash(*t)))
                })
                .collect();
            let mut next: Vec<u64> = self.colours.iter().map(|c| mix(*c, 17)).collect();
            for (item, position, atom) in &self.places {
                next[*atom] = next[*atom].wrapping_add(mix(hashes[*item], *position));
            }
            self.colours = next;
            if distinct(&self.colours) == before {
                return;
            }
        }
    }

    /// The atoms in canonical order.
    fn discrete(mut self) -> FxHashMap<TermId, u32> {
        let n = self.atoms.len();
        self.refine();
        while distinct(&self.colours) < n && !self.setup.is_halted() {
            let mut order: Vec<usize> = (0..n).collect();
            order.sort_by_key(|i| self.colours[*i]);
            let tied = order
                .windows(2)
                .find(|w| self.colours[w[0]] == self.colours[w[1]]);
            let Some(&[first, _]) = tied else { break };
            self.colours[first] = mix(self.colours[first], 0xD1CE);
            self.refine();
        }
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by_key(|i| self.colours[*i]);
        order
            .into_iter()
            .enumerate()
            .map(|(rank, i)| (self.atoms[i], rank as u32))
            .collect()
    }
}

/// Goes through the places of a term where something is renamed: each with its position, but for those in a joint key, which have that
/// of the key: its exponents have no order.
fn walk(
    store: &TermStore,
    t: TermId,
    position: &mut u64,
    within: Option<u64>,
    visit: &mut impl FnMut(TermId, u64),
) {
    *position += 1;
    visit(t, within.unwrap_or(*position));
    let (facts, node) = (store.facts(t), store.node(t));
    if facts.has_secret || facts.has_generic {
        let is_key = matches!(node.view(), View::Joint(..));
        let within = within.or(is_key.then_some(*position));
        for a in &node.args {
            walk(store, *a, position, within, visit);
        }
    }
}

fn distinct(colours: &[u64]) -> usize {
    let mut sorted = colours.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.len()
}

/// Spells the state with the atoms' ranks.
fn spell(store: &TermStore, named: &Named) -> Key {
    let rename = |t: TermId| named.rename(store, t).slot() as u32;
    let mut threads: Vec<Vec<u32>> = Vec::new();
    let mut elements: Vec<Spelt> = Vec::new();
    for item in &named.items {
        let (tag, a, b) = item.kind.numbers();
        if let Kind::Element(born, dead) = item.kind {
            elements.push((rename(item.terms[0]), born, dead));
            continue;
        }
        let mut words = vec![tag, a, b, item.terms.len() as u32];
        words.extend(item.terms.iter().map(|t| rename(*t)));
        threads.push(words);
    }
    threads.sort_unstable();
    elements.sort_unstable();
    elements.dedup();
    // Their number tells where the generics begin.
    let mut words = vec![threads.len() as u32];
    words.extend(threads.concat());
    words.extend(named.generics.iter().flat_map(|(r, l, t)| [*r, *l, *t]));
    Key {
        threads: words.into(),
        elements: elements.into(),
    }
}
