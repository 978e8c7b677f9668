//! Patterns.
//!
//! One rule reads the wide form, in which messages may stand too ([`PatternKind::Term`]): it serves
//! the arguments of `name(…)`, of which only name resolution knows what they are. Where a pattern is
//! certain, [`strict`] reports the parts that are none.

use chumsky::input::Emitter;
use chumsky::prelude::*;

use super::expect::{Mistake, Rule, Want};
use super::name::{bracketed, ident, type_ref};
use super::term::{exponents, no_key, not_empty, raised, signed, signs, successor};
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{
    Binder, Cipher, Ident, Part, Pattern, PatternKind, Term, TermKind, TypeRef,
};
use crate::lang::syntax::token::Token;

/// A pattern that stands for what could not be read.
pub(super) fn error_pattern(span: Span) -> Pattern {
    Pattern {
        kind: PatternKind::Error,
        span,
    }
}

fn error_patterns(span: Span) -> Vec<Pattern> {
    vec![error_pattern(span)]
}

/// What follows a name.
enum After {
    Type(TypeRef),
    Args(Vec<Term>, Span, Vec<(Part, Span)>),
    Signs(Vec<(Part, Span)>),
}

fn named(name: Ident, after: After) -> Pattern {
    let span = name.span;
    match after {
        After::Type(ty) => {
            let span = span.to(ty.name.span);
            Pattern {
                kind: PatternKind::Bind(Binder { name, ty: Some(ty) }),
                span,
            }
        }
        After::Args(args, brackets, signs) => {
            let term = Term {
                kind: TermKind::Apply(name, args),
                span: span.to(brackets),
            };
            message(signed(term, signs))
        }
        After::Signs(signs) if signs.is_empty() => Pattern {
            kind: PatternKind::Bind(Binder { name, ty: None }),
            span,
        },
        After::Signs(signs) => message(signed(
            Term {
                kind: TermKind::Name(name.name),
                span,
            },
            signs,
        )),
    }
}

fn message(term: Term) -> Pattern {
    Pattern {
        span: term.span,
        kind: PatternKind::Term(term),
    }
}

/// A pattern or a message.
pub(super) fn wide(term: Rule<'_, Term>) -> Rule<'_, Pattern> {
    recursive(move |pattern| {
        let pattern = pattern.boxed();
        let list = |open, close| bracketed(open, pattern.clone(), close, error_patterns);
        let terms = bracketed(Token::OpenParen, term.clone(), Token::CloseParen, |span| {
            vec![super::term::error_term(span)]
        });
        let typed = || just(Token::Colon).ignore_then(type_ref()).boxed();

        let name = ident(Want::Pattern)
            .then(choice((
                typed().map(After::Type).boxed(),
                terms
                    .clone()
                    .then(signs())
                    .map(|((args, brackets), signs)| After::Args(args, brackets, signs))
                    .boxed(),
                signs().map(After::Signs).boxed(),
            )))
            .map(|(name, after)| named(name, after))
            .boxed();

        let wildcard = just(Token::Underscore)
            .ignore_then(typed().or_not())
            .map_with(|ty, e| Pattern {
                kind: PatternKind::Wildcard(ty),
                span: e.span(),
            })
            .boxed();

        let equal = just(Token::Equal)
            .ignore_then(term.clone())
            .map_with(|t, e| Pattern {
                kind: PatternKind::Equal(t),
                span: e.span(),
            })
            .boxed();

        let tuple = list(Token::OpenParen, Token::CloseParen)
            .validate(|(mut parts, brackets), _, emitter| match parts.len() {
                0 => {
                    emitter.emit(not_empty(brackets, "a tuple", "(x, y)"));
                    error_pattern(brackets)
                }
                1 => parts.remove(0),
                _ => Pattern {
                    kind: PatternKind::Tuple(parts),
                    span: brackets,
                },
            })
            .then(signs())
            .validate(|(pattern, signs), _, emitter| sign_pattern(pattern, signs, emitter))
            .boxed();

        let cipher = |style, open, close| {
            list(open, close)
                .then(term.clone().labelled(Want::Key).or_not())
                .validate(move |((parts, brackets), key), e, emitter| {
                    if parts.is_empty() {
                        emitter.emit(not_empty(brackets, "a ciphertext", "{x}k"));
                        return error_pattern(e.span());
                    }
                    let Some(key) = key else {
                        emitter.emit(no_key(brackets));
                        return error_pattern(e.span());
                    };
                    let kind = PatternKind::Cipher(style, parts, Box::new(key));
                    Pattern {
                        kind,
                        span: e.span(),
                    }
                })
                .boxed()
        };

        let int =
            select_ref! { Token::Int(n) = e => Term { kind: TermKind::Int(*n), span: e.span() } };
        let suc =
            just(Token::Suc)
                .ignore_then(terms.clone())
                .validate(|(args, brackets), e, emitter| {
                    let span: Span = e.span();
                    Term {
                        kind: successor(args, brackets, emitter),
                        span,
                    }
                });
        let hash = just(Token::Hash)
            .ignore_then(terms)
            .map_with(|(args, _), e| Term {
                kind: TermKind::Hash(args),
                span: e.span(),
            });
        let built = choice((int.boxed(), suc.boxed(), hash.boxed()))
            .then(signs())
            .map(|(term, signs)| message(signed(term, signs)))
            .boxed();

        let reported = just(Token::Error)
            .map_with(|_, e| error_pattern(e.span()))
            .boxed();

        choice((
            name,
            wildcard,
            equal,
            tuple,
            cipher(Cipher::Braces, Token::OpenBrace, Token::CloseBrace),
            cipher(Cipher::Public, Token::OpenPublic, Token::ClosePublic),
            cipher(
                Cipher::Signature,
                Token::OpenSignature,
                Token::CloseSignature,
            ),
            built,
            reported,
        ))
        .labelled(Want::Pattern)
        .then(exponents(&term))
        .validate(|(pattern, exponents), _, emitter| power_pattern(pattern, exponents, emitter))
    })
    .boxed()
}

/// `M^N`: only a message can be raised.
fn power_pattern(
    pattern: Pattern,
    exponents: Vec<Term>,
    emitter: &mut Emitter<Mistake>,
) -> Pattern {
    if exponents.is_empty() {
        return pattern;
    }
    match pattern.to_term() {
        Ok(base) => message(exponents.into_iter().fold(base, raised)),
        Err(diagnostic) => {
            emitter.emit(Mistake::ready(pattern.span, diagnostic));
            error_pattern(pattern.span)
        }
    }
}

/// `(M, N)+`: only a message can carry a sign.
fn sign_pattern(
    pattern: Pattern,
    signs: Vec<(Part, Span)>,
    emitter: &mut Emitter<Mistake>,
) -> Pattern {
    if signs.is_empty() {
        return pattern;
    }
    match pattern.to_term() {
        Ok(term) => message(signed(term, signs)),
        Err(diagnostic) => {
            emitter.emit(Mistake::ready(pattern.span, diagnostic));
            error_pattern(pattern.span)
        }
    }
}

/// A pattern for certain: parts that are messages are reported.
pub(super) fn strict(wide: Rule<'_, Pattern>) -> Rule<'_, Pattern> {
    wide.validate(|pattern, _, emitter| match pattern.check() {
        Ok(()) => pattern,
        Err(diagnostic) => {
            emitter.emit(Mistake::ready(pattern.span, diagnostic));
            error_pattern(pattern.span)
        }
    })
    .boxed()
}

/// The pattern of a `case`: a ciphertext.
pub(super) fn ciphertext(wide: Rule<'_, Pattern>) -> Rule<'_, Pattern> {
    strict(wide)
        .labelled(Want::CipherPattern)
        .validate(|pattern, _, emitter| {
            if matches!(pattern.kind, PatternKind::Cipher(..) | PatternKind::Error) {
                return pattern;
            }
            let diagnostic = Diagnostic::new(
                Code::TermInPattern,
                "`case` opens a ciphertext, and this is none",
            )
            .at(pattern.span, "expected a ciphertext pattern such as `{x}k`")
            .help(
                "to take a tuple apart write `let (x, y) = M in P`; to compare write `[M is N] P`; \
                   an integer case is `case M of 0: P suc(x): Q`",
            );
            emitter.emit(Mistake::ready(pattern.span, diagnostic));
            error_pattern(pattern.span)
        })
        .boxed()
}
