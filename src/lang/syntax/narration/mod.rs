//! Narrations: `protocol NS(A, B)`, told line by line, becomes a definition for each role, a system and claims.
//!
//! What a line means for a role is laid down by what the role has at that point (`role`), after Lowe (Casper, 1998), Caleiro, Vigano and
//! Basin (On the semantics of Alice and Bob specifications of security protocols, 2006) and Mödersheim (Algebraic properties in Alice and
//! Bob notation, 2009). The expansion is text of the language, each line with the place in the narration that it comes from: it is
//! printed by `spi expand`, and read again here with these places, so whatever is said of it points into the narration.
//!
//! The system has each role with honest partners and with the spy in the place of each of them.

mod goals;
mod message;
mod role;
mod world;

use self::goals::Goals;
use self::message::Message;
use self::role::{Role, free_name, hint};
use self::world::{World, cast, place};
use super::ast::{Decl, DeclKind, File, LineKind, Name, Protocol};
use super::format::format;
use super::lexer::lex;
use super::token::Token;
use super::{parser, split};
use crate::base::source::{Code, Diagnostic, SourceFile, Span};
use std::collections::{BTreeMap, BTreeSet};

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

/// The declarations, with each claim in the words of its goal: what is said of the one is said of the other.
fn named(file: &SourceFile, protocol: &Protocol, mut decls: Vec<Decl>) -> Vec<Decl> {
    for decl in &mut decls {
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
    let declarations = expansion(&world, protocol).unwrap_or_default();
    let whole = |declaration: &Declaration| -> String {
        let lines = declaration.iter().map(|line| &*line.text);
        lines.collect::<Vec<_>>().join("\n")
    };
    let all: Vec<String> = declarations.iter().map(whole).collect();
    all.join("\n")
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
    let missing: Vec<&str> = cast
        .iter()
        .filter(|name| !world.agents.contains(name))
        .map(|name| &**name)
        .collect();
    if !missing.is_empty() {
        declarations.push(vec![line(format!("agent {}", missing.join(", ")), head)]);
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
    let roles = played(world, protocol, &cast, &agents, &fresh, &channel);
    let (mut roles, goals) = roles?;
    let params = |role: &Role<'_>| -> String {
        let param = |r: &super::ast::Ident| {
            let name = &agents[&r.name];
            let mark = if role.uses(name) { "" } else { "_" };
            format!("{mark}{name}: Agent")
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

/// Operators and names in all messages of a narration: each is looked for in all that a role has.
const LARGEST: usize = 2_000;

/// A narration that would take too long.
fn too_large(protocol: &Protocol) -> Option<Diagnostic> {
    let mut size = 0;
    for line in &protocol.lines {
        if let LineKind::Message { message, .. } = &line.kind {
            size += Message::all(message)
                .iter()
                .map(Message::size)
                .sum::<usize>();
        }
        if size > LARGEST {
            let d = Diagnostic::new(Code::TooLarge, "this narration is too long");
            let d = d.at(
                line.span,
                format!("more than {LARGEST} operators and names up to here"),
            );
            return Some(d.help("write the roles as definitions; `spi expand` shows how"));
        }
    }
    None
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

/// Whoever takes part must be an agent, and must not be the spy.
fn participants(world: &World, protocol: &Protocol, cast: &[Name]) -> Vec<Diagnostic> {
    let mut mistakes = Vec::new();
    let mut say = |message: String, span: Span, label: &str, help: &str| {
        let d = Diagnostic::new(Code::NoParticipant, message).at(span, label);
        mistakes.push(d.help(help));
    };
    for (at, role) in protocol.roles.iter().enumerate() {
        if protocol.roles[..at].iter().any(|r| r.name == role.name) {
            say(
                format!("`{role}` takes two parts in this protocol"),
                role.span,
                "the second one",
                "each role has a name of its own",
            );
        }
    }
    for name in cast {
        let span = span_of(protocol, name);
        let role = protocol.roles.iter().any(|r| r.name == *name);
        if world.spies.contains(name) {
            say(
                format!("the spy `{name}` takes part in this protocol"),
                span,
                "a spy",
                "the roles of a protocol are honest; the spy takes the place of each of their partners by itself",
            );
        } else if !world.agents.contains(name) && world.taken.contains(name) {
            say(
                format!("`{name}` is declared, but not as an agent"),
                span,
                "it takes part here",
                "call the role otherwise, or declare it: `agent S`",
            );
        } else if !world.agents.contains(name) && !role {
            say(
                format!("`{name}` is neither a role of this protocol nor an agent"),
                span,
                "it takes part here",
                &format!(
                    "a role that anybody may take stands in the brackets, `protocol {}(.., {name})`; a server that is always the same is declared, `agent {name}`",
                    protocol.name
                ),
            );
        }
    }
    for line in &protocol.lines {
        if let LineKind::Message { from, to, .. } = &line.kind
            && from.name == to.name
        {
            say(
                format!("`{from}` sends a message to itself"),
                line.span,
                "both ends are the same",
                "a role that anybody may take has a name of its own",
            );
        }
    }
    mistakes
}

/// Where a participant stands first.
fn span_of(protocol: &Protocol, name: &Name) -> Span {
    let roles = protocol.roles.iter();
    let lines = protocol.lines.iter().flat_map(|line| match &line.kind {
        LineKind::Knows(who, _) | LineKind::Creates(who, _) => vec![who],
        LineKind::Message { from, to, .. } => vec![from, to],
    });
    let mut all = roles.chain(lines);
    let found = all.find(|ident| ident.name == *name);
    found.map_or(protocol.head, |ident| ident.span)
}

/// The names that are made in a narration.
struct Fresh {
    /// Who makes each.
    owners: BTreeMap<Name, Name>,
    types: BTreeMap<Name, String>,
}

/// A name that nothing declares is made by whoever sends it first, or by whom the narration says.
fn fresh_names(
    world: &World,
    protocol: &Protocol,
    cast: &[Name],
    mistakes: &mut Vec<Diagnostic>,
) -> Fresh {
    let mut owners: BTreeMap<Name, Name> = BTreeMap::new();
    let mut types: BTreeMap<Name, String> = BTreeMap::new();
    let mut keys: BTreeSet<Name> = BTreeSet::new();
    for line in &protocol.lines {
        match &line.kind {
            LineKind::Creates(who, binders) => {
                for binder in binders {
                    let name = &binder.name.name;
                    if let Some(owner) = owners.get(name) {
                        let d = Diagnostic::new(
                            Code::NoParticipant,
                            format!("`{name}` is made by `{owner}` before"),
                        );
                        let d = d.at(binder.name.span, "made again here");
                        mistakes.push(d.help("a name is made once, before it is sent"));
                    } else if world.declares(name) || cast.contains(name) {
                        let d = Diagnostic::new(
                            Code::NoParticipant,
                            format!("`{name}` is declared, so nobody can make it"),
                        );
                        let d = d.at(binder.name.span, "made here");
                        mistakes.push(d.help("give the fresh name another name"));
                    }
                    owners.insert(name.clone(), who.name.clone());
                    if let Some(ty) = &binder.ty {
                        types.insert(name.clone(), ty.name.to_string());
                    }
                }
            }
            LineKind::Message { from, message, .. } => {
                let mut names = Vec::new();
                let mut found = Vec::new();
                for part in Message::all(message) {
                    part.names(&mut names);
                    part.keys(&mut found);
                }
                keys.extend(found);
                for name in names {
                    if !world.declares(&name) && !cast.contains(&name) {
                        owners.entry(name).or_insert_with(|| from.name.clone());
                    }
                }
            }
            LineKind::Knows(who, terms) => {
                let mut names = Vec::new();
                for message in Message::all(terms) {
                    message.names(&mut names);
                }
                for name in names {
                    if world.declares(&name) || cast.contains(&name) {
                        continue;
                    }
                    let span = place(terms, &name).map_or(line.span, |t| t.span);
                    let message = format!("`{name}` is known to `{who}`, but nothing declares it");
                    let d = Diagnostic::new(Code::UnknownName, message);
                    let d = d.at(span, "what is known before the first message is declared");
                    mistakes.push(d.help(format!("declare it: `private {name}`")));
                }
            }
        }
    }
    for name in owners.keys() {
        let ty = if keys.contains(name) { "Sym" } else { "Nonce" };
        types.entry(name.clone()).or_insert_with(|| ty.to_owned());
    }
    // A key pair of its own, a name in an exponent: no type says what they are.
    let plain = not_plain(protocol);
    types.retain(|name, ty| ty != "Nonce" || !plain.contains(name));
    Fresh { owners, types }
}

/// The names that stand before a sign.
fn not_plain(protocol: &Protocol) -> BTreeSet<Name> {
    fn signed(message: &Message, found: &mut BTreeSet<Name>) {
        match message {
            Message::Part(inner, _) => {
                if let Message::Name(name) = &**inner {
                    found.insert(name.clone());
                }
                signed(inner, found);
            }
            Message::Suc(inner) => signed(inner, found),
            Message::Tuple(parts) | Message::Hash(parts) | Message::Apply(_, parts) => {
                for p in parts {
                    signed(p, found);
                }
            }
            Message::Sealed(_, body, key) => {
                for p in body {
                    signed(p, found);
                }
                signed(key, found);
            }
            _ => {}
        }
    }
    let mut found = BTreeSet::new();
    for line in &protocol.lines {
        if let LineKind::Message { message, .. } = &line.kind {
            for m in Message::all(message) {
                signed(&m, &mut found);
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
        let param = protocol.roles.iter().any(|r| r.name == *name);
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

/// Every role after the last line.
fn played<'a>(
    world: &'a World,
    protocol: &Protocol,
    cast: &[Name],
    agents: &BTreeMap<Name, String>,
    fresh: &'a Fresh,
    channel: &str,
) -> Result<(Vec<Role<'a>>, Goals), Vec<Diagnostic>> {
    let role = |name: &Name| {
        let own = fresh.owners.iter().filter(|(_, owner)| *owner == name);
        let own: Vec<Name> = own.map(|(fresh, _)| fresh.clone()).collect();
        let agents = agents.clone();
        Role::new(world, name.clone(), agents, &fresh.types, &own, channel)
    };
    let mut roles: Vec<Role<'_>> = cast.iter().map(role).collect();
    let at = |name: &Name| cast.iter().position(|c| c == name).unwrap_or_default();
    let mut mistakes = Vec::new();
    let mut goals = Goals::new(world, protocol, agents)?;
    for line in &protocol.lines {
        let span = line.span;
        match &line.kind {
            LineKind::Knows(who, terms) => {
                for message in Message::all(terms) {
                    roles[at(&who.name)].grant(message);
                }
            }
            LineKind::Creates(who, binders) => {
                let made: Vec<Name> = binders.iter().map(|b| b.name.name.clone()).collect();
                roles[at(&who.name)].create(&made, span);
                goals.mark(&mut roles[at(&who.name)]);
            }
            LineKind::Message { from, to, message } => {
                let message = Message::all(message);
                let sender = &mut roles[at(&from.name)];
                let mut made = Vec::new();
                for part in &message {
                    part.names(&mut made);
                }
                let new =
                    |n: &Name| fresh.owners.get(n) == Some(&from.name) && !sender.has_created(n);
                let mut first: Vec<Name> = Vec::new();
                for name in made.into_iter().filter(new) {
                    if !first.contains(&name) {
                        first.push(name);
                    }
                }
                sender.create(&first, span);
                goals.mark(sender);
                if let Err(missing) = sender.send(&message, span) {
                    let missing = sender.lacks(&missing);
                    mistakes.push(lacking(world, &roles, &from.name, &missing, fresh, span));
                }
                roles[at(&to.name)].receive(&message, span);
                goals.mark(&mut roles[at(&to.name)]);
            }
        }
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
    }
    goals.end(&mut roles)?;
    Ok((roles, goals))
}

/// A message that its sender can't make.
fn lacking(
    world: &World,
    roles: &[Role<'_>],
    who: &Name,
    missing: &Message,
    fresh: &Fresh,
    span: Span,
) -> Diagnostic {
    if let Message::Apply(name, _) | Message::Name(name) = missing
        && world.families.get(name) == Some(&true)
    {
        let what = shown(missing);
        return Diagnostic::new(Code::CannotMake, format!("`{who}` can't make this message"))
            .at(span, format!("`{what}` is a key pair without its sign"))
            .help(format!(
                "write `{what}+` for the public part, `{what}-` for the private one"
            ));
    }
    let have: Vec<String> = roles
        .iter()
        .filter(|r| r.name != *who && r.compose(missing).is_some())
        .map(|r| format!("`{}`", r.name))
        .collect();
    let what = shown(missing);
    let d = Diagnostic::new(Code::CannotMake, format!("`{who}` can't make this message"));
    let d = d.at(span, format!("it lacks `{what}`"));
    let sender = roles.iter().find(|r| r.name == *who);
    if let Some((sealed, key)) = sender.and_then(|r| r.sealed(missing)) {
        let (sealed, key) = (shown(&sealed), shown(&key));
        let d = d.note(format!(
            "`{who}` could not open `{sealed}`: it lacks `{key}`"
        ));
        return d.help(format!(
            "say before the first message what `{who}` has from the start: `{who} knows {key}`"
        ));
    }
    let d = match (have.as_slice(), missing) {
        ([], Message::Name(name)) => match fresh.owners.get(name) {
            Some(owner) => d.note(format!("`{name}` is made by `{owner}`, later")),
            None => d.note(format!("nobody has `{what}` at this point")),
        },
        ([], _) => d.note(format!("nobody has `{what}` at this point")),
        _ => d.note(format!(
            "at this point {} {} it",
            have.join(" and "),
            if have.len() == 1 { "has" } else { "have" }
        )),
    };
    d.help(format!(
        "send it to `{who}` in an earlier message; what `{who}` has from the start is told before the first message: `{who} knows {what}`"
    ))
}

/// A message in the notation of the narration.
fn shown(message: &Message) -> String {
    let list = |parts: &[Message]| parts.iter().map(shown).collect::<Vec<_>>().join(", ");
    match message {
        Message::Name(name) => name.to_string(),
        Message::Int(n) => n.to_string(),
        Message::Suc(inner) => format!("suc({})", shown(inner)),
        Message::Tuple(parts) => format!("({})", list(parts)),
        Message::Hash(parts) => format!("H({})", list(parts)),
        Message::Apply(name, args) => format!("{name}({})", list(args)),
        Message::Part(inner, sign) => {
            let sign = if *sign == message::Sign::Plus {
                "+"
            } else {
                "-"
            };
            format!("{}{sign}", shown(inner))
        }
        Message::Sealed(style, body, key) => match style {
            message::Style::Braces => format!("{{{}}}{}", list(body), shown(key)),
            message::Style::Public => format!("{{[{}]}}{}", list(body), shown(key)),
            message::Style::Signature => format!("[{{{}}}]{}", list(body), shown(key)),
        },
        Message::Power(base, exponents) => {
            let exponents: Vec<String> = exponents.iter().map(shown).collect();
            format!("{}^{}", shown(base), exponents.join("^"))
        }
    }
}
