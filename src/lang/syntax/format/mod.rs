//! The formatter: canonical layout of a file.
//!
//! It prints the tokens of the parsed text in their order, so nothing can be lost: the tree only
//! decides where lines break. Comments are kept in place between their tokens. Spellings become
//! canonical (`ν` is printed `new`, `(new n) P` is printed `new n. P`).
//!
//! Layout: a short body that starts on the line of its head stays there; otherwise each step has a
//! line of its own, and `|`, `else` and brackets stand at the indentation of the process they belong
//! to. Some line ends are the author's: after the `=` of a short body, between a step and the tests
//! that follow it, between short threads, and up to one blank line anywhere. A definition of several
//! lines is set off by blank lines.
//!
//! Laws, tested as properties: formatting twice is formatting once; the formatted text parses to the
//! same tree; every comment is still there.

mod gap;
mod layout;
mod page;
mod stream;

use super::token::{Kind, Token};
use super::{ast, lexer};
use crate::base::source::{Diagnostic, SourceFile};

/// The canonical form of a file, or what is wrong with it.
pub fn format(file: &SourceFile) -> Result<String, Vec<Diagnostic>> {
    let read = super::read(file);
    if read.diagnostics.iter().any(Diagnostic::is_error) {
        return Err(read.diagnostics);
    }
    let tokens = canonical(read.tokens);
    Ok(layout::lay_out(file, &tokens, &read.comments, &read.decls))
}

/// Replaces `(new n)` and `(new n).` by `new n.`.
fn canonical(tokens: Vec<lexer::Spanned>) -> Vec<lexer::Spanned> {
    if !tokens
        .iter()
        .any(|(t, _)| matches!(t, Token::OpenRestriction))
    {
        return tokens;
    }
    let mut out: Vec<lexer::Spanned> = Vec::with_capacity(tokens.len());
    let mut open = false;
    let mut drop_dot = false;
    for (token, span) in tokens {
        match token.kind() {
            Kind::OpenRestriction => open = true,
            Kind::CloseParen if open => {
                open = false;
                drop_dot = true;
                out.push((Token::Dot, span));
                continue;
            }
            Kind::Dot if drop_dot => {}
            _ => out.push((token, span)),
        }
        drop_dot = false;
    }
    out
}

/// Whether a declaration is a claim.
fn is_claim(decl: &ast::Decl) -> bool {
    matches!(decl.kind, ast::DeclKind::Claim(_))
}
