//! What the rest of a file declares: who is who in a narration, and what everybody has.

use super::message::Message;
use crate::lang::syntax::ast::{
    Decl, DeclKind, File, Group, Name, Protocol, Term, TermKind, agents, declared_names,
};
use std::collections::{BTreeMap, BTreeSet};

/// A rule of a destructor: `open(box(x, k), k) = x`.
pub(super) struct Rule {
    pub name: Name,
    pub args: Vec<Message>,
    pub result: Message,
}

/// The declarations around a narration.
#[derive(Default)]
pub(super) struct World {
    pub agents: Vec<Name>,
    pub spies: Vec<Name>,
    /// The sorts of agents; of none are those that may take every part.
    pub sorts: BTreeMap<Name, Vec<Name>>,
    pub channels: Vec<Name>,
    /// Names that everybody has: agents, spies, channels, public names, bases of groups.
    pub public: BTreeSet<Name>,
    /// Names that only those have who are said to know them.
    pub private: BTreeSet<Name>,
    /// Key families: whether they are families of key pairs.
    pub families: BTreeMap<Name, bool>,
    pub functions: BTreeSet<Name>,
    pub groups: BTreeSet<Name>,
    pub rules: Vec<Rule>,
    /// Every declared name.
    pub taken: BTreeSet<Name>,
}

impl World {
    /// What the declarations of a file say, and those of what it uses.
    pub(super) fn of(file: &File) -> World {
        let mut world = World::default();
        file.decls.iter().for_each(|decl| world.add(decl));
        world
    }

    pub(super) fn add(&mut self, decl: &Decl) {
        let names = declared_names(decl).into_iter().map(Name::from);
        self.taken.extend(names);
        match &decl.kind {
            DeclKind::Use(items) => {
                for item in items {
                    item.decls.iter().for_each(|decl| self.add(decl));
                }
            }
            DeclKind::Agents(groups) => {
                self.agents.extend(agents(groups).map(|a| a.name.clone()));
                for group in groups {
                    let sorts = group.sorts.iter().filter(|s| s.ty().is_none());
                    let sorts: Vec<Name> = sorts.map(|s| s.name.name.clone()).collect();
                    let named = group.names.iter().map(|n| (n.name.clone(), sorts.clone()));
                    self.sorts.extend(named);
                }
                self.public.extend(agents(groups).map(|a| a.name.clone()));
            }
            DeclKind::Spies(groups) => {
                self.spies.extend(agents(groups).map(|a| a.name.clone()));
                self.public.extend(agents(groups).map(|a| a.name.clone()));
            }
            DeclKind::Channels(names) => {
                self.channels.extend(names.iter().map(|n| n.name.clone()));
                self.public.extend(names.iter().map(|n| n.name.clone()));
            }
            DeclKind::Public(list) => {
                self.public.extend(list.iter().map(|b| b.name.name.clone()));
            }
            DeclKind::Private(list) => {
                self.private
                    .extend(list.iter().map(|b| b.name.name.clone()));
            }
            DeclKind::Keypairs(list) => {
                let all = list.iter().map(|f| (f.name.name.clone(), true));
                self.families.extend(all);
            }
            DeclKind::Keys(list) => {
                let all = list.iter().map(|f| (f.name.name.clone(), false));
                self.families.extend(all);
            }
            DeclKind::Functions(list) => {
                self.functions
                    .extend(list.iter().map(|f| f.name.name.clone()));
            }
            DeclKind::Groups(list) => {
                self.groups.extend(list.iter().map(|g| g.base.name.clone()));
                let names = list.iter().flat_map(Group::names);
                self.public.extend(names.map(|n| n.name.clone()));
            }
            DeclKind::Destructors(list) => {
                self.rules.extend(list.iter().map(|rule| Rule {
                    name: rule.name.name.clone(),
                    args: Message::all(&rule.args),
                    result: Message::of(&rule.result),
                }));
            }
            _ => {}
        }
    }

    /// Whether a name in a rule is a variable.
    pub(super) fn is_variable(&self, name: &Name) -> bool {
        !self.taken.contains(name)
    }

    /// Whether a name stands for itself everywhere: it is declared.
    pub(super) fn declares(&self, name: &Name) -> bool {
        self.taken.contains(name)
    }
}

/// Everybody in a protocol: the roles that any agent may take, then agents that are there by their names.
pub(super) fn cast(protocol: &Protocol) -> Vec<Name> {
    use crate::lang::syntax::ast::LineKind;
    let mut cast: Vec<Name> = protocol.roles.iter().map(|r| r.name.name.clone()).collect();
    for line in &protocol.lines {
        let named: Vec<&Name> = match &line.kind {
            LineKind::Knows(who, _) | LineKind::Creates(who, _) => vec![&who.name],
            LineKind::Message { from, to, .. } => vec![&from.name, &to.name],
        };
        for name in named {
            if !cast.contains(name) {
                cast.push(name.clone());
            }
        }
    }
    cast
}

/// The first place of a name in a term.
pub(super) fn place<'a>(terms: &'a [Term], name: &Name) -> Option<&'a Term> {
    terms.iter().find_map(|term| match &term.kind {
        TermKind::Name(n) => (n == name).then_some(term),
        TermKind::Apply(_, args) | TermKind::Tuple(args) | TermKind::Hash(args) => {
            place(args, name)
        }
        TermKind::Encrypt(_, body, key) => {
            place(body, name).or_else(|| place(std::slice::from_ref(&**key), name))
        }
        TermKind::Suc(inner) | TermKind::Part(inner, _) => {
            place(std::slice::from_ref(&**inner), name)
        }
        TermKind::Power(base, exponent) => place(std::slice::from_ref(&**base), name)
            .or_else(|| place(std::slice::from_ref(&**exponent), name)),
        TermKind::Int(_) | TermKind::Error => None,
    })
}
