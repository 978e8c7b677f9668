//! Whom a message is meant for, and from whom one is expected.
//!
//! A process names a channel, not a partner. Who talks to whom is read off the honest run: if the first output of
//! `Init(A, B)` goes to `Resp(B, A)`, then that output is for the agent in the second argument, and the same output of
//! `Init(A, C)` is for C. Partners are remembered by place in the source, relative to the instance, so that they can
//! be carried over to any other instance of the definition. Where no honest run tells, it is the other agent among the
//! arguments.

use super::owner::Owner;
use super::values::Values;
use crate::process::{Action, InstanceId, StepId, System};
use crate::search::HonestMove;
use crate::source::Span;
use crate::term::{TermId, TermStore, View};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A partner relative to an instance.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Address {
    /// The argument of this number.
    Argument(usize),
    /// The value of the variable bound here.
    Bound(Span),
    /// Always the same agent.
    Fixed(TermId),
    /// The role of this name.
    Role(Arc<str>),
}

/// The partners of all outputs and inputs that took part in an honest run.
#[derive(Clone, Debug, Default)]
pub struct Addresses {
    book: FxHashMap<Span, Address>,
}

impl Addresses {
    /// Reads an honest run. The first delivery decides.
    pub fn learn(store: &TermStore, system: &System, run: &[HonestMove]) -> Self {
        let values = Values::of_honest(store, system, run);
        let mut addresses = Addresses::default();
        for m in run {
            if let HonestMove::Deliver { from, to, .. } = m {
                for (step, partner) in [(*from, *to), (*to, *from)] {
                    let role = system.role_of(system.step(partner).instance);
                    let partner = Owner::of(store, system, role, &values);
                    if let Some(address) = relative(store, system, step, &partner, &values) {
                        addresses
                            .book
                            .entry(system.step(step).span)
                            .or_insert(address);
                    }
                }
            }
        }
        addresses
    }

    /// The partner of an output or input in a run with these values.
    pub fn partner(
        &self,
        store: &TermStore,
        system: &System,
        step: StepId,
        values: &Values,
    ) -> Option<Owner> {
        let Some(address) = self.book.get(&system.step(step).span) else {
            return other_agent(store, system, step, values);
        };
        let role = system.role_of(system.step(step).instance);
        let agent = match address {
            Address::Argument(i) => *system.instance(role).args.get(*i)?,
            Address::Bound(span) => variables(system, role)
                .into_iter()
                .find(|v| system.vars[*v as usize].span == *span)
                .map(|v| store.var(v))?,
            Address::Fixed(agent) => *agent,
            Address::Role(label) => return Some(Owner::Role(label.clone())),
        };
        let agent = values.of(store, agent);
        store.is_ground(agent).then_some(Owner::Agent(agent))
    }
}

/// How an instance could name its partner.
fn relative(
    store: &TermStore,
    system: &System,
    step: StepId,
    partner: &Owner,
    values: &Values,
) -> Option<Address> {
    let agent = match partner {
        Owner::Role(label) => return Some(Address::Role(label.clone())),
        Owner::Agent(agent) => *agent,
    };
    let role = system.role_of(system.step(step).instance);
    let args = &system.instance(role).args;
    if let Some(i) = args.iter().position(|a| values.of(store, *a) == agent) {
        return Some(Address::Argument(i));
    }
    let bound = variables(system, role)
        .into_iter()
        .find(|v| values.of(store, store.var(*v)) == agent)
        .map(|v| Address::Bound(system.vars[v as usize].span));
    let fixed = matches!(store.view(agent), View::Name(_)).then_some(Address::Fixed(agent));
    bound.or(fixed)
}

/// The variables that a role instance binds.
fn variables(system: &System, role: InstanceId) -> Vec<u32> {
    let mut found: Vec<u32> = system
        .steps
        .iter()
        .filter(|s| system.role_of(s.instance) == role)
        .flat_map(|s| match &s.action {
            Action::Input { binder, .. } => vec![*binder],
            Action::Test { test, .. } => test.binds.clone(),
            _ => Vec::new(),
        })
        .collect();
    found.sort_unstable();
    found
}

/// The first agent among the arguments that is not the owner.
fn other_agent(store: &TermStore, system: &System, step: StepId, values: &Values) -> Option<Owner> {
    let role = system.role_of(system.step(step).instance);
    let owner = Owner::of(store, system, role, values);
    system
        .instance(role)
        .actors
        .iter()
        .map(|a| values.of(store, *a))
        .map(Owner::Agent)
        .find(|a| *a != owner)
}
