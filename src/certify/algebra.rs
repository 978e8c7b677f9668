//! What the attacker does with each operator [Sem 1.2, 1.3]: the trusted core's own statement.
//!
//! The engines ask the operator table of `term`. A mistake there must not be believed here, so the rules are written down again,
//! operator by operator and without a wildcard: an operator that is forgotten does not compile. The list of operators is the only
//! thing that is taken from there.

use crate::term::Op;

/// How the attacker makes a term with an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Making {
    /// From nothing: 0, and names if they are public.
    Nothing,
    /// By applying it to so many terms.
    Apply(usize),
    /// By applying it to two terms or more.
    ApplyTwoOrMore,
    /// As a member of a key family.
    Member,
    /// By applying a declared function, unless it is private.
    Function,
    /// By raising the base of a group to an exponent.
    OfGroup,
    /// By raising a share to an exponent: the share of either exponent to the other.
    EitherPower,
    /// Not at all: the operator does not occur in messages.
    Impossible,
}

/// What comes out of a term with an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taking {
    /// Nothing.
    Nothing,
    /// Every argument.
    Arguments,
    /// The first argument, for who has the second.
    WithSame,
    /// The first argument, if the second is `lock(z)`, for who has `key(z)`.
    WithOther {
        /// The operator of the second argument.
        lock: Op,
        /// The operator of what opens it.
        key: Op,
    },
}

/// How the attacker makes a term with an operator [Sem 1.2].
pub(super) fn making(op: Op) -> Making {
    match op {
        Op::Zero | Op::Name(_) => Making::Nothing,
        Op::Suc | Op::Hash | Op::Pub | Op::Priv => Making::Apply(1),
        Op::Senc | Op::Aenc | Op::Sign => Making::Apply(2),
        Op::Share => Making::OfGroup,
        Op::Joint => Making::EitherPower,
        Op::Tuple => Making::ApplyTwoOrMore,
        Op::Family(_) => Making::Member,
        Op::Function(_) => Making::Function,
        Op::Var(_) | Op::Generic(_) | Op::Index(_) => Making::Impossible,
        #[cfg(test)]
        Op::Mac => Making::Apply(2),
    }
}

/// What the attacker takes out of a term with an operator [Sem 1.3]: `{x}y` opens with y, `{x}y+` with y-, the signature `{x}y-`
/// with y+.
pub(super) fn taking(op: Op) -> Taking {
    match op {
        Op::Tuple | Op::Suc => Taking::Arguments,
        Op::Senc => Taking::WithSame,
        Op::Aenc => Taking::WithOther {
            lock: Op::Pub,
            key: Op::Priv,
        },
        Op::Sign => Taking::WithOther {
            lock: Op::Priv,
            key: Op::Pub,
        },
        Op::Zero
        | Op::Name(_)
        | Op::Hash
        | Op::Pub
        | Op::Priv
        | Op::Family(_)
        | Op::Function(_)
        | Op::Share
        | Op::Joint
        | Op::Var(_)
        | Op::Generic(_)
        | Op::Index(_) => Taking::Nothing,
        #[cfg(test)]
        Op::Mac => Taking::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Arity, Composed, Key, Opened};

    /// Two statements, made apart, say the same.
    #[test]
    fn the_table_of_the_engines_says_the_same() {
        for op in Op::FIXED {
            let row = op.row();
            let expected = match (row.composed, row.arity) {
                (Composed::Freely | Composed::IfPublic, _) => Making::Nothing,
                (Composed::FromArguments, _) if *op == Op::Share => Making::OfGroup,
                (Composed::FromArguments | Composed::PublicPart, Arity::Exactly(n)) => {
                    Making::Apply(n as usize)
                }
                (Composed::FromArguments, Arity::AtLeast(2)) => Making::ApplyTwoOrMore,
                (Composed::EitherWay, Arity::Exactly(2)) => Making::EitherPower,
                other => panic!("{op:?}: {other:?}"),
            };
            assert_eq!(making(*op), expected, "{op:?}");
            let expected = match row.opened {
                Opened::Never => Taking::Nothing,
                Opened::Freely => Taking::Arguments,
                Opened::With(Key::Same) => Taking::WithSame,
                Opened::With(Key::Counterpart { lock, key }) => Taking::WithOther { lock, key },
            };
            assert_eq!(taking(*op), expected, "{op:?}");
        }
    }
}
