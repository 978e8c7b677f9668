//! Narrations.

use chumsky::prelude::*;

use super::claim::expectation;
use super::expect::{Rule, Want};
use super::name::{binder, bracketed, commas, ident, word};
use crate::lang::syntax::ast::{DeclKind, Goal, GoalKind, Ident, Line, LineKind, Protocol, Term};
use crate::lang::syntax::token::Token;

/// `protocol NS(A, B)`, lines, and `goals` with what is claimed.
pub(super) fn protocol<'t>(term: &Rule<'t, Term>) -> Rule<'t, DeclKind> {
    let roles = bracketed(Token::OpenParen, binder(), Token::CloseParen, |_| {
        Vec::new()
    });
    let head = ident(Want::Name)
        .then(roles)
        .map_with(|(name, (roles, _)), e| (name, roles, e.span()))
        .boxed();
    let goals = word("goals", Want::Goals)
        .ignore_then(goal(term).repeated().at_least(1).collect::<Vec<Goal>>())
        .or_not();
    just(Token::Protocol)
        .ignore_then(head)
        .then(line(term).repeated().at_least(1).collect::<Vec<Line>>())
        .then(goals)
        .map(|(((name, roles, head), lines), goals)| {
            DeclKind::Protocol(Protocol {
                name,
                roles,
                lines,
                goals: goals.unwrap_or_default(),
                head,
                decls: Vec::new().into(),
            })
        })
        .boxed()
}

/// `1. A -> B: M`, `A knows M`, `A creates N: T`
fn line<'t>(term: &Rule<'t, Term>) -> Rule<'t, Line> {
    let number = select_ref! { Token::Int(_) => () }
        .then_ignore(just(Token::Dot))
        .or_not();
    let told = just(Token::Arrow)
        .ignore_then(ident(Want::Name))
        .then_ignore(just(Token::Colon))
        .then(commas(term.clone()))
        .boxed();
    let knows = just(Token::Knows).ignore_then(commas(term.clone())).boxed();
    let creates = word("creates", Want::Line)
        .ignore_then(commas(binder()))
        .boxed();
    let message = number
        .ignore_then(ident(Want::Line))
        .then(told)
        .map(|(from, (to, message))| LineKind::Message { from, to, message })
        .boxed();
    let who = || ident(Want::Line);
    choice((
        who()
            .then(knows)
            .map(|(who, what)| LineKind::Knows(who, what))
            .boxed(),
        who()
            .then(creates)
            .map(|(who, what)| LineKind::Creates(who, what))
            .boxed(),
        message,
    ))
    .map_with(|kind, e| Line {
        kind,
        span: e.span(),
    })
    .boxed()
}

/// `secrecy Na between A, B`, `B weakly authenticates A on Na`
fn goal<'t>(term: &Rule<'t, Term>) -> Rule<'t, Goal> {
    let names = || commas(ident(Want::Name));
    let between = word("between", Want::Goal)
        .ignore_then(names())
        .or_not()
        .map(Option::unwrap_or_default);
    let secrecy = just(Token::Secrecy)
        .ignore_then(commas(term.clone()))
        .then(between)
        .map(|(secrets, between)| GoalKind::Secrecy { secrets, between })
        .boxed();
    let on = word("on", Want::Goal)
        .ignore_then(commas(term.clone()))
        .or_not()
        .map(Option::unwrap_or_default);
    let weakly = word("weakly", Want::Goal)
        .or_not()
        .map(|word| word.is_some());
    let authentication = ident(Want::Goal)
        .then(weakly)
        .then_ignore(word("authenticates", Want::Goal))
        .then(ident(Want::Name))
        .then(on)
        .map(
            |(((who, weakly), whom), on): (((Ident, bool), Ident), Vec<Term>)| {
                GoalKind::Authentication {
                    who,
                    whom,
                    on,
                    weakly,
                }
            },
        )
        .boxed();
    choice((secrecy, authentication))
        .then(expectation().or_not())
        .map_with(|(kind, expect), e| Goal {
            kind,
            expect,
            span: e.span(),
        })
        .boxed()
}
