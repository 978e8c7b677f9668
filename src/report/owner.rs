//! Whose role an instance is: the agent that speaks in it.
//!
//! The language has no notation for it, and files differ: `Resp(B, A)` and `Resp(A, B)` may both be B's role. What an
//! instance can do tells more than the order of its arguments: the agent whose own keys (`K(b)-`, `S(b)`) it uses is the
//! one that runs it. Without such keys it is the first agent among its arguments. An instance that uses the own keys of
//! all its agents is a server between them, and is called by the name of its definition; one that uses the keys of
//! some is a server with a name of its own, the first argument. A server may happen to use the key of one agent only:
//! where two other roles are played by the two agents, each its first argument, a third that has the key of its second
//! argument is nobody's.

use super::values::Values;
use crate::process::{Action, InstanceId, System};
use crate::term::{FamilyKind, TermId, TermStore, View};
use std::sync::Arc;

/// Who runs an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Owner {
    /// An agent.
    Agent(TermId),
    /// Nobody in particular: a server, or a process without agents.
    Role(Arc<str>),
}

impl Owner {
    /// The owner of a role instance; `values` are those of the run.
    pub fn of(store: &TermStore, system: &System, role: InstanceId, values: &Values) -> Owner {
        let instance = system.instance(role);
        let actors: Vec<TermId> = instance
            .actors
            .iter()
            .map(|a| values.of(store, *a))
            .collect();
        let keys = own_keys(store, system, role, values);
        let mine: Vec<TermId> = actors
            .iter()
            .copied()
            .filter(|a| keys.contains(a))
            .collect();
        match (mine.as_slice(), actors.first()) {
            ([only], Some(first)) if only != first && is_third(system, role) => {
                Owner::Role(instance.label.clone())
            }
            ([only], _) => Owner::Agent(*only),
            (some, Some(first)) if some.len() < actors.len() => Owner::Agent(*first),
            _ => Owner::Role(instance.label.clone()),
        }
    }

    /// The agent, if it is one.
    pub fn agent(&self) -> Option<TermId> {
        match self {
            Owner::Agent(a) => Some(*a),
            Owner::Role(_) => None,
        }
    }

    /// Its name.
    pub fn label(&self, store: &TermStore) -> String {
        match self {
            Owner::Agent(a) => store.show(*a),
            Owner::Role(label) => label.to_string(),
        }
    }
}

/// Whether an instance of the same definition stands beside instances of two others, which have its agents the one
/// way round and the other.
fn is_third(system: &System, role: InstanceId) -> bool {
    let def = system.instance(role).def;
    let others = || {
        system
            .instances
            .iter()
            .filter(|i| i.def.is_some() && i.def != def)
    };
    system
        .instances
        .iter()
        .filter(|i| i.def == def)
        .any(|third| {
            let [x, y, ..] = third.actors.as_slice() else {
                return false;
            };
            let plays =
                |a: TermId, b: TermId| others().filter(move |i| i.actors.starts_with(&[a, b]));
            plays(*x, *y).any(|one| plays(*y, *x).any(|other| one.def != other.def))
        })
}

/// The agents whose own keys the instance uses: private parts of key pairs, symmetric keys of one agent.
///
/// Only what is written counts, not what a variable or an argument stands for: who forwards a ticket does not have its
/// key. A key that is an argument is one that the instance has.
fn own_keys(store: &TermStore, system: &System, role: InstanceId, values: &Values) -> Vec<TermId> {
    let mut found = Vec::new();
    let steps = system
        .steps
        .iter()
        .filter(|s| system.role_of(s.instance) == role);
    let given: Vec<TermId> = system
        .instance(role)
        .args
        .iter()
        .copied()
        .filter(|a| {
            let view = store.view(*a);
            !matches!(view, View::Family(..) | View::Pub(_) | View::Priv(_))
        })
        .collect();
    // Arguments are in the terms already: what was handed in as a whole is left out as a whole.
    let sealing = |t: TermId, found: &mut Vec<TermId>| sealing(store, t, &given, found);
    for step in steps {
        match &step.action {
            Action::Output {
                channel, message, ..
            } => {
                sealing(*channel, &mut found);
                sealing(*message, &mut found);
            }
            Action::Input { channel, .. } => sealing(*channel, &mut found),
            Action::Test { test, .. } => {
                for (subject, pattern) in &test.equations {
                    sealing(*subject, &mut found);
                    opening(store, *pattern, &given, &mut found);
                }
            }
            _ => {}
        }
    }
    let mut agents: Vec<TermId> = Vec::new();
    for agent in found {
        let agent = values.of(store, agent);
        if !agents.contains(&agent) {
            agents.push(agent);
        }
    }
    agents
}

/// The agents whose own keys are needed to build a term from what is given.
fn sealing(store: &TermStore, term: TermId, given: &[TermId], found: &mut Vec<TermId>) {
    store.visit(term, &mut |t| {
        if given.contains(&t) {
            return false;
        }
        match store.view(t) {
            // The public part is everybody's.
            View::Pub(_) => return false,
            View::Priv(k) => {
                found.extend(only_agent(store, k, FamilyKind::KeyPair));
                return false;
            }
            _ => found.extend(only_agent(store, t, FamilyKind::Symmetric)),
        }
        true
    });
}

/// The agents whose own keys are needed to match a pattern: the same, but a public-key encryption needs the private
/// part and a signature the public one.
fn opening(store: &TermStore, pattern: TermId, given: &[TermId], found: &mut Vec<TermId>) {
    match store.view(pattern) {
        View::Aenc(m, k) => {
            if let View::Pub(pair) = store.view(k) {
                found.extend(only_agent(store, pair, FamilyKind::KeyPair));
            }
            opening(store, m, given, found);
        }
        View::Sign(m, _) | View::Suc(m) => opening(store, m, given, found),
        View::Senc(m, k) => {
            sealing(store, k, given, found);
            opening(store, m, given, found);
        }
        View::Tuple(parts) => parts.iter().for_each(|p| opening(store, *p, given, found)),
        _ => sealing(store, pattern, given, found),
    }
}

/// The agent of a family member with one argument.
fn only_agent(store: &TermStore, member: TermId, kind: FamilyKind) -> Option<TermId> {
    match store.view(member) {
        View::Family(f, [agent]) if store.family_info(f).kind == kind => Some(*agent),
        _ => None,
    }
}
