//! Why a witness is rejected.

use crate::process::StepId;
use crate::term::TermId;
use std::fmt;

/// Why a witness is rejected. `at` is the number of the move, counted from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertifyError {
    /// The step is not of the system, or it can't run now: not reached yet, or it ran already.
    NotReady {
        /// The move.
        at: usize,
        /// Its step.
        step: StepId,
    },
    /// Nobody waits for the phase, or it is over.
    NoPhase {
        /// The move.
        at: usize,
        /// The phase.
        number: u8,
    },
    /// The step does something else than the move says.
    WrongAction {
        /// The step.
        step: StepId,
    },
    /// A term of the move has variables.
    NotGround {
        /// The move.
        at: usize,
        /// The term.
        term: TermId,
    },
    /// The step uses another channel, message or event argument than the move says.
    Differs {
        /// The move.
        at: usize,
        /// What the step uses.
        expected: TermId,
        /// What the move says.
        found: TermId,
    },
    /// The move has another number of event arguments than the step.
    Arity {
        /// The move.
        at: usize,
    },
    /// The attacker can't make a message that it is to send, or does not know a channel that it is to use.
    Underivable {
        /// The move.
        at: usize,
        /// The term.
        term: TermId,
    },
    /// A test leaves a variable without a unique value: the system is not well formed.
    OpenTest {
        /// The test's step.
        step: StepId,
    },
    /// A derivation did not pass its own check: a mistake of this layer.
    BadDerivation {
        /// The term.
        term: TermId,
    },
    /// The violation is of another kind than the claim, or names a target that the claim does not have.
    WrongViolation,
    /// The name is not one that the secrecy target ranges over.
    NotACopy {
        /// The name.
        name: TermId,
    },
    /// The name was made by an instance that speaks for a spy, or it was not made in this run.
    NotHonest {
        /// The name.
        name: TermId,
    },
    /// An event that excuses what happened came before it.
    Excused {
        /// Its move.
        at: usize,
    },
    /// The attacker does not derive the term that it is said to derive.
    NotLeaked {
        /// The term.
        term: TermId,
    },
    /// The move is no event of the claim's pattern.
    NotTheEvent {
        /// The move.
        at: usize,
    },
    /// The event was made by an instance that speaks for a spy: the claim says nothing about it.
    DishonestEvent {
        /// The move.
        at: usize,
    },
    /// The events do have matching earlier events.
    Matched {
        /// For each event's move, the move of the event that it can be matched with.
        pairs: Vec<(usize, usize)>,
    },
    /// A transparent attacker leaves somebody stuck at this test.
    Stuck {
        /// The test's step.
        step: StepId,
    },
    /// After the run of a transparent attacker this step could still run without it.
    GoesOn {
        /// The step.
        step: StepId,
    },
    /// A recipe of the experiment uses what a tester can't have.
    BadRecipe,
    /// No run of the side that should pass the experiment does.
    NeverPasses,
    /// Both sides pass the experiment.
    BothPass,
    /// The experiment has more configurations than the limit.
    TooManyRuns {
        /// The limit.
        limit: usize,
    },
    /// The replay was stopped before its end.
    Stopped,
}

impl fmt::Display for CertifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CertifyError::NotReady { at, step } => {
                write!(f, "move {at}: step {} can't run now", step.0)
            }
            CertifyError::NoPhase { at, number } => {
                write!(
                    f,
                    "move {at}: nobody waits for phase {number}, or it is over"
                )
            }
            CertifyError::WrongAction { step } => {
                write!(f, "step {} does something else than the move", step.0)
            }
            CertifyError::NotGround { at, .. } => write!(f, "move {at}: a term is not ground"),
            CertifyError::Differs { at, .. } => {
                write!(f, "move {at}: the step uses another term than the move")
            }
            CertifyError::Arity { at } => {
                write!(f, "move {at}: the event has another number of arguments")
            }
            CertifyError::Underivable { at, .. } => {
                write!(f, "move {at}: the attacker can't derive what it uses")
            }
            CertifyError::OpenTest { step } => {
                write!(f, "the test at step {} has no unique solution", step.0)
            }
            CertifyError::BadDerivation { .. } => write!(f, "a derivation is not valid"),
            CertifyError::WrongViolation => write!(f, "the violation does not fit the claim"),
            CertifyError::NotACopy { .. } => {
                write!(f, "the claim does not range over the leaked name")
            }
            CertifyError::NotHonest { .. } => {
                write!(f, "the leaked name was not made by an honest instance")
            }
            CertifyError::NotLeaked { .. } => {
                write!(f, "the attacker does not derive what is said to leak")
            }
            CertifyError::Excused { at } => {
                write!(f, "the event of move {at} excuses what happened")
            }
            CertifyError::NotTheEvent { at } => {
                write!(f, "move {at} is no event that the claim looks at")
            }
            CertifyError::DishonestEvent { at } => {
                write!(f, "move {at}: the event is not of an honest instance")
            }
            CertifyError::Matched { .. } => {
                write!(f, "the events do have matching earlier events")
            }
            CertifyError::Stuck { step } => {
                write!(f, "somebody is stuck at the test of step {}", step.0)
            }
            CertifyError::GoesOn { step } => {
                write!(f, "step {} could run without the attacker", step.0)
            }
            CertifyError::BadRecipe => {
                write!(f, "a recipe uses what a tester can't have")
            }
            CertifyError::NeverPasses => write!(f, "the experiment is never passed"),
            CertifyError::BothPass => write!(f, "both sides pass the experiment"),
            CertifyError::TooManyRuns { limit } => {
                write!(f, "the experiment has more than {limit} configurations")
            }
            CertifyError::Stopped => write!(f, "the replay was stopped"),
        }
    }
}

impl std::error::Error for CertifyError {}
