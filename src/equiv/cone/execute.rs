//! A run with the choices made, executed action by action by either side.
//!
//! The environment chooses a name of its own for each choice, all different. Since tests only ever ask for equality, what a
//! side can do then it can do whatever is chosen instead.

use super::super::trail::{Opener, Recipe};
use super::role::{Cast, Kind, Role};
use super::run::{Event, Run, heard, linear};
use crate::knowledge::opening;
use crate::term::{NameClass, Op, Subst, TermId, TermStore, View, unify};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is looked at when a run is over.
#[derive(Clone, Debug)]
pub enum Look {
    /// The thread can do this next.
    Offers(u16, Kind),
    /// Something can be computed.
    Computes(Arc<Recipe>),
    /// Two things can be computed and are equal.
    Equal(Arc<Recipe>, Arc<Recipe>),
}

/// A run on a side.
struct Execution<'a> {
    store: &'a TermStore,
    cast: &'a Cast,
    side: usize,
    knows: &'a [TermId],
    heard: FxHashMap<usize, TermId>,
    /// The values of the variables of each thread that has begun.
    values: FxHashMap<u16, Subst>,
}

/// Whether a side can do the run and sees what is looked at.
pub fn passes(
    store: &TermStore,
    cast: &Cast,
    side: usize,
    knows: &[TermId],
    run: &Run,
    look: &Look,
) -> bool {
    let mut execution = Execution {
        store,
        cast,
        side,
        knows,
        heard: FxHashMap::default(),
        values: FxHashMap::default(),
    };
    let Some(events) = linear(&run.clock, &run.sent) else {
        return false;
    };
    events.into_iter().all(|e| execution.act(run, e)) && execution.sees(run, look)
}

impl Execution<'_> {
    fn role(&self, thread: u16) -> &Role {
        &self.cast.threads[usize::from(thread)].roles[self.side]
    }

    /// What the thread does at a place, if the tests before it succeed.
    fn offer(&mut self, (thread, at): Event) -> Option<(Kind, TermId)> {
        let stage = self.cast.threads[usize::from(thread)].roles[self.side]
            .stages
            .get(usize::from(at))?;
        let values = self.values.entry(thread).or_default();
        let rank = |_| Some(0);
        if !unify(self.store, &stage.tests, &rank, values) {
            return None;
        }
        Some((stage.kind, stage.term))
    }

    fn act(&mut self, run: &Run, event: Event) -> bool {
        let Some((kind, term)) = self.offer(event) else {
            return false;
        };
        let sent = run.sent.binary_search_by_key(&event, |s| s.event);
        match (kind, sent) {
            (Kind::Input, Ok(i)) => {
                let Some(message) = self.make(&run.sent[i].recipe) else {
                    return false;
                };
                let values = self.values.entry(event.0).or_default();
                values.bind(term, message);
                true
            }
            (Kind::Output, Err(_)) => {
                let values = self.values.entry(event.0).or_default();
                let message = values.resolve(self.store, term);
                self.heard.insert(heard(event), message);
                true
            }
            _ => false,
        }
    }

    fn sees(&mut self, run: &Run, look: &Look) -> bool {
        match look {
            Look::Offers(thread, kind) => {
                let at = super::run::done(&run.clock, *thread);
                debug_assert!(usize::from(at) <= self.role(*thread).stages.len());
                self.offer((*thread, at)).is_some_and(|(k, _)| k == *kind)
            }
            Look::Computes(r) => self.make(r).is_some(),
            Look::Equal(r, s) => {
                let (a, b) = (self.make(r), self.make(s));
                a.is_some() && a == b
            }
        }
    }

    /// What a recipe makes; `None` if a destructor fails.
    fn make(&self, recipe: &Recipe) -> Option<TermId> {
        let store = self.store;
        match recipe {
            Recipe::Initial(i) => self.knows.get(*i).copied(),
            Recipe::Heard(h) => self.heard.get(h).copied(),
            Recipe::Choice(c) => Some(own_name(store, *c)),
            Recipe::Constant(t) => Some(*t),
            Recipe::Apply(op, args) => {
                let args: Option<_> = args.iter().map(|a| self.make(a)).collect();
                Some(store.make(*op, args?))
            }
            Recipe::Part(of, i, n) => {
                let of = self.make(of)?;
                match store.view(of) {
                    View::Tuple(parts) if parts.len() == *n => parts.get(*i).copied(),
                    _ => None,
                }
            }
            Recipe::Predecessor(of) => match store.view(self.make(of)?) {
                View::Suc(t) => Some(t),
                _ => None,
            },
            Recipe::Open(how, of, key) => {
                let (of, key) = (self.make(of)?, self.make(key)?);
                let fits = matches!(
                    (how, store.node(of).op),
                    (Opener::Senc, Op::Senc) | (Opener::Aenc, Op::Aenc) | (Opener::Sign, Op::Sign)
                );
                let opening = opening(store, of)?;
                (fits && opening.key == Some(key)).then_some(opening.content)
            }
        }
    }
}

/// The name of the environment's own that stands for a choice.
fn own_name(store: &TermStore, choice: u32) -> TermId {
    store.name(NameClass::Attacker, "e", choice + 1)
}
