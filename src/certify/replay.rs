//! Replaying a witness of reachability: run it, check what the attacker did, check the claim again.

use super::run::{Checked, Created, Run};
use super::transparent::confirm_transparent;
use super::verdict::{Occurrence, confirm};
use super::{CertifyError, Deduction, Derivation, Move, MoveKind, Source, Violation, Witness};
use crate::process::{Action, ClaimKind, EventId, StepId, System};
use crate::term::{TermId, TermStore};
use std::sync::Arc;

/// A move that was replayed.
#[derive(Clone, Debug)]
pub struct Played {
    /// The move.
    pub action: Move,
    /// How the attacker knows the channel (sends and receives).
    pub channel: Option<Arc<Derivation>>,
    /// How the attacker makes the message (receives).
    pub made: Option<Arc<Derivation>>,
    /// What the attacker did not know before (sends).
    pub gained: Vec<TermId>,
    /// The tests that ran because of this move, in order; a communication runs the receiver's after the sender's.
    pub checked: Vec<Checked>,
}

/// Why the claim is violated, in checked terms.
#[derive(Clone, Debug)]
pub enum Evidence {
    /// The attacker derives the term.
    Derived(Arc<Derivation>),
    /// It derives channel and message.
    Sent {
        /// The channel.
        channel: Arc<Derivation>,
        /// The message.
        message: Arc<Derivation>,
    },
    /// The event happened.
    Reached,
    /// Each event with the earlier events that match it: none, or too few for distinct ones.
    Unmatched(Vec<(usize, Vec<usize>)>),
}

/// A confirmed witness.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// The tests that ran before the first move.
    pub first: Vec<Checked>,
    /// The moves.
    pub moves: Vec<Played>,
    /// What is violated.
    pub violation: Violation,
    /// Why.
    pub evidence: Evidence,
}

impl Replayed {
    /// The tests without an `else` that failed: their role instances are stuck for good [Sem 4.4].
    pub fn stuck(&self, system: &System) -> Vec<StepId> {
        let all = self.moves.iter().flat_map(|m| &m.checked);
        self.first
            .iter()
            .chain(all)
            .filter(|c| !c.passed)
            .filter(|c| match &system.step(c.step).action {
                Action::Test { test, .. } => !test.has_else,
                _ => false,
            })
            .map(|c| c.step)
            .collect()
    }
}

/// Runs the witness concretely from the attacker's initial knowledge and confirms that it violates the claim.
pub fn replay(
    store: &TermStore,
    system: &System,
    initial: &[TermId],
    claim: &ClaimKind,
    witness: &Witness,
) -> Result<Replayed, CertifyError> {
    replay_unless(&|| false, store, system, initial, claim, witness)
}

/// The same; gives up with [`CertifyError::Stopped`] when somebody wants to stop.
pub fn replay_unless(
    stopped: &dyn Fn() -> bool,
    store: &TermStore,
    system: &System,
    initial: &[TermId],
    claim: &ClaimKind,
    witness: &Witness,
) -> Result<Replayed, CertifyError> {
    let violations = [witness.violation.clone()];
    let run = (witness.moves.as_slice(), witness.transparent);
    replay_any(stopped, store, system, initial, claim, run, violations)
}

/// Runs moves once, and confirms the first of several ways in which they may violate the claim; the flag says whether nobody
/// may be left stuck. If there is no such way, the error is that of the last.
pub fn replay_any(
    stopped: &dyn Fn() -> bool,
    store: &TermStore,
    system: &System,
    initial: &[TermId],
    claim: &ClaimKind,
    (moves, transparent): (&[Move], bool),
    violations: impl IntoIterator<Item = Violation>,
) -> Result<Replayed, CertifyError> {
    let mut replayer = Replayer::start(store, system, initial)?;
    let first = std::mem::take(&mut replayer.first);
    let mut played = Vec::new();
    for (at, action) in moves.iter().enumerate() {
        if stopped() {
            return Err(CertifyError::Stopped);
        }
        played.push(replayer.play(at, action)?);
    }
    let mut last = CertifyError::WrongViolation;
    for violation in violations {
        if stopped() {
            return Err(CertifyError::Stopped);
        }
        let evidence = match confirm(&replayer, claim, &violation) {
            Ok(evidence) => evidence,
            Err(error) => {
                last = error;
                continue;
            }
        };
        let replayed = Replayed {
            first,
            moves: played,
            violation,
            evidence,
        };
        if transparent {
            // It is the run that leaves somebody stuck, whatever it violates.
            confirm_transparent(&replayer, &replayed)?;
        }
        return Ok(replayed);
    }
    Err(last)
}

/// The state of a replay.
pub(super) struct Replayer<'a> {
    pub run: Run<'a>,
    pub knowledge: Deduction<'a>,
    /// The events so far.
    pub history: Vec<Occurrence>,
    first: Vec<Checked>,
}

impl<'a> Replayer<'a> {
    fn start(
        store: &'a TermStore,
        system: &'a System,
        initial: &[TermId],
    ) -> Result<Self, CertifyError> {
        let (run, first) = Run::start(store, system)?;
        Ok(Self {
            run,
            knowledge: Deduction::with_initial(store, initial),
            history: Vec::new(),
            first,
        })
    }

    /// The state after these moves.
    pub(super) fn after(
        store: &'a TermStore,
        system: &'a System,
        initial: &[TermId],
        moves: &[Move],
    ) -> Result<Self, CertifyError> {
        let mut replayer = Self::start(store, system, initial)?;
        for (at, action) in moves.iter().enumerate() {
            replayer.play(at, action)?;
        }
        Ok(replayer)
    }

    /// The names made so far by instances whose agents are known only at run time.
    pub(super) fn created(&self) -> &[Created] {
        &self.run.created
    }

    /// A derivation of the term that has passed its own check.
    pub(super) fn derive(&self, term: TermId) -> Result<Option<Arc<Derivation>>, CertifyError> {
        let Some(proof) = self.knowledge.derive(term) else {
            return Ok(None);
        };
        let valid =
            proof.term == term && proof.verify(self.run.store, &|s| self.knowledge.given(s));
        if valid {
            Ok(Some(proof))
        } else {
            Err(CertifyError::BadDerivation { term })
        }
    }

    fn demand(&self, at: usize, term: TermId) -> Result<Arc<Derivation>, CertifyError> {
        self.derive(term)?
            .ok_or(CertifyError::Underivable { at, term })
    }

    fn play(&mut self, at: usize, action: &Move) -> Result<Played, CertifyError> {
        let step = action.step;
        if let Some(term) = action
            .kind
            .terms()
            .into_iter()
            .find(|t| !self.run.store.is_ground(*t))
        {
            return Err(CertifyError::NotGround { at, term });
        }
        let ready = match action.kind {
            MoveKind::Phase { .. } => None,
            _ => Some(
                self.run
                    .ready_action(step)
                    .ok_or(CertifyError::NotReady { at, step })?,
            ),
        };
        let mut played = Played {
            action: action.clone(),
            channel: None,
            made: None,
            gained: Vec::new(),
            checked: Vec::new(),
        };
        match &action.kind {
            MoveKind::Send { channel, message } => {
                let (c, m) = self
                    .run
                    .output(step)
                    .ok_or(CertifyError::WrongAction { step })?;
                same(at, c, *channel)?;
                same(at, m, *message)?;
                played.channel = Some(self.demand(at, c)?);
                played.gained = self.knowledge.learn(Source::Sent(at), m);
                played.checked = self.run.take(step, None)?;
            }
            MoveKind::Receive { channel, message } => {
                let c = self
                    .run
                    .input(step)
                    .ok_or(CertifyError::WrongAction { step })?;
                same(at, c, *channel)?;
                played.channel = Some(self.demand(at, c)?);
                played.made = Some(self.demand(at, *message)?);
                played.checked = self.run.take(step, Some(*message))?;
            }
            MoveKind::Communicate {
                receiver,
                channel,
                message,
            } => {
                let (c, m) = self
                    .run
                    .output(step)
                    .ok_or(CertifyError::WrongAction { step })?;
                self.run
                    .ready_action(*receiver)
                    .ok_or(CertifyError::NotReady {
                        at,
                        step: *receiver,
                    })?;
                let d = self
                    .run
                    .input(*receiver)
                    .ok_or(CertifyError::WrongAction { step: *receiver })?;
                same(at, c, *channel)?;
                same(at, d, *channel)?;
                same(at, m, *message)?;
                played.checked = self.run.take(step, None)?;
                played.checked.extend(self.run.take(*receiver, Some(m))?);
            }
            MoveKind::Event { args } => {
                let Some(Action::Event {
                    event,
                    args: templates,
                    actors,
                    ..
                }) = ready
                else {
                    return Err(CertifyError::WrongAction { step });
                };
                if templates.len() != args.len() {
                    return Err(CertifyError::Arity { at });
                }
                for (t, a) in self.run.all_values(templates).into_iter().zip(args) {
                    same(at, t, *a)?;
                }
                self.record(at, *event, args.clone(), actors);
                played.checked = self.run.take(step, None)?;
            }
            MoveKind::Phase { number } => {
                // Only if somebody waits for it; then it is a later one.
                if !self.run.awaits(*number) {
                    return Err(CertifyError::NoPhase {
                        at,
                        number: *number,
                    });
                }
                played.checked = self.run.begin(*number)?;
            }
        }
        Ok(played)
    }

    fn record(&mut self, at: usize, event: EventId, args: Vec<TermId>, actors: &[TermId]) {
        self.history.push(Occurrence {
            at,
            event,
            args,
            actors: self.run.all_values(actors),
        });
    }
}

fn same(at: usize, expected: TermId, found: TermId) -> Result<(), CertifyError> {
    if expected == found {
        Ok(())
    } else {
        Err(CertifyError::Differs {
            at,
            expected,
            found,
        })
    }
}
