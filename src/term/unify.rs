//! Unification with occurs check.
//!
//! The caller decides which atoms may be bound, and which of two atoms is bound to the other, by a rank:
//! the higher rank is bound. Process variables get the highest rank; a generic of a later level outranks one of
//! an earlier level, because the earlier one stands for fewer terms.
//!
//! Bound terms are shared, so what is written out as a tree may be exponentially large. No term and no pair of terms is looked at
//! again and again: from some number of steps on it is kept what was looked at. Most calls end long before.

use super::{Subst, TermId, TermStore, View};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

/// Steps before it is kept what was looked at.
const PLAIN: u32 = 64;

/// Rank of an atom: `None` for atoms that must not be bound.
pub type Rank = Option<u32>;

/// Extends `subst` (triangular) to a most general unifier of the pairs; `false` if there is none, in which case
/// `subst` is left as it was.
pub fn unify(
    store: &TermStore,
    pairs: &[(TermId, TermId)],
    rank: &impl Fn(TermId) -> Rank,
    subst: &mut Subst,
) -> bool {
    let mark = subst.len();
    let mut work: Vec<(TermId, TermId)> = pairs.iter().rev().copied().collect();
    // Pairs that are equal already, or are made so by what is left to do.
    let mut equal: FxHashSet<(TermId, TermId)> = FxHashSet::default();
    let mut steps = 0;
    while let Some((a, b)) = work.pop() {
        let (a, b) = (subst.walk(a), subst.walk(b));
        if a == b {
            continue;
        }
        let bound = match (atom_rank(store, a, rank), atom_rank(store, b, rank)) {
            (Some(x), Some(y)) => {
                // Of equal ranks the newer atom is bound to the older.
                let newer = (x, number(store, a)) >= (y, number(store, b));
                Some(if newer { (a, b) } else { (b, a) })
            }
            (Some(_), None) => Some((a, b)),
            (None, Some(_)) => Some((b, a)),
            (None, None) => None,
        };
        if let Some((atom, term)) = bound {
            if occurs(store, subst, atom, term) {
                subst.truncate(mark);
                return false;
            }
            subst.bind(atom, term);
            continue;
        }
        let (x, y) = (store.node(a), store.node(b));
        let both_ground = store.is_ground(a) && store.is_ground(b);
        if both_ground || x.op != y.op || x.args.len() != y.args.len() || x.args.is_empty() {
            subst.truncate(mark);
            return false;
        }
        steps += 1;
        if steps > PLAIN && !equal.insert((a, b)) {
            continue;
        }
        work.extend(x.args.iter().copied().zip(y.args.iter().copied()).rev());
    }
    true
}

fn atom_rank(store: &TermStore, t: TermId, rank: &impl Fn(TermId) -> Rank) -> Rank {
    match store.view(t) {
        View::Var(_) | View::Generic(_) => rank(t),
        _ => None,
    }
}

fn number(store: &TermStore, t: TermId) -> u32 {
    match store.view(t) {
        View::Var(n) | View::Generic(n) => n,
        _ => 0,
    }
}

fn occurs(store: &TermStore, subst: &Subst, atom: TermId, term: TermId) -> bool {
    if store.is_ground(term) {
        return false;
    }
    let mut work: SmallVec<[TermId; 16]> = smallvec![term];
    let mut free: FxHashSet<TermId> = FxHashSet::default();
    let mut steps = 0;
    while let Some(t) = work.pop() {
        let t = subst.walk(t);
        if t == atom {
            return true;
        }
        let args = &store.node(t).args;
        if args.is_empty() || store.is_ground(t) {
            continue;
        }
        steps += 1;
        if steps > PLAIN && !free.insert(t) {
            continue;
        }
        work.extend(args.iter().copied());
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[allow(clippy::unnecessary_wraps)]
    fn any(_: TermId) -> Rank {
        Some(0)
    }

    #[test]
    fn a_variable_takes_the_term() {
        let s = TermStore::new();
        let (x, a) = (s.var(0), s.public("a"));
        let mut sub = Subst::new();
        assert!(unify(&s, &[(s.pair(x, x), s.pair(a, a))], &any, &mut sub));
        assert_eq!(sub.resolve(&s, x), a);
    }

    #[test]
    fn a_cycle_is_refused_and_nothing_stays_bound() {
        let s = TermStore::new();
        let (x, y) = (s.var(0), s.var(1));
        let mut sub = Subst::new();
        assert!(!unify(
            &s,
            &[(x, s.hash(y)), (y, s.hash(x))],
            &any,
            &mut sub
        ));
        assert!(sub.is_empty());
    }

    #[test]
    fn the_higher_rank_is_bound() {
        let s = TermStore::new();
        let (g, h) = (s.generic(0), s.generic(1));
        let rank = |t| Some(u32::from(t == h));
        let mut sub = Subst::new();
        assert!(unify(&s, &[(g, h)], &rank, &mut sub));
        assert_eq!(sub.get(h), Some(g));
    }

    #[test]
    fn of_equal_ranks_the_newer_is_bound() {
        let s = TermStore::new();
        let (g, h) = (s.generic(0), s.generic(1));
        for pair in [(g, h), (h, g)] {
            let mut sub = Subst::new();
            assert!(unify(&s, &[pair], &any, &mut sub));
            assert_eq!(sub.get(h), Some(g));
        }
    }

    #[test]
    fn a_rigid_variable_is_a_constant() {
        let s = TermStore::new();
        let mut sub = Subst::new();
        assert!(!unify(&s, &[(s.var(0), s.zero())], &|_| None, &mut sub));
    }

    /// `x0 = (x1, x1)`, `x1 = (x2, x2)` and so on.
    fn doubling(s: &TermStore, first: u32, count: u32) -> Vec<(TermId, TermId)> {
        let pair = |i: u32| s.pair(s.var(i + 1), s.var(i + 1));
        (first..first + count)
            .map(|i| (s.var(i), pair(i)))
            .collect()
    }

    #[test]
    fn what_doubles_again_and_again_is_shared() {
        let s = TermStore::new();
        let mut sub = Subst::new();
        let mut pairs = doubling(&s, 0, 100);
        pairs.reverse();
        pairs.extend(doubling(&s, 200, 100));
        pairs.push((s.var(0), s.var(200)));
        assert!(unify(&s, &pairs, &any, &mut sub));
        assert_eq!(sub.resolve(&s, s.var(0)), sub.resolve(&s, s.var(200)));
        let large = sub.resolve(&s, s.var(0));
        assert_eq!(s.facts(large).size, u32::MAX);
        let (last, a) = (sub.resolve(&s, s.var(100)), s.public("a"));
        let ground: Subst = [(last, a)].into_iter().collect();
        let swapped = s.map_atoms(large, &mut |t| (t == last).then_some(a));
        assert_eq!(ground.apply(&s, large), swapped);
        assert!(s.is_ground(swapped));
        let mut found = 0;
        s.visit(large, &mut |_| {
            found += 1;
            true
        });
        assert!(found < 100_000, "{found}");
    }

    #[test]
    fn a_cycle_through_much_is_refused() {
        let s = TermStore::new();
        let mut sub = Subst::new();
        let mut pairs = doubling(&s, 0, 100);
        pairs.push((s.var(100), s.hash(s.var(0))));
        assert!(!unify(&s, &pairs, &any, &mut sub));
        assert!(sub.is_empty());
    }
}
