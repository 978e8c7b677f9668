//! Terms that become too large to be worked with.
//!
//! Equations can double a term again and again. Terms are shared, so such a term is there, but nothing that walks it as a tree
//! would ever end. Whoever meets one gives up on what it was doing and says so here; whoever has to answer for it watches, and
//! throws away what came of it: a question that was given up has neither "yes" nor "no" for an answer.

use crate::term::{Subst, TermId, TermStore};
use std::cell::Cell;

/// Operators and names of the largest term that is worked with.
pub const LARGEST: u32 = 20_000;

/// Operators and names of all terms that generics become in one solution.
const ALL: u64 = 1 << 17;

/// Bindings whose terms have fewer operators and names in all can't make a term that is too large: each step of doubling takes
/// three.
const HARMLESS: u32 = 36;

thread_local! {
    /// Whether something was given up by this thread while it is watched.
    static GIVEN_UP: Cell<bool> = const { Cell::new(false) };
}

/// Books that something was given up.
pub fn give_up() {
    GIVEN_UP.set(true);
}

/// The result of some work on this thread, unless something was given up on the way.
pub fn watched<T>(work: impl FnOnce() -> T) -> Option<T> {
    let before = GIVEN_UP.replace(false);
    let result = work();
    let given_up = GIVEN_UP.replace(before);
    (!given_up).then_some(result)
}

/// Whether a term is too large.
pub fn is_overgrown(store: &TermStore, t: TermId) -> bool {
    store.facts(t).size > LARGEST
}

/// Whether the bindings make no term that is too large.
pub(super) fn fits(store: &TermStore, subst: &Subst) -> bool {
    let open = subst.iter().filter(|(_, t)| !store.is_ground(*t));
    let sizes = open.map(|(_, t)| store.facts(t).size);
    if sizes.fold(0, u32::saturating_add) <= HARMLESS {
        return true;
    }
    let mut all = 0;
    subst.iter().all(|(atom, _)| {
        let term = subst.resolve(store, atom);
        all += u64::from(store.facts(term).size);
        !is_overgrown(store, term) && (all <= ALL || store.is_ground(term))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_given_up_concerns_the_one_who_watches() {
        assert_eq!(watched(|| 1), Some(1));
        assert_eq!(watched(give_up), None);
        let inner = watched(|| watched(give_up));
        assert_eq!(inner, Some(None));
        assert_eq!(watched(|| 1), Some(1));
    }

    #[test]
    fn few_bindings_fit_and_doubling_ones_do_not() {
        let s = TermStore::new();
        let doubling = |n: u32| -> Subst {
            let pair = |i: u32| s.pair(s.var(i + 1), s.var(i + 1));
            (0..n).map(|i| (s.var(i), pair(i))).collect()
        };
        assert!(fits(&s, &doubling(12)));
        assert!(fits(&s, &doubling(13)));
        assert!(!fits(&s, &doubling(15)));
        assert!(!fits(&s, &doubling(200)));
    }
}
