//! The orders of exponents in joint keys: clauses compare terms form by form.
//!
//! `g^x^y` is `g^y^x`, and the store keeps one of the two. What the exponents become in a run may have the other order. Give every message of a run its
//! *normal form*: a fixed order of messages decides how the exponents of each of its keys stand. Then messages are equal if their forms are, and the
//! normal form of an instance of a term is an instance of the term with each of its keys in the one or in the other order, the same key
//! in the same order wherever it occurs. So clauses about forms that are there for all orders say what is true of messages, and no more:
//! the other orders say something equal.

use super::terms::{Term, Terms};
use crate::term::{Op, TermId, TermStore, View};

/// The joint keys that are written with their exponents exchanged, and those that are not.
pub(super) type Orders = Vec<(TermId, bool)>;

/// A joint key in these terms about which nothing is said yet.
pub(super) fn undecided(store: &TermStore, terms: &[TermId], orders: &Orders) -> Option<TermId> {
    if !store.has_groups() {
        return None;
    }
    let mut found = None;
    for t in terms {
        store.visit(*t, &mut |s| {
            if matches!(store.view(s), View::Joint(..)) && !orders.iter().any(|(t, _)| *t == s) {
                found.get_or_insert(s);
            }
            found.is_none()
        });
    }
    found
}

/// All orders of the joint keys in these terms; `None` if there are more keys than `most`.
pub(super) fn all(store: &TermStore, terms: &[TermId], most: usize) -> Option<Vec<Orders>> {
    let mut all = vec![Orders::new()];
    while let Some(key) = undecided(store, terms, &all[0]) {
        if all[0].len() == most {
            return None;
        }
        all = all
            .into_iter()
            .flat_map(|orders| {
                [false, true].map(|exchanged| {
                    let mut with = orders.clone();
                    with.push((key, exchanged));
                    with
                })
            })
            .collect();
    }
    Some(all)
}

/// The arguments of a joint key in its order.
pub(super) fn arguments(store: &TermStore, key: TermId, orders: &Orders) -> [TermId; 2] {
    let args = &store.node(key).args;
    let exchanged = orders.contains(&(key, true));
    let other = store.other_way(key).filter(|_| exchanged);
    other.unwrap_or([args[0], args[1]])
}

/// Whether two terms are equal up to the order of the exponents in joint keys.
pub(super) fn same(terms: &Terms, a: Term, b: Term) -> bool {
    compared(terms, a, b, &|_, _| false)
}

/// Whether two terms may become equal up to the order of the exponents in joint keys; a "no" is certain.
pub(super) fn may_be_same(terms: &Terms, a: Term, b: Term) -> bool {
    compared(terms, a, b, &|a, b| {
        terms.as_var(a).is_some() || terms.as_var(b).is_some()
    })
}

/// Compares two terms form by form, joint keys in both orders; `open` says which parts are taken to be equal whatever they are.
fn compared(terms: &Terms, a: Term, b: Term, open: &dyn Fn(Term, Term) -> bool) -> bool {
    if a == b || open(a, b) {
        return true;
    }
    let (p, q) = (terms.args(a), terms.args(b));
    if terms.op(a) != terms.op(b) || p.len() != q.len() || p.is_empty() {
        return false;
    }
    let equal = |s: Term, t: Term| compared(terms, s, t, open);
    let as_they_stand = || p.iter().zip(q).all(|(s, t)| equal(*s, *t));
    if terms.op(a) != Op::Joint {
        return as_they_stand();
    }
    let shares = [p[0], q[0]].map(|s| terms.args(s));
    let exchanged = || match shares {
        [[g, x], [h, y]] => equal(*g, *h) && equal(*x, q[1]) && equal(p[1], *y),
        // A share that is still a variable.
        _ => open(p[0], q[0]),
    };
    as_they_stand() || exchanged()
}
