//! Recovery: skipping what could not be read.
//!
//! The tokens are balanced, so a bracket can be skipped to its partner without search, and a step of
//! a process to the next `.` or `|` at its own level.

use chumsky::prelude::*;

use super::expect::{Extra, Rule, Tokens};
use crate::base::source::Span;
use crate::lang::syntax::token::{Kind, Token};

/// Any one token whose kind satisfies `accept`.
fn kind<'t>(accept: fn(Kind) -> bool) -> impl Parser<'t, Tokens<'t>, (), Extra> + Clone {
    any()
        .filter(move |token: &Token| accept(token.kind()))
        .ignored()
}

/// A balanced stretch: one token, or a bracket with all it holds.
fn tree<'t>() -> Rule<'t, ()> {
    recursive(|tree| {
        let group = kind(|k| k.closer().is_some())
            .then_ignore(tree.repeated())
            .then_ignore(kind(Kind::is_closer));
        let single = kind(|k| k.closer().is_none() && !k.is_closer());
        choice((single, group))
    })
    .boxed()
}

/// An opening bracket of this kind and everything to its partner.
pub(super) fn balanced<'t>(open: Token, close: Token) -> Rule<'t, Span> {
    just(open)
        .ignore_then(tree().repeated())
        .ignore_then(just(close))
        .map_with(|_, e| e.span())
        .boxed()
}

/// The rest of a step: at least one token, up to a `.`, `|`, `else`, `suc` or the end of the level.
pub(super) fn rest_of_step<'t>() -> Rule<'t, Span> {
    let stop =
        kind(|k| matches!(k, Kind::Dot | Kind::Bar | Kind::Else | Kind::Suc) || k.is_closer());
    tree()
        .and_is(stop.not())
        .repeated()
        .at_least(1)
        .map_with(|(), e| e.span())
        .boxed()
}

/// Everything to the end of the declaration.
pub(super) fn everything<'t>() -> Rule<'t, ()> {
    any().repeated().at_least(1).boxed()
}
