//! The names of atoms in the states and labels of a graph: different things have different names.
//!
//! A restricted name keeps its name of the model if nothing else has it; copies have a number
//! (`k'1`). Variables of processes are `x1`, `x2`, .., variables quantified by an entry of Lambda
//! are `_1`, `_2`, .. If that is the name of something else, underscores are appended.

use super::graph::Graph;
use crate::engine::joint::private_form::visit_names;
use crate::term::{NameInfo, TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};

/// The names of a graph.
#[derive(Debug)]
pub(super) struct Names {
    restricted: FxHashMap<TermId, String>,
    /// Variables are called this and a number.
    variable: String,
    /// Universals are called this and a number.
    universal: String,
}

impl Names {
    /// For the states and labels of a graph.
    pub(super) fn new(store: &TermStore, graph: &Graph) -> Self {
        let mut used: FxHashSet<String> = store.declared_labels().map(str::to_owned).collect();
        let names = restricted(store, graph);
        let alone = |info: &NameInfo| {
            !used.contains(&*info.label)
                && names.iter().filter(|(_, i)| i.label == info.label).count() == 1
        };
        let (single, copies): (Vec<_>, Vec<_>) = names.iter().partition(|(_, info)| alone(info));
        let mut called = FxHashMap::default();
        for (name, info) in single {
            used.insert(info.label.to_string());
            called.insert(name, info.label.to_string());
        }
        for (name, info) in copies {
            let mut text = format!("{}'{}", info.label, info.copy);
            while !used.insert(text.clone()) {
                text.push('_');
            }
            called.insert(name, text);
        }
        let letter = |start: &str| {
            let numbered = |text: &String, letter: &str| {
                text.strip_prefix(letter)
                    .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit()))
            };
            let mut letter = start.to_owned();
            while used.iter().any(|text| numbered(text, &letter)) {
                letter.push('_');
            }
            letter
        };
        Self {
            variable: letter("x"),
            universal: letter("_"),
            restricted: called,
        }
    }

    /// A term of a process, or a recipe.
    pub(super) fn term(&self, store: &TermStore, t: TermId) -> String {
        self.with(store, t, |v| format!("{}{}", self.variable, v + 1))
    }

    /// A recipe of an entry of Lambda.
    pub(super) fn universal(&self, store: &TermStore, t: TermId) -> String {
        self.with(store, t, |v| format!("{}{}", self.universal, v + 1))
    }

    fn with(&self, store: &TermStore, t: TermId, variable: impl Fn(u32) -> String) -> String {
        store.show_with(t, &|atom: TermId| match store.view(atom) {
            View::Var(v) => Some(variable(v)),
            _ => self.restricted.get(&atom).cloned(),
        })
    }
}

/// The restricted names of a graph, in the order of their labels. Threads carry all names of their
/// future, so the initial state has them all.
fn restricted<'a>(store: &'a TermStore, graph: &Graph) -> Vec<(TermId, &'a NameInfo)> {
    let mut names: FxHashMap<TermId, &NameInfo> = FxHashMap::default();
    let roots = graph.vertices.first().map(|v| &v.node.configs[0].threads);
    for t in roots.into_iter().flatten().flat_map(|t| &t.values) {
        visit_names(store, *t, &mut |name| {
            if let View::Name(n) = store.view(name) {
                names.insert(name, store.name_info(n));
            }
        });
    }
    let mut names: Vec<_> = names.into_iter().collect();
    names.sort_by_key(|(_, info)| *info);
    names
}
