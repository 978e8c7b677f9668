//! What an attack may use in its text: only what the attacker can derive by then.

use super::attack::{Aim, Obstacle};
use super::enumerate::{Enumeration, State, is_stuck, values_of};
use crate::certify::{Checked, difference};
use crate::process::{Action, Test};
use crate::term::{Subst, TermId, View};

impl<'a> Enumeration<'a, '_> {
    /// Checks the tests that the attack ran; `false` if it uses what it does not have.
    pub(super) fn own_tests(&mut self, state: &mut State<'a>, checked: &[Checked]) -> bool {
        let store = self.composition.store;
        for c in checked {
            let Action::Test { test, .. } = &state.ours.system.step(c.step).action else {
                continue;
            };
            let before: Subst = values_of(&state.ours)
                .iter()
                .filter(|(v, _)| test.binds.iter().all(|b| store.var(*b) != *v))
                .collect();
            let sides = test.equations.iter().flat_map(|(a, b)| [*a, *b]);
            let mut sides = sides.filter(|t| !self.is_form(state, test, *t));
            let lacks = |t: TermId| {
                let foreign = || self.foreign(t, &before);
                self.unreadable(state, t, &before).or_else(foreign)
            };
            if let Some(term) = sides.find_map(lacks) {
                let why = Obstacle::Lacks { step: c.step, term };
                self.note_obstacle(&state.attack_run, why);
                return false;
            }
            if !c.passed && is_stuck(state.ours.system, c.step) {
                let difference = difference(self.composition.store, test, &values_of(&state.ours));
                let step = c.step;
                self.note_obstacle(&state.attack_run, Obstacle::Failed { step, difference });
                state.stuck = true;
            }
        }
        true
    }

    /// Whether this side of an equation is not from the text: it is the form that the rule of a
    /// destructor asks for. Whoever applies the destructor need not have the parts of that form,
    /// such as a private function. The form has unnamed variables, which this test binds, and no
    /// name that is not public.
    fn is_form(&self, state: &State<'a>, test: &Test, side: TermId) -> bool {
        let store = self.composition.store;
        let (mut asks, mut written) = (false, false);
        store.visit(side, &mut |t| {
            match store.view(t) {
                View::Var(v) => {
                    let info = state.ours.system.vars.get(v as usize);
                    let hidden = info.is_some_and(|i| &*i.label == "_") && test.binds.contains(&v);
                    asks |= hidden;
                    written |= !hidden;
                }
                View::Name(n) => written |= !store.name_info(n).class.is_public(),
                View::Family(..) => written = true,
                _ => {}
            }
            true
        });
        asks && !written
    }

    /// A part of a term of a test that can't be written without knowing which of two systems is
    /// there: a private name, a key, or the result of a private function. It may have been received
    /// from one of the systems, but the other may have sent something else in its place. An attack
    /// on a claim is about one system, and may name what it has received there.
    pub(super) fn foreign(&self, written: TermId, values: &Subst) -> Option<TermId> {
        if !matches!(self.aim, Aim::Barb) {
            return None;
        }
        let store = self.composition.store;
        let value = || values.apply(store, written);
        let inner = |args: &[TermId]| args.iter().find_map(|t| self.foreign(*t, values));
        match store.view(written) {
            View::Name(_) => (!self.given.derivable(written)).then_some(written),
            View::Pub(pair) => match store.view(pair) {
                View::Family(_, args) => inner(args),
                _ => self.foreign(pair, values),
            },
            View::Family(_, args) if args.iter().any(|a| store.is_spy(*a)) => inner(args),
            View::Family(..) => Some(value()),
            View::Function(f, _) if store.function_info(f).private => Some(value()),
            _ if store.is_ground(written) && self.given.derivable(written) => None,
            _ => inner(&store.node(written).args),
        }
    }

    /// A part of the written terms that the attacker does not have.
    pub(super) fn lacking(&self, state: &State<'a>, written: &[TermId]) -> Option<TermId> {
        written.iter().find_map(|t| self.missing(state, *t))
    }

    fn missing(&self, state: &State<'a>, term: TermId) -> Option<TermId> {
        let store = self.composition.store;
        if store.is_ground(term) && state.knowledge.derivable(term) {
            return None;
        }
        if let View::Priv(pair) = store.view(term)
            && let View::Family(..) = store.view(pair)
        {
            return Some(term);
        }
        let ways = crate::certify::ingredients(store, term);
        let parts = ways.into_iter().next().unwrap_or_default();
        let inner = parts.iter().find_map(|p| self.missing(state, *p));
        inner.or_else(|| store.is_ground(term).then_some(term))
    }

    /// The same for a term of a test, as it is written: to compare a message with `{yes}k` one must
    /// have `k`, whatever the message is. What is taken apart needs the key that opens it, a
    /// signature only the public part.
    fn unreadable(&self, state: &State<'a>, written: TermId, values: &Subst) -> Option<TermId> {
        let store = self.composition.store;
        let knows = |t: TermId| store.is_ground(t) && state.knowledge.derivable(t);
        let inner = |t: TermId| self.unreadable(state, t, values);
        let value = values.apply(store, written);
        match store.view(written) {
            View::Name(_) | View::Family(..) => (!knows(value)).then_some(value),
            View::Function(f, _) if store.function_info(f).private => {
                (!knows(value)).then_some(value)
            }
            View::Pub(t) | View::Priv(t) if !knows(value) => match store.view(t) {
                View::Family(..) => Some(value),
                _ => inner(t),
            },
            View::Var(_) | View::Pub(_) | View::Priv(_) => None,
            _ if store.is_ground(written) && self.given.derivable(written) => None,
            View::Sign(m, k) => match store.view(values.apply(store, k)) {
                View::Priv(pair) if knows(store.pub_part(pair)) => inner(m),
                _ => inner(m).or_else(|| inner(k)),
            },
            View::Aenc(m, k) if !store.is_ground(value) => {
                match store.view(values.apply(store, k)) {
                    View::Pub(pair) if store.is_ground(pair) && !knows(store.priv_part(pair)) => {
                        Some(store.priv_part(pair))
                    }
                    _ => inner(m).or_else(|| inner(k)),
                }
            }
            _ => store.node(written).args.iter().find_map(|t| inner(*t)),
        }
    }
}
