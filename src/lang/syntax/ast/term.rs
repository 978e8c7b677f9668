//! Terms and patterns.

use super::{Binder, Ident, Name, TypeRef};
use crate::base::source::Span;

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
    /// `g^x`, `M^N`
    Power(Box<Term>, Box<Term>),
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
    /// A term that is no pattern. Occurs only within the arguments of [`super::PrefixKind::Apply`], where
    /// the parser cannot know whether patterns or terms are meant: see [`Pattern::to_term`] and
    /// [`Pattern::check`].
    Term(Term),
    /// A pattern that could not be read.
    Error,
}
