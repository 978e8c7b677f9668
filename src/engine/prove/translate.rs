//! A system as clauses: what each step adds to what is known, if what comes before it has happened.
//!
//! A step's conditions are the messages received on the way to it, as the tests on the way want them; what an output sends is its
//! conclusion. More happens in the clauses than in the system, never less: steps may happen again, a
//! sender does not wait, a branch `else` is always open. The role instances at the top of the system run any number of
//! times, so of equal ones the first stands for all.

use super::clause::{Clause, Fact, Kind};
use super::initial_knowledge::Known;
use super::names::{Origin, origins, top};
use super::orders::{self, Orders, undecided};
use super::terms::{Args, LARGEST, Renaming, Term, Terms, Unifier};
use super::times::Times;
use super::{Detail, Options};
use crate::attacker::knowledge::is_constant;
use crate::base::limits::Budgets;
use crate::engine::search::Goal;
use crate::process::{Action, EventId, InstanceId, StepId, System, Test};
use crate::term::{NameClass, NameId, Op, TermId, TermStore, View, ranges};
use rustc_hash::FxHashMap;
use smallvec::smallvec;

/// Steps before it is asked again whether to stop.
const PACE: u32 = 256;

/// The way to a step: what was received, in terms over the variables below `fresh`.
#[derive(Clone)]
struct Way {
    step: StepId,
    conditions: Vec<Fact>,
    /// Values of the system's variables.
    values: FxHashMap<u32, Term>,
    inputs: Vec<Term>,
    /// The run, once the way is in a role instance.
    run: Option<(InstanceId, Term)>,
    fresh: u32,
    /// The orders of the joint keys.
    orders: Orders,
    phase: u8,
}

pub(super) struct Translation<'a> {
    pub store: &'a TermStore,
    system: &'a System,
    goal: &'a Goal,
    pub origins: FxHashMap<NameId, Origin>,
    pub terms: Terms,
    known: Known<'a>,
    pub clauses: Vec<Clause>,
    pub times: Times,
    detail: Detail,
}

impl<'a> Translation<'a> {
    pub(super) fn new(
        store: &'a TermStore,
        system: &'a System,
        goal: &'a Goal,
        detail: Detail,
        options: Options,
    ) -> Option<Self> {
        (system.steps.len() <= options.budgets.proof_steps).then(|| Self {
            store,
            system,
            goal,
            origins: origins(store, system, detail == Detail::Received),
            terms: Terms::default(),
            known: Known { store, options },
            clauses: Vec::new(),
            times: Times::of(system),
            detail,
        })
    }

    /// How much is tried.
    pub(super) fn budgets(&self) -> &Budgets {
        &self.known.options.budgets
    }

    /// The clauses of all steps; `None` if something is not expressed here, or if it is to be stopped.
    pub(super) fn steps(&mut self, stop: &dyn Fn() -> bool) -> Option<()> {
        let equal = self.first_of_equal();
        let mut ways = vec![Way {
            step: self.system.root,
            conditions: Vec::new(),
            values: FxHashMap::default(),
            inputs: Vec::new(),
            run: None,
            fresh: 0,
            orders: Orders::new(),
            phase: 0,
        }];
        let mut done = 0u32;
        while let Some(mut way) = ways.pop() {
            done += 1;
            if done.is_multiple_of(PACE) && stop() {
                return None;
            }
            let step = self.system.step(way.step);
            if let Some(instance) = top(self.system, step.instance) {
                if equal[instance.index()] != instance {
                    continue;
                }
                if way.run.is_none() {
                    way.run = Some((instance, self.terms.var(way.fresh)));
                    way.fresh += 1;
                }
            }
            if way.conditions.len() > self.budgets().proof_conditions || self.terms.is_exhausted() {
                return None;
            }
            if let Some(key) = undecided(self.store, &step.action.terms(), &way.orders) {
                if way.orders.len() == self.budgets().proof_keys {
                    return None;
                }
                for exchanged in [true, false] {
                    let mut way = way.clone();
                    way.orders.push((key, exchanged));
                    ways.push(way);
                }
                continue;
            }
            match &step.action {
                Action::Nil => {}
                Action::Fork(parts) => ways.extend(parts.iter().rev().map(|p| Way {
                    step: *p,
                    ..way.clone()
                })),
                Action::Output {
                    channel,
                    message,
                    next,
                } => {
                    let since = self.times.since(&mut self.terms, way.phase, way.fresh);
                    let conclusion = self.traffic(&way, *channel, *message, since)?;
                    if let (Kind::Message, Some(_)) = (conclusion.kind, since) {
                        // Who has the channel now hears it, and has it from now on.
                        let now = self.times.within(&mut self.terms, way.phase);
                        let mut conditions = way.conditions.clone();
                        conditions.push(Fact::attacker(conclusion.args[0]).at(now));
                        let heard = Fact::attacker(conclusion.args[1]).at(since);
                        self.add(conditions, heard);
                    }
                    self.add(way.conditions.clone(), conclusion);
                    way.step = *next;
                    ways.push(way);
                }
                Action::Input {
                    channel,
                    binder,
                    next,
                } => {
                    let received = self.terms.var(way.fresh);
                    way.fresh += 1;
                    way.values.insert(*binder, received);
                    let within = self.times.within(&mut self.terms, way.phase);
                    let condition =
                        self.traffic(&way, *channel, self.store.var(*binder), within)?;
                    way.conditions.push(condition);
                    if self.detail == Detail::Received {
                        let place = self.place(&way);
                        way.conditions.push(Fact {
                            kind: Kind::Received,
                            args: smallvec![place, received],
                        });
                    }
                    way.inputs.push(received);
                    way.step = *next;
                    ways.push(way);
                }
                Action::Test {
                    test,
                    then,
                    otherwise,
                } => {
                    let failed = Way {
                        step: *otherwise,
                        ..way.clone()
                    };
                    way.step = *then;
                    ways.push(failed);
                    ways.extend(self.passed(way, test)?);
                }
                Action::Phase { number, next } => {
                    way.phase = *number;
                    way.step = *next;
                    ways.push(way);
                }
                Action::Event {
                    event,
                    args,
                    actors,
                    next,
                } => {
                    let spies = actors.iter().any(|a| self.store.is_spy(*a));
                    self.event(&mut way, *event, args, spies)?;
                    way.step = *next;
                    ways.push(way);
                }
            }
        }
        Some(())
    }

    /// For each instance at the top the first with the same definition and arguments.
    fn first_of_equal(&self) -> Vec<InstanceId> {
        let instances = &self.system.instances;
        let comparable = |i: usize| {
            let ground = |t: &TermId| self.store.is_ground(*t);
            let own_parent = instances[i].parent.map(InstanceId::index) == Some(0);
            own_parent && !instances[i].continues && instances[i].args.iter().all(ground)
        };
        let same = |i: usize, j: usize| {
            instances[i].def == instances[j].def
                && instances[i].args == instances[j].args
                && comparable(j)
        };
        (0..instances.len())
            .map(|i| {
                let first = (0..i).find(|j| comparable(i) && same(i, *j));
                InstanceId(first.unwrap_or(i) as u32)
            })
            .collect()
    }

    fn add(&mut self, conditions: Vec<Fact>, conclusion: Fact) {
        let simple = Clause::simple(&mut self.terms, &self.known, conditions, conclusion);
        self.clauses.extend(simple);
    }

    /// A message on a channel: the attacker's at this time if the channel is public. Others speak and listen in one phase.
    fn traffic(
        &mut self,
        way: &Way,
        channel: TermId,
        message: TermId,
        time: Option<Term>,
    ) -> Option<Fact> {
        let message = self.term(way, message)?;
        if is_constant(self.store, channel) {
            return Some(Fact::attacker(message).at(time));
        }
        let fact = Fact {
            kind: Kind::Message,
            args: smallvec![self.term(way, channel)?, message],
        };
        Some(fact.at(self.times.within(&mut self.terms, way.phase)))
    }

    fn event(&mut self, way: &mut Way, event: EventId, args: &[TermId], spies: bool) -> Option<()> {
        let (after, before) = match self.goal {
            Goal::LeakAfter { event, .. } => (Some(event.event), None),
            Goal::Disagreement { after, before, .. } => (Some(after.event), Some(before.event)),
            _ => (None, None),
        };
        let args = |this: &mut Self, way: &Way| -> Option<Args> {
            args.iter().map(|t| this.term(way, *t)).collect()
        };
        if after == Some(event) && !spies {
            let mut told = args(self, way)?;
            told.push(self.place(way));
            let conclusion = Fact {
                kind: Kind::After,
                args: told,
            };
            self.add(way.conditions.clone(), conclusion);
        }
        if before == Some(event) {
            let happened = Fact {
                kind: Kind::Before,
                args: args(self, way)?,
            };
            way.conditions.push(happened);
        }
        Some(())
    }

    /// The step of the run. Each happens once.
    fn place(&mut self, way: &Way) -> Term {
        let run = way.run.map(|(_, run)| run).into_iter().collect();
        self.terms.make(Op::Index(way.step.0), run)
    }

    /// The way after a test that was passed; none if it can't be.
    fn passed(&mut self, mut way: Way, test: &Test) -> Option<Vec<Way>> {
        for v in &test.binds {
            let value = self.terms.var(way.fresh);
            way.fresh += 1;
            way.values.insert(*v, value);
        }
        let mut unifier = Unifier::default();
        for (a, b) in &test.equations {
            let (a, b) = (self.term(&way, *a)?, self.term(&way, *b)?);
            if !unifier.unify(&self.terms, (a, 0), (b, 0)) {
                return Some(Vec::new());
            }
        }
        let mut renaming = Renaming::default();
        let terms = &mut self.terms;
        // The run first: it keeps being a variable.
        if let Some((_, run)) = &mut way.run {
            *run = unifier.resolve(terms, *run, 0, &mut renaming);
        }
        for input in &mut way.inputs {
            *input = unifier.resolve(terms, *input, 0, &mut renaming);
        }
        for fact in &mut way.conditions {
            *fact = fact.resolve(terms, &unifier, 0, &mut renaming);
        }
        let mut variables: Vec<u32> = way.values.keys().copied().collect();
        variables.sort_unstable();
        for v in variables {
            let value = unifier.resolve(terms, way.values[&v], 0, &mut renaming);
            way.values.insert(v, value);
        }
        way.fresh = renaming.count();
        Some(vec![way])
    }

    /// A term of the system on the way; `None` if it has something that is not expressed here.
    fn term(&mut self, way: &Way, t: TermId) -> Option<Term> {
        let store = self.store;
        if store.facts(t).size > LARGEST {
            return None;
        }
        match store.view(t) {
            View::Var(v) => way.values.get(&v).copied(),
            View::Generic(_) | View::Index(_) => None,
            View::Name(n) if store.name_info(n).class == NameClass::Restricted => {
                let origin = *self.origins.get(&n)?;
                let mut args = Args::new();
                if let Some(instance) = origin.run {
                    let (here, run) = way.run?;
                    if here != instance {
                        return None;
                    }
                    args.push(run);
                }
                args.extend(way.inputs.get(..origin.inputs)?.iter().copied());
                Some(self.terms.make(Op::Name(n), args))
            }
            View::Joint(..) => {
                let [share, exponent] = orders::arguments(store, t, &way.orders);
                let args = smallvec![self.term(way, share)?, self.term(way, exponent)?];
                Some(self.terms.make(Op::Joint, args))
            }
            _ => {
                let node = store.node(t);
                let args = node.args.iter().map(|a| self.term(way, *a));
                let args = args.collect::<Option<Args>>()?;
                Some(self.terms.make(node.op, args))
            }
        }
    }

    /// A term of a claim, in these orders of its keys: its variables are numbered by `variables`, names are those of any run.
    pub(super) fn claimed(
        &mut self,
        t: TermId,
        orders: &Orders,
        variables: &mut Vec<u32>,
    ) -> Option<Term> {
        let store = self.store;
        if store.facts(t).size > LARGEST {
            return None;
        }
        let number = |v: u32, variables: &mut Vec<u32>| {
            let known = variables.iter().position(|w| *w == v);
            known.unwrap_or_else(|| {
                variables.push(v);
                variables.len() - 1
            }) as u32
        };
        match store.view(t) {
            View::Var(v) => {
                let v = number(v, variables);
                Some(self.terms.var(v))
            }
            View::Generic(_) | View::Index(_) => None,
            View::Name(n) if store.name_info(n).class == NameClass::Restricted => {
                let origin = *self.origins.get(&n)?;
                let count = origin.inputs + usize::from(origin.run.is_some());
                let mut args = Args::new();
                for _ in 0..count {
                    variables.push(ranges::UNSEEN.start + variables.len() as u32);
                    args.push(self.terms.var(variables.len() as u32 - 1));
                }
                Some(self.terms.make(Op::Name(n), args))
            }
            View::Joint(..) => {
                if undecided(store, &[t], orders).is_some() {
                    return None;
                }
                let [share, exponent] = orders::arguments(store, t, orders);
                let share = self.claimed(share, orders, variables)?;
                let exponent = self.claimed(exponent, orders, variables)?;
                Some(self.terms.make(Op::Joint, smallvec![share, exponent]))
            }
            _ => {
                let node = store.node(t);
                let args = node
                    .args
                    .iter()
                    .map(|a| self.claimed(*a, orders, variables));
                let args = args.collect::<Option<Args>>()?;
                Some(self.terms.make(node.op, args))
            }
        }
    }

    /// What the attacker has from the start beyond public names.
    pub(super) fn knows(&mut self, knows: &[TermId]) -> Option<()> {
        for t in knows {
            for orders in orders::all(self.store, &[*t], self.budgets().proof_keys)? {
                let mut variables = Vec::new();
                let t = self.claimed(*t, &orders, &mut variables)?;
                let fresh = variables.len() as u32;
                let since = self.times.since(&mut self.terms, 0, fresh);
                self.add(Vec::new(), Fact::attacker(t).at(since));
            }
        }
        Some(())
    }

    pub(super) fn known(&self) -> Known<'a> {
        self.known
    }
}
