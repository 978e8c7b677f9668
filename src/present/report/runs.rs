//! Honest runs for people: who finishes in which run, and why somebody does not.

use super::cast::written;
use super::gate::obstacles;
use super::paper::{Ink, Paper, unbroken};
use super::story::{Beat, Context, Story};
use super::text::{Style, explain, introduced, narrate};
use super::values::Values;
use crate::analysis::{Gate, required_roles};
use crate::engine::honest::{HonestMove, HonestRun};
use crate::process::{InstanceId, StepId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::io;

/// What the honest runs of a system show, in a few words, and whether it is good news (`None`: not known).
pub fn honest_verdict(gate: &Gate) -> (String, Option<bool>) {
    let runs = gate.runs.len();
    match (gate.idle.is_empty(), gate.limited) {
        (true, false) if runs > 1 => {
            let text = format!("every role instance finishes, in one of {runs} runs");
            (text, Some(true))
        }
        (true, false) if !gate.alike.is_empty() => {
            let text = "every role instance finishes, but not all in one run";
            (text.to_owned(), Some(true))
        }
        (true, false) => ("every role instance finishes".to_owned(), Some(true)),
        (true, true) => ("some role instances were given up on".to_owned(), None),
        (false, true) => (
            "not every role instance was seen to finish".to_owned(),
            None,
        ),
        (false, false) => ("not every role instance can finish".to_owned(), Some(false)),
    }
}

/// Writes the honest runs of a system, and why they are not complete.
pub fn write_honest(
    out: &mut dyn io::Write,
    ctx: Context<'_>,
    system: &str,
    gate: &Gate,
    style: Style,
) -> io::Result<()> {
    let mut paper = Paper::new(out, style.look);
    let name = paper.paint(system, Ink::Strong);
    let (word, good) = honest_verdict(gate);
    let ink = match good {
        Some(true) => Ink::Good,
        Some(false) => Ink::Bad,
        None => Ink::Doubt,
    };
    let word = paper.paint(&word, ink);
    paper.line(&format!("{name}: {word}"))?;
    if style.brief {
        return Ok(());
    }
    let told = gate.told();
    for (i, run) in told.iter().enumerate() {
        let story = Story::of_honest(ctx, gate, run);
        if story.beats.is_empty() {
            continue;
        }
        if told.len() > 1 {
            paper.gap()?;
            paper.paragraph(2, &format!("Run {}:", i + 1), Ink::Strong)?;
        }
        let players: Vec<String> = introduced(&story.cast);
        if !players.is_empty() {
            paper.paragraph(2, &players.join(", "), Ink::Faint)?;
        }
        paper.gap()?;
        narrate(&mut paper, ctx, &|_| true, &story)?;
        for remark in remarks(gate, run, &story) {
            paper.gap()?;
            paper.paragraph(2, &remark, Ink::Plain)?;
        }
    }
    let names = |instances: &[InstanceId]| -> Vec<String> {
        let values = Values::default();
        let name = |i: &InstanceId| unbroken(&written(ctx.store, &gate.system, *i, &values));
        instances.iter().map(name).collect()
    };
    if !gate.alike.is_empty() {
        paper.gap()?;
        let text = match names(&gate.alike).as_slice() {
            [one] => format!("A further {one} finishes in a run like that."),
            all => format!(
                "{} further instances finish in runs like these: {}.",
                all.len(),
                counted(all)
            ),
        };
        paper.paragraph(2, &text, Ink::Plain)?;
    }
    let spied: Vec<InstanceId> = required_roles(&gate.system)
        .into_iter()
        .filter(|i| gate.system.is_honest(ctx.store, *i) == Some(false))
        .filter(|i| gate.idle.iter().all(|idle| idle.instance() != *i))
        .collect();
    if !spied.is_empty() && !gate.limited {
        paper.gap()?;
        let verb = if spied.len() == 1 {
            "finishes"
        } else {
            "finish"
        };
        let text = format!(
            "{} {verb} if the spy plays along.",
            names(&spied).join(", ")
        );
        paper.paragraph(2, &text, Ink::Plain)?;
    }
    explain(&mut paper, ctx.map, &obstacles(ctx, gate))
}

/// That somebody finishes only because a message is heard by several, if that is so in a run in which nobody interferes.
pub(super) fn heard_by_several(gate: &Gate) -> Option<String> {
    let heard = |run: &HonestRun| {
        let mut seen = FxHashSet::default();
        run.moves.iter().any(|m| match m {
            HonestMove::Deliver { from, .. } => !seen.insert(*from),
            _ => false,
        })
    };
    gate.runs.iter().any(heard).then(|| {
        "note: not everybody finishes unless a message that is sent once is heard by several: see `spi run`"
            .to_owned()
    })
}

/// Names, each once, with how often it occurs.
fn counted(names: &[String]) -> String {
    let mut counts: Vec<(&String, usize)> = Vec::new();
    let mut at: FxHashMap<&String, usize> = FxHashMap::default();
    for name in names {
        let at = *at.entry(name).or_insert(counts.len());
        if at == counts.len() {
            counts.push((name, 0));
        }
        counts[at].1 += 1;
    }
    let each = |(name, count): &(&String, usize)| match count {
        1 => (*name).clone(),
        n => format!("{n} times {name}"),
    };
    counts.iter().map(each).collect::<Vec<_>>().join(", ")
}

/// What is unusual about an honest run: messages that several hear, and roles that hear their own kind.
fn remarks(gate: &Gate, run: &HonestRun, story: &Story) -> Vec<String> {
    let system = &gate.system;
    let mut found = Vec::new();
    let mut numbers: FxHashMap<StepId, Vec<String>> = FxHashMap::default();
    for beat in &story.beats {
        if let Beat::Message(m) = beat
            && let Some((_, step)) = m.sent
        {
            numbers.entry(step).or_default().push(m.number.to_string());
        }
    }
    let mut peers = Vec::new();
    for m in &run.moves {
        let HonestMove::Deliver { from, to, .. } = m else {
            continue;
        };
        let role = |step| system.role_of(system.step(step).instance);
        let (sender, receiver) = (system.instance(role(*from)), system.instance(role(*to)));
        if sender.def.is_some() && sender.def == receiver.def && !peers.contains(&sender.label) {
            peers.push(sender.label.clone());
        }
        // Each is told once.
        let numbers = numbers.remove(from).unwrap_or_default();
        if let [others @ .., last] = numbers.as_slice()
            && !others.is_empty()
        {
            let others = others.join(", ");
            found.push(format!(
                "Messages {others} and {last} are one: it is sent once, and several hear it."
            ));
        }
    }
    for label in peers {
        found.push(format!("Instances of {label} hear each other here."));
    }
    found
}
