//! Lambda: what the attacker's messages are known not to be [Sem 2.3].
//!
//! An entry is the negation of a solution: not all of its bindings hold together, whatever the solution's new
//! generics (the *universals*) stand for at their levels. Entries are kept in solved form: the bound generics are
//! unbound elsewhere in the entry, and no binding holds by itself. A narrowing is applied to an entry by solving the
//! conjunction of its narrowed bindings again: no solution means that the entry holds for good, a solution that narrows
//! no generic means that it is violated, and otherwise each solution is an entry of its own.
//!
//! Entries are made of recipes, which mean the same in all configurations that the environment can't tell apart. They
//! are solved with the terms of any one of them: recipes are equal exactly when their terms are. Elements that have
//! died need no rewriting therefore, their terms are still there; [`Lambda::rewritten`] does it for canonical keys.
//!
//! Invariant: entries that are not violated are satisfied together by fresh attacker names, one for each generic.

use super::{Context, Question, Solution, derive_rigid, solve};
use super::{GenericInfo, Generics, TooLarge};
use crate::attacker::knowledge::{Element, Level};
use crate::process::Type;
use crate::term::{TermId, TermStore, View};
use std::sync::Arc;

/// A forbidden specialisation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// The generics and the recipes they do not have all together. Universals are written as variables, numbered in
    /// order of first use.
    pub bindings: Vec<(u32, TermId)>,
    /// The levels of the universals.
    pub universals: Vec<Level>,
}

/// The forbidden specialisations of a state.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lambda {
    entries: Vec<Arc<Entry>>,
}

/// The term of a recipe: indices replaced by the terms of the elements.
pub fn interpret(store: &TermStore, recipe: TermId, elements: &[Element]) -> TermId {
    store.map_atoms(recipe, &mut |atom| match store.view(atom) {
        View::Index(i) => Some(elements[i as usize].term),
        _ => None,
    })
}

impl Entry {
    /// The negation of a solution that was found in a state with `known` generics.
    pub fn negation(store: &TermStore, known: u32, solution: &Solution) -> Self {
        let bindings = solution.bindings.iter().map(|b| (b.generic, b.recipe));
        Self::spelt(store, known, bindings, |g| {
            solution.fresh[(g - known) as usize].level
        })
    }

    /// An entry whose generics from `known` on are universals.
    fn spelt(
        store: &TermStore,
        known: u32,
        bindings: impl Iterator<Item = (u32, TermId)>,
        level: impl Fn(u32) -> Level,
    ) -> Self {
        let mut numbers: Vec<u32> = Vec::new();
        let bindings = bindings
            .map(|(g, recipe)| {
                let recipe = store.map_atoms(recipe, &mut |atom| match store.view(atom) {
                    View::Generic(g) if g >= known => {
                        let at = numbers.iter().position(|n| *n == g).unwrap_or_else(|| {
                            numbers.push(g);
                            numbers.len() - 1
                        });
                        Some(store.var(at as u32))
                    }
                    _ => None,
                });
                (g, recipe)
            })
            .collect();
        Self {
            bindings,
            universals: numbers.into_iter().map(level).collect(),
        }
    }

    /// Whether a generic occurs, bound or in a recipe.
    pub fn mentions(&self, store: &TermStore, found: &mut impl FnMut(u32) -> bool) -> bool {
        self.bindings.iter().any(|(g, recipe)| {
            if found(*g) {
                return true;
            }
            let mut hit = false;
            store.visit(*recipe, &mut |t| {
                if let View::Generic(h) = store.view(t) {
                    hit |= found(h);
                }
                !hit && store.facts(t).has_generic
            });
            hit
        })
    }

    /// The entry with all generics renamed and all recipes rewritten.
    #[must_use]
    pub fn map(
        &self,
        generic: impl Fn(u32) -> u32,
        mut recipe: impl FnMut(TermId) -> TermId,
        level: impl Fn(Level) -> Level,
    ) -> Self {
        Self {
            bindings: self
                .bindings
                .iter()
                .map(|(g, r)| (generic(*g), recipe(*r)))
                .collect(),
            universals: self.universals.iter().map(|l| level(*l)).collect(),
        }
    }

    /// The entry in the form that depends only on what it says: of two generics of one level the newer is bound to the
    /// older, bindings are in the order of the generics, universals in order of first use.
    #[must_use]
    pub fn tidied(&self, store: &TermStore, generics: &Generics) -> Self {
        let mut bindings = self.bindings.clone();
        for i in 0..bindings.len() {
            let (bound, recipe) = bindings[i];
            let View::Generic(free) = store.view(recipe) else {
                continue;
            };
            if free > bound && generics.info(free).level == generics.info(bound).level {
                let (old, new) = (recipe, store.generic(bound));
                for (_, r) in &mut bindings {
                    *r = store.map_atoms(*r, &mut |atom| (atom == old).then_some(new));
                }
                bindings[i] = (free, new);
            }
        }
        bindings.sort_by_key(|(g, _)| *g);
        let mut numbers: Vec<u32> = Vec::new();
        for (_, r) in &mut bindings {
            *r = store.map_atoms(*r, &mut |atom| match store.view(atom) {
                View::Var(u) => {
                    let at = numbers.iter().position(|n| *n == u).unwrap_or_else(|| {
                        numbers.push(u);
                        numbers.len() - 1
                    });
                    Some(store.var(at as u32))
                }
                _ => None,
            });
        }
        Self {
            bindings,
            universals: numbers
                .into_iter()
                .map(|u| self.universals[u as usize])
                .collect(),
        }
    }

    /// The entry after a narrowing, solved again; `None` if it is violated.
    fn narrowed(
        &self,
        cx: &Context<'_>,
        narrowing: &Solution,
    ) -> Result<Option<Vec<Entry>>, TooLarge> {
        let store = cx.store;
        let known = cx.generics.len();
        let mut generics: Generics = cx.generics.clone();
        for level in &self.universals {
            generics.push(GenericInfo {
                level: *level,
                ty: Type::Msg,
            });
        }
        let subst = narrowing.on_recipes(store);
        let term = |recipe: TermId| {
            let open = store.map_atoms(recipe, &mut |atom| match store.view(atom) {
                View::Var(u) => Some(store.generic(known + u)),
                _ => None,
            });
            interpret(store, subst.apply(store, open), cx.elements)
        };
        let equations = self
            .bindings
            .iter()
            .map(|(g, r)| (term(store.generic(*g)), term(*r)))
            .collect();
        let question = Question {
            equations,
            goals: Vec::new(),
        };
        let inner = Context {
            generics: &generics,
            ..*cx
        };
        let mut entries = Vec::new();
        for solution in solve(&inner, &question)? {
            if solution.bindings.iter().all(|b| b.generic >= known) {
                return Ok(None);
            }
            let real = solution.bindings.iter().filter(|b| b.generic < known);
            let entry = Entry::spelt(store, known, real.map(|b| (b.generic, b.recipe)), |g| {
                if g < generics.len() {
                    generics.info(g).level
                } else {
                    solution.fresh[(g - generics.len()) as usize].level
                }
            });
            if !entries.contains(&entry) {
                entries.push(entry);
            }
        }
        Ok(Some(entries))
    }
}

impl Lambda {
    /// Nothing is forbidden.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forbidden specialisations, in the given order.
    pub fn from_entries(entries: Vec<Arc<Entry>>) -> Self {
        Self { entries }
    }

    /// Whether nothing is forbidden.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries, oldest first.
    pub fn entries(&self) -> &[Arc<Entry>] {
        &self.entries
    }

    /// Forbids a specialisation.
    pub fn forbid(&mut self, entry: Entry) {
        if !self.entries.iter().any(|e| **e == entry) {
            self.entries.push(Arc::new(entry));
        }
    }

    /// Lambda after a narrowing, or `None` if the narrowing is forbidden. The context is that of a configuration to
    /// which the narrowing has been applied, the narrowing's new generics included.
    pub fn narrowed(
        &self,
        cx: &Context<'_>,
        narrowing: &Solution,
    ) -> Result<Option<Lambda>, TooLarge> {
        let mut next = Lambda::new();
        for entry in &self.entries {
            let touched = entry.mentions(cx.store, &mut |g| {
                narrowing.bindings.iter().any(|b| b.generic == g)
            });
            if touched {
                let Some(entries) = entry.narrowed(cx, narrowing)? else {
                    return Ok(None);
                };
                for e in entries {
                    next.forbid(e);
                }
            } else if !next.entries.contains(entry) {
                next.entries.push(entry.clone());
            }
        }
        Ok(Some(next))
    }

    /// The entries with the indices of dead elements replaced by today's recipes.
    #[must_use]
    pub fn rewritten(&self, cx: &Context<'_>, now: Level) -> Lambda {
        let store = cx.store;
        let entries = self.entries.iter().map(|e| {
            let fresh = e.map(
                |g| g,
                |r| {
                    store.map_atoms(r, &mut |atom| match store.view(atom) {
                        View::Index(i) if !cx.elements[i as usize].alive_at(now) => {
                            derive_rigid(cx, cx.elements[i as usize].term, now)
                        }
                        _ => None,
                    })
                },
                |l| l,
            );
            if fresh == **e {
                e.clone()
            } else {
                Arc::new(fresh)
            }
        });
        Lambda {
            entries: entries.collect(),
        }
    }
}
