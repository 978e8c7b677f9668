//! Where a narration ends, and where its arrows are.
//!
//! `knows` and `secrecy` start declarations elsewhere. In a narration `A knows M` is a line and `secrecy M between A, B` a goal; a claim
//! has `in S` behind it.

use super::lexer::Spanned;
use super::token::{Kind, Token};
use crate::base::source::lines;

/// Whether the token at `index` belongs to the narration that starts with the first token, although it could start a declaration.
pub(super) fn goes_on(text: &str, tokens: &[Spanned], index: usize) -> bool {
    let ident =
        |i: usize, word: &str| matches!(&tokens.get(i), Some((Token::Ident(n), _)) if &**n == word);
    let gap = tokens[index - 1].1.end as usize..tokens[index].1.start as usize;
    let same_line = !text.get(gap).is_some_and(lines::breaks);
    match tokens[index].0.kind() {
        Kind::Knows => same_line && tokens[index - 1].0.kind() == Kind::Ident,
        Kind::Secrecy => {
            let rest = tokens[index + 1..].iter().map(|(t, _)| t.kind());
            let mut decides = rest
                .skip_while(|k| !matches!(k, Kind::In | Kind::After) && !k.starts_declaration());
            let goals = (1..index).any(|i| ident(i, "goals"));
            goals && !matches!(decides.next(), Some(Kind::In | Kind::After))
        }
        Kind::Ident => {
            let goals = ident(index, "goals");
            let verb = ["creates", "authenticates", "weakly"];
            let arrow = is_arrow(tokens, index + 1)
                || tokens
                    .get(index + 1)
                    .is_some_and(|(t, _)| t.kind() == Kind::Knows);
            goals || arrow || verb.iter().any(|word| ident(index + 1, word))
        }
        _ => false,
    }
}

/// Whether `-` and `>` stand side by side.
fn is_arrow(tokens: &[Spanned], index: usize) -> bool {
    matches!(
        tokens.get(index..index + 2),
        Some([(Token::Minus, a), (Token::CloseAngle, b)]) if a.end == b.start
    )
}

/// The tokens of a narration with its arrows. There is no other angle bracket in it.
pub(super) fn with_arrows(tokens: &[Spanned]) -> Vec<Spanned> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut index = 0;
    while index < tokens.len() {
        if is_arrow(tokens, index) {
            out.push((Token::Arrow, tokens[index].1.to(tokens[index + 1].1)));
            index += 2;
        } else {
            out.push(tokens[index].clone());
            index += 1;
        }
    }
    out
}
