//! Declarations.

use chumsky::prelude::*;

use super::claim::claim;
use super::expect::{Rule, Want};
use super::name::{binder, bracketed, commas, ident, params, type_ref, word};
use super::narration;
use super::recover::everything;
use super::term::error_terms;

use crate::base::source::Span;
use crate::lang::syntax::ast::{
    self, AgentGroup, Binder, Decl, DeclKind, Def, Family, Function, Group, Ident, Process, Source,
    System, Tail, TailKind, Term, Thread, TypeRef, Used,
};
use crate::lang::syntax::token::Token;

/// A declaration and the end of its tokens.
pub(super) fn decl<'t>(term: &Rule<'t, Term>, process: &Rule<'t, Process>) -> Rule<'t, Decl> {
    let kinds = choice((
        just(Token::Use)
            .ignore_then(commas(used()))
            .map(DeclKind::Use)
            .boxed(),
        just(Token::Agent)
            .ignore_then(agents())
            .map(DeclKind::Agents)
            .boxed(),
        just(Token::Spy)
            .ignore_then(agents())
            .map(DeclKind::Spies)
            .boxed(),
        just(Token::Channel)
            .ignore_then(names())
            .map(DeclKind::Channels)
            .boxed(),
        just(Token::Public)
            .ignore_then(commas(binder()))
            .map(DeclKind::Public)
            .boxed(),
        just(Token::Private)
            .ignore_then(choice((
                functions(true).boxed(),
                commas(binder()).map(DeclKind::Private).boxed(),
            )))
            .boxed(),
        functions(false).boxed(),
        destructors(term),
        just(Token::Group)
            .ignore_then(commas(group()))
            .map(DeclKind::Groups)
            .boxed(),
        just(Token::Keypair)
            .ignore_then(commas(family()))
            .map(DeclKind::Keypairs)
            .boxed(),
        just(Token::Key)
            .ignore_then(commas(family()))
            .map(DeclKind::Keys)
            .boxed(),
        just(Token::Knows)
            .ignore_then(commas(term.clone()))
            .map(DeclKind::Knows)
            .boxed(),
        def(process),
        system(process),
        narration::protocol(term),
        claim(term).map(DeclKind::Claim).boxed(),
    ))
    .labelled(Want::Declaration);
    let lost = everything().map(|()| DeclKind::Error);
    // What stands after a complete declaration is a mistake, but costs only itself.
    let rest = end().recover_with(via_parser(everything()));
    kinds
        .map_with(|kind, e| (kind, e.span()))
        .then_ignore(rest)
        .recover_with(via_parser(lost.map_with(|kind, e| (kind, e.span()))))
        .map(|(kind, span)| Decl { kind, span })
        .boxed()
}

fn names<'t>() -> Rule<'t, Vec<Ident>> {
    commas(ident(Want::Name))
}

/// `aead`, `"roles.spi"`
fn used<'t>() -> Rule<'t, Used> {
    let library = ident(Want::Library).map(|name| Source::Library(name.name));
    let file = select_ref! { Token::Text(path) => Source::File(path.clone()) };
    choice((library.boxed(), file.labelled(Want::Library).boxed()))
        .map_with(|what, e| Used {
            what,
            span: e.span(),
            decls: Vec::new().into(),
        })
        .boxed()
}

/// `A, B`, `U, V: User, S: Server | User`. Sorts are those of the names before them that have none yet.
fn agents<'t>() -> Rule<'t, Vec<AgentGroup>> {
    let sorts = type_ref()
        .separated_by(just(Token::Bar))
        .at_least(1)
        .collect::<Vec<TypeRef>>();
    let item = ident(Want::Name)
        .then(just(Token::Colon).ignore_then(sorts).or_not())
        .boxed();
    commas(item)
        .map(|items| {
            let mut groups: Vec<AgentGroup> = Vec::new();
            let mut names: Vec<Ident> = Vec::new();
            for (name, sorts) in items {
                names.push(name);
                if let Some(sorts) = sorts {
                    let names = std::mem::take(&mut names);
                    groups.push(AgentGroup { names, sorts });
                }
            }
            if !names.is_empty() {
                let sorts = Vec::new();
                groups.push(AgentGroup { names, sorts });
            }
            groups
        })
        .boxed()
}

/// `K(Agent, Agent)`, `K`
fn family<'t>() -> Rule<'t, Family> {
    let types = bracketed(Token::OpenParen, type_ref(), Token::CloseParen, |_| {
        Vec::new()
    });
    ident(Want::Name)
        .then(types.or_not())
        .map_with(|(name, params), e| Family {
            name,
            params: params.map_or_else(Vec::new, |(params, _)| params),
            span: e.span(),
        })
        .boxed()
}

/// `function f(Msg, Sym): Data, g(Msg)`
fn functions<'t>(private: bool) -> Rule<'t, DeclKind> {
    let result = just(Token::Colon).ignore_then(type_ref()).or_not();
    let function = family()
        .then(result)
        .map_with(move |(head, result), e| Function {
            name: head.name,
            params: head.params,
            result,
            private,
            span: e.span(),
        })
        .boxed();
    just(Token::Function)
        .ignore_then(commas(function))
        .map(DeclKind::Functions)
        .boxed()
}

/// `destructor open(seal(x, k), k) = x, peek(seal(x, k)) = x`
fn destructors<'t>(term: &Rule<'t, Term>) -> Rule<'t, DeclKind> {
    let args = bracketed(
        Token::OpenParen,
        term.clone(),
        Token::CloseParen,
        error_terms,
    );
    let rule = ident(Want::Name)
        .then(args)
        .map_with(|head, e| (head, e.span()))
        .then_ignore(just(Token::Equal))
        .then(term.clone())
        .map_with(|(((name, (args, _)), head), result), e| ast::Rule {
            name,
            args,
            result,
            head,
            span: e.span(),
        })
        .boxed();
    just(Token::Destructor)
        .ignore_then(commas(rule))
        .map(DeclKind::Destructors)
        .boxed()
}

/// `g`, `g with neutral one`
fn group<'t>() -> Rule<'t, Group> {
    let neutral = word("with", Want::Neutral)
        .ignore_then(word("neutral", Want::Neutral))
        .ignore_then(ident(Want::Name))
        .or_not();
    ident(Want::Name)
        .then(neutral)
        .map(|(base, neutral)| Group { base, neutral })
        .boxed()
}

type Head = (Ident, Vec<Binder>, Span);

fn head<'t>() -> Rule<'t, Head> {
    ident(Want::Name)
        .then(params())
        .map_with(|(name, params), e| (name, params, e.span()))
        .boxed()
}

/// `= process`. A body that cannot be read leaves the head in place, so that its uses are known.
fn body<'t>(process: &Rule<'t, Process>) -> Rule<'t, Process> {
    let lost = everything().map_with(|(), e| {
        let span: Span = e.span();
        let tail = Tail {
            kind: TailKind::Error,
            span,
        };
        Process {
            threads: vec![Thread {
                prefixes: Vec::new(),
                tail,
                span,
            }],
            span,
        }
    });
    just(Token::Equal)
        .ignore_then(process.clone())
        .then_ignore(end().recover_with(via_parser(everything())))
        .recover_with(via_parser(lost))
        .boxed()
}

/// `def P(x: T) = process`
fn def<'t>(process: &Rule<'t, Process>) -> Rule<'t, DeclKind> {
    just(Token::Def)
        .ignore_then(head())
        .then(body(process))
        .map(|((name, params, head), body)| {
            DeclKind::Def(Def {
                name,
                params,
                body,
                head,
                speaker: None,
            })
        })
        .boxed()
}

/// `system S(x) = process`, `partial system S = process`
fn system<'t>(process: &Rule<'t, Process>) -> Rule<'t, DeclKind> {
    choice((
        just(Token::System).to(false).boxed(),
        just([Token::Partial, Token::System]).to(true).boxed(),
    ))
    .then(head())
    .then(body(process))
    .map(|((partial, (name, params, head)), body)| {
        DeclKind::System(System {
            name,
            params,
            body,
            partial,
            head,
        })
    })
    .boxed()
}
