//! Subsumption: configurations whose threads another configuration of the same side has as well add
//! nothing [Sem 5.4].
//!
//! A configuration C embeds into D if both belong to one side and a private renaming gives them the
//! same terms for the indices, and makes the threads of C some of the threads of D. Then every
//! trace of C is one of D: threads never hinder each other. A test looks at the values of its own
//! thread only, `else` branches included, an input or output needs no more than its channel, a
//! silent step no more than its two threads, and what the environment derives, hence which channels
//! it can use and which communication the private semantics leaves out, depends on the common terms
//! alone. So the extra threads of D may just stand still. A node asks whether the traces of its two
//! sides, all configurations of a side taken together, are the same; without C they are the same
//! traces. Narrowing applies to both alike, so an embedding stays one.
//!
//! Configurations are compared in their private form. There the names of the terms come first and
//! are equal literally if the terms are equal up to renaming; the other names may be renamed.

use super::node::{Config, Side, Thread};
use super::private_form;
use super::setup::Setup;
use crate::term::{TermId, TermStore};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Pairs of names, of the smaller and of the larger configuration.
type Renaming = SmallVec<[(TermId, TermId); 8]>;

/// A configuration prepared for comparisons.
///
/// A thread without restricted names embeds only into an equal one. A thread with restricted names
/// embeds only into one of the same form, which is the same but for the names. So the two kinds are
/// compared separately. Both are sorted, which makes them easy to compare.
#[derive(Clone, Debug)]
pub struct Outline {
    /// A bit for each thread: for its content if it has no restricted names, for its form
    /// otherwise.
    bits: u64,
    /// The threads without restricted names, in some order of their content.
    closed: SmallVec<[u32; 16]>,
    /// The threads with restricted names, in the order of their forms.
    open: SmallVec<[(u64, u32); 8]>,
    /// The restricted names that occur in the terms.
    fixed: SmallVec<[TermId; 8]>,
}

impl Outline {
    /// The outline of a configuration in private form.
    pub fn of(setup: &Setup<'_>, config: &Config) -> Self {
        let store = setup.store;
        let mut outline = Self {
            bits: 0,
            closed: SmallVec::new(),
            open: SmallVec::new(),
            fixed: SmallVec::new(),
        };
        for t in &config.terms {
            private_form::visit_names(store, *t, &mut |n| {
                if !outline.fixed.contains(&n) {
                    outline.fixed.push(n);
                }
            });
        }
        for (i, thread) in (0u32..).zip(&config.threads) {
            let mut form = Form {
                store,
                fixed: &outline.fixed,
                met: SmallVec::new(),
            };
            let start = private_form::mix(43, u64::from(thread.template.0));
            let values = thread.values.iter();
            let hash = values.fold(start, |h, v| private_form::mix(h, form.of(*v)));
            if thread.values.iter().any(|v| store.facts(*v).has_secret) {
                outline.open.push((hash, i));
            } else {
                outline.closed.push(i);
            }
            outline.bits |= 1 << (hash >> 58);
        }
        outline.open.sort_unstable();
        let content = |i: &u32| &config.threads[*i as usize];
        let slots = |t: &Thread| t.values.iter().map(|v| v.slot()).collect::<Slots>();
        outline.closed.sort_by(|a, b| {
            let (a, b) = (content(a), content(b));
            (a.template.0.cmp(&b.template.0)).then_with(|| slots(a).cmp(&slots(b)))
        });
        outline
    }
}

/// Hashes the form of a thread: its restricted names are numbered by first occurrence. Names in the
/// terms of the basis are not renamed, and count as they are.
struct Form<'a> {
    store: &'a TermStore,
    fixed: &'a [TermId],
    /// The names so far.
    met: SmallVec<[TermId; 8]>,
}

impl Form<'_> {
    fn of(&mut self, t: TermId) -> u64 {
        let store = self.store;
        if !store.facts(t).has_secret || self.fixed.contains(&t) {
            return t.slot() as u64;
        }
        if private_form::is_private(store, t) {
            let known = self.met.iter().position(|n| *n == t);
            let number = known.unwrap_or_else(|| {
                self.met.push(t);
                self.met.len() - 1
            });
            return private_form::mix(47, number as u64);
        }
        let node = store.node(t);
        let start = private_form::op_hash(store, node.op);
        node.args
            .iter()
            .fold(start, |h, a| private_form::mix(h, self.of(*a)))
    }
}

/// Where the terms of a thread are stored.
type Slots = SmallVec<[usize; 8]>;

/// Whether a configuration embeds into another one of its side.
pub fn embeds(setup: &Setup<'_>, small: (&Config, &Outline), large: (&Config, &Outline)) -> bool {
    small.0.side == large.0.side && fits(setup, small, large)
}

/// Whether the threads and terms of a configuration are within another's, of either side.
pub fn fits(setup: &Setup<'_>, small: (&Config, &Outline), large: (&Config, &Outline)) -> bool {
    let ((c, outline), (d, other)) = (small, large);
    if outline.bits & !other.bits != 0
        || outline.closed.len() > other.closed.len()
        || outline.open.len() > other.open.len()
        || c.terms != d.terms
    {
        return false;
    }
    let mut rest = other.closed.iter();
    let mut equal = |i: &u32| {
        let thread = &c.threads[*i as usize];
        rest.any(|j| d.threads[*j as usize] == *thread)
    };
    if !outline.closed.iter().all(&mut equal) {
        return false;
    }
    let mut forms = other.open.iter();
    if !(outline.open.iter()).all(|(form, _)| forms.any(|(f, _)| f == form)) {
        return false;
    }
    let mut search = Search {
        store: setup.store,
        fixed: &outline.fixed,
        small: (&c.threads, &outline.open),
        large: (&d.threads, &other.open),
        used: SmallVec::from_elem(false, other.open.len()),
        renaming: Renaming::new(),
        // To give up costs work and nothing else.
        tries: setup.options.budgets.embeddings,
    };
    search.place(0)
}

struct Search<'a> {
    store: &'a TermStore,
    fixed: &'a [TermId],
    /// The threads, and which of them are to be placed.
    small: (&'a [Thread], &'a [(u64, u32)]),
    /// The threads, and which of them are places.
    large: (&'a [Thread], &'a [(u64, u32)]),
    used: SmallVec<[bool; 16]>,
    renaming: Renaming,
    tries: usize,
}

impl Search<'_> {
    /// Finds places for the threads from this one on.
    fn place(&mut self, at: usize) -> bool {
        let Some((form, thread)) = self.small.1.get(at) else {
            return true;
        };
        let (smalls, larges) = (self.small.0, self.large.0);
        let thread = &smalls[*thread as usize];
        for (i, (other, place)) in self.large.1.iter().enumerate() {
            let place = &larges[*place as usize];
            if self.used[i] || other != form || place.template != thread.template {
                continue;
            }
            if self.tries == 0 {
                return false;
            }
            self.tries -= 1;
            let mark = self.renaming.len();
            let values = thread.values.iter().zip(&place.values);
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
        if private_form::is_private(store, a) {
            if self.fixed.contains(&a) || self.fixed.contains(&b) {
                return a == b;
            }
            if !private_form::is_private(store, b) {
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

/// Drops the configurations that embed into others. After a halt the result is not used, and some
/// may stay.
pub fn drop_subsumed(setup: &Setup<'_>, configs: &mut Vec<Config>) {
    let outlines: Vec<Outline> = configs.iter().map(|c| Outline::of(setup, c)).collect();
    let mut groups: FxHashMap<(Side, &[TermId]), Vec<usize>> = FxHashMap::default();
    for (i, c) in configs.iter().enumerate() {
        groups.entry((c.side, &c.terms)).or_default().push(i);
    }
    let mut keep = vec![true; configs.len()];
    for mut group in groups.into_values() {
        // Nothing embeds into a smaller one; of two that embed into each other the first stays.
        group.sort_by_key(|i| std::cmp::Reverse(configs[*i].threads.len()));
        let mut kept: Vec<usize> = Vec::new();
        for i in group {
            if setup.halt.stopped() {
                return;
            }
            let small = (&configs[i], &outlines[i]);
            let mut larger = kept.iter().map(|j| (&configs[*j], &outlines[*j]));
            keep[i] = !larger.any(|large| embeds(setup, small, large));
            if keep[i] {
                kept.push(i);
            }
        }
    }
    let mut kept = keep.into_iter();
    configs.retain(|_| kept.next().unwrap_or(true));
}
