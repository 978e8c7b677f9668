//! The narration line by line: every role does its part, and whoever can't make what it is to send is told what it lacks.

use super::fresh::Fresh;
use super::goals::Goals;
use super::message::{Message, Sign, Style};
use super::role::Role;
use super::world::World;
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{GoalKind, LineKind, Name, Protocol};
use std::collections::BTreeMap;

/// Every role after the last line.
pub(super) fn played<'a>(
    world: &'a World,
    protocol: &Protocol,
    cast: &[Name],
    agents: &BTreeMap<Name, String>,
    fresh: &'a Fresh,
    recurring: &'a BTreeMap<Name, Vec<Message>>,
    channel: &str,
) -> Result<(Vec<Role<'a>>, Goals), Vec<Diagnostic>> {
    let role = |name: &Name| {
        let own = fresh.owners.iter().filter(|(_, owner)| *owner == name);
        let own: Vec<Name> = own.map(|(fresh, _)| fresh.clone()).collect();
        let agents = agents.clone();
        let again = &recurring[name];
        Role::new(
            world,
            name.clone(),
            agents,
            &fresh.types,
            &own,
            again,
            channel,
        )
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

/// For each role what is sealed and occurs twice or more in its messages and the goals.
pub(super) fn recurring(protocol: &Protocol, cast: &[Name]) -> BTreeMap<Name, Vec<Message>> {
    let of_goals = protocol.goals.iter().flat_map(|goal| match &goal.kind {
        GoalKind::Secrecy { secrets, .. } => Message::all(secrets),
        GoalKind::Authentication { on, .. } => Message::all(on),
    });
    let of_goals: Vec<Message> = of_goals.collect();
    let of_role = |role: &Name| {
        let messages = protocol.lines.iter().filter_map(|line| match &line.kind {
            LineKind::Message { from, to, message } => {
                (from.name == *role || to.name == *role).then(|| Message::all(message))
            }
            _ => None,
        });
        let mut messages: Vec<Message> = messages.flatten().collect();
        messages.extend(of_goals.iter().cloned());
        let mut sealed = Vec::new();
        for m in &messages {
            m.sealed(&mut sealed);
        }
        sealed.sort();
        let twice = sealed.windows(2).filter(|w| w[0] == w[1]);
        let mut again: Vec<Message> = twice.map(|w| w[0].clone()).collect();
        again.dedup();
        again
    };
    cast.iter()
        .map(|role| (role.clone(), of_role(role)))
        .collect()
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
            ))
            .instead(format!("{what}+"))
            .instead(format!("{what}-"));
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
pub(super) fn shown(message: &Message) -> String {
    let list = |parts: &[Message]| parts.iter().map(shown).collect::<Vec<_>>().join(", ");
    match message {
        Message::Name(name) => name.to_string(),
        Message::Int(n) => n.to_string(),
        Message::Suc(inner) => format!("suc({})", shown(inner)),
        Message::Tuple(parts) => format!("({})", list(parts)),
        Message::Hash(parts) => format!("H({})", list(parts)),
        Message::Apply(name, args) => format!("{name}({})", list(args)),
        Message::Part(inner, sign) => {
            let sign = if *sign == Sign::Plus { "+" } else { "-" };
            format!("{}{sign}", shown(inner))
        }
        Message::Sealed(style, body, key) => match style {
            Style::Braces => format!("{{{}}}{}", list(body), shown(key)),
            Style::Public => format!("{{[{}]}}{}", list(body), shown(key)),
            Style::Signature => format!("[{{{}}}]{}", list(body), shown(key)),
        },
        Message::Power(base, exponents) => {
            let exponents: Vec<String> = exponents.iter().map(shown).collect();
            format!("{}^{}", shown(base), exponents.join("^"))
        }
    }
}
