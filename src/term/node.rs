//! The shape of a term: an operator and its arguments.

use super::{FamilyId, FunctionId, NameId, Op, TermId};
use smallvec::SmallVec;

/// The arguments of a node; most operators have at most two.
pub type Args = SmallVec<[TermId; 2]>;

/// A hash-consed node.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Node {
    /// The operator.
    pub op: Op,
    /// Its arguments.
    pub args: Args,
}

/// A node spelt out for pattern matching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View<'a> {
    /// A name.
    Name(NameId),
    /// A process variable.
    Var(u32),
    /// A generic term.
    Generic(u32),
    /// An index of the attacker's basis.
    Index(u32),
    /// 0.
    Zero,
    /// Successor.
    Suc(TermId),
    /// Tuple of two or more.
    Tuple(&'a [TermId]),
    /// Hash.
    Hash(TermId),
    /// Symmetric encryption: message, key.
    Senc(TermId, TermId),
    /// Public part.
    Pub(TermId),
    /// Private part.
    Priv(TermId),
    /// Public-key encryption: message, key.
    Aenc(TermId, TermId),
    /// Signature: message, key.
    Sign(TermId, TermId),
    /// Family member.
    Family(FamilyId, &'a [TermId]),
    /// A declared function and its arguments.
    Function(FunctionId, &'a [TermId]),
    /// `g^x`: base, exponent.
    Share(TermId, TermId),
    /// `g^x^y`: the share of one exponent, and the other.
    Joint(TermId, TermId),
    /// The operator of unit tests: message, key.
    #[cfg(test)]
    Mac(TermId, TermId),
}

impl Node {
    /// The node spelt out.
    pub fn view(&self) -> View<'_> {
        let a = &self.args;
        match self.op {
            Op::Name(n) => View::Name(n),
            Op::Var(v) => View::Var(v),
            Op::Generic(g) => View::Generic(g),
            Op::Index(i) => View::Index(i),
            Op::Zero => View::Zero,
            Op::Suc => View::Suc(a[0]),
            Op::Tuple => View::Tuple(a),
            Op::Hash => View::Hash(a[0]),
            Op::Senc => View::Senc(a[0], a[1]),
            Op::Pub => View::Pub(a[0]),
            Op::Priv => View::Priv(a[0]),
            Op::Aenc => View::Aenc(a[0], a[1]),
            Op::Sign => View::Sign(a[0], a[1]),
            Op::Family(f) => View::Family(f, a),
            Op::Function(f) => View::Function(f, a),
            Op::Share => View::Share(a[0], a[1]),
            Op::Joint => View::Joint(a[0], a[1]),
            #[cfg(test)]
            Op::Mac => View::Mac(a[0], a[1]),
        }
    }
}
