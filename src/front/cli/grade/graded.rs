//! A submission that was graded: its verdict, its points, what is wrong with it.

use crate::base::source::{Code, SourceMap};
use crate::course::grade::{Check, Exercise, Grade};

use super::super::Status;

/// What becomes of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Passed,
    NotPassed,
    Unreadable,
    Inconclusive,
    InternalError,
}

impl Verdict {
    /// All, in the order in which they are counted.
    pub(super) const ALL: [Verdict; 5] = [
        Verdict::Passed,
        Verdict::NotPassed,
        Verdict::Unreadable,
        Verdict::Inconclusive,
        Verdict::InternalError,
    ];

    fn of(grade: &Grade) -> Verdict {
        if grade.passed() {
            Verdict::Passed
        } else if grade.mistakes.iter().any(|d| d.code == Code::Panicked) {
            Verdict::InternalError
        } else if !grade.mistakes.is_empty() {
            Verdict::Unreadable
        } else if grade.failed() {
            Verdict::NotPassed
        } else {
            Verdict::Inconclusive
        }
    }

    /// In words.
    pub(super) fn word(self) -> &'static str {
        match self {
            Verdict::Passed => "passed",
            Verdict::NotPassed => "not passed",
            Verdict::Unreadable => "unreadable",
            Verdict::Inconclusive => "inconclusive",
            Verdict::InternalError => "internal error",
        }
    }

    /// As an end of the run.
    pub(super) fn status(self) -> Status {
        match self {
            Verdict::Passed => Status::Holds,
            Verdict::NotPassed => Status::Refuted,
            Verdict::Unreadable | Verdict::InternalError => Status::Error,
            Verdict::Inconclusive => Status::Inconclusive,
        }
    }
}

/// A submission that was graded.
pub(super) struct Graded {
    /// What the submission is called.
    pub name: String,
    /// What becomes of it.
    pub verdict: Verdict,
    /// The points; none if spi does not know.
    pub points: Option<u32>,
    /// What it could have had.
    pub out_of: u32,
    /// What was looked at.
    pub grade: Grade,
    /// The hints that were asked for.
    pub hints: Vec<String>,
    /// The files that were read.
    pub map: SourceMap,
}

impl Graded {
    /// With so many hints.
    pub(super) fn new(
        name: String,
        exercise: &Exercise,
        grade: Grade,
        hints: Option<u8>,
        map: SourceMap,
    ) -> Graded {
        let verdict = Verdict::of(&grade);
        let asked = usize::from(hints.unwrap_or(0));
        let hints = grade.hints().into_iter().flat_map(|h| &h.0);
        Graded {
            name,
            verdict,
            points: match verdict {
                Verdict::Passed => Some(exercise.points),
                Verdict::NotPassed | Verdict::Unreadable => Some(0),
                Verdict::Inconclusive | Verdict::InternalError => None,
            },
            out_of: exercise.points,
            hints: hints.take(asked).cloned().collect(),
            grade,
            map,
        }
    }

    /// What it failed at first, in words that do not depend on the submission.
    pub(super) fn failed_at(&self) -> Option<String> {
        if let Some(d) = self.grade.mistakes.first() {
            return Some(format!("{}: it can't be read", d.code));
        }
        Some(self.open_check()?.what.clone())
    }

    /// The first check that did not pass. What is certainly wrong says more than what was left open.
    fn open_check(&self) -> Option<&Check> {
        let open = self.grade.checks.iter().filter(|c| c.ok != Some(true));
        open.min_by_key(|c| c.ok.is_none())
    }

    /// The first thing that is wrong, in a line.
    pub(super) fn fault(&self) -> Option<String> {
        if let Some(d) = self.grade.mistakes.first() {
            let place = d.primary().and_then(|s| {
                let line = self.map.get(s.file)?.line_column(s.start).0;
                Some(format!(", line {line}"))
            });
            let place = place.unwrap_or_default();
            return Some(format!("{}{place}: {}", d.code, d.message));
        }
        let check = self.open_check()?;
        Some(match &check.detail {
            Some(detail) => format!("{}: {detail}", check.what),
            None => check.what.clone(),
        })
    }
}

/// Points, or nothing.
pub(super) fn number(points: Option<u32>) -> String {
    points.map_or_else(String::new, |p| p.to_string())
}
