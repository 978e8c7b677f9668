//! Who plays in a story: the role instances that act, and the attacker under the names it uses.

use super::company::Company;
use super::owner::Owner;
use super::reference::Reference;
use super::values::Values;
use crate::process::{InstanceId, Program, StepId, System};
use crate::term::{TermId, TermStore};
use rustc_hash::FxHashMap;

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
    numbers: FxHashMap<InstanceId, usize>,
}

impl Cast {
    /// The instances behind the given steps.
    pub fn new(company: &Company<'_>, reference: &Reference, steps: &[StepId]) -> Cast {
        let (store, system) = (company.store, company.system);
        let mut players: Vec<Player> = Vec::new();
        let mut numbers = FxHashMap::default();
        for step in steps {
            let role = system.role_of(system.step(*step).instance);
            numbers.entry(role).or_insert_with(|| {
                let owner = company.owner(role);
                players.push(Player {
                    role,
                    name: owner.label(store),
                    owner,
                    plays: written(store, system, role, &company.values),
                });
                players.len() - 1
            });
        }
        number(&mut players);
        let partner = |s: &StepId| reference.partner(company, *s)?.agent();
        let named = steps
            .iter()
            .filter_map(partner)
            .find(|a| store.is_spy(*a))
            .or(company.program.signature.spies.first().copied());
        Cast {
            players,
            named: named.is_some(),
            spy: named.map_or_else(|| unused(store, company.program), |a| store.show(a)),
            numbers,
        }
    }

    /// The player behind a step.
    pub fn player(&self, system: &System, step: StepId) -> usize {
        let role = system.role_of(system.step(step).instance);
        let number = self.numbers.get(&role).copied();
        number.expect("every step of the story has its player")
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
pub(super) fn written(
    store: &TermStore,
    system: &System,
    role: InstanceId,
    values: &Values,
) -> String {
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
    let mut counts: FxHashMap<String, (usize, usize)> = FxHashMap::default();
    for player in &*players {
        counts.entry(player.name.clone()).or_default().0 += 1;
    }
    for player in players {
        if let Some((2.., before)) = counts.get_mut(&player.name) {
            *before += 1;
            player.name = format!("{}#{before}", player.name);
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
