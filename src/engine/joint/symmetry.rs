//! Symmetry before successors: of the threads that an exchange of private names relates, one moves
//! (the relation R of the S3A paper, equation 16) [Sem 5.4].
//!
//! Two threads of a configuration are related if an exchange of restricted names turns the one into
//! the other, leaves the terms of the indices alone and maps the other threads onto each other.
//! Restricted names are private to their configuration, so the exchange maps the configuration to
//! itself, and the successors by the one thread to the successors by the other; those are equal up
//! to a private renaming, and one of them is enough.
//!
//! The same for channels: if an exchange of two public names, together with one of private names in
//! each configuration, maps the node to itself, then the successors by the one channel are those by
//! the other, renamed ([`super::public_names`]).

use super::node::{Config, Node, Thread};
use super::private_form;
use super::public_names;
use super::setup::Setup;
use crate::term::{TermId, TermStore};
use smallvec::SmallVec;

/// The names exchanged, each pair once.
type Swap = SmallVec<[(TermId, TermId); 4]>;

/// Whether a thread need not move, because one of the earlier ones in the list does.
pub(crate) fn follows(
    setup: &Setup<'_>,
    config: &Config,
    earlier: &[usize],
    thread: usize,
) -> bool {
    let related = |e: &usize| exchanged(setup.store, config, *e, thread, None);
    setup.options.reductions.symmetry && earlier.iter().any(related)
}

/// A channel and the threads that wait at it, as pairs of a configuration and a thread in it.
pub(crate) type At<'a> = (TermId, &'a [(usize, usize)]);

/// Whether an exchange of two channels maps the node to itself.
pub(crate) fn interchangeable(setup: &Setup<'_>, node: &Node, one: At<'_>, other: At<'_>) -> bool {
    let store = setup.store;
    let pair = (one.0, other.0);
    let renamed = |t| public_names::is_public(store, t) && setup.public_names.contains(&t);
    if !setup.options.reductions.symmetry || !renamed(pair.0) || !renamed(pair.1) {
        return false;
    }
    let fixed = |r: TermId| public_names::swapped(store, r, pair) == r;
    let mut recipes = node.lambda.entries().iter().flat_map(|e| &e.bindings);
    if !recipes.all(|(_, r)| fixed(*r)) {
        return false;
    }
    node.configs.iter().enumerate().all(|(c, config)| {
        let of = |at: &[(usize, usize)]| -> SmallVec<[usize; 4]> {
            let here = at.iter().filter(|(d, _)| *d == c);
            here.map(|(_, thread)| *thread).collect()
        };
        let (these, those) = (of(one.1), of(other.1));
        let turned = |i: usize, j: usize| exchanged(store, config, i, j, Some(pair));
        these
            .first()
            .is_some_and(|i| those.iter().any(|j| turned(*i, *j)))
    })
}

/// Whether an exchange of private names, after the given exchange of two public ones, relates two
/// threads.
fn exchanged(
    store: &TermStore,
    config: &Config,
    i: usize,
    j: usize,
    public_names: Option<(TermId, TermId)>,
) -> bool {
    let (a, b) = (&config.threads[i], &config.threads[j]);
    if a.template != b.template {
        return false;
    }
    if public_names.is_none() && a.values == b.values {
        return true;
    }
    let public = |t: TermId| public_names.map_or(t, |pair| public_names::swapped(store, t, pair));
    let mut swap = Swap::new();
    let values = a.values.iter().zip(&b.values);
    if !values
        .into_iter()
        .all(|(x, y)| exchange(store, public(*x), *y, &mut swap))
    {
        return false;
    }
    swap.retain(|(x, y)| x != y);
    let image = |t: TermId| {
        store.map_atoms(public(t), &mut |atom| {
            swap.iter().find_map(|(x, y)| match atom {
                a if a == *x => Some(*y),
                a if a == *y => Some(*x),
                _ => None,
            })
        })
    };
    if config.terms.iter().any(|t| image(*t) != *t) {
        return false;
    }
    // Most threads stay as they are; an exchange done twice changes nothing, so the others go to
    // each other.
    let mut left: SmallVec<[&Thread; 8]> = SmallVec::new();
    let mut images: SmallVec<[Thread; 8]> = SmallVec::new();
    for t in &config.threads {
        let values: super::template::Values = t.values.iter().map(|v| image(*v)).collect();
        if values != t.values {
            left.push(t);
            let template = t.template;
            images.push(Thread { template, values });
        }
    }
    images.iter().all(|t| {
        let twin = left.iter().position(|s| *s == t);
        twin.map(|at| left.swap_remove(at)).is_some()
    })
}

/// Extends the exchange so that it turns the one term into the other.
fn exchange(store: &TermStore, a: TermId, b: TermId, swap: &mut Swap) -> bool {
    if !store.facts(a).has_secret {
        return a == b;
    }
    if private_form::is_private(store, a) {
        if !private_form::is_private(store, b) {
            return false;
        }
        for (x, y) in swap.iter() {
            if [*x, *y].contains(&a) || [*x, *y].contains(&b) {
                return (*x == a && *y == b) || (*x == b && *y == a);
            }
        }
        swap.push((a, b));
        return true;
    }
    let (x, y) = (store.node(a), store.node(b));
    x.op == y.op
        && x.args.len() == y.args.len()
        && x.args
            .iter()
            .zip(&y.args)
            .all(|(a, b)| exchange(store, *a, *b, swap))
}
