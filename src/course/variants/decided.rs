//! A claim of a variant, decided: what tables and grades ask of it.

use crate::analysis::{Decision, Model, Outcome, Settings};
use crate::base::limits::Observer;
use crate::base::source::SourceMap;
use crate::present::report::{self, Context, comparison_word, json, summary};
use crate::process::UnfoldError;

/// A claim of a variant, decided.
pub(crate) enum Decided {
    /// Whatever it is about.
    Done(Decision),
    /// The system does not unfold.
    Failed(UnfoldError),
}

impl Decided {
    /// Decides a claim of a variant.
    pub(crate) fn of(
        variant: &Model,
        claim: usize,
        settings: &Settings,
        observer: &dyn Observer,
    ) -> Decided {
        match variant.decide(claim, settings, observer) {
            Ok(decision) => Decided::Done(decision),
            Err(error) => Decided::Failed(error),
        }
    }

    /// What was established, if anything could be.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        match self {
            Decided::Done(decision) => Some(decision.outcome()),
            Decided::Failed(_) => None,
        }
    }

    /// The words of the verdict.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Decided::Done(Decision::One(result)) => summary::word(result.outcome()).0,
            Decided::Done(Decision::Compared(comparison)) => comparison_word(comparison).0,
            Decided::Failed(_) => "too large",
        }
    }

    /// Whether the claim is violated.
    pub(crate) fn is_refuted(&self) -> bool {
        self.outcome().is_some_and(Outcome::is_refuted)
    }

    /// Whether the claim holds.
    pub(crate) fn holds(&self) -> bool {
        self.outcome().is_some_and(Outcome::holds)
    }

    /// Whether the claim was proved for any number of runs.
    pub(crate) fn is_proved(&self) -> bool {
        self.outcome().is_some_and(Outcome::is_proved)
    }

    /// Whether some role instance certainly never finishes.
    pub(crate) fn is_idle(&self) -> bool {
        matches!(self, Decided::Done(decision) if decision.is_idle())
    }

    /// Whether more runs or other agents than are written break the claim.
    pub(crate) fn breaks_beyond(&self) -> bool {
        matches!(self, Decided::Done(decision) if decision.breaks_beyond())
    }

    /// What breaks the claim beyond what is written, if something was found.
    pub(crate) fn beyond(&self, variant: &Model) -> Option<String> {
        match self {
            Decided::Done(Decision::One(result)) => report::beyond(&variant.store, result),
            _ => None,
        }
    }

    /// What an attack is called.
    pub(crate) fn kinds(&self, variant: &Model, map: &SourceMap, typed: bool) -> Vec<String> {
        match self {
            Decided::Done(Decision::One(result)) => {
                json::kinds_of(Context::of(variant, map, typed), result)
            }
            _ => Vec::new(),
        }
    }
}
