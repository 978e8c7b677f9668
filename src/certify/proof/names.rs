//! Restricted names as functions [Sem 4.10], and which role instances are runs of the same role.
//!
//! The clauses of a role are about all its runs, so a name made in a role is a function of the run. It may be one of messages too that the run
//! has received before all uses of the name: a run receives once at each input, so it is still the same term wherever
//! the run uses it, and names of different runs are still different terms. How many messages is up to the certificate; that they
//! come before is looked at wherever the name is used.

use super::certificate::Certificate;
use super::error::ProofError;
use crate::process::{Action, InstanceId, StepId, System};
use crate::term::{NameClass, NameId, TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// A restricted name.
#[derive(Clone, Debug)]
pub(super) struct Made {
    /// The name that stands for it: its own, or that of the same step in the instance that stands for its instance.
    pub name: NameId,
    /// The role instance at the top of the system whose runs make it; none if the system itself makes it, once.
    pub role: Option<InstanceId>,
    /// How many messages received it is a function of.
    pub inputs: usize,
}

/// The restricted names and the role instances of a system.
#[derive(Debug)]
pub(super) struct Names {
    made: FxHashMap<NameId, Made>,
    /// For each instance the one at the top that it is part of.
    roles: Vec<Option<InstanceId>>,
    /// For each instance at the top the one that stands for it.
    same: Vec<InstanceId>,
}

impl Names {
    pub fn new(store: &TermStore, system: &System, certificate: &Certificate) -> Self {
        let mut roles: Vec<Option<InstanceId>> = Vec::with_capacity(system.instances.len());
        for (i, instance) in (0..).map(InstanceId).zip(&system.instances) {
            // Who instantiates comes before who is instantiated.
            let of = |parent: InstanceId| roles[parent.index()].unwrap_or(i);
            let role = instance.parent.map(of);
            roles.push(role);
        }
        let functions: FxHashMap<NameId, usize> = certificate.inputs.iter().copied().collect();
        let mut made: FxHashMap<NameId, Made> = FxHashMap::default();
        for origin in &system.names {
            let it = Made {
                name: origin.name,
                role: roles[origin.instance.index()],
                inputs: functions.get(&origin.name).copied().unwrap_or(0),
            };
            made.insert(origin.name, it);
        }
        let mut names = Self {
            made,
            roles,
            same: (0..system.instances.len() as u32).map(InstanceId).collect(),
        };
        names.find_same(store, system);
        names
    }

    pub fn get(&self, name: NameId) -> Result<&Made, ProofError> {
        self.made.get(&name).ok_or(ProofError::NotExpressed)
    }

    /// The role instance at the top that an instance is part of; none for the system's own body.
    pub fn role(&self, instance: InstanceId) -> Option<InstanceId> {
        self.roles[instance.index()]
    }

    /// Whether the runs of this role instance are among those of another.
    pub fn is_another(&self, role: InstanceId) -> bool {
        self.same[role.index()] != role
    }

    /// Finds role instances that do the same, up to their own names and variables: a run of the one is a run of the other. Those
    /// of the same definition and arguments are compared step by step.
    fn find_same(&mut self, store: &TermStore, system: &System) {
        let tops: Vec<InstanceId> = (0..system.instances.len() as u32)
            .map(InstanceId)
            .filter(|i| self.role(*i) == Some(*i))
            .collect();
        let alike = |i: InstanceId, j: InstanceId| {
            let (i, j) = (system.instance(i), system.instance(j));
            i.def == j.def && i.args == j.args && !i.continues && !j.continues
        };
        let ground = |i: InstanceId| system.instance(i).args.iter().all(|t| store.is_ground(*t));
        let mut starts: Option<Vec<Vec<StepId>>> = None;
        for (at, i) in tops.iter().enumerate() {
            let earlier = tops[..at].iter();
            let Some(j) = earlier.copied().find(|j| alike(*i, *j) && ground(*i)) else {
                continue;
            };
            let starts = starts.get_or_insert_with(|| self.starts(system));
            let mut comparison = Comparison {
                store,
                system,
                names: self,
                roles: (*i, j),
                variables: FxHashMap::default(),
                to: FxHashMap::default(),
                from: FxHashMap::default(),
            };
            if comparison.all(&starts[i.index()], &starts[j.index()]) {
                for (name, standing) in comparison.to {
                    if let Some(made) = self.made.get(&standing).cloned() {
                        self.made.insert(name, made);
                    }
                }
                self.same[i.index()] = j;
            }
        }
    }

    /// The first steps of each role instance.
    fn starts(&self, system: &System) -> Vec<Vec<StepId>> {
        let mut starts = vec![Vec::new(); system.instances.len()];
        let mut ways = vec![system.root];
        while let Some(at) = ways.pop() {
            let step = system.step(at);
            if let Some(role) = self.role(step.instance) {
                starts[role.index()].push(at);
                continue;
            }
            match &step.action {
                Action::Nil => {}
                Action::Fork(parts) => ways.extend(parts.iter().rev()),
                Action::Output { next, .. }
                | Action::Input { next, .. }
                | Action::Event { next, .. }
                | Action::Phase { next, .. } => ways.push(*next),
                Action::Test {
                    then, otherwise, ..
                } => ways.extend([*otherwise, *then]),
            }
        }
        starts
    }
}

/// Two role instances, side by side.
struct Comparison<'a> {
    store: &'a TermStore,
    system: &'a System,
    names: &'a Names,
    roles: (InstanceId, InstanceId),
    variables: FxHashMap<u32, u32>,
    /// Names of the first, and those of the second that they stand for; and the other way round.
    to: FxHashMap<NameId, NameId>,
    from: FxHashMap<NameId, NameId>,
}

impl Comparison<'_> {
    fn all(&mut self, a: &[StepId], b: &[StepId]) -> bool {
        let mut pairs: Vec<(StepId, StepId)> = a.iter().copied().zip(b.iter().copied()).collect();
        if a.len() != b.len() {
            return false;
        }
        while let Some((a, b)) = pairs.pop() {
            match (&self.system.step(a).action, &self.system.step(b).action) {
                (Action::Nil, Action::Nil) => {}
                (Action::Fork(a), Action::Fork(b)) if a.len() == b.len() => {
                    pairs.extend(a.iter().copied().zip(b.iter().copied()));
                }
                (
                    Action::Output {
                        channel: c,
                        message: m,
                        next: a,
                    },
                    Action::Output {
                        channel: d,
                        message: n,
                        next: b,
                    },
                ) if self.term(*c, *d) && self.term(*m, *n) => pairs.push((*a, *b)),
                (
                    Action::Input {
                        channel: c,
                        binder: v,
                        next: a,
                    },
                    Action::Input {
                        channel: d,
                        binder: w,
                        next: b,
                    },
                ) if self.term(*c, *d) => {
                    self.variables.insert(*v, *w);
                    pairs.push((*a, *b));
                }
                (
                    Action::Test {
                        test: t,
                        then: a,
                        otherwise: x,
                    },
                    Action::Test {
                        test: u,
                        then: b,
                        otherwise: y,
                    },
                ) if t.binds.len() == u.binds.len() && t.equations.len() == u.equations.len() => {
                    let binds = t.binds.iter().copied().zip(u.binds.iter().copied());
                    self.variables.extend(binds);
                    let mut equations = t.equations.iter().zip(&u.equations);
                    if !equations.all(|(e, f)| self.term(e.0, f.0) && self.term(e.1, f.1)) {
                        return false;
                    }
                    pairs.extend([(*a, *b), (*x, *y)]);
                }
                (
                    Action::Event {
                        event: e,
                        args: s,
                        actors: v,
                        next: a,
                    },
                    Action::Event {
                        event: f,
                        args: t,
                        actors: w,
                        next: b,
                    },
                ) if e == f && self.terms(s, t) && self.terms(v, w) => pairs.push((*a, *b)),
                (Action::Phase { number: m, next: a }, Action::Phase { number: n, next: b })
                    if m == n =>
                {
                    pairs.push((*a, *b));
                }
                _ => return false,
            }
        }
        true
    }

    fn terms(&mut self, a: &[TermId], b: &[TermId]) -> bool {
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.term(*a, *b))
    }

    fn term(&mut self, a: TermId, b: TermId) -> bool {
        let facts = self.store.facts(a);
        if a == b && !facts.has_var && !facts.has_secret {
            return true;
        }
        match (self.store.view(a), self.store.view(b)) {
            // Each variable is bound at one place.
            (View::Var(v), View::Var(w)) => self.variables.get(&v).map_or(v == w, |u| *u == w),
            (View::Name(n), View::Name(m)) => self.name(n, m),
            _ => {
                let (a, b) = (self.store.node(a), self.store.node(b));
                a.op == b.op && self.terms(&a.args, &b.args)
            }
        }
    }

    fn name(&mut self, n: NameId, m: NameId) -> bool {
        if self.store.name_info(n).class != NameClass::Restricted {
            return n == m;
        }
        let role = |name| self.names.made.get(&name).and_then(|made| made.role);
        if role(n) == Some(self.roles.0) && role(m) == Some(self.roles.1) {
            return *self.to.entry(n).or_insert(m) == m && *self.from.entry(m).or_insert(n) == n;
        }
        n == m && role(n).is_none()
    }
}
