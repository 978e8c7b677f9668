//! Which parts of both systems can take each other's places.
//!
//! A certificate says which bundles are interchangeable, with their threads and names in corresponding order. Here it is seen that they are: two bundles of
//! a class are exchanged, with all that is theirs and their parts', and each side must be what it was but for the order of parallel parts.
//! Channels are renamed alike on both sides, since the environment sees which is which; each side has restricted names of its own.
//! Exchanges of two make up all others, so bundles of a class can be put in each other's places in any way, parts with the whole.

use super::EquivalenceError;
use super::certificate::{Bundle, Certificate};
use super::recipe::Renaming;
use super::tree::{DONE, Node, Tree, is_public};
use crate::term::{TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};

/// The bundles of a certificate, seen to be what it says.
pub(super) struct Bundles<'a> {
    pub all: &'a [Bundle],
    /// The bundles in each bundle, by class.
    pub classes: Vec<Vec<Vec<u32>>>,
    /// The bundles that each thread is in, except for everything, the largest first.
    pub of: Vec<Vec<u32>>,
    /// The place of each thread among those of its bundle.
    place: Vec<usize>,
}

impl<'a> Bundles<'a> {
    /// Reads the bundles and tries all exchanges that they allow.
    pub(super) fn new(
        store: &TermStore,
        certificate: &'a Certificate,
        trees: [&Tree; 2],
        knows: &[TermId],
    ) -> Result<Self, EquivalenceError> {
        let all = &certificate.bundles[..];
        let count = certificate.threads.len();
        let mut found = Self {
            all,
            classes: vec![Vec::new(); all.len()],
            of: vec![Vec::new(); count],
            place: vec![0; count],
        };
        let mut owner: Vec<Option<u32>> = vec![None; count];
        for (number, bundle) in (0u32..).zip(all) {
            if number > 0 {
                if bundle.parent >= number || bundle.class as usize >= all.len() {
                    return Err(EquivalenceError::Malformed);
                }
                let classes = &mut found.classes[bundle.parent as usize];
                let class = bundle.class as usize;
                classes.resize(classes.len().max(class + 1), Vec::new());
                classes[class].push(number);
            }
            for (place, thread) in bundle.threads.iter().enumerate() {
                let known = owner.get_mut(usize::from(*thread));
                let known = known.ok_or(EquivalenceError::Malformed)?;
                if known.replace(number).is_some() {
                    return Err(EquivalenceError::Malformed);
                }
                found.place[usize::from(*thread)] = place;
            }
        }
        for (thread, owner) in owner.into_iter().enumerate() {
            let mut bundle = owner.ok_or(EquivalenceError::Malformed)?;
            while bundle != 0 {
                found.of[thread].push(bundle);
                bundle = all[bundle as usize].parent;
            }
            found.of[thread].reverse();
        }
        let marks = [0, 1].map(|side| marks(store, trees[side]));
        for classes in &found.classes {
            for members in classes {
                for pair in members.windows(2) {
                    let wrong = EquivalenceError::Exchange {
                        bundle: pair[1] as usize,
                    };
                    found
                        .exchange(store, trees, &marks, knows, [pair[0], pair[1]])
                        .ok_or(wrong)?;
                }
            }
        }
        Ok(found)
    }

    /// The first threads that can stand for a thread: that of the first bundles of all classes.
    pub(super) fn stands_for(&self, thread: u16) -> u16 {
        let mut image = 0;
        for bundle in &self.of[usize::from(thread)] {
            let class = self.all[*bundle as usize].class as usize;
            let Some(first) = self.classes[image as usize]
                .get(class)
                .and_then(|c| c.first())
            else {
                return thread;
            };
            image = *first;
        }
        let place = self.place[usize::from(thread)];
        let threads = &self.all[image as usize].threads;
        threads.get(place).copied().unwrap_or(thread)
    }

    /// Books that a bundle takes the place of another of its class, on a side.
    pub(super) fn put(&self, renaming: &mut Renaming, side: usize, from: u32, to: u32) {
        if from == to {
            return;
        }
        let [from, to] = [from, to].map(|b| &self.all[b as usize]);
        let threads = from.threads.iter().zip(&to.threads);
        renaming.threads.extend(threads.map(|(f, t)| (*f, *t)));
        let names = from.names[side].iter().zip(&to.names[side]);
        renaming.names.extend(names.map(|(f, t)| (*f, *t)));
    }

    /// Exchanges two bundles; `None` if that changes a side.
    fn exchange(
        &self,
        store: &TermStore,
        trees: [&Tree; 2],
        marks: &[Vec<FxHashSet<TermId>>; 2],
        knows: &[TermId],
        pair: [u32; 2],
    ) -> Option<()> {
        let mut swaps = [Swap::default(), Swap::default()];
        let mut work = vec![pair];
        while let Some([a, b]) = work.pop() {
            let (one, other) = (&self.all[a as usize], &self.all[b as usize]);
            let (inner, outer) = (&self.classes[a as usize], &self.classes[b as usize]);
            if one.threads.len() != other.threads.len() || inner.len() != outer.len() {
                return None;
            }
            for side in [0, 1] {
                if one.names[side].len() != other.names[side].len() {
                    return None;
                }
                for (x, y) in one.names[side].iter().zip(&other.names[side]) {
                    swaps[side].name(*x, *y)?;
                }
                for (s, t) in one.threads.iter().zip(&other.threads) {
                    swaps[side].thread(*s, *t)?;
                }
            }
            for (i, o) in inner.iter().zip(outer) {
                if i.len() != o.len() {
                    return None;
                }
                work.extend(i.iter().zip(o).map(|(i, o)| [*i, *o]));
            }
        }
        // What is renamed for the environment is renamed on both sides.
        let public: Vec<(TermId, TermId)> = swaps
            .iter()
            .flat_map(|s| s.names.iter().map(|(a, b)| (*a, *b)))
            .filter(|(a, _)| is_public(store, *a))
            .collect();
        for swap in &mut swaps {
            for (a, b) in &public {
                swap.name(*a, *b)?;
            }
            for (a, b) in &swap.names {
                // Names of the environment, and those that everybody has, are no bundle's.
                if !matches!(store.view(*a), View::Name(_))
                    || is_public(store, *a) != is_public(store, *b)
                {
                    return None;
                }
            }
            for t in knows {
                if swap.term(store, *t) != *t {
                    return None;
                }
            }
        }
        for side in [0, 1] {
            let swapped = Swapped {
                store,
                tree: trees[side],
                marks: &marks[side],
                swap: &swaps[side],
            };
            let root = trees[side].root;
            swapped.same(root, root)?;
        }
        Some(())
    }
}

/// The channels and restricted names that occur below each part of a fork.
fn marks(store: &TermStore, tree: &Tree) -> Vec<FxHashSet<TermId>> {
    let mut marks: Vec<FxHashSet<TermId>> = vec![FxHashSet::default(); tree.nodes.len()];
    let is_part = |at: usize| matches!(tree.node(tree.parent[at]), Node::Fork(_));
    for at in (2..tree.nodes.len()).rev() {
        let mut own = std::mem::take(&mut marks[at]);
        for t in tree.terms(at as u32) {
            store.visit(t, &mut |s| {
                if let View::Name(_) = store.view(s) {
                    own.insert(s);
                }
                true
            });
        }
        let above = &mut marks[tree.parent[at] as usize];
        if above.is_empty() && !is_part(at) {
            *above = own;
        } else {
            above.extend(own.iter().copied());
            if is_part(at) {
                marks[at] = own;
            }
        }
    }
    marks
}

/// Names and threads that change places.
#[derive(Default)]
struct Swap {
    names: FxHashMap<TermId, TermId>,
    threads: FxHashMap<u16, u16>,
}

impl Swap {
    fn name(&mut self, a: TermId, b: TermId) -> Option<()> {
        let known = |from: &TermId, to: &TermId, all: &FxHashMap<TermId, TermId>| {
            all.get(from).is_none_or(|t| t == to)
        };
        let fits = known(&a, &b, &self.names) && known(&b, &a, &self.names);
        self.names.insert(a, b);
        self.names.insert(b, a);
        fits.then_some(())
    }

    fn thread(&mut self, a: u16, b: u16) -> Option<()> {
        let fits = self.threads.get(&a).is_none_or(|t| *t == b)
            && self.threads.get(&b).is_none_or(|t| *t == a);
        self.threads.insert(a, b);
        self.threads.insert(b, a);
        fits.then_some(())
    }

    fn term(&self, store: &TermStore, t: TermId) -> TermId {
        store.map_atoms(t, &mut |atom| self.names.get(&atom).copied())
    }
}

struct Swapped<'a> {
    store: &'a TermStore,
    tree: &'a Tree,
    marks: &'a [FxHashSet<TermId>],
    swap: &'a Swap,
}

impl Swapped<'_> {
    fn term(&self, a: TermId, b: TermId) -> bool {
        self.swap.term(self.store, a) == b
    }

    fn thread(&self, thread: u16) -> u16 {
        self.swap.threads.get(&thread).copied().unwrap_or(thread)
    }

    /// Whether what is at one node becomes what is at the other.
    fn same(&self, one: u32, other: u32) -> Option<()> {
        let mut work = vec![(one, other)];
        while let Some((a, b)) = work.pop() {
            match (self.tree.node(a), self.tree.node(b)) {
                (Node::Done, Node::Done) => {}
                (
                    Node::Act {
                        input,
                        channel,
                        thread,
                        at,
                        item,
                        term,
                        next,
                    },
                    Node::Act {
                        input: i,
                        channel: c,
                        thread: th,
                        at: n,
                        item: it,
                        term: t,
                        next: ne,
                    },
                ) => {
                    let fits = input == i
                        && at == n
                        && item == it
                        && self.thread(*thread) == *th
                        && self.term(*channel, *c)
                        && self.term(*term, *t);
                    fits.then_some(())?;
                    work.push((*next, *ne));
                }
                (
                    Node::Test {
                        equations,
                        depth,
                        binds,
                        then,
                        otherwise,
                    },
                    Node::Test {
                        equations: e,
                        depth: d,
                        binds: n,
                        then: t,
                        otherwise: o,
                    },
                ) => {
                    let mut pairs = equations.iter().zip(e);
                    let fits = depth == d
                        && binds == n
                        && equations.len() == e.len()
                        && pairs.all(|((a, b), (c, d))| self.term(*a, *c) && self.term(*b, *d));
                    fits.then_some(())?;
                    work.push((*then, *t));
                    work.push((*otherwise, *o));
                }
                (Node::Fork(parts), Node::Fork(others)) => {
                    (parts.len() == others.len()).then_some(())?;
                    let mut taken: FxHashSet<u32> = FxHashSet::default();
                    for part in parts {
                        let image = self.image(*part, a == b, others)?;
                        taken.insert(image).then_some(())?;
                        if image != *part || self.is_touched(*part) {
                            work.push((*part, image));
                        }
                    }
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn is_touched(&self, part: u32) -> bool {
        let marks = &self.marks[part as usize];
        let threads = &self.tree.below[part as usize];
        self.swap.names.keys().any(|n| marks.contains(n))
            || threads.iter().any(|t| self.swap.threads.contains_key(t))
    }

    /// The part that a part becomes.
    fn image(&self, part: u32, same: bool, others: &[u32]) -> Option<u32> {
        if same && !self.is_touched(part) {
            return Some(part);
        }
        let Some(first) = self.tree.below[part as usize].first() else {
            // What never acts is nowhere to be found.
            return (part == DONE).then_some(part);
        };
        let thread = self.thread(*first);
        others
            .iter()
            .copied()
            .find(|o| self.tree.leads_to(*o, thread))
    }
}
