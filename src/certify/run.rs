//! A concrete run of an unfolded system: which steps are ready, and the values of the variables.
//!
//! Variables are numbered apart and each step runs at most once, so one table of values serves all threads. Forks,
//! tests and creation marks run as soon as they are reached: tests are deterministic, and a thread's private steps
//! neither enable nor disable those of another, so their timing can't matter.

use super::CertifyError;
use super::matching::{Outcome, evaluate};
use crate::process::{Action, EventId, StepId, System};
use crate::term::{Subst, TermId, TermStore, View};
use std::collections::BTreeMap;

/// A test that was evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checked {
    /// The test's step.
    pub step: StepId,
    /// Whether it succeeded.
    pub passed: bool,
    /// The values it bound.
    pub bound: Vec<(u32, TermId)>,
}

/// What an agent mark of a restricted name recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Created {
    /// The name.
    pub name: TermId,
    /// The agents of the instance that made it.
    pub actors: Vec<TermId>,
}

/// A system in the middle of a run.
#[derive(Clone, Debug)]
pub(crate) struct Run<'a> {
    pub store: &'a TermStore,
    pub system: &'a System,
    /// Steps that could run next, outputs, inputs and events, and those that wait for a phase; in the order of their numbers.
    pub ready: Vec<StepId>,
    /// The phase of the run.
    pub phase: u8,
    /// Values of the variables bound so far.
    pub values: BTreeMap<u32, TermId>,
    /// Names made by instances whose agents are known only at run time.
    pub created: Vec<Created>,
}

impl<'a> Run<'a> {
    /// The system before anything happened, and the tests that ran already.
    pub(crate) fn start(
        store: &'a TermStore,
        system: &'a System,
    ) -> Result<(Self, Vec<Checked>), CertifyError> {
        let mut run = Self {
            store,
            system,
            ready: Vec::new(),
            phase: 0,
            values: BTreeMap::new(),
            created: Vec::new(),
        };
        let checked = run.reach(system.root)?;
        Ok((run, checked))
    }

    /// The term with the variables' values.
    pub(crate) fn value(&self, t: TermId) -> TermId {
        if self.store.is_ground(t) {
            return t;
        }
        self.store
            .map_atoms(t, &mut |atom| match self.store.view(atom) {
                View::Var(v) => self.values.get(&v).copied(),
                _ => None,
            })
    }

    /// The values of the variables that occur in some equations.
    fn values_in(&self, equations: &[(TermId, TermId)]) -> Subst {
        let mut values = Subst::new();
        for side in equations.iter().flat_map(|(a, b)| [*a, *b]) {
            self.store.visit(side, &mut |t| {
                if let View::Var(v) = self.store.view(t)
                    && let Some(value) = self.values.get(&v)
                    && values.get(t).is_none()
                {
                    values.bind(t, *value);
                }
                self.store.facts(t).has_var
            });
        }
        values
    }

    /// The terms with the variables' values.
    pub(crate) fn all_values(&self, terms: &[TermId]) -> Vec<TermId> {
        terms.iter().map(|t| self.value(*t)).collect()
    }

    /// The action of a step that is ready.
    pub(crate) fn ready_action(&self, step: StepId) -> Option<&'a Action> {
        self.ready
            .binary_search(&step)
            .is_ok()
            .then(|| &self.system.step(step).action)
    }

    /// Lets a ready step run; an input takes `message`. Returns the tests evaluated on the way.
    pub(crate) fn take(
        &mut self,
        step: StepId,
        message: Option<TermId>,
    ) -> Result<Vec<Checked>, CertifyError> {
        if let Ok(at) = self.ready.binary_search(&step) {
            self.ready.remove(at);
        }
        match &self.system.step(step).action {
            Action::Output { next, .. } | Action::Event { next, .. } => self.reach(*next),
            Action::Input { binder, next, .. } => {
                let message = message.ok_or(CertifyError::WrongAction { step })?;
                self.values.insert(*binder, message);
                self.reach(*next)
            }
            Action::Nil | Action::Fork(_) | Action::Test { .. } | Action::Phase { .. } => {
                Err(CertifyError::WrongAction { step })
            }
        }
    }

    /// Whether somebody waits for a phase.
    pub(crate) fn awaits(&self, number: u8) -> bool {
        self.ready
            .iter()
            .any(|s| self.waits_for(*s) == Some(number))
    }

    /// The phase that a step waits for.
    fn waits_for(&self, step: StepId) -> Option<u8> {
        match self.system.step(step).action {
            Action::Phase { number, .. } => Some(number),
            _ => None,
        }
    }

    /// A phase begins [Sem 3.1]: of those who do not wait for it or a later one nothing is left, and those who wait for it go on.
    pub(crate) fn begin(&mut self, number: u8) -> Result<Vec<Checked>, CertifyError> {
        self.phase = number;
        let mut checked = Vec::new();
        for step in std::mem::take(&mut self.ready) {
            match self.system.step(step).action {
                Action::Phase { number: n, next } if n == number => {
                    checked.extend(self.reach(next)?);
                }
                Action::Phase { number: n, .. } if n > number => self.wait(step),
                _ => {}
            }
        }
        Ok(checked)
    }

    /// Runs forks, tests and creation marks from here on; what must wait becomes ready.
    fn reach(&mut self, step: StepId) -> Result<Vec<Checked>, CertifyError> {
        let mut checked = Vec::new();
        let mut work = vec![step];
        while let Some(step) = work.pop() {
            match &self.system.step(step).action {
                Action::Nil => {}
                Action::Fork(parts) => work.extend(parts.iter().rev()),
                Action::Event {
                    event: EventId::CREATED,
                    args,
                    actors,
                    next,
                } => {
                    for name in args {
                        self.created.push(Created {
                            name: *name,
                            actors: self.all_values(actors),
                        });
                    }
                    work.push(*next);
                }
                Action::Phase { number, next } if *number <= self.phase => work.push(*next),
                Action::Output { .. }
                | Action::Input { .. }
                | Action::Event { .. }
                | Action::Phase { .. } => self.wait(step),
                Action::Test {
                    test,
                    then,
                    otherwise,
                } => {
                    let values = self.values_in(&test.equations);
                    let (passed, bound) = match evaluate(self.store, test, &values) {
                        Outcome::Passed(bound) => (true, bound),
                        Outcome::Failed => (false, Subst::new()),
                        Outcome::Open => return Err(CertifyError::OpenTest { step }),
                    };
                    let bound: Vec<(u32, TermId)> = test
                        .binds
                        .iter()
                        .filter_map(|v| bound.get(self.store.var(*v)).map(|t| (*v, t)))
                        .collect();
                    self.values.extend(bound.iter().copied());
                    work.push(if passed { *then } else { *otherwise });
                    checked.push(Checked {
                        step,
                        passed,
                        bound,
                    });
                }
            }
        }
        Ok(checked)
    }

    fn wait(&mut self, step: StepId) {
        let at = self.ready.partition_point(|s| *s < step);
        self.ready.insert(at, step);
    }

    /// What an output step would send: channel and message.
    pub(crate) fn output(&self, step: StepId) -> Option<(TermId, TermId)> {
        match self.ready_action(step)? {
            Action::Output {
                channel, message, ..
            } => Some((self.value(*channel), self.value(*message))),
            _ => None,
        }
    }

    /// The channel on which an input step waits.
    pub(crate) fn input(&self, step: StepId) -> Option<TermId> {
        match self.ready_action(step)? {
            Action::Input { channel, .. } => Some(self.value(*channel)),
            _ => None,
        }
    }
}
