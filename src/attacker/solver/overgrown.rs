//! Terms that become too large to be worked with.
//!
//! Equations can double a term again and again. Terms are shared, so such a term is there, but nothing that walks it as a tree
//! would ever end. Whoever meets one gives up on what it was doing, and says so in its result.

use crate::term::{Subst, TermId, TermStore};

/// Operators and names of the largest term that is worked with.
pub const LARGEST: u32 = 20_000;

/// Operators and names of all terms that generics become in one solution.
const ALL: u64 = 1 << 17;

/// Bindings whose terms have fewer operators and names in all can't make a term that is too large: each step of doubling takes
/// three.
const HARMLESS: u32 = 36;

/// A term has become too large: what was asked has no answer, neither "yes" nor "no".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

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
