//! Configurations that add nothing: those whose threads another configuration of the same side has, too [Sem 5.4].
//!
//! A configuration C embeds into D if both belong to one side and a private renaming gives them the same terms for the
//! indices, and makes the threads of C some of the threads of D. Then every trace of C is one of D: threads never hinder
//! each other. A test looks at the values of its own thread only, `else` branches included, an input or output needs no
//! more than its channel, a silent step no more than its two threads, and what the environment derives, hence which
//! channels it can use and which communication the private semantics leaves out, depends on the common terms alone. So
//! the extra threads of D may just stand still. A node asks whether the traces of its two sides, all configurations of a
//! side taken together, are the same; without C they are the same traces. Narrowing applies to both alike, so an
//! embedding stays one.
//!
//! Configurations are compared in their private form. There the names of the terms come first and are equal literally if
//! the terms are equal up to renaming; the other names may be renamed.

use super::ask::Setup;
use super::canon;
use super::node::{Config, Thread};
use crate::term::{TermId, TermStore};
use smallvec::SmallVec;

/// Thread comparisons after which an embedding is given up; that costs work and nothing else.
const TRIES: u32 = 2000;

/// Pairs of names, of the smaller and of the larger configuration.
type Renaming = SmallVec<[(TermId, TermId); 8]>;

/// A configuration prepared for comparisons.
#[derive(Clone, Debug)]
pub struct Outline {
    /// One bit for some templates.
    templates: u64,
    /// The names that occur in the terms.
    fixed: SmallVec<[TermId; 8]>,
}

impl Outline {
    /// The outline of a configuration in private form.
    pub fn of(setup: &Setup<'_>, config: &Config) -> Self {
        let mut fixed: SmallVec<[TermId; 8]> = SmallVec::new();
        for t in &config.terms {
            canon::visit_names(setup.store, *t, &mut |n| {
                if !fixed.contains(&n) {
                    fixed.push(n);
                }
            });
        }
        let bit = |t: &Thread| 1u64 << (t.template.0 % 64);
        Self {
            templates: config.threads.iter().map(bit).fold(0, |a, b| a | b),
            fixed,
        }
    }
}

/// Whether a configuration embeds into another one of its side.
pub fn embeds(setup: &Setup<'_>, small: (&Config, &Outline), large: (&Config, &Outline)) -> bool {
    small.0.side == large.0.side && fits(setup, small, large)
}

/// Whether the threads and terms of a configuration are within another's, of either side.
pub fn within(setup: &Setup<'_>, small: &Config, large: &Config) -> bool {
    let outlines = [small, large].map(|c| Outline::of(setup, c));
    fits(setup, (small, &outlines[0]), (large, &outlines[1]))
}

fn fits(setup: &Setup<'_>, small: (&Config, &Outline), large: (&Config, &Outline)) -> bool {
    let ((c, outline), (d, other)) = (small, large);
    if c.threads.len() > d.threads.len()
        || outline.templates & !other.templates != 0
        || c.terms != d.terms
    {
        return false;
    }
    let mut search = Search {
        store: setup.store,
        fixed: &outline.fixed,
        small: &c.threads,
        large: &d.threads,
        used: SmallVec::from_elem(false, d.threads.len()),
        renaming: Renaming::new(),
        tries: TRIES,
    };
    search.place(0)
}

struct Search<'a> {
    store: &'a TermStore,
    fixed: &'a [TermId],
    small: &'a [Thread],
    large: &'a [Thread],
    used: SmallVec<[bool; 16]>,
    renaming: Renaming,
    tries: u32,
}

impl Search<'_> {
    /// Finds places for the threads from this one on.
    fn place(&mut self, at: usize) -> bool {
        let Some(thread) = self.small.get(at) else {
            return true;
        };
        for i in 0..self.large.len() {
            if self.used[i] || self.large[i].template != thread.template {
                continue;
            }
            if self.tries == 0 {
                return false;
            }
            self.tries -= 1;
            let mark = self.renaming.len();
            let values = thread.values.iter().zip(&self.large[i].values);
            let fits = values.into_iter().all(|(a, b)| self.matches(*a, *b));
            if fits {
                self.used[i] = true;
                if self.place(at + 1) {
                    return true;
                }
                self.used[i] = false;
            }
            self.renaming.truncate(mark);
        }
        false
    }

    /// Makes two terms equal by renaming.
    fn matches(&mut self, a: TermId, b: TermId) -> bool {
        let store = self.store;
        if !store.facts(a).has_secret {
            return a == b;
        }
        if canon::is_private(store, a) {
            if self.fixed.contains(&a) || self.fixed.contains(&b) {
                return a == b;
            }
            if !canon::is_private(store, b) {
                return false;
            }
            for (x, y) in &self.renaming {
                if *x == a || *y == b {
                    return *x == a && *y == b;
                }
            }
            self.renaming.push((a, b));
            return true;
        }
        let (x, y) = (store.node(a), store.node(b));
        x.op == y.op
            && x.args.len() == y.args.len()
            && x.args
                .iter()
                .zip(&y.args)
                .all(|(a, b)| self.matches(*a, *b))
    }
}

/// Drops the configurations that embed into others.
pub fn prune(setup: &Setup<'_>, configs: &mut Vec<Config>) {
    let outlines: Vec<Outline> = configs.iter().map(|c| Outline::of(setup, c)).collect();
    let mut keep = vec![true; configs.len()];
    for i in 0..configs.len() {
        // Of two that embed into each other the first stays.
        keep[i] = !(0..configs.len()).any(|j| {
            let smaller = configs[i].threads.len() < configs[j].threads.len();
            (smaller || (j < i && configs[i].threads.len() == configs[j].threads.len()))
                && keep[j]
                && embeds(
                    setup,
                    (&configs[i], &outlines[i]),
                    (&configs[j], &outlines[j]),
                )
        });
    }
    let mut kept = keep.into_iter();
    configs.retain(|_| kept.next().unwrap_or(true));
}
