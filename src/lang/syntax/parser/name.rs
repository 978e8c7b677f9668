//! Names, types, binders and bracketed lists.

use chumsky::prelude::*;

use super::expect::{Rule, Want};
use crate::base::source::Span;
use crate::lang::syntax::ast::{Binder, Ident, TypeRef};
use crate::lang::syntax::token::Token;

/// An identifier.
pub(super) fn ident<'t>(want: Want) -> Rule<'t, Ident> {
    select_ref! { Token::Ident(name) = e => Ident { name: name.clone(), span: e.span() } }
        .labelled(want)
        .boxed()
}

/// An identifier with exactly this text, for words that are not reserved.
pub(super) fn word<'t>(text: &'static str, want: Want) -> Rule<'t, Span> {
    select_ref! { Token::Ident(name) = e if &**name == text => e.span() }
        .labelled(want)
        .boxed()
}

/// A type.
pub(super) fn type_ref<'t>() -> Rule<'t, TypeRef> {
    ident(Want::Type).map(|name| TypeRef { name }).boxed()
}

/// `x`, `x: T`
pub(super) fn binder<'t>() -> Rule<'t, Binder> {
    ident(Want::Name)
        .then(just(Token::Colon).ignore_then(type_ref()).or_not())
        .map(|(name, ty)| Binder { name, ty })
        .boxed()
}

/// One or more, separated by commas.
pub(super) fn commas<'t, T: 't>(item: Rule<'t, T>) -> Rule<'t, Vec<T>> {
    item.separated_by(just(Token::Comma))
        .at_least(1)
        .collect()
        .boxed()
}

/// Any number between brackets, separated by commas, with the place of the brackets.
///
/// A mistake within the brackets is reported and costs only their contents: `fallback` stands for
/// them.
pub(super) fn bracketed<'t, T: 't>(
    open: Token,
    item: Rule<'t, T>,
    close: Token,
    fallback: fn(Span) -> Vec<T>,
) -> Rule<'t, (Vec<T>, Span)> {
    let skipped = super::recover::balanced(open.clone(), close.clone());
    item.separated_by(just(Token::Comma))
        .collect()
        .delimited_by(just(open), just(close))
        .map_with(|items, e| (items, e.span()))
        .recover_with(via_parser(skipped.map(move |span| (fallback(span), span))))
        .boxed()
}

/// Parameters of a definition or system, or none.
pub(super) fn params<'t>() -> Rule<'t, Vec<Binder>> {
    bracketed(Token::OpenParen, binder(), Token::CloseParen, |_| {
        Vec::new()
    })
    .or_not()
    .map(|params| params.map_or_else(Vec::new, |(params, _)| params))
    .boxed()
}
