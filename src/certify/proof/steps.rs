//! The first clauses of a system: what each of its steps adds, if what comes before it has happened [Sem 3, 4.10].
//!
//! The tree of steps is walked once. On the way down inputs add conditions and tests add equations; what an output sends, and the
//! later event, are conclusions. A branch `else` is open whatever the test says, and nothing is done only once, so more
//! follows from the clauses than happens; never less.

use super::certificate::Kind;
use super::closure::Closure;
use super::error::{ProofError, Reason};
use super::orders::Choice;
use super::terms::{Term, Terms};
use super::translate::{Leaf, Translation};
use crate::process::{Action, EventId, StepId};
use crate::term::{NameClass, NameId, Op, TermId, TermStore, View};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The events that a claim looks at.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watched {
    /// The event that has to be preceded, or from which on something is secret.
    pub after: Option<EventId>,
    /// The event that has to precede.
    pub before: Option<EventId>,
}

/// A step to go on with, and how much of the way to the last one leads to it.
struct Fork {
    step: StepId,
    equations: usize,
    conditions: usize,
    inputs: usize,
    choice: Choice,
    phase: u8,
}

/// The way to a step.
struct Walk<'t, 'a> {
    translation: &'t Translation<'a>,
    watched: Watched,
    conditions: Vec<Term>,
    /// The variables that took what was received, and whether in a role.
    inputs: Vec<(u32, bool)>,
    /// The orders of the joint keys on the way.
    choice: Choice,
    /// The last phase that was waited for.
    phase: u8,
    /// For names that are functions of what was received: of what.
    functions: FxHashMap<NameId, SmallVec<[u32; 4]>>,
}

/// Looks for the clauses of all steps.
pub(super) fn steps(
    closure: &mut Closure<'_>,
    translation: &Translation<'_>,
    watched: Watched,
) -> Result<(), ProofError> {
    let mut walk = Walk {
        translation,
        watched,
        conditions: Vec::new(),
        inputs: Vec::new(),
        choice: Choice::default(),
        phase: 0,
        functions: FxHashMap::default(),
    };
    let mut forks = vec![walk.fork(closure, translation.system.root)];
    while let Some(fork) = forks.pop() {
        closure.equations.back_to(fork.equations);
        walk.conditions.truncate(fork.conditions);
        walk.inputs.truncate(fork.inputs);
        walk.choice = fork.choice;
        walk.phase = fork.phase;
        let mut at = fork.step;
        while let Some(next) = walk.step(closure, at, &mut forks)? {
            at = next;
        }
    }
    closure.equations.back_to(0);
    Ok(())
}

impl Walk<'_, '_> {
    fn fork(&self, closure: &Closure<'_>, step: StepId) -> Fork {
        Fork {
            step,
            equations: closure.equations.mark(),
            conditions: self.conditions.len(),
            inputs: self.inputs.len(),
            choice: self.choice.clone(),
            phase: self.phase,
        }
    }

    /// Does a step; the one after it, if there is one, with the others left in `forks`.
    fn step(
        &mut self,
        closure: &mut Closure<'_>,
        at: StepId,
        forks: &mut Vec<Fork>,
    ) -> Result<Option<StepId>, ProofError> {
        let system = self.translation.system;
        let step = system.step(at);
        let role = self.translation.names.role(step.instance);
        if role.is_some_and(|r| self.translation.names.is_another(r)) {
            return Ok(None);
        }
        if let Some([one, other]) = self
            .choice
            .split(self.translation.store, &step.action.terms())?
        {
            self.choice = other;
            forks.push(self.fork(closure, at));
            self.choice = one;
            return Ok(Some(at));
        }
        match &step.action {
            Action::Nil => Ok(None),
            Action::Fork(parts) => {
                forks.extend(parts.iter().map(|p| self.fork(closure, *p)));
                Ok(None)
            }
            Action::Output {
                channel,
                message,
                next,
            } => {
                let message = self.term(&mut closure.terms, at, *message)?;
                let since = (self.translation.times).since(&mut closure.terms, self.phase);
                let sent = self.sent(&mut closure.terms, at, *channel, message, since)?;
                closure.first(Reason::Step(at), &self.conditions, sent)?;
                if let (Some(Kind::Message), Some(_)) = (closure.terms.kind(sent), since) {
                    // Who has the channel in this phase hears it, and has it from then on.
                    let terms = &mut closure.terms;
                    let now = self.translation.times.in_phase(terms, self.phase);
                    let channel = terms.arg(sent, 0);
                    let listens = terms.attacker_at(channel, now);
                    let hears = terms.attacker_at(message, since);
                    self.conditions.push(listens);
                    closure.first(Reason::Step(at), &self.conditions, hears)?;
                    self.conditions.pop();
                }
                Ok(Some(*next))
            }
            Action::Input {
                channel,
                binder,
                next,
            } => {
                let received = closure.terms.variable(*binder);
                let now = (self.translation.times).in_phase(&mut closure.terms, self.phase);
                let sent = self.sent(&mut closure.terms, at, *channel, received, now)?;
                self.conditions.push(sent);
                if self.translation.received {
                    let place = self.translation.place(&mut closure.terms, at);
                    let fact = closure.terms.fact(Kind::Received, &[place, received]);
                    self.conditions.push(fact);
                }
                self.inputs.push((*binder, role.is_some()));
                Ok(Some(*next))
            }
            Action::Test {
                test,
                then,
                otherwise,
            } => {
                forks.push(self.fork(closure, *otherwise));
                for (a, b) in &test.equations {
                    let a = self.term(&mut closure.terms, at, *a)?;
                    let b = self.term(&mut closure.terms, at, *b)?;
                    if !closure.equations.equate(&closure.terms, a, b) {
                        return Ok(None);
                    }
                }
                Ok(Some(*then))
            }
            Action::Phase { number, next } => {
                self.phase = *number;
                Ok(Some(*next))
            }
            Action::Event {
                event,
                args,
                actors,
                next,
            } => {
                let (after, before) = (
                    self.watched.after == Some(*event)
                        && may_be_honest(self.translation.store, actors),
                    self.watched.before == Some(*event),
                );
                if after || before {
                    let mut told: SmallVec<[Term; 6]> = SmallVec::new();
                    for t in args {
                        told.push(self.term(&mut closure.terms, at, *t)?);
                    }
                    let earlier = closure.terms.fact(Kind::Before, &told);
                    if after {
                        told.push(self.translation.place(&mut closure.terms, at));
                        let later = closure.terms.fact(Kind::After, &told);
                        closure.first(Reason::Step(at), &self.conditions, later)?;
                    }
                    // From here on: an event does not come before itself.
                    if before {
                        self.conditions.push(earlier);
                    }
                }
                Ok(Some(*next))
            }
        }
    }

    /// A message on a channel: on a public one the attacker has it at this time, or has sent it. Others speak and listen in one phase.
    fn sent(
        &mut self,
        terms: &mut Terms<'_>,
        at: StepId,
        channel: TermId,
        message: Term,
        time: Option<Term>,
    ) -> Result<Term, ProofError> {
        if self.translation.is_open(channel) {
            return Ok(terms.attacker_at(message, time));
        }
        let channel = self.term(terms, at, channel)?;
        let now = self.translation.times.in_phase(terms, self.phase);
        let said: SmallVec<[Term; 3]> = [channel, message].into_iter().chain(now).collect();
        Ok(terms.fact(Kind::Message, &said))
    }

    /// A term of this step.
    fn term(&mut self, terms: &mut Terms<'_>, at: StepId, t: TermId) -> Result<Term, ProofError> {
        let translation = self.translation;
        let choice = std::mem::take(&mut self.choice);
        let term = translation.term(terms, t, &choice, &mut |terms, leaf| match leaf {
            Leaf::Variable(v) => Ok(terms.variable(v)),
            Leaf::Name(n) => self.name(terms, at, n),
        });
        self.choice = choice;
        term
    }

    /// A restricted name, as a function of the run and of what was received before all its uses.
    fn name(
        &mut self,
        terms: &mut Terms<'_>,
        at: StepId,
        name: NameId,
    ) -> Result<Term, ProofError> {
        let translation = self.translation;
        let made = translation.names.get(name)?;
        let mut args: SmallVec<[Term; 4]> = SmallVec::new();
        if let Some(role) = made.role {
            if translation.names.role(translation.system.step(at).instance) != Some(role) {
                return Err(ProofError::Name { name });
            }
            args.push(translation.run(terms, role));
        }
        if made.inputs > 0 {
            let wrong = ProofError::Name { name };
            let before = self.inputs.get(..made.inputs).ok_or(wrong)?;
            // The system's own names are the same in all runs, so what these receive does not count.
            if made.role.is_none() && before.iter().any(|(_, in_role)| *in_role) {
                return Err(wrong);
            }
            let before: SmallVec<[u32; 4]> = before.iter().map(|(v, _)| *v).collect();
            for v in &before {
                args.push(terms.variable(*v));
            }
            if *self.functions.entry(name).or_insert_with(|| before.clone()) != before {
                return Err(wrong);
            }
        }
        Ok(terms.apply(Op::Name(made.name), &args))
    }
}

/// Whether the instance that speaks for these agents may be honest: none is a spy, or a name that the attacker made up [Sem 4.8].
pub(super) fn may_be_honest(store: &TermStore, actors: &[TermId]) -> bool {
    !actors.iter().any(|a| match store.view(*a) {
        View::Name(n) => matches!(
            store.name_info(n).class,
            NameClass::Spy | NameClass::Attacker
        ),
        _ => false,
    })
}
