//! Whoever takes part in a narration must be somebody, and the whole must not be too long.

use super::message::Message;
use super::world::World;
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{LineKind, Name, Protocol};

/// Whoever takes part must be an agent, and must not be the spy.
pub(super) fn participants(world: &World, protocol: &Protocol, cast: &[Name]) -> Vec<Diagnostic> {
    let mut mistakes = Vec::new();
    let mut say = |message: String, span: Span, label: &str, help: &str| {
        let d = Diagnostic::new(Code::NoParticipant, message).at(span, label);
        mistakes.push(d.help(help));
    };
    for (at, role) in protocol.roles.iter().enumerate() {
        if protocol.roles[..at]
            .iter()
            .any(|r| r.name.name == role.name.name)
        {
            say(
                format!("`{}` takes two parts in this protocol", role.name),
                role.name.span,
                "the second one",
                "each role has a name of its own",
            );
        }
    }
    for name in cast {
        let span = span_of(protocol, name);
        let role = protocol.roles.iter().any(|r| r.name.name == *name);
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
                    "a role that anybody may take stands in the brackets, `protocol {}(.., {name})`; a server that is always the same is declared, `agent {name}: Server`",
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
    let roles = protocol.roles.iter().map(|r| &r.name);
    let lines = protocol.lines.iter().flat_map(|line| match &line.kind {
        LineKind::Knows(who, _) | LineKind::Creates(who, _) => vec![who],
        LineKind::Message { from, to, .. } => vec![from, to],
    });
    let mut all = roles.chain(lines);
    let found = all.find(|ident| ident.name == *name);
    found.map_or(protocol.head, |ident| ident.span)
}

/// Operators and names in all messages of a narration: each is looked for in all that a role has.
const LARGEST: usize = 2_000;

/// A narration that would take too long.
pub(super) fn too_large(protocol: &Protocol) -> Option<Diagnostic> {
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
