//! What becomes of a message at a waiting input: the tests up to the next wait, and the declared types.
//!
//! A message may be a written one, with variables for what its sender will have received by then: it may be accepted if
//! the variables can be filled in. That is asked to see who could help, without running anybody.

use super::Types;
use super::party::Stage;
use super::state::Thread;
use crate::attacker::solver::Typing;
use crate::process::{Action, StepId, System, Test, TestKind, Type};
use crate::term::{Subst, TermId, TermStore, View, unify};

/// The place where a message is refused.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    /// The test, or the input if it is a matter of the type.
    pub step: StepId,
    pub why: Why,
}

/// Why a message is refused.
#[derive(Clone, Debug)]
pub(super) enum Why {
    /// These are not equal.
    Unequal(Vec<(TermId, TermId)>),
    /// A variable would take a value of another type.
    Type { value: TermId, declared: Type },
}

/// Which atoms a test may bind.
fn rank(store: &TermStore, t: TermId) -> Option<u32> {
    matches!(store.view(t), View::Var(_)).then_some(0)
}

/// The values that a test binds, if it is passed.
pub(super) fn solve(
    store: &TermStore,
    test: &Test,
    equations: &[(TermId, TermId)],
) -> Option<Vec<(u32, TermId)>> {
    let mut subst = Subst::new();
    let value = |v: &u32, subst: &Subst| (*v, subst.resolve(store, store.var(*v)));
    unify(store, equations, &|t| rank(store, t), &mut subst)
        .then(|| test.binds.iter().map(|v| value(v, &subst)).collect())
}

/// Whether a test looks at something that was received.
pub(super) fn looks_at_received(store: &TermStore, test: &Test) -> bool {
    let mut found = false;
    for (a, b) in &test.equations {
        for side in [*a, *b] {
            store.visit(side, &mut |t| {
                found |= matches!(store.view(t), View::Var(v) if !test.binds.contains(&v));
                !found && store.facts(t).has_var
            });
        }
    }
    found
}

/// The variables that take what was received, or a part of it.
pub(super) fn received(store: &TermStore, system: &System) -> Vec<bool> {
    let mut received = vec![false; system.vars.len()];
    for step in &system.steps {
        match &step.action {
            Action::Input { binder, .. } => received[*binder as usize] = true,
            Action::Test { test, .. } if looks_at_received(store, test) => {
                for v in &test.binds {
                    received[*v as usize] = true;
                }
            }
            _ => {}
        }
    }
    received
}

impl Stage<'_> {
    /// Whether a value is what a variable was declared for.
    pub fn fits(&self, var: u32, value: TermId) -> bool {
        let declared = self.typing.var(var);
        match self.store.view(value) {
            View::Var(v) => Typing::meet(declared, self.typing.var(v)).is_some(),
            _ if self.types == Types::Exact => self.typing.fits(self.store, value, declared),
            View::Tuple(_) => matches!(declared, Type::Msg | Type::Data),
            _ if self.store.node(value).op.is_sealed() => {
                matches!(declared, Type::Msg | Type::Sym | Type::Data)
                    || self.typing.fits(self.store, value, declared)
            }
            _ => self.typing.fits(self.store, value, declared),
        }
    }

    /// Offers a message to a thread; `None` if it does not wait for input on this channel.
    pub fn offer(
        &self,
        thread: &Thread,
        channel: TermId,
        message: TermId,
    ) -> Option<Result<(), Refusal>> {
        let store = self.store;
        let Action::Input {
            channel: on,
            binder,
            next,
        } = &self.system.step(thread.step).action
        else {
            return None;
        };
        let rank = |t: TermId| rank(store, t);
        let mut values = self.system.bindings(store, thread.step, &thread.env);
        if !unify(store, &[(*on, channel)], &rank, &mut values) {
            return None;
        }
        let binder = store.var(*binder);
        // Nobody is served by what it would send after having been served.
        if !unify(store, &[(binder, message)], &rank, &mut values) {
            return None;
        }
        let result = self.accept(thread.step, &[binder], *next, &mut values);
        // What the sender will have received has its types too.
        let sendable = values
            .iter()
            .all(|(var, value)| match self.store.view(var) {
                View::Var(v) if self.received[v as usize] => {
                    self.fits(v, values.resolve(store, value))
                }
                _ => true,
            });
        (result.is_err() || sendable).then_some(result)
    }

    fn accept(
        &self,
        input: StepId,
        bound: &[TermId],
        next: StepId,
        values: &mut Subst,
    ) -> Result<(), Refusal> {
        let store = self.store;
        self.typed(input, bound, values)?;
        let mut step = next;
        while let Action::Test {
            test,
            then,
            otherwise,
        } = &self.system.step(step).action
        {
            let rank = |t: TermId| rank(store, t);
            if test.kind == TestKind::Rule {
                let mut fitting = values.clone();
                let bound: Vec<TermId> = test.binds.iter().map(|v| store.var(*v)).collect();
                if unify(store, &test.equations, &rank, &mut fitting)
                    && self.accept(step, &bound, *then, &mut fitting).is_ok()
                {
                    *values = fitting;
                    return Ok(());
                }
                step = *otherwise;
                continue;
            }
            if !unify(store, &test.equations, &rank, values) {
                if test.has_else {
                    return Ok(());
                }
                let value = |t: TermId| values.resolve(store, t);
                let sides = test.equations.iter();
                let sides = sides.map(|(a, b)| (value(*a), value(*b))).collect();
                return Err(Refusal {
                    step,
                    why: Why::Unequal(sides),
                });
            }
            if looks_at_received(store, test) {
                let bound: Vec<TermId> = test.binds.iter().map(|v| store.var(*v)).collect();
                self.typed(step, &bound, values)?;
            }
            step = *then;
        }
        Ok(())
    }

    fn typed(&self, step: StepId, bound: &[TermId], values: &Subst) -> Result<(), Refusal> {
        for var in bound {
            let View::Var(v) = self.store.view(*var) else {
                continue;
            };
            let value = values.resolve(self.store, *var);
            if !self.fits(v, value) {
                return Err(Refusal {
                    step,
                    why: Why::Type {
                        value,
                        declared: self.typing.var(v),
                    },
                });
            }
        }
        Ok(())
    }

    /// Whether an output may serve a thread that waits for input.
    pub fn may_serve(&self, output: StepId, thread: &Thread) -> bool {
        match &self.system.step(output).action {
            Action::Output {
                channel, message, ..
            } => matches!(self.offer(thread, *channel, *message), Some(Ok(()))),
            _ => false,
        }
    }

    /// Whether an act may help a thread that waits to send on a channel that nobody outside hears: it receives there, or makes the
    /// channel known.
    pub fn may_hear(&self, act: StepId, wanted: TermId) -> bool {
        let store = self.store;
        let may_be = |t: TermId| {
            let rank = |t: TermId| rank(store, t);
            unify(store, &[(t, wanted)], &rank, &mut Subst::new())
        };
        match &self.system.step(act).action {
            Action::Input { channel, .. } => may_be(*channel),
            Action::Output { message, .. } => {
                let mut found = false;
                store.visit(*message, &mut |t| {
                    found |= t == wanted;
                    !found
                });
                found
            }
            _ => false,
        }
    }
}
