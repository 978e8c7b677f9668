//! Patterns: one unification problem each [Sem 2.2].
//!
//! A pattern becomes a term over the variables it binds, and side equations for the keys whose other
//! part has to be found (`{[p]}t` needs a `z` with `t = z-`). Parts are read from left to right, so
//! `=M` and keys may use what stands before them.

use rustc_hash::FxHashMap;

use super::scope::{Local, Origin, Scope};
use super::term::Scheme;
use super::{Checker, Referent};
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{Binder, Cipher, Name, Part, Pattern, PatternKind, Term, TypeRef};
use crate::lang::syntax::foreign;
use crate::process::{Test, TestKind, Type};
use crate::term::{TermId, View};

/// A pattern on its way to a [`Test`].
#[derive(Default)]
pub(super) struct Matching {
    /// Side equations.
    equations: Vec<(TermId, TermId)>,
    /// The variables bound so far, hidden ones included.
    binds: Vec<u32>,
    /// The names bound so far.
    bound: FxHashMap<Name, Span>,
    /// Whether it was reported that the pattern matches nothing.
    hopeless: bool,
}

impl Matching {
    /// Whether it was reported that the pattern matches nothing.
    pub(super) fn is_hopeless(&self) -> bool {
        self.hopeless
    }

    /// The test that compares a term with the pattern's term, without an `else`.
    pub(super) fn finish(
        mut self,
        kind: TestKind,
        term: TermId,
        pattern: TermId,
        span: Span,
    ) -> Test {
        self.equations.push((term, pattern));
        Test {
            kind,
            equations: self.equations,
            binds: self.binds,
            has_else: false,
            span,
        }
    }
}

impl Checker<'_> {
    /// The tuple of some patterns.
    pub(super) fn patterns(
        &mut self,
        parts: &[Pattern],
        span: Span,
        scope: &mut Scope,
        matching: &mut Matching,
    ) -> TermId {
        let terms: Vec<TermId> = parts
            .iter()
            .take(super::MAX_WIDTH + 1)
            .map(|p| self.pattern(p, scope, matching))
            .collect();
        self.tuple(&terms, span)
    }

    /// A pattern as a term over the variables it binds.
    pub(super) fn pattern(
        &mut self,
        p: &Pattern,
        scope: &mut Scope,
        matching: &mut Matching,
    ) -> TermId {
        match &p.kind {
            PatternKind::Bind(binder) => {
                let var = self.bind(binder, Origin::Pattern, scope, &mut matching.bound);
                matching.binds.push(var);
                self.store.var(var)
            }
            PatternKind::Wildcard(ty) => {
                let ty = self.type_ref(ty.as_ref());
                let var = self.hidden("_", ty, p.span);
                matching.binds.push(var);
                self.store.var(var)
            }
            PatternKind::Equal(term) => self.term(term, scope),
            PatternKind::Tuple(parts) => self.patterns(parts, p.span, scope, matching),
            PatternKind::Cipher(cipher, parts, key) => {
                self.cipher_pattern(*cipher, parts, key, p.span, scope, matching)
            }
            PatternKind::Term(term) => {
                if let Err(d) = p.check() {
                    self.sink.push(d);
                }
                self.term(term, scope)
            }
            PatternKind::Error => {
                scope.hole = true;
                self.hidden_bind(p.span, matching)
            }
        }
    }

    fn hidden_bind(&mut self, span: Span, matching: &mut Matching) -> TermId {
        let var = self.hidden("_", Type::Msg, span);
        matching.binds.push(var);
        self.store.var(var)
    }

    /// `{p}k` and its kin, with the key that opens it.
    fn cipher_pattern(
        &mut self,
        cipher: Cipher,
        parts: &[Pattern],
        key: &Term,
        span: Span,
        scope: &mut Scope,
        matching: &mut Matching,
    ) -> TermId {
        // The key is needed before the parts are there, so it sees only what stands to the left.
        let k = self.term(key, scope);
        let opened = match cipher {
            // In a pattern the key is the one that opens: the scheme is that of its other part.
            Cipher::Braces => match self.scheme(cipher, key, scope) {
                Scheme::Symmetric => Scheme::Symmetric,
                Scheme::Public => Scheme::Signature,
                Scheme::Signature => Scheme::Public,
            },
            Cipher::Public => Scheme::Public,
            Cipher::Signature => Scheme::Signature,
        };
        let message = self.patterns(parts, span, scope, matching);
        match opened {
            Scheme::Symmetric => {
                self.check_symmetric_key(k, key.span);
                self.note_symmetric(k, span);
                self.store.senc(message, k)
            }
            Scheme::Public => {
                let pair = self.pair_behind(k, key.span, Part::Private, matching);
                self.tables
                    .keys
                    .opened(self.store, Part::Public, pair, span, key.span);
                let public = self.store.pub_part(pair);
                self.store.aenc(message, public)
            }
            Scheme::Signature => {
                let pair = self.pair_behind(k, key.span, Part::Public, matching);
                self.tables
                    .keys
                    .opened(self.store, Part::Private, pair, span, key.span);
                let private = self.store.priv_part(pair);
                self.store.sign(message, private)
            }
        }
    }

    /// The key pair that a key is a part of; if the key does not tell, a hidden variable with an
    /// equation.
    fn pair_behind(
        &mut self,
        key: TermId,
        span: Span,
        part: Part,
        matching: &mut Matching,
    ) -> TermId {
        match (self.store.view(key), part) {
            (View::Pub(pair), Part::Public) | (View::Priv(pair), Part::Private) => pair,
            _ => {
                matching.hopeless |= self.check_opener(key, span, part);
                let pair = self.hidden_bind(span, matching);
                let whole = match part {
                    Part::Public => self.store.pub_part(pair),
                    Part::Private => self.store.priv_part(pair),
                };
                matching.equations.push((key, whole));
                pair
            }
        }
    }

    /// A new variable for a written name.
    pub(super) fn bind(
        &mut self,
        binder: &Binder,
        origin: Origin,
        scope: &mut Scope,
        bound: &mut FxHashMap<Name, Span>,
    ) -> u32 {
        let name = &binder.name;
        let ty = self.type_ref(binder.ty.as_ref());
        if let Some(first) = bound.insert(name.name.clone(), name.span) {
            let d = Diagnostic::new(
                Code::DuplicateBinder,
                format!("`{name}` is bound twice here"),
            )
            .at(name.span, "bound again")
            .and(first, "bound first");
            self.sink.push(match origin {
                Origin::Pattern => d
                    .help(format!(
                        "to demand that both parts are equal, write `={name}` the second time"
                    ))
                    .instead(format!("={name}")),
                _ => d.help("choose another name for one of them"),
            });
        } else if origin != Origin::Parameter {
            self.check_binder(name, origin, scope);
        }
        let var = self.variable(&name.name, ty, name.span, origin);
        self.mention_binding(name.span, Referent::Variable(var));
        let local = Local {
            var,
            origin,
            span: name.span,
        };
        scope.bind(name.name.clone(), local);
        var
    }

    /// A variable that no one can write.
    pub(super) fn hidden(&mut self, label: &str, ty: Type, span: Span) -> u32 {
        self.variable(&Name::from(label), ty, span, Origin::Hidden)
    }

    /// A type as written; nothing written is `Msg`.
    pub(super) fn type_ref(&mut self, ty: Option<&TypeRef>) -> Type {
        let Some(written) = ty else {
            return Type::Msg;
        };
        let word = &written.name;
        if let Some(ty) = type_named(&word.name).or_else(|| self.use_sort(word)) {
            return ty;
        }
        if self.tables.sort_hole {
            return Type::Msg;
        }
        let sorts = self.program.signature.sorts.iter().map(|s| &*s.label);
        let names: Vec<&str> = Type::ALL
            .map(Type::label)
            .into_iter()
            .chain(sorts)
            .collect();
        let mut d = Diagnostic::new(Code::UnknownType, format!("unknown type `{word}`"))
            .at(word.span, "this is not a type");
        d = match super::unknown::nearest(&word.name, names.iter().copied()) {
            Some(near) => d.did_you_mean(near),
            None => d.help(match foreign::hint(&word.name) {
                Some(help) => help.to_owned(),
                None => format!("a sort of agents is declared with its agents: `agent A: {word}`"),
            }),
        };
        self.sink
            .push(d.note(format!("the types are `{}`", names.join("`, `"))));
        Type::Msg
    }
}

/// The type with this name.
pub(super) fn type_named(word: &str) -> Option<Type> {
    Type::ALL.into_iter().find(|t| t.label() == word)
}
