//! Claims.

use chumsky::prelude::*;

use super::expect::{Rule, Want};
use super::name::{bracketed, commas, ident, word};
use super::term::error_term;
use crate::lang::syntax::ast::{
    Claim, ClaimKind, Correspondence, EventArg, EventPattern, Expect, Relation, SecrecyTarget,
    SystemRef, Term,
};
use crate::lang::syntax::token::Token;

/// A claim, with its expectation.
pub(super) fn claim<'t>(term: &Rule<'t, Term>) -> Rule<'t, Claim> {
    let kinds = choice((
        secrecy(term),
        correspondence(term),
        reachable(term),
        unsendable(term),
        strong(term),
        comparison(term),
    ));
    kinds
        .then(expectation().or_not())
        .map_with(|(kind, expect), e| Claim {
            kind,
            expect,
            goal: None,
            span: e.span(),
        })
        .boxed()
}

/// `expect holds`, `expect proof`, `expect attack`
pub(super) fn expectation<'t>() -> Rule<'t, Expect> {
    just(Token::Expect)
        .ignore_then(choice((
            word("holds", Want::Verdict).to(Expect::Holds).boxed(),
            word("proof", Want::Verdict).to(Expect::Proof).boxed(),
            word("attack", Want::Verdict).to(Expect::Attack).boxed(),
        )))
        .boxed()
}

/// `S`, `S(m1)`, `S given K(A)-`, `S unless L(a)`
pub(super) fn system<'t>(term: &Rule<'t, Term>) -> Rule<'t, SystemRef> {
    let args = bracketed(Token::OpenParen, term.clone(), Token::CloseParen, |span| {
        vec![error_term(span)]
    });
    ident(Want::System)
        .then(args.or_not())
        .then(
            just(Token::Given)
                .ignore_then(commas(term.clone()))
                .or_not(),
        )
        .then(
            just(Token::Unless)
                .ignore_then(commas(event(term)))
                .or_not(),
        )
        .map_with(|(((name, args), given), unless), e| SystemRef {
            name,
            args: args.map_or_else(Vec::new, |(args, _)| args),
            given: given.unwrap_or_default(),
            unless: unless.unwrap_or_default(),
            span: e.span(),
        })
        .boxed()
}

fn in_system<'t>(term: &Rule<'t, Term>) -> Rule<'t, SystemRef> {
    just(Token::In).ignore_then(system(term)).boxed()
}

/// `E(a, _, n)`
fn event<'t>(term: &Rule<'t, Term>) -> Rule<'t, EventPattern> {
    let any = just(Token::Underscore)
        .map_with(|_, e| EventArg::Any(e.span()))
        .boxed();
    let arg = choice((any, term.clone().map(EventArg::Term).boxed()))
        .labelled(Want::Term)
        .boxed();
    let args = bracketed(Token::OpenParen, arg, Token::CloseParen, |span| {
        vec![EventArg::Term(error_term(span))]
    });
    ident(Want::Event)
        .then(args.or_not())
        .map_with(|(name, args), e| EventPattern {
            name,
            args: args.map_or_else(Vec::new, |(args, _)| args),
            span: e.span(),
        })
        .boxed()
}

/// What a secrecy claim is about.
pub(super) fn target<'t>(term: &Rule<'t, Term>) -> Rule<'t, SecrecyTarget> {
    let parens = || {
        bracketed(Token::OpenParen, term.clone(), Token::CloseParen, |span| {
            vec![error_term(span)]
        })
    };
    let instance = parens()
        .then_ignore(just(Token::Dot))
        .then(ident(Want::Name))
        .or_not();
    let named = ident(Want::Target)
        .then(instance)
        .map_with(|(name, instance), e| match instance {
            None => SecrecyTarget::Name(name),
            Some(((args, _), secret)) => SecrecyTarget::Instance {
                role: name,
                args,
                name: secret,
                span: e.span(),
            },
        })
        .boxed();
    let whole = term
        .clone()
        .and_is(choice((just(Token::OpenParen), just(Token::OpenChannel))))
        .map(SecrecyTarget::Term)
        .boxed();
    choice((named, whole)).labelled(Want::Target).boxed()
}

/// `secrecy Na, Nb in S`, `secrecy k after E(.., k, ..) in S`, `forward secrecy ..`
fn secrecy<'t>(term: &Rule<'t, Term>) -> Rule<'t, ClaimKind> {
    just(Token::Forward)
        .map_with(|_, e| e.span())
        .or_not()
        .then_ignore(just(Token::Secrecy))
        .then(commas(target(term)))
        .then(just(Token::After).ignore_then(event(term)).or_not())
        .then(in_system(term))
        .map(|(((forward, targets), after), system)| ClaimKind::Secrecy {
            forward,
            targets,
            after,
            system,
        })
        .boxed()
}

/// `agreement E(..) => F(..) in S` and its kin
fn correspondence<'t>(term: &Rule<'t, Term>) -> Rule<'t, ClaimKind> {
    let strength = choice((
        just(Token::Agreement).to(Correspondence::Agreement).boxed(),
        just([Token::Injective, Token::Agreement])
            .to(Correspondence::Injective)
            .boxed(),
        just([Token::Weak, Token::Agreement])
            .to(Correspondence::Weak)
            .boxed(),
        just(Token::Aliveness).to(Correspondence::Aliveness).boxed(),
    ));
    strength
        .then(event(term))
        .then_ignore(just(Token::Implies))
        .then(event(term))
        .then(in_system(term))
        .map(
            |(((strength, then), before), system)| ClaimKind::Correspondence {
                strength,
                then,
                before,
                system,
            },
        )
        .boxed()
}

/// `reachable E(..) in S`
fn reachable<'t>(term: &Rule<'t, Term>) -> Rule<'t, ClaimKind> {
    just(Token::Reachable)
        .ignore_then(event(term))
        .then(in_system(term))
        .map(|(event, system)| ClaimKind::Reachable { event, system })
        .boxed()
}

/// `unsendable c<M> in S`
fn unsendable<'t>(term: &Rule<'t, Term>) -> Rule<'t, ClaimKind> {
    let message =
        commas(term.clone()).delimited_by(just(Token::OpenAngle), just(Token::CloseAngle));
    just(Token::Unsendable)
        .ignore_then(term.clone())
        .then(message)
        .then(in_system(term))
        .map(|((channel, message), system)| ClaimKind::Unsendable {
            channel,
            message,
            system,
        })
        .boxed()
}

/// `strong secrecy m in S`
fn strong<'t>(term: &Rule<'t, Term>) -> Rule<'t, ClaimKind> {
    just([Token::Strong, Token::Secrecy])
        .ignore_then(commas(ident(Want::Name)))
        .then(in_system(term))
        .map(|(params, system)| ClaimKind::StrongSecrecy { params, system })
        .boxed()
}

/// `S ~ T`, `S <= T`, with or without `equivalence`
fn comparison<'t>(term: &Rule<'t, Term>) -> Rule<'t, ClaimKind> {
    let relation = choice((
        just(Token::Tilde).to(Relation::Equivalent).boxed(),
        just(Token::AtMost).to(Relation::Preorder).boxed(),
    ));
    just(Token::Equivalence)
        .or_not()
        .ignore_then(system(term))
        .then(relation)
        .then(system(term))
        .map(|((left, relation), right)| ClaimKind::Compare {
            relation,
            left,
            right,
        })
        .boxed()
}
