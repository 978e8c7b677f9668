//! What the variables of a system stood for in one run.
//!
//! Variables are numbered apart over a whole system and every step runs at most once, so one table serves all
//! threads. For a certified run the values are read off its replay; an honest run is followed step by step.

use crate::certify::{Checked, Move, MoveKind, Replayed};
use crate::engine::honest::HonestMove;
use crate::process::{Action, EventId, StepId, System};
use crate::term::{Subst, TermId, TermStore, View, unify};

/// The values of the variables bound so far.
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// By the number of the variable.
    bound: Vec<Option<TermId>>,
}

impl Values {
    /// The values at the end of a certified run.
    pub fn of_attack(system: &System, replayed: &Replayed) -> Self {
        let mut values = Values::default();
        values.take(&replayed.first);
        for played in &replayed.moves {
            let received = match &played.action.kind {
                MoveKind::Receive { message, .. } => Some((played.action.step, *message)),
                MoveKind::Communicate {
                    receiver, message, ..
                } => Some((*receiver, *message)),
                MoveKind::Send { .. } | MoveKind::Event { .. } | MoveKind::Phase { .. } => None,
            };
            if let Some((step, message)) = received {
                values.receive(system, step, message);
            }
            values.take(&played.checked);
        }
        values
    }

    /// The values at the end of an honest run.
    pub fn of_honest(store: &TermStore, system: &System, run: &[HonestMove]) -> Self {
        let mut values = Values::default();
        values.follow(store, system, system.root);
        for m in run {
            let (HonestMove::Output { step, .. }
            | HonestMove::Event { step, .. }
            | HonestMove::Deliver { to: step, .. }) = m;
            if let HonestMove::Deliver { message, .. } = m {
                values.receive(system, *step, *message);
            }
            values.pass(store, system, *step);
        }
        values
    }

    /// The values after some moves.
    pub fn of_moves(store: &TermStore, system: &System, moves: &[Move]) -> Self {
        let mut values = Values::default();
        values.follow(store, system, system.root);
        for m in moves {
            match &m.kind {
                MoveKind::Receive { message, .. } => {
                    values.receive(system, m.step, *message);
                }
                MoveKind::Communicate {
                    receiver, message, ..
                } => {
                    values.receive(system, *receiver, *message);
                    values.pass(store, system, *receiver);
                }
                MoveKind::Send { .. } | MoveKind::Event { .. } | MoveKind::Phase { .. } => {}
            }
            values.pass(store, system, m.step);
        }
        values
    }

    /// The term with the values of its variables.
    pub fn of(&self, store: &TermStore, term: TermId) -> TermId {
        if store.is_ground(term) {
            return term;
        }
        store.map_atoms(term, &mut |atom| match store.view(atom) {
            View::Var(v) => self.get(v).map(|value| self.of(store, value)),
            _ => None,
        })
    }

    fn get(&self, var: u32) -> Option<TermId> {
        self.bound.get(var as usize).copied().flatten()
    }

    fn receive(&mut self, system: &System, step: StepId, message: TermId) {
        if let Action::Input { binder, .. } = &system.step(step).action {
            self.bind(*binder, message);
        }
    }

    /// Goes on behind a step.
    fn pass(&mut self, store: &TermStore, system: &System, step: StepId) {
        match &system.step(step).action {
            Action::Output { next, .. }
            | Action::Input { next, .. }
            | Action::Event { next, .. } => self.follow(store, system, *next),
            _ => {}
        }
    }

    fn take(&mut self, checked: &[Checked]) {
        for (v, t) in checked.iter().flat_map(|c| &c.bound) {
            self.bind(*v, *t);
        }
    }

    fn bind(&mut self, var: u32, value: TermId) {
        let at = var as usize;
        if at >= self.bound.len() {
            self.bound.resize(at + 1, None);
        }
        self.bound[at].get_or_insert(value);
    }

    /// Runs tests and forks from here on, up to the next step that shows.
    fn follow(&mut self, store: &TermStore, system: &System, step: StepId) {
        let mut work = vec![step];
        while let Some(step) = work.pop() {
            match &system.step(step).action {
                Action::Fork(parts) => work.extend(parts),
                Action::Event {
                    event: EventId::CREATED,
                    next,
                    ..
                }
                // What a test after it binds is bound before.
                | Action::Phase { next, .. } => work.push(*next),
                Action::Test {
                    test,
                    then,
                    otherwise,
                } => {
                    let rank = |t: TermId| matches!(store.view(t), View::Var(_)).then_some(0);
                    let sides = test.equations.iter();
                    let sides = sides.map(|(a, b)| (self.of(store, *a), self.of(store, *b)));
                    let mut bound = Subst::new();
                    let passed = unify(store, &sides.collect::<Vec<_>>(), &rank, &mut bound);
                    for (var, value) in bound.iter() {
                        if let View::Var(v) = store.view(var) {
                            self.bind(v, value);
                        }
                    }
                    work.push(if passed { *then } else { *otherwise });
                }
                _ => {}
            }
        }
    }
}
