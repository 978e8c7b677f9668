//! Learning: how outputs and narrowings change the attacker's elements.
//!
//! The elements are kept saturated with respect to what holds whatever the generics stand for: tuples are taken
//! apart, ciphertexts with a derivable key are opened *at the earliest level at which the key was derivable*, and what
//! can be composed is dropped or given a death level [Sem 1.4, 1.5]. What depends on generics is left closed;
//! [`super::opening`] opens it when a question needs it [Sem 4.2].

use super::Setup;
use super::state::State;
use crate::knowledge::{
    Composition, Death, Element, Level, composition, is_constant, opening, parts,
};
use crate::symbolic::is_derivable;
use crate::term::{TermId, View};

/// The attacker learns a message; the level grows if that tells it something.
pub(super) fn learn(setup: &Setup<'_>, state: &mut State, message: TermId) {
    let before = state.elements.len();
    let level = state.level + 1;
    learn_at(setup, state, message, level);
    if state.elements.len() > before {
        state.level = level;
        saturate_from(setup, state);
    }
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
pub(super) fn saturate(setup: &Setup<'_>, state: &mut State) {
    merge_equal(state);
    for e in &mut state.elements {
        // Its key may now be derivable at an earlier level, and so may its parts.
        e.opened = false;
        e.dead = None;
    }
    let mut late = saturate_from(setup, state);
    // One opening may make the key of another derivable at an earlier level: again, until no level goes down. Each round
    // lowers at least one birth.
    let rounds = (state.elements.len() + 1) * (state.level as usize + 1);
    for _ in 0..rounds {
        // Only what was opened later than it was born can be moved. Its key may have come earlier since.
        if !late {
            return;
        }
        let before: Vec<(TermId, Level)> =
            state.elements.iter().map(|e| (e.term, e.born)).collect();
        for e in &mut state.elements {
            e.opened = false;
            e.dead = None;
        }
        late = saturate_from(setup, state);
        if before.len() == state.elements.len()
            && before
                .iter()
                .zip(&state.elements)
                .all(|(b, e)| b.0 == e.term && b.1 == e.born)
        {
            return;
        }
    }
}

/// Opens and composes to the fixpoint, after new elements were added. Tells whether something was opened later than it was
/// born.
fn saturate_from(setup: &Setup<'_>, state: &mut State) -> bool {
    let (mut repeated, mut late) = (false, false);
    loop {
        let mut changed = false;
        for i in 0..state.elements.len() {
            if let Some(level) = open(setup, state, i) {
                changed = true;
                late |= level > state.elements[i].born;
            }
        }
        if !changed {
            break;
        }
        repeated = true;
    }
    if repeated {
        merge_equal(state);
    }
    for i in 0..state.elements.len() {
        bury(setup, state, i);
    }
    // Never alive: born composable.
    state
        .elements
        .retain(|e| e.dead.is_none_or(|d| e.born < d.level));
    late
}

/// Elements that a narrowing has made equal are one element with the longer life.
fn merge_equal(state: &mut State) {
    let mut i = 0;
    while i < state.elements.len() {
        let e = state.elements[i];
        if let Some(j) = state.elements[..i].iter().position(|f| f.term == e.term) {
            let f = &mut state.elements[j];
            f.born = f.born.min(e.born);
            f.opened |= e.opened;
            f.dead = None;
            state.elements.remove(i);
        } else {
            i += 1;
        }
    }
}

/// Opens an element if its key is derivable whatever the generics stand for; at which level that was.
fn open(setup: &Setup<'_>, state: &mut State, i: usize) -> Option<Level> {
    let e = state.elements[i];
    if e.opened {
        return None;
    }
    let opening = opening(setup.store, e.term)?;
    let level = first_level(setup, state, opening.key?, e.born)?;
    state.elements[i].opened = true;
    learn_at(setup, state, opening.content, level);
    Some(level)
}

/// The first level from `from` on at which the term is derivable whatever the generics stand for.
pub(super) fn first_level(
    setup: &Setup<'_>,
    state: &State,
    term: TermId,
    from: Level,
) -> Option<Level> {
    let cx = state.context(setup);
    if !is_derivable(&cx, term, state.level) {
        return None;
    }
    (from..=state.level).find(|l| is_derivable(&cx, term, *l))
}

/// Notes from when on an element can be composed.
fn bury(setup: &Setup<'_>, state: &mut State, i: usize) {
    let e = state.elements[i];
    if e.dead.is_some() {
        return;
    }
    let args = match composition(setup.store, e.term) {
        Composition::From(args) => args,
        Composition::FromIfSpy(args) if args.iter().any(|a| setup.store.is_spy(*a)) => args,
        _ => return,
    };
    let mut level = e.born;
    for a in args {
        match first_level(setup, state, *a, level) {
            Some(l) => level = l,
            None => return,
        }
    }
    state.elements[i].dead = Some(Death {
        level,
        recipe: e.term,
    });
}
