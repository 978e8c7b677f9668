//! The names that are made in a narration: who makes each, and of which type it is.

use super::message::Message;
use super::world::{World, place};
use crate::base::source::{Code, Diagnostic};
use crate::lang::syntax::ast::{LineKind, Name, Protocol};
use std::collections::{BTreeMap, BTreeSet};

/// The names that are made in a narration.
pub(super) struct Fresh {
    /// Who makes each.
    pub owners: BTreeMap<Name, Name>,
    pub types: BTreeMap<Name, String>,
}

/// A name that nothing declares is made by whoever sends it first, or by whom the narration says.
pub(super) fn fresh_names(
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
