//! Learning: how outputs and narrowings change the attacker's elements.
//!
//! The elements are kept saturated with respect to what holds whatever the generics stand for: tuples are taken
//! apart, ciphertexts with a derivable key are opened *at the earliest level at which the key was derivable*, and what
//! can be composed is dropped or given a death level [Sem 1.4, 1.5]. What depends on generics is left closed;
//! [`conditional_openings`] opens it when a question needs it [Sem 4.2].

use super::Setup;
use super::state::State;
use crate::knowledge::{
    Composition, Death, Element, Level, Opening, composition, is_constant, opening, parts,
};
use crate::symbolic::{Question, derive_rigid, solve, solve_supposing};
use crate::term::{Subst, TermId, View};

/// The pattern variable of a lock's form; no system has that many variables.
const LOCK: u32 = 1 << 29;

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
    if derive_rigid(&state.context(setup), term, born).is_none() {
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
    saturate_from(setup, state);
    // One opening may make the key of another derivable at an earlier level: again, until no level goes down. Each round
    // lowers at least one birth.
    let rounds = (state.elements.len() + 1) * (state.level as usize + 1);
    for _ in 0..rounds {
        // Only what was opened later than it was born can be moved.
        let movable = |e: &Element| {
            e.opened
                && opening(setup.store, e.term)
                    .and_then(|o| o.key)
                    .is_some_and(|k| first_level(setup, state, k, e.born) != Some(e.born))
        };
        if !state.elements.iter().any(movable) {
            return;
        }
        let before: Vec<(TermId, Level)> =
            state.elements.iter().map(|e| (e.term, e.born)).collect();
        for e in &mut state.elements {
            e.opened = false;
            e.dead = None;
        }
        saturate_from(setup, state);
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

/// Opens and composes to the fixpoint, after new elements were added.
fn saturate_from(setup: &Setup<'_>, state: &mut State) {
    let mut repeated = false;
    loop {
        let mut changed = false;
        for i in 0..state.elements.len() {
            changed |= open(setup, state, i);
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

/// Opens an element if its key is derivable whatever the generics stand for.
fn open(setup: &Setup<'_>, state: &mut State, i: usize) -> bool {
    let e = state.elements[i];
    if e.opened {
        return false;
    }
    let Some(opening) = opening(setup.store, e.term) else {
        return false;
    };
    let Some(key) = opening.key else { return false };
    let Some(level) = first_level(setup, state, key, e.born) else {
        return false;
    };
    state.elements[i].opened = true;
    learn_at(setup, state, opening.content, level);
    true
}

/// The first level from `from` on at which the term is derivable whatever the generics stand for.
fn first_level(setup: &Setup<'_>, state: &State, term: TermId, from: Level) -> Option<Level> {
    let cx = state.context(setup);
    derive_rigid(&cx, term, state.level)?;
    (from..=state.level).find(|l| derive_rigid(&cx, term, *l).is_some())
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
        match first_level(setup, state, a, level) {
            Some(l) => level = l,
            None => return,
        }
    }
    state.elements[i].dead = Some(Death {
        level,
        recipe: e.term,
    });
}

/// So many ciphertexts are tried without asking first which of them can help.
const FEW: usize = 3;

/// The narrowings under which an unopened ciphertext that may help with the question opens, each with the narrowed
/// state, which has it opened.
pub(super) fn conditional_openings(
    setup: &Setup<'_>,
    state: &State,
    question: &Question,
) -> Vec<(State, Subst)> {
    let store = setup.store;
    let mut found = Vec::new();
    // A ground key too may depend on the generics: by being equal to an element with generics.
    let ground = state.elements.iter().all(|e| store.is_ground(e.term));
    let mut candidates: Vec<usize> = (0..state.elements.len())
        .filter(|i| opening(store, state.elements[*i].term).is_some())
        .collect();
    if candidates.len() > FEW {
        candidates = helpful(setup, state, question);
    }
    for e in candidates.into_iter().map(|i| &state.elements[i]) {
        let Some(opening) = opening(store, e.term) else {
            continue;
        };
        // What comes out must be worth having.
        let idle = is_constant(store, opening.content)
            || matches!(store.view(opening.content), View::Generic(_));
        if idle || (ground && store.is_ground(opening.lock)) {
            continue;
        }
        // Opened whatever the generics stand for from this level on; it may be opened earlier for some of them.
        let open_from = opening
            .key
            .and_then(|k| first_level(setup, state, k, e.born));
        let mut levels: Vec<Level> = (0..state.generics.len())
            .map(|g| state.generics.info(g).level)
            .chain([state.level])
            .filter(|l| *l >= e.born && open_from.is_none_or(|o| *l < o))
            .collect();
        levels.sort_unstable();
        levels.dedup();
        for level in levels {
            let question = key_question(setup, e.term, &opening, level);
            for s in solve(&state.context(setup), &question) {
                if s.is_identity() {
                    continue;
                }
                if let Some(next) = state.narrow(setup, &s) {
                    found.push((next, s.on_terms(store)));
                }
            }
        }
    }
    found
}

/// The question whether a ciphertext can be opened at a level.
fn key_question(setup: &Setup<'_>, sealed: TermId, opening: &Opening, level: Level) -> Question {
    let store = setup.store;
    let mut question = Question::default();
    if let Some(key) = opening.key {
        question.goals.push((key, level));
    } else {
        // The lock is a generic X of the attacker's: X = pub(z) (or priv(z)) for some z.
        let z = store.var(LOCK);
        let (lock, key) = match store.view(sealed) {
            View::Aenc(..) => (store.pub_part(z), store.priv_part(z)),
            _ => (store.priv_part(z), store.pub_part(z)),
        };
        question.equations.push((opening.lock, lock));
        question.goals.push((key, level));
    }
    question
}

/// Something inside a ciphertext, however deep.
struct Inside {
    /// The element it is in.
    root: usize,
    element: Element,
    /// The ciphertexts around it, outermost first.
    around: Vec<TermId>,
}

/// The elements whose opening may help to answer the question, directly or by giving a key for another that does: those
/// whose contents are used by an answer, were the contents of all ciphertexts known.
fn helpful(setup: &Setup<'_>, state: &State, question: &Question) -> Vec<usize> {
    let mut inside = Vec::new();
    for (i, e) in state.elements.iter().enumerate() {
        contents(setup, i, e.term, e.born, &mut Vec::new(), &mut inside);
    }
    if inside.is_empty() {
        return Vec::new();
    }
    let supposed: Vec<Element> = inside.iter().map(|c| c.element).collect();
    let cx = state.context(setup);
    let mut roots = Vec::new();
    let mut asked: Vec<TermId> = Vec::new();
    let mut work = solve_supposing(&cx, question, &supposed);
    while let Some(i) = work.pop() {
        if !roots.contains(&inside[i].root) {
            roots.push(inside[i].root);
        }
        for sealed in &inside[i].around {
            if asked.contains(sealed) {
                continue;
            }
            asked.push(*sealed);
            if let Some(opening) = opening(setup.store, *sealed) {
                let question = key_question(setup, *sealed, &opening, state.level);
                work.extend(solve_supposing(&cx, &question, &supposed));
            }
        }
    }
    roots.sort_unstable();
    roots
}

/// Everything inside the ciphertexts of a term.
fn contents(
    setup: &Setup<'_>,
    root: usize,
    term: TermId,
    born: Level,
    around: &mut Vec<TermId>,
    found: &mut Vec<Inside>,
) {
    let store = setup.store;
    if let Some(parts) = parts(store, term) {
        for part in parts {
            contents(setup, root, part, born, around, found);
        }
        return;
    }
    if is_constant(store, term) || matches!(store.view(term), View::Generic(_)) {
        return;
    }
    if !around.is_empty() {
        found.push(Inside {
            root,
            element: Element::new(term, born),
            around: around.clone(),
        });
    }
    if let Some(opening) = opening(store, term) {
        around.push(term);
        contents(setup, root, opening.content, born, around, found);
        around.pop();
    }
}
