//! Doubts about keys: a sign too many, a sign too few, the wrong part.
//!
//! Any term may be a key and any term has two parts, so none of this is an error; but a message
//! that nobody can open is hardly ever meant.

use super::Checker;
use super::known::{Fit, Known};
use super::scope::Origin;
use crate::base::source::{Code, Diagnostic, Span, Spot};
use crate::lang::syntax::ast::Part;
use crate::process::Type;
use crate::term::{TermId, View};

impl Checker<'_> {
    /// `k+` and `k-` of something that is no key pair.
    pub(super) fn check_pair(&mut self, inner: TermId, span: Span, part: Part) {
        let known = self.known_of(inner);
        let name = self.show(inner);
        let sign = if part == Part::Public { '+' } else { '-' };
        let (reason, help) = match known {
            Known::SymmetricKey | Known::Declared(Type::Sym) => (
                "a symmetric key has no public and private part",
                format!("write `{name}` without `{sign}`, or declare it with `keypair`"),
            ),
            Known::PublicPart | Known::PrivatePart => (
                "this is already one part of a key pair",
                "write one sign only".to_owned(),
            ),
            Known::Declared(Type::Pub | Type::Priv) => (
                "this is already one part of a key pair",
                format!("write `{name}` without `{sign}`"),
            ),
            Known::Declared(Type::Agent | Type::Sort(_)) => (
                "an agent is not a key pair",
                format!("declare `keypair K(Agent)` and write `K({name}){sign}`"),
            ),
            _ => return,
        };
        let mut d = Diagnostic::new(
            Code::TypeMismatch,
            format!("`{name}` is {}, not a key pair", self.describe(inner)),
        )
        .at(span, reason)
        .help(help);
        if matches!(
            known,
            Known::SymmetricKey | Known::Declared(Type::Sym | Type::Pub | Type::Priv)
        ) {
            // The sign stands right behind, if nobody has put blanks between.
            let after = Span {
                start: span.end,
                end: span.end + 1,
                ..span
            };
            d = d.repair(Spot::At(after), "");
        }
        if let Some(place) = self.declared_at(inner)
            && place != span
        {
            d = d.and(place, "declared here");
        }
        self.sink.push(d);
    }

    /// Doubts about the key of a symmetric encryption or decryption.
    pub(super) fn check_symmetric_key(&mut self, key: TermId, span: Span) {
        let name = self.show(key);
        let known = self.known_of(key);
        if known == Known::KeyPair {
            self.tables.keys.unsigned(self.store, key);
        }
        let d = match known {
            Known::KeyPair => Diagnostic::new(
                Code::TypeMismatch,
                format!("`{name}` is a key pair, used here as a symmetric key"),
            )
            .at(span, "which part of the pair?")
            .help(format!(
                "write `{name}+` for the public part (to encrypt, or to check a signature) or `{name}-` for the private part (to decrypt, or to sign)"
            ))
            .instead(format!("{name}+"))
            .instead(format!("{name}-")),
            Known::Declared(Type::Agent | Type::Sort(_)) => Diagnostic::new(
                Code::TypeMismatch,
                format!("the agent `{name}` is used as a key"),
            )
            .at(span, "everybody knows the names of agents")
            .help(format!(
                "declare `key S(Agent)` or `keypair K(Agent)` and write `S({name})` or `K({name})+`"
            )),
            _ => return,
        };
        self.sink.push(d);
    }

    /// A bracketed encryption or signature with a key that is certainly not the right part.
    pub(super) fn check_part(&mut self, key: TermId, span: Span, part: Part) {
        let (wanted, verb, sign) = match part {
            Part::Public => (Type::Pub, "public-key encryption", '+'),
            Part::Private => (Type::Priv, "signature", '-'),
        };
        let known = self.known_of(key);
        if matches!(known, Known::Any) || self.fit(key, wanted) == Fit::Fits {
            return;
        }
        let name = self.show(key);
        let d = Diagnostic::new(
            Code::TypeMismatch,
            format!(
                "`{name}` is {}, not of type `{}`",
                self.describe(key),
                wanted.label()
            ),
        )
        .at(span, format!("nobody can open a {verb} with this key"));
        let d = match self.store.view(key) {
            View::Pub(pair) | View::Priv(pair) => {
                d.write_instead(format!("{}{sign}", self.show(pair)))
            }
            View::Family(..) => d.write_instead(format!("{name}{sign}")),
            _ => d.help(format!(
                "a {verb} takes the {} part of a key pair, such as `K(A){sign}`",
                if part == Part::Public {
                    "public"
                } else {
                    "private"
                }
            )),
        };
        self.sink.push(d);
    }

    /// `case x of {[p]}K+`: the wrong part in the bracketed forms, which take any key. Returns whether
    /// it was reported.
    pub(super) fn check_opener(&mut self, key: TermId, span: Span, part: Part) -> bool {
        let name = self.show(key);
        let d = match (self.store.view(key), part) {
            (View::Pub(pair), Part::Private) => Diagnostic::new(
                Code::ImpossibleDecryption,
                "this decryption uses the wrong part of the key pair",
            )
            .at(span, "the public part encrypts, it cannot decrypt")
            .write_instead(format!("{}-", self.show(pair))),
            (View::Priv(pair), Part::Public) => Diagnostic::new(
                Code::ImpossibleDecryption,
                "this signature check uses the wrong part of the key pair",
            )
            .at(
                span,
                "the private part signs; a signature is checked with the public part",
            )
            .write_instead(format!("{}+", self.show(pair))),
            (View::Family(..), _) => Diagnostic::new(
                Code::ImpossibleDecryption,
                format!("`{name}` is not a part of a key pair"),
            )
            .at(span, "this key can open nothing here")
            .write_instead(format!(
                "{name}{}",
                if part == Part::Public { '+' } else { '-' }
            )),
            _ => return false,
        };
        self.sink.push(d);
        true
    }

    /// A key written as a plain variable of no declared type makes the encryption symmetric; fresh names are symmetric keys.
    pub(super) fn note_symmetric(&mut self, key: TermId, span: Span) {
        if let View::Var(v) = self.store.view(key)
            && self.tables.origins[v as usize] != Origin::Restricted
            && self.program.vars[v as usize].ty == Type::Msg
        {
            self.symmetric_keys.entry(v).or_insert(span);
        }
    }

    /// Reports parts of key pairs given to parameters that are used as symmetric keys.
    pub(super) fn check_key_arguments(&mut self) {
        for (param, arg, span) in std::mem::take(&mut self.key_arguments) {
            let Some(&place) = self.symmetric_keys.get(&param) else {
                continue;
            };
            let name = self.program.vars[param as usize].label.clone();
            let (shown, known) = (self.show(arg), self.known_of(arg));
            let ty = if known == Known::PublicPart {
                "Pub"
            } else {
                "Priv"
            };
            self.sink.push(
                Diagnostic::new(
                    Code::TypeMismatch,
                    format!(
                        "`{shown}` is {}, but `{name}` is used as a symmetric key",
                        self.describe(arg)
                    ),
                )
                .at(span, format!("given for the parameter `{name}`"))
                .and(
                    place,
                    format!("`{name}` has no type, so this is symmetric encryption"),
                )
                .help(format!("declare the parameter as `{name}: {ty}`"))
                .repair(Spot::At(place), format!("{name}: {ty}")),
            );
        }
    }
}
