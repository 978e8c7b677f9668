//! Declared names: one table for agents, channels, other names, key families, functions, definitions and
//! systems, because the name alone decides what `n(x)` is.

use rustc_hash::FxHashMap;

use crate::base::source::Span;
use crate::lang::syntax::ast::Name;
use crate::process::{DefId, SystemId, Type};
use crate::term::{FamilyId, FamilyKind, FunctionId, TermId};

/// The kinds of declared plain names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameKind {
    Agent,
    Spy,
    Channel,
    Public,
    Private,
    /// The base of a group.
    Base,
    /// Its neutral element.
    Neutral,
}

/// What a declared name is.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    /// A plain name.
    Name(NameKind, TermId),
    /// A key family with the types of its arguments.
    Family(FamilyKind, FamilyId, Vec<Type>),
    /// A function with the types of its arguments and of what it makes.
    Function(FunctionId, Vec<Type>, Type),
    /// A destructor, by its number in the signature, with the number of its arguments.
    Destructor(u32, usize),
    /// A process definition.
    Definition(DefId),
    /// A system.
    System(SystemId),
}

impl Symbol {
    /// What it is, in a few words with an article.
    pub(super) fn describe(&self) -> &'static str {
        match self {
            Symbol::Name(NameKind::Agent, _) => "an agent",
            Symbol::Name(NameKind::Spy, _) => "a spy",
            Symbol::Name(NameKind::Channel, _) => "a channel",
            Symbol::Name(NameKind::Public, _) => "a public name",
            Symbol::Name(NameKind::Private, _) => "a private name",
            Symbol::Name(NameKind::Base, _) => "a group",
            Symbol::Name(NameKind::Neutral, _) => "the neutral element of a group",
            Symbol::Family(FamilyKind::KeyPair, ..) => "a family of key pairs",
            Symbol::Family(FamilyKind::Symmetric, ..) => "a family of symmetric keys",
            Symbol::Function(..) => "a function",
            Symbol::Destructor(..) => "a destructor",
            Symbol::Definition(_) => "a process definition",
            Symbol::System(_) => "a system",
        }
    }
}

/// A declared name with its place.
#[derive(Clone, Debug)]
pub(super) struct Global {
    /// The name.
    pub name: Name,
    /// Where it is declared, its parameters included.
    pub span: Span,
    /// What it is.
    pub symbol: Symbol,
    /// Whether it occurs anywhere but in its declaration.
    pub used: bool,
    /// Whether it is declared twice, or its declaration has a syntax error: what it really is may
    /// differ from what is known here.
    pub doubtful: bool,
}

/// The table of declared names, in the order of the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Globals {
    list: Vec<Global>,
    index: FxHashMap<Name, usize>,
    terms: FxHashMap<TermId, usize>,
    /// Whether a declaration could not be read: it may have declared any name.
    pub hole: bool,
}

impl Globals {
    /// Adds a declaration; if the name is taken, the earlier declaration stays and is returned.
    pub(super) fn add(&mut self, name: Name, span: Span, symbol: Symbol) -> Option<&Global> {
        if let Some(&i) = self.index.get(&name) {
            self.list[i].doubtful = true;
            return Some(&self.list[i]);
        }
        if let Symbol::Name(_, term) = symbol {
            self.terms.insert(term, self.list.len());
        }
        self.index.insert(name.clone(), self.list.len());
        self.list.push(Global {
            name,
            span,
            symbol,
            used: false,
            doubtful: false,
        });
        None
    }

    /// Marks the names declared from `first` on as doubtful.
    pub(super) fn doubt_from(&mut self, first: usize) {
        for global in &mut self.list[first..] {
            global.doubtful = true;
        }
    }

    /// Number of declared names.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The declaration of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Global> {
        self.index.get(name).map(|&i| &self.list[i])
    }

    /// The number of a declared name.
    pub(super) fn index_of(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// The declaration of a name, which counts as used from now on.
    pub(super) fn use_name(&mut self, name: &str) -> Option<&Global> {
        let i = *self.index.get(name)?;
        self.list[i].used = true;
        Some(&self.list[i])
    }

    /// The declaration behind a plain name's term.
    pub(super) fn of_term(&self, term: TermId) -> Option<&Global> {
        self.terms.get(&term).map(|&i| &self.list[i])
    }

    /// All declarations, in the order of the text.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Global> {
        self.list.iter()
    }
}
