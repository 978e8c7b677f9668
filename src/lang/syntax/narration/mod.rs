//! Narrations: `protocol NS(A, B)`, told line by line, becomes a definition for each role, a system and claims.
//!
//! What a line means for a role is laid down by what the role has at that point (`role`), after Lowe (Casper, 1998), Caleiro, Vigano and
//! Basin (On the semantics of Alice and Bob specifications of security protocols, 2006) and Mödersheim (Algebraic properties in Alice and
//! Bob notation, 2009). The expansion is text of the language, each line with the place in the narration that it comes from: it is
//! printed by `spi expand`, and read again here with these places, so whatever is said of it points into the narration.
//!
//! The system has each role with honest partners and with the spy in the place of each of them.

mod fresh;
mod goals;
mod message;
mod participants;
mod play;
mod role;
mod sorts;
mod world;

use self::fresh::{Fresh, fresh_names};
use self::message::Message;
use self::participants::{participants, too_large};
use self::play::{played, recurring};
use self::role::{Role, free_name, hint};
use self::sorts::sorts;
use self::world::{World, cast};
use super::ast::{Decl, DeclKind, File, Name, Protocol, Speaker};
use super::format::format;
use super::lexer::lex;
use super::token::Token;
use super::{parser, split};
use crate::base::source::{Diagnostic, SourceFile, Span};
use std::collections::BTreeMap;

/// A line of an expansion, and the place that it comes from.
struct Written {
    text: String,
    span: Span,
}

/// A declaration of an expansion, line by line.
type Declaration = Vec<Written>;

/// Fills every narration of a file with what it stands for; `file` is its text.
pub(super) fn fill(file: &SourceFile, tree: &mut File) -> Vec<Diagnostic> {
    if !tree
        .decls
        .iter()
        .any(|d| matches!(d.kind, DeclKind::Protocol(_)))
    {
        return Vec::new();
    }
    let mut world = World::of(tree);
    let mut mistakes = Vec::new();
    for decl in &mut tree.decls {
        if let DeclKind::Protocol(protocol) = &mut decl.kind {
            match expansion(&world, protocol) {
                Ok(declarations) => {
                    protocol.decls = named(file, protocol, read(file, &declarations)).into();
                    // A second narration has the same agents.
                    protocol.decls.iter().for_each(|d| world.add(d));
                }
                Err(found) => mistakes.extend(found),
            }
        }
    }
    tree.broken |= !mistakes.is_empty();
    mistakes
}

/// The declarations, with each claim in the words of its goal, so that what is said of the one is said of the other, and each role with
/// its speaker.
fn named(file: &SourceFile, protocol: &Protocol, mut decls: Vec<Decl>) -> Vec<Decl> {
    let cast = cast(protocol);
    for decl in &mut decls {
        if let DeclKind::Def(def) = &mut decl.kind {
            let mut speaking = (0..).zip(&cast);
            let mine = speaking.find(|(_, who)| role_name(protocol, who) == *def.name.name);
            def.speaker = mine.map(|(at, who)| match protocol.roles.get(at) {
                Some(_) => Speaker::Parameter(at),
                None => Speaker::Agent(who.clone()),
            });
        }
        let DeclKind::Claim(claim) = &mut decl.kind else {
            continue;
        };
        let goal = protocol.goals.iter().find(|g| g.span == decl.span);
        claim.goal = goal.map(|goal| {
            let words: Vec<&str> = file.slice(goal.span).split_whitespace().collect();
            let claimed = words.split(|w| *w == "expect").next().unwrap_or_default();
            format!("{} in {}", claimed.join(" "), protocol.name).into()
        });
    }
    decls
}

/// The text of a file with what its narrations stand for in their place, in the canonical layout.
pub fn expanded(file: &SourceFile, tree: &File) -> String {
    let mut all = String::new();
    let mut done = 0;
    for decl in &tree.decls {
        if let DeclKind::Protocol(protocol) = &decl.kind {
            all.push_str(&file.text[done..decl.span.start as usize]);
            all.push_str(&text(tree, protocol));
            done = decl.span.end as usize;
        }
    }
    all.push_str(&file.text[done..]);
    // What could not be laid out is shown as it is.
    format(&SourceFile::anonymous(&file.name, &all)).unwrap_or(all)
}

/// The text of the declarations that a narration stands for, as its file declares everything else.
fn text(tree: &File, protocol: &Protocol) -> String {
    let all: Vec<String> = printed(tree, protocol).iter().map(whole).collect();
    all.join("\n")
}

fn whole(declaration: &Declaration) -> String {
    let lines = declaration.iter().map(|line| &*line.text);
    lines.collect::<Vec<_>>().join("\n")
}

/// A system like that of a narration with more role instances, and the goal at a place asked of it: what to write behind the narration.
pub fn system_with(
    tree: &File,
    protocol: &Protocol,
    more: &[String],
    goal: Span,
) -> Option<String> {
    let declarations = printed(tree, protocol);
    let name = &*protocol.name.name;
    let taken: Vec<String> = tree
        .expanded()
        .decls
        .iter()
        .flat_map(super::ast::declared_names)
        .collect();
    let other = free_name(&format!("{name}2"), |n| taken.iter().any(|t| t == n));
    let head = format!("system {name} =");
    let system = declarations
        .iter()
        .map(whole)
        .find(|text| text.starts_with(&head))?;
    let claim = declarations
        .iter()
        .find_map(|declaration| match declaration.as_slice() {
            [only] if only.span == goal => only.text.split(" expect ").next(),
            _ => None,
        })?;
    let claim = claim.strip_suffix(&format!(" in {name}"))?;
    let system = system.strip_prefix(&head)?;
    let mut text = format!("system {other} ={system}");
    for instance in more {
        text.push_str(" | ");
        text.push_str(instance);
    }
    Some(format!("{text}\n{claim} in {other}\n"))
}

/// Who is in a narration by name and in no role.
pub fn fixed(protocol: &Protocol) -> Vec<Name> {
    cast(protocol).split_off(protocol.roles.len())
}

/// The declarations that a narration stands for, as its file declares everything else.
fn printed(tree: &File, protocol: &Protocol) -> Vec<Declaration> {
    let mut world = World::of(tree);
    for own in protocol.decls.iter() {
        for name in super::ast::declared_names(own) {
            world.taken.remove(&*name);
        }
    }
    let others = tree.decls.iter().filter_map(|d| match &d.kind {
        DeclKind::Protocol(other) if other.name.span != protocol.name.span => Some(other),
        _ => None,
    });
    for other in others.take_while(|p| p.name.span.start < protocol.name.span.start) {
        other.decls.iter().for_each(|d| world.add(d));
    }
    expansion(&world, protocol).unwrap_or_default()
}

/// Reads declarations back, with the places of the lines that they come from. A name that stands in such a line has its own place there.
fn read(file: &SourceFile, declarations: &[Declaration]) -> Vec<Decl> {
    let mut all = split::Declarations::default();
    for declaration in declarations {
        let mut tokens = Vec::new();
        for line in declaration {
            let told = lex(&SourceFile::anonymous("line", file.slice(line.span)));
            let written = lex(&SourceFile::anonymous("line", &line.text));
            for (token, _) in written.tokens {
                let same = told
                    .tokens
                    .iter()
                    .find(|(t, _)| *t == token && matches!(token, Token::Ident(_)));
                let at = same.map_or(line.span, |(_, at)| Span {
                    start: line.span.start + at.start,
                    end: line.span.start + at.end,
                    ..line.span
                });
                tokens.push((token, at));
            }
        }
        all.fragment(&tokens);
    }
    let (decls, mistakes) = parser::declarations(file, &all);
    debug_assert!(
        mistakes.is_empty(),
        "an expansion can be read: {mistakes:?}"
    );
    decls
}

/// What a narration stands for.
fn expansion(world: &World, protocol: &Protocol) -> Result<Vec<Declaration>, Vec<Diagnostic>> {
    let cast = cast(protocol);
    let mut mistakes = participants(world, protocol, &cast);
    mistakes.extend(too_large(protocol));
    let sorts = sorts(world, protocol, &cast).unwrap_or_else(|found| {
        mistakes.extend(found);
        BTreeMap::new()
    });
    let fresh = fresh_names(world, protocol, &cast, &mut mistakes);
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    let head = protocol.head;
    let line = |text: String, span| Written { text, span };
    let mut declarations = Vec::new();
    let channel = match world.channels.iter().find(|c| &***c == "net") {
        Some(net) => net.to_string(),
        None => world
            .channels
            .first()
            .map_or_else(|| "net".to_owned(), ToString::to_string),
    };
    if world.channels.is_empty() {
        declarations.push(vec![line(format!("channel {channel}"), head)]);
    }
    // Those without a sort of their own first: what stands before a `:` gets what stands after it.
    let mut missing: BTreeMap<Option<&Name>, Vec<&str>> = BTreeMap::new();
    for name in cast.iter().filter(|name| !world.agents.contains(name)) {
        missing.entry(sorts.get(name)).or_default().push(name);
    }
    for (sort, names) in missing {
        let sort = sort.map_or_else(String::new, |sort| format!(": {sort}"));
        let names = names.join(", ");
        declarations.push(vec![line(format!("agent {names}{sort}"), head)]);
    }
    let spy = if let Some(spy) = world.spies.first() {
        spy.to_string()
    } else {
        let used = |name: &str| {
            world.taken.contains(name)
                || cast.iter().any(|c| &**c == name)
                || fresh.owners.keys().any(|f| &**f == name)
        };
        let spy = free_name("Spy", used);
        declarations.push(vec![line(format!("spy {spy}"), head)]);
        spy
    };
    let agents = agents_in_roles(world, protocol, &cast, &fresh);
    let again = recurring(protocol, &cast);
    let roles = played(world, protocol, &cast, &agents, &fresh, &again, &channel);
    let (mut roles, goals) = roles?;
    let params = |role: &Role<'_>| -> String {
        let param = |r: &super::ast::Binder| {
            let name = &agents[&r.name.name];
            let mark = if role.uses(name) { "" } else { "_" };
            let sort = sorts.get(&r.name.name).map_or("Agent", |sort| &**sort);
            format!("{mark}{name}: {sort}")
        };
        let params: Vec<String> = protocol.roles.iter().map(param).collect();
        params.join(", ")
    };
    for role in &mut roles {
        let name = role_name(protocol, &role.name);
        let mut body = vec![line(format!("def {name}({}) =", params(role)), head)];
        let last = role.steps.len().saturating_sub(1);
        for (at, step) in role.steps.iter().enumerate() {
            let text = if at < last {
                step.text.clone()
            } else if let Some(text) = step.text.strip_suffix('.') {
                text.to_owned()
            } else {
                format!("{} 0", step.text)
            };
            body.push(line(format!("  {text}"), step.span));
        }
        if role.steps.is_empty() {
            body.push(line("  0".to_owned(), head));
        }
        declarations.push(body);
    }
    let system = instances(protocol, &cast, &spy).join(" | ");
    let name = &protocol.name.name;
    declarations.push(vec![line(format!("system {name} = {system}"), head)]);
    for claim in goals.claims {
        declarations.push(vec![line(claim.0, claim.1)]);
    }
    Ok(declarations)
}

/// What the definition of a role is called.
fn role_name(protocol: &Protocol, role: &Name) -> String {
    format!("{}_{role}", protocol.name.name)
}

/// Every instance: all agents honest, and then the spy in the place of each of them in turn.
fn instances(protocol: &Protocol, cast: &[Name], spy: &str) -> Vec<String> {
    let roles = &protocol.roles;
    let mut found = Vec::new();
    for dishonest in std::iter::once(None).chain((0..roles.len()).map(Some)) {
        let played = |at: usize| {
            if Some(at) == dishonest {
                spy.to_owned()
            } else {
                roles[at].name.to_string()
            }
        };
        let args: Vec<String> = (0..roles.len()).map(played).collect();
        for (at, role) in cast.iter().enumerate() {
            if Some(at) != dishonest {
                found.push(format!(
                    "{}({})",
                    role_name(protocol, role),
                    args.join(", ")
                ));
            }
        }
    }
    found
}

/// What the agents of a protocol are called in its definitions: parameters have small letters, others their own name.
fn agents_in_roles(
    world: &World,
    protocol: &Protocol,
    cast: &[Name],
    fresh: &Fresh,
) -> BTreeMap<Name, String> {
    let mut agents: BTreeMap<Name, String> = BTreeMap::new();
    for name in cast {
        let param = protocol.roles.iter().any(|r| r.name.name == *name);
        let shown = if param {
            free_name(&hint(&Message::Name(name.clone())), |n| {
                world.taken.contains(n)
                    || fresh.owners.contains_key(n)
                    || cast.iter().any(|c| &**c == n)
                    || agents.values().any(|a| a == n)
            })
        } else {
            name.to_string()
        };
        agents.insert(name.clone(), shown);
    }
    agents
}
