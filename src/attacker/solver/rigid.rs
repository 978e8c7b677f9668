//! Derivations that hold whatever the generics stand for.

use super::GenericInfo;
use super::question::Context;
use crate::attacker::knowledge::{Composition, Level, composition, is_constant, member_of};
use crate::term::{Args, Subst, TermId, TermStore, View};

/// A recipe for the term at the level that is right whatever the generics stand for, if there is one.
pub(crate) fn derive_rigid(cx: &Context<'_>, term: TermId, level: Level) -> Option<TermId> {
    rigid(cx, &Subst::new(), &[], term, level)
}

/// Whether there is such a recipe.
pub(crate) fn is_derivable(cx: &Context<'_>, term: TermId, level: Level) -> bool {
    is_rigid(cx, &Subst::new(), &[], term, level)
}

/// What is known of a generic: one of the context's or a fresh one.
pub(super) fn generic_level(cx: &Context<'_>, fresh: &[GenericInfo], g: u32) -> GenericInfo {
    let known = cx.generics.len();
    if g < known {
        cx.generics.info(g)
    } else {
        fresh[(g - known) as usize]
    }
}

/// Whether [`rigid`] finds a recipe. Most questions are answered by no, or ask for no recipe: none is made here.
pub(super) fn is_rigid(
    cx: &Context<'_>,
    subst: &Subst,
    fresh: &[GenericInfo],
    term: TermId,
    level: Level,
) -> bool {
    let store = cx.store;
    match store.view(term) {
        View::Zero => return true,
        View::Name(n) if store.name_info(n).class.is_public() => return true,
        View::Generic(g) => return generic_level(cx, fresh, g).level <= level,
        View::Var(_) => return false,
        _ => {}
    }
    let is_it = |t: TermId| t == term || (!store.is_ground(t) && subst.resolve(store, t) == term);
    if cx
        .elements
        .iter()
        .any(|e| e.alive_at(level) && is_it(e.term))
    {
        return true;
    }
    let args = match composition(store, term) {
        Composition::From(args) => args,
        Composition::FromIfSpy(args) if args.iter().any(|a| store.is_spy(*a)) => args,
        Composition::FromEither(ways) => {
            let has = |t: &TermId| is_rigid(cx, subst, fresh, *t, level);
            return ways.iter().any(|args| args.iter().all(has));
        }
        Composition::FromIfSpy(_) | Composition::Constant | Composition::Never => return false,
    };
    let has = |t: TermId| is_rigid(cx, subst, fresh, t, level);
    args.iter().all(|a| has(*a)) || member_of(store, term).is_some_and(has)
}

/// The recipe under a substitution with fresh generics of its own.
pub(super) fn rigid(
    cx: &Context<'_>,
    subst: &Subst,
    fresh: &[GenericInfo],
    term: TermId,
    level: Level,
) -> Option<TermId> {
    let store = cx.store;
    if is_constant(store, term) {
        return Some(term);
    }
    match store.view(term) {
        View::Generic(g) => {
            return (generic_level(cx, fresh, g).level <= level).then_some(term);
        }
        View::Var(_) => return None,
        _ => {}
    }
    let found = cx.elements.iter().position(|e| {
        e.alive_at(level)
            && (e.term == term
                || (!store.is_ground(e.term) && subst.resolve(store, e.term) == term))
    });
    if let Some(i) = found {
        return Some(store.basis_index(i as u32));
    }
    let all = |args: &[TermId]| {
        let parts = args.iter().map(|a| rigid(cx, subst, fresh, *a, level));
        parts.collect::<Option<Args>>()
    };
    let parts = match composition(store, term) {
        Composition::From(args) => all(args),
        Composition::FromIfSpy(args) if args.iter().any(|a| store.is_spy(*a)) => all(args),
        Composition::FromEither(ways) => ways.iter().find_map(|args| all(args)),
        Composition::FromIfSpy(_) | Composition::Constant | Composition::Never => return None,
    };
    if let Some(parts) = parts {
        return Some(rebuild(store, term, &parts));
    }
    let member = member_of(store, term)?;
    Some(store.pub_part(rigid(cx, subst, fresh, member, level)?))
}

/// The term's recipe from the recipes of its composition's parts.
pub(super) fn rebuild(store: &TermStore, term: TermId, parts: &Args) -> TermId {
    let node = store.node(term);
    if let View::Pub(k) = node.view()
        && let View::Family(f, args) = store.view(k)
        && composition(store, term) == Composition::From(args)
    {
        return store.pub_part(store.family(f, parts));
    }
    store.make(node.op, parts.clone())
}
