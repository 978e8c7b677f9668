//! Renaming of public names [Sem 5.3].
//!
//! The environment has every public name. Only two kinds are special: spies, whose keys it has too,
//! and names that the rules of destructors mention. Permute the others everywhere: in both sides,
//! the basis, Lambda and the names of channels. The permutation maps runs to runs and tests to
//! tests, so a node refutes if and only if its image does. Thus sessions that differ only in their
//! channel or their agents are interchangeable.
//!
//! A node is renamed when its canonical form is found ([`super::canonical`]). For this the
//! templates have the names as parameters ([`super::template`]).

use super::node::Node;
use super::setup::Setup;
use super::template::Templates;
use crate::attacker::solver::Lambda;
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// The public names of two systems and of the initial knowledge, spies left out.
pub(super) fn of(store: &TermStore, templates: &Templates, knows: &[TermId]) -> Vec<TermId> {
    let mut found = Vec::new();
    for t in templates.terms().chain(knows.iter().copied()) {
        store.visit(t, &mut |s| {
            if is_public(store, s) && !found.contains(&s) {
                found.push(s);
            }
            true
        });
    }
    found.sort_by(|a, b| store.compare(*a, *b));
    found
}

/// Whether a term is a public name that may be renamed.
pub(super) fn is_public(store: &TermStore, t: TermId) -> bool {
    matches!(store.view(t), View::Name(n) if store.name_info(n).class == NameClass::Public)
        && !store.is_in_rules(t)
}

/// A term with two public names exchanged.
pub(super) fn swapped(store: &TermStore, t: TermId, (a, b): (TermId, TermId)) -> TermId {
    store.map_atoms(t, &mut |atom| match atom {
        x if x == a => Some(b),
        x if x == b => Some(a),
        _ => None,
    })
}

/// Renames the given names of a node, all that occur in it, to the first of the systems' names.
pub(super) fn rename(setup: &Setup<'_>, node: &mut Node, names: &[TermId]) {
    let store = setup.store;
    debug_assert!(
        names.iter().all(|n| setup.public_names.contains(n)),
        "every public name comes from the systems or the initial knowledge"
    );
    if names.iter().zip(&setup.public_names).all(|(a, b)| a == b) {
        return;
    }
    let new: FxHashMap<TermId, TermId> = names
        .iter()
        .copied()
        .zip(setup.public_names.iter().copied())
        .collect();
    let rename = |t: TermId| store.map_atoms(t, &mut |atom| new.get(&atom).copied());
    for config in &mut node.configs {
        for t in &mut config.terms {
            *t = rename(*t);
        }
        for v in config.threads.iter_mut().flat_map(|t| &mut t.values) {
            *v = rename(*v);
        }
    }
    let entries = node.lambda.entries().iter();
    let entries = entries.map(|e| std::sync::Arc::new(e.map(|g| g, rename, |l| l)));
    node.lambda = Lambda::from_entries(entries.collect());
    if let Some(trail) = &mut node.trail {
        trail.rename(&new);
    }
}
