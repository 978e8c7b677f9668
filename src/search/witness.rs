//! From a symbolic path to a ground run.
//!
//! Along a path every generic is bound at most once, so the path's narrowings together say what each input received;
//! generics left over become distinct names of the attacker's own, which satisfies every disequation [Sem 2.3].

use super::Setup;
use super::state::{Entry, State};
use crate::process::{Action, StepId, System};
use crate::term::{NameClass, Subst, TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// A run that is claimed to reach the goal: ground, not yet certified.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The run.
    pub moves: Vec<ProposedMove>,
}

/// A move of a proposed run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProposedMove {
    /// The step received the message.
    Receive(StepId, TermId),
    /// The step sent its message.
    Send(StepId),
    /// The first step sent its message to the second.
    Communicate(StepId, StepId),
    /// The step marked its event.
    Event(StepId),
}

/// The path of a state as a ground run.
pub(super) fn propose(setup: &Setup<'_>, state: &State) -> Proposal {
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
    let moves = entries
        .into_iter()
        .filter_map(|entry| {
            Some(match entry {
                Entry::Receive(step, t) => ProposedMove::Receive(*step, own.ground(*t)),
                Entry::Send(step) => ProposedMove::Send(*step),
                Entry::Communicate(a, b) => ProposedMove::Communicate(*a, *b),
                Entry::Event(step) => ProposedMove::Event(*step),
                Entry::Narrow(_) => return None,
            })
        })
        .collect();
    Proposal { moves }
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

/// The messages of a proposed run, replayed by substitution alone: what each step's terms stand for.
///
/// The result lists, for each move, channel and message (or the event's arguments). Tests are solved by matching, which
/// a run that follows the proposal always passes; `None` if it does not.
pub fn ground(
    store: &TermStore,
    system: &System,
    proposal: &Proposal,
) -> Option<Vec<(ProposedMove, Vec<TermId>)>> {
    let mut run = Run {
        store,
        system,
        values: Subst::new(),
        at: Vec::new(),
    };
    run.enter(system.root);
    proposal
        .moves
        .iter()
        .map(|m| Some((m.clone(), run.play(m)?)))
        .collect()
}

struct Run<'a> {
    store: &'a TermStore,
    system: &'a System,
    values: Subst,
    at: Vec<StepId>,
}

impl Run<'_> {
    fn enter(&mut self, step: StepId) {
        match &self.system.step(step).action {
            Action::Nil => {}
            Action::Fork(parts) => parts.iter().for_each(|p| self.enter(*p)),
            Action::Test {
                test,
                then,
                otherwise,
            } => {
                let mut subst = self.values.clone();
                let rank = |t: TermId| matches!(self.store.view(t), View::Var(_)).then_some(0);
                if crate::term::unify(self.store, &test.equations, &rank, &mut subst) {
                    self.values = subst;
                    self.enter(*then);
                } else {
                    self.enter(*otherwise);
                }
            }
            _ => self.at.push(step),
        }
    }

    fn leave(&mut self, step: StepId) -> Option<()> {
        let i = self.at.iter().position(|s| *s == step)?;
        self.at.remove(i);
        Some(())
    }

    fn value(&self, t: TermId) -> TermId {
        self.values.resolve(self.store, t)
    }

    fn play(&mut self, m: &ProposedMove) -> Option<Vec<TermId>> {
        match m {
            ProposedMove::Receive(step, message) => {
                self.leave(*step)?;
                let Action::Input {
                    channel,
                    binder,
                    next,
                } = &self.system.step(*step).action
                else {
                    return None;
                };
                let channel = self.value(*channel);
                self.values.bind(self.store.var(*binder), *message);
                self.enter(*next);
                Some(vec![channel, *message])
            }
            ProposedMove::Send(step) => {
                self.leave(*step)?;
                let Action::Output {
                    channel,
                    message,
                    next,
                } = &self.system.step(*step).action
                else {
                    return None;
                };
                let out = vec![self.value(*channel), self.value(*message)];
                self.enter(*next);
                Some(out)
            }
            ProposedMove::Communicate(from, to) => {
                self.leave(*from)?;
                self.leave(*to)?;
                let Action::Output {
                    channel,
                    message,
                    next,
                } = &self.system.step(*from).action
                else {
                    return None;
                };
                let Action::Input {
                    binder, next: then, ..
                } = &self.system.step(*to).action
                else {
                    return None;
                };
                let out = vec![self.value(*channel), self.value(*message)];
                self.values.bind(self.store.var(*binder), out[1]);
                self.enter(*next);
                self.enter(*then);
                Some(out)
            }
            ProposedMove::Event(step) => {
                self.leave(*step)?;
                let Action::Event { args, next, .. } = &self.system.step(*step).action else {
                    return None;
                };
                let out = args.iter().map(|t| self.value(*t)).collect();
                self.enter(*next);
                Some(out)
            }
        }
    }
}
