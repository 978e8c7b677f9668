//! What lies beyond a system as it is written, in words: which role instances an attack needs in addition, and the line to write so that
//! the claim is about them too.

use super::paper::{HARD_SPACE, Ink, Paper};
use super::story::{Context, Story};
use super::{kinds, places, reference, summary, text};
use crate::analysis::{Beyond, ClaimResult, Scope, Wider, instance_name};
use crate::base::source::{SourceFile, Span, render};
use crate::lang::syntax::{self, ast, narration};
use crate::process::{InstanceId, System};
use crate::term::{TermId, TermStore, View};
use std::io;

/// The first words of what is told about an attack that needs more than is written.
const BEYOND: &str = "beyond what is written";

/// `beyond what is written: attack with a second Bob(B, A)`; nothing if nothing was found.
pub fn beyond(store: &TermStore, result: &ClaimResult) -> Option<String> {
    let found = result.beyond()?;
    Some(format!("{BEYOND}: attack {}", with(store, found)))
}

/// `with a second Bob(B, A) and Alice(A, C)`.
fn with(store: &TermStore, beyond: &Beyond) -> String {
    let mut groups: Vec<(String, usize)> = Vec::new();
    for name in added(store, beyond) {
        match groups.iter_mut().find(|(n, _)| *n == name) {
            Some((_, count)) => *count += 1,
            None => groups.push((name, 1)),
        }
    }
    let parts: Vec<String> = groups
        .iter()
        .map(|(name, count)| {
            let written = beyond.written.iter().filter(|w| *w == name).count();
            let more = match (written, count) {
                (0, 1) => String::new(),
                (0, n) => format!("{n} times "),
                (1, 1) => "a second ".to_owned(),
                (2, 1) => "a third ".to_owned(),
                (_, 1) => "one more ".to_owned(),
                (_, n) => format!("{n} more times "),
            };
            format!("{more}{name}")
        })
        .collect();
    match parts.as_slice() {
        [] => "with more runs".to_owned(),
        [one] => format!("with {one}"),
        [most @ .., last] => format!("with {} and {last}", most.join(", ")),
    }
}

/// The role instances that are not written, as they would be.
pub fn added(store: &TermStore, beyond: &Beyond) -> Vec<String> {
    let name = |i: &InstanceId| instance_name(store, &beyond.attack.system, *i);
    beyond.added.iter().map(name).collect()
}

/// All role instances that take part, as they would be written, those of a role together.
pub fn taking_part(store: &TermStore, beyond: &Beyond) -> Vec<String> {
    let system = &beyond.attack.system;
    let mut roles = beyond.attack.taking_part();
    roles.retain(|i| system.instance(*i).parent.is_some());
    let name = |i: &InstanceId| instance_name(store, system, *i);
    let mut names: Vec<String> = roles.iter().map(name).collect();
    names.sort();
    names
}

/// What a look that found nothing has covered.
pub fn looked(wider: &Wider, scope: &Scope) -> Option<String> {
    if wider.attack.is_some() || wider.states == 0 {
        return None;
    }
    let mut covered: Vec<String> = Vec::new();
    if wider.twice {
        covered.push("every role instance twice".to_owned());
    }
    // Where all instances keep their agents there is nothing to assign.
    if wider.assigned > 0 && !scope.roles.is_empty() {
        let up_to = summary::count(u64::from(wider.assigned), "role instance", "role instances");
        covered.push(format!("every assignment of agents to up to {up_to}"));
    }
    let states = summary::count(wider.states, "state", "states");
    Some(if covered.is_empty() {
        format!("a look beyond found no attack in {states}; it was cut off there")
    } else {
        let covered = covered.join(", ");
        format!("a look beyond found no attack: {covered} ({states})")
    })
}

/// A role instance as the system may write it: names that the system makes have no copies there.
fn written(store: &TermStore, system: &System, id: InstanceId) -> String {
    let instance = system.instance(id);
    if instance.def.is_none() || instance.args.is_empty() {
        return instance.label.to_string();
    }
    let label = |t: TermId| match store.view(t) {
        View::Name(n) => Some(store.name_info(n).label.to_string()),
        _ => None,
    };
    let args: Vec<String> = instance
        .args
        .iter()
        .map(|a| store.show_with(*a, &label))
        .collect();
    format!("{}({})", instance.label, args.join(", "))
}

/// The declaration of the system with the added role instances beside those of the same role.
pub fn system_line(ctx: Context<'_>, result: &ClaimResult, beyond: &Beyond) -> Option<String> {
    let closed = result.claim.kind.system()?;
    let name = ctx.program.systems[closed.system.index()].span;
    let file = ctx.map.get(name.file)?;
    let (tree, _) = syntax::parse(file);
    let system = &beyond.attack.system;
    let decl = tree.decls.iter().find(|d| match &d.kind {
        ast::DeclKind::System(system) => system.name.span.start == name.start,
        ast::DeclKind::Protocol(protocol) => protocol.name.span.start == name.start,
        _ => false,
    })?;
    if let ast::DeclKind::Protocol(protocol) = &decl.kind {
        let more: Vec<String> = (beyond.added.iter())
            .map(|i| written(ctx.store, system, *i))
            .collect();
        let text = narration::system_with(&tree, protocol, &more, result.claim.span)?;
        let laid_out = syntax::format::format(&SourceFile::anonymous("system", &text)).ok()?;
        return Some(laid_out.trim_end().to_owned());
    }
    let mut text = file.slice(decl.span).to_owned();
    let mut insertions: Vec<(usize, String)> = beyond
        .added
        .iter()
        .map(|i| {
            let Span { start, end, .. } = system.instance(*i).span;
            let inside = decl.span.start <= start && end <= decl.span.end;
            let at = if inside { end } else { decl.span.end };
            let call = written(ctx.store, system, *i);
            ((at - decl.span.start) as usize, format!(" | {call}"))
        })
        .collect();
    // From the end, so that what is left keeps its place.
    insertions.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
    for (at, call) in insertions {
        if text.is_char_boundary(at) {
            text.insert_str(at, &call);
        }
    }
    let laid_out = syntax::format::format(&SourceFile::anonymous("system", &text)).ok()?;
    Some(laid_out.trim_end().to_owned())
}

/// An agent that a narration has in a part of its own, and that takes another one in this attack.
fn out_of_part(ctx: Context<'_>, result: &ClaimResult, beyond: &Beyond) -> Option<String> {
    let name = ctx.program.systems[result.claim.kind.system()?.system.index()].span;
    let (tree, _) = syntax::parse(ctx.map.get(name.file)?);
    let told = tree.decls.iter().find_map(|d| match &d.kind {
        ast::DeclKind::Protocol(p) if p.name.span.start == name.start => Some(p),
        _ => None,
    })?;
    let system = &beyond.attack.system;
    let args = beyond.added.iter().flat_map(|i| &system.instance(*i).args);
    let args: Vec<String> = args.map(|a| ctx.store.show(*a)).collect();
    let fixed = narration::fixed(told);
    let name = fixed
        .iter()
        .find(|name| args.iter().any(|a| **a == ***name))?;
    Some(format!(
        "{name} takes another part than its own here: declared as `agent {name}: Server` it keeps to its own."
    ))
}

/// Tells about the attack under a headline of its own.
pub(super) fn write(
    paper: &mut Paper<'_>,
    ctx: Context<'_>,
    result: &ClaimResult,
) -> io::Result<()> {
    let Some(beyond) = result.beyond() else {
        return Ok(());
    };
    let attack = &beyond.attack;
    let story = Story::of_attack(ctx, &reference(ctx, result), attack);
    let names: Vec<String> = kinds(ctx, attack, &story, None)
        .iter()
        .map(ToString::to_string)
        .collect();
    paper.gap()?;
    let word = paper.paint("attack", Ink::Bad);
    let title = paper.paint(BEYOND, Ink::Strong);
    let head = format!("{title}: {word} ");
    let size = BEYOND.len() + ": attack ".len();
    let mut rest = with(ctx.store, beyond);
    if !names.is_empty() {
        rest = format!("{rest} ({})", names.join(", "));
    }
    paper.hanging(&head, size, &rest)?;
    text::of_run(paper, ctx, &result.claim.kind, attack, &story)?;
    paper.gap()?;
    let excerpt = places::places(ctx, &result.claim.kind, attack, &story);
    let look = paper.look();
    render::write_excerpt(paper.out(), ctx.map, &excerpt, look)?;
    let (ask, or) = match beyond.sessions {
        Some(n) => (format!("Ask for them with `--sessions {n}`"), ", or write"),
        None => (String::new(), "Write"),
    };
    let apart = "The claim does not cover these runs.";
    if let Some(note) = out_of_part(ctx, result, beyond) {
        paper.paragraph(2, &note, Ink::Doubt)?;
    }
    match system_line(ctx, result, beyond) {
        Some(line) => {
            paper.paragraph(2, &format!("{apart} {ask}{or}"), Ink::Plain)?;
            for line in line.lines().filter(|line| !line.is_empty()) {
                let indent = 4 + line.len() - line.trim_start().len();
                // Not wrapped within a role instance.
                let line = line.trim_start().replace(", ", &format!(",{HARD_SPACE}"));
                paper.paragraph(indent, &line, Ink::Plain)?;
            }
            Ok(())
        }
        None if ask.is_empty() => paper.paragraph(2, apart, Ink::Plain),
        None => paper.paragraph(2, &format!("{apart} {ask}."), Ink::Plain),
    }
}
