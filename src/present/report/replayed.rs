//! What a replayed attack achieves, in words.

use super::cast::written;
use super::headline::Headline;
use super::obstacle::Pen;
use super::paper::{Ink, Paper, unbroken};
use super::spelling::Spelling;
use super::story::{Context, Story};
use super::text::{Style, of_run, reference_of};
use super::values::Values;
use crate::analysis::{Effect, Encounter, ReplayResult};
use crate::certify::Side;
use crate::execute::Obstacle;
use crate::process::{ClaimKind, StepId, System};
use crate::term::{TermId, TermStore};
use std::fmt::Write;
use std::io;

/// What is told of a replay beside the claim.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    /// The attack, unfolded.
    pub attack: &'a System,
    /// The systems of a comparison, as they are called.
    pub names: (&'a str, &'a str),
}

/// The effect in a word or two, and how it should look.
pub(super) fn word(result: &ReplayResult) -> (&'static str, Ink) {
    let reachable = matches!(result.claim.kind, ClaimKind::Reachable { .. });
    match &result.effect {
        Effect::Breaks { .. } if reachable => ("reached", Ink::Good),
        Effect::Breaks { .. } => ("broken", Ink::Bad),
        Effect::Tells { .. } if result.breaks() => ("refuted", Ink::Bad),
        Effect::Nothing(_) | Effect::Stops(_) if reachable => ("not reached", Ink::Good),
        Effect::Tells { .. } | Effect::Alike(_) => ("not refuted", Ink::Good),
        Effect::Nothing(_) => ("not broken", Ink::Good),
        Effect::Stops(_) => ("attack stopped", Ink::Good),
    }
}

/// The effect for machines.
pub(super) fn effect_word(result: &ReplayResult) -> &'static str {
    let reachable = matches!(result.claim.kind, ClaimKind::Reachable { .. });
    match &result.effect {
        Effect::Breaks { .. } if reachable => "reaches",
        Effect::Breaks { .. } => "breaks",
        Effect::Tells { .. } => "tells apart",
        Effect::Nothing(_) => "runs in vain",
        Effect::Alike(_) => "same on both",
        Effect::Stops(_) => "stops",
    }
}

/// Writes what an attack does to a claim.
pub fn write_replay(
    out: &mut dyn io::Write,
    ctx: Context<'_>,
    result: &ReplayResult,
    shown: Shown<'_>,
    style: Style,
) -> io::Result<()> {
    let mut paper = Paper::new(out, style.look);
    let headline = Headline {
        title: &result.claim.text,
        word: word(result),
        names: "",
        missed: "",
    };
    headline.write(&mut paper, style.brief)?;
    if style.brief {
        return Ok(());
    }
    match &result.effect {
        Effect::Breaks { run, encounter } => {
            let reference = reference_of(ctx, result.gate.as_ref());
            let story = Story::of_attack(ctx, &reference, run);
            if !encounter.attack_run.finished {
                let text = format!("{}, and could not go on", progress(encounter));
                paper.paragraph(2, &text, Ink::Faint)?;
            }
            of_run(&mut paper, ctx, &result.claim.kind, run, &story)?;
            let terms = &encounter.learned;
            let learned = list(ctx.store, &story.spelling, encounter, terms);
            if !learned.is_empty() {
                let text = format!("{} learned {learned}.", story.cast.spy);
                paper.paragraph(2, &unbroken(&text), Ink::Plain)?;
            }
        }
        Effect::Nothing(encounter) => {
            paper.paragraph(
                2,
                "the attack runs to its end; the claim stands",
                Ink::Plain,
            )?;
            told(&mut paper, ctx, encounter)?;
            refused(&mut paper, ctx, shown.attack, encounter)?;
        }
        Effect::Stops(encounter) => {
            paper.paragraph(2, &progress(encounter), Ink::Plain)?;
            told(&mut paper, ctx, encounter)?;
        }
        Effect::Tells { passes, encounters } => {
            let (left, right) = shown.names;
            let (one, other) = match passes {
                Side::Left => (left, right),
                Side::Right => (right, left),
            };
            let [l, r] = &**encounters;
            let (with, without) = match passes {
                Side::Left => (l, r),
                Side::Right => (r, l),
            };
            let text = format!("with {one} it shows {}", barbs(ctx.store, with));
            paper.paragraph(2, &text, Ink::Plain)?;
            let text = format!("with {other} no run does: {}", progress(without));
            paper.paragraph(2, &text, Ink::Plain)?;
        }
        Effect::Alike(encounters) => {
            let (left, right) = shown.names;
            let [l, r] = &**encounters;
            for (name, e) in [(left, l), (right, r)] {
                alone(&mut paper, ctx.store, name, e)?;
            }
        }
    }
    limited(&mut paper, result)
}

/// What a test says about two systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Contrast {
    /// One passes it, and no run of the other does.
    ToldApart,
    /// Both pass it.
    Both,
    /// No run of either passes it.
    Neither,
    /// One fails it in the runs that were tried, and those were not all.
    Unknown,
}

/// What a test says about systems.
pub fn contrast(tests: &[(&str, &Encounter)]) -> Contrast {
    let passes = |e: &Encounter| !e.attack_run.barbs.is_empty();
    let passed = tests.iter().filter(|(_, e)| passes(e)).count();
    if passed == tests.len() {
        Contrast::Both
    } else if tests.iter().any(|(_, e)| e.is_open()) {
        Contrast::Unknown
    } else if passed == 0 {
        Contrast::Neither
    } else {
        Contrast::ToldApart
    }
}

/// Writes what a test does with two systems, and what that says about them.
pub fn write_tests(
    out: &mut dyn io::Write,
    store: &TermStore,
    tests: &[(&str, &Encounter)],
    style: Style,
) -> io::Result<()> {
    let mut paper = Paper::new(out, style.look);
    let names: Vec<&str> = tests.iter().map(|(name, _)| *name).collect();
    let headline = Headline {
        title: &names.join(" ~ "),
        word: match contrast(tests) {
            Contrast::ToldApart => ("refuted", Ink::Bad),
            Contrast::Both | Contrast::Neither => ("not refuted", Ink::Good),
            Contrast::Unknown => ("inconclusive", Ink::Doubt),
        },
        names: "",
        missed: "",
    };
    headline.write(&mut paper, style.brief)?;
    if style.brief {
        return Ok(());
    }
    for (name, e) in tests {
        alone(&mut paper, store, name, e)?;
    }
    Ok(())
}

fn alone(paper: &mut Paper<'_>, store: &TermStore, name: &str, e: &Encounter) -> io::Result<()> {
    let text = if !e.attack_run.barbs.is_empty() {
        format!("with {name} it shows {}", barbs(store, e))
    } else if e.limited {
        format!("with {name} no run that was tried shows the barb; not all were")
    } else if e.cut {
        format!(
            "with {name}, as unfolded, no run shows the barb; what lies beyond --copies or --unfold might"
        )
    } else {
        format!("with {name} it shows no barb: {}", progress(e))
    };
    paper.paragraph(2, &text, Ink::Plain)
}

fn limited(paper: &mut Paper<'_>, result: &ReplayResult) -> io::Result<()> {
    let given_up = match &result.effect {
        Effect::Nothing(e) | Effect::Stops(e) => e.limited,
        Effect::Alike(both) => both.iter().any(|e| e.limited),
        Effect::Breaks { .. } | Effect::Tells { .. } => false,
    };
    if given_up {
        let text = "not all runs of attack and system were tried: there are too many";
        paper.paragraph(2, text, Ink::Doubt)?;
    }
    Ok(())
}

/// The barbs and what was sent there.
fn barbs(store: &TermStore, e: &Encounter) -> String {
    let one = |(_, c, m): &(StepId, TermId, TermId)| {
        let text = format!("{}<{}>", store.show(*c), store.show(*m));
        unbroken(&text.replace('\'', "_"))
    };
    e.attack_run
        .barbs
        .iter()
        .map(one)
        .collect::<Vec<_>>()
        .join(", ")
}

fn progress(e: &Encounter) -> String {
    match (e.attack_run.finished, e.attack_run.followed) {
        (true, _) => "the attack ran to its end".to_owned(),
        (false, 0) => "the attack could not make its first step".to_owned(),
        (false, 1) => "the attack made one step".to_owned(),
        (false, n) => format!("the attack made {n} steps"),
    }
}

/// What was shown and learned without breaking the claim.
fn told(paper: &mut Paper<'_>, ctx: Context<'_>, e: &Encounter) -> io::Result<()> {
    let spelling = spelling(ctx, e, None);
    let learned = list(ctx.store, &spelling, e, &e.learned);
    if !learned.is_empty() {
        paper.paragraph(2, &format!("it learned {learned}"), Ink::Faint)?;
    }
    Ok(())
}

/// What roles refused, for a run that goes on all the same.
fn refused(
    paper: &mut Paper<'_>,
    ctx: Context<'_>,
    attack: &System,
    e: &Encounter,
) -> io::Result<()> {
    let pen = Pen::new(ctx, attack, e);
    for why in &e.attack_run.refused {
        let Obstacle::Refused {
            sent,
            by,
            message,
            difference,
        } = why
        else {
            continue;
        };
        let line = |span: crate::base::source::Span| {
            let file = ctx.map.get(span.file);
            file.map_or(0, |f| f.line_column(span.start).0)
        };
        let mut text = format!(
            "{} refuses {} of line {} (its line {}{})",
            pen.role(*by),
            pen.theirs.show(ctx.store, *message),
            line(attack.step(*sent).span),
            line(e.system.step(*by).span),
            ctx.of_used(e.system.step(*by).span),
        );
        if let Some(d) = difference {
            let expected = pen.pattern(&pen.theirs, d.expected);
            let found = pen.theirs.show(ctx.store, d.found);
            let _ = write!(text, ": it expects {expected} and gets {found}");
        }
        paper.paragraph(2, &text, Ink::Doubt)?;
    }
    Ok(())
}

/// Terms of a run, a name with the role instance that made it.
fn list(store: &TermStore, spelling: &Spelling, e: &Encounter, terms: &[TermId]) -> String {
    let values = Values::of_moves(store, &e.system, &e.attack_run.moves);
    let show = |t: &TermId| {
        let name = spelling.show(store, *t);
        match maker(store, &e.system, *t, &values) {
            Some(maker) => format!("{name} of {maker}"),
            None => name,
        }
    };
    terms.iter().map(show).collect::<Vec<_>>().join(", ")
}

/// The role instance that made a name.
pub(super) fn maker(
    store: &TermStore,
    system: &System,
    name: TermId,
    values: &Values,
) -> Option<String> {
    let origin = system.names.iter().find(|o| o.term == name)?;
    system.instance(origin.instance).def?;
    Some(written(store, system, origin.instance, values))
}

/// The names of a run, with those of the variables of a process.
pub(super) fn spelling(ctx: Context<'_>, e: &Encounter, variables: Option<&System>) -> Spelling {
    let terms: Vec<TermId> = e
        .attack_run
        .moves
        .iter()
        .flat_map(|m| m.kind.terms())
        .collect();
    let spy = ctx.program.signature.spies.first();
    let spy = spy.map_or_else(|| "spy".to_owned(), |s| ctx.store.show(*s));
    let spelling = Spelling::new(ctx.store, ctx.program, &spy, &terms);
    match variables {
        Some(system) => spelling.with_variables(ctx.store, system),
        None => spelling,
    }
}
