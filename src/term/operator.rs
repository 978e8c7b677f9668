//! The operator table: what there is to say about an operator, said once.
//!
//! A row tells how many arguments an operator has, how the attacker composes and opens what it makes, how it is printed, and
//! the tag that orders it and stands for it in bytes. Engines and wordings ask the table instead of listing operators, so that
//! a new operator is a variant of [`Op`], its row, and its view. The rows are also the list of the operators
//! ([`Op::FIXED`]): who goes through the list can't forget one, and an operator without a row does not compile.
//!
//! Left to others: what follows from a row for a term (`knowledge`). `certify` states the rules again, for itself.

use super::{FamilyId, FunctionId, NameId};

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
    /// A declared function.
    Function(FunctionId),
    /// A share of a key exchange, `g^x`: base, exponent. The base is a declared group, in every term but a rule.
    Share,
    /// The key of a key exchange, `g^x^y`: a share and an exponent. Equal to the share and the exponent exchanged; the store keeps
    /// one of the two forms.
    Joint,
    /// An operator that is there in unit tests alone, to see who knows the table: a code of a message under a key.
    #[cfg(test)]
    Mac,
}

/// What there is to say about an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The position in the content order, and the first byte of such a term.
    pub tag: u8,
    /// How many arguments it has.
    pub arity: Arity,
    /// How the attacker composes it [Sem 1.2].
    pub composed: Composed,
    /// How the attacker opens it [Sem 1.3].
    pub opened: Opened,
    /// How it is printed.
    pub printed: Printed,
}

/// The number of arguments of an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arity {
    /// So many.
    Exactly(u32),
    /// So many or more.
    AtLeast(u32),
    /// As it was declared.
    Declared,
}

/// How the attacker composes a term with this operator [Sem 1.2].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Composed {
    /// It needs nothing.
    Freely,
    /// It needs nothing if the name is public; otherwise it can't.
    IfPublic,
    /// From the arguments.
    FromArguments,
    /// From the argument; that of a member of a family of key pairs from the member's arguments as well.
    PublicPart,
    /// From the arguments, if a spy is among them.
    IfSpy,
    /// From the arguments, unless it was declared private.
    UnlessPrivate,
    /// From the share of either exponent and the other exponent.
    EitherWay,
    /// Not at all.
    Never,
}

/// What the attacker takes out of a term with this operator [Sem 1.3].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opened {
    /// Nothing.
    Never,
    /// The arguments.
    Freely,
    /// The first argument, with the key that fits the second, the lock.
    With(Key),
}

/// The key that fits a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The lock itself.
    Same,
    /// `key(z)` if the lock is `lock(z)`; no other lock has a key.
    Counterpart {
        /// The operator of the lock.
        lock: Op,
        /// The operator of the key.
        key: Op,
    },
}

/// How a term with this operator is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// By its label or number.
    Atom,
    /// As a number.
    Number,
    /// Components in parentheses.
    Tuple,
    /// A word before the argument in parentheses.
    Call(&'static str),
    /// A sign behind the argument.
    Suffix(char),
    /// The first argument in braces, the key behind it. The braces are marked if they would mean something else with this key.
    Braces {
        /// The marked opening brace.
        open: &'static str,
        /// The marked closing brace.
        close: &'static str,
    },
    /// The declared name before the arguments in parentheses.
    Declared,
    /// A sign between the arguments.
    Infix(char),
}

/// The rows of the operators without a parameter. The list of the rows is the list of these operators.
macro_rules! rows {
    ($($(#[$when:meta])? $op:ident: $tag:literal, $arity:expr, $composed:expr, $opened:expr, $printed:expr;)*) => {
        impl Op {
            /// The operators without a parameter, in the content order.
            pub const FIXED: &'static [Op] = &[$($(#[$when])? Op::$op),*];

            /// The operator's row of the table.
            pub fn row(self) -> Row {
                match self {
                    $($(#[$when])? Op::$op => Row {
                        tag: $tag,
                        arity: $arity,
                        composed: $composed,
                        opened: $opened,
                        printed: $printed,
                    },)*
                    Op::Name(_) => Row::atom(Op::NAME, Composed::IfPublic),
                    Op::Index(_) => Row::atom(Op::INDEX, Composed::Never),
                    Op::Generic(_) => Row::atom(Op::GENERIC, Composed::Never),
                    Op::Var(_) => Row::atom(Op::VAR, Composed::Never),
                    Op::Family(_) => Row {
                        tag: Op::FAMILY,
                        arity: Arity::Declared,
                        composed: Composed::IfSpy,
                        opened: Opened::Never,
                        printed: Printed::Declared,
                    },
                    Op::Function(_) => Row {
                        tag: Op::FUNCTION,
                        arity: Arity::Declared,
                        composed: Composed::UnlessPrivate,
                        opened: Opened::Never,
                        printed: Printed::Declared,
                    },
                }
            }
        }
    };
}

rows! {
    Zero: 0, Arity::Exactly(0), Composed::Freely, Opened::Never, Printed::Number;
    Suc: 5, Arity::Exactly(1), Composed::FromArguments, Opened::Freely, Printed::Number;
    Tuple: 6, Arity::AtLeast(2), Composed::FromArguments, Opened::Freely, Printed::Tuple;
    Hash: 7, Arity::Exactly(1), Composed::FromArguments, Opened::Never, Printed::Call("H");
    Pub: 8, Arity::Exactly(1), Composed::PublicPart, Opened::Never, Printed::Suffix('+');
    Priv: 9, Arity::Exactly(1), Composed::FromArguments, Opened::Never, Printed::Suffix('-');
    Senc: 11, Arity::Exactly(2), Composed::FromArguments, Opened::With(Key::Same),
        Printed::Braces { open: "{|", close: "|}" };
    Aenc: 12, Arity::Exactly(2), Composed::FromArguments,
        Opened::With(Key::Counterpart { lock: Op::Pub, key: Op::Priv }),
        Printed::Braces { open: "{[", close: "]}" };
    Sign: 13, Arity::Exactly(2), Composed::FromArguments,
        Opened::With(Key::Counterpart { lock: Op::Priv, key: Op::Pub }),
        Printed::Braces { open: "[{", close: "}]" };
    Share: 15, Arity::Exactly(2), Composed::FromArguments, Opened::Never, Printed::Infix('^');
    Joint: 16, Arity::Exactly(2), Composed::EitherWay, Opened::Never, Printed::Infix('^');
    #[cfg(test)]
    Mac: 17, Arity::Exactly(2), Composed::FromArguments, Opened::Never, Printed::Call("Mac");
}

impl Row {
    const fn atom(tag: u8, composed: Composed) -> Self {
        Self {
            tag,
            arity: Arity::Exactly(0),
            composed,
            opened: Opened::Never,
            printed: Printed::Atom,
        }
    }
}

impl Arity {
    /// Whether an operator of this arity can have so many arguments. What was declared is for others to know.
    pub fn admits(self, count: usize) -> bool {
        match self {
            Arity::Exactly(n) => count == n as usize,
            Arity::AtLeast(n) => count >= n as usize,
            Arity::Declared => true,
        }
    }
}

impl Op {
    /// The tag of names.
    pub(super) const NAME: u8 = 1;
    /// The tag of indices of the basis.
    pub(super) const INDEX: u8 = 2;
    /// The tag of generics.
    pub(super) const GENERIC: u8 = 3;
    /// The tag of variables.
    pub(super) const VAR: u8 = 4;
    /// The tag of members of families.
    pub(super) const FAMILY: u8 = 10;
    /// The tag of declared functions.
    pub(super) const FUNCTION: u8 = 14;

    /// Position of the operator in the content order.
    pub fn tag(self) -> u8 {
        self.row().tag
    }

    /// The operators that hide their first argument from who does not have the key: encryptions and signatures.
    pub fn ciphers() -> impl Iterator<Item = Op> {
        let all = Op::FIXED.iter().copied();
        all.filter(|op| op.is_cipher())
    }

    /// Whether the attacker applies it to terms it has, whatever they are.
    pub fn is_constructor(self) -> bool {
        matches!(
            self.row().composed,
            Composed::FromArguments | Composed::PublicPart | Composed::EitherWay
        )
    }

    /// Whether what it makes opens with a key.
    pub fn is_cipher(self) -> bool {
        matches!(self.row().opened, Opened::With(_))
    }

    /// Whether it makes a part of a key pair.
    pub fn is_key_part(self) -> bool {
        matches!(self.row().printed, Printed::Suffix(_))
    }

    /// Whether what it makes shows nothing of its arguments to who has no key: ciphertexts, signatures,
    /// hashes, shares and joint keys, and what declared functions make.
    pub fn is_sealed(self) -> bool {
        self.is_cipher()
            || matches!(self.row().printed, Printed::Call(_) | Printed::Infix(_))
            || matches!(self, Op::Function(_))
    }

    /// Whether what it makes opens with its own lock, as symmetric encryption does.
    pub fn opens_with_its_lock(self) -> bool {
        matches!(self.row().opened, Opened::With(Key::Same))
    }

    /// The braces around a message: plain where the key has a sign, marked where it has none and the sign would tell.
    pub fn braces(self, signed: bool) -> (&'static str, &'static str) {
        match self.row().printed {
            Printed::Braces { open, close } if signed == self.opens_with_its_lock() => {
                (open, close)
            }
            _ => ("{", "}"),
        }
    }

    /// Whether plain braces around a message mean this operator if a term with the operator `key` follows: with a key part they
    /// mean the encryption or signature that has such a lock, otherwise the one without.
    pub fn needs_no_mark(self, key: Op) -> bool {
        match self.row().opened {
            Opened::With(Key::Counterpart { lock, .. }) => key == lock,
            _ => !key.is_key_part(),
        }
    }

    /// The number of the family or function, for operators that have one; not an order.
    pub(crate) fn parameter(self) -> u32 {
        match self {
            Op::Family(f) => f.slot(),
            Op::Function(f) => f.slot(),
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_in_the_order_of_the_tags() {
        assert!(Op::FIXED.is_sorted_by(|a, b| a.tag() < b.tag()));
        let others = [
            Op::NAME,
            Op::INDEX,
            Op::GENERIC,
            Op::VAR,
            Op::FAMILY,
            Op::FUNCTION,
        ];
        assert!(Op::FIXED.iter().all(|op| !others.contains(&op.tag())));
    }

    #[test]
    fn what_opens_with_a_key_has_a_lock() {
        for op in Op::ciphers() {
            assert_eq!(op.row().arity, Arity::Exactly(2));
            assert!(matches!(op.row().printed, Printed::Braces { .. }));
        }
    }
}
