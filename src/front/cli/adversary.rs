//! `spi check --adversary all`: the claims of a file against attackers that get keys.

use clap::ValueEnum;
use serde::Serialize;
use std::io;
use std::path::PathBuf;

use super::check::Format;
use super::opened::Opened;
use super::progress::Watch;
use super::{Console, Status};
use crate::analysis::{Outcome, Settings};
use crate::base::source::{Code, Diagnostic, SourceMap};
use crate::course::variants::{ADVERSARIES, Row, adversaries};
use crate::present::report::json::{self, SCHEMA};
use crate::present::report::{summary, too_large};

/// Which attackers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Which {
    /// All that there are
    All,
}

#[derive(Serialize)]
struct Document {
    schema: &'static str,
    files: Vec<FileEntry>,
}

#[derive(Serialize)]
struct FileEntry {
    file: String,
    table: Vec<RowEntry>,
}

#[derive(Serialize)]
struct RowEntry {
    claim: String,
    adversaries: Vec<Cell>,
}

#[derive(Serialize)]
struct Cell {
    adversary: &'static str,
    /// Null where the question does not apply.
    verdict: Option<&'static str>,
}

/// Decides the table of each file.
pub(super) fn run(
    files: &[PathBuf],
    system: Option<&str>,
    format: Format,
    settings: &Settings,
    watch: &Watch,
    console: &mut Console,
) -> io::Result<Status> {
    if format.findings().is_some() {
        let d = Diagnostic::new(
            Code::NothingToCheck,
            "a table of attackers is no list of findings",
        )
        .help("ask for `--format human` or `--format json`");
        console.diagnostics(&SourceMap::new(), &[d])?;
        return Ok(Status::Error);
    }
    let mut status = Status::Holds;
    let mut document = Document {
        schema: SCHEMA,
        files: Vec::new(),
    };
    for (i, path) in files.iter().enumerate() {
        let mut opened = match Opened::load(path) {
            Ok(opened) => opened,
            Err(unsound) => {
                console.diagnostics(&unsound.map, &unsound.diagnostics)?;
                status = status.worst(Status::Error);
                continue;
            }
        };
        if let Some(name) = system
            && let Err(diagnostic) = opened.system(name)
        {
            console.diagnostics(&opened.map, &[diagnostic])?;
            status = status.worst(Status::Error);
            continue;
        }
        let rows = adversaries(&mut opened.model, system);
        let mut table = Vec::new();
        for row in &rows {
            let (entry, ends) = decided(&opened, row, settings, watch, console)?;
            watch.clear();
            table.push(entry);
            status = status.worst(ends);
        }
        if format == Format::Human {
            if i > 0 {
                writeln!(console.out())?;
            }
            if files.len() > 1 {
                writeln!(console.out(), "{}", opened.name)?;
            }
            write_table(&table, console)?;
        }
        document.files.push(FileEntry {
            file: opened.name.clone(),
            table,
        });
    }
    if format != Format::Human {
        json::write(console.out(), &document)?;
    }
    Ok(status)
}

/// A row of verdicts. Of several claims for one attacker the worst verdict counts, and those that say nothing about anybody don't.
fn decided(
    opened: &Opened,
    row: &Row,
    settings: &Settings,
    watch: &Watch,
    console: &mut Console,
) -> io::Result<(RowEntry, Status)> {
    let mut status = Status::Holds;
    let mut cells = Vec::new();
    for (claims, (_, adversary)) in row.claims.iter().zip(ADVERSARIES) {
        let mut worst: Option<Outcome> = None;
        for number in claims.iter().cloned().flatten() {
            let outcome = match opened.model.decide(number, settings, watch) {
                Ok(decision) => decision.outcome(),
                Err(error) => {
                    let d = too_large(opened.model.claims()[number].span, &error);
                    console.diagnostics(&opened.map, &[d])?;
                    status = status.worst(Status::Error);
                    continue;
                }
            };
            status = status.worst(match outcome {
                // Nobody marks the event who has lost its keys.
                Outcome::Vacuous => Status::Holds,
                other => Status::from(other),
            });
            let rank = |o: Outcome| match o {
                Outcome::Vacuous => 0,
                o if o.is_proved() => 1,
                o if o.holds() => 2,
                Outcome::Inconclusive => 3,
                Outcome::NotExecutable => 4,
                _ => 5,
            };
            if worst.is_none_or(|w| rank(outcome) > rank(w)) {
                worst = Some(outcome);
            }
        }
        cells.push(Cell {
            adversary,
            verdict: worst.map(|w| summary::word(w).0),
        });
    }
    let entry = RowEntry {
        claim: row.text.clone(),
        adversaries: cells,
    };
    Ok((entry, status))
}

fn write_table(table: &[RowEntry], console: &mut Console) -> io::Result<()> {
    let size = |t: &str| t.chars().count();
    let name = |i: usize| ADVERSARIES[i].1;
    for row in table {
        writeln!(console.out(), "{}", row.claim)?;
        let width = (0..ADVERSARIES.len())
            .map(|i| size(name(i)))
            .max()
            .unwrap_or(0);
        for cell in &row.adversaries {
            let verdict = cell.verdict.unwrap_or("-");
            writeln!(console.out(), "  {:width$}  {verdict}", cell.adversary)?;
        }
    }
    if table.is_empty() {
        writeln!(
            console.out(),
            "no claim of secrecy or agreement that does not speak of lost keys itself"
        )?;
    }
    Ok(())
}
