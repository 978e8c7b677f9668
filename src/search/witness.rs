//! From a symbolic path to a ground run.
//!
//! Along a path every generic is bound at most once, so the path's narrowings together say what each input received;
//! generics left over become distinct names of the attacker's own, which satisfies every disequation [Sem 2.3].

use super::Setup;
use super::state::{Entry, State};
use crate::certify::{Move, MoveKind};
use crate::process::{Action, EventId, StepId, System};
use crate::term::{NameClass, Subst, TermId, TermStore, View, unify};
use rustc_hash::FxHashMap;

/// The path of a state as a ground run, not yet certified.
pub(super) fn propose(setup: &Setup<'_>, state: &State) -> Vec<Move> {
    let mut entries = Vec::new();
    let mut link = state.trace.as_deref();
    while let Some(trace) = link {
        entries.push(&trace.entry);
        link = trace.before.as_deref();
    }
    entries.reverse();
    let mut bindings: FxHashMap<TermId, TermId> = FxHashMap::default();
    for entry in &entries {
        if let Entry::Narrow(subst) = entry {
            bindings.extend(subst.iter());
        }
    }
    let mut own = Own {
        store: setup.store,
        bindings,
        names: 0,
    };
    let mut run = Run {
        store: setup.store,
        system: setup.system,
        values: Subst::new(),
    };
    run.enter(setup.system.root);
    let mut moves = Vec::new();
    for entry in entries {
        let (step, kind) = match entry {
            Entry::Receive(step, t) => (*step, run.receive(*step, own.ground(*t))),
            Entry::Send(step) => (*step, run.send(*step)),
            Entry::Communicate(from, to) => (*from, run.communicate(*from, *to)),
            Entry::Event(step) => (*step, run.event(*step)),
            Entry::Narrow(_) => continue,
        };
        moves.extend(kind.map(|kind| Move { step, kind }));
    }
    moves
}

struct Own<'a> {
    store: &'a TermStore,
    bindings: FxHashMap<TermId, TermId>,
    names: u32,
}

impl Own<'_> {
    fn ground(&mut self, t: TermId) -> TermId {
        let store = self.store;
        if !store.facts(t).has_generic {
            return t;
        }
        if let View::Generic(_) = store.view(t) {
            if let Some(value) = self.bindings.get(&t).copied() {
                return self.ground(value);
            }
            self.names += 1;
            let name = store.name(NameClass::Attacker, "n", self.names);
            self.bindings.insert(t, name);
            return name;
        }
        let node = store.node(t);
        let args = node.args.iter().map(|a| self.ground(*a)).collect();
        store.make(node.op, args)
    }
}

/// What the steps' terms stand for along the run. Tests are solved by matching.
struct Run<'a> {
    store: &'a TermStore,
    system: &'a System,
    values: Subst,
}

impl Run<'_> {
    fn enter(&mut self, step: StepId) {
        match &self.system.step(step).action {
            Action::Fork(parts) => parts.iter().for_each(|p| self.enter(*p)),
            Action::Test {
                test,
                then,
                otherwise,
            } => {
                let mut subst = self.values.clone();
                let rank = |t: TermId| matches!(self.store.view(t), View::Var(_)).then_some(0);
                if unify(self.store, &test.equations, &rank, &mut subst) {
                    self.values = subst;
                    self.enter(*then);
                } else {
                    self.enter(*otherwise);
                }
            }
            Action::Event {
                event: EventId::CREATED,
                next,
                ..
            } => self.enter(*next),
            _ => {}
        }
    }

    fn value(&self, t: TermId) -> TermId {
        self.values.resolve(self.store, t)
    }

    fn receive(&mut self, step: StepId, message: TermId) -> Option<MoveKind> {
        let Action::Input {
            channel,
            binder,
            next,
        } = &self.system.step(step).action
        else {
            return None;
        };
        let channel = self.value(*channel);
        self.values.bind(self.store.var(*binder), message);
        self.enter(*next);
        Some(MoveKind::Receive { channel, message })
    }

    fn send(&mut self, step: StepId) -> Option<MoveKind> {
        let Action::Output {
            channel,
            message,
            next,
        } = &self.system.step(step).action
        else {
            return None;
        };
        let (channel, message) = (self.value(*channel), self.value(*message));
        self.enter(*next);
        Some(MoveKind::Send { channel, message })
    }

    fn communicate(&mut self, from: StepId, to: StepId) -> Option<MoveKind> {
        let Some(MoveKind::Send { channel, message }) = self.send(from) else {
            return None;
        };
        self.receive(to, message)?;
        Some(MoveKind::Communicate {
            receiver: to,
            channel,
            message,
        })
    }

    fn event(&mut self, step: StepId) -> Option<MoveKind> {
        let Action::Event {
            event, args, next, ..
        } = &self.system.step(step).action
        else {
            return None;
        };
        if *event == EventId::CREATED {
            // Entered by itself.
            return None;
        }
        let args = args.iter().map(|t| self.value(*t)).collect();
        self.enter(*next);
        Some(MoveKind::Event { args })
    }
}
