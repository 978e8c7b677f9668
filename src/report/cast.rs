//! Who plays in a story: the role instances that act, and the attacker under the names it uses.

use super::owner::Owner;
use super::reference::Reference;
use super::values::Values;
use crate::process::{InstanceId, Program, StepId, System};
use crate::term::{TermId, TermStore};

/// A role instance that takes part.
#[derive(Clone, Debug)]
pub struct Player {
    /// The instance.
    pub role: InstanceId,
    /// Who runs it.
    pub owner: Owner,
    /// What it is called in the story: the agent, with a number if the agent runs several instances.
    pub name: String,
    /// The instance as it is written: `Init(A, C)`.
    pub plays: String,
}

/// An end of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Party {
    /// A role instance, by its number among the players.
    Player(usize),
    /// The attacker; as whom, if it does not use the name of a spy.
    Spy {
        /// The name it goes by.
        spy: String,
        /// The honest agent or role in whose place it acts.
        acting_as: Option<String>,
    },
    /// Whoever is there: no partner is known.
    Anybody(String),
}

/// Everybody.
#[derive(Clone, Debug)]
pub struct Cast {
    /// The role instances, in the order in which they first act.
    pub players: Vec<Player>,
    /// The name the attacker goes by.
    pub spy: String,
    /// That name is declared in the file.
    pub named: bool,
}

impl Cast {
    /// The instances behind the given steps.
    pub fn new(
        store: &TermStore,
        program: &Program,
        system: &System,
        reference: &Reference,
        values: &Values,
        steps: &[StepId],
    ) -> Cast {
        let mut players: Vec<Player> = Vec::new();
        for step in steps {
            let role = system.role_of(system.step(*step).instance);
            if players.iter().all(|p| p.role != role) {
                let owner = Owner::of(store, program, system, role, values);
                players.push(Player {
                    role,
                    name: owner.label(store),
                    owner,
                    plays: written(store, system, role, values),
                });
            }
        }
        number(&mut players);
        let partner = |s: &StepId| {
            reference
                .partner(store, program, system, *s, values)?
                .agent()
        };
        let named = steps
            .iter()
            .filter_map(partner)
            .find(|a| store.is_spy(*a))
            .or(program.signature.spies.first().copied());
        Cast {
            players,
            named: named.is_some(),
            spy: named.map_or_else(|| unused(store, program), |a| store.show(a)),
        }
    }

    /// The player behind a step.
    pub fn player(&self, system: &System, step: StepId) -> usize {
        let role = system.role_of(system.step(step).instance);
        self.players
            .iter()
            .position(|p| p.role == role)
            .expect("every step of the story has its player")
    }

    /// The attacker in the place of somebody.
    pub fn spy_as(&self, store: &TermStore, partner: Option<&Owner>, channel: TermId) -> Party {
        match partner {
            Some(Owner::Agent(a)) if store.is_spy(*a) => Party::Spy {
                spy: store.show(*a),
                acting_as: None,
            },
            Some(owner) => Party::Spy {
                spy: self.spy.clone(),
                acting_as: Some(owner.label(store)),
            },
            None => Party::Anybody(store.show(channel)),
        }
    }

    /// The party's name: `A`, `C`, `C(A)`.
    pub fn label(&self, party: &Party) -> String {
        match party {
            Party::Player(i) => self.players[*i].name.clone(),
            Party::Spy {
                spy,
                acting_as: None,
            } => spy.clone(),
            Party::Spy {
                spy,
                acting_as: Some(agent),
            } => format!("{spy}({agent})"),
            Party::Anybody(channel) => channel.clone(),
        }
    }
}

/// An instance as it would be written.
pub fn written(store: &TermStore, system: &System, role: InstanceId, values: &Values) -> String {
    let instance = system.instance(role);
    if instance.def.is_none() || instance.args.is_empty() {
        return instance.label.to_string();
    }
    let args: Vec<String> = instance
        .args
        .iter()
        .map(|a| store.show(values.of(store, *a)))
        .collect();
    format!("{}({})", instance.label, args.join(", "))
}

/// Players of one name get numbers.
fn number(players: &mut [Player]) {
    let names: Vec<String> = players.iter().map(|p| p.name.clone()).collect();
    for (i, player) in players.iter_mut().enumerate() {
        let same = |n: &&String| **n == names[i];
        if names.iter().filter(same).count() > 1 {
            let before = names[..i].iter().filter(same).count();
            player.name = format!("{}#{}", names[i], before + 1);
        }
    }
}

/// A name for an attacker that no file gives a name.
fn unused(store: &TermStore, program: &Program) -> String {
    let s = &program.signature;
    let taken: Vec<String> = s
        .agents
        .iter()
        .chain(&s.publics)
        .chain(&s.channels)
        .map(|t| store.show(*t))
        .collect();
    ["Spy", "Eve", "Attacker"]
        .into_iter()
        .find(|n| taken.iter().all(|t| t != n))
        .unwrap_or("the attacker")
        .to_owned()
}
