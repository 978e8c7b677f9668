//! Comparisons in words: the verdict, and the experiment that tells two systems apart, side by side.

use super::paper::{Ink, Paper};
use super::summary;
use super::text::Style;
use crate::analysis::{Comparison, ComparisonVerdict, Refutation, Semantics};
use crate::certify::{Condition, Move, Obstacle, Probe, Recipe, Side, Trial};
use crate::process::{Expectation, System};
use crate::source::{Label, LabelKind, SourceMap, render};
use crate::term::{Op, TermId, TermStore};
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
    /// What was expected.
    pub expected: Option<Expectation>,
}

/// The verdict in a word or two, and how it should look.
pub fn word(comparison: &Comparison) -> (&'static str, Ink) {
    match (&comparison.verdict, comparison.preorder) {
        (ComparisonVerdict::Equivalent, false) => ("equivalent", Ink::Good),
        (ComparisonVerdict::Equivalent, true) => ("holds", Ink::Good),
        (ComparisonVerdict::Distinguished(_), false) => ("not equivalent", Ink::Bad),
        (ComparisonVerdict::Distinguished(_), true) => ("does not hold", Ink::Bad),
        (ComparisonVerdict::Inconclusive(_), _) => ("inconclusive", Ink::Doubt),
        (ComparisonVerdict::Internal(_), _) => ("internal error", Ink::Doubt),
    }
}

/// Whether the verdict is what was expected.
pub fn meets(comparison: &Comparison, expected: Expectation) -> bool {
    match comparison.verdict {
        ComparisonVerdict::Equivalent => expected == Expectation::Holds,
        ComparisonVerdict::Distinguished(_) => expected == Expectation::Attack,
        _ => false,
    }
}

/// Writes the report about a comparison.
pub fn write_comparison(
    out: &mut dyn io::Write,
    names: Names<'_>,
    comparison: &Comparison,
    style: Style,
) -> io::Result<()> {
    let mut paper = Paper::new(out, style.color);
    let (word, ink) = word(comparison);
    let mut verdict = paper.paint(word, ink);
    if let Some(expected) = names.expected.filter(|e| !meets(comparison, *e)) {
        verdict = format!("{verdict}, expected {}", summary::expectation(expected));
    }
    paper.line(&format!("{}: {verdict}", names.title))?;
    for line in scope(comparison) {
        paper.paragraph(2, &line, Ink::Plain)?;
    }
    paper.paragraph(2, &cost(comparison, style.timed), Ink::Faint)?;
    if style.brief {
        return Ok(());
    }
    match &comparison.verdict {
        ComparisonVerdict::Distinguished(refutation) => {
            refuted(&mut paper, names, comparison, refutation)
        }
        ComparisonVerdict::Internal(error) => paper.paragraph(
            2,
            &format!(
                "the comparison proposed a test that its replay rejects ({error}); this is a mistake in spi: please report it"
            ),
            Ink::Doubt,
        ),
        ComparisonVerdict::Equivalent | ComparisonVerdict::Inconclusive(_) => Ok(()),
    }
}

/// What the verdict is about, in sentences.
fn scope(comparison: &Comparison) -> Vec<String> {
    let mut said = Vec::new();
    said.push(match (comparison.preorder, comparison.semantics) {
        (false, Semantics::Classic) => "testing equivalence: no environment tells them apart".to_owned(),
        (true, Semantics::Classic) => "may preorder: what the first can show, the second can".to_owned(),
        (false, Semantics::Private) => {
            "trace equivalence; internal communication on public channels was left out (--semantics private)".to_owned()
        }
        (true, Semantics::Private) => {
            "trace inclusion; internal communication on public channels was left out (--semantics private)".to_owned()
        }
    });
    match &comparison.verdict {
        ComparisonVerdict::Distinguished(_) | ComparisonVerdict::Internal(_) => said.clear(),
        ComparisonVerdict::Inconclusive(reason) => said.push(format!(
            "{}; covered: every test of up to {}, none tells them apart",
            summary::stopped(*reason),
            summary::count(u64::from(comparison.stats.depth), "action", "actions")
        )),
        ComparisonVerdict::Equivalent => {}
    }
    let systems = [&comparison.left, &comparison.right];
    if systems.iter().any(|s| !s.cuts.is_empty()) {
        said.push("recursion was cut (--unfold): what lies beyond is not covered".to_owned());
    }
    if systems.iter().any(|s| !s.copied.is_empty()) {
        said.push("a bare `!` was taken as a fixed number of copies (--copies)".to_owned());
    }
    said
}

/// The cost in words.
fn cost(comparison: &Comparison, timed: bool) -> String {
    let stats = &comparison.stats;
    let mut text = format!(
        "{}, {}, depth {}",
        summary::count(stats.nodes, "node", "nodes"),
        summary::count(stats.configurations, "configuration", "configurations"),
        stats.depth
    );
    if timed {
        text.push_str(", ");
        text.push_str(&summary::duration(stats.time));
    }
    text
}

fn refuted(
    paper: &mut Paper<'_>,
    names: Names<'_>,
    comparison: &Comparison,
    refutation: &Refutation,
) -> io::Result<()> {
    let store = names.store;
    let experiment = &refutation.experiment;
    let (winner, loser) = match experiment.passes {
        Side::Left => (names.left, names.right),
        Side::Right => (names.right, names.left),
    };
    let text = |r: &Recipe| recipe(store, &comparison.knows, r);
    paper.gap()?;
    paper.paragraph(
        2,
        &format!("{winner} passes this test, {loser} does not, whatever it does:"),
        Ink::Strong,
    )?;
    let shown = &refutation.shown;
    let mut heard = 0;
    for (i, action) in experiment.actions.iter().enumerate() {
        let line = match action {
            Probe::Send { channel, message } => {
                format!("send {} on {}", text(message), text(channel))
            }
            Probe::Hear { channel } => {
                heard += 1;
                format!("hear w{heard} on {}", text(channel))
            }
        };
        paper.hanging(&format!("  {:>2}. ", i + 1), 6, &line)?;
        if matches!(action, Probe::Hear { .. }) {
            let answer = |trial: &Trial| {
                trial
                    .heard
                    .get(heard - 1)
                    .filter(|_| i < trial.followed)
                    .map_or_else(|| "nothing".to_owned(), |t| store.show(*t))
            };
            let both = format!(
                "{winner}: {}; {loser}: {}",
                answer(&shown.passing),
                answer(&shown.failing)
            );
            paper.paragraph(6, &both, Ink::Faint)?;
        } else if i >= shown.failing.followed {
            paper.paragraph(6, &format!("{loser}: does not take it"), Ink::Faint)?;
        }
    }
    for looked in &experiment.conditions {
        paper.hanging("   => ", 6, &condition(store, &comparison.knows, looked))?;
    }
    let why = match shown.obstacle {
        Obstacle::Action(i) => format!("{loser} has no run that takes step {}.", i + 1),
        Obstacle::Condition(i) => {
            format!(
                "No run of {loser} that gets so far meets condition {}.",
                i + 1
            )
        }
    };
    paper.gap()?;
    paper.paragraph(2, &why, Ink::Plain)?;
    paper.gap()?;
    paper.paragraph(
        2,
        "The test as a process, which signals when it passes:",
        Ink::Plain,
    )?;
    let process = experiment.test_process(store, &comparison.knows);
    paper.indented(4, process.as_bytes())?;
    excerpts(paper, names, comparison, refutation, (winner, loser))
}

/// Marks in both sources where the run ends.
fn excerpts(
    paper: &mut Paper<'_>,
    names: Names<'_>,
    comparison: &Comparison,
    refutation: &Refutation,
    (winner, loser): (&str, &str),
) -> io::Result<()> {
    let (one, other) = match refutation.experiment.passes {
        Side::Left => (&comparison.left, &comparison.right),
        Side::Right => (&comparison.right, &comparison.left),
    };
    let last = |system: &System, moves: &[Move]| moves.last().map(|m| system.step(m.step).span);
    let mut labels = Vec::new();
    if let Some(span) = last(one, &refutation.shown.passing.moves) {
        let message = format!("{winner} gets here");
        labels.push(Label {
            span,
            message,
            kind: LabelKind::Primary,
        });
    }
    if let Some(span) = last(other, &refutation.shown.failing.moves) {
        let message = format!("{loser} gets no further than here");
        labels.push(Label {
            span,
            message,
            kind: LabelKind::Secondary,
        });
    }
    for label in labels {
        paper.gap()?;
        let color = paper.color();
        let excerpt = render::Excerpt {
            labels: vec![label],
            ..render::Excerpt::default()
        };
        render::write_excerpt(paper.out(), names.map, &excerpt, color)?;
    }
    Ok(())
}

/// A condition in words.
pub(super) fn condition(store: &TermStore, knows: &[TermId], condition: &Condition) -> String {
    let text = |r: &Recipe| recipe(store, knows, r);
    match condition {
        Condition::Equal(a, b) => format!("{} = {}", text(a), text(b)),
        Condition::Different(a, b) => format!("{} differs from {}", text(a), text(b)),
        Condition::Succeeds(r) => format!("{} can be computed", text(r)),
        Condition::Fails(r) => format!("{} can't be computed", text(r)),
    }
}

/// A recipe in the notation of terms; `w1` is the first message heard.
pub fn recipe(store: &TermStore, knows: &[TermId], r: &Recipe) -> String {
    let text = |r: &Recipe| recipe(store, knows, r);
    let list =
        |rs: &[std::sync::Arc<Recipe>]| rs.iter().map(|r| text(r)).collect::<Vec<_>>().join(", ");
    match r {
        Recipe::Initial(i) => knows
            .get(*i)
            .map_or_else(|| format!("known{i}"), |t| store.show(*t)),
        Recipe::Heard(i) => format!("w{}", i + 1),
        Recipe::Constant(t) => store.show(*t).replace('\'', ""),
        Recipe::Build(op, args) => match (op, args.as_slice()) {
            (Op::Suc, [a]) => format!("suc({})", text(a)),
            (Op::Hash, [a]) => format!("H({})", text(a)),
            (Op::Pub, [a]) => format!("{}+", text(a)),
            (Op::Priv, [a]) => format!("{}-", text(a)),
            (Op::Senc, [m, k]) => format!("{{{}}}{}", text(m), text(k)),
            (Op::Aenc, [m, k]) => format!("{{[{}]}}{}", text(m), text(k)),
            (Op::Sign, [m, k]) => format!("[{{{}}}]{}", text(m), text(k)),
            _ => format!("({})", list(args)),
        },
        Recipe::Member(f, args) => format!("{}({})", store.family_info(*f).label, list(args)),
        Recipe::PublicPart(f, args) => {
            format!("{}({})+", store.family_info(*f).label, list(args))
        }
        Recipe::Part { of, index, .. } => format!("part {} of {}", index + 1, text(of)),
        Recipe::Predecessor(a) => format!("predecessor of {}", text(a)),
        Recipe::Decrypt(c, k) | Recipe::DecryptPrivate(c, k) => {
            format!("content of {} under {}", text(c), text(k))
        }
        Recipe::CheckSign(c, k) => format!("content of {} signed for {}", text(c), text(k)),
    }
}
