//! The names that are bound before a place in its definition, with their types as far as they are
//! written.
//!
//! The tokens are enough: branches and shadowing are ignored, since a superfluous name does no harm
//! here.

use crate::lang::syntax::lexer::Spanned;
use crate::lang::syntax::token::Token;

/// A name that is bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Local {
    /// The name.
    pub name: String,
    /// Its type, if it is written.
    pub ty: Option<String>,
    /// How it came there.
    pub how: &'static str,
}

/// The names bound in the words of a declaration.
pub(super) fn bound(words: &[Spanned]) -> Vec<Local> {
    let mut found: Vec<Local> = Vec::new();
    let token = |i: usize| words.get(i).map(|(t, _)| t);
    let mut bind = |from: usize, to: usize, how: &'static str| {
        let mut next = from;
        while next < to.min(words.len()) {
            let i = next;
            next += 1;
            let Some(Token::Ident(name)) = token(i) else {
                continue;
            };
            // The arguments of a key are used, not bound.
            if matches!(token(i + 1), Some(Token::OpenParen)) {
                next = closing(words, i + 1);
                continue;
            }
            if !binds(words, i) {
                continue;
            }
            let ty = match (token(i + 1), token(i + 2)) {
                (Some(Token::Colon), Some(Token::Ident(ty))) => Some(ty.to_string()),
                _ => None,
            };
            found.retain(|l| l.name != **name);
            found.push(Local {
                name: name.to_string(),
                ty,
                how,
            });
        }
    };
    for i in 0..words.len() {
        match words[i].0 {
            Token::Def | Token::System => {
                if let (Some(Token::Ident(_)), Some(Token::OpenParen)) =
                    (token(i + 1), token(i + 2))
                {
                    bind(i + 3, closing(words, i + 2), "parameter");
                }
            }
            Token::New => {
                let end = (i..words.len())
                    .find(|j| matches!(words[*j].0, Token::Dot | Token::CloseParen));
                bind(i + 1, end.unwrap_or(words.len()), "fresh");
            }
            Token::Let => {
                let end = (i + 1..words.len()).find(|j| {
                    let opened = matches!(
                        words[j - 1].0,
                        Token::Let
                            | Token::Comma
                            | Token::OpenParen
                            | Token::OpenBrace
                            | Token::OpenBracket
                    );
                    matches!(words[*j].0, Token::Equal) && !opened
                });
                bind(i + 1, end.unwrap_or(i + 1), "received");
            }
            Token::Of => {
                let end = (i..words.len()).find(|j| matches!(words[*j].0, Token::In));
                bind(i + 1, end.unwrap_or(i + 1), "received");
            }
            Token::OpenParen => {
                // Brackets that a dot follows are those of an input.
                let end = closing(words, i);
                let named = i > 0 && matches!(words[i - 1].0, Token::Ident(_) | Token::CloseParen);
                if named && matches!(token(end + 1), Some(Token::Dot)) {
                    bind(i + 1, end, "received");
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether the name at `i` of a pattern is bound there: it is no type, no key and not compared
/// with.
fn binds(words: &[Spanned], i: usize) -> bool {
    let before = i.checked_sub(1).map(|j| &words[j].0);
    !matches!(
        before,
        Some(Token::Colon | Token::Equal | Token::CloseBrace | Token::CloseBracket)
    )
}

/// The bracket that closes the one at `open`, or the end.
fn closing(words: &[Spanned], open: usize) -> usize {
    let mut depth = 0;
    for (i, (token, _)) in words.iter().enumerate().skip(open) {
        match token {
            Token::OpenParen => depth += 1,
            Token::CloseParen => {
                depth -= 1;
                if depth == 0 {
                    return i;
                }
            }
            _ => {}
        }
    }
    words.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::SourceFile;
    use crate::lang::syntax::lexer::lex;

    #[test]
    fn parameters_fresh_and_received_names_are_found() {
        let text = "def P(a: Agent, b) = new n: Nonce, m. c({x, =n}K(a)-, y: Sym). \
                    case y of {z}k in let (u, =v) = z in d<a, w";
        let file = SourceFile::anonymous("t", text);
        let found = bound(&lex(&file).tokens);
        let names: Vec<(&str, Option<&str>)> = found
            .iter()
            .map(|l| (l.name.as_str(), l.ty.as_deref()))
            .collect();
        assert_eq!(
            names,
            [
                ("a", Some("Agent")),
                ("b", None),
                ("n", Some("Nonce")),
                ("m", None),
                ("x", None),
                ("y", Some("Sym")),
                ("z", None),
                ("u", None)
            ]
        );
    }
}
