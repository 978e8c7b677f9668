//! Learning: how outputs and narrowings change the attacker's elements.
//!
//! The elements are kept saturated with respect to what holds whatever the generics stand for: tuples are taken
//! apart, ciphertexts with a derivable key are opened *at the earliest level at which the key was derivable*, and what
//! can be composed is dropped or given a death level [Sem 1.4, 1.5]. What depends on generics is left closed;
//! [`super::opening`] opens it when a question needs it [Sem 4.2].

use super::Setup;
use super::state::State;
use crate::attacker::knowledge::{
    Composition, Death, Element, Level, Opening, composition, is_constant, openings, parts,
};
use crate::attacker::solver::{Question, Solution, TooLarge, is_derivable, solve};
use crate::term::{TermId, View};
use rustc_hash::FxHashMap;
use std::convert::Infallible;

/// The attacker learns a message; the level grows if that tells it something.
pub(super) fn learn(setup: &Setup<'_>, state: &mut State, message: TermId) -> Result<(), TooLarge> {
    let before = state.elements.len();
    let level = state.level + 1;
    learn_at(setup, state, message, level);
    if state.elements.len() > before {
        state.level = level;
        saturate_from(setup, state, before)?;
    }
    Ok(())
}

/// Adds a term known from a level on, taken apart as far as no key is needed.
pub(super) fn learn_at(setup: &Setup<'_>, state: &mut State, term: TermId, born: Level) {
    let store = setup.store;
    if let Some(parts) = parts(store, term) {
        for part in parts {
            learn_at(setup, state, part, born);
        }
        return;
    }
    if is_constant(store, term) || matches!(store.view(term), View::Generic(_)) {
        return;
    }
    if !is_derivable(&state.context(setup), term, born) {
        state.elements.push(Element::new(term, born));
    }
}

/// Opens and composes to the fixpoint, after a narrowing: everything may have changed.
pub(super) fn saturate(setup: &Setup<'_>, state: &mut State) -> Result<(), TooLarge> {
    merge_equal(state);
    for e in &mut state.elements {
        // Its key may now be derivable at an earlier level, and so may its parts.
        e.opened = false;
        e.dead = None;
    }
    let mut late = saturate_from(setup, state, 0)?;
    // One opening may make the key of another derivable at an earlier level: again, until no level goes down. Each round
    // lowers at least one birth.
    let rounds = (state.elements.len() + 1) * (state.level as usize + 1);
    for _ in 0..rounds {
        // Only what was opened later than it was born can be moved. Its key may have come earlier since.
        if !late || setup.is_halted() {
            break;
        }
        let before: Vec<(TermId, Level)> =
            state.elements.iter().map(|e| (e.term, e.born)).collect();
        for e in &mut state.elements {
            e.opened = false;
            e.dead = None;
        }
        late = saturate_from(setup, state, 0)?;
        if before.len() == state.elements.len()
            && before
                .iter()
                .zip(&state.elements)
                .all(|(b, e)| b.0 == e.term && b.1 == e.born)
        {
            break;
        }
    }
    Ok(())
}

/// Opens and composes to the fixpoint, after elements were added at the end: from the `first` on they are new. Tells whether
/// something was opened later than it was born.
///
/// What can be made contains what it is made of; a joint key contains the shares of both of its exponents. So an older element is looked at only if what it needs contains a new one.
fn saturate_from(setup: &Setup<'_>, state: &mut State, mut first: usize) -> Result<bool, TooLarge> {
    let (mut repeated, mut late) = (false, false);
    loop {
        let mut changed = false;
        for i in 0..state.elements.len() {
            if setup.is_halted() {
                return Ok(false);
            }
            if let Some(level) = open(setup, state, i, first)? {
                changed = true;
                late |= level > state.elements[i].born;
            }
        }
        if !changed {
            break;
        }
        repeated = true;
    }
    if repeated && merge_equal(state) {
        // An older one lives longer now.
        first = 0;
    }
    for i in 0..state.elements.len() {
        if setup.is_halted() {
            return Ok(false);
        }
        if is_news(setup, state, i, state.elements[i].term, first) {
            bury(setup, state, i);
        }
    }
    // Never alive: born composable.
    state
        .elements
        .retain(|e| e.dead.is_none_or(|d| e.born < d.level));
    Ok(late)
}

/// Whether the elements from the `first` on may change what is known about a term that an element needs.
fn is_news(setup: &Setup<'_>, state: &State, i: usize, needed: TermId, first: usize) -> bool {
    let mut new = state.elements[first..].iter();
    i >= first || new.any(|n| contains(setup, needed, n.term))
}

/// Whether a term occurs in another.
fn contains(setup: &Setup<'_>, term: TermId, part: TermId) -> bool {
    let store = setup.store;
    let size = store.facts(part).size;
    let mut found = false;
    store.visit(term, &mut |t| {
        let other = match store.view(t) {
            View::Joint(..) => store.other_way(t),
            _ => None,
        };
        found |= t == part || other.is_some_and(|way| way[0] == part);
        !found && store.facts(t).size > size
    });
    found
}

/// Elements that a narrowing has made equal are one element with the longer life; whether there are some.
fn merge_equal(state: &mut State) -> bool {
    let before = state.elements.len();
    let mut place: FxHashMap<TermId, usize> = FxHashMap::default();
    let mut kept: Vec<Element> = Vec::with_capacity(state.elements.len());
    for e in state.elements.drain(..) {
        let at = *place.entry(e.term).or_insert(kept.len());
        if let Some(f) = kept.get_mut(at) {
            f.born = f.born.min(e.born);
            f.opened |= e.opened;
            f.dead = None;
        } else {
            kept.push(e);
        }
    }
    state.elements = kept;
    state.elements.len() < before
}

/// Opens an element in a way for which all that is needed is derivable whatever the generics stand for, if that tells something; at which
/// level that was.
fn open(
    setup: &Setup<'_>,
    state: &mut State,
    i: usize,
    first: usize,
) -> Result<Option<Level>, TooLarge> {
    let e = state.elements[i];
    for opening in openings(setup.store, e.term) {
        let by_key = opening.rule.is_none();
        let idle = (by_key && e.opened) || opening.is_test(setup.store);
        if idle || !may_be_new(setup, state, i, &opening, first) {
            continue;
        }
        let Some(level) = opens_from(setup, state, &opening, e.born)? else {
            continue;
        };
        if by_key {
            state.elements[i].opened = true;
        } else if has(setup, state, opening.content, level) {
            continue;
        }
        learn_at(setup, state, opening.content, level);
        return Ok(Some(level));
    }
    Ok(None)
}

/// Whether elements from the `first` on may change that an element opens.
fn may_be_new(setup: &Setup<'_>, state: &State, i: usize, opening: &Opening, first: usize) -> bool {
    let mut sides = opening.sides.iter();
    i >= first
        || !opening.is_determined(setup.store)
        || sides.any(|t| is_news(setup, state, i, *t, first))
}

/// The first level from `from` on at which an element opens whatever the generics stand for.
pub(super) fn opens_from(
    setup: &Setup<'_>,
    state: &State,
    opening: &Opening,
    from: Level,
) -> Result<Option<Level>, TooLarge> {
    if !opening.equations.is_empty() {
        return Ok(None);
    }
    if opening.is_determined(setup.store) {
        let mut sides = opening.sides.iter();
        return Ok(sides.try_fold(from, |level, t| first_level(setup, state, *t, level)));
    }
    let cx = state.context(setup);
    earliest(from, state.level, |level| {
        let question = Question {
            equations: Vec::new(),
            goals: opening.sides.iter().map(|t| (*t, level)).collect(),
        };
        Ok(solve(&cx, &question)?.iter().any(Solution::is_identity))
    })
}

/// Whether all that comes with a term is derivable at a level whatever the generics stand for.
fn has(setup: &Setup<'_>, state: &State, term: TermId, level: Level) -> bool {
    match parts(setup.store, term) {
        Some(parts) => parts.iter().all(|t| has(setup, state, *t, level)),
        None => is_derivable(&state.context(setup), term, level),
    }
}

/// The first level from `from` on at which the term is derivable whatever the generics stand for.
pub(super) fn first_level(
    setup: &Setup<'_>,
    state: &State,
    term: TermId,
    from: Level,
) -> Option<Level> {
    let cx = state.context(setup);
    let derivable = |level| Ok::<_, Infallible>(is_derivable(&cx, term, level));
    let Ok(level) = earliest(from, state.level, derivable);
    level
}

/// The first level from `from` on at which something is so that is so at all later ones as well, if it is so now.
fn earliest<E>(
    from: Level,
    now: Level,
    is_so: impl Fn(Level) -> Result<bool, E>,
) -> Result<Option<Level>, E> {
    if !is_so(now)? {
        return Ok(None);
    }
    let (mut below, mut at) = (from, now.max(from));
    while below < at {
        let middle = below + (at - below) / 2;
        if is_so(middle)? {
            at = middle;
        } else {
            below = middle + 1;
        }
    }
    Ok(Some(at))
}

/// Notes from when on an element can be composed.
fn bury(setup: &Setup<'_>, state: &mut State, i: usize) {
    let e = state.elements[i];
    if e.dead.is_some() {
        return;
    }
    let all = |args: &[TermId]| {
        let mut args = args.iter();
        args.try_fold(e.born, |level, a| first_level(setup, state, *a, level))
    };
    let level = match composition(setup.store, e.term) {
        Composition::From(args) => all(args),
        Composition::FromIfSpy(args) if args.iter().any(|a| setup.store.is_spy(*a)) => all(args),
        Composition::FromEither(ways) => ways.iter().filter_map(|args| all(args)).min(),
        Composition::FromIfSpy(_) | Composition::Constant | Composition::Never => None,
    };
    let Some(level) = level else {
        return;
    };
    state.elements[i].dead = Some(Death {
        level,
        recipe: e.term,
    });
}
