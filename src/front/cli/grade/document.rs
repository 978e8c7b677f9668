//! Grades in the schema of `docs/json.md`.

use serde::Serialize;

use super::exercises::Exercises;
use super::graded::{Graded, Verdict};
use crate::base::source::Diagnostic;
use crate::course::grade::Exercise;
use crate::present::report::json::SCHEMA;

/// One submission.
#[derive(Serialize)]
pub(super) struct Document<'a> {
    schema: &'static str,
    exercise: &'a str,
    kind: String,
    #[serde(flatten)]
    entry: Entry<'a>,
}

/// All submissions of a folder.
#[derive(Serialize)]
pub(super) struct Class<'a> {
    schema: &'static str,
    exercise: String,
    kind: String,
    folder: String,
    submissions: Vec<Entry<'a>>,
    summary: Summary,
}

#[derive(Serialize)]
struct Summary {
    passed: usize,
    not_passed: usize,
    unreadable: usize,
    inconclusive: usize,
    internal_errors: usize,
}

#[derive(Serialize)]
struct Entry<'a> {
    submission: &'a str,
    passed: bool,
    verdict: &'static str,
    points: Option<u32>,
    out_of: u32,
    mistakes: Vec<Mistake<'a>>,
    checks: Vec<CheckEntry<'a>>,
    hints: &'a [String],
}

#[derive(Serialize)]
struct Mistake<'a> {
    code: String,
    message: &'a str,
    /// The file and line it is in.
    file: Option<String>,
    line: Option<usize>,
    notes: &'a [String],
    help: &'a [String],
}

#[derive(Serialize)]
struct CheckEntry<'a> {
    check: &'a str,
    ok: Option<bool>,
    detail: Option<&'a str>,
}

/// The document of one submission.
pub(super) fn one<'a>(exercise: &'a Exercise, graded: &'a Graded) -> Document<'a> {
    Document {
        schema: SCHEMA,
        exercise: &exercise.title,
        kind: exercise.kind.to_string(),
        entry: entry(graded),
    }
}

/// The document of a folder.
pub(super) fn class<'a>(exercises: &Exercises, folder: String, all: &'a [Graded]) -> Class<'a> {
    let count = |v: Verdict| all.iter().filter(|g| g.verdict == v).count();
    Class {
        schema: SCHEMA,
        exercise: exercises.title(),
        kind: exercises.any().kind.to_string(),
        folder,
        submissions: all.iter().map(entry).collect(),
        summary: Summary {
            passed: count(Verdict::Passed),
            not_passed: count(Verdict::NotPassed),
            unreadable: count(Verdict::Unreadable),
            inconclusive: count(Verdict::Inconclusive),
            internal_errors: count(Verdict::InternalError),
        },
    }
}

fn entry(graded: &Graded) -> Entry<'_> {
    let mistake = |d| mistake(graded, d);
    Entry {
        submission: &graded.name,
        passed: graded.verdict == Verdict::Passed,
        verdict: graded.verdict.word(),
        points: graded.points,
        out_of: graded.out_of,
        mistakes: graded.grade.mistakes.iter().map(mistake).collect(),
        checks: (graded.grade.checks.iter())
            .map(|c| CheckEntry {
                check: &c.what,
                ok: c.ok,
                detail: c.detail.as_deref(),
            })
            .collect(),
        hints: &graded.hints,
    }
}

fn mistake<'a>(graded: &Graded, d: &'a Diagnostic) -> Mistake<'a> {
    let place = d.primary().and_then(|s| Some((graded.map.get(s.file)?, s)));
    Mistake {
        code: d.code.to_string(),
        message: &d.message,
        file: place.map(|(f, _)| f.name.to_string()),
        line: place.map(|(f, s)| f.line_column(s.start).0),
        notes: &d.notes,
        help: &d.help,
    }
}
