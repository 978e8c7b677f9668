//! Whose role an instance is: the agent that speaks in it.
//!
//! The language has no notation for it, and files differ: `Resp(B, A)` and `Resp(A, B)` may both be B's role. What an
//! instance can do tells more than the order of its arguments: whoever runs it is one of those to whom each of its
//! keys belongs (`K(b)-` and `S(b)` to B, `L(a, b)` to A and B). Where that leaves several or tells nothing, it is the
//! first agent among the arguments. A narration says who speaks.
//!
//! Servers are the exceptions. They take the agents that they serve as arguments and have their keys, but are not
//! these agents:
//! - An instance with keys that nobody has in common is a server between their owners. It is nobody's and goes by the
//!   name of its definition, unless one of its agents has no part in the keys or it has a private part of somebody's.
//! - A server may happen to use the key of one agent only: where two other roles are played by the two agents, each its
//!   first argument, a third that has the key of its second argument is nobody's.
//! - A symmetric key of one agent that just two definitions use is shared by that agent and a server, as a password is.
//! - A key that was an argument, of an agent for whom the instance does not speak, says nothing: `Device(A, K(B))` is A.
//! - A role without keys of agents is a third party too, if it comes after another role with the same agents, or has a
//!   key pair of its own that the agent's other role has not.

use super::company::Company;
use super::keys::{Key, handed, held};
use crate::process::{InstanceId, Speaker};
use crate::term::{TermId, TermStore};
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
    /// The owner of a role instance.
    pub(super) fn of(company: &Company<'_>, role: InstanceId) -> Owner {
        if let Some(agent) = told(company, role) {
            return Owner::Agent(agent);
        }
        match (Look { company }).agent(role) {
            Some(agent) => Owner::Agent(agent),
            None => Owner::Role(company.system.instance(role).label.clone()),
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

/// The speaker that a narration names.
fn told(company: &Company<'_>, role: InstanceId) -> Option<TermId> {
    let instance = company.system.instance(role);
    let definition = company.program.definitions.get(instance.def?.index())?;
    match definition.speaker? {
        Speaker::Agent(agent) => Some(agent),
        Speaker::Parameter(at) => {
            let agent = *instance.args.get(at)?;
            Some(company.values.of(company.store, agent))
        }
    }
}

struct Look<'a> {
    company: &'a Company<'a>,
}

impl Look<'_> {
    fn agent(&self, role: InstanceId) -> Option<TermId> {
        let actors = self.company.actors(role);
        let first = *actors.first()?;
        let mut keys = held(self.company, role);
        keys.retain(|key| !self.is_handed_a_stranger_s(role, key));
        let (keys, nobody_s): (Vec<Key>, Vec<Key>) = keys.into_iter().partition(Key::is_of_agents);
        let (lent, keys): (Vec<Key>, Vec<Key>) =
            keys.into_iter().partition(|k| self.is_lent(role, k));
        if !lent.is_empty() && keys.is_empty() {
            let client = |a: &&TermId| lent.iter().any(|k| k.owners.contains(a));
            let own = actors.iter().find(|a| !client(a))?;
            return (!self.comes_after(role)).then_some(*own);
        }
        if keys.is_empty() {
            let third = self.comes_after(role) || self.speaks_for_itself(role, &nobody_s);
            return (!third).then_some(first);
        }
        let common = |keys: &mut dyn Iterator<Item = &Key>| -> Vec<TermId> {
            let mut keys = keys.map(|k| &k.owners);
            let mut all = keys.next().cloned().unwrap_or_default();
            keys.for_each(|owners| all.retain(|a| owners.contains(a)));
            all
        };
        match common(&mut keys.iter()).as_slice() {
            [] => {
                let signers = common(&mut keys.iter().filter(|k| k.private));
                if let [only] = signers.as_slice() {
                    return self.named(*only);
                }
                let served = |a: &TermId| keys.iter().any(|k| k.owners.contains(a));
                if actors.iter().all(served) {
                    return None;
                }
                let taken = served(&first) && self.is_played(role, first);
                actors.into_iter().find(|a| !taken || !served(a))
            }
            [only] if *only != first && actors.contains(only) && self.is_third(role) => None,
            [only] => self.named(*only),
            several => actors.into_iter().find(|a| several.contains(a)),
        }
    }

    /// Whether a key was an argument and belongs to none of the agents that the instance speaks for: `Device(A, K(B))` is A with a key of
    /// B's, by mistake or not.
    fn is_handed_a_stranger_s(&self, role: InstanceId, key: &Key) -> bool {
        let actors = self.company.actors(role);
        let strange = key.is_of_agents() && !key.owners.iter().any(|o| actors.contains(o));
        strange && handed(self.company, role).contains(key)
    }

    /// An agent that is known by name, and not one that the run has left open.
    fn named(&self, agent: TermId) -> Option<TermId> {
        self.company.store.is_ground(agent).then_some(agent)
    }

    /// Whether another role speaks for an agent: its first argument, which has a part in all its keys.
    fn is_played(&self, role: InstanceId, agent: TermId) -> bool {
        self.company.others(role, agent).any(|other| {
            !other.keys.is_empty() && other.keys.iter().all(|k| k.owners.contains(&agent))
        })
    }

    /// Whether an instance of the same definition stands beside instances of two others, which have its agents the one
    /// way round and the other.
    fn is_third(&self, role: InstanceId) -> bool {
        let def = self.company.system.instance(role).def;
        self.company.has_third(def)
    }

    /// Whether two other roles already speak for the first two agents of a role, and the one for the first of them is
    /// mentioned earlier and knows the second.
    fn comes_after(&self, role: InstanceId) -> bool {
        let [x, y, ..] = self.company.actors(role)[..] else {
            return false;
        };
        self.company
            .others(role, x)
            .filter(|one| one.first.index() < role.index() && one.actors.get(1) == Some(&y))
            .any(|one| self.company.others(role, y).any(|two| two.def != one.def))
    }

    /// Whether a role has a private part that belongs to no agent, and another role of its first agent has not.
    fn speaks_for_itself(&self, role: InstanceId, keys: &[Key]) -> bool {
        let Some(first) = self.company.actors(role).first().copied() else {
            return false;
        };
        keys.iter()
            .filter(|k| k.private && k.owners.is_empty())
            .any(|key| {
                let mut others = self.company.others(role, first);
                others.any(|other| !other.keys.contains(key))
            })
    }

    /// Whether a key is another's, with whom the instance shares it: a symmetric key of one agent, which just two
    /// definitions use. The agent speaks in the one that has it as first argument. Where neither has any other argument,
    /// nothing tells which of them it is.
    fn is_lent(&self, role: InstanceId, key: &Key) -> bool {
        let [agent] = key.owners[..] else {
            return false;
        };
        let def = self.company.system.instance(role).def;
        if key.private || !def.is_some_and(|def| self.company.are_two(def, key.family)) {
            return false;
        }
        let actors = self.company.actors(role);
        let alone = actors == [agent];
        self.company.others(role, agent).any(|other| {
            let better = if alone {
                other.actors == [agent]
            } else {
                actors.first() != Some(&agent)
            };
            better && other.keys.contains(key)
        })
    }
}
