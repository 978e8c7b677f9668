//! The relation R between threads: equation 16 of the S3A paper.
//!
//! Two threads are related if a renaming of restricted names that is its own inverse turns the one into the other and
//! leaves the rest as it is: the other threads together, every element of the environment's knowledge, Upsilon and Lambda.
//! What one of them does, the other does with the same label, and the states that follow differ by the renaming. So one of
//! them is enough, and its successors stand for those of the others.
//!
//! Variables need no renaming here: a thread is a template with values, and templates have none of their own. Recipes (in
//! Upsilon and Lambda) contain no restricted names.

use crate::equiv::canon::{is_private, visit_names};
use crate::equiv::node::{Config, Thread};
use crate::term::{TermId, TermStore};
use smallvec::SmallVec;

/// A renaming of restricted names that is its own inverse.
#[derive(Default)]
struct Swap {
    pairs: SmallVec<[(TermId, TermId); 8]>,
}

impl Swap {
    fn image(&self, name: TermId) -> TermId {
        let found = self.pairs.iter().find(|(from, _)| *from == name);
        found.map_or(name, |(_, to)| *to)
    }

    fn put(&mut self, from: TermId, to: TermId) -> bool {
        if let Some((_, old)) = self.pairs.iter().find(|(f, _)| *f == from) {
            return *old == to;
        }
        self.pairs.push((from, to));
        true
    }

    /// Extends the renaming so that it exchanges two terms, if that is possible.
    fn exchange(&mut self, store: &TermStore, a: TermId, b: TermId) -> bool {
        if !store.facts(a).has_secret && !store.facts(b).has_secret {
            return a == b;
        }
        if is_private(store, a) && is_private(store, b) {
            return self.put(a, b) && self.put(b, a);
        }
        let (x, y) = (store.node(a), store.node(b));
        if x.args.is_empty() || y.args.is_empty() {
            return a == b;
        }
        x.op == y.op
            && x.args.len() == y.args.len()
            && x.args
                .iter()
                .zip(&y.args)
                .all(|(a, b)| self.exchange(store, *a, *b))
    }

    /// Whether a term stays as it is.
    fn fixes(&self, store: &TermStore, t: TermId) -> bool {
        let mut fixed = true;
        if store.facts(t).has_secret {
            visit_names(store, t, &mut |n| fixed &= self.image(n) == n);
        }
        fixed
    }

    fn fixes_thread(&self, store: &TermStore, thread: &Thread) -> bool {
        thread.values.iter().all(|v| self.fixes(store, *v))
    }

    fn rename(&self, store: &TermStore, thread: &Thread) -> Thread {
        let rename = |t: TermId| {
            store.map_atoms(t, &mut |atom| {
                let to = self.image(atom);
                (to != atom).then_some(to)
            })
        };
        Thread {
            template: thread.template,
            values: thread.values.iter().map(|v| rename(*v)).collect(),
        }
    }
}

/// Whether two threads of a configuration are related by a renaming that leaves a third one as it is.
pub fn related(
    store: &TermStore,
    config: &Config,
    i: usize,
    j: usize,
    fixed: Option<usize>,
) -> bool {
    let (a, b) = (&config.threads[i], &config.threads[j]);
    if a.template != b.template {
        return false;
    }
    let mut swap = Swap::default();
    let values = a.values.iter().zip(&b.values);
    if !values
        .into_iter()
        .all(|(x, y)| swap.exchange(store, *x, *y))
    {
        return false;
    }
    swap.pairs.retain(|(from, to)| from != to);
    if swap.pairs.is_empty() {
        return true;
    }
    if !config.terms.iter().all(|t| swap.fixes(store, *t)) {
        return false;
    }
    if fixed.is_some_and(|f| !swap.fixes_thread(store, &config.threads[f])) {
        return false;
    }
    let others = config.threads.iter().enumerate();
    let touched: Vec<&Thread> = others
        .filter(|(t, thread)| *t != i && *t != j && !swap.fixes_thread(store, thread))
        .map(|(_, thread)| thread)
        .collect();
    // The images must be the same threads again, each as often.
    let mut left: Vec<&Thread> = touched.clone();
    touched.iter().all(|thread| {
        let image = swap.rename(store, thread);
        match left.iter().position(|l| **l == image) {
            Some(at) => {
                left.swap_remove(at);
                true
            }
            None => false,
        }
    })
}

/// Some of the threads by classes of R; the first member of a class is its first thread.
pub fn classes(
    store: &TermStore,
    config: &Config,
    threads: impl Iterator<Item = usize>,
    fixed: Option<usize>,
) -> Vec<Vec<usize>> {
    let mut classes: Vec<Vec<usize>> = Vec::new();
    for t in threads {
        let class = classes
            .iter_mut()
            .find(|class| related(store, config, class[0], t, fixed));
        match class {
            Some(class) => class.push(t),
            None => classes.push(vec![t]),
        }
    }
    classes
}
