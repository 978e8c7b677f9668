//! Quick looks at a question before it is solved: what can't be for the operators alone.
//!
//! Both tests look at terms as trees in which every generic and pattern variable may be anything, each occurrence
//! by itself. A "no" is certain; a "yes" is for the solver to settle ([`super::solve`]).

use super::question::Context;
use crate::attacker::knowledge::{
    Composition, Element, Level, composition, is_constant, member_of,
};
use crate::term::{Op, TermId, TermStore, View};

/// Whether some solution may make the two terms equal.
pub(crate) fn may_be_equal(store: &TermStore, a: TermId, b: TermId) -> bool {
    if a == b {
        return true;
    }
    let (x, y) = (store.node(a), store.node(b));
    if is_open(x.view()) || is_open(y.view()) {
        return true;
    }
    let all = |p: &[TermId], q: &[TermId]| {
        let mut pairs = p.iter().zip(q);
        pairs.all(|(a, b)| may_be_equal(store, *a, *b))
    };
    x.op == y.op
        && x.args.len() == y.args.len()
        && !(store.is_ground(a) && store.is_ground(b))
        && (all(&x.args, &y.args)
            || (x.op == Op::Joint && store.other_way(b).is_some_and(|b| all(&x.args, &b))))
}

/// Whether some solution may make the term derivable at the level.
pub(crate) fn conceivable(cx: &Context<'_>, term: TermId, level: Level) -> bool {
    let store = cx.store;
    if is_constant(store, term) || is_open(store.view(term)) {
        return true;
    }
    // An element that is no longer needed counts too: the answer is then right for earlier levels as well.
    let known = |e: &Element| e.born <= level && may_be_equal(store, e.term, term);
    if cx.elements.iter().any(known) {
        return true;
    }
    let all = |args: &[TermId]| args.iter().all(|a| conceivable(cx, *a, level));
    match composition(store, term) {
        Composition::Constant => true,
        Composition::From(args) => {
            all(args) || member_of(store, term).is_some_and(|m| conceivable(cx, m, level))
        }
        Composition::FromEither(ways) => ways.iter().any(|args| all(args)),
        Composition::FromIfSpy(args) => {
            args.iter()
                .any(|a| store.is_spy(*a) || is_open(store.view(*a)))
                && all(args)
        }
        Composition::Never => false,
    }
}

fn is_open(view: View<'_>) -> bool {
    matches!(view, View::Var(_) | View::Generic(_))
}
