//! Everybody in a system during one run: what each role instance does, which agents it speaks for and which keys it has.
//!
//! Whose role an instance is depends on all others. There may be ten thousand of them, most of them alike; so what they
//! have is looked up once, and of those that have the same only the first counts.

use super::keys::{Key, are_two, held};
use super::owner::Owner;
use super::values::Values;
use crate::process::{Action, DefId, InstanceId, Program, Step, System};
use crate::term::{FamilyId, TermId, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::{OnceCell, RefCell};

/// Role instances of one definition that speak for the same agents and have the same keys.
pub(super) struct Alike {
    /// The first of them.
    pub first: InstanceId,
    /// The definition.
    pub def: DefId,
    /// The agents.
    pub actors: Vec<TermId>,
    /// The keys.
    pub keys: Vec<Key>,
}

/// Everybody in a system during one run.
pub struct Company<'a> {
    /// The terms.
    pub(super) store: &'a TermStore,
    /// The checked file.
    pub(super) program: &'a Program,
    /// The system.
    pub(super) system: &'a System,
    /// The values of the run.
    pub(super) values: Values,
    /// The agents and spies of the file.
    agents: FxHashSet<TermId>,
    /// The steps of each role instance.
    steps: Vec<Vec<u32>>,
    /// All role instances, one of each kind, in the order of the system.
    kinds: OnceCell<Vec<Alike>>,
    /// By the first of their agents.
    kinds_of: OnceCell<FxHashMap<TermId, Vec<usize>>>,
    listening: OnceCell<Listening>,
    two: RefCell<FxHashMap<(DefId, FamilyId), bool>>,
    thirds: RefCell<FxHashMap<Option<DefId>, bool>>,
    known: RefCell<FxHashMap<InstanceId, Owner>>,
}

/// Where somebody may listen.
struct Listening {
    channels: FxHashSet<TermId>,
    /// Somebody listens on a channel that it receives.
    anywhere: bool,
}

impl std::fmt::Debug for Company<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Company").finish_non_exhaustive()
    }
}

impl<'a> Company<'a> {
    /// Everybody in a system; `values` are those of the run.
    pub fn new(
        store: &'a TermStore,
        program: &'a Program,
        system: &'a System,
        values: &Values,
    ) -> Self {
        let mut steps = vec![Vec::new(); system.instances.len()];
        for (i, step) in (0..).zip(&system.steps) {
            steps[system.role_of(step.instance).index()].push(i);
        }
        let signature = &program.signature;
        let agents = signature.agents.iter().chain(&signature.spies);
        Self {
            store,
            program,
            system,
            values: values.clone(),
            agents: agents.copied().collect(),
            steps,
            kinds: OnceCell::new(),
            kinds_of: OnceCell::new(),
            listening: OnceCell::new(),
            two: RefCell::default(),
            thirds: RefCell::default(),
            known: RefCell::default(),
        }
    }

    /// Who runs a role instance.
    pub fn owner(&self, role: InstanceId) -> Owner {
        if let Some(owner) = self.known.borrow().get(&role) {
            return owner.clone();
        }
        let owner = Owner::of(self, role);
        self.known.borrow_mut().insert(role, owner.clone());
        owner
    }

    /// The steps of a role instance.
    pub(super) fn steps(&self, role: InstanceId) -> impl Iterator<Item = &'a Step> {
        let steps = self.steps[role.index()].iter();
        steps.map(|i| &self.system.steps[*i as usize])
    }

    /// Whether a term is an agent or spy of the file.
    pub(super) fn is_agent(&self, term: TermId) -> bool {
        self.agents.contains(&term)
    }

    /// The agents that an instance speaks for.
    pub(super) fn actors(&self, role: InstanceId) -> Vec<TermId> {
        let actors = self.system.instance(role).actors.iter();
        actors.map(|a| self.values.of(self.store, *a)).collect()
    }

    /// The variables that a role instance binds.
    pub(super) fn variables(&self, role: InstanceId) -> Vec<u32> {
        let mut found: Vec<u32> = self
            .steps(role)
            .flat_map(|s| match &s.action {
                Action::Input { binder, .. } => vec![*binder],
                Action::Test { test, .. } => test.binds.clone(),
                _ => Vec::new(),
            })
            .collect();
        found.sort_unstable();
        found
    }

    /// Whether some role may listen on a channel.
    pub(super) fn hears(&self, channel: TermId) -> bool {
        let listening = self.listening.get_or_init(|| {
            let inputs = self.system.steps.iter().filter_map(|s| match &s.action {
                Action::Input { channel, .. } => Some(*channel),
                _ => None,
            });
            let channels: FxHashSet<TermId> = inputs.collect();
            let anywhere = channels.iter().any(|c| !self.store.is_ground(*c));
            Listening { channels, anywhere }
        });
        listening.anywhere || listening.channels.contains(&channel)
    }

    fn kinds(&self) -> &[Alike] {
        self.kinds.get_or_init(|| {
            let mut seen = FxHashSet::default();
            let mut kinds = Vec::new();
            for (i, instance) in (0u32..).zip(&self.system.instances) {
                let (Some(def), false) = (instance.def, instance.continues) else {
                    continue;
                };
                let first = InstanceId(i);
                let (actors, keys) = (self.actors(first), held(self, first));
                if seen.insert((def, actors.clone(), keys.clone())) {
                    kinds.push(Alike {
                        first,
                        def,
                        actors,
                        keys,
                    });
                }
            }
            kinds
        })
    }

    /// Role instances of other definitions whose first agent this is, one of each kind.
    pub(super) fn others(&self, role: InstanceId, agent: TermId) -> impl Iterator<Item = &Alike> {
        let kinds = self.kinds();
        let kinds_of = self.kinds_of.get_or_init(|| {
            let mut of: FxHashMap<TermId, Vec<usize>> = FxHashMap::default();
            for (i, kind) in kinds.iter().enumerate() {
                if let Some(first) = kind.actors.first() {
                    of.entry(*first).or_default().push(i);
                }
            }
            of
        });
        let def = self.system.instance(role).def;
        let of = kinds_of.get(&agent).into_iter().flatten();
        of.map(|i| &kinds[*i]).filter(move |k| Some(k.def) != def)
    }

    /// Whether a symmetric family is a matter between two definitions, of which one is given.
    pub(super) fn are_two(&self, def: DefId, family: FamilyId) -> bool {
        let mut two = self.two.borrow_mut();
        *two.entry((def, family))
            .or_insert_with(|| are_two(self.store, self.program, def, family))
    }

    /// Whether an instance of a definition stands beside instances of two others, which have its agents the one
    /// way round and the other.
    pub(super) fn has_third(&self, def: Option<DefId>) -> bool {
        *self.thirds.borrow_mut().entry(def).or_insert_with(|| {
            let instances = || self.system.instances.iter();
            let pair = |actors: &[TermId]| match actors {
                [x, y, ..] => Some((*x, *y)),
                _ => None,
            };
            // Of the definitions with these agents in this order two are enough.
            let mut plays: FxHashMap<(TermId, TermId), Vec<DefId>> = FxHashMap::default();
            for i in instances().filter(|i| i.def != def) {
                if let (Some(def), Some(pair)) = (i.def, pair(&i.actors)) {
                    let defs = plays.entry(pair).or_default();
                    if defs.len() < 2 && !defs.contains(&def) {
                        defs.push(def);
                    }
                }
            }
            let differ = |x, y| {
                let (one, other) = (plays.get(&(x, y)), plays.get(&(y, x)));
                let (Some(one), Some(other)) = (one, other) else {
                    return false;
                };
                one.iter().any(|d| other.iter().any(|e| d != e))
            };
            let same = instances().filter(|i| i.def == def);
            same.filter_map(|i| pair(&i.actors))
                .any(|(x, y)| differ(x, y))
        })
    }
}
