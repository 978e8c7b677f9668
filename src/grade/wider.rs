//! The wider question: does what holds in the sessions that an exercise writes down hold with other agents in the roles, too?
//!
//! A proof for everybody answers it for any number of runs. Where there is none, every assignment of agents to a few role instances is
//! searched, within a number of states: the answer does not depend on the clock unless the time is up.

use super::{Bench, Hints};
use crate::analysis::{ClaimResult, Decision, Reach, Verdict};
use crate::process::ClaimKind;
use crate::report::summary;
use crate::variants::{Decided, Variant};

/// Role instances that are looked at together.
const INSTANCES: u32 = 3;

/// States in each of the systems that are generated.
const STATES: u64 = 5_000;

/// What is known of a claim of which no more is asked.
pub(super) const WRITTEN: &str = "in the sessions of the exercise";

/// What is known beyond what is written.
pub(super) enum Wider {
    /// It holds for this, in words.
    Holds(String),
    /// There is an attack.
    Broken(Box<ClaimResult>),
}

/// Asks the wider question about a claim that holds as it is written.
pub(super) fn wider(bench: &Bench<'_>, variant: &Variant, claim: usize) -> Wider {
    let written = || Wider::Holds(WRITTEN.to_owned());
    if matches!(variant.claims()[claim].kind, ClaimKind::Reachable { .. }) {
        return written();
    }
    let mut settings = *bench.settings;
    settings.sessions = Some(INSTANCES);
    settings.all = false;
    settings.compare_typed = false;
    let states = settings.limits.states.unwrap_or(STATES);
    settings.limits.states = Some(states.min(STATES));
    let Decided::Done(Decision::One(result)) = variant.decide(claim, &settings, bench.observer)
    else {
        return written();
    };
    match (&result.verdict, result.scope.proved) {
        (Verdict::Attack(_), _) => Wider::Broken(result),
        (Verdict::Holds { .. }, Some(Reach::Everyone)) => {
            Wider::Holds("for any agents in any number of runs".to_owned())
        }
        (Verdict::Holds { .. }, None) if result.scope.generated.is_some() => Wider::Holds(format!(
            "in the sessions of the exercise, and for any agents in {INSTANCES} role instances"
        )),
        _ => written(),
    }
}

/// The role instances in which it is broken.
pub(super) fn scenario(result: &ClaimResult) -> String {
    if result.scope.instances.is_empty() {
        return summary::instances(&result.scope);
    }
    result.scope.instances.join(" | ")
}

/// Hints about an attack that needs other sessions than those of the exercise.
pub(super) fn with_scenario(hints: Hints, scenario: &str) -> Hints {
    let [place, reason, repair] = hints.0;
    Hints::new(
        format!("The sessions of the exercise are not all there are. Think of {scenario}. {place}"),
        reason,
        format!("{repair} `spi check --sessions {INSTANCES}` shows the run."),
    )
}
