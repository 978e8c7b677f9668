//! What a run of the transparent attacker has to be: nobody is stuck, and nobody can go on by itself [Sem 4.5].

use super::replay::Replayer;
use super::{CertifyError, Replayed};
use crate::process::{Action, StepId};

/// Confirms that nobody failed a test without an `else` in the run, and that after it nobody can go on unless the attacker
/// sends something.
pub(super) fn confirm_transparent(
    after: &Replayer<'_>,
    replayed: &Replayed,
) -> Result<(), CertifyError> {
    let run = &after.run;
    if let Some(step) = replayed.stuck(run.system).first() {
        return Err(CertifyError::Stuck { step: *step });
    }
    let goes_on = |step: &StepId| match &run.system.step(*step).action {
        Action::Event { .. } => true,
        Action::Output { channel, .. } => {
            let channel = run.value(*channel);
            let receives = |other: &StepId| run.input(*other) == Some(channel);
            after.knowledge.derivable(channel) || run.ready.iter().any(receives)
        }
        _ => false,
    };
    match run.ready.iter().find(|s| goes_on(s)) {
        Some(step) => Err(CertifyError::GoesOn { step: *step }),
        None => Ok(()),
    }
}
