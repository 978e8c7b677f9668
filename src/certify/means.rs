//! What an attack may write down: only what an attacker has by then.

use super::contest::Hindrance;
use super::fight::{Fight, State, is_stuck, values_of};
use super::matching::difference;
use super::run::Checked;
use crate::process::Action;
use crate::term::{Subst, TermId, View};

impl<'a> Fight<'a, '_> {
    /// Looks at the tests that the attack ran; `false` if it uses what it does not have.
    pub fn own_tests(&mut self, state: &mut State<'a>, checked: &[Checked]) -> bool {
        let store = self.contest.store;
        for c in checked {
            let Action::Test { test, .. } = &state.ours.system.step(c.step).action else {
                continue;
            };
            let before: Subst = values_of(&state.ours)
                .iter()
                .filter(|(v, _)| test.binds.iter().all(|b| store.var(*b) != *v))
                .collect();
            let sides = test.equations.iter().flat_map(|(a, b)| [*a, *b]);
            let written = sides.map(|t| before.apply(self.contest.store, t));
            if let Some(term) = written.into_iter().find_map(|t| self.unreadable(state, t)) {
                let why = Hindrance::Lacks { step: c.step, term };
                self.hinder(&state.bout, why);
                return false;
            }
            if !c.passed && is_stuck(state.ours.system, c.step) {
                let difference = difference(self.contest.store, test, &values_of(&state.ours));
                let step = c.step;
                self.hinder(&state.bout, Hindrance::Failed { step, difference });
                state.stuck = true;
            }
        }
        true
    }

    /// A part of the written terms that the attacker does not have.
    pub fn lacking(&self, state: &State<'a>, written: &[TermId]) -> Option<TermId> {
        written.iter().find_map(|t| self.missing(state, *t))
    }

    fn missing(&self, state: &State<'a>, term: TermId) -> Option<TermId> {
        let store = self.contest.store;
        if store.is_ground(term) && state.knowledge.derivable(term) {
            return None;
        }
        if let View::Priv(pair) = store.view(term)
            && let View::Family(..) = store.view(pair)
        {
            return Some(term);
        }
        let ways = super::derivation::ingredients(store, term);
        let parts = ways.into_iter().next().unwrap_or_default();
        let inner = parts.iter().find_map(|p| self.missing(state, *p));
        inner.or_else(|| store.is_ground(term).then_some(term))
    }

    /// The same for a pattern: what is taken apart needs the key that opens it, a signature only the public part.
    fn unreadable(&self, state: &State<'a>, pattern: TermId) -> Option<TermId> {
        let store = self.contest.store;
        let knows = |t: TermId| state.knowledge.derivable(t);
        if store.is_ground(pattern) && knows(pattern) {
            return None;
        }
        let inner = |t: TermId| self.unreadable(state, t);
        match store.view(pattern) {
            View::Sign(m, k) if store.is_ground(k) => match store.view(k) {
                View::Priv(pair) if knows(store.pub_part(pair)) => inner(m),
                _ => inner(m).or_else(|| self.missing(state, k)),
            },
            View::Aenc(m, k) if store.is_ground(k) && !store.is_ground(m) => match store.view(k) {
                View::Pub(pair) if !knows(store.priv_part(pair)) => Some(store.priv_part(pair)),
                _ => inner(m),
            },
            _ if store.is_ground(pattern) => self.missing(state, pattern),
            _ => store.node(pattern).args.iter().find_map(|t| inner(*t)),
        }
    }
}
