//! Concrete evaluation: matching patterns against ground terms, and tests as sets of equations.

use crate::process::Test;
use crate::term::{Op, Subst, TermId, TermStore, View};

/// Extends `bound` so that the pattern becomes the ground term; `false` if it can't, `bound` is then of no use. A joint key with variables tells
/// nothing of them, as its exponents have no order: it is compared once they have values.
pub(super) fn matches(
    store: &TermStore,
    pattern: TermId,
    ground: TermId,
    bound: &mut Subst,
    keys: &mut Vec<(TermId, TermId)>,
) -> bool {
    if pattern == ground {
        return true;
    }
    if let View::Var(_) = store.view(pattern) {
        if let Some(value) = bound.get(pattern) {
            return value == ground;
        }
        bound.bind(pattern, ground);
        return true;
    }
    let (p, g) = (store.node(pattern), store.node(ground));
    if p.op == Op::Joint && g.op == Op::Joint && !store.is_ground(pattern) {
        keys.push((pattern, ground));
        return true;
    }
    p.op == g.op
        && p.args.len() == g.args.len()
        && p.args
            .iter()
            .zip(&g.args)
            .all(|(x, y)| matches(store, *x, *y, bound, keys))
}

/// Extends `bound` so that the pattern becomes the ground term, joint keys included: one whose exponents nothing else tells is taken in the order in
/// which it stands, or else in the other. `false` if it can't be.
pub(crate) fn fits(store: &TermStore, pattern: TermId, ground: TermId, bound: &mut Subst) -> bool {
    let mut keys = Vec::new();
    if !matches(store, pattern, ground, bound, &mut keys) {
        return false;
    }
    let Some((key, value)) = keys.pop() else {
        return true;
    };
    let all = keys;
    let key = bound.apply(store, key);
    let rest = |bound: &mut Subst, all: &[(TermId, TermId)]| {
        all.iter()
            .all(|(p, t)| fits(store, bound.apply(store, *p), *t, bound))
    };
    if store.is_ground(key) {
        return key == value && rest(bound, &all);
    }
    let args = store.node(key).args.clone();
    let own = store.node(value).args.clone();
    let other = store.other_way(value);
    let ways = [Some([own[0], own[1]]), other];
    ways.into_iter().flatten().any(|way| {
        let mut with = bound.clone();
        let pairs = args.iter().zip(way);
        let fit = pairs
            .into_iter()
            .all(|(p, t)| fits(store, with.apply(store, *p), t, &mut with))
            && rest(&mut with, &all);
        if fit {
            *bound = with;
        }
        fit
    })
}

/// The outcome of a test.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The equations hold with these values for the bound variables.
    Passed(Subst),
    /// They hold for no values.
    Failed,
    /// Some variable is left without a unique value: the process was not closed.
    Open,
}

/// Evaluates a test whose free variables have the given values. Equations with a ground side are matched; those
/// without wait for the others to give their variables values.
pub(super) fn evaluate(store: &TermStore, test: &Test, values: &Subst) -> Outcome {
    let mut bound = Subst::new();
    let mut waiting: Vec<(TermId, TermId)> = test
        .equations
        .iter()
        .map(|(a, b)| (values.apply(store, *a), values.apply(store, *b)))
        .collect();
    while !waiting.is_empty() {
        let mut later = Vec::new();
        let before = (waiting.clone(), bound.len());
        for (a, b) in std::mem::take(&mut waiting) {
            let (a, b) = (bound.apply(store, a), bound.apply(store, b));
            let holds = match (store.is_ground(a), store.is_ground(b)) {
                (true, true) => a == b,
                (true, false) => matches(store, b, a, &mut bound, &mut later),
                (false, true) => matches(store, a, b, &mut bound, &mut later),
                (false, false) => {
                    later.push((a, b));
                    true
                }
            };
            if !holds {
                return Outcome::Failed;
            }
        }
        if (&later, bound.len()) == (&before.0, before.1) {
            return Outcome::Open;
        }
        waiting = later;
    }
    let closed = test
        .binds
        .iter()
        .all(|v| bound.get(store.var(*v)).is_some());
    if closed {
        Outcome::Passed(bound)
    } else {
        Outcome::Open
    }
}

/// Where a message and what was expected of it differ; the expected part may have variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// What is there.
    pub found: TermId,
    /// What should be.
    pub expected: TermId,
}

/// The first parts in which the two sides of a test that failed differ.
pub(crate) fn difference(store: &TermStore, test: &Test, values: &Subst) -> Option<Difference> {
    let mut bound = Subst::new();
    let mut work: Vec<(TermId, TermId)> = test.equations.iter().rev().copied().collect();
    let mut keys = Vec::new();
    while let Some((a, b)) = work.pop().or_else(|| next_key(store, &bound, &mut keys)) {
        let (a, b) = (values.apply(store, a), values.apply(store, b));
        let (a, b) = (bound.apply(store, a), bound.apply(store, b));
        let fits = match (store.is_ground(a), store.is_ground(b)) {
            (true, _) => matches(store, b, a, &mut bound.clone(), &mut keys),
            (false, true) => matches(store, a, b, &mut bound.clone(), &mut keys),
            (false, false) => true,
        };
        let (x, y) = (store.node(a), store.node(b));
        if fits {
            if store.is_ground(a) {
                matches(store, b, a, &mut bound, &mut keys);
            } else if store.is_ground(b) {
                matches(store, a, b, &mut bound, &mut keys);
            }
        } else if x.op == y.op
            && x.args.len() == y.args.len()
            && !x.args.is_empty()
            // Two keys of one family differ as keys, whatever their arguments are; and so do two joint keys.
            && !matches!(x.op, Op::Family(_) | Op::Joint)
        {
            work.extend(x.args.iter().copied().zip(y.args.iter().copied()).rev());
        } else {
            return Some(Difference {
                found: a,
                expected: b,
            });
        }
    }
    None
}

/// A comparison of joint keys that was put off and can be made now.
fn next_key(
    store: &TermStore,
    bound: &Subst,
    keys: &mut Vec<(TermId, TermId)>,
) -> Option<(TermId, TermId)> {
    let ready = |(pattern, _): &(TermId, TermId)| store.is_ground(bound.apply(store, *pattern));
    let at = keys.iter().position(ready)?;
    Some(keys.remove(at))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::{FileId, Span};
    use crate::process::TestKind;

    fn test(equations: Vec<(TermId, TermId)>, binds: Vec<u32>) -> Test {
        Test {
            kind: TestKind::Let,
            equations,
            binds,
            has_else: false,
            span: Span::new(FileId(0), 0..0),
        }
    }

    #[test]
    fn decryption_with_the_private_part_is_two_equations() {
        let s = TermStore::new();
        let (k, m) = (s.public("k"), s.public("m"));
        let (y, z) = (s.var(1), s.var(2));
        let t = test(
            vec![
                (s.var(0), s.aenc(y, s.pub_part(z))),
                (s.priv_part(k), s.priv_part(z)),
            ],
            vec![1, 2],
        );
        let given = |v| Subst::from_iter([(s.var(0), v)]);
        let Outcome::Passed(bound) = evaluate(&s, &t, &given(s.aenc(m, s.pub_part(k)))) else {
            panic!("the right ciphertext opens");
        };
        assert_eq!(bound.get(y), Some(m));
        assert_eq!(evaluate(&s, &t, &given(s.aenc(m, k))), Outcome::Failed);
        assert_eq!(evaluate(&s, &t, &given(s.senc(m, k))), Outcome::Failed);
    }

    #[test]
    fn an_equation_waits_for_its_variables() {
        let s = TermStore::new();
        let (a, x, y) = (s.public("a"), s.var(0), s.var(1));
        let t = test(vec![(s.hash(x), y), (x, a)], vec![0, 1]);
        let Outcome::Passed(bound) = evaluate(&s, &t, &Subst::new()) else {
            panic!("both variables have values");
        };
        assert_eq!(bound.get(y), Some(s.hash(a)));
    }

    #[test]
    fn a_test_without_unique_values_is_open() {
        let s = TermStore::new();
        let t = test(vec![(s.var(0), s.var(1))], vec![0, 1]);
        assert_eq!(evaluate(&s, &t, &Subst::new()), Outcome::Open);
        let t = test(vec![], vec![0]);
        assert_eq!(evaluate(&s, &t, &Subst::new()), Outcome::Open);
    }

    #[test]
    fn a_repeated_variable_must_match_equal_terms() {
        let s = TermStore::new();
        let (a, b, x) = (s.public("a"), s.public("b"), s.var(0));
        let fits = |t| matches(&s, s.pair(x, x), t, &mut Subst::new(), &mut Vec::new());
        assert!(fits(s.pair(a, a)));
        assert!(!fits(s.pair(a, b)));
    }
}
