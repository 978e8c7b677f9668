//! Stripping: what the future of a node does not depend on [Sem 5.3].
//!
//! - A generic that occurs in no thread and in no term of the basis is dropped, with the entries of
//!   Lambda that mention it: a fresh name satisfies them, because entries are in solved form.
//! - A dead element is dropped if no message still open could have used it: no generic and no
//!   universal of Lambda has a level at which it was alive.
//! - Levels are renumbered by the sets of elements alive at them, in order.
//!
//! Each can be switched off.

use super::node::Node;
use super::setup::Setup;
use crate::attacker::knowledge::Level;
use crate::attacker::solver::{Context, Entry, GenericInfo, Generics, Lambda};
use crate::term::{TermId, TermStore, View};

/// Strips a node of what its future does not depend on.
pub(crate) fn strip(setup: &Setup<'_>, node: &mut Node) {
    let reductions = &setup.options.reductions;
    rewrite_lambda(setup, node);
    if reductions.drop_generics || reductions.drop_elements {
        drop_unused(setup, node);
    }
    if reductions.renumber_levels {
        renumber(node);
    }
}

/// Writes today's recipes for elements that are composable now into Lambda.
pub(crate) fn rewrite_lambda(setup: &Setup<'_>, node: &mut Node) {
    if node.lambda.is_empty() || node.lives.iter().all(|l| l.dead.is_none()) {
        return;
    }
    let config = &node.configs[0];
    let elements = config.elements(setup.store, &node.lives);
    let cx = Context {
        store: setup.store,
        generics: &node.generics,
        elements: &elements,
        spies: setup.spies,
        typing: None,
    };
    node.lambda = node.lambda.rewritten(&cx, node.level);
}

/// The generics and indices that are still used.
struct Used {
    generics: Vec<bool>,
    elements: Vec<bool>,
}

impl Used {
    fn mark(&mut self, setup: &Setup<'_>, t: TermId) {
        let store = setup.store;
        store.visit(t, &mut |s| {
            if let View::Generic(g) = store.view(s) {
                self.generics[g as usize] = true;
            }
            store.facts(s).has_generic
        });
    }

    fn new(setup: &Setup<'_>, node: &Node) -> Self {
        let reductions = &setup.options.reductions;
        let mut used = Self {
            generics: vec![!reductions.drop_generics; node.generics.len() as usize],
            elements: vec![!reductions.drop_elements; node.lives.len()],
        };
        for config in &node.configs {
            for v in config.threads.iter().flat_map(|t| &t.values) {
                if setup.store.facts(*v).has_generic {
                    used.mark(setup, *v);
                }
            }
        }
        for (i, life) in node.lives.iter().enumerate() {
            used.elements[i] |= life.dead.is_none();
        }
        // An element keeps its generics, a generic keeps the dead elements of its level.
        let mut seen = vec![false; node.lives.len()];
        while let Some(i) = (0..seen.len())
            .find(|i| used.elements[*i] && !seen[*i])
            .or_else(|| used.revived(setup, node))
        {
            seen[i] = true;
            used.elements[i] = true;
            for config in &node.configs {
                if setup.store.facts(config.terms[i]).has_generic {
                    used.mark(setup, config.terms[i]);
                }
            }
        }
        used
    }

    /// A dead element not yet kept that a generic, a universal or a recipe of Lambda needs.
    fn revived(&self, setup: &Setup<'_>, node: &Node) -> Option<usize> {
        let store = setup.store;
        let needed = |i: usize| {
            let life = &node.lives[i];
            let alive = |level: Level| life.born <= level && life.dead.is_none_or(|d| level < d);
            let by_generic = (0..node.generics.len())
                .any(|g| self.generics[g as usize] && alive(node.generics.info(g).level));
            by_generic
                || node.lambda.entries().iter().any(|e| {
                    self.keeps(setup, e)
                        && (e.universals.iter().any(|l| alive(*l))
                            || e.bindings
                                .iter()
                                .any(|(_, r)| occurs(store, store.basis_index(i as u32), *r)))
                })
        };
        (0..node.lives.len()).find(|i| !self.elements[*i] && needed(*i))
    }

    /// Whether an entry of Lambda is kept.
    fn keeps(&self, setup: &Setup<'_>, entry: &Entry) -> bool {
        !entry.mentions(setup.store, &mut |g| !self.generics[g as usize])
    }
}

fn occurs(store: &TermStore, atom: TermId, t: TermId) -> bool {
    let mut found = false;
    store.visit(t, &mut |s| {
        found |= s == atom;
        !found
    });
    found
}

fn drop_unused(setup: &Setup<'_>, node: &mut Node) {
    let used = Used::new(setup, node);
    let kept = |flags: &[bool]| -> Vec<u32> {
        (0..flags.len() as u32)
            .filter(|i| flags[*i as usize])
            .collect()
    };
    let entries = node.lambda.entries().iter();
    let entries = entries.filter(|e| used.keeps(setup, e)).cloned().collect();
    node.lambda = Lambda::from_entries(entries);
    let (generics, elements) = (kept(&used.generics), kept(&used.elements));
    if generics.len() == used.generics.len() && elements.len() == used.elements.len() {
        return;
    }
    permute(setup, node, &generics, &elements);
}

/// Keeps the given generics and indices, in the given order, and renames them accordingly. What is
/// left out must not occur anywhere else.
pub(crate) fn permute(setup: &Setup<'_>, node: &mut Node, generics: &[u32], elements: &[u32]) {
    let store = setup.store;
    let place = |order: &[u32], len: usize| {
        let mut places = vec![u32::MAX; len];
        for (to, from) in order.iter().enumerate() {
            places[*from as usize] = to as u32;
        }
        places
    };
    let new_generic = place(generics, node.generics.len() as usize);
    let new_element = place(elements, node.lives.len());
    let same = |order: &[u32], len: usize| {
        order.len() == len && order.iter().enumerate().all(|(i, o)| i as u32 == *o)
    };
    let rename_generics = !same(generics, node.generics.len() as usize);
    if !rename_generics && same(elements, node.lives.len()) {
        return;
    }
    let rename = |t: TermId| {
        if !rename_generics || !store.facts(t).has_generic {
            return t;
        }
        store.map_atoms(t, &mut |atom| match store.view(atom) {
            View::Generic(g) => Some(store.generic(new_generic[g as usize])),
            _ => None,
        })
    };
    for config in &mut node.configs {
        config.terms = elements
            .iter()
            .map(|i| rename(config.terms[*i as usize]))
            .collect();
        for v in config.threads.iter_mut().flat_map(|t| &mut t.values) {
            *v = rename(*v);
        }
    }
    let mut kept = Generics::new();
    for g in generics {
        kept.push(node.generics.info(*g));
    }
    node.generics = kept;
    let entries = node.lambda.entries().iter().map(|e| {
        let entry = e.map(
            |g| new_generic[g as usize],
            |r| {
                store.map_atoms(r, &mut |atom| match store.view(atom) {
                    View::Generic(g) => Some(store.generic(new_generic[g as usize])),
                    View::Index(i) => Some(store.basis_index(new_element[i as usize])),
                    _ => None,
                })
            },
            |l| l,
        );
        std::sync::Arc::new(entry.tidied(store, &node.generics))
    });
    node.lambda = Lambda::from_entries(entries.collect());
    node.lives = elements.iter().map(|i| node.lives[*i as usize]).collect();
    if let Some(trail) = &mut node.trail {
        trail.choices = generics
            .iter()
            .map(|g| trail.choices[*g as usize])
            .collect();
        trail.defs = elements
            .iter()
            .map(|i| trail.defs[*i as usize].clone())
            .collect();
    }
}

/// Renumbers levels: only those of generics, universals and the present count, and neighbours at
/// which the same elements are alive are one.
fn renumber(node: &mut Node) {
    let mut used: Vec<Level> = vec![node.level];
    used.extend((0..node.generics.len()).map(|g| node.generics.info(g).level));
    for entry in node.lambda.entries() {
        used.extend(&entry.universals);
    }
    used.sort_unstable();
    used.dedup();
    let alive = |level: Level| -> Vec<bool> {
        node.lives
            .iter()
            .map(|l| l.born <= level && l.dead.is_none_or(|d| level < d))
            .collect()
    };
    let mut ranks: Vec<(Level, Level)> = Vec::with_capacity(used.len());
    let mut last: Option<Vec<bool>> = None;
    let mut rank = 0;
    for level in used {
        let now = alive(level);
        if last.as_ref().is_some_and(|l| *l != now) {
            rank += 1;
        }
        ranks.push((level, rank));
        last = Some(now);
    }
    // The first counted level that is not before the given one.
    let rank_of = |level: Level| {
        ranks
            .iter()
            .find(|(l, _)| *l >= level)
            .map_or(rank + 1, |(_, r)| *r)
    };
    for life in &mut node.lives {
        life.born = rank_of(life.born);
        life.dead = life.dead.map(rank_of);
    }
    let mut generics = Generics::new();
    for g in 0..node.generics.len() {
        let info = node.generics.info(g);
        generics.push(GenericInfo {
            level: rank_of(info.level),
            ..info
        });
    }
    node.generics = generics;
    let entries = node.lambda.entries().iter().map(|e| {
        if e.universals.is_empty() {
            e.clone()
        } else {
            std::sync::Arc::new(e.map(|g| g, |r| r, rank_of))
        }
    });
    node.lambda = Lambda::from_entries(entries.collect());
    node.level = rank_of(node.level);
}
