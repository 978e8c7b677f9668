//! Comparisons in words: the verdict, and the experiment that tells two systems apart, side by side.

use super::gate::{Obstacle, obstacles};
use super::headline::Headline;
use super::paper::{Ink, Paper};
use super::refutation::Telling;
use super::story::Context;
use super::summary;
use super::text::{Style, explain};
use super::vacuous;
use crate::analysis::{
    AnyNumber, Comparison, ComparisonVerdict, Gate, Outcome, Semantics, Unconfirmed,
};
use crate::base::source::SourceMap;
use crate::engine::equiv::Way;
use crate::process::{Expectation, Program};
use crate::term::TermStore;
use std::io;

/// What a comparison is called and where its texts are.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The terms.
    pub store: &'a TermStore,
    /// The texts of both systems.
    pub map: &'a SourceMap,
    /// The claim, or the two systems as they were named.
    pub title: &'a str,
    /// The left system's name.
    pub left: &'a str,
    /// The right system's name.
    pub right: &'a str,
    /// How the systems were made, if that has to be said with a test.
    pub note: Option<&'a str>,
    /// The files of both systems.
    pub programs: [&'a Program; 2],
    /// What was expected.
    pub expected: Option<Expectation>,
}

/// The words of the verdict, and how they should look.
pub fn word(comparison: &Comparison) -> (&'static str, Ink) {
    match (comparison.outcome(), comparison.preorder) {
        (Outcome::Equivalent, true) => summary::word(Outcome::Holds),
        (Outcome::EquivalentForAny, true) => ("holds for any number of copies", Ink::Good),
        (Outcome::Different, true) => ("does not hold", Ink::Bad),
        (outcome, _) => summary::word(outcome),
    }
}

/// Writes the report about a comparison.
pub fn write_comparison(
    out: &mut dyn io::Write,
    names: Names<'_>,
    comparison: &Comparison,
    style: Style,
) -> io::Result<()> {
    let mut paper = Paper::new(out, style.look);
    let missed = names.expected.filter(|e| !comparison.outcome().meets(*e));
    let missed = missed.map(|e| format!(", expected {}", summary::expectation(e)));
    let headline = Headline {
        title: names.title,
        word: word(comparison),
        names: "",
        missed: missed.as_deref().unwrap_or(""),
    };
    headline.write(&mut paper, style.brief)?;
    if style.brief {
        return Ok(());
    }
    for line in scope(comparison) {
        paper.paragraph(2, &line, Ink::Plain)?;
    }
    paper.paragraph(2, &cost(comparison, style.timed), Ink::Faint)?;
    unfinished(&mut paper, names, comparison, style.told)?;
    match &comparison.verdict {
        ComparisonVerdict::Distinguished(refutation) | ComparisonVerdict::Bounded(refutation) => {
            Telling::new(names, comparison, refutation).write(&mut paper, names, comparison)
        }
        ComparisonVerdict::Internal(error) => paper.paragraph(
            2,
            &format!(
                "the comparison proposed a test that its replay rejects ({error}); this is a mistake in spi: please report it"
            ),
            Ink::Doubt,
        ),
        ComparisonVerdict::Refused(error) => paper.paragraph(
            2,
            &format!(
                "the comparison proposed a certificate that its check rejects ({error}); this is a mistake in spi: please report it"
            ),
            Ink::Doubt,
        ),
        ComparisonVerdict::Equivalent
        | ComparisonVerdict::Inconclusive(_)
        | ComparisonVerdict::Unconfirmed(_) => Ok(()),
    }
}

/// The instances that never get to an end, with the name of their system, and what keeps them from it.
fn idle(names: Names<'_>, comparison: &Comparison) -> Vec<(String, Obstacle)> {
    let sides = [names.left, names.right];
    let mut found: Vec<(String, Obstacle)> = Vec::new();
    for (side, gate) in comparison.gates.iter().enumerate() {
        let Some(gate) = gate.as_ref().filter(|g| g.is_closed()) else {
            continue;
        };
        let ctx = Context {
            store: names.store,
            program: names.programs[side],
            map: names.map,
        };
        for obstacle in obstacles(ctx, gate) {
            found.push((sides[side].to_owned(), obstacle));
        }
    }
    found
}

/// The instances that never get to an end: `Server(S) in T`.
pub(super) fn never_finish(names: Names<'_>, comparison: &Comparison) -> Vec<String> {
    let idle = idle(names, comparison).into_iter();
    idle.map(|(system, o)| format!("{} in {system}", o.instance))
        .collect()
}

/// Who never gets to an end: in full if that decides the verdict, otherwise in passing.
fn unfinished(
    paper: &mut Paper<'_>,
    names: Names<'_>,
    comparison: &Comparison,
    told: bool,
) -> io::Result<()> {
    let idle = idle(names, comparison);
    if idle.is_empty() {
        return Ok(());
    }
    let full = comparison.outcome() == Outcome::NotExecutable;
    if !full || told {
        let who: Vec<String> = idle
            .iter()
            .map(|(system, o)| format!("{} in {system}", o.instance))
            .collect();
        let verb = if who.len() == 1 { "finishes" } else { "finish" };
        let how = if full {
            "see above".to_owned()
        } else {
            "whatever the environment does; see `spi run`".to_owned()
        };
        let text = format!("note: {} never {verb}, {how}", who.join(", "));
        return paper.paragraph(2, &text, Ink::Doubt);
    }
    // Both systems may have an instance of the same role, stuck at the same place.
    let sides = idle.partition_point(|(system, _)| *system == idle[0].0);
    let place = |o: &Obstacle| (role(&o.instance).to_owned(), o.at);
    let told: Vec<_> = idle[..sides].iter().map(|(_, o)| place(o)).collect();
    let shown = (idle.into_iter().enumerate())
        .filter(|(i, (_, o))| *i < sides || !told.contains(&place(o)))
        .map(|(_, (_, o))| o)
        .collect::<Vec<Obstacle>>();
    explain(paper, names.map, &shown)
}

/// The role of an instance as it is written.
fn role(instance: &str) -> &str {
    instance.split('(').next().unwrap_or(instance)
}

/// What a verdict is about and what it cost, in sentences.
pub fn comparison_scope(comparison: &Comparison) -> Vec<String> {
    let mut said = scope(comparison);
    said.push(cost(comparison, false));
    said
}

/// What the verdict is about, in sentences.
fn scope(comparison: &Comparison) -> Vec<String> {
    let private =
        "internal communication on public channels was left out (--semantics private)".to_owned();
    let mut said = Vec::new();
    said.extend(comparison.vacuous.as_ref().map(vacuous::reason));
    let bounds = bounds(comparison);
    if matches!(comparison.verdict, ComparisonVerdict::Equivalent) {
        // What is established is established for so many copies: that is no footnote.
        let within = match bounds.as_slice() {
            [] if comparison.is_for_any_number() && comparison.any_roles => {
                ", each role instance any number of times".to_owned()
            }
            [] if comparison.is_for_any_number() => {
                ", for any number of copies of each `!`".to_owned()
            }
            [] => String::new(),
            bounds => format!(", {}", bounds.join(", ")),
        };
        said.push(match (comparison.preorder, comparison.semantics) {
            (false, Semantics::Classic) => {
                format!("testing equivalence{within}: no environment tells them apart")
            }
            (true, Semantics::Classic) => {
                format!("may preorder{within}: what the first can show, the second can")
            }
            (false, Semantics::Private) => format!("trace equivalence{within}; {private}"),
            (true, Semantics::Private) => format!("trace inclusion{within}; {private}"),
        });
        if !bounds.is_empty() {
            said.push("what lies beyond is not covered: more may still tell them apart".to_owned());
            said.extend(beyond_copies(comparison));
        } else if let Some(AnyNumber::Closed(n)) = comparison.any_number {
            let copies = summary::count(u64::from(n), "copy", "copies");
            said.push(format!(
                "compared with {copies}, each process by its counterpart: further copies add no run of another kind"
            ));
        } else if comparison.stats.way != Way::Congruence && comparison.vacuous.is_none() {
            let text = "each as often as written, no proof for more: further runs may still tell them apart";
            said.push(text.to_owned());
            said.extend(beyond_copies(comparison));
        }
        if comparison.outcome() == Outcome::NotExecutable {
            said.push(stuck(comparison));
        }
    } else {
        said.extend(doubt(comparison));
        if comparison.semantics == Semantics::Private {
            said.push(private);
        }
        if !bounds.is_empty() {
            said.push(format!("compared {}", bounds.join(", ")));
        }
    }
    if comparison.powers {
        said.push(summary::EXPONENTS.to_owned());
    }
    if comparison.untyped {
        said.push(
            "--typed, --transparent and --sessions say nothing about comparisons: every message counts"
                .to_owned(),
        );
    }
    said
}

/// What is known of more copies, if that was looked at in vain.
fn beyond_copies(comparison: &Comparison) -> Option<String> {
    let Some(AnyNumber::Open(n)) = comparison.any_number else {
        return None;
    };
    let copies = summary::count(u64::from(n), "copy", "copies");
    Some(format!(
        "with {copies} too nothing tells them apart, but one more could do what these can't: for any number nothing is shown"
    ))
}

/// Who is stuck, if that closes the gate.
fn stuck(comparison: &Comparison) -> String {
    let closed = |gate: &&Gate| gate.is_closed();
    let place = match comparison.gates.iter().flatten().filter(closed).count() {
        1 => "in the first",
        _ => "on both sides",
    };
    format!(
        "but {place} role instances never get to their ends, whatever the environment does, which may be the only reason"
    )
}

/// The bounds that were met: `with 2 copies for each `!` (--copies)`.
fn bounds(comparison: &Comparison) -> Vec<String> {
    let copies = comparison.copied().then(|| {
        let n = u64::from(comparison.bounds.copies);
        let copies = summary::count(n, "copy", "copies");
        format!("with {copies} for each `!` (--copies)")
    });
    let cut = comparison.cut().then(|| {
        let n = u64::from(comparison.bounds.recursion);
        let returns = summary::count(n, "return", "returns");
        format!("with recursion cut after {returns} (--unfold)")
    });
    copies.into_iter().chain(cut).collect()
}

/// Why nothing is established, in a sentence.
pub(super) fn doubt(comparison: &Comparison) -> Option<String> {
    match &comparison.verdict {
        ComparisonVerdict::Inconclusive(reason) => Some(format!(
            "{}; covered: {} of the joint exploration, in which nothing tells them apart",
            summary::stopped(*reason),
            summary::count(u64::from(comparison.stats.depth), "layer", "layers")
        )),
        ComparisonVerdict::Bounded(_) => Some(
            "a test tells the systems apart as they were unfolded, but the one that fails it was cut: what was cut off might pass it"
                .to_owned(),
        ),
        ComparisonVerdict::Unconfirmed(Unconfirmed::TooMany(limit)) => Some(format!(
            "a difference was found, but confirming it takes a replay of more than {limit} configurations"
        )),
        ComparisonVerdict::Unconfirmed(Unconfirmed::Stopped(reason)) => Some(format!(
            "{}: a difference was found, but not confirmed in time",
            summary::stopped(*reason)
        )),
        _ => None,
    }
}

/// The cost in words.
fn cost(comparison: &Comparison, timed: bool) -> String {
    let stats = &comparison.stats;
    let mut text = match stats.way {
        Way::Joint => format!(
            "{}, {}, depth {}",
            summary::count(stats.nodes, "node", "nodes"),
            summary::count(stats.configurations, "configuration", "configurations"),
            stats.depth
        ),
        Way::Cones => format!(
            "{}, {}, depth {}",
            summary::count(stats.nodes, "cone", "cones"),
            summary::count(stats.configurations, "look", "looks"),
            stats.depth
        ),
        Way::Congruence => "the same but for renaming and order".to_owned(),
    };
    if stats.by_role {
        text.push_str(", role by role");
    }
    if let Some(steps) = stats.gave_up {
        let steps = summary::count(steps, "step", "steps");
        text.push_str(", cones undecided after ");
        text.push_str(&steps);
    }
    if stats.left > 0 {
        let nodes = summary::count(stats.left, "node", "nodes");
        text.push_str(", exploration undecided after ");
        text.push_str(&nodes);
    }
    if timed {
        text.push_str(", ");
        text.push_str(&summary::duration(stats.time));
    }
    text
}
