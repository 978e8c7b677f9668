//! Attacks and tests as files of the language, for `spi replay`.
//!
//! The file holds the attacker alone, as a process in the names of the model. A secrecy attack ends by sending the
//! secret on a channel of its own, a test with its barb.

use super::making::uses;
use super::story::{Context, Story};
use crate::analysis::{Attack, Comparison, ComparisonVerdict, Refutation};
use crate::base::source::SourceFile;
use crate::base::source::visible::visible;
use crate::certify::{Derivation, Evidence, MoveKind, Probe, Recipe, Rule};
use crate::execute::{Script, Written};
use crate::lang::syntax::format::format;
use crate::process::{Claim, ClaimKind, Program};
use crate::term::{NameClass, TermStore, View};
use rustc_hash::FxHashMap;
use std::fmt::Write;
use std::sync::Arc;

/// The file of a certified attack. `command` is how to replay it.
pub fn attack_file(
    ctx: Context<'_>,
    claim: &Claim,
    attack: &Attack,
    story: &Story,
    command: &str,
) -> String {
    let store = ctx.store;
    let mut hints = Hints {
        story,
        store,
        heard: heard(attack),
        labels: FxHashMap::default(),
    };
    let mut actions = Vec::new();
    for played in &attack.replayed.moves {
        let channel = played.channel.as_deref().and_then(|d| hints.recipe(d));
        match (&played.action.kind, channel) {
            (MoveKind::Send { .. }, Some(channel)) => actions.push(Probe::Hear { channel }),
            (MoveKind::Receive { .. }, Some(channel)) => {
                let message = played.made.as_deref().and_then(|d| hints.recipe(d));
                if let Some(message) = message {
                    actions.push(Probe::Send { channel, message });
                }
            }
            (MoveKind::Phase { number }, _) => actions.push(Probe::Phase(*number)),
            _ => {}
        }
    }
    let shows = match &attack.replayed.evidence {
        Evidence::Derived(d) | Evidence::Sent { message: d, .. } => hints.recipe(d),
        Evidence::Reached | Evidence::Unmatched(_) => None,
    };
    let script = Script {
        actions: &actions,
        conditions: &[],
        shows: shows.as_ref(),
        reserved: &declared_names(store, ctx.program),
        hints: &hints.labels,
        tuples: ctx.program.tuples,
    };
    let barb = if shows.is_some() { "leak" } else { "done" };
    let written = script.write(store, &ctx.program.signature.knows, barb);
    let what = match claim.kind {
        ClaimKind::Reachable { .. } => "A run that shows",
        _ => "An attack on",
    };
    let mut head = format!("{what} `{}`, found by spi.\n", claim.text);
    let _ = writeln!(head, "{command}\n");
    let width = |end: fn(&super::Message) -> &super::Party| {
        let size = |m: &super::Message| story.cast.label(end(m)).chars().count();
        story.messages().map(size).max().unwrap_or(0)
    };
    let (from, to) = (width(|m| &m.from), width(|m| &m.to));
    for m in story.messages() {
        let _ = writeln!(
            head,
            "  {}. {:from$} -> {:to$} : {}",
            m.number,
            story.cast.label(&m.from),
            story.cast.label(&m.to),
            story.spelling.message(store, m.term)
        );
    }
    file(&head, &[], "Attack", &written)
}

/// The file of a test that tells two systems apart.
pub fn test_file(
    store: &TermStore,
    programs: &[&Program],
    title: &str,
    comparison: &Comparison,
    refutation: &Refutation,
    command: &str,
) -> String {
    let mut reserved: Vec<String> = programs
        .iter()
        .flat_map(|p| declared_names(store, p))
        .collect();
    let chosen = crate::analysis::CHOOSE;
    let chooses = refutation
        .experiment
        .actions
        .iter()
        .any(|a| matches!(a, Probe::Send { channel, .. } if **channel == Recipe::Constant(store.public(chosen))));
    let mut channels = Vec::new();
    if chooses && !reserved.iter().any(|n| n == chosen) {
        channels.push(chosen.to_owned());
    }
    reserved.push(chosen.to_owned());
    let written = refutation
        .experiment
        .written(store, &comparison.knows, &reserved);
    // No promise that the file does not keep.
    let command = if written.exact {
        command
    } else {
        "No process goes on where something that is no integer has no predecessor, so this one may stop where the test\n\
         passes: spi replay need not confirm it."
    };
    let head = if matches!(comparison.verdict, ComparisonVerdict::Bounded(_)) {
        format!(
            "A test that tells the systems of `{title}` apart as spi unfolded them.\n\
             What was cut off the one that fails might pass it, so it refutes nothing yet.\n{command}\n"
        )
    } else {
        format!("A test that refutes `{title}`, found by spi.\n{command}\n")
    };
    file(&head, &channels, "Test", &written)
}

/// The parts of a file, in the canonical layout.
fn file(head: &str, channels: &[String], system: &str, written: &Written) -> String {
    let mut text = String::new();
    for line in head.trim_end().lines() {
        // Nothing of a path or a claim may end the comment.
        let _ = writeln!(text, "{}", format!("// {}", visible(line)).trim_end());
    }
    let mut channels = channels.to_vec();
    channels.push(written.barb.clone());
    let _ = write!(
        text,
        "\nchannel {}\n\nsystem {system} =\n",
        channels.join(", ")
    );
    for line in written.process.lines() {
        let _ = writeln!(text, "  {line}");
    }
    format(&SourceFile::anonymous("attack.spi", &text)).unwrap_or(text)
}

/// The number of the output that each move of the witness sends.
fn heard(attack: &Attack) -> Vec<Option<usize>> {
    let mut next = 0..;
    let sends = |kind: &MoveKind| matches!(kind, MoveKind::Send { .. });
    attack
        .witness
        .moves
        .iter()
        .map(|m| if sends(&m.kind) { next.next() } else { None })
        .collect()
}

/// Every name that means something in a file.
pub fn declared_names(store: &TermStore, program: &Program) -> Vec<String> {
    let s = &program.signature;
    let atoms = [&s.agents, &s.spies, &s.channels, &s.publics, &s.privates];
    let families = s
        .families
        .iter()
        .map(|f| store.family_info(*f).label.to_string());
    let functions = s.functions.iter();
    let functions = functions.map(|f| store.function_info(f.id).label.to_string());
    let destructors = s.destructors.iter().map(|d| d.label.to_string());
    let definitions = program.definitions.iter().map(|d| d.label.to_string());
    atoms
        .into_iter()
        .flatten()
        .map(|t| store.show(*t))
        .chain(families)
        .chain(functions)
        .chain(destructors)
        .chain(definitions)
        .chain(["Attack".to_owned(), "Test".to_owned()])
        .collect()
}

/// Turns derivations into recipes, and remembers what the secrets in them are called.
struct Hints<'a> {
    story: &'a Story,
    store: &'a TermStore,
    heard: Vec<Option<usize>>,
    labels: FxHashMap<Recipe, String>,
}

impl Hints<'_> {
    fn recipe(&mut self, derivation: &Derivation) -> Option<Arc<Recipe>> {
        self.name(derivation);
        let heard = |at: usize| self.heard.get(at).copied().flatten();
        Recipe::of(self.store, derivation, &heard)
    }

    /// Names taken out of messages keep the names they have in the story.
    fn name(&mut self, d: &Derivation) {
        if uses(d).is_empty() {
            return;
        }
        match &d.rule {
            Rule::Free | Rule::Given(_) => {}
            Rule::Part { of, .. } => self.name(of),
            Rule::Opened { sealed, key } => {
                self.name(sealed);
                self.name(key);
            }
            Rule::Composed(parts) => parts.iter().for_each(|p| self.name(p)),
            Rule::Destructed { args, .. } => args.iter().for_each(|a| self.name(a)),
        }
        let heard = |at: usize| self.heard.get(at).copied().flatten();
        if let View::Name(n) = self.store.view(d.term)
            && matches!(
                self.store.name_info(n).class,
                NameClass::Restricted | NameClass::Private
            )
            && let Some(recipe) = Recipe::of(self.store, d, &heard)
        {
            let label = self.story.spelling.show(self.store, d.term);
            self.labels.insert((*recipe).clone(), label);
        }
    }
}
