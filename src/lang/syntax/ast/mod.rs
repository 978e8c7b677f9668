//! The abstract syntax tree, with spans, for the whole language.
//!
//! The tree says what was written, not what it means: whether `c(x)` is an input or an
//! instantiation, whether `n` is a name or a variable and whether `{M}k` is asymmetric because of
//! the type of `k` is decided by name resolution.
//!
//! Invariants:
//! - Long things are wide, not deep. A chain of prefixes is one vector ([`Thread::prefixes`]), a
//!   parallel composition is one vector ([`Process::threads`]). Only brackets, `else`, the integer
//!   case, keys of keys and `+`/`-` signs nest, and the parser limits their depth, so recursion over
//!   the tree (and its drop) needs no care.
//! - Where a mistake was reported, the tree holds an `Error` node. Later phases stay silent about
//!   it and about what it may hide (an unused name, for one): see [`File::broken`].

mod claim;
mod narration;
mod process;
mod term;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::base::source::{FileId, Span};

pub use claim::*;
pub use narration::*;
pub use process::*;
pub use term::*;

/// The text of an identifier; clones share it.
pub type Name = Arc<str>;

/// An identifier at a place.
#[derive(Clone, Debug)]
pub struct Ident {
    /// Its text.
    pub name: Name,
    /// Its place.
    pub span: Span,
}

impl fmt::Display for Ident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

/// A whole file.
#[derive(Clone, Debug)]
pub struct File {
    /// The declarations in the order of the text.
    pub decls: Vec<Decl>,
    /// The whole text.
    pub span: Span,
    /// Whether a lexical or syntax error was reported: parts of the tree are missing, so "never
    /// used" and "never declared" may be consequences of that error.
    pub broken: bool,
    /// The other files whose declarations it uses, each with the place of the `use` that led to it.
    pub used: Vec<(FileId, Span)>,
}

impl File {
    /// The file with the declarations of the files that it uses in place of each `use`, and with those that its narrations stand for
    /// in place of each `protocol`.
    #[must_use]
    pub fn expanded(&self) -> Cow<'_, File> {
        let uses = |d: &Decl| matches!(d.kind, DeclKind::Use(_) | DeclKind::Protocol(_));
        if !self.decls.iter().any(uses) {
            return Cow::Borrowed(self);
        }
        let brought = |decl: &Decl| match &decl.kind {
            DeclKind::Use(items) => items.iter().flat_map(|u| u.decls.to_vec()).collect(),
            DeclKind::Protocol(protocol) => protocol.decls.to_vec(),
            _ => vec![decl.clone()],
        };
        Cow::Owned(File {
            decls: self.decls.iter().flat_map(brought).collect(),
            span: self.span,
            broken: self.broken,
            used: self.used.clone(),
        })
    }
}

/// Something that is used: definitions that come with the program, or another file.
#[derive(Clone, Debug)]
pub struct Used {
    /// What was written.
    pub what: Source,
    /// Where.
    pub span: Span,
    /// What it brings, once it was read (`syntax::link`): nothing that an earlier one has brought.
    pub decls: Arc<[Decl]>,
}

/// Where declarations come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A library that comes with the program, by its name.
    Library(Name),
    /// A file, by its path, which starts at the folder of the file that uses it.
    File(Name),
}

/// A declaration.
#[derive(Clone, Debug)]
pub struct Decl {
    /// Which one.
    pub kind: DeclKind,
    /// From its keyword to its last token.
    pub span: Span,
}

/// The kinds of declarations.
#[derive(Clone, Debug)]
pub enum DeclKind {
    /// `use aead, "roles.spi"`
    Use(Vec<Used>),
    /// `agent A, B`, `agent U, V: User`
    Agents(Vec<AgentGroup>),
    /// `spy C`, `spy E: User | Server`
    Spies(Vec<AgentGroup>),
    /// `channel c, d`
    Channels(Vec<Ident>),
    /// `public m: Data, t`
    Public(Vec<Binder>),
    /// `private k: Sym, s`
    Private(Vec<Binder>),
    /// `keypair K(Agent)`
    Keypairs(Vec<Family>),
    /// `key S(Agent), L(Agent, Agent)`
    Keys(Vec<Family>),
    /// `function f(Msg, Sym): Data`, `private function g(Msg)`
    Functions(Vec<Function>),
    /// `destructor open(seal(x, k), k) = x`
    Destructors(Vec<Rule>),
    /// `group g, h with neutral one`
    Groups(Vec<Group>),
    /// `knows M, N`
    Knows(Vec<Term>),
    /// `def P(x: T) = process`
    Def(Def),
    /// `system S(x) = process`, `partial system S = process`
    System(System),
    /// `protocol NS(A, B)`, told line by line
    Protocol(Protocol),
    /// Any claim.
    Claim(Claim),
    /// A declaration that could not be read.
    Error,
}

/// Agents with their sorts: those written after the last of them. Without any they are of every sort.
#[derive(Clone, Debug)]
pub struct AgentGroup {
    /// The agents.
    pub names: Vec<Ident>,
    /// Their sorts.
    pub sorts: Vec<TypeRef>,
}

/// The agents of a declaration, in its order.
pub fn agents(groups: &[AgentGroup]) -> impl Iterator<Item = &Ident> {
    groups.iter().flat_map(|g| &g.names)
}

/// The names that a declaration declares, each once.
pub fn declared_names(decl: &Decl) -> Vec<String> {
    let mut names: Vec<String> = match &decl.kind {
        DeclKind::Agents(groups) | DeclKind::Spies(groups) => {
            agents(groups).map(ToString::to_string).collect()
        }
        DeclKind::Channels(names) => names.iter().map(ToString::to_string).collect(),
        DeclKind::Public(list) | DeclKind::Private(list) => {
            list.iter().map(|b| b.name.to_string()).collect()
        }
        DeclKind::Keypairs(list) | DeclKind::Keys(list) => {
            list.iter().map(|f| f.name.to_string()).collect()
        }
        DeclKind::Functions(list) => list.iter().map(|f| f.name.to_string()).collect(),
        DeclKind::Destructors(list) => list.iter().map(|r| r.name.to_string()).collect(),
        DeclKind::Groups(list) => {
            let names = list.iter().flat_map(Group::names);
            names.map(ToString::to_string).collect()
        }
        DeclKind::Def(def) => vec![def.name.to_string()],
        DeclKind::System(system) => vec![system.name.to_string()],
        DeclKind::Protocol(protocol) => protocol.decls.iter().flat_map(declared_names).collect(),
        DeclKind::Use(_) | DeclKind::Knows(_) | DeclKind::Claim(_) | DeclKind::Error => Vec::new(),
    };
    names.dedup();
    names
}

/// A name with an optional type: in `new`, parameters, `public`, `private`.
#[derive(Clone, Debug)]
pub struct Binder {
    /// The bound name.
    pub name: Ident,
    /// Its type, if one was written.
    pub ty: Option<TypeRef>,
}

impl Binder {
    /// The place of name and type.
    pub fn span(&self) -> Span {
        self.ty
            .as_ref()
            .map_or(self.name.span, |t| self.name.span.to(t.name.span))
    }
}

/// A type as written; an unknown one is reported by name resolution.
#[derive(Clone, Debug)]
pub struct TypeRef {
    /// The written word.
    pub name: Ident,
}

impl TypeRef {
    /// The type it names, if every file has it.
    pub fn ty(&self) -> Option<Type> {
        Type::parse(&self.name.name)
    }

    /// Whether it stands for agents, in a file without mistakes: what every file does not have is a sort.
    pub fn is_agent(&self) -> bool {
        self.ty().is_none_or(|ty| ty == Type::Agent)
    }
}

/// A group of a key exchange, by its base.
#[derive(Clone, Debug)]
pub struct Group {
    /// The base.
    pub base: Ident,
    /// The neutral element, if it has a name.
    pub neutral: Option<Ident>,
}

impl Group {
    /// The names that it declares.
    pub fn names(&self) -> impl Iterator<Item = &Ident> {
        std::iter::once(&self.base).chain(&self.neutral)
    }
}

/// The types of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Type {
    /// An agent identifier.
    Agent,
    /// A nonce.
    Nonce,
    /// A spi calculus name, such as a channel.
    Name,
    /// A symmetric key.
    Sym,
    /// A public key.
    Pub,
    /// A private key.
    Priv,
    /// A share of a key exchange.
    Share,
    /// Payload.
    Data,
    /// An integer.
    Int,
    /// Any message: the default.
    Msg,
}

impl Type {
    /// All types, in the order of the manual.
    pub const ALL: [Type; 10] = [
        Type::Agent,
        Type::Nonce,
        Type::Name,
        Type::Sym,
        Type::Pub,
        Type::Priv,
        Type::Share,
        Type::Data,
        Type::Int,
        Type::Msg,
    ];

    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Type::Agent => "Agent",
            Type::Nonce => "Nonce",
            Type::Name => "Name",
            Type::Sym => "Sym",
            Type::Pub => "Pub",
            Type::Priv => "Priv",
            Type::Share => "Share",
            Type::Data => "Data",
            Type::Int => "Int",
            Type::Msg => "Msg",
        }
    }

    /// The type with this word.
    pub fn parse(word: &str) -> Option<Type> {
        Type::ALL.into_iter().find(|t| t.as_str() == word)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A key family, `K(Agent, Agent)`. Without parameters it is a single key or key pair.
#[derive(Clone, Debug)]
pub struct Family {
    /// Its name.
    pub name: Ident,
    /// The types of its arguments.
    pub params: Vec<TypeRef>,
    /// Name and parameters.
    pub span: Span,
}

/// A function, `f(Msg, Sym): Data`: a free constructor.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name.
    pub name: Ident,
    /// The types of its arguments.
    pub params: Vec<TypeRef>,
    /// The type of what it makes, if one was written.
    pub result: Option<TypeRef>,
    /// Whether it was declared `private`: the attacker can't apply it.
    pub private: bool,
    /// Name, parameters and type.
    pub span: Span,
}

/// A rule of a destructor, `open(seal(x, k), k) = x`. A destructor has as many as there are with its name.
#[derive(Clone, Debug)]
pub struct Rule {
    /// The name of the destructor.
    pub name: Ident,
    /// The forms of its arguments.
    pub args: Vec<Term>,
    /// What it gives for them.
    pub result: Term,
    /// The left side: the name and the arguments.
    pub head: Span,
    /// Both sides.
    pub span: Span,
}

/// A process definition.
#[derive(Clone, Debug)]
pub struct Def {
    /// Its name.
    pub name: Ident,
    /// Its parameters.
    pub params: Vec<Binder>,
    /// Its body.
    pub body: Process,
    /// From the name to the closing bracket of the parameters: what to show as "declared here".
    pub head: Span,
    /// Who speaks in it, if a narration says so.
    pub speaker: Option<Speaker>,
}

/// Whose role a definition is.
#[derive(Clone, Debug)]
pub enum Speaker {
    /// That of the agent which the parameter of this number stands for.
    Parameter(usize),
    /// That of an agent of the file.
    Agent(Name),
}

/// A system to analyse.
#[derive(Clone, Debug)]
pub struct System {
    /// Its name.
    pub name: Ident,
    /// Its parameters, for systems that are compared at several arguments.
    pub params: Vec<Binder>,
    /// Its body.
    pub body: Process,
    /// Whether it was declared `partial`: the honest-run gate does not apply.
    pub partial: bool,
    /// From the name to the closing bracket of the parameters.
    pub head: Span,
}
