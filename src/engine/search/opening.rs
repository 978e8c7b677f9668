//! Opening what opens only for some values of the generics, when a question needs it [Sem 4.2].
//!
//! What opens whatever the generics stand for is the business of [`super::learn`].

use super::Setup;
use super::learn::opens_from;
use super::state::State;
use crate::attacker::knowledge::{Element, Level, Opening, is_constant, openings, parts};
use crate::attacker::solver::{Question, TooLarge, conceivable, solve, solve_supposing};
use crate::term::{Subst, TermId, View};

/// So many ciphertexts are tried without asking first which of them can help.
const FEW: usize = 3;

/// The narrowings under which an unopened ciphertext that may help with the question opens, each with the narrowed
/// state, which has it opened.
pub(super) fn conditional_openings(
    setup: &Setup<'_>,
    state: &State,
    question: &Question,
) -> Result<Vec<(State, Subst)>, TooLarge> {
    let store = setup.store;
    let mut found = Vec::new();
    // A ground key too may depend on the generics: by being equal to an element with generics.
    let ground = state.elements.iter().all(|e| store.is_ground(e.term));
    let mut candidates: Vec<usize> = (0..state.elements.len())
        .filter(|i| may_open(setup, state, state.elements[*i].term, ground))
        .collect();
    if setup.options.pruning
        && candidates.len() > FEW
        && let Some(helpful) = helpful(setup, state, question)
    {
        candidates.retain(|i| helpful.contains(i));
    }
    for e in candidates.into_iter().map(|i| &state.elements[i]) {
        for opening in openings(store, e.term) {
            if !may_help(setup, state, &opening, ground) {
                continue;
            }
            // Opened whatever the generics stand for from this level on; it may be opened earlier for some of them.
            let open_from = opens_from(setup, state, &opening, e.born)?;
            let in_time = |l: &Level| *l >= e.born && open_from.is_none_or(|o| *l < o);
            for level in levels(state).into_iter().filter(in_time) {
                let question = opened_at(&opening, level);
                for s in solve(&state.context(setup), &question)? {
                    if s.is_identity() {
                        continue;
                    }
                    if let Some(next) = state.narrow(setup, &s)? {
                        found.push((next, s.on_terms(store)));
                    }
                }
            }
        }
    }
    Ok(found)
}

/// The levels at which something may have to be made: those of the generics, and now.
fn levels(state: &State) -> Vec<Level> {
    let mut levels: Vec<Level> = (0..state.generics.len())
        .map(|g| state.generics.info(g).level)
        .chain([state.level])
        .collect();
    levels.sort_unstable();
    levels.dedup();
    levels
}

/// Whether the term opens for some values of the generics and has contents worth having, as far as a quick look tells.
fn may_open(setup: &Setup<'_>, state: &State, term: TermId, ground: bool) -> bool {
    let all = openings(setup.store, term);
    all.iter().any(|o| may_help(setup, state, o, ground))
}

fn may_help(setup: &Setup<'_>, state: &State, opening: &Opening, ground: bool) -> bool {
    let store = setup.store;
    if opening.is_test(store) || (ground && !opening.has_generic(store)) {
        return false;
    }
    if !setup.options.pruning {
        return true;
    }
    let idle = is_constant(store, opening.content)
        || matches!(store.view(opening.content), View::Generic(_));
    let cx = state.context(setup);
    let mut sides = opening.sides.iter();
    !idle && sides.all(|t| conceivable(&cx, *t, state.level))
}

/// The question whether something can be opened at a level.
fn opened_at(opening: &Opening, level: Level) -> Question {
    Question {
        equations: opening.equations.to_vec(),
        goals: opening.sides.iter().map(|t| (*t, level)).collect(),
    }
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
/// whose contents are used by an answer, were all contents known. `None` if there are contents of which nothing is known yet.
fn helpful(setup: &Setup<'_>, state: &State, question: &Question) -> Option<Vec<usize>> {
    let mut inside = Vec::new();
    for (i, e) in state.elements.iter().enumerate() {
        contents(setup, i, e.term, e.born, &mut Vec::new(), &mut inside)?;
    }
    if inside.is_empty() {
        return Some(Vec::new());
    }
    let supposed: Vec<Element> = inside.iter().map(|c| c.element).collect();
    let cx = state.context(setup);
    let mut roots = Vec::new();
    let mut asked: Vec<TermId> = Vec::new();
    let levels = levels(state);
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
            for opening in openings(setup.store, *sealed) {
                if opening.is_test(setup.store) {
                    continue;
                }
                // A key that is there by now may have to be got out of another ciphertext for an earlier level.
                for level in &levels {
                    let question = opened_at(&opening, *level);
                    work.extend(solve_supposing(&cx, &question, &supposed));
                }
            }
        }
    }
    roots.sort_unstable();
    Some(roots)
}

/// Everything that comes out of a term; `None` if that depends on what its generics stand for.
fn contents(
    setup: &Setup<'_>,
    root: usize,
    term: TermId,
    born: Level,
    around: &mut Vec<TermId>,
    found: &mut Vec<Inside>,
) -> Option<()> {
    let store = setup.store;
    if let Some(parts) = parts(store, term) {
        for part in parts {
            contents(setup, root, part, born, around, found)?;
        }
        return Some(());
    }
    if is_constant(store, term) || matches!(store.view(term), View::Generic(_)) {
        return Some(());
    }
    if !around.is_empty() {
        found.push(Inside {
            root,
            element: Element::new(term, born),
            around: around.clone(),
        });
    }
    for opening in openings(store, term) {
        if opening.is_test(store) {
            continue;
        }
        if store.facts(opening.content).has_var {
            return None;
        }
        around.push(term);
        contents(setup, root, opening.content, born, around, found)?;
        around.pop();
    }
    Some(())
}
