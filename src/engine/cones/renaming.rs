//! Renaming of the threads, names and variables of a run.

use super::cast::Cast;
use super::run::{Against, Clock, Deadlines, Event, Forks, Last, heard, output};
use super::tree::LOCAL;
use crate::engine::joint::trail::Recipe;
use crate::term::{TermId, TermStore, View};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// A renaming of bundles, with their threads and own names, and of variables with the choices of the same number.
#[derive(Clone, Debug, Default)]
pub(super) struct Renaming {
    /// Threads that get another number.
    pub threads: SmallVec<[(u16, u16); 4]>,
    /// The names that go with them.
    pub names: SmallVec<[(TermId, TermId); 8]>,
    /// What a variable becomes.
    pub vars: Vars,
}

/// What variables become.
#[derive(Clone, Debug)]
pub(super) enum Vars {
    /// So much is added to the number.
    Shift(u32),
    /// These new numbers.
    Table(FxHashMap<u32, u32>),
}

impl Default for Vars {
    fn default() -> Self {
        Self::Shift(0)
    }
}

impl Vars {
    fn image(&self, v: u32) -> u32 {
        match self {
            Vars::Shift(n) => v + n,
            Vars::Table(table) => table.get(&v).copied().unwrap_or(v),
        }
    }
}

impl Renaming {
    /// Books that a bundle takes the place of another of its class, on a side.
    pub(super) fn bundle(&mut self, cast: &Cast, side: usize, from: u32, to: u32) {
        if from == to {
            return;
        }
        let [from, to] = [from, to].map(|b| &cast.bundles[b as usize]);
        debug_assert_eq!(from.threads.len(), to.threads.len());
        debug_assert_eq!(from.names[side].len(), to.names[side].len());
        let threads = from.threads.iter().zip(&to.threads);
        self.threads.extend(threads.map(|(f, t)| (*f, *t)));
        let names = from.names[side].iter().zip(&to.names[side]);
        self.names.extend(names.map(|(f, t)| (*f, *t)));
    }

    fn place(&self, thread: u16) -> u16 {
        let image = self.threads.iter().find(|(from, _)| *from == thread);
        image.map_or(thread, |(_, to)| *to)
    }

    /// An event renamed.
    pub(super) fn event(&self, (thread, at): Event) -> Event {
        (self.place(thread), at)
    }

    /// A clock renamed.
    pub(super) fn clock(&self, clock: &[(u16, u16)]) -> Clock {
        let mut image: Clock = clock.iter().map(|(t, n)| (self.place(*t), *n)).collect();
        image.sort_unstable();
        image
    }

    /// Forks renamed.
    pub(super) fn forks(&self, forks: &[(Event, Event)]) -> Forks {
        let forks = forks.iter();
        let mut image: Forks = forks
            .map(|(e, of)| (self.event(*e), self.event(*of)))
            .collect();
        image.sort_unstable();
        image
    }

    /// Last actions renamed: threads that take each other's places have the same roles.
    pub(super) fn last(&self, last: &[(u16, u32)]) -> Last {
        let mut image: Last = last.iter().map(|(t, i)| (self.place(*t), *i)).collect();
        image.sort_unstable();
        image
    }

    /// A failed test renamed.
    pub(super) fn against(&self, store: &TermStore, against: &Against) -> Against {
        let equations = against.equations.iter();
        let equations = equations.map(|(a, b)| (self.term(store, *a), self.term(store, *b)));
        Against {
            event: self.event(against.event),
            equations: equations.collect(),
        }
    }

    /// Deadlines renamed.
    pub(super) fn deadlines(&self, deadlines: &[Event]) -> Deadlines {
        let mut image: Deadlines = deadlines.iter().map(|e| self.event(*e)).collect();
        image.sort_unstable();
        image.dedup();
        image
    }

    fn name(&self, name: TermId) -> Option<TermId> {
        let image = self.names.iter().find(|(from, _)| *from == name);
        image.map(|(_, to)| *to)
    }

    /// A term renamed.
    pub(super) fn term(&self, store: &TermStore, t: TermId) -> TermId {
        if self.names.is_empty() && !store.facts(t).has_var {
            return t;
        }
        store.map_atoms(t, &mut |atom| match store.view(atom) {
            View::Var(v) if v < LOCAL => Some(store.var(self.vars.image(v))),
            View::Name(_) => self.name(atom),
            _ => None,
        })
    }

    /// A recipe renamed.
    pub(super) fn recipe(&self, recipe: &Arc<Recipe>) -> Arc<Recipe> {
        let all = |args: &[Arc<Recipe>]| args.iter().map(|a| self.recipe(a)).collect();
        Arc::new(match &**recipe {
            Recipe::Initial(_) => return recipe.clone(),
            Recipe::Heard(h) => {
                let event = output(*h);
                if self.place(event.0) == event.0 {
                    return recipe.clone();
                }
                Recipe::Heard(heard(self.event(event)))
            }
            Recipe::Choice(c) => Recipe::Choice(self.vars.image(*c)),
            Recipe::Constant(t) => match self.name(*t) {
                Some(image) => Recipe::Constant(image),
                None => return recipe.clone(),
            },
            Recipe::Apply(op, args) => Recipe::Apply(*op, all(args)),
            Recipe::Destruct(d, args) => Recipe::Destruct(*d, all(args)),
            Recipe::Part(of, i, n) => Recipe::Part(self.recipe(of), *i, *n),
            Recipe::Predecessor(of) => Recipe::Predecessor(self.recipe(of)),
            Recipe::Open(how, of, key) => Recipe::Open(*how, self.recipe(of), self.recipe(key)),
        })
    }
}
