//! Code lenses above claims, and the same commands as code actions for editors without lenses.

use gen_lsp_types::{CodeLens, Command, Range};
use serde_json::{Value, json};

use super::document::{Document, Run};
use super::snapshot::Snapshot;
use crate::present::report::summary;
use crate::process::Claim;

/// The command that runs a claim, or cancels its run.
pub(super) const RUN: &str = "spi.run";

/// The command that shows the report of a run.
pub(super) const NARRATE: &str = "spi.narrate";

/// The command that runs all claims.
pub(super) const RUN_ALL: &str = "spi.runAll";

/// The command that returns the page which draws what a run found.
pub(super) const CHART: &str = "spi.chart";

/// Longest title of a lens, in characters.
const TITLE: usize = 110;

/// A claim, as the argument of a command.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The document.
    pub uri: String,
    /// The number of the claim.
    pub claim: usize,
    /// Its text: if it differs, the number is out of date.
    pub text: String,
}

impl Target {
    /// Reads the arguments of a command.
    pub(super) fn read(arguments: &[Value]) -> Option<Target> {
        let argument = arguments.first()?;
        Some(Target {
            uri: argument.get("uri")?.as_str()?.to_owned(),
            claim: usize::try_from(argument.get("claim")?.as_u64()?).ok()?,
            text: argument.get("text")?.as_str()?.to_owned(),
        })
    }

    fn write(uri: &str, number: usize, claim: &Claim) -> Value {
        json!({ "uri": uri, "claim": number, "text": claim.text })
    }
}

/// The lenses of a document. A file with mistakes has none: its claims can't be run.
pub(super) fn lenses(uri: &str, document: &mut Document, charts: bool) -> Vec<CodeLens> {
    let snapshot = document.snapshot();
    commands(uri, &snapshot, document, charts)
        .into_iter()
        .map(|(range, command)| CodeLens {
            range,
            command: Some(command),
            data: None,
        })
        .collect()
}

/// The commands for the claims in a range.
pub(super) fn actions(uri: &str, document: &mut Document, range: Range) -> Vec<Command> {
    let snapshot = document.snapshot();
    commands(uri, &snapshot, document, false)
        .into_iter()
        .filter(|(place, _)| place.start <= range.end && range.start <= place.end)
        .map(|(_, command)| command)
        .collect()
}

fn commands(
    uri: &str,
    snapshot: &Snapshot,
    document: &Document,
    charts: bool,
) -> Vec<(Range, Command)> {
    let mut commands = Vec::new();
    if !snapshot.checked.is_sound() {
        return commands;
    }
    let claims = &snapshot.checked.program.claims;
    for (i, claim) in claims.iter().enumerate() {
        // A claim about several things is several claims at one place.
        let alone = claims.iter().filter(|c| c.span == claim.span).count() == 1;
        let title = match document.runs.get(&i) {
            None if alone => "check".to_owned(),
            None => format!("check {}", claim.text),
            Some(Run::Running { .. }) => "running: cancel".to_owned(),
            Some(Run::Done(outcome)) => {
                let mut title = if alone {
                    String::new()
                } else {
                    format!("{}: ", claim.text)
                };
                title.push_str(&outcome.verdict);
                if let (false, Some(expected)) = (outcome.as_expected, claim.expect) {
                    title.push_str(", expected ");
                    title.push_str(summary::expectation(expected));
                }
                if !outcome.scope.is_empty() {
                    title.push_str("; ");
                    title.push_str(&outcome.scope);
                }
                shortened(&title)
            }
        };
        let arguments = || Some(vec![Target::write(uri, i, claim)]);
        let range = snapshot.range(claim.span);
        let command = |title: String, name: &str, tooltip: &str| Command {
            title,
            tooltip: Some(tooltip.to_owned()),
            command: name.to_owned(),
            arguments: arguments(),
        };
        let what = match document.runs.get(&i) {
            Some(Run::Running { .. }) => "end this run",
            Some(Run::Done(_)) => "run it again",
            None => "search for an attack or a difference",
        };
        commands.push((range, command(title, RUN, what)));
        if let Some(Run::Done(outcome)) = document.runs.get(&i) {
            let title = "show".to_owned();
            commands.push((range, command(title, NARRATE, "the whole report")));
            if charts && outcome.page.is_some() {
                let title = "chart".to_owned();
                commands.push((range, command(title, CHART, "the run, step by step")));
            }
        }
    }
    if let [first, _, ..] = &claims[..] {
        let all = Command {
            title: format!("check all {} claims", claims.len()),
            tooltip: Some("one after the other".to_owned()),
            command: RUN_ALL.to_owned(),
            arguments: Some(vec![json!({ "uri": uri })]),
        };
        commands.push((snapshot.range(first.span), all));
    }
    commands
}

fn shortened(text: &str) -> String {
    if text.chars().count() <= TITLE {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(TITLE - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_have_a_limit() {
        assert_eq!(shortened("holds"), "holds");
        assert_eq!(shortened(&"ν".repeat(500)).chars().count(), TITLE);
    }

    #[test]
    fn arguments_of_any_form_are_read_or_refused() {
        for bad in [
            json!([]),
            json!([1]),
            json!([{ "uri": 1 }]),
            json!([{ "uri": "u", "claim": -1, "text": "" }]),
        ] {
            assert_eq!(Target::read(bad.as_array().expect("a list")), None);
        }
    }
}
