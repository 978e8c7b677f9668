//! What tells two systems apart, as a ground experiment [Sem 5.5].
//!
//! Choices of the environment that nothing narrowed become different names of its own, which
//! satisfies Lambda. The conditions are all the checks that separated configurations on the path,
//! so that no other run of the losing side passes. Which of them are needed is found out elsewhere,
//! by replaying.

use super::node::Side;
use super::trail::{Act, Check, Recipe, Trail};
use crate::certify;
use crate::term::{FamilyKind, NameClass, Op, TermStore};
use std::sync::Arc;

/// What the run ends with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Only one side can take the last action.
    Action,
    /// Both can take the last action, but what the environment hears differs.
    Message,
}

/// A run of the environment that only one side can answer.
#[derive(Clone, Debug)]
pub struct Distinction {
    /// Whether the other side lacks the last action or answers it differently.
    pub reason: Reason,
    /// The run as a test; the side that passes it has the run.
    pub experiment: certify::Experiment,
    /// No run with fewer actions tells the systems apart; not known if runs were compressed.
    pub shortest: bool,
}

impl Distinction {
    /// The run of a trail.
    pub(crate) fn new(
        store: &TermStore,
        side: Side,
        reason: Reason,
        trail: &Trail,
        shortest: bool,
    ) -> Self {
        let ground = |r: &Arc<Recipe>| grounded(store, &trail.resolve(r));
        let actions = trail.acts.iter().map(|a| match a {
            Act::Hear { channel } => certify::Probe::Hear {
                channel: ground(channel),
            },
            Act::Send { channel, message } => certify::Probe::Send {
                channel: ground(channel),
                message: ground(message),
            },
        });
        let mut conditions: Vec<certify::Condition> = Vec::new();
        for seen in &trail.seen {
            let condition = match (&seen.check, seen.holds) {
                (Check::Equal(a, b), true) => certify::Condition::Equal(ground(a), ground(b)),
                (Check::Equal(a, b), false) => certify::Condition::Different(ground(a), ground(b)),
                (Check::Computes(r), true) => certify::Condition::Succeeds(ground(r)),
                (Check::Computes(r), false) => certify::Condition::Fails(ground(r)),
            };
            if !conditions.contains(&condition) {
                conditions.push(condition);
            }
        }
        Self {
            reason,
            experiment: certify::Experiment {
                actions: actions.collect(),
                conditions,
                passes: side,
            },
            shortest,
        }
    }
}

/// A resolved recipe with a name of the environment's own for each choice left.
fn grounded(store: &TermStore, recipe: &Recipe) -> Arc<certify::Recipe> {
    let all = |args: &[Arc<Recipe>]| args.iter().map(|a| grounded(store, a)).collect();
    Arc::new(match recipe {
        Recipe::Initial(i) => certify::Recipe::Initial(*i),
        Recipe::Heard(i) => certify::Recipe::Heard(*i),
        Recipe::Choice(c) => {
            certify::Recipe::Constant(store.name(NameClass::Attacker, "e", *c + 1))
        }
        Recipe::Constant(t) => certify::Recipe::Constant(*t),
        Recipe::Apply(Op::Family(f), args) => certify::Recipe::Member(*f, all(args)),
        Recipe::Apply(Op::Pub, args) => match args.first().map(|a| &**a) {
            Some(Recipe::Apply(Op::Family(f), inner))
                if store.family_info(*f).kind == FamilyKind::KeyPair =>
            {
                certify::Recipe::PublicPart(*f, all(inner))
            }
            _ => certify::Recipe::Build(Op::Pub, all(args)),
        },
        Recipe::Apply(op, args) => certify::Recipe::Build(*op, all(args)),
        Recipe::Part(of, index, arity) => certify::Recipe::Part {
            of: grounded(store, of),
            index: *index,
            arity: *arity,
        },
        Recipe::Predecessor(of) => certify::Recipe::Predecessor(grounded(store, of)),
        Recipe::Destruct(d, args) => certify::Recipe::Destruct(*d, all(args)),
        Recipe::Open(how, of, key) => {
            certify::Recipe::Open(*how, grounded(store, of), grounded(store, key))
        }
    })
}
