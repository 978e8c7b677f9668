//! Terms of the tree to terms of the store.

use super::known::Demand;
use super::scope::Scope;
use super::unknown::Wanted;
use super::{Checker, MAX_INTEGER, MAX_TERM, MAX_WIDTH, Referent};
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{Cipher, Ident, Name, Part, Term, TermKind};
use crate::process::{TupleMode, Type};
use crate::term::{FamilyKind, TermId};

use super::globals::Symbol;

/// What an encryption with a given key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    /// Symmetric.
    Symmetric,
    /// With a public part.
    Public,
    /// With a private part: a signature.
    Signature,
}

impl Checker<'_> {
    /// A message: a tuple of terms, not too large.
    pub(super) fn message(&mut self, parts: &[Term], scope: &Scope, span: Span) -> TermId {
        let terms = self.terms(parts, scope);
        let message = self.tuple(&terms, span);
        self.limit_size(message, span)
    }

    /// A single term, not too large.
    pub(super) fn whole_term(&mut self, t: &Term, scope: &Scope) -> TermId {
        let term = self.term(t, scope);
        self.limit_size(term, t.span)
    }

    /// The term, or 0 with a diagnostic if it is too large: whoever walks terms may recurse.
    pub(super) fn limit_size(&mut self, term: TermId, span: Span) -> TermId {
        if self.store.facts(term).size <= MAX_TERM {
            return term;
        }
        self.sink.push(
            Diagnostic::new(Code::TooDeep, "this message is too large")
                .at(span, "all of this is one message")
                .note(format!(
                    "a message may have up to {MAX_TERM} parts and operators"
                )),
        );
        self.store.zero()
    }

    pub(super) fn terms(&mut self, parts: &[Term], scope: &Scope) -> Vec<TermId> {
        parts
            .iter()
            .take(MAX_WIDTH + 1)
            .map(|t| self.term(t, scope))
            .collect()
    }

    /// The tuple of some terms, in the mode of the analysis.
    pub(super) fn tuple(&mut self, terms: &[TermId], span: Span) -> TermId {
        let mut terms = terms;
        if terms.len() > MAX_WIDTH {
            self.sink.push(
                Diagnostic::new(Code::TooDeep, "this tuple has too many components")
                    .at(span, "the tuple")
                    .note(format!("a tuple may have up to {MAX_WIDTH} components")),
            );
            terms = &terms[..MAX_WIDTH];
        }
        match self.program.tuples {
            TupleMode::Nested => self.store.nested(terms),
            TupleMode::Flat => self.store.flat(terms),
        }
    }

    /// A term.
    pub(super) fn term(&mut self, t: &Term, scope: &Scope) -> TermId {
        match &t.kind {
            TermKind::Name(name) => self.name(name, t.span, scope),
            TermKind::Apply(head, args) => self.member(head, args, t.span, scope),
            TermKind::Int(n) => self.integer(*n, t.span),
            TermKind::Suc(inner) => {
                let inner = self.term(inner, scope);
                self.store.suc(inner)
            }
            TermKind::Tuple(parts) => {
                let terms = self.terms(parts, scope);
                self.tuple(&terms, t.span)
            }
            TermKind::Hash(parts) => {
                let terms = self.terms(parts, scope);
                let inner = self.tuple(&terms, t.span);
                self.store.hash(inner)
            }
            TermKind::Encrypt(cipher, parts, key) => {
                self.encryption(*cipher, parts, key, t.span, scope)
            }
            TermKind::Part(pair, part) => {
                let inner = self.term(pair, scope);
                self.check_pair(inner, pair.span, *part);
                match part {
                    Part::Public => self.store.pub_part(inner),
                    Part::Private => self.store.priv_part(inner),
                }
            }
            TermKind::Power(base, exponent) => self.power(base, exponent, t.span, scope),
            TermKind::Error => self.store.zero(),
        }
    }

    pub(super) fn integer(&mut self, n: u32, span: Span) -> TermId {
        if n > MAX_INTEGER {
            self.sink.push(
                Diagnostic::new(
                    Code::IntegerTooLarge,
                    format!("the integer {n} is too large"),
                )
                .at(span, format!("`{n}` stands for that many `suc`"))
                .help(format!(
                    "use a number up to {MAX_INTEGER}, or declare a public name for it"
                )),
            );
            return self.store.zero();
        }
        (0..n).fold(self.store.zero(), |t, _| self.store.suc(t))
    }

    /// A name or variable as a term.
    pub(super) fn name(&mut self, name: &Name, span: Span, scope: &Scope) -> TermId {
        if let Some(local) = scope.get(name) {
            self.tables.used[local.var as usize] = true;
            self.mention(span, Referent::Variable(local.var));
            return self.store.var(local.var);
        }
        self.mention_declared(name, span);
        let Some(global) = self.tables.globals.use_name(name) else {
            self.unknown(name, span, Wanted::Term, scope);
            return self.store.public(name);
        };
        let (place, what) = (global.span, global.symbol.describe());
        match &global.symbol {
            Symbol::Name(_, term) => *term,
            _ if global.doubtful => self.store.public(name),
            Symbol::Family(_, id, params) if params.is_empty() => self.store.family(*id, &[]),
            Symbol::Family(kind, id, params) => {
                let example = vec!["A"; params.len()].join(", ");
                let sign = if *kind == FamilyKind::KeyPair {
                    format!(
                        "; `{name}({example})+` is the public and `{name}({example})-` the private part"
                    )
                } else {
                    String::new()
                };
                let id = *id;
                let wanted = plural(params.len(), "argument");
                self.sink.push(
                    Diagnostic::new(
                        Code::FamilyWithoutArguments,
                        format!("`{name}` is {what} and needs {wanted}"),
                    )
                    .at(span, "whose key?")
                    .and(place, "declared here")
                    .help(format!(
                        "write `{name}({example})` for the key of `A`{sign}"
                    )),
                );
                self.store.family(id, &[])
            }
            Symbol::Function(..) | Symbol::Destructor(..) => {
                let count = match &global.symbol {
                    Symbol::Function(_, params, _) => params.len(),
                    Symbol::Destructor(_, count) => *count,
                    _ => 0,
                };
                let example = vec!["M"; count].join(", ");
                let wanted = plural(count, "argument");
                self.sink.push(
                    Diagnostic::new(
                        Code::FamilyWithoutArguments,
                        format!("`{name}` is {what} and needs {wanted}"),
                    )
                    .at(span, "applied to what?")
                    .and(place, "declared here")
                    .help(format!("write `{name}({example})`")),
                );
                self.store.public(name)
            }
            Symbol::Definition(_) | Symbol::System(_) => {
                self.sink.push(
                    Diagnostic::new(
                        Code::ProcessAsChannel,
                        format!("`{name}` is {what}, not a message or a channel"),
                    )
                    .at(span, "a term is needed here")
                    .and(place, "declared here")
                    .note("processes run; they cannot be sent, received on or compared"),
                );
                self.store.public(name)
            }
        }
    }

    /// `K(M, N)`: a member of a key family, or a function applied to its arguments.
    fn member(&mut self, head: &Ident, args: &[Term], span: Span, scope: &Scope) -> TermId {
        let terms = self.terms(args, scope);
        if let Some(local) = scope.get(&head.name) {
            self.tables.used[local.var as usize] = true;
            self.mention(head.span, Referent::Variable(local.var));
            self.not_a_family(head, local.origin.describe(), local.span);
            return self.store.var(local.var);
        }
        self.mention_declared(&head.name, head.span);
        let Some(global) = self.tables.globals.use_name(&head.name) else {
            self.unknown(&head.name, head.span, Wanted::Family, scope);
            return self.store.public(&head.name);
        };
        if global.doubtful {
            return self.store.public(&head.name);
        }
        let (place, what) = (global.span, global.symbol.describe());
        match global.symbol.clone() {
            Symbol::Family(_, id, params) => {
                let terms = self.arguments(head, args, terms, span, place, &params);
                self.store.family(id, &terms)
            }
            Symbol::Function(id, params, _) => {
                let terms = self.arguments(head, args, terms, span, place, &params);
                self.store.function(id, &terms)
            }
            Symbol::Destructor(id, count) => {
                if count != args.len() {
                    self.wrong_arity(&head.name, span, place, count, args.len());
                    return self.store.public(&head.name);
                }
                if self.body.closed {
                    self.not_evaluated(head, span, place);
                    return self.store.public(&head.name);
                }
                let rules = self.program.signature.destructors[id as usize]
                    .rules
                    .clone();
                self.apply(&rules, &terms, span)
            }
            Symbol::Name(_, term) => {
                self.not_a_family(head, what, place);
                term
            }
            Symbol::Definition(_) | Symbol::System(_) => {
                self.sink.push(
                    Diagnostic::new(
                        Code::ProcessAsChannel,
                        format!("`{head}` is {what}, not a message"),
                    )
                    .at(span, "a term is needed here")
                    .and(place, "declared here")
                    .note("processes run; they cannot be sent or compared"),
                );
                self.store.public(&head.name)
            }
        }
    }

    /// The arguments of a family or function: as many as were declared, of the declared types.
    fn arguments(
        &mut self,
        head: &Ident,
        args: &[Term],
        mut terms: Vec<TermId>,
        span: Span,
        place: Span,
        params: &[Type],
    ) -> Vec<TermId> {
        if params.len() != args.len() {
            self.wrong_arity(&head.name, span, place, params.len(), args.len());
        }
        for ((arg, term), ty) in args.iter().zip(&terms).zip(params) {
            let demand = Demand {
                ty: *ty,
                span: place,
                what: &format!("the argument of `{}`", head.name),
            };
            self.demand(*term, arg.span, &demand);
        }
        terms.resize(params.len(), self.store.zero());
        terms
    }

    /// A destructor where no process runs.
    fn not_evaluated(&mut self, head: &Ident, span: Span, place: Span) {
        self.sink.push(
            Diagnostic::new(
                Code::DestructorPlace,
                format!("the destructor `{head}` can't be applied here"),
            )
            .at(span, "only processes apply destructors")
            .and(place, "declared here")
            .note("claims and `knows` are about messages, which are made of functions; what a destructor gives is a message or nothing")
            .help("write the message that is meant"),
        );
    }

    fn not_a_family(&mut self, head: &Ident, what: &str, place: Span) {
        self.sink.push(
            Diagnostic::new(
                Code::NotAFamily,
                format!("`{head}` is {what} and takes no arguments"),
            )
            .at(head.span, "only a key family or a function takes arguments in a term")
            .and(place, "declared here")
            .help(format!(
                "for a key per agent declare `keypair {head}(Agent)` or `key {head}(Agent)`; for a hash write `H(..)`, for another function declare `function {head}(Msg)`"
            ))
            .help(format!("if `{head}` and the brackets are two parts, put `,` between them")),
        );
    }

    /// Reports a number of arguments that differs from the declaration.
    pub(super) fn wrong_arity(
        &mut self,
        name: &str,
        span: Span,
        place: Span,
        wanted: usize,
        found: usize,
    ) {
        self.sink.push(
            Diagnostic::new(
                Code::WrongArity,
                format!("`{name}` takes {}, not {found}", plural(wanted, "argument")),
            )
            .at(span, format!("{} given", plural(found, "argument")))
            .and(
                place,
                format!("declared with {}", plural(wanted, "argument")),
            ),
        );
    }

    /// Whether `{..}key` is symmetric, from the way the key is written [language, Terms].
    pub(super) fn scheme(&self, cipher: Cipher, key: &Term, scope: &Scope) -> Scheme {
        match (cipher, &key.kind) {
            (Cipher::Public, _) | (Cipher::Braces, TermKind::Part(_, Part::Public)) => {
                Scheme::Public
            }
            (Cipher::Signature, _) | (Cipher::Braces, TermKind::Part(_, Part::Private)) => {
                Scheme::Signature
            }
            (Cipher::Braces, TermKind::Name(name)) => {
                let ty = scope
                    .get(name)
                    .map(|l| self.program.vars[l.var as usize].ty);
                match ty {
                    Some(Type::Pub) => Scheme::Public,
                    Some(Type::Priv) => Scheme::Signature,
                    _ => Scheme::Symmetric,
                }
            }
            (Cipher::Braces, _) => Scheme::Symmetric,
        }
    }

    fn encryption(
        &mut self,
        cipher: Cipher,
        parts: &[Term],
        key: &Term,
        span: Span,
        scope: &Scope,
    ) -> TermId {
        let terms = self.terms(parts, scope);
        let message = self.tuple(&terms, span);
        let scheme = self.scheme(cipher, key, scope);
        let k = self.term(key, scope);
        match scheme {
            Scheme::Symmetric => {
                self.check_symmetric_key(k, key.span);
                self.note_symmetric(k, span);
                self.store.senc(message, k)
            }
            Scheme::Public => {
                self.check_part(k, key.span, Part::Public);
                self.tables.keys.made(self.store, Part::Public, k, span);
                self.store.aenc(message, k)
            }
            Scheme::Signature => {
                self.check_part(k, key.span, Part::Private);
                self.tables.keys.made(self.store, Part::Private, k, span);
                self.store.sign(message, k)
            }
        }
    }
}

/// `1 argument`, `2 arguments`.
pub(super) fn plural(n: usize, thing: &str) -> String {
    match n {
        0 => format!("no {thing}s"),
        1 => format!("1 {thing}"),
        n => format!("{n} {thing}s"),
    }
}
