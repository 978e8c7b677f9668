//! One step of a process: a prefix, or an end.

use chumsky::prelude::*;

use super::expect::{Mistake, Rule, Want};
use super::name::{binder, bracketed, commas, ident};
use super::pattern::{ciphertext, error_pattern, strict};
use super::recover::{balanced, rest_of_step};
use super::term::{error_term, not_empty, signed, signs};
use super::thread::{IntHead, Piece, PieceKind};
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{
    Apply, Copies, Pattern, PatternKind, PrefixKind, Process, Tail, TailKind, Term, TermKind,
    Thread,
};
use crate::lang::syntax::token::Token;

/// The rules a step is made of.
#[derive(Clone)]
pub(super) struct Parts<'t> {
    pub term: Rule<'t, Term>,
    pub pattern: Rule<'t, Pattern>,
    pub thread: Rule<'t, Thread>,
    pub process: Rule<'t, Process>,
}

/// A step, with the dot after it if there is one.
pub(super) fn piece<'t>(parts: &Parts<'t>) -> Rule<'t, Piece> {
    let pieces = choice((
        new(),
        restriction(),
        action(parts),
        matching(parts),
        let_in(parts),
        case(parts),
        event(parts),
        phase(),
        replicate(),
        nil(),
        group(parts),
        just(Token::Error)
            .map(|_| PieceKind::End(TailKind::Error))
            .boxed(),
    ))
    .labelled(Want::Step);
    let skipped = rest_of_step().map(|_| PieceKind::End(TailKind::Error));
    pieces
        .recover_with(via_parser(skipped))
        .map_with(|kind, e| (kind, e.span()))
        .then(just(Token::Dot).map_with(|_, e| e.span()).or_not())
        .map(|((kind, span), dot)| match (kind, dot) {
            // `(new n). P` is as good as `(new n) P`.
            (PieceKind::Guard(kind @ PrefixKind::New(_)), Some(_)) => Piece {
                kind: PieceKind::Action(kind),
                span,
                dot,
            },
            (kind, dot) => Piece { kind, span, dot },
        })
        .boxed()
}

/// `new n: T, m`
fn new<'t>() -> Rule<'t, PieceKind> {
    just(Token::New)
        .ignore_then(commas(binder()))
        .map(|binders| PieceKind::Action(PrefixKind::New(binders)))
        .boxed()
}

/// `(new n) P`, as the papers print it
fn restriction<'t>() -> Rule<'t, PieceKind> {
    just(Token::New)
        .ignore_then(commas(binder()))
        .delimited_by(just(Token::OpenRestriction), just(Token::CloseParen))
        .map(|binders| PieceKind::Guard(PrefixKind::New(binders)))
        .boxed()
}

/// What can follow the subject of an action.
enum After {
    Output(Vec<Term>),
    Args(Vec<Pattern>),
    Nothing,
    /// Something that was already reported.
    Error,
}

/// `c<M>`, `c(p)`, `D(M)`, `D`
fn action<'t>(parts: &Parts<'t>) -> Rule<'t, PieceKind> {
    let patterns = || {
        bracketed(
            Token::OpenParen,
            parts.pattern.clone(),
            Token::CloseParen,
            |span| vec![error_pattern(span)],
        )
    };
    let output = bracketed(
        Token::OpenAngle,
        parts.term.clone(),
        Token::CloseAngle,
        |span| vec![error_term(span)],
    )
    .validate(|(message, brackets), _, emitter| {
        if message.is_empty() {
            emitter.emit(not_empty(brackets, "an output", "c<M>"));
            return After::Output(vec![error_term(brackets)]);
        }
        After::Output(message)
    })
    .boxed();
    let carried = choice((
        output,
        patterns().map(|(args, _)| After::Args(args)).boxed(),
        just(Token::Error).map(|_| After::Error).boxed(),
    ))
    .boxed();

    // A name, perhaps with arguments: the arguments are those of a family member if another
    // bracket follows them.
    let named = ident(Want::Name)
        .then(patterns().or_not())
        .then(signs())
        .then(carried.clone().or_not())
        .validate(|(((name, args), signs), after), _, emitter| {
            let plain = |span| Term {
                kind: TermKind::Name(name.name.clone()),
                span,
            };
            match (args, after) {
                (None, after) => {
                    let subject = signed(plain(name.span), signs);
                    (subject, after.unwrap_or(After::Nothing))
                }
                (Some((args, _)), None) if signs.is_empty() => {
                    (plain(name.span), After::Args(args))
                }
                (Some((args, brackets)), after) => {
                    let span = name.span.to(brackets);
                    let member = |args| Term {
                        kind: TermKind::Apply(name.clone(), args),
                        span,
                    };
                    let terms: Result<Vec<Term>, _> = args.iter().map(Pattern::to_term).collect();
                    let subject = match terms {
                        Ok(terms) => member(terms),
                        Err(diagnostic) => {
                            emitter.emit(Mistake::ready(span, diagnostic));
                            error_term(span)
                        }
                    };
                    (signed(subject, signs), after.unwrap_or(After::Nothing))
                }
            }
        })
        .boxed();

    // Any other channel stands in parentheses.
    let terms = commas(parts.term.clone())
        .delimited_by(just(Token::OpenChannel), just(Token::CloseParen))
        .map_with(|mut terms, e| match terms.len() {
            1 => terms.remove(0),
            _ => Term {
                kind: TermKind::Tuple(terms),
                span: e.span(),
            },
        })
        .then(signs())
        .map(|(term, signs)| signed(term, signs))
        .then(carried)
        .boxed();

    choice((named, terms))
        .validate(|(subject, after), _, emitter| match after {
            After::Output(message) => PieceKind::Action(PrefixKind::Output(subject, message)),
            After::Error => PieceKind::End(TailKind::Error),
            After::Nothing if !matches!(subject.kind, TermKind::Name(_)) => {
                let diagnostic =
                    Diagnostic::new(Code::UnexpectedToken, "a message is not a process")
                        .at(subject.span, "nothing is done with this message")
                        .help("to send it write `c<…>`, with the name of a channel for `c`");
                emitter.emit(Mistake::ready(subject.span, diagnostic));
                PieceKind::End(TailKind::Error)
            }
            After::Nothing => PieceKind::Action(PrefixKind::Apply(Apply {
                subject,
                args: None,
            })),
            After::Args(args) => PieceKind::Action(PrefixKind::Apply(Apply {
                subject,
                args: Some(args),
            })),
        })
        .boxed()
}

/// `[M is N]`
fn matching<'t>(parts: &Parts<'t>) -> Rule<'t, PieceKind> {
    let skipped = balanced(Token::OpenBracket, Token::CloseBracket);
    parts
        .term
        .clone()
        .then_ignore(just(Token::Is))
        .then(parts.term.clone())
        .delimited_by(just(Token::OpenBracket), just(Token::CloseBracket))
        .recover_with(via_parser(
            skipped.map(|span| (error_term(span), error_term(span))),
        ))
        .map(|(left, right)| PieceKind::Guard(PrefixKind::Match(left, right, None)))
        .boxed()
}

/// `let p = M in`
fn let_in<'t>(parts: &Parts<'t>) -> Rule<'t, PieceKind> {
    just(Token::Let)
        .ignore_then(strict(parts.pattern.clone()))
        .then_ignore(just(Token::Equal))
        .then(parts.term.clone())
        .then_ignore(just(Token::In))
        .map(|(pattern, term)| PieceKind::Guard(PrefixKind::Let(pattern, term, None)))
        .boxed()
}

/// `case M of {p}k in`, `case M of 0: P suc(x):`
fn case<'t>(parts: &Parts<'t>) -> Rule<'t, PieceKind> {
    enum Of {
        Cipher(Pattern),
        Int(Thread, Pattern),
    }
    let cipher = ciphertext(parts.pattern.clone())
        .then_ignore(just(Token::In))
        .map(Of::Cipher)
        .boxed();
    let zero = select_ref! { Token::Int(n) = e => (*n, e.span()) }
        .then_ignore(just(Token::Colon))
        .validate(|(n, span), _, emitter| {
            if n != 0 {
                emitter.emit(branches(
                    span,
                    "the first branch of an integer case is `0:`",
                ));
            }
        })
        .ignore_then(parts.thread.clone())
        .boxed();
    let binder = parts
        .pattern
        .clone()
        .delimited_by(just(Token::OpenParen), just(Token::CloseParen))
        .validate(|pattern, _, emitter| match pattern.kind {
            PatternKind::Bind(_) | PatternKind::Wildcard(_) | PatternKind::Error => pattern,
            _ => {
                let label = "the predecessor is a variable, as in `suc(x):`";
                emitter.emit(branches(pattern.span, label));
                error_pattern(pattern.span)
            }
        })
        .boxed();
    let succ = just(Token::Suc)
        .ignore_then(binder)
        .then_ignore(just(Token::Colon))
        .boxed();
    let int = zero
        .then(succ.clone())
        .map(|(zero, binder)| Of::Int(zero, binder))
        .boxed();
    let no_zero = succ
        .validate(|binder, e, emitter| {
            let span: Span = e.span();
            emitter.emit(branches(span, "the branch `0:` is missing before this one"));
            let tail = Tail {
                kind: TailKind::Error,
                span: span.before(),
            };
            let zero = Thread {
                prefixes: Vec::new(),
                tail,
                span: span.before(),
            };
            Of::Int(zero, binder)
        })
        .boxed();
    just(Token::Case)
        .ignore_then(parts.term.clone())
        .then_ignore(just(Token::Of))
        .then(choice((int, no_zero, cipher)))
        .map(|(scrutinee, of)| match of {
            Of::Cipher(pattern) => PieceKind::Guard(PrefixKind::Case(scrutinee, pattern, None)),
            Of::Int(zero, binder) => PieceKind::IntCase(Box::new(IntHead {
                scrutinee,
                zero,
                binder,
            })),
        })
        .boxed()
}

fn branches(span: Span, label: &str) -> Mistake {
    let diagnostic = Diagnostic::new(Code::IntegerCase, "an integer case has two branches")
        .at(span, label)
        .help("write `case M of 0: P suc(x): Q`");
    Mistake::ready(span, diagnostic)
}

/// `event e(M, N)`
fn event<'t>(parts: &Parts<'t>) -> Rule<'t, PieceKind> {
    let args = bracketed(
        Token::OpenParen,
        parts.term.clone(),
        Token::CloseParen,
        |span| vec![error_term(span)],
    );
    just(Token::Event)
        .ignore_then(ident(Want::Name))
        .then(args.or_not())
        .map(|(name, args)| {
            let args = args.map_or_else(Vec::new, |(args, _)| args);
            PieceKind::Action(PrefixKind::Event(name, args))
        })
        .boxed()
}

/// `phase 1`
fn phase<'t>() -> Rule<'t, PieceKind> {
    let number = select_ref! { Token::Int(n) = e => (*n, e.span()) };
    just(Token::Phase)
        .ignore_then(number)
        .map(|(n, span): (u32, Span)| PieceKind::Action(PrefixKind::Phase(n, span)))
        .boxed()
}

/// `!`, `!3`. The number is a count only if a process follows it: `!0` replicates nil.
fn replicate<'t>() -> Rule<'t, PieceKind> {
    let count = select_ref! { Token::Int(n) = e => Copies { count: *n, span: e.span() } };
    let ends = any().filter(|t: &Token| {
        matches!(
            t,
            Token::Bar | Token::Else | Token::CloseParen | Token::Dot | Token::Suc
        )
    });
    let follows = choice((ends.ignored().boxed(), end().boxed())).not();
    just(Token::Bang)
        .ignore_then(count.then_ignore(follows.rewind()).or_not())
        .map(|copies| PieceKind::Guard(PrefixKind::Replicate(copies)))
        .boxed()
}

/// `0`
fn nil<'t>() -> Rule<'t, PieceKind> {
    select_ref! { Token::Int(n) = e => (*n, e.span()) }
        .validate(|(n, span): (u32, Span), _, emitter| {
            if n == 0 {
                return PieceKind::End(TailKind::Nil);
            }
            let diagnostic =
                Diagnostic::new(Code::UnexpectedToken, format!("`{n}` is not a process"))
                    .at(span, "a process is expected here")
                    .help(format!(
                        "the process that does nothing is `0`; {n} copies of P are `!{n} P`"
                    ));
            emitter.emit(Mistake::ready(span, diagnostic));
            PieceKind::End(TailKind::Error)
        })
        .boxed()
}

/// `( P )`
fn group<'t>(parts: &Parts<'t>) -> Rule<'t, PieceKind> {
    let skipped = balanced(Token::OpenParen, Token::CloseParen);
    parts
        .process
        .clone()
        .delimited_by(just(Token::OpenParen), just(Token::CloseParen))
        .map(|process| TailKind::Group(Box::new(process)))
        .recover_with(via_parser(skipped.map(|_| TailKind::Error)))
        .map(PieceKind::End)
        .boxed()
}
