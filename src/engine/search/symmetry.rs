//! Symmetry before successors: of threads that are the same up to a swap of names and generics, one moves
//! (S3A's relation R, equation 16).
//!
//! Two threads are related if the involution that swaps their arguments leaves the whole state as it is: the other
//! threads, the knowledge with its history, the levels of generics, the disequations and the events.

use super::Setup;
use super::state::{Disequation, State, Thread};
use crate::attacker::knowledge::Element;
use crate::term::{NameClass, Subst, TermId, TermStore, View};

/// For each thread, whether it has to be considered: the first of its class.
pub(super) fn leaders(setup: &Setup<'_>, state: &State) -> Vec<bool> {
    let n = state.threads.len();
    let mut leads = vec![true; n];
    if !setup.options.symmetry {
        return leads;
    }
    for j in 1..n {
        if setup.is_halted() {
            return leads;
        }
        leads[j] = !(0..j).any(|i| leads[i] && related(setup, state, i, j));
    }
    leads
}

fn related(setup: &Setup<'_>, state: &State, i: usize, j: usize) -> bool {
    let (a, b) = (&state.threads[i], &state.threads[j]);
    let (s, t) = (setup.system.step(a.step), setup.system.step(b.step));
    if s.shape != t.shape || setup.is_target(s.instance) != setup.is_target(t.instance) {
        return false;
    }
    let (x, y) = (setup.arguments(a), setup.arguments(b));
    let Some(swap) = involution(setup, state, &x, &y) else {
        return false;
    };
    if swap.is_empty() {
        return true;
    }
    fixes(setup, state, &swap)
}

/// The swap of atoms that turns the one list into the other, if there is one.
fn involution(setup: &Setup<'_>, state: &State, x: &[TermId], y: &[TermId]) -> Option<Subst> {
    let store = setup.store;
    let mut swap = Subst::new();
    let mut work: Vec<(TermId, TermId)> = x.iter().copied().zip(y.iter().copied()).collect();
    while let Some((a, b)) = work.pop() {
        if renameable(store, a) || renameable(store, b) {
            match (swap.get(a), swap.get(b)) {
                (Some(c), _) if c != b => return None,
                (_, Some(c)) if c != a => return None,
                (Some(_), _) => {}
                _ if a == b => swap.bind(a, a),
                _ => {
                    if !interchangeable(setup, state, a, b) {
                        return None;
                    }
                    swap.bind(a, b);
                    swap.bind(b, a);
                }
            }
            continue;
        }
        if a == b && !store.facts(a).has_secret && store.is_ground(a) {
            continue;
        }
        let (p, q) = (store.node(a), store.node(b));
        if p.op != q.op || p.args.len() != q.args.len() {
            return None;
        }
        work.extend(p.args.iter().copied().zip(q.args.iter().copied()));
    }
    Some(swap.iter().filter(|(a, b)| a != b).collect())
}

fn renameable(store: &TermStore, t: TermId) -> bool {
    match store.view(t) {
        View::Generic(_) => true,
        View::Name(n) => store.name_info(n).class == NameClass::Restricted,
        _ => false,
    }
}

fn interchangeable(setup: &Setup<'_>, state: &State, a: TermId, b: TermId) -> bool {
    match (setup.store.view(a), setup.store.view(b)) {
        (View::Generic(g), View::Generic(h)) => state.generics.info(g) == state.generics.info(h),
        (View::Name(_), View::Name(_)) => {
            renameable(setup.store, a)
                && renameable(setup.store, b)
                && setup.mark_of(a) == setup.mark_of(b)
        }
        _ => false,
    }
}

/// Whether the swap maps the state to itself.
fn fixes(setup: &Setup<'_>, state: &State, swap: &Subst) -> bool {
    let store = setup.store;
    let image = |t: TermId| store.map_atoms(t, &mut |atom| swap.get(atom));
    let threads = same_multiset(
        &state.threads,
        |t: &Thread| {
            let step = setup.system.step(t.step);
            (
                step.shape,
                setup.arguments(t),
                setup.is_target(step.instance),
            )
        },
        |(shape, args, target)| (shape, args.into_iter().map(image).collect(), target),
    );
    threads
        && same_multiset(
            &state.elements,
            |e: &Element| (e.term, e.born, e.dead.map(|d| d.level)),
            |(t, b, d)| (image(t), b, d),
        )
        && same_multiset(
            &state.lambda,
            |d: &Disequation| d.equations.clone(),
            |d| d.into_iter().map(|(a, b)| (image(a), image(b))).collect(),
        )
        && state
            .events
            .iter()
            .all(|h| h.args.iter().chain(&h.actors).all(|t| image(*t) == *t))
}

/// Whether the images of the items are the items again, in any order. What is its own image is there again.
fn same_multiset<T, K: PartialEq + Clone>(
    items: &[T],
    key: impl Fn(&T) -> K,
    image: impl Fn(K) -> K,
) -> bool {
    let keys = items.iter().map(key);
    let (mut moved, mut images): (Vec<Option<K>>, Vec<K>) = Default::default();
    for key in keys {
        let image = image(key.clone());
        if image != key {
            moved.push(Some(key));
            images.push(image);
        }
    }
    images.into_iter().all(|wanted| {
        let mut left = moved.iter_mut();
        left.find(|slot| slot.as_ref() == Some(&wanted))
            .is_some_and(|slot| slot.take().is_some())
    })
}
