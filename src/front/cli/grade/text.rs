//! Grades for people.

use std::io;

use super::super::Console;
use super::graded::{Graded, Verdict};
use crate::base::source::visible::visible;
use crate::course::grade::Exercise;
use crate::present::report::{Ink, Paper, summary};

fn ink(verdict: Verdict) -> Ink {
    match verdict {
        Verdict::Passed => Ink::Good,
        Verdict::Inconclusive => Ink::Doubt,
        Verdict::NotPassed | Verdict::Unreadable | Verdict::InternalError => Ink::Bad,
    }
}

/// `1/1`; `?/1` if spi does not know.
fn points(graded: &Graded) -> String {
    let had = graded.points.map_or("?".to_owned(), |p| p.to_string());
    format!("{had}/{}", graded.out_of)
}

/// One submission, with all that was looked at.
pub(super) fn one(
    exercise: &Exercise,
    graded: &Graded,
    asked: Option<u8>,
    console: &mut Console,
) -> io::Result<()> {
    let (look, quiet) = (console.look(), console.quiet());
    let mut paper = Paper::new(console.out(), look);
    let title = paper.paint(&visible(&exercise.title), Ink::Strong);
    let verdict = paper.paint(graded.verdict.word(), ink(graded.verdict));
    let points = paper.paint(&format!("(points: {})", points(graded)), Ink::Faint);
    paper.line(&format!("{title}: {verdict}  {points}"))?;
    if quiet {
        return Ok(());
    }
    for c in &graded.grade.checks {
        let (word, ink) = match c.ok {
            Some(true) => ("ok  ", Ink::Good),
            Some(false) => ("FAIL", Ink::Bad),
            None => ("?   ", Ink::Doubt),
        };
        let word = paper.paint(word, ink);
        let detail = c
            .detail
            .as_ref()
            .map_or_else(String::new, |d| format!(": {d}"));
        paper.line(&format!(
            "  {word} {}",
            visible(&format!("{}{detail}", c.what))
        ))?;
    }
    hints(&mut paper, graded)?;
    if graded.grade.hints().is_some() && asked.is_none_or(|n| n < 3) {
        let next = asked.unwrap_or(0) + 1;
        paper.gap()?;
        paper.paragraph(2, &format!("--hint {next} helps."), Ink::Faint)?;
    }
    Ok(())
}

fn hints(paper: &mut Paper<'_>, graded: &Graded) -> io::Result<()> {
    if !graded.hints.is_empty() {
        paper.gap()?;
    }
    for (word, hint) in ["where", "why", "repair"].into_iter().zip(&graded.hints) {
        paper.hanging(&format!("  {word:<7}"), 9, &visible(hint))?;
    }
    Ok(())
}

/// The line of one submission among others.
pub(super) fn line(graded: &Graded, console: &mut Console) -> io::Result<()> {
    let (look, quiet) = (console.look(), console.quiet());
    let mut paper = Paper::new(console.out(), look);
    let word = format!("{:<14}", graded.verdict.word());
    let word = paper.paint(&word, ink(graded.verdict));
    let name = visible(&graded.name);
    paper.line(&format!("{word} {:>5}  {name}", points(graded)))?;
    if let Some(fault) = graded.fault().filter(|_| !quiet) {
        paper.paragraph(4, &visible(&fault), Ink::Faint)?;
    }
    if graded.hints.is_empty() || quiet {
        return Ok(());
    }
    hints(&mut paper, graded)?;
    paper.gap()
}

/// What all came to.
pub(super) fn total(title: &str, all: &[Graded], console: &mut Console) -> io::Result<()> {
    let look = console.look();
    let mut paper = Paper::new(console.out(), look);
    let counts: Vec<String> = Verdict::ALL
        .into_iter()
        .filter_map(|v| {
            let count = all.iter().filter(|g| g.verdict == v).count();
            (count > 0).then(|| format!("{count} {}", v.word()))
        })
        .collect();
    let title = paper.paint(&visible(title), Ink::Strong);
    paper.line(&format!(
        "{title}: {}: {}",
        summary::count(all.len() as u64, "submission", "submissions"),
        counts.join(", ")
    ))
}
