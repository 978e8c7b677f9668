//! Terms.

use chumsky::input::Emitter;
use chumsky::prelude::*;

use super::expect::{Mistake, Rule, Want};
use super::name::{bracketed, ident};
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{Cipher, Part, Term, TermKind};
use crate::lang::syntax::reread::pattern_in_term;
use crate::lang::syntax::token::Token;

/// A term that stands for what could not be read.
pub(super) fn error_term(span: Span) -> Term {
    Term {
        kind: TermKind::Error,
        span,
    }
}

pub(super) fn error_terms(span: Span) -> Vec<Term> {
    vec![error_term(span)]
}

/// A bracket with at least one thing in it, or a mistake that does not stop the parser.
pub(super) fn not_empty(span: Span, what: &str, example: &str) -> Mistake {
    let diagnostic = Diagnostic::new(Code::EmptyBrackets, format!("{what} needs a message"))
        .at(span, "there is nothing between the brackets")
        .help(format!("write for example `{example}`"));
    Mistake::ready(span, diagnostic)
}

/// An encryption without a key.
pub(super) fn no_key(span: Span) -> Mistake {
    let after = Span {
        start: span.end.saturating_sub(1).max(span.start),
        ..span
    };
    let diagnostic = Diagnostic::new(Code::MissingKey, "this encryption has no key")
        .at(after, "a key must follow this bracket")
        .help("write the key right after it: `{M}k`, `{M}K(a)+`, `{M}(k, n)`; a tuple is written with `( )`");
    Mistake::ready(span, diagnostic)
}

/// `+` and `-` after a term.
pub(super) fn signs<'t>() -> Rule<'t, Vec<(Part, Span)>> {
    select_ref! {
        Token::Plus = e => (Part::Public, e.span()),
        Token::Minus = e => (Part::Private, e.span()),
    }
    .repeated()
    .collect()
    .boxed()
}

/// Applies signs to a term, the innermost first.
pub(super) fn signed(term: Term, signs: Vec<(Part, Span)>) -> Term {
    signs.into_iter().fold(term, |term, (part, span)| {
        let span = term.span.to(span);
        Term {
            kind: TermKind::Part(Box::new(term), part),
            span,
        }
    })
}

/// A term.
pub(super) fn term<'t>() -> Rule<'t, Term> {
    recursive(|term| {
        let term = term.boxed();
        operand(&term)
            .then(exponents(&term))
            .map(|(base, exponents)| exponents.into_iter().fold(base, raised))
    })
    .boxed()
}

/// `^ N ^ L` after a term: what stands between the signs.
pub(super) fn exponents<'t>(term: &Rule<'t, Term>) -> Rule<'t, Vec<Term>> {
    just(Token::Caret)
        .ignore_then(operand(term))
        .repeated()
        .collect()
        .boxed()
}

/// `M^N`
pub(super) fn raised(base: Term, exponent: Term) -> Term {
    let span = base.span.to(exponent.span);
    Term {
        kind: TermKind::Power(Box::new(base), Box::new(exponent)),
        span,
    }
}

/// A term that is no power, unless in parentheses.
fn operand<'t>(term: &Rule<'t, Term>) -> Rule<'t, Term> {
    let list = |open, close| bracketed(open, term.clone(), close, error_terms);
    let parens = || list(Token::OpenParen, Token::CloseParen);

    let name = ident(Want::Term)
        .then(parens().or_not())
        .map_with(|(name, args), e| {
            let kind = match args {
                None => TermKind::Name(name.name),
                Some((args, _)) => TermKind::Apply(name, args),
            };
            Term {
                kind,
                span: e.span(),
            }
        })
        .boxed();

    let int = select_ref! { Token::Int(n) = e => Term { kind: TermKind::Int(*n), span: e.span() } };

    let suc = just(Token::Suc)
        .ignore_then(parens())
        .validate(|(args, brackets), e, emitter| {
            let span: Span = e.span();
            Term {
                kind: successor(args, brackets, emitter),
                span,
            }
        })
        .boxed();

    let hash = just(Token::Hash)
        .ignore_then(parens())
        .validate(|(args, brackets), e, emitter| {
            if args.is_empty() {
                emitter.emit(not_empty(brackets, "a hash", "H(M)"));
                return error_term(e.span());
            }
            Term {
                kind: TermKind::Hash(args),
                span: e.span(),
            }
        })
        .boxed();

    let tuple = parens()
        .validate(|(mut parts, brackets), _, emitter| match parts.len() {
            0 => {
                emitter.emit(not_empty(brackets, "a tuple", "(M, N)"));
                error_term(brackets)
            }
            1 => parts.remove(0),
            _ => Term {
                kind: TermKind::Tuple(parts),
                span: brackets,
            },
        })
        .boxed();

    let cipher = |style, open, close| {
        list(open, close)
            .then(term.clone().labelled(Want::Key).or_not())
            .validate(move |((body, brackets), key), e, emitter| {
                if body.is_empty() {
                    emitter.emit(not_empty(brackets, "an encryption", "{M}k"));
                    return error_term(e.span());
                }
                let key = key.unwrap_or_else(|| {
                    emitter.emit(no_key(brackets));
                    error_term(brackets.after())
                });
                Term {
                    kind: TermKind::Encrypt(style, body, Box::new(key)),
                    span: e.span(),
                }
            })
            .boxed()
    };

    // Patterns are no messages, but the rest of the text can be read all the same.
    let wildcard = just(Token::Underscore)
        .validate(|_, e, emitter| {
            let span: Span = e.span();
            emitter.emit(Mistake::ready(span, pattern_in_term(span, "_")));
            error_term(span)
        })
        .boxed();
    let equal = just(Token::Equal)
        .map_with(|_, e| e.span())
        .then(term.clone())
        .validate(|(sign, term), _, emitter| {
            emitter.emit(Mistake::ready(sign, pattern_in_term(sign, "=")));
            term
        })
        .boxed();
    let reported = just(Token::Error)
        .map_with(|_, e| error_term(e.span()))
        .boxed();

    choice((
        name,
        int.boxed(),
        suc,
        hash,
        tuple,
        cipher(Cipher::Braces, Token::OpenBrace, Token::CloseBrace),
        cipher(Cipher::Public, Token::OpenPublic, Token::ClosePublic),
        cipher(
            Cipher::Signature,
            Token::OpenSignature,
            Token::CloseSignature,
        ),
        wildcard,
        equal,
        reported,
    ))
    .labelled(Want::Term)
    .then(signs())
    .map(|(term, signs)| signed(term, signs))
    .boxed()
}

/// `suc` takes exactly one argument.
pub(super) fn successor(
    mut args: Vec<Term>,
    brackets: Span,
    emitter: &mut Emitter<Mistake>,
) -> TermKind {
    if args.len() == 1 {
        return TermKind::Suc(Box::new(args.remove(0)));
    }
    let diagnostic = Diagnostic::new(Code::WrongArity, "`suc` takes one argument")
        .at(brackets, format!("{} are given", args.len()))
        .help("write `suc(M)`, or `suc((M, N))` for the successor of a tuple");
    emitter.emit(Mistake::ready(brackets, diagnostic));
    TermKind::Error
}
