//! What build servers show beside the text: findings, each at its place.
//!
//! A claim that does not hold, a test that is not met, a mistake in a file: all become findings. `github` writes them as the
//! commands that GitHub takes for annotations, `sarif` as the format that most viewers of analyses read.

mod github;
mod sarif;

use std::io;

use super::Status;
use crate::base::source::{Code, Diagnostic, Severity, SourceMap, Span, shipped};
use crate::present::report::json::{ClaimEntry, Place, place};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// Something is broken, or was not looked at.
    Error,
    /// Something is doubtful, or open.
    Warning,
}

/// Something that was found at a place.
#[derive(Debug)]
pub(super) struct Finding {
    /// How bad it is.
    pub level: Level,
    /// Which kind: the code of a diagnostic, or a verdict in one word.
    pub rule: String,
    /// What the rule is about.
    pub about: &'static str,
    /// One line.
    pub title: String,
    /// Everything: the narration of an attack, the help of a diagnostic.
    pub text: String,
    /// Where; none for what concerns no file in particular.
    pub place: Option<Place>,
}

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Commands of a GitHub workflow.
    Github,
    /// SARIF 2.1.0.
    Sarif,
}

impl Finding {
    /// A diagnostic.
    pub(super) fn diagnostic(map: &SourceMap, d: &Diagnostic) -> Finding {
        // What comes with the program is no file of the user's.
        let spans = || d.labels.iter().map(|l| l.span);
        let shipped = |span: &Span| shipped::with_id(span.file).is_some();
        let here = d.primary().filter(|s| !shipped(s));
        let here = here.or_else(|| spans().find(|s| !shipped(s)));
        let lines = std::iter::once(d.message.clone())
            .chain(d.labels.iter().filter_map(|label| {
                let at = place(map, label.span)?;
                let other = here.is_some_and(|span| span.file != label.span.file);
                let file = if other {
                    format!("{}, ", at.file)
                } else {
                    String::new()
                };
                Some(format!("{file}line {}: {}", at.line, label.message))
            }))
            .chain(d.notes.iter().map(|n| format!("note: {n}")))
            .chain(d.help.iter().map(|h| format!("help: {h}")));
        Finding {
            level: match d.code.severity() {
                Severity::Error => Level::Error,
                Severity::Warning => Level::Warning,
            },
            rule: d.code.to_string(),
            about: d.code.title(),
            title: d.message.clone(),
            text: lines.collect::<Vec<_>>().join("\n"),
            place: here.and_then(|span| place(map, span)),
        }
    }

    /// A claim that came to this end, with its report; none if there is nothing to complain about.
    pub(super) fn claim(entry: &ClaimEntry, end: Status, report: &[u8]) -> Option<Finding> {
        let beyond = entry.beyond.as_ref().and_then(|b| b.attack.as_ref());
        let level = match end {
            Status::Refuted | Status::Error | Status::NotExecutable => Level::Error,
            Status::Inconclusive => Level::Warning,
            Status::Holds if beyond.is_some() => Level::Warning,
            Status::Holds => return None,
        };
        let broken = entry.runs.first().or(beyond.map(|b| &b.run));
        let kinds = broken.map_or_else(String::new, |run| run.kinds.join(", "));
        let verdict = match beyond {
            Some(_) => format!("{}; beyond what is written: attack", entry.verdict),
            None => entry.verdict.to_owned(),
        };
        let kinds = match &*kinds {
            "" => kinds,
            kinds => format!(" ({kinds})"),
        };
        Some(Finding {
            level,
            rule: match beyond {
                Some(_) => "attack-beyond".to_owned(),
                None => entry.verdict.replace(' ', "-"),
            },
            about: match end {
                Status::Holds => "more runs or other agents break the claim",
                Status::Refuted => "the claim does not hold",
                Status::Error => "the claim was not decided",
                Status::Inconclusive => "the claim is open",
                Status::NotExecutable => "the claim says nothing",
            },
            title: format!("{}: {verdict}{kinds}", entry.claim),
            text: String::from_utf8_lossy(report).trim_end().to_owned(),
            place: entry.place.clone(),
        })
    }

    /// A claim that did not end as the file expects.
    pub(super) fn missed(
        entry: &ClaimEntry,
        end: Status,
        difference: &[String],
        report: &[u8],
    ) -> Finding {
        let report = String::from_utf8_lossy(report);
        let words = difference.iter().map(|line| {
            let line = line.trim_start_matches(['-', '+', ' ']);
            line.split_whitespace().collect::<Vec<_>>().join(" ")
        });
        Finding {
            level: match end {
                Status::Inconclusive => Level::Warning,
                _ => Level::Error,
            },
            rule: "unexpected".to_owned(),
            about: "a claim that is not as the file expects",
            title: format!("{}: {}", entry.claim, words.collect::<Vec<_>>().join(", ")),
            text: report.trim_end().to_owned(),
            place: entry.place.clone(),
        }
    }
}

/// Writes findings.
pub(super) fn write(out: &mut dyn io::Write, form: Form, findings: &[Finding]) -> io::Result<()> {
    match form {
        Form::Github => github::write(out, findings),
        Form::Sarif => sarif::write(out, findings),
    }
}

/// What rules may be called: the codes of diagnostics have long forms, which `spi explain` prints.
fn help(rule: &str) -> Option<String> {
    let code = Code::ALL.iter().find(|c| c.as_str() == rule)?;
    Some(format!("spi explain {code}"))
}
