//! Deciding a claim, whatever it is about: the one way from a claim to what is said of it.
//!
//! A claim about one system is decided as it is written ([`check_claim`]). One that holds is then asked whether it says anything
//! (`vacuity`), and whether more runs or other agents break it (`wider`). Of systems that are compared it is asked whether anybody in them
//! gets to an end (`ends`).

use super::question::Question;
use super::{
    ClaimResult, Comparison, ComparisonVerdict, Gate, Outcome, Settings, Subject, Vacuity, Verdict,
    check_claim, compare_claim, ends, vacuity, wider,
};
use crate::base::limits::Observer;
use crate::process::{Claim, Expectation, UnfoldError};

/// A claim, decided.
#[derive(Clone, Debug)]
pub enum Decision {
    /// A claim about one system.
    One(Box<ClaimResult>),
    /// A claim that compares systems.
    Compared(Box<Comparison>),
}

impl Decision {
    /// What was established.
    pub fn outcome(&self) -> Outcome {
        match self {
            Decision::One(result) => result.outcome(),
            Decision::Compared(comparison) => comparison.outcome(),
        }
    }

    /// Whether this is what was expected. A claim about a system that does not run meets no expectation, whatever its verdict.
    pub fn meets(&self, expected: Expectation) -> bool {
        self.outcome().meets(expected) && !self.is_idle()
    }

    /// Whether some role instance certainly never finishes, although nobody interferes.
    pub fn is_idle(&self) -> bool {
        match self {
            Decision::One(result) => result.gate.as_ref().is_some_and(Gate::is_closed),
            Decision::Compared(comparison) => comparison.is_idle(),
        }
    }

    /// Whether more runs or other agents than are written break the claim.
    pub fn breaks_beyond(&self) -> bool {
        match self {
            Decision::One(result) => result.beyond().is_some(),
            Decision::Compared(_) => false,
        }
    }
}

/// Decides a claim, given in both lowerings.
pub fn decide(
    subject: &Subject<'_>,
    nested: &Claim,
    flat: &Claim,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Decision, UnfoldError> {
    // All that is asked about one claim has the one time.
    let settings = &Settings {
        limits: settings.limits.pinned(),
        ..*settings
    };
    let (store, program) = (subject.store, subject.nested);
    if let Some(compared) = compare_claim(store, program, &nested.kind, settings, observer) {
        let mut comparison = compared?;
        if matches!(comparison.verdict, ComparisonVerdict::Equivalent) {
            comparison.vacuous = vacuity::of_comparison(store, program, &nested.kind);
        }
        let kind = &nested.kind;
        ends::look_at_claim(store, program, kind, &mut comparison, settings, observer)?;
        return Ok(Decision::Compared(Box::new(comparison)));
    }
    let mut result = check_claim(subject, nested, flat, settings, observer)?;
    if !matches!(result.verdict, Verdict::Holds { run: None }) {
        return Ok(Decision::One(Box::new(result)));
    }
    let claim = if settings.typed { flat } else { nested };
    if let Some(closed) = claim.kind.system() {
        let question = Question {
            store,
            systems: &subject.kept.systems,
            program: subject.program(settings.typed),
            closed,
            claim: &claim.kind,
            settings,
            observer,
        };
        match vacuity::of_claim(&question, result.gate.as_ref())? {
            // That is said of the role instances as they are written; others may use the secret, or have other arguments in the two events.
            Some(reason @ (Vacuity::OwnEvent { .. } | Vacuity::NotUsedSecret { .. }))
                if settings.wider =>
            {
                wider::look(&question, &mut result)?;
                if result.beyond().is_none() {
                    result.wider = None;
                    result.verdict = Verdict::Vacuous(reason);
                }
            }
            Some(reason) => result.verdict = Verdict::Vacuous(reason),
            None if settings.wider => wider::look(&question, &mut result)?,
            None => {}
        }
    }
    Ok(Decision::One(Box::new(result)))
}
