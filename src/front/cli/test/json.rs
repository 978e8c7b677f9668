//! Test results for machines: the entries of `spi check`, each with whether it was met.

use serde::Serialize;
use std::io;

use super::tested::{FileTested, Mark};
use super::{Tested, Totals};
use crate::present::report::json::{self, ClaimEntry, Problem, SCHEMA};

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    summary: Summary,
    files: Vec<File<'a>>,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    claims: usize,
    met: usize,
    missed: usize,
    without_expectation: usize,
    unusable_files: usize,
    states: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct File<'a> {
    #[serde(rename = "file")]
    name: &'a str,
    problems: Vec<Problem>,
    claims: Vec<Claim<'a>>,
}

#[derive(Serialize)]
struct Claim<'a> {
    met: Option<bool>,
    difference: Vec<String>,
    #[serde(flatten)]
    entry: &'a ClaimEntry,
}

fn claim(t: &Tested) -> Claim<'_> {
    Claim {
        met: match t.mark {
            Mark::Met => Some(true),
            Mark::Missed => Some(false),
            Mark::Open => None,
        },
        difference: t.difference(),
        entry: &t.entry,
    }
}

/// Writes the document.
pub(super) fn write(
    files: &[FileTested],
    totals: &Totals,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let document = Document {
        schema: SCHEMA,
        summary: Summary {
            files: totals.files,
            claims: totals.claims(),
            met: totals.met,
            missed: totals.missed,
            without_expectation: totals.open,
            unusable_files: totals.unusable,
            states: totals.states,
            seconds: totals.time.as_secs_f64(),
        },
        files: files
            .iter()
            .map(|f| File {
                name: &f.name,
                problems: f
                    .problem
                    .iter()
                    .flat_map(|p| Problem::all(&p.map, &p.diagnostics))
                    .collect(),
                claims: f.claims.iter().map(claim).collect(),
            })
            .collect(),
    };
    json::write(out, &document)
}
