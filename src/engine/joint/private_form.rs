//! The private form of a configuration: its restricted names renamed, its threads put in order.
//!
//! Restricted names have no meaning outside their configuration, so configurations that differ only
//! in them are one [Sem 5.3]. Names are numbered in the order in which they occur in the basis,
//! then in the threads. Threads are ordered by a hash of their content, in which names without a
//! number count by where else they occur. If that leaves a tie, any choice is correct:
//! configurations with the same form are equal up to renaming, and some equal ones might get
//! different forms.

use super::node::{Config, Thread};
use super::setup::Setup;
use crate::term::{NameClass, Op, TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// Mixes a value into a hash.
pub(crate) fn mix(hash: u64, value: u64) -> u64 {
    let x = (hash.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 29)
}

/// Whether a term is a restricted name.
pub(crate) fn is_private(store: &TermStore, t: TermId) -> bool {
    matches!(store.view(t), View::Name(n) if store.name_info(n).class == NameClass::Restricted)
}

/// A hash of an operator that is not an atom.
pub(crate) fn op_hash(store: &TermStore, op: Op) -> u64 {
    let tag = u64::from(op.tag());
    store.declared_hash(op).map_or(tag, |hash| mix(tag, hash))
}

/// What is known of a name during the computation.
#[derive(Clone, Copy)]
enum Mark {
    Number(u32),
    Colour(u64),
}

#[derive(Default)]
struct Names {
    marks: FxHashMap<TermId, Mark>,
    next: u32,
}

impl Names {
    fn hash(&self, store: &TermStore, t: TermId) -> u64 {
        let facts = store.facts(t);
        if !facts.has_secret {
            return facts.hash;
        }
        if is_private(store, t) {
            return match self.marks.get(&t) {
                Some(Mark::Number(n)) => mix(1, u64::from(*n)),
                Some(Mark::Colour(c)) => mix(2, *c),
                None => 3,
            };
        }
        let node = store.node(t);
        if node.args.is_empty() {
            return facts.hash;
        }
        let start = mix(4, op_hash(store, node.op));
        node.args
            .iter()
            .fold(start, |h, a| mix(h, self.hash(store, *a)))
    }

    fn thread(&self, store: &TermStore, thread: &Thread) -> u64 {
        let start = mix(5, u64::from(thread.template.0));
        thread
            .values
            .iter()
            .fold(start, |h, v| mix(h, self.hash(store, *v)))
    }

    /// Numbers the names of a term in order of occurrence; whether there was a new one.
    fn number(&mut self, store: &TermStore, t: TermId) -> bool {
        let mut new = false;
        visit_names(store, t, &mut |name| {
            let mark = self.marks.entry(name).or_insert(Mark::Colour(0));
            if matches!(mark, Mark::Colour(_)) {
                *mark = Mark::Number(self.next);
                self.next += 1;
                new = true;
            }
        });
        new
    }

    /// Colours the names that have no number by the threads and places in which they occur.
    fn colour(&mut self, store: &TermStore, threads: &[Thread]) {
        let mut colours: FxHashMap<TermId, u64> = FxHashMap::default();
        for thread in threads {
            let whole = self.thread(store, thread);
            let mut place = 0;
            for v in &thread.values {
                visit_names(store, *v, &mut |name| {
                    place += 1;
                    if !matches!(self.marks.get(&name), Some(Mark::Number(_))) {
                        let colour = colours.entry(name).or_insert(0);
                        *colour = colour.wrapping_add(mix(whole, place));
                    }
                });
            }
        }
        for (name, colour) in colours {
            self.marks.insert(name, Mark::Colour(colour));
        }
    }
}

/// Calls `found` for each occurrence of a restricted name.
pub(crate) fn visit_names(store: &TermStore, t: TermId, found: &mut impl FnMut(TermId)) {
    store.visit(t, &mut |s| {
        let secret = store.facts(s).has_secret;
        if secret && is_private(store, s) {
            found(s);
        }
        secret
    });
}

/// Brings a configuration into its private form. After a halt, when the result is not used, any
/// form may come out.
pub(crate) fn privately(setup: &Setup<'_>, config: &mut Config) {
    let store = setup.store;
    let mut names = Names::default();
    if !setup.options.reductions.merge {
        config.threads.sort_by_cached_key(|t| {
            let start = u64::from(t.template.0);
            t.values
                .iter()
                .fold(start, |h, v| mix(h, store.facts(*v).hash))
        });
        return;
    }
    for t in &config.terms {
        names.number(store, *t);
    }
    let anonymous = |names: &Names, threads: &[Thread]| {
        let mut any = false;
        for v in threads.iter().flat_map(|t| &t.values) {
            visit_names(store, *v, &mut |n| {
                any |= !matches!(names.marks.get(&n), Some(Mark::Number(_)));
            });
        }
        any
    };
    if anonymous(&names, &config.threads) {
        names.colour(store, &config.threads);
        names.colour(store, &config.threads);
        let mut rest: Vec<(u64, Thread)> = Vec::new();
        let hashed = |names: &Names, rest: &mut Vec<(u64, Thread)>| {
            for (h, t) in rest.iter_mut() {
                *h = names.thread(store, t);
            }
        };
        rest.extend(config.threads.drain(..).map(|t| (0, t)));
        hashed(&names, &mut rest);
        while !rest.is_empty() {
            let (least, _) = rest
                .iter()
                .enumerate()
                .min_by_key(|(i, (h, _))| (*h, *i))
                .expect("a thread is left");
            let (_, thread) = rest.swap_remove(least);
            let new = thread
                .values
                .iter()
                .fold(false, |new, v| names.number(store, *v) | new);
            config.threads.push(thread);
            if new && !setup.halt.stopped() {
                hashed(&names, &mut rest);
            }
        }
    } else {
        order(store, &names, &mut config.threads);
    }
    let rename = |t: TermId| {
        if !store.facts(t).has_secret {
            return t;
        }
        store.map_atoms(t, &mut |atom| match names.marks.get(&atom) {
            Some(Mark::Number(n)) => Some(setup.pool[*n as usize]),
            _ => None,
        })
    };
    for t in &mut config.terms {
        *t = rename(*t);
    }
    for v in config.threads.iter_mut().flat_map(|t| &mut t.values) {
        *v = rename(*v);
    }
}

/// Orders threads by content.
fn order(store: &TermStore, names: &Names, threads: &mut Vec<Thread>) {
    let mut keyed: Vec<(u64, Thread)> = threads
        .drain(..)
        .map(|t| (names.thread(store, &t), t))
        .collect();
    keyed.sort_by_key(|(h, _)| *h);
    threads.extend(keyed.into_iter().map(|(_, t)| t));
}
