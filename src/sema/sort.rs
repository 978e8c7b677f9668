//! Types of terms, as far as they can be read off.
//!
//! A declared type is a promise about a name or variable; the shape of a compound term is a fact.
//! Where a type is demanded and another one found, it is a *contradiction* if no value can be both
//! (a public key is no nonce, nothing but an agent is an agent) and a *mismatch* if the demand is a
//! matter of use (a nonce that serves as a key is still a name).

use super::Checker;
use crate::process::Type;
use crate::source::{Code, Diagnostic, Span};
use crate::term::{FamilyKind, TermId, View};

/// What a term is known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    /// Anything.
    Any,
    /// A name or variable with a declared type.
    Declared(Type),
    /// `M+`
    PublicPart,
    /// `M-`
    PrivatePart,
    /// A member of a family of symmetric keys.
    SymmetricKey,
    /// A key pair without a sign.
    KeyPair,
    /// `0` or `suc(M)`
    Integer,
    /// `(M, N)`
    Tuple,
    /// `H(M)`
    Hash,
    /// Any encryption or signature.
    Cipher,
}

/// How a term and a demanded type go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// They do.
    Fits,
    /// A doubtful use.
    Mismatch,
    /// Impossible.
    Contradiction,
}

impl Sort {
    /// What it is, in words with an article.
    pub(super) fn describe(self) -> String {
        match self {
            Sort::Any => "a message".into(),
            Sort::Declared(ty) => format!("of type `{}`", ty.label()),
            Sort::PublicPart => "a public key (`Pub`)".into(),
            Sort::PrivatePart => "a private key (`Priv`)".into(),
            Sort::SymmetricKey => "a symmetric key (`Sym`)".into(),
            Sort::KeyPair => "a whole key pair".into(),
            Sort::Integer => "an integer (`Int`)".into(),
            Sort::Tuple => "a tuple".into(),
            Sort::Hash => "a hash".into(),
            Sort::Cipher => "an encrypted message".into(),
        }
    }

    /// Whether a term of this sort may stand where `wanted` is declared.
    pub(super) fn fit(self, wanted: Type) -> Fit {
        use Type::{Data, Int, Msg, Name, Nonce, Priv, Pub, Sym};
        let found = match self {
            Sort::Any => return Fit::Fits,
            Sort::Declared(ty) => ty,
            Sort::PublicPart => Pub,
            Sort::PrivatePart => Priv,
            Sort::SymmetricKey => Sym,
            Sort::Integer => Int,
            Sort::Tuple | Sort::Hash | Sort::Cipher => {
                return match wanted {
                    Msg => Fit::Fits,
                    Sym | Data => Fit::Mismatch,
                    _ => Fit::Contradiction,
                };
            }
            Sort::KeyPair => {
                return match wanted {
                    Msg => Fit::Fits,
                    _ => Fit::Contradiction,
                };
            }
        };
        let plain = |ty| matches!(ty, Nonce | Name | Sym | Data);
        if found == wanted || wanted == Msg || found == Msg {
            Fit::Fits
        } else if plain(wanted) && (plain(found) || (found == Int && wanted != Name)) {
            Fit::Mismatch
        } else {
            Fit::Contradiction
        }
    }
}

/// Who demands a type, for the message.
pub(super) struct Demand<'a> {
    /// The type.
    pub ty: Type,
    /// Where it is declared.
    pub span: Span,
    /// What is declared with it there, such as "the parameter `n` of `Init`".
    pub what: &'a str,
}

impl Checker<'_> {
    /// What a term is known to be.
    pub(super) fn sort_of(&self, t: TermId) -> Sort {
        let declared = |ty| match ty {
            Type::Msg => Sort::Any,
            ty => Sort::Declared(ty),
        };
        match self.store.view(t) {
            View::Var(v) => declared(self.program.vars[v as usize].ty),
            View::Name(_) => declared(self.tables.types.get(&t).copied().unwrap_or_default()),
            View::Pub(_) => Sort::PublicPart,
            View::Priv(_) => Sort::PrivatePart,
            View::Family(f, _) => match self.store.family_info(f).kind {
                FamilyKind::KeyPair => Sort::KeyPair,
                FamilyKind::Symmetric => Sort::SymmetricKey,
            },
            View::Zero | View::Suc(_) => Sort::Integer,
            View::Tuple(_) => Sort::Tuple,
            View::Hash(_) => Sort::Hash,
            View::Senc(..) | View::Aenc(..) | View::Sign(..) => Sort::Cipher,
            View::Generic(_) | View::Index(_) => Sort::Any,
        }
    }

    /// Where the type of a name or variable was declared.
    pub(super) fn declared_at(&self, t: TermId) -> Option<Span> {
        match self.store.view(t) {
            View::Var(v) => Some(self.program.vars[v as usize].span),
            View::Name(_) => self.tables.globals.of_term(t).map(|g| g.span),
            _ => None,
        }
    }

    /// Reports a term that does not have the demanded type.
    pub(super) fn demand(&mut self, found: TermId, span: Span, demand: &Demand<'_>) {
        let sort = self.sort_of(found);
        let (code, verb) = match sort.fit(demand.ty) {
            Fit::Fits => return,
            Fit::Mismatch => (Code::TypeMismatch, "should be"),
            Fit::Contradiction => (Code::TypeContradiction, "must be"),
        };
        let (wanted, shown) = (demand.ty.label(), self.show(found));
        let mut d = Diagnostic::new(
            code,
            format!("`{shown}` is {}, not of type `{wanted}`", sort.describe()),
        )
        .at(
            span,
            format!("this is {}, but {verb} `{wanted}`", sort.describe()),
        )
        .and(demand.span, format!("{} has type `{wanted}`", demand.what));
        if let (Sort::Declared(ty), Some(place)) = (sort, self.declared_at(found))
            && place != span
        {
            d = d.and(
                place,
                format!("`{shown}` is declared `{}` here", ty.label()),
            );
        }
        d = match sort {
            Sort::KeyPair => d.help(format!(
                "`{shown}` is both parts together: write `{shown}+` for the public and `{shown}-` for the private one"
            )),
            _ if code == Code::TypeMismatch => d.note(
                "without `--typed` types are documentation; with it, the attacker sends only messages of the declared types",
            ),
            _ => d.help("change the argument, or declare the type `Msg` to allow any message"),
        };
        self.sink.push(d);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_agents_are_agents_and_names_may_serve_as_keys() {
        assert_eq!(
            Sort::Declared(Type::Nonce).fit(Type::Agent),
            Fit::Contradiction
        );
        assert_eq!(
            Sort::Declared(Type::Agent).fit(Type::Nonce),
            Fit::Contradiction
        );
        assert_eq!(Sort::Declared(Type::Nonce).fit(Type::Sym), Fit::Mismatch);
        assert_eq!(Sort::PublicPart.fit(Type::Nonce), Fit::Contradiction);
        assert_eq!(Sort::PublicPart.fit(Type::Pub), Fit::Fits);
        assert_eq!(Sort::Hash.fit(Type::Sym), Fit::Mismatch);
        for sort in [Sort::Any, Sort::Tuple, Sort::KeyPair] {
            assert_eq!(sort.fit(Type::Msg), Fit::Fits);
        }
    }
}
