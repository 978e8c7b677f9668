//! Where names stand and what they refer to: for editors.
//!
//! Checking a file resolves every name it meets; with [`super::resolve`] it also writes down what it found. A name of a secrecy
//! claim refers to the fresh names of that label which the system makes, so one place may mention several things.

use super::globals::{NameKind, Symbol};
use super::scope::Origin;
use super::{Checked, Checker};
use crate::base::source::Span;
use crate::process::{EventId, Type};
use crate::term::{FamilyKind, TermId};

/// What a name refers to, by its number in a table of the checked file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Referent {
    /// A declared name: agent, channel, key family, definition, system.
    Declared(u32),
    /// A parameter, fresh name, received value or variable of a claim.
    Variable(u32),
    /// An event.
    Event(u32),
    /// A sort of agents.
    Sort(u32),
}

/// A name at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mention {
    /// The place of the name alone.
    pub span: Span,
    /// What it refers to.
    pub referent: Referent,
    /// Whether this place declares or binds it.
    pub binding: bool,
}

/// What kind of thing a name refers to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Nature {
    /// An honest agent.
    Agent,
    /// An agent that the attacker plays.
    Spy,
    /// A public channel.
    Channel,
    /// Another public name.
    Public,
    /// The base of a group.
    Group,
    /// The neutral element of a group.
    Neutral,
    /// A global name that the attacker is not told.
    Private,
    /// A family of key pairs with the types of its arguments.
    KeyPairs(Vec<Type>),
    /// A family of symmetric keys with the types of its arguments.
    Keys(Vec<Type>),
    /// A function with the types of its arguments, and whether the attacker can't apply it; the type is that of what it makes.
    Function(Vec<Type>, bool),
    /// A destructor with its rules as they are written.
    Destructor(Vec<String>),
    /// A process definition with the names and types of its parameters.
    Definition(Vec<(String, Type)>),
    /// A system with the names and types of its parameters.
    System(Vec<(String, Type)>),
    /// A parameter of a definition or system.
    Parameter,
    /// A name made by `new`.
    Fresh,
    /// A value that was received, or a part of one.
    Received,
    /// A variable of a claim.
    ClaimVariable,
    /// A variable of a rule of a destructor.
    RuleVariable,
    /// An event with the types of its arguments.
    Event(Vec<Type>),
    /// A sort of agents, with its members.
    Sort(Vec<TermId>),
}

/// What is known about a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The name.
    pub label: String,
    /// What it is.
    pub nature: Nature,
    /// Its declared type; `Msg` if there is none.
    pub ty: Type,
    /// The term, if it is a declared plain name.
    pub term: Option<TermId>,
}

impl Checker<'_> {
    /// Writes down what a name refers to, if that was asked for.
    pub(super) fn mention(&mut self, span: Span, referent: Referent) {
        self.note(span, referent, false);
    }

    /// The same for the place that declares or binds the name.
    pub(super) fn mention_binding(&mut self, span: Span, referent: Referent) {
        self.note(span, referent, true);
    }

    /// The same for a declared name, if it is one.
    pub(super) fn mention_declared(&mut self, name: &str, span: Span) {
        if self.mentions.is_some()
            && let Some(i) = self.tables.globals.index_of(name)
        {
            self.note(span, Referent::Declared(i as u32), false);
        }
    }

    pub(super) fn mention_event(&mut self, span: Span, event: EventId) {
        self.note(span, Referent::Event(event.0), false);
    }

    fn note(&mut self, span: Span, referent: Referent, binding: bool) {
        if let Some(mentions) = &mut self.mentions {
            mentions.push(Mention {
                span,
                referent,
                binding,
            });
        }
    }
}

impl Checked {
    /// What is known about something that was mentioned in this file.
    pub fn meaning(&self, referent: Referent) -> Option<Meaning> {
        match referent {
            Referent::Declared(i) => self.declared_meaning(i as usize),
            Referent::Variable(v) => {
                let info = self.program.vars.get(v as usize)?;
                Some(Meaning {
                    label: info.label.to_string(),
                    nature: match self.tables.origins.get(v as usize)? {
                        Origin::Parameter => Nature::Parameter,
                        Origin::Restricted => Nature::Fresh,
                        Origin::Message | Origin::Pattern | Origin::Hidden => Nature::Received,
                        Origin::Claim => Nature::ClaimVariable,
                        Origin::Rule => Nature::RuleVariable,
                    },
                    ty: info.ty,
                    term: None,
                })
            }
            Referent::Sort(s) => {
                let sort = self.program.signature.sorts.get(s as usize)?;
                Some(Meaning {
                    label: sort.label.to_string(),
                    nature: Nature::Sort(sort.members.clone()),
                    ty: Type::Msg,
                    term: None,
                })
            }
            Referent::Event(e) => {
                let info = self.program.events.get(e as usize)?;
                let types = self.tables.event_types.get(e as usize)?;
                Some(Meaning {
                    label: info.label.to_string(),
                    nature: Nature::Event(types.clone()),
                    ty: Type::Msg,
                    term: None,
                })
            }
        }
    }

    fn declared_meaning(&self, number: usize) -> Option<Meaning> {
        let global = self.tables.globals.iter().nth(number)?;
        let params = |vars: &[u32]| {
            let info = vars.iter().map(|v| &self.program.vars[*v as usize]);
            info.map(|i| (i.label.to_string(), i.ty)).collect()
        };
        let mut term = None;
        let nature = match &global.symbol {
            Symbol::Name(kind, t) => {
                term = Some(*t);
                match kind {
                    NameKind::Agent => Nature::Agent,
                    NameKind::Spy => Nature::Spy,
                    NameKind::Channel => Nature::Channel,
                    NameKind::Public => Nature::Public,
                    NameKind::Base => Nature::Group,
                    NameKind::Neutral => Nature::Neutral,
                    NameKind::Private => Nature::Private,
                }
            }
            Symbol::Family(FamilyKind::KeyPair, _, types) => Nature::KeyPairs(types.clone()),
            Symbol::Family(FamilyKind::Symmetric, _, types) => Nature::Keys(types.clone()),
            Symbol::Function(id, types, _) => {
                let declared = &self.program.signature.functions;
                let private = declared.iter().any(|f| f.id == *id && f.private);
                Nature::Function(types.clone(), private)
            }
            Symbol::Destructor(id, _) => {
                let rules = self.tables.rules.get(*id as usize);
                Nature::Destructor(rules.cloned().unwrap_or_default())
            }
            Symbol::Definition(id) => {
                Nature::Definition(params(&self.program.definitions[id.index()].body.params))
            }
            Symbol::System(id) => {
                Nature::System(params(&self.program.systems[id.index()].body.params))
            }
        };
        let ty = match &global.symbol {
            Symbol::Function(_, _, result) => Some(*result),
            _ => term.and_then(|t| self.tables.types.get(&t).copied()),
        };
        Some(Meaning {
            label: global.name.to_string(),
            nature,
            ty: ty.unwrap_or_default(),
            term,
        })
    }
}
