//! Test results for people: a line for each claim, what differs, a summary.

use std::io;

use super::tested::{FileTested, INDENT, Mark, cost};
use super::{Console, Totals};
use crate::base::source::visible::visible;
use crate::present::report::{Ink, Paper, summary};

/// A file.
pub(super) fn file(file: &FileTested, console: &mut Console) -> io::Result<()> {
    let (look, quiet) = (console.look(), console.quiet());
    let mut paper = Paper::new(console.out(), look);
    for t in &file.claims {
        let (word, ink) = match t.mark {
            Mark::Met => ("ok  ", Ink::Good),
            Mark::Missed => ("FAIL", Ink::Bad),
            Mark::Open => ("-   ", Ink::Doubt),
        };
        if quiet && t.mark != Mark::Missed {
            continue;
        }
        paper.line(&format!(
            "{} {}:{}: {}: {}  {}",
            paper.paint(word, ink),
            visible(&file.name),
            t.entry.place.as_ref().map_or(0, |p| p.line),
            t.entry.claim,
            t.found(),
            paper.paint(&format!("({})", cost(&t.entry)), Ink::Faint)
        ))?;
        for line in t.difference() {
            let ink = match line.chars().next() {
                Some('-') => Ink::Good,
                Some('+') => Ink::Bad,
                _ => Ink::Faint,
            };
            let line = paper.paint(&line, ink);
            paper.line(&format!("     {line}"))?;
        }
        if !quiet && t.mark == Mark::Missed {
            paper.gap()?;
            paper.indented(INDENT, &t.report)?;
        }
    }
    Ok(())
}

/// The summary.
pub(super) fn conclude(totals: &Totals, console: &mut Console) -> io::Result<()> {
    let look = console.look();
    let mut paper = Paper::new(console.out(), look);
    let mut parts = vec![format!("{} as expected", totals.met)];
    if totals.missed > 0 {
        parts.push(paper.paint(&format!("{} not", totals.missed), Ink::Bad));
    }
    if totals.open > 0 {
        parts.push(format!("{} without expectation", totals.open));
    }
    if totals.unusable > 0 {
        let text = summary::count(totals.unusable as u64, "unusable file", "unusable files");
        parts.push(paper.paint(&text, Ink::Bad));
    }
    paper.line(&format!(
        "{} in {}: {}  {}",
        summary::count(totals.claims() as u64, "claim", "claims"),
        summary::count(totals.files as u64, "file", "files"),
        parts.join(", "),
        paper.paint(
            &format!(
                "({}, {})",
                summary::count(totals.states, "state", "states"),
                summary::duration(totals.time)
            ),
            Ink::Faint
        )
    ))
}
