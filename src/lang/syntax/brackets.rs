//! Brackets and nesting, in one linear pass before the parser.
//!
//! The parser then sees only balanced text of bounded depth: it cannot overflow the stack, search
//! for a bracket that never comes, or blame the end of the file for a bracket forgotten at its
//! start. A stretch with a bracket mistake is replaced by one [`Token::Error`], so that the mistake
//! is reported once, here, with the place where the bracket was opened.
//!
//! Besides brackets, `else`, the branches of an integer case, keys that are ciphertexts and `^` and `+`/`-`
//! signs nest without brackets; they count too.

use super::lexer::Spanned;
use super::reread::pattern_in_term;
use super::token::{Kind, Token};
use crate::base::source::{Code, Diagnostic, Span, Spot};

/// Deepest nesting that is accepted.
pub const MAX_DEPTH: usize = 256;

/// For each token of a balanced stretch, the index of the bracket that matches it (its own index
/// for a token that is no bracket).
pub(super) type Matching = Vec<usize>;

/// The first bracket mistake of a stretch: what to say, and from which token on the stretch is of
/// no use.
pub(super) struct Unbalanced {
    pub diagnostic: Diagnostic,
    pub useless_from: usize,
}

struct Open {
    index: usize,
    /// Nesting without brackets inside this bracket so far.
    extra: usize,
}

/// Matches the brackets of one declaration.
pub(super) fn match_brackets(tokens: &[Spanned]) -> Result<Matching, Box<Unbalanced>> {
    let mut matching: Matching = (0..tokens.len()).collect();
    let mut stack: Vec<Open> = Vec::new();
    // Nesting without brackets outside all brackets, and the depth over everything.
    let mut outside = 0;
    let mut depth = 0;
    for (index, (token, span)) in tokens.iter().enumerate() {
        let kind = token.kind();
        if kind.closer().is_some() {
            depth += 1 + usize::from(is_key_of_key(tokens, index));
            if is_key_of_key(tokens, index) {
                *stack
                    .last_mut()
                    .map_or(&mut outside, |open| &mut open.extra) += 1;
            }
            stack.push(Open { index, extra: 0 });
        } else if kind.is_closer() {
            match stack.pop() {
                Some(open) if tokens[open.index].0.kind().closer() == Some(kind) => {
                    matching[open.index] = index;
                    matching[index] = open.index;
                    depth -= 1 + open.extra;
                }
                top => return Err(Box::new(mismatch(tokens, index, top, &stack))),
            }
        } else {
            let extra = stack
                .last_mut()
                .map_or(&mut outside, |open| &mut open.extra);
            match kind {
                Kind::Bar | Kind::Comma => {
                    depth -= *extra;
                    *extra = 0;
                }
                _ if nests(tokens, index) => {
                    *extra += 1;
                    depth += 1;
                }
                _ => {}
            }
        }
        if depth > MAX_DEPTH {
            let useless_from = stack.first().map_or(index, |open| open.index);
            let diagnostic = Diagnostic::new(Code::TooDeep, "this is nested too deeply")
                .at(*span, format!("more than {MAX_DEPTH} levels at this point"))
                .help("move inner parts into definitions of their own");
            return Err(Box::new(Unbalanced {
                diagnostic,
                useless_from,
            }));
        }
    }
    match stack.last() {
        Some(open) => Err(Box::new(unclosed(tokens, open.index, None, stack[0].index))),
        None => Ok(matching),
    }
}

/// Whether the token opens a level without a bracket.
fn nests(tokens: &[Spanned], index: usize) -> bool {
    let kind = |i: usize| tokens.get(i).map(|(t, _)| t.kind());
    match tokens[index].0.kind() {
        Kind::Else | Kind::Caret => true,
        // `case M of 0: P suc(x): Q`
        Kind::Of => kind(index + 1) == Some(Kind::Int) && kind(index + 2) == Some(Kind::Colon),
        Kind::Plus | Kind::Minus => {
            index > 0 && matches!(kind(index - 1), Some(Kind::Plus | Kind::Minus))
        }
        _ => false,
    }
}

/// Whether the bracket opens the ciphertext that is the key of the one just closed: `{M}{N}k`.
fn is_key_of_key(tokens: &[Spanned], index: usize) -> bool {
    let kind = |back: usize| index.checked_sub(back).map(|i| tokens[i].0.kind());
    match tokens[index].0.kind() {
        Kind::OpenBrace => matches!(kind(1), Some(Kind::CloseBrace | Kind::CloseBracket)),
        Kind::OpenBracket => {
            kind(1) == Some(Kind::CloseBrace)
                || (kind(1) == Some(Kind::CloseBracket) && kind(2) == Some(Kind::CloseBrace))
        }
        _ => false,
    }
}

/// A closing bracket that does not fit the innermost open one.
fn mismatch(tokens: &[Spanned], index: usize, top: Option<Open>, rest: &[Open]) -> Unbalanced {
    let (token, span) = &tokens[index];
    let kind = token.kind();
    let fits = |open: &Open| tokens[open.index].0.kind().closer() == Some(kind);
    let outermost = rest
        .first()
        .or(top.as_ref())
        .map_or(index, |open| open.index);
    if let Some(open) = &top
        && rest.iter().any(fits)
    {
        // The bracket belongs to an outer one: the inner one was left open.
        return unclosed(tokens, open.index, Some(index), outermost);
    }
    // `c<=x>` reads as `c <= x >`.
    if kind == Kind::CloseAngle
        && let Some(at) = tokens[..index]
            .iter()
            .rposition(|(t, span)| matches!(t, Token::AtMost) && span.len() == 2)
    {
        let sign = Span {
            start: tokens[at].1.end - 1,
            ..tokens[at].1
        };
        return Unbalanced {
            diagnostic: pattern_in_term(sign, "="),
            useless_from: outermost.min(at),
        };
    }
    let arrow = kind == Kind::CloseAngle
        && index > 0
        && matches!(tokens[index - 1].0, Token::Minus)
        && tokens[index - 1].1.end == span.start;
    let diagnostic = if arrow {
        let arrow = tokens[index - 1].1.to(*span);
        Diagnostic::new(Code::ForeignSyntax, "`->` is not part of the language")
            .at(arrow, "an arrow cannot stand here")
            .instead("=>")
            .help(if tokens[0].0.kind().starts_declaration() { "in a claim write `=>`" } else { "a line `A -> B: M` stands in a narration, `protocol P(A, B)`; as a process, in the role of A write `net<M>`, in the role of B `net(p)` with the pattern of what B can check; `{M}K(B)` is `{M}K(B)+` for a key pair" })
    } else if let Some(open) = top {
        let (opener, place) = &tokens[open.index];
        let fitting = opener
            .kind()
            .closer()
            .and_then(Kind::text)
            .unwrap_or_default();
        Diagnostic::new(
            Code::UnmatchedDelimiter,
            format!("`{token}` does not close `{opener}`"),
        )
        .at(*span, format!("`{fitting}` is expected before this"))
        .repair(Spot::At(span.before()), fitting.to_string())
        .and(*place, format!("this `{opener}` is still open"))
    } else {
        Diagnostic::new(
            Code::UnmatchedDelimiter,
            format!("`{token}` closes nothing"),
        )
        .at(*span, "no bracket is open here")
        .help(format!(
            "delete it, or open it earlier with `{}`",
            opener_of(kind)
        ))
        .instead("")
    };
    Unbalanced {
        diagnostic,
        useless_from: outermost.min(if arrow { index - 1 } else { index }),
    }
}

fn opener_of(closer: Kind) -> &'static str {
    match closer {
        Kind::CloseParen => "(",
        Kind::CloseBrace => "{",
        Kind::CloseBracket => "[",
        _ => "<",
    }
}

/// The first token after an opening bracket that can stand in no such bracket: its partner belongs
/// before it at the latest.
fn latest(tokens: &[Spanned], open: usize) -> Option<usize> {
    let arguments = open > 0 && matches!(tokens[open - 1].0.kind(), Kind::Ident | Kind::Hash);
    if tokens[open].0.kind() == Kind::OpenParen && !arguments {
        return None;
    }
    let mut depth = 0_usize;
    for (index, (token, _)) in tokens.iter().enumerate().skip(open + 1) {
        let kind = token.kind();
        if kind.closer().is_some() {
            depth += 1;
        } else if kind.is_closer() {
            depth = depth.saturating_sub(1);
        } else if depth == 0 {
            match kind {
                Kind::Dot | Kind::Bar | Kind::In | Kind::Of | Kind::Else => return Some(index),
                Kind::New | Kind::Let | Kind::Case | Kind::Event | Kind::Bang => {
                    return Some(index);
                }
                _ => {}
            }
        }
    }
    None
}

fn unclosed(
    tokens: &[Spanned],
    open: usize,
    closed_by: Option<usize>,
    useless_from: usize,
) -> Unbalanced {
    let (opener, place) = &tokens[open];
    let fitting = opener
        .kind()
        .closer()
        .and_then(Kind::text)
        .unwrap_or_default();
    let diagnostic = Diagnostic::new(
        Code::UnclosedDelimiter,
        format!("this `{opener}` is never closed"),
    )
    .at(*place, "opened here");
    let diagnostic = if let Some(index) = closed_by.or_else(|| latest(tokens, open)) {
        let (token, span) = &tokens[index];
        diagnostic.and(
            *span,
            format!("`{fitting}` is missing before this `{token}`"),
        )
    } else {
        let end: Span = tokens.last().map_or(*place, |(_, span)| *span);
        diagnostic.and(
            end,
            format!("the declaration ends here without `{fitting}`"),
        )
    };
    Unbalanced {
        diagnostic,
        useless_from,
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::lex;
    use super::*;
    use crate::base::source::SourceFile;

    fn check(text: &str) -> Result<Matching, Code> {
        let lexed = lex(&SourceFile::anonymous("t", text));
        match_brackets(&lexed.tokens).map_err(|u| u.diagnostic.code)
    }

    #[test]
    fn matching_brackets_know_each_other() {
        assert_eq!(check("( a [ b ] )"), Ok(vec![5, 1, 4, 3, 2, 0]));
        assert_eq!(check("c<{M}k->").map(|m| m[1]), Ok(7));
    }

    #[test]
    fn mistakes_are_told_apart() {
        assert_eq!(check("( a"), Err(Code::UnclosedDelimiter));
        assert_eq!(check("( [ a )"), Err(Code::UnclosedDelimiter));
        assert_eq!(check("( a ]"), Err(Code::UnmatchedDelimiter));
        assert_eq!(check("a )"), Err(Code::UnmatchedDelimiter));
        assert_eq!(check("A -> B"), Err(Code::ForeignSyntax));
    }

    #[test]
    fn every_kind_of_nesting_is_limited() {
        let n = MAX_DEPTH + 1;
        assert_eq!(check(&"(".repeat(100_000)), Err(Code::TooDeep));
        assert_eq!(check(&"[a is b] 0 else ".repeat(n)), Err(Code::TooDeep));
        assert_eq!(check(&"case x of 0: ".repeat(n)), Err(Code::TooDeep));
        assert_eq!(check(&"{a}".repeat(n + 1)), Err(Code::TooDeep));
        assert_eq!(check(&"[{a}]".repeat(n + 1)), Err(Code::TooDeep));
        assert_eq!(check(&"{[a]}".repeat(n + 1)), Err(Code::TooDeep));
        assert_eq!(check(&format!("k{}", "+-".repeat(n))), Err(Code::TooDeep));
        assert_eq!(
            check(&"(0 | [a is b] 0 else ".repeat(n / 2 + 1)),
            Err(Code::TooDeep)
        );
    }

    #[test]
    fn what_is_only_long_is_not_deep() {
        assert!(check(&"[a is b] ".repeat(10_000)).is_ok());
        assert!(check(&"[a is b] 0 else 0 | ".repeat(10_000)).is_ok());
        assert!(check(&"case x of {y}k in ".repeat(10_000)).is_ok());
        assert!(check(&"{a}k, {a}{b}k, ".repeat(10_000)).is_ok());
        assert!(check(&"new n. ".repeat(100_000)).is_ok());
    }
}
