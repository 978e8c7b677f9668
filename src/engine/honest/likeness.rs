//! How near a message comes to what is expected: where the two differ first, how much agrees, and whether they are of a kind at
//! all.
//!
//! A message that differs in a part, a key or an envelope is probably the one that was meant. One that has nothing in common
//! with what is expected is another message of the protocol, and then the one that was meant is missing.

use super::Difference;
use crate::term::{Subst, TermId, TermStore, View, unify};

/// Two sides compared.
pub(super) struct Comparison {
    /// The first subterms that differ.
    pub differ: Difference,
    /// How much agrees in all.
    pub agreed: usize,
    /// Whether the two are of a kind.
    pub alike: bool,
    /// The whole that was expected.
    pub wanted: TermId,
}

impl Comparison {
    /// Compares what was found with what was expected, in one or more equations that can't all be solved.
    pub(super) fn new(store: &TermStore, equations: &[(TermId, TermId)]) -> Self {
        let rank = |t: TermId| matches!(store.view(t), View::Var(_)).then_some(0);
        let mut agreed = 0;
        let mut first = None;
        let mut subst = Subst::new();
        // With the equation that each belongs to.
        let roots = equations.iter().enumerate().rev();
        let mut work: Vec<(usize, TermId, TermId)> = roots.map(|(i, (a, b))| (i, *a, *b)).collect();
        while let Some((root, a, b)) = work.pop() {
            let (a, b) = (subst.resolve(store, a), subst.resolve(store, b));
            let (x, y) = (store.node(a), store.node(b));
            // A key is one thing: that it is another's says more than who the other is. So is a number.
            let whole = matches!(store.view(a), View::Family(..) | View::Suc(_));
            if unify(store, &[(a, b)], &rank, &mut subst) {
                agreed += 1;
            } else if x.op == y.op && x.args.len() == y.args.len() && !x.args.is_empty() && !whole {
                agreed += 1;
                let parts = x.args.iter().zip(&y.args).rev();
                work.extend(parts.map(|(a, b)| (root, *a, *b)));
            } else {
                first.get_or_insert((root, a, b));
                // The right message in the wrong envelope is nearer than another message.
                let inside = sealed(store, a).zip(sealed(store, b));
                work.extend(inside.map(|((a, _), (b, _))| (root, a, b)));
            }
        }
        let (root, found, expected) = first.unwrap_or((0, equations[0].0, equations[0].1));
        let (whole, wanted) = equations[root];
        Comparison {
            differ: Difference::Terms { found, expected },
            agreed,
            alike: alike(store, whole, wanted),
            wanted,
        }
    }
}

/// Whether two messages are of a kind: something in them is the same in the same place, whatever their envelopes, or they have
/// as many parts under the keys of one family, or under none.
fn alike(store: &TermStore, found: TermId, expected: TermId) -> bool {
    let parts = |t: TermId| match sealed(store, t) {
        Some((content, key)) => (content, Some(key)),
        None => (t, None),
    };
    let ((m, k), (n, l)) = (parts(found), parts(expected));
    if shares(store, m, n) || k.zip(l).is_some_and(|(k, l)| shares(store, k, l)) {
        return true;
    }
    let kindred = match (k, l) {
        (Some(k), Some(l)) => store.node(base(store, k)).op == store.node(base(store, l)).op,
        (None, None) => true,
        _ => false,
    };
    kindred && arity(store, m) == arity(store, n)
}

/// Whether something that is no variable stands in the same place of both.
fn shares(store: &TermStore, a: TermId, b: TermId) -> bool {
    if a == b {
        return !matches!(store.view(a), View::Var(_));
    }
    if matches!(store.view(a), View::Family(..)) {
        return false;
    }
    let (x, y) = (store.node(a), store.node(b));
    x.op == y.op
        && x.args
            .iter()
            .zip(&y.args)
            .any(|(a, b)| shares(store, *a, *b))
}

/// How many parts a message has, however they are nested on the right.
fn arity(store: &TermStore, message: TermId) -> usize {
    match store.view(message) {
        View::Tuple(parts) => match parts.split_last() {
            Some((last, rest)) => rest.len() + arity(store, *last),
            None => 0,
        },
        _ => 1,
    }
}

/// The key or the pair of which this is a part.
fn base(store: &TermStore, key: TermId) -> TermId {
    match store.view(key) {
        View::Pub(k) | View::Priv(k) => k,
        _ => key,
    }
}

/// What is sealed in a ciphertext or signature, and the key.
fn sealed(store: &TermStore, term: TermId) -> Option<(TermId, TermId)> {
    match store.view(term) {
        View::Senc(m, k) | View::Aenc(m, k) | View::Sign(m, k) => Some((m, k)),
        _ => None,
    }
}
