//! Spaces between two tokens on one line.

use crate::lang::syntax::token::Kind;

/// What stands around a gap.
#[derive(Clone, Copy)]
pub(super) struct Around {
    /// The token before the token before the gap.
    pub earlier: Option<Kind>,
    /// The token before the gap.
    pub before: Kind,
    /// The token after it.
    pub after: Kind,
    /// Whether the tokens belong to a claim, where a dot selects a name of a role.
    pub claim: bool,
}

/// Whether a space stands in the gap.
pub(super) fn spaced(around: Around) -> bool {
    let Around {
        earlier,
        before,
        after,
        claim,
    } = around;
    // Brackets hug what they hold.
    if before.closer().is_some() || after.is_closer() {
        return false;
    }
    match after {
        Kind::Comma
        | Kind::Dot
        | Kind::Colon
        | Kind::Plus
        | Kind::Minus
        | Kind::Caret
        | Kind::OpenAngle => {
            return false;
        }
        // Arguments hug their name; so does the key its ciphertext (below).
        Kind::OpenParen | Kind::OpenChannel
            if matches!(
                before,
                Kind::Ident | Kind::Hash | Kind::Suc | Kind::Plus | Kind::Minus | Kind::CloseParen
            ) =>
        {
            return false;
        }
        _ => {}
    }
    match before {
        Kind::CloseBrace | Kind::ClosePublic | Kind::CloseSignature | Kind::Bang | Kind::Caret => {
            false
        }
        Kind::Dot => !claim,
        // `=M` in a pattern, but `let p = M`.
        Kind::Equal => !earlier.is_some_and(|k| {
            k.closer().is_some() || matches!(k, Kind::Comma | Kind::Let | Kind::Of)
        }),
        _ => true,
    }
}
