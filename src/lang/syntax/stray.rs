//! Lines of another notation.
//!
//! `reduc forall m; sdec(senc(m, k), k) = m.` has many mistakes and one cause. Where a line of its own starts with a word
//! that opens a declaration elsewhere, what is wrong within the line gives way to a word about the cause.

use super::foreign;
use super::lexer::Spanned;
use super::split::starts_stray_line;
use super::token::Token;
use crate::base::source::{Code, Diagnostic, SourceFile, lines};

/// The mistakes of a file, with one for each line that belongs to another notation.
pub(super) fn gathered(
    file: &SourceFile,
    tokens: &[Spanned],
    mut mistakes: Vec<Diagnostic>,
) -> Vec<Diagnostic> {
    if mistakes.is_empty() {
        return mistakes;
    }
    for (index, (token, span)) in tokens.iter().enumerate() {
        let word = match token {
            Token::Ident(name) => &**name,
            Token::Let => "let",
            _ => continue,
        };
        let Some(help) = foreign::opening(word) else {
            continue;
        };
        if index > 0 && !starts_stray_line(&file.text, tokens, index) {
            continue;
        }
        let rest = lines::bare(&file.text[span.start as usize..]).next();
        let end = span.start + rest.map_or(0, str::len) as u32;
        let inside = |d: &Diagnostic| {
            let place = d.primary().filter(|_| d.is_error());
            place.is_some_and(|p| span.start <= p.start && p.start < end)
        };
        let before = mistakes.len();
        mistakes.retain(|d| !inside(d));
        if mistakes.len() < before {
            let message = if word == "let" {
                "a process is not defined with `let`".to_owned()
            } else {
                format!("there is no `{word}`")
            };
            mistakes.push(
                Diagnostic::new(Code::ForeignSyntax, message)
                    .at(*span, "this line is written in another notation")
                    .help(help),
            );
        }
    }
    mistakes
}
