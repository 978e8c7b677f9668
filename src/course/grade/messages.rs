//! Messages: their size, and which parts of them a pattern binds.

use super::Measure;
use crate::attacker::knowledge::openings;
use crate::term::{Subst, TermId, TermStore, View};

/// Whether a term has variables that are bound by matching it.
pub(super) fn binding(store: &TermStore, term: TermId, binds: &[u32]) -> bool {
    let mut found = false;
    store.visit(term, &mut |t| {
        found |= matches!(store.view(t), View::Var(v) if binds.contains(&v));
        !found
    });
    found
}

/// Gives the variables of a pattern the parts of what was made for it.
pub(super) fn learn(
    store: &TermStore,
    pattern: TermId,
    made: TermId,
    binds: &[u32],
    known: &mut Subst,
) {
    match (store.view(pattern), store.view(made)) {
        (View::Var(v), _)
            if binds.contains(&v) && known.get(pattern).is_none() && pattern != made =>
        {
            known.bind(pattern, made);
        }
        (View::Tuple(ps), View::Tuple(ms)) if ps.len() == ms.len() => {
            for (p, m) in ps.iter().zip(ms) {
                learn(store, *p, *m, binds, known);
            }
        }
        (View::Suc(p), View::Suc(m)) => learn(store, p, m, binds, known),
        (View::Function(f, ps), View::Function(g, ms)) if f == g => {
            for (p, m) in ps.iter().zip(ms) {
                learn(store, *p, *m, binds, known);
            }
        }
        _ if store.node(pattern).op == store.node(made).op => {
            // A ciphertext or signature shows its content, and so does what a destructor opens.
            let contents = |t: TermId| openings(store, t).into_iter().map(|o| o.content);
            for (p, m) in contents(pattern).zip(contents(made)) {
                learn(store, p, m, binds, known);
            }
        }
        _ => {}
    }
}

/// How much a message has; keys are not counted.
pub(super) fn size(store: &TermStore, term: TermId, of: Measure) -> usize {
    let sealed = usize::from(of == Measure::Encryptions);
    match store.view(term) {
        View::Function(_, args) => sealed + args.iter().map(|a| size(store, *a, of)).sum::<usize>(),
        View::Tuple(parts) => parts.iter().map(|p| size(store, *p, of)).sum(),
        View::Suc(inner) => size(store, inner, of),
        _ if store.node(term).op.is_sealed() => sealed + size(store, store.node(term).args[0], of),
        _ => usize::from(of == Measure::Parts),
    }
}
