//! Unification with occurs check.
//!
//! The caller decides which atoms may be bound, and which of two atoms is bound to the other, by a rank:
//! the higher rank is bound. Process variables get the highest rank; a generic of a later level outranks one of
//! an earlier level, because the earlier one stands for fewer terms.
//!
//! Two joint keys `g^x^y` are equal if their exponents are, in either order. So two terms may have several unifiers, and every other one is an
//! instance of one of them: [`unifiers`] gives them all, and [`unify`] the first, for those who ask whether there is one, or who know that
//! there is no other. Without joint keys there is at most one.
//!
//! Bound terms are shared, so what is written out as a tree may be exponentially large. No term and no pair of terms is looked at
//! again and again: from some number of steps on it is kept what was looked at. Most calls end long before.

use super::{Op, Subst, TermId, TermStore, View};
use rustc_hash::FxHashSet;
use smallvec::{SmallVec, smallvec};

/// Steps before it is kept what was looked at.
const PLAIN: u32 = 64;

/// Rank of an atom: `None` for atoms that must not be bound.
pub type Rank = Option<u32>;

/// Substitutions that together have every unifier as an instance.
pub type Unifiers = SmallVec<[Subst; 1]>;

/// Extends `subst` (triangular) to a most general unifier of the pairs; `false` if there is none, in which case
/// `subst` is left as it was. Of several it is the first.
pub fn unify(
    store: &TermStore,
    pairs: &[(TermId, TermId)],
    rank: &impl Fn(TermId) -> Rank,
    subst: &mut Subst,
) -> bool {
    let mark = subst.len();
    let mut work = Work::new(pairs);
    let mut later: Vec<(Work, Subst)> = Vec::new();
    loop {
        if work.run(store, rank, subst, &mut later) {
            return true;
        }
        let Some((other, state)) = later.pop() else {
            subst.truncate(mark);
            return false;
        };
        work = other;
        *subst = state;
    }
}

/// All most general ways to extend `subst` (triangular) to a unifier of the pairs, in a fixed order.
pub fn unifiers(
    store: &TermStore,
    pairs: &[(TermId, TermId)],
    rank: &impl Fn(TermId) -> Rank,
    subst: &Subst,
) -> Unifiers {
    let mut found = Unifiers::new();
    let mut later: Vec<(Work, Subst)> = vec![(Work::new(pairs), subst.clone())];
    while let Some((mut work, mut subst)) = later.pop() {
        if work.run(store, rank, &mut subst, &mut later) && !found.contains(&subst) {
            found.push(subst);
        }
    }
    found
}

/// What is left to do.
#[derive(Clone)]
struct Work {
    pairs: Vec<(TermId, TermId)>,
    /// Pairs that are equal already, or are made so by what is left to do.
    equal: FxHashSet<(TermId, TermId)>,
    steps: u32,
}

impl Work {
    fn new(pairs: &[(TermId, TermId)]) -> Self {
        Self {
            pairs: pairs.iter().rev().copied().collect(),
            equal: FxHashSet::default(),
            steps: 0,
        }
    }

    /// Does it. Where there are two ways, the second is put aside with what it starts from. `false` leaves bindings behind.
    fn run(
        &mut self,
        store: &TermStore,
        rank: &impl Fn(TermId) -> Rank,
        subst: &mut Subst,
        later: &mut Vec<(Work, Subst)>,
    ) -> bool {
        while let Some((a, b)) = self.pairs.pop() {
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
                    return false;
                }
                subst.bind(atom, term);
                continue;
            }
            let (x, y) = (store.node(a), store.node(b));
            let both_ground = store.is_ground(a) && store.is_ground(b);
            if both_ground || x.op != y.op || x.args.len() != y.args.len() || x.args.is_empty() {
                return false;
            }
            self.steps += 1;
            if self.steps > PLAIN && !self.equal.insert((a, b)) {
                continue;
            }
            let mut args = y.args.as_slice();
            let crossed;
            if x.op == Op::Joint
                && let Some(other) = store.other_way(b)
            {
                match pairing(store, subst, a, other) {
                    Pairing::AsTheyStand => {}
                    Pairing::Crossed => {
                        crossed = other;
                        args = &crossed;
                    }
                    Pairing::Both => {
                        let mut second = self.clone();
                        second.equate(&x.args, &other);
                        later.push((second, subst.clone()));
                    }
                }
            }
            self.equate(&x.args, args);
        }
        true
    }

    fn equate(&mut self, x: &[TermId], y: &[TermId]) {
        let pairs = x.iter().copied().zip(y.iter().copied());
        self.pairs.extend(pairs.rev());
    }
}

/// Which exponents of two joint keys are to be made equal.
enum Pairing {
    /// Those in the same places.
    AsTheyStand,
    /// Each with that in the other place.
    Crossed,
    /// First in the one way, then in the other.
    Both,
}

/// The pairings of a joint key with the exchanged arguments of another. If an exponent of one is an exponent of the other, the others have to be equal:
/// any other unifier makes them equal as well.
fn pairing(store: &TermStore, subst: &Subst, a: TermId, crossed: [TermId; 2]) -> Pairing {
    let exponents = |args: &[TermId]| match store.view(args[0]) {
        View::Share(_, x) => Some((subst.walk(x), subst.walk(args[1]))),
        _ => None,
    };
    let (Some((x, y)), Some((v, u))) = (exponents(&store.node(a).args), exponents(&crossed)) else {
        return Pairing::AsTheyStand;
    };
    if x == u || y == v || x == y || u == v {
        Pairing::AsTheyStand
    } else if x == v || y == u {
        Pairing::Crossed
    } else {
        Pairing::Both
    }
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

    fn joint(s: &TermStore, x: TermId, y: TermId) -> TermId {
        s.joint(s.share(s.public("g"), x), y)
    }

    #[test]
    fn the_order_of_exponents_does_not_matter() {
        let s = TermStore::new();
        let (a, b) = (s.public("a"), s.hash(s.public("b")));
        assert_eq!(joint(&s, a, b), joint(&s, b, a));
        let swapped = [(s.var(0), b), (s.var(1), a)];
        let subst: Subst = swapped.into_iter().collect();
        let open = joint(&s, s.var(0), s.var(1));
        assert_eq!(subst.apply(&s, open), joint(&s, a, b));
        assert_eq!(subst.resolve(&s, open), joint(&s, a, b));
    }

    #[test]
    fn two_joint_keys_have_two_unifiers_and_one_if_they_share_an_exponent() {
        let s = TermStore::new();
        let (a, b) = (s.public("a"), s.public("b"));
        let (x, y) = (s.var(0), s.var(1));
        let all = |p, q| unifiers(&s, &[(p, q)], &any, &Subst::new());
        let values = |u: &Subst| (u.resolve(&s, x), u.resolve(&s, y));
        let both = all(joint(&s, x, y), joint(&s, a, b));
        let mut found: Vec<_> = both.iter().map(values).collect();
        found.sort_by(|p, q| s.compare(p.0, q.0));
        assert_eq!(found, [(a, b), (b, a)]);
        for known in [a, b] {
            assert_eq!(all(joint(&s, x, known), joint(&s, a, b)).len(), 1);
        }
        assert_eq!(all(joint(&s, x, x), joint(&s, a, b)).len(), 0);
        assert_eq!(all(joint(&s, x, y), joint(&s, a, a)).len(), 1);
    }

    #[test]
    fn the_second_way_is_tried_if_the_first_fails_later() {
        let s = TermStore::new();
        let (a, b) = (s.public("a"), s.public("b"));
        let (x, y) = (s.var(0), s.var(1));
        for (p, q) in [(a, b), (b, a)] {
            let pairs = [(joint(&s, x, y), joint(&s, a, b)), (x, p)];
            let mut sub = Subst::new();
            assert!(unify(&s, &pairs, &any, &mut sub));
            assert_eq!(sub.resolve(&s, y), q);
        }
        let pairs = [(joint(&s, x, y), joint(&s, a, b)), (x, y)];
        let mut sub = Subst::new();
        assert!(!unify(&s, &pairs, &any, &mut sub));
        assert!(sub.is_empty());
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
