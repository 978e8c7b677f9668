//! From a symbolic path to a ground run.
//!
//! Along a path every generic is bound at most once, so the path's narrowings together say what each input received;
//! generics left over become distinct names of the attacker's own, which satisfies every disequation [Sem 2.3].

use super::Setup;
use super::state::{Disequation, Entry, Standing, State};
use crate::attacker::solver::Generics;
use crate::attacker::solver::TooLarge;
use crate::attacker::solver::overgrown::is_overgrown;
use crate::certify::{Move, MoveKind};
use crate::process::{Action, EventId, StepId, System, Type};
use crate::term::{NameClass, Subst, TermId, TermStore, View, unify};
use rustc_hash::FxHashMap;

/// The path of a state as a ground run, not yet certified. A message on the way, which the state need not have any more, may be
/// too large.
pub(super) fn propose(setup: &Setup<'_>, state: &State) -> Result<Vec<Move>, TooLarge> {
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
        generics: setup.typing.map(|_| &state.generics),
        bindings: bindings.clone(),
        names: 0,
    };
    let mut consistent = true;
    for d in &state.lambda {
        consistent &= own.satisfies(d)?;
    }
    // Where a value of the declared type is forbidden, a name of the attacker's own stands for it.
    own = Own {
        generics: own.generics.filter(|_| consistent),
        bindings,
        names: 0,
        ..own
    };
    let mut run = Run {
        store: setup.store,
        system: setup.system,
        values: Subst::new(),
        phase: 0,
        waiting: Vec::new(),
    };
    run.enter(setup.system.root);
    let mut moves = Vec::new();
    for entry in entries {
        let (step, kind) = match entry {
            Entry::Receive(step, t) => {
                let message = own.ground(*t);
                if is_overgrown(setup.store, message) {
                    return Err(TooLarge);
                }
                (*step, run.receive(*step, message))
            }
            Entry::Send(step) => (*step, run.send(*step)),
            Entry::Communicate(from, to) => (*from, run.communicate(*from, *to)),
            Entry::Event(step) => (*step, run.event(*step)),
            Entry::Phase(number) => match run.begin(*number) {
                Some(step) => (step, Some(MoveKind::Phase { number: *number })),
                None => continue,
            },
            Entry::Narrow(_) => continue,
        };
        moves.extend(kind.map(|kind| Move { step, kind }));
    }
    Ok(moves)
}

struct Own<'a> {
    store: &'a TermStore,
    /// In typed analysis: key parts are made where they are declared.
    generics: Option<&'a Generics>,
    bindings: FxHashMap<TermId, TermId>,
    names: u32,
}

impl Own<'_> {
    fn satisfies(&mut self, d: &Disequation) -> Result<bool, TooLarge> {
        let grounded = Disequation {
            equations: d
                .equations
                .iter()
                .map(|(a, b)| (self.ground(*a), self.ground(*b)))
                .collect(),
        };
        Ok(grounded.standing(self.store)? != Standing::Violated)
    }

    fn ground(&mut self, t: TermId) -> TermId {
        let store = self.store;
        if !store.facts(t).has_generic {
            return t;
        }
        if let View::Generic(g) = store.view(t) {
            if let Some(value) = self.bindings.get(&t).copied() {
                let value = self.ground(value);
                // A generic that is met twice in what another one is, which is met twice, and so on, is grounded once.
                self.bindings.insert(t, value);
                return value;
            }
            self.names += 1;
            let name = store.name(NameClass::Attacker, "n", self.names);
            let value = match self.generics.map(|all| all.info(g).ty) {
                Some(Type::Pub) => store.pub_part(name),
                Some(Type::Priv) => store.priv_part(name),
                Some(Type::Share) => match store.groups().next() {
                    Some((base, _)) => store.share(base, name),
                    None => name,
                },
                _ => name,
            };
            self.bindings.insert(t, value);
            return value;
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
    /// The phase of the run, and who waits for a later one.
    phase: u8,
    waiting: Vec<StepId>,
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
            Action::Phase { number, next } if *number <= self.phase => self.enter(*next),
            Action::Phase { .. } => self.waiting.push(step),
            _ => {}
        }
    }

    /// A phase begins; one of those who have waited for it.
    fn begin(&mut self, number: u8) -> Option<StepId> {
        self.phase = number;
        let mut first = None;
        for step in std::mem::take(&mut self.waiting) {
            match self.system.step(step).action {
                Action::Phase { number: n, next } if n == number => {
                    first = first.or(Some(step));
                    self.enter(next);
                }
                Action::Phase { number: n, .. } if n > number => self.waiting.push(step),
                _ => {}
            }
        }
        first
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
