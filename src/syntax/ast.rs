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

use std::fmt;
use std::sync::Arc;

use crate::source::Span;

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
    /// `agent A, B`
    Agents(Vec<Ident>),
    /// `spy C`
    Spies(Vec<Ident>),
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
    /// `knows M, N`
    Knows(Vec<Term>),
    /// `def P(x: T) = process`
    Def(Def),
    /// `system S(x) = process`, `partial system S = process`
    System(System),
    /// Any claim.
    Claim(Claim),
    /// A declaration that could not be read.
    Error,
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
    /// The type it names, if there is one.
    pub fn ty(&self) -> Option<Type> {
        Type::parse(&self.name.name)
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
    /// Payload.
    Data,
    /// An integer.
    Int,
    /// Any message: the default.
    Msg,
}

impl Type {
    /// All types, in the order of the manual.
    pub const ALL: [Type; 9] = [
        Type::Agent,
        Type::Nonce,
        Type::Name,
        Type::Sym,
        Type::Pub,
        Type::Priv,
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

/// A term.
#[derive(Clone, Debug)]
pub struct Term {
    /// Which one.
    pub kind: TermKind,
    /// Its place, enclosing parentheses excluded.
    pub span: Span,
}

/// The kinds of terms.
#[derive(Clone, Debug)]
pub enum TermKind {
    /// A name or a variable.
    Name(Name),
    /// `K(M, N)`: a family member (or a mistake). Never `H` or `suc`.
    Apply(Ident, Vec<Term>),
    /// An integer numeral; `3` is `suc(suc(suc(0)))`.
    Int(u32),
    /// `suc(M)`
    Suc(Box<Term>),
    /// `(M, N, L)`, two or more: right-nested pairs.
    Tuple(Vec<Term>),
    /// `H(M)`, `hash(M, N)`: the hash of the tuple.
    Hash(Vec<Term>),
    /// `{M, N}k`, `{[M]}t`, `[{M}]t`
    Encrypt(Cipher, Vec<Term>, Box<Term>),
    /// `K+`, `K-`
    Part(Box<Term>, Part),
    /// A term that could not be read.
    Error,
}

/// The three ways to write an encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cipher {
    /// `{M}k`: symmetric, unless the key is written with `+`/`-` or has type `Pub`/`Priv`.
    Braces,
    /// `{[M]}t`: public-key encryption.
    Public,
    /// `[{M}]t`: private-key signature.
    Signature,
}

/// A part of a key pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// `+`
    Public,
    /// `-`
    Private,
}

/// A pattern: what an input, a `let` or a `case` matches a message against.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Which one.
    pub kind: PatternKind,
    /// Its place.
    pub span: Span,
}

/// The kinds of patterns.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// `x`, `x: T`
    Bind(Binder),
    /// `_`, `_: T`
    Wildcard(Option<TypeRef>),
    /// `=M`
    Equal(Term),
    /// `(p, q)`, two or more
    Tuple(Vec<Pattern>),
    /// `{p, q}k`, `{[p]}t`, `[{p}]t` with the key that opens it
    Cipher(Cipher, Vec<Pattern>, Box<Term>),
    /// A term that is no pattern. Occurs only within the arguments of [`PrefixKind::Apply`], where
    /// the parser cannot know whether patterns or terms are meant: see [`Pattern::to_term`] and
    /// [`Pattern::check`].
    Term(Term),
    /// A pattern that could not be read.
    Error,
}

/// A parallel composition of one or more threads.
#[derive(Clone, Debug)]
pub struct Process {
    /// At least one.
    pub threads: Vec<Thread>,
    /// Its place.
    pub span: Span,
}

/// A chain of prefixes and what follows them.
#[derive(Clone, Debug)]
pub struct Thread {
    /// What it does, in order.
    pub prefixes: Vec<Prefix>,
    /// How it ends.
    pub tail: Tail,
    /// Its place.
    pub span: Span,
}

/// One step of a thread.
#[derive(Clone, Debug)]
pub struct Prefix {
    /// Which one.
    pub kind: PrefixKind,
    /// Its place, without what follows it and without its `else` branch.
    pub span: Span,
}

/// The kinds of prefixes.
#[derive(Clone, Debug)]
pub enum PrefixKind {
    /// `new n: T, m.`
    New(Vec<Binder>),
    /// `c<M, N>.`: the channel and the tuple it carries
    Output(Term, Vec<Term>),
    /// `c(p, q).`, `D(M, N)`, `D`: an input or an instantiation; the name decides. An
    /// instantiation is correct only as the last prefix before [`TailKind::Omitted`].
    Apply(Apply),
    /// `[M is N] … else …`
    Match(Term, Term, Option<Box<Thread>>),
    /// `let p = M in … else …`
    Let(Pattern, Term, Option<Box<Thread>>),
    /// `case M of {p}k in … else …`; the pattern is a [`PatternKind::Cipher`] or an error
    Case(Term, Pattern, Option<Box<Thread>>),
    /// `event e(M, N).`
    Event(Ident, Vec<Term>),
    /// `!`, `!3`
    Replicate(Option<Copies>),
    /// A prefix that could not be read.
    Error,
}

impl PrefixKind {
    /// The `else` branch, for those that can have one and do.
    pub fn otherwise(&self) -> Option<&Thread> {
        match self {
            PrefixKind::Match(_, _, e) | PrefixKind::Let(_, _, e) | PrefixKind::Case(_, _, e) => {
                e.as_deref()
            }
            _ => None,
        }
    }
}

/// An input or an instantiation, as written.
#[derive(Clone, Debug)]
pub struct Apply {
    /// The channel or the process name. Anything but a plain name can only be a channel.
    pub subject: Term,
    /// What stands in the brackets; `None` if there are none (`D` alone can only be an
    /// instantiation).
    pub args: Option<Vec<Pattern>>,
}

/// The number in `!3`.
#[derive(Clone, Copy, Debug)]
pub struct Copies {
    /// How many.
    pub count: u32,
    /// Its place.
    pub span: Span,
}

/// The end of a thread.
#[derive(Clone, Debug)]
pub struct Tail {
    /// Which one.
    pub kind: TailKind,
    /// Its place; empty for [`TailKind::Omitted`].
    pub span: Span,
}

/// The kinds of ends.
#[derive(Clone, Debug)]
pub enum TailKind {
    /// `0`
    Nil,
    /// A trailing `. 0` that was left out.
    Omitted,
    /// `( P )`
    Group(Box<Process>),
    /// `case M of 0: P suc(x): Q`
    IntCase(Box<IntCase>),
    /// A process that could not be read.
    Error,
}

/// The integer case.
#[derive(Clone, Debug)]
pub struct IntCase {
    /// What is looked at.
    pub scrutinee: Term,
    /// The branch for `0`.
    pub zero: Thread,
    /// The predecessor: a [`PatternKind::Bind`] or a [`PatternKind::Wildcard`].
    pub binder: Pattern,
    /// The branch for `suc(x)`.
    pub succ: Thread,
}

/// A claim.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What is claimed.
    pub kind: ClaimKind,
    /// The verdict that `spi test` compares with.
    pub expect: Option<Expect>,
    /// Its place, `expect` included.
    pub span: Span,
}

/// The expected verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expect {
    /// `expect holds`
    Holds,
    /// `expect attack`
    Attack,
}

/// The kinds of claims.
#[derive(Clone, Debug)]
pub enum ClaimKind {
    /// `secrecy Na, Nb in S`, `secrecy k after E(.., k, ..) in S`
    Secrecy {
        /// What is to stay secret.
        targets: Vec<SecrecyTarget>,
        /// The event after which it counts.
        after: Option<EventPattern>,
        /// Where.
        system: SystemRef,
    },
    /// `agreement E(..) => F(..) in S` and its kin
    Correspondence {
        /// Which of them.
        strength: Correspondence,
        /// The event that needs a reason.
        then: EventPattern,
        /// The event that must have come before.
        before: EventPattern,
        /// Where.
        system: SystemRef,
    },
    /// `reachable E(..) in S`
    Reachable {
        /// The event.
        event: EventPattern,
        /// Where.
        system: SystemRef,
    },
    /// `unsendable c<M> in S`: the attacker can never send `M` on `c`
    Unsendable {
        /// On which channel.
        channel: Term,
        /// What, as a tuple.
        message: Vec<Term>,
        /// Where.
        system: SystemRef,
    },
    /// `strong secrecy m in S`
    StrongSecrecy {
        /// The parameters of the system that stay secret.
        params: Vec<Ident>,
        /// Where.
        system: SystemRef,
    },
    /// `S ~ T`, `equivalence S ~ T`, `S <= T`
    Compare {
        /// Which comparison.
        relation: Relation,
        /// The left system.
        left: SystemRef,
        /// The right system.
        right: SystemRef,
    },
}

/// What `E(..) => F(..)` demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Correspondence {
    /// `agreement`: each `E` is preceded by a matching `F`.
    Agreement,
    /// `injective agreement`: by distinct ones.
    Injective,
    /// `weak agreement`
    Weak,
    /// `aliveness`
    Aliveness,
}

/// The comparison of two systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Relation {
    /// `~`: testing equivalence
    Equivalent,
    /// `<=`: the may-preorder
    Preorder,
}

/// What a secrecy claim is about.
#[derive(Clone, Debug)]
pub enum SecrecyTarget {
    /// `Na`: that name in every role instance with honest agents
    Name(Ident),
    /// `Init(A, B).Na`: that name in one role instance
    Instance {
        /// The role.
        role: Ident,
        /// Its arguments.
        args: Vec<Term>,
        /// The name.
        name: Ident,
        /// Its place.
        span: Span,
    },
    /// `({Na}K(A)+)`: a whole term, in parentheses
    Term(Term),
}

impl SecrecyTarget {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            SecrecyTarget::Name(ident) => ident.span,
            SecrecyTarget::Instance { span, .. } => *span,
            SecrecyTarget::Term(term) => term.span,
        }
    }
}

/// An event in a claim, `E(a, _, n)`.
#[derive(Clone, Debug)]
pub struct EventPattern {
    /// The event.
    pub name: Ident,
    /// Its arguments.
    pub args: Vec<EventArg>,
    /// Its place.
    pub span: Span,
}

/// An argument of an event in a claim.
#[derive(Clone, Debug)]
pub enum EventArg {
    /// `_`
    Any(Span),
    /// A variable of the claim or a concrete term; a bare name that is not declared is a variable.
    Term(Term),
}

impl EventArg {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            EventArg::Any(span) => *span,
            EventArg::Term(term) => term.span,
        }
    }
}

/// A system in a claim, `S` or `S(m1)`.
#[derive(Clone, Debug)]
pub struct SystemRef {
    /// Its name.
    pub name: Ident,
    /// Its arguments, empty if there are none.
    pub args: Vec<Term>,
    /// Its place.
    pub span: Span,
}
