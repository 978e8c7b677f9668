//! Whose role an instance is: the agent that speaks in it.
//!
//! The language has no notation for it, and files differ: `Resp(B, A)` and `Resp(A, B)` may both be B's role. What an
//! instance can do tells more than the order of its arguments: whoever runs it is one of those to whom each of its
//! keys belongs (`K(b)-` and `S(b)` to B, `L(a, b)` to A and B). Where that leaves several or tells nothing, it is the
//! first agent among the arguments.
//!
//! Servers are the exceptions. They take the agents that they serve as arguments and have their keys, but are not
//! these agents:
//! - An instance with keys that nobody has in common is a server between their owners. It is nobody's and goes by the
//!   name of its definition, unless one of its agents has no part in the keys or it has a private part of somebody's.
//! - A server may happen to use the key of one agent only: where two other roles are played by the two agents, each its
//!   first argument, a third that has the key of its second argument is nobody's.
//! - A symmetric key of one agent that just two definitions use is shared by that agent and a server, as a password is.
//! - A role without keys of agents is a third party too, if it comes after another role with the same agents, or has a
//!   key pair of its own that the agent's other role has not.

use super::keys::{Key, are_two, held};
use super::values::Values;
use crate::process::{Instance, InstanceId, Program, System};
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
    /// The owner of a role instance; `values` are those of the run.
    pub fn of(
        store: &TermStore,
        program: &Program,
        system: &System,
        role: InstanceId,
        values: &Values,
    ) -> Owner {
        let look = Look {
            store,
            program,
            system,
            values,
        };
        match look.agent(role) {
            Some(agent) => Owner::Agent(agent),
            None => Owner::Role(system.instance(role).label.clone()),
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

struct Look<'a> {
    store: &'a TermStore,
    program: &'a Program,
    system: &'a System,
    values: &'a Values,
}

impl Look<'_> {
    fn agent(&self, role: InstanceId) -> Option<TermId> {
        let actors = self.actors(self.system.instance(role));
        let first = *actors.first()?;
        let (keys, nobody_s): (Vec<Key>, Vec<Key>) =
            self.keys(role).into_iter().partition(Key::is_of_agents);
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

    fn actors(&self, instance: &Instance) -> Vec<TermId> {
        let actors = instance.actors.iter();
        actors.map(|a| self.values.of(self.store, *a)).collect()
    }

    fn keys(&self, role: InstanceId) -> Vec<Key> {
        held(self.store, self.program, self.system, role, self.values)
    }

    /// An agent that is known by name, and not one that the run has left open.
    fn named(&self, agent: TermId) -> Option<TermId> {
        self.store.is_ground(agent).then_some(agent)
    }

    /// Role instances of other definitions.
    fn others(&self, role: InstanceId) -> impl Iterator<Item = InstanceId> {
        let def = self.system.instance(role).def;
        let ids = (0u32..).zip(&self.system.instances);
        ids.filter(move |(_, i)| i.def.is_some() && i.def != def && !i.continues)
            .map(|(id, _)| InstanceId(id))
    }

    /// Whether another role speaks for an agent: its first argument, which has a part in all its keys.
    fn is_played(&self, role: InstanceId, agent: TermId) -> bool {
        self.others(role).any(|other| {
            let keys = self.keys(other);
            self.actors(self.system.instance(other)).first() == Some(&agent)
                && !keys.is_empty()
                && keys.iter().all(|k| k.owners.contains(&agent))
        })
    }

    /// Whether an instance of the same definition stands beside instances of two others, which have its agents the one
    /// way round and the other.
    fn is_third(&self, role: InstanceId) -> bool {
        let def = self.system.instance(role).def;
        let instances = || self.system.instances.iter();
        let others = || instances().filter(|i| i.def.is_some() && i.def != def);
        instances().filter(|i| i.def == def).any(|third| {
            let [x, y, ..] = third.actors.as_slice() else {
                return false;
            };
            let plays =
                |a: TermId, b: TermId| others().filter(move |i| i.actors.starts_with(&[a, b]));
            plays(*x, *y).any(|one| plays(*y, *x).any(|other| one.def != other.def))
        })
    }

    /// Whether two other roles already speak for the first two agents of a role, and the one for the first of them is
    /// mentioned earlier and knows the second.
    fn comes_after(&self, role: InstanceId) -> bool {
        let [x, y, ..] = self.actors(self.system.instance(role))[..] else {
            return false;
        };
        let actors = |i: InstanceId| self.actors(self.system.instance(i));
        let def = |i: InstanceId| self.system.instance(i).def;
        self.others(role)
            .filter(|one| one.index() < role.index() && actors(*one).starts_with(&[x, y]))
            .any(|one| {
                self.others(role)
                    .any(|two| def(two) != def(one) && actors(two).first() == Some(&y))
            })
    }

    /// Whether a role has a private part that belongs to no agent, and another role of its first agent has not.
    fn speaks_for_itself(&self, role: InstanceId, keys: &[Key]) -> bool {
        let first = self.actors(self.system.instance(role)).first().copied();
        keys.iter()
            .filter(|k| k.private && k.owners.is_empty())
            .any(|key| {
                self.others(role).any(|other| {
                    self.actors(self.system.instance(other)).first().copied() == first
                        && !self.keys(other).contains(key)
                })
            })
    }

    /// Whether a key is another's, with whom the instance shares it: a symmetric key of one agent, which just two
    /// definitions use. The agent speaks in the one that has it as first argument. Where neither has any other argument,
    /// nothing tells which of them it is.
    fn is_lent(&self, role: InstanceId, key: &Key) -> bool {
        let [agent] = key.owners[..] else {
            return false;
        };
        let def = self.system.instance(role).def;
        if key.private || !def.is_some_and(|def| are_two(self.store, self.program, def, key.family))
        {
            return false;
        }
        let actors = self.actors(self.system.instance(role));
        let alone = actors == [agent];
        self.others(role).any(|other| {
            let theirs = self.actors(self.system.instance(other));
            let better = if alone {
                theirs == [agent]
            } else {
                actors.first() != Some(&agent) && theirs.first() == Some(&agent)
            };
            better && self.keys(other).contains(key)
        })
    }
}
