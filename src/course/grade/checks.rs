//! A grade: the checks and their results.

use super::Hints;
use crate::base::source::Diagnostic;

/// A check.
#[derive(Clone, Debug)]
pub(crate) struct Check {
    /// What: `every role instance finishes`.
    pub what: String,
    /// Whether it passed; `None` if that is not known.
    pub ok: Option<bool>,
    /// More about it.
    pub detail: Option<String>,
    /// Hints if it failed.
    pub hints: Option<Hints>,
}

/// A grade.
#[derive(Debug, Default)]
pub(crate) struct Grade {
    /// The checks, in order.
    pub checks: Vec<Check>,
    /// Mistakes in the text of the submission.
    pub mistakes: Vec<Diagnostic>,
}

impl Grade {
    /// The grade of what can't be read.
    pub(super) fn unreadable(mistakes: Vec<Diagnostic>) -> Grade {
        Grade {
            checks: Vec::new(),
            mistakes,
        }
    }

    /// Whether every check passed.
    pub(crate) fn passed(&self) -> bool {
        self.mistakes.is_empty()
            && !self.checks.is_empty()
            && self.checks.iter().all(|c| c.ok == Some(true))
    }

    /// Whether a check certainly failed.
    pub(crate) fn failed(&self) -> bool {
        !self.mistakes.is_empty() || self.checks.iter().any(|c| c.ok == Some(false))
    }

    /// The hints of the first check that failed.
    pub(crate) fn hints(&self) -> Option<&Hints> {
        self.checks
            .iter()
            .filter(|c| c.ok != Some(true))
            .find_map(|c| c.hints.as_ref())
    }

    pub(super) fn fine(&mut self, what: impl Into<String>) {
        self.checks.push(Check {
            what: what.into(),
            ok: Some(true),
            detail: None,
            hints: None,
        });
    }

    /// Fine, for what is said.
    pub(super) fn fine_for(&mut self, what: impl Into<String>, scope: String) {
        self.fine(what);
        if let Some(check) = self.checks.last_mut() {
            check.detail = Some(scope);
        }
    }

    pub(super) fn wrong(
        &mut self,
        what: impl Into<String>,
        detail: impl Into<String>,
        hints: Hints,
    ) {
        self.checks.push(Check {
            what: what.into(),
            ok: Some(false),
            detail: Some(detail.into()),
            hints: Some(hints),
        });
    }

    pub(super) fn open(&mut self, what: impl Into<String>, detail: impl Into<String>) {
        self.checks.push(Check {
            what: what.into(),
            ok: None,
            detail: Some(detail.into()),
            hints: None,
        });
    }
}
