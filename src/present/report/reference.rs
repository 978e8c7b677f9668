//! What an honest run tells about the roles: whom a message is meant for, from whom one is expected, and what kind of
//! thing a variable usually holds.
//!
//! A process names a channel, not a partner. Who talks to whom is read off the honest run: if the first output of
//! `Init(A, B)` goes to `Resp(B, A)`, then that output is for the agent in the second argument, and the same output of
//! `Init(A, C)` is for C. Partners are remembered by place in the source, relative to the instance, so that they can
//! be carried over to any other instance of the definition. Where no honest run tells, it is the other agent among the
//! arguments.

use super::company::Company;
use super::owner::Owner;
use super::values::Values;
use crate::base::source::Span;
use crate::engine::honest::{HonestMove, HonestRun};
use crate::process::{Action, Program, StepId, System};
use crate::term::{Printed, TermId, TermStore, View};
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

/// What a term is at its outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A name.
    Name,
    /// A key of a family, or a part of a key pair.
    Key,
    /// A number.
    Number,
    /// Several things.
    Tuple,
    /// A ciphertext, signature or hash; an element of a group.
    Sealed,
}

impl Shape {
    /// The shape of a ground term.
    pub fn of(store: &TermStore, term: TermId) -> Shape {
        let op = store.node(term).op;
        match op.row().printed {
            _ if op.is_sealed() => Shape::Sealed,
            Printed::Atom if store.is_of_group(term) => Shape::Sealed,
            Printed::Tuple => Shape::Tuple,
            Printed::Number => Shape::Number,
            Printed::Declared | Printed::Suffix(_) => Shape::Key,
            Printed::Atom => Shape::Name,
            Printed::Call(_) | Printed::Braces { .. } | Printed::Infix(_) => Shape::Sealed,
        }
    }
}

/// What an honest run tells, by place in the source.
#[derive(Clone, Debug, Default)]
pub struct Reference {
    book: FxHashMap<Span, Address>,
    shapes: FxHashMap<Span, Vec<Shape>>,
}

impl Reference {
    /// Reads honest runs. The first delivery decides.
    pub fn learn<'a>(
        store: &TermStore,
        program: &Program,
        system: &System,
        runs: impl IntoIterator<Item = &'a HonestRun>,
    ) -> Self {
        let mut reference = Reference::default();
        for run in runs {
            reference.read(store, program, system, &run.moves);
        }
        reference
    }

    fn read(&mut self, store: &TermStore, program: &Program, system: &System, run: &[HonestMove]) {
        let reference = self;
        let values = Values::of_honest(store, system, run);
        for (v, info) in (0..).zip(&system.vars) {
            let value = values.of(store, store.var(v));
            if store.is_ground(value) {
                let shapes = reference.shapes.entry(info.span).or_default();
                let shape = Shape::of(store, value);
                if !shapes.contains(&shape) {
                    shapes.push(shape);
                }
            }
        }
        let company = Company::new(store, program, system, &values);
        for m in run {
            if let HonestMove::Deliver { from, to, .. } = m {
                let owner =
                    |step: StepId| company.owner(system.role_of(system.step(step).instance));
                let spied = |step: StepId| {
                    let role = system.role_of(system.step(step).instance);
                    system.is_honest(store, role) == Some(false)
                };
                // Whoever talks to a spy talks to nobody else; and with a shared key an agent may well answer itself,
                // but nobody means to.
                if owner(*from) == owner(*to) || spied(*from) || spied(*to) {
                    continue;
                }
                for (step, partner) in [(*from, *to), (*to, *from)] {
                    let partner = owner(partner);
                    if let Some(address) = relative(&company, step, &partner) {
                        reference
                            .book
                            .entry(system.step(step).span)
                            .or_insert(address);
                    }
                }
            }
        }
    }

    /// Whether the variable bound here takes something else in an honest run; `None` if it takes nothing there.
    pub fn is_unusual(&self, bound: Span, shape: Shape) -> Option<bool> {
        Some(!self.shapes.get(&bound)?.contains(&shape))
    }

    /// The partner of an output or input in a run with these values.
    pub fn partner(&self, company: &Company<'_>, step: StepId) -> Option<Owner> {
        let (store, system) = (company.store, company.system);
        let Some(address) = self.book.get(&system.step(step).span) else {
            return other_agent(company, step);
        };
        let role = system.role_of(system.step(step).instance);
        let agent = match address {
            Address::Argument(i) => *system.instance(role).args.get(*i)?,
            Address::Bound(span) => company
                .variables(role)
                .into_iter()
                .find(|v| system.vars[*v as usize].span == *span)
                .map(|v| store.var(v))?,
            Address::Fixed(agent) => *agent,
            Address::Role(label) => return Some(Owner::Role(label.clone())),
        };
        let agent = company.values.of(store, agent);
        store.is_ground(agent).then_some(Owner::Agent(agent))
    }
}

/// How an instance could name its partner.
fn relative(company: &Company<'_>, step: StepId, partner: &Owner) -> Option<Address> {
    let (store, system, values) = (company.store, company.system, &company.values);
    let agent = match partner {
        Owner::Role(label) => return Some(Address::Role(label.clone())),
        Owner::Agent(agent) => *agent,
    };
    let role = system.role_of(system.step(step).instance);
    let args = &system.instance(role).args;
    if let Some(i) = args.iter().position(|a| values.of(store, *a) == agent) {
        return Some(Address::Argument(i));
    }
    let bound = company
        .variables(role)
        .into_iter()
        .find(|v| values.of(store, store.var(*v)) == agent)
        .map(|v| Address::Bound(system.vars[v as usize].span));
    let fixed = matches!(store.view(agent), View::Name(_)).then_some(Address::Fixed(agent));
    bound.or(fixed)
}

/// The first agent among the arguments that is not the owner.
fn other_agent(company: &Company<'_>, step: StepId) -> Option<Owner> {
    let (store, system) = (company.store, company.system);
    // Where nobody listens, such as at a notice board, there is nobody whom it is for.
    if let Action::Output { channel, .. } = &system.step(step).action
        && store.is_ground(*channel)
        && !company.hears(*channel)
    {
        return None;
    }
    let role = system.role_of(system.step(step).instance);
    let owner = company.owner(role);
    let actors = company.actors(role).into_iter();
    actors.map(Owner::Agent).find(|a| *a != owner)
}
