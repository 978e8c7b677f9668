//! Reports for people, at 80 columns.

use super::cast::{Cast, Party};
use super::ending::ending;
use super::gate::{Obstacle, obstacles};
use super::groups::groups;
use super::headline::Headline;
use super::kind::{Kind, kinds_of_attack};
use super::paper::{Ink, Paper, unbroken};
use super::places::places;
use super::reference::Reference;
use super::story::{Acceptance, Beat, Context, Message, Story};
use super::{runs, summary, undisturbed, wider};
use crate::analysis::{Attack, ClaimResult, Gate, Verdict};
use crate::base::source::SourceMap;
use crate::base::source::render::{self, Look};
use crate::process::{ClaimKind, EventId};
use std::io;

/// What is printed.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// Colour and width.
    pub look: Look,
    /// Show how long it took.
    pub timed: bool,
    /// The verdict alone.
    pub brief: bool,
    /// Why role instances never finish has been told, with another claim about the system.
    pub told: bool,
}

/// Writes the report about one claim.
pub fn write(
    out: &mut dyn io::Write,
    ctx: Context<'_>,
    result: &ClaimResult,
    style: Style,
) -> io::Result<()> {
    let mut paper = Paper::new(out, style.look);
    let reference = reference(ctx, result);
    let mut stories: Vec<(&Attack, Story)> = Vec::new();
    let attacks: Vec<&Attack> = match &result.verdict {
        Verdict::Attack(attacks) => attacks.iter().collect(),
        Verdict::Holds { run: Some(run) } => vec![run],
        _ => Vec::new(),
    };
    for attack in attacks {
        stories.push((attack, Story::of_attack(ctx, &reference, attack)));
    }
    headline(&mut paper, ctx, result, &stories, style)?;
    if style.brief {
        return Ok(());
    }
    if let Some(gate) = &result.gate
        && !gate.idle.is_empty()
    {
        unfinished(&mut paper, ctx, gate, &result.verdict, style.told)?;
    }
    if let Some(gate) = &result.gate
        && result.outcome().holds()
        && let Some(remark) = runs::heard_by_several(gate)
    {
        paper.paragraph(2, &remark, Ink::Doubt)?;
    }
    if let (Verdict::Holds { run: Some(run) }, Some(_)) = (&result.verdict, &result.gate)
        && result.scope.generated.is_none()
        && undisturbed::is_disturbed(ctx.store, run)
    {
        let remark =
            "note: the attacker has a part in this run; no honest run that was tried gets there";
        paper.paragraph(2, remark, Ink::Doubt)?;
    }
    let many = stories.len() > 1;
    let group = groups(&stories.iter().map(|(a, _)| *a).collect::<Vec<_>>());
    if many {
        let text = format!(
            "{} distinct attacks in {}, by the order in which the role instances start{}",
            stories.len(),
            summary::count(
                group.iter().max().copied().unwrap_or(0) as u64,
                "group",
                "groups"
            ),
            if result.stopped.is_some() {
                "; there may be more: the search was stopped"
            } else {
                ""
            }
        );
        paper.gap()?;
        paper.paragraph(2, &text, Ink::Strong)?;
    }
    for (i, (attack, story)) in stories.iter().enumerate() {
        paper.gap()?;
        if many {
            let names: Vec<String> = kinds_of_attack(ctx, result, attack, story)
                .iter()
                .map(ToString::to_string)
                .collect();
            let title = format!(
                "Attack {} (group {}): {}",
                i + 1,
                group[i],
                names.join(", ")
            );
            let title = paper.paint(&title, Ink::Strong);
            paper.line(&format!("  {title}"))?;
        }
        run(&mut paper, ctx, &result.claim.kind, attack, story)?;
        if let (Some(gate), Verdict::Attack(_)) = (&result.gate, &result.verdict)
            && kinds_of_attack(ctx, result, attack, story) == [Kind::NoAttacker]
            && let Some(remark) = undisturbed::broken(ctx, &result.claim.kind, gate)
        {
            paper.paragraph(2, &remark, Ink::Doubt)?;
        }
        if !many && matches!(result.verdict, Verdict::Attack(_)) {
            let excerpt = places(ctx, &result.claim.kind, attack, story);
            paper.gap()?;
            let look = paper.look();
            render::write_excerpt(paper.out(), ctx.map, &excerpt, look)?;
        }
    }
    wider::write(&mut paper, ctx, result)
}

/// The story of one run: who is who, what happens, what it shows.
fn run(
    paper: &mut Paper<'_>,
    ctx: Context<'_>,
    claim: &ClaimKind,
    attack: &Attack,
    story: &Story,
) -> io::Result<()> {
    if !story.beats.is_empty() {
        paper.paragraph(2, &introduction(&story.cast, story), Ink::Faint)?;
        paper.gap()?;
        narrate(paper, ctx, &|event| watched(claim, event), story)?;
        paper.gap()?;
    }
    for sentence in ending(ctx, claim, attack, story) {
        paper.paragraph(2, &sentence, Ink::Plain)?;
    }
    Ok(())
}

/// The same, set off from what was said before.
pub(super) fn of_run(
    paper: &mut Paper<'_>,
    ctx: Context<'_>,
    claim: &ClaimKind,
    attack: &Attack,
    story: &Story,
) -> io::Result<()> {
    paper.gap()?;
    run(paper, ctx, claim, attack, story)
}

/// The instances that never finish: in full if that decides the verdict, otherwise in passing.
fn unfinished(
    paper: &mut Paper<'_>,
    ctx: Context<'_>,
    gate: &Gate,
    verdict: &Verdict,
    told: bool,
) -> io::Result<()> {
    let obstacles = obstacles(ctx, gate);
    if told && matches!(verdict, Verdict::NotExecutable) {
        let names: Vec<&str> = obstacles.iter().map(|o| &*o.instance).collect();
        let verb = if names.len() == 1 {
            "finishes"
        } else {
            "finish"
        };
        let text = format!("{} never {verb}: see above", names.join(", "));
        return paper.paragraph(2, &text, Ink::Doubt);
    }
    if !matches!(verdict, Verdict::NotExecutable) {
        let names: Vec<&str> = obstacles.iter().map(|o| &*o.instance).collect();
        let (verb, ways) = match (gate.limited, names.len()) {
            (true, _) => ("may", "finish in no honest run (not all were tried)"),
            (false, 1) => ("never", "finishes when nobody interferes; see `spi run`"),
            (false, _) => ("never", "finish when nobody interferes; see `spi run`"),
        };
        let text = format!("note: {} {verb} {ways}", names.join(", "));
        return paper.paragraph(2, &text, Ink::Doubt);
    }
    explain(paper, ctx.map, &obstacles)
}

/// Why instances never finish; those that only wait for others are named at the end.
pub(super) fn explain(
    paper: &mut Paper<'_>,
    map: &SourceMap,
    obstacles: &[Obstacle],
) -> io::Result<()> {
    let causes = || obstacles.iter().filter(|o| !o.consequence);
    for obstacle in causes().take(render::SHOWN) {
        paper.gap()?;
        let look = paper.look();
        render::write_excerpt(paper.out(), map, &obstacle.excerpt, look)?;
    }
    let rest = causes().count().saturating_sub(render::SHOWN);
    if rest > 0 {
        let text = format!("... and {rest} more that never finish; `--format json` has them all");
        paper.gap()?;
        paper.paragraph(0, &text, Ink::Doubt)?;
    }
    let waiting: Vec<&str> = obstacles
        .iter()
        .filter(|o| o.consequence)
        .map(|o| &*o.instance)
        .collect();
    if waiting.is_empty() {
        return Ok(());
    }
    let verb = if waiting.len() == 1 { "waits" } else { "wait" };
    let text = format!("Because of that {} {verb} for ever.", waiting.join(", "));
    paper.paragraph(0, &text, Ink::Plain)
}

/// The partners as the honest run of the system tells them.
pub fn reference(ctx: Context<'_>, result: &ClaimResult) -> Reference {
    reference_of(ctx, result.gate.as_ref())
}

/// The partners as an honest run tells them.
pub(super) fn reference_of(ctx: Context<'_>, gate: Option<&Gate>) -> Reference {
    gate.map_or_else(Reference::default, |gate| {
        Reference::learn(ctx.store, ctx.program, &gate.system, gate.all())
    })
}

/// The verdict with the kinds of the attack: `attack (man in the middle)`.
pub fn verdict_line(
    ctx: Context<'_>,
    result: &ClaimResult,
    attack: &Attack,
    story: &Story,
) -> String {
    let word = summary::word(result.outcome()).0;
    if !matches!(result.verdict, Verdict::Attack(_)) {
        return word.to_owned();
    }
    let kinds = kinds_of_attack(ctx, result, attack, story);
    let kinds: Vec<String> = kinds.iter().map(ToString::to_string).collect();
    if kinds.is_empty() {
        return word.to_owned();
    }
    format!("{word} ({})", kinds.join(", "))
}

/// The verdict on one line, with the kinds of a first attack and what was found beyond what is written.
pub fn verdict_words(ctx: Context<'_>, result: &ClaimResult) -> String {
    let word = match &result.verdict {
        Verdict::Attack(attacks) => attacks.first().map(|attack| {
            let story = Story::of_attack(ctx, &reference(ctx, result), attack);
            verdict_line(ctx, result, attack, &story)
        }),
        _ => None,
    };
    let word = word.unwrap_or_else(|| summary::word(result.outcome()).0.to_owned());
    match wider::beyond(ctx.store, result) {
        Some(beyond) => format!("{word}; {beyond}"),
        None => word,
    }
}

fn headline(
    paper: &mut Paper<'_>,
    ctx: Context<'_>,
    result: &ClaimResult,
    stories: &[(&Attack, Story)],
    style: Style,
) -> io::Result<()> {
    let (word, ink) = summary::word(result.outcome());
    let mut confused = false;
    let mut names = String::new();
    if let (Verdict::Attack(_), Some((attack, story))) = (&result.verdict, stories.first()) {
        let kinds = kinds_of_attack(ctx, result, attack, story);
        confused = kinds.contains(&Kind::TypeFlaw);
        let all: Vec<String> = kinds.iter().map(ToString::to_string).collect();
        names = format!("({})", all.join(", "));
    }
    let mut missed = String::new();
    if let Some(expected) = result.claim.expect
        && !result.outcome().meets(expected)
    {
        missed = format!(", expected {}", summary::expectation(expected));
    }
    if style.brief
        && let Some(beyond) = wider::beyond(ctx.store, result)
    {
        missed.push_str("; ");
        missed.push_str(&beyond);
    }
    let verdict = Headline {
        title: &result.claim.text,
        word: (word, ink),
        names: &names,
        missed: &missed,
    };
    verdict.write(paper, style.brief)?;
    if style.brief {
        return Ok(());
    }
    for sentence in summary::meaning(result) {
        paper.paragraph(2, &sentence, Ink::Faint)?;
    }
    if let Some(sentence) = summary::need_of_confusion(result.also_typed, confused) {
        paper.paragraph(2, sentence, Ink::Faint)?;
    }
    if matches!(result.verdict, Verdict::Vacuous(_)) {
        return Ok(());
    }
    paper.paragraph(
        2,
        &summary::cost(&result.stats, result.proof, style.timed),
        Ink::Faint,
    )
}

/// The story, line by line, with the events that are wanted.
pub(super) fn narrate(
    paper: &mut Paper<'_>,
    ctx: Context<'_>,
    wanted: &dyn Fn(EventId) -> bool,
    story: &Story,
) -> io::Result<()> {
    let cast = &story.cast;
    let width = |label: &dyn Fn(&Message) -> String| {
        story
            .messages()
            .map(|m| label(m).chars().count())
            .max()
            .unwrap_or(0)
    };
    let from = width(&|m| cast.label(&m.from));
    let to = width(&|m| cast.label(&m.to));
    let digits = story.messages().count().to_string().len();
    for beat in &story.beats {
        match beat {
            Beat::Message(m) => {
                let pad = |party: &Party, width: usize| {
                    let label = cast.label(party);
                    let blanks = " ".repeat(width - label.chars().count());
                    format!("{}{blanks}", paper.paint(&label, ink_of(party)))
                };
                let head = format!(
                    "  {:>digits$}. {} -> {} : ",
                    m.number,
                    pad(&m.from, from),
                    pad(&m.to, to)
                );
                let size = 2 + digits + 2 + from + 4 + to + 3;
                let text = story.spelling.message(ctx.store, m.term);
                paper.hanging(&head, size, &text)?;
                // Under the message, so that the arrows stand alone.
                let indent = if size > paper.width() / 2 { 8 } else { size };
                details(paper, ctx, story, m, indent)?;
            }
            Beat::Event(e) if wanted(e.event) => {
                let label = &ctx.program.events[e.event.index()].label;
                let args: Vec<String> = e
                    .args
                    .iter()
                    .map(|t| story.spelling.show(ctx.store, *t))
                    .collect();
                let name = &cast.players[e.player].name;
                let text = format!("{name} does {label}({})", args.join(", "));
                let bullet = format!("  {:>digits$}  ", "*");
                paper.hanging(&bullet, digits + 4, &text)?;
            }
            Beat::Event(_) => {}
            Beat::Phase(number) => {
                let line = phase_line(*number, paper.width().saturating_sub(2));
                let line = paper.paint(&line, Ink::Strong);
                paper.line(&format!("  {line}"))?;
            }
        }
    }
    Ok(())
}

/// `---- phase 1 ----`, as wide as there is room.
fn phase_line(number: u8, width: usize) -> String {
    let words = format!(" phase {number} ");
    let rest = width.min(60).saturating_sub(words.len());
    format!(
        "{}{words}{}",
        "-".repeat(rest / 2),
        "-".repeat(rest - rest / 2)
    )
}

fn ink_of(party: &Party) -> Ink {
    match party {
        Party::Spy { .. } => Ink::Spy,
        Party::Player(_) | Party::Anybody(_) => Ink::Plain,
    }
}

/// Whether a claim is about an event.
pub fn watched(claim: &ClaimKind, event: EventId) -> bool {
    if claim.unless().iter().any(|e| e.event == event) {
        return true;
    }
    match claim {
        ClaimKind::SecrecyAfter { event: e, .. } | ClaimKind::Reachable { event: e, .. } => {
            e.event == event
        }
        ClaimKind::Agreement { after, before, .. } => after.event == event || before.event == event,
        _ => false,
    }
}

/// The players: `A in Init(A, B)`.
pub(super) fn introduced(cast: &Cast) -> Vec<String> {
    cast.players
        .iter()
        .filter(|p| p.name != p.plays)
        .map(|p| unbroken(&format!("{} in {}", p.name, p.plays)))
        .collect()
}

/// Who is who.
fn introduction(cast: &Cast, story: &Story) -> String {
    let said = introduced(cast);
    let spies = story.messages().flat_map(|m| [&m.from, &m.to]);
    let mask = spies.into_iter().find_map(|p| match p {
        Party::Spy {
            spy,
            acting_as: Some(agent),
        } => Some((spy, agent)),
        _ => None,
    });
    let spy = match mask {
        Some((spy, agent)) if cast.named => {
            format!("{spy}({agent}) is the spy {spy} in the place of {agent}")
        }
        Some((spy, agent)) => format!("{spy}({agent}) is the spy in the place of {agent}"),
        None => format!("{} is the spy", cast.spy),
    };
    if said.is_empty() {
        return spy;
    }
    format!("{}; {spy}", said.join(", "))
}

fn details(
    paper: &mut Paper<'_>,
    ctx: Context<'_>,
    story: &Story,
    m: &Message,
    indent: usize,
) -> io::Result<()> {
    let spy = &story.cast.spy;
    if m.is_private(ctx.store) {
        let channel = story.spelling.show(ctx.store, m.channel);
        let text = format!("on {channel}, which {spy} does not hear");
        paper.paragraph(indent, &text, Ink::Faint)?;
    }
    if let Some(making) = &m.making {
        paper.paragraph(indent, &format!("{spy} {}", making.words), Ink::Faint)?;
    }
    for learned in &m.learned {
        paper.paragraph(indent, &format!("{spy} {}", learned.words), Ink::Faint)?;
    }
    for tests in m
        .accepted
        .chunk_by(|a, b| a.player == b.player && a.passed == b.passed)
    {
        paper.paragraph(indent, &acceptance(ctx, story, tests), Ink::Faint)?;
    }
    Ok(())
}

/// Tests of one player with one outcome: `B accepts it (line 25): na = Na`.
fn acceptance(ctx: Context<'_>, story: &Story, tests: &[Acceptance]) -> String {
    let name = &story.cast.players[tests[0].player].name;
    let mut lines: Vec<usize> = tests
        .iter()
        .filter_map(|t| Some(ctx.map.get(t.span.file)?.line_column(t.span.start).0))
        .collect();
    lines.dedup();
    let numbers: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let noun = if numbers.len() == 1 { "line" } else { "lines" };
    let place = format!(
        "{noun} {}{}",
        numbers.join(", "),
        ctx.of_used(tests[0].span)
    );
    if !tests[0].passed {
        return format!("{name} takes the `else` branch ({place})");
    }
    let bound: Vec<String> = tests
        .iter()
        .flat_map(|t| &t.bound)
        // A ciphertext taken whole has been seen above; what matters is what it is taken for.
        .filter(|b| !b.fits || b.unusual || ctx.store.facts(b.value).size <= 3)
        .map(|b| {
            let value = story.spelling.show(ctx.store, b.value);
            let text = unbroken(&format!("{} = {value}", b.label));
            if b.fits {
                text
            } else {
                format!("{text}, which is no {}", b.ty)
            }
        })
        .collect();
    let mut text = format!("{name} accepts it ({place})");
    if !bound.is_empty() {
        text.push_str(": ");
        text.push_str(&bound.join(", "));
    }
    text
}
