//! Who takes part in honest runs.
//!
//! A party is all that a role instance speaking for agents does, or else a single thread at the top of the system: a system may
//! be written as threads, without roles. Parties that differ only in names of their own are of one class and
//! interchangeable: what one can do, the others can.

use super::Types;
use super::offer::received;
use crate::attacker::solver::Typing;
use crate::process::{Action, Env, InstanceId, Program, ShapeId, StepId, System};
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};

/// A message with more operators and names than this ends its thread.
const MESSAGE_SIZE: u32 = crate::attacker::solver::overgrown::LARGEST;

/// What somebody runs; a thread without a role of its own is known by its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Definition(u32),
    Thread(ShapeId),
}

/// Somebody who takes part, or not.
#[derive(Debug)]
pub(super) struct Party {
    /// The role instance.
    pub instance: InstanceId,
    /// Its first steps.
    pub starts: Vec<StepId>,
    /// What it runs.
    pub role: Role,
    /// A number for all parties that differ in names of their own only.
    pub class: usize,
    /// A spy is among its agents.
    pub spied: bool,
    /// A further copy of a bare `!`: it may take part and need not.
    pub spare: bool,
    /// All its outputs and inputs, in the order of the program.
    pub acts: Vec<StepId>,
}

/// The parties of a system, and what does not change while they run.
#[derive(Debug)]
pub(super) struct Stage<'a> {
    pub store: &'a TermStore,
    pub system: &'a System,
    pub typing: Typing,
    pub types: Types,
    pub parties: Vec<Party>,
    /// The parties of each class, in order.
    pub classes: Vec<Vec<usize>>,
    /// Whether some channel is no declared one: senders may have to wait for receivers.
    pub private: bool,
    /// The variables that take what was received.
    pub received: Vec<bool>,
    rests: FxHashSet<StepId>,
    /// All classes.
    everybody: Vec<usize>,
    /// The first number of what follows each step: steps are numbered from the end, what follows one is the block before it.
    lowest: Vec<u32>,
    /// The classes of parties that name these agents, sorted, and no others.
    by_agents: FxHashMap<Vec<TermId>, Vec<usize>>,
    /// The classes of parties that name this agent.
    by_agent: FxHashMap<TermId, Vec<usize>>,
}

/// What is compared to see whether two parties are of one class.
type Likeness = (Role, Vec<TermId>, Vec<(ShapeId, Vec<Own>)>);

/// A name as one party sees it.
#[derive(PartialEq, Eq, Hash)]
enum Own {
    /// The party's own name of this number.
    Private(usize),
    /// A name that others have as well.
    Shared(TermId),
}

impl<'a> Stage<'a> {
    /// The parties of a system that was unfolded without trimming.
    pub fn new(store: &'a TermStore, program: &Program, system: &'a System, types: Types) -> Self {
        let starts: Vec<StepId> = match &system.step(system.root).action {
            Action::Fork(parts) => parts.clone(),
            Action::Nil => Vec::new(),
            _ => vec![system.root],
        };
        let rests: FxHashSet<StepId> = system.rests.iter().copied().collect();
        let mut stage = Stage {
            store,
            system,
            typing: Typing::new(program, system),
            types,
            parties: Vec::new(),
            classes: Vec::new(),
            private: system.steps.iter().any(|s| match &s.action {
                Action::Output { channel, .. } | Action::Input { channel, .. } => {
                    !crate::attacker::knowledge::is_constant(store, *channel)
                }
                _ => false,
            }),
            received: received(store, system),
            rests,
            everybody: Vec::new(),
            lowest: lowest(system),
            by_agents: FxHashMap::default(),
            by_agent: FxHashMap::default(),
        };
        let mut speaking: FxHashMap<InstanceId, usize> = FxHashMap::default();
        for start in starts {
            stage.add(start, &mut speaking);
        }
        stage.classify();
        stage.everybody = (0..stage.classes.len()).collect();
        for (class, members) in stage.classes.iter().enumerate() {
            let mut agents = agents(system, stage.parties[members[0]].instance);
            for a in &agents {
                stage.by_agent.entry(*a).or_default().push(class);
            }
            agents.sort_unstable_by_key(|t| t.slot());
            stage.by_agents.entry(agents).or_default().push(class);
        }
        stage
    }

    fn add(&mut self, start: StepId, speaking: &mut FxHashMap<InstanceId, usize>) {
        let system = self.system;
        let step = system.step(start);
        let role = system.role_of(step.instance);
        let instance = system.instance(role);
        let at = if instance.actors.is_empty() {
            self.parties.len()
        } else {
            *speaking.entry(role).or_insert(self.parties.len())
        };
        let rests = self.rests.contains(&start);
        let mut acts = Vec::new();
        acts_below(system, start, &mut acts);
        if let Some(party) = self.parties.get_mut(at) {
            party.starts.push(start);
            party.acts.extend(acts);
            party.spare &= rests;
            return;
        }
        self.parties.push(Party {
            instance: role,
            starts: vec![start],
            role: instance
                .def
                .filter(|_| !instance.actors.is_empty())
                .map_or(Role::Thread(step.shape), |d| Role::Definition(d.0)),
            class: 0,
            spied: system.is_honest(self.store, role) == Some(false),
            spare: rests,
            acts,
        });
    }

    fn classify(&mut self) {
        // Which party has a restricted name to itself.
        let mut owners: FxHashMap<TermId, Option<usize>> = FxHashMap::default();
        for (i, party) in self.parties.iter().enumerate() {
            for start in &party.starts {
                for name in &self.system.step(*start).args {
                    let owner = owners.entry(*name).or_insert(Some(i));
                    if *owner != Some(i) {
                        *owner = None;
                    }
                }
            }
        }
        let restricted = |t: TermId| match self.store.view(t) {
            View::Name(n) => self.store.name_info(n).class == NameClass::Restricted,
            _ => false,
        };
        let mut known: FxHashMap<Likeness, usize> = FxHashMap::default();
        for i in 0..self.parties.len() {
            let party = &self.parties[i];
            let mut own: FxHashMap<TermId, usize> = FxHashMap::default();
            let threads = party.starts.iter().map(|start| {
                let step = self.system.step(*start);
                let names = step.args.iter().map(|name| {
                    if owners.get(name) == Some(&Some(i)) && restricted(*name) {
                        let next = own.len();
                        Own::Private(*own.entry(*name).or_insert(next))
                    } else {
                        Own::Shared(*name)
                    }
                });
                (step.shape, names.collect())
            });
            let likeness = (
                party.role,
                agents(self.system, party.instance),
                threads.collect(),
            );
            let next = known.len();
            let class = *known.entry(likeness).or_insert(next);
            if class == self.classes.len() {
                self.classes.push(Vec::new());
            }
            self.classes[class].push(i);
            self.parties[i].class = class;
        }
    }

    /// Whether a thread may stay here for ever.
    pub fn may_rest(&self, step: StepId) -> bool {
        !self.rests.is_empty() && self.rests.contains(&step)
    }

    /// Whether a step is among those that follow another one, or is that one.
    pub fn follows(&self, late: StepId, early: StepId) -> bool {
        (self.lowest[early.index()]..=early.0).contains(&late.0)
    }

    /// How much is left to do from a step on; what is skipped counts as well.
    pub fn remaining(&self, step: StepId) -> usize {
        (step.0 - self.lowest[step.index()]) as usize + 1
    }

    /// Whether two steps are one's who would hear itself: the one comes before the other, or both are of one instance that
    /// speaks for agents.
    pub fn is_oneself(&self, a: StepId, b: StepId) -> bool {
        let instance = self.system.step(a).instance;
        let speaks = !self.system.instance(instance).actors.is_empty();
        (speaks && self.system.step(b).instance == instance)
            || self.follows(a, b)
            || self.follows(b, a)
    }

    /// Whether two parties are different ones with the same role.
    pub fn are_peers(&self, a: usize, b: usize) -> bool {
        a != b && self.parties[a].role == self.parties[b].role
    }

    /// Whether a value has become too large to go on with.
    pub fn is_large(&self, env: &Env) -> bool {
        let large = |t: &TermId| self.store.facts(*t).size > MESSAGE_SIZE;
        env.iter().any(large)
    }

    /// Where to look for partners of a party, the likeliest first: those who name the same agents, those who name one of
    /// its agents, everybody. The lists are of classes; one may be in several lists.
    pub fn likely(&self, party: usize) -> Vec<&[usize]> {
        let mut set = agents(self.system, self.parties[party].instance);
        let mut lists = Vec::new();
        let others: Vec<TermId> = set.iter().skip(1).chain(set.first()).copied().collect();
        set.sort_unstable_by_key(|t| t.slot());
        lists.extend(self.by_agents.get(&set).map(Vec::as_slice));
        for agent in others {
            lists.extend(self.by_agent.get(&agent).map(Vec::as_slice));
        }
        lists.push(&self.everybody);
        lists
    }

    /// How many inputs a party has.
    pub fn inputs(&self, party: usize) -> usize {
        let input = |s: &&StepId| matches!(self.system.step(**s).action, Action::Input { .. });
        self.parties[party].acts.iter().filter(input).count()
    }

    /// How near two parties are: 0 if they name the same agents, 1 if they name one in common or somebody names none.
    pub fn distance(&self, a: usize, b: usize) -> u8 {
        let of = |p: usize| &self.system.instance(self.parties[p].instance).actors;
        let (a, b) = (of(a), of(b));
        let shared = a.iter().filter(|t| b.contains(t)).count();
        if shared == a.len() && shared == b.len() {
            0
        } else {
            2 - u8::from(shared > 0 || a.is_empty() || b.is_empty())
        }
    }
}

fn lowest(system: &System) -> Vec<u32> {
    let mut lowest: Vec<u32> = Vec::with_capacity(system.steps.len());
    for (i, step) in (0u32..).zip(&system.steps) {
        let of = |s: &StepId| lowest[s.index()];
        lowest.push(match &step.action {
            Action::Nil => i,
            Action::Fork(parts) => parts.iter().map(of).min().unwrap_or(i),
            Action::Output { next, .. }
            | Action::Input { next, .. }
            | Action::Event { next, .. }
            | Action::Phase { next, .. } => of(next),
            Action::Test {
                then, otherwise, ..
            } => of(then).min(of(otherwise)),
        });
    }
    lowest
}

fn agents(system: &System, instance: InstanceId) -> Vec<TermId> {
    system.instance(instance).actors.clone()
}

/// The outputs and inputs from a step on, in the order of the program.
pub(super) fn acts_below(system: &System, step: StepId, into: &mut Vec<StepId>) {
    let mut work = vec![step];
    while let Some(step) = work.pop() {
        match &system.step(step).action {
            Action::Nil => {}
            Action::Fork(parts) => work.extend(parts.iter().rev()),
            Action::Output { next, .. } | Action::Input { next, .. } => {
                into.push(step);
                work.push(*next);
            }
            Action::Event { next, .. } | Action::Phase { next, .. } => work.push(*next),
            Action::Test {
                then, otherwise, ..
            } => work.extend([*otherwise, *then]),
        }
    }
}
