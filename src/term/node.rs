//! The shape of a term: an operator and its arguments.

use super::{FamilyId, NameId, TermId};
use smallvec::SmallVec;

/// The arguments of a node; most operators have at most two.
pub type Args = SmallVec<[TermId; 2]>;

/// The operators of the calculus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// A name.
    Name(NameId),
    /// A variable of a process (parameter, input, pattern).
    Var(u32),
    /// A generic term: anything the attacker could make at the generic's level.
    Generic(u32),
    /// The element of the attacker's basis with this index; occurs in recipes only.
    Index(u32),
    /// The integer 0.
    Zero,
    /// Successor.
    Suc,
    /// A tuple of two or more; nested pairs are tuples of two.
    Tuple,
    /// Hash.
    Hash,
    /// Symmetric encryption: message, key.
    Senc,
    /// Public part of a key pair.
    Pub,
    /// Private part of a key pair.
    Priv,
    /// Public-key encryption: message, key.
    Aenc,
    /// Signature: message, key.
    Sign,
    /// Member of a key family.
    Family(FamilyId),
}

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
        }
    }
}

impl Op {
    /// Position of the operator in the content order.
    pub fn tag(self) -> u8 {
        match self {
            Op::Zero => 0,
            Op::Name(_) => 1,
            Op::Index(_) => 2,
            Op::Generic(_) => 3,
            Op::Var(_) => 4,
            Op::Suc => 5,
            Op::Tuple => 6,
            Op::Hash => 7,
            Op::Pub => 8,
            Op::Priv => 9,
            Op::Family(_) => 10,
            Op::Senc => 11,
            Op::Aenc => 12,
            Op::Sign => 13,
        }
    }

    /// Whether the attacker applies the operator to terms it has: tuple, suc, hash, the encryptions and key parts.
    pub fn is_constructor(self) -> bool {
        matches!(
            self,
            Op::Suc | Op::Tuple | Op::Hash | Op::Senc | Op::Pub | Op::Priv | Op::Aenc | Op::Sign
        )
    }
}
