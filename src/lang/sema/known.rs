//! Types of terms, as far as they can be read off.
//!
//! A declared type is a promise about a name or variable; the shape of a compound term is a fact.
//! Where a type is demanded and another one found, it is a *contradiction* if no value can be both
//! (a public key is no nonce, nothing but an agent is an agent) and a *mismatch* if the demand is a
//! matter of use (a nonce that serves as a key is still a name).

use super::Checker;
use crate::base::source::{Code, Diagnostic, Span};
use crate::process::{SortId, Type};
use crate::term::{FamilyKind, TermId, View};

/// What a term is known to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
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
    /// What a function makes.
    Made,
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

impl Known {
    /// Whether it is an agent, of whatever sort.
    pub(super) fn is_agent(self) -> bool {
        matches!(self, Known::Declared(ty) if ty.is_agent())
    }

    /// What it is, in words with an article; of a declared type `label` is the name.
    fn describe(self, label: &str) -> String {
        match self {
            Known::Any => "a message".into(),
            Known::Declared(_) => format!("of type `{label}`"),
            Known::PublicPart => "a public key (`Pub`)".into(),
            Known::PrivatePart => "a private key (`Priv`)".into(),
            Known::SymmetricKey => "a symmetric key (`Sym`)".into(),
            Known::KeyPair => "a whole key pair".into(),
            Known::Integer => "an integer (`Int`)".into(),
            Known::Tuple => "a tuple".into(),
            Known::Hash => "a hash".into(),
            Known::Made => "made by a function".into(),
            Known::Cipher => "an encrypted message".into(),
        }
    }

    /// Whether it may stand where `wanted` is declared, sorts of agents apart.
    fn fit(self, wanted: Type) -> Fit {
        use Type::{Data, Int, Msg, Name, Nonce, Priv, Pub, Sym};
        let found = match self {
            Known::Any => return Fit::Fits,
            Known::Declared(ty) => ty,
            Known::PublicPart => Pub,
            Known::PrivatePart => Priv,
            Known::SymmetricKey => Sym,
            Known::Integer => Int,
            Known::Tuple | Known::Hash | Known::Made | Known::Cipher => {
                return match wanted {
                    Msg => Fit::Fits,
                    Sym | Data => Fit::Mismatch,
                    _ => Fit::Contradiction,
                };
            }
            Known::KeyPair => {
                return match wanted {
                    Msg => Fit::Fits,
                    _ => Fit::Contradiction,
                };
            }
        };
        let plain = |ty| matches!(ty, Nonce | Name | Sym | Data);
        let agents = found.is_agent() && wanted.is_agent();
        if found == wanted || agents || wanted == Msg || found == Msg {
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
    pub(super) fn known_of(&self, t: TermId) -> Known {
        let declared = |ty| match ty {
            Type::Msg => Known::Any,
            ty => Known::Declared(ty),
        };
        match self.store.view(t) {
            View::Var(v) => declared(self.program.vars[v as usize].ty),
            View::Name(_) => declared(self.tables.types.get(&t).copied().unwrap_or_default()),
            View::Pub(_) => Known::PublicPart,
            View::Priv(_) => Known::PrivatePart,
            View::Family(f, _) => match self.store.family_info(f).kind {
                FamilyKind::KeyPair => Known::KeyPair,
                FamilyKind::Symmetric => Known::SymmetricKey,
            },
            View::Zero | View::Suc(_) => Known::Integer,
            View::Tuple(_) => Known::Tuple,
            View::Hash(_) => Known::Hash,
            View::Function(f, _) => {
                let functions = self.program.signature.functions.iter();
                let mut declared_as = functions.filter(|d| d.id == f).map(|d| d.result);
                match declared_as.next() {
                    None | Some(Type::Msg) => Known::Made,
                    Some(ty) => Known::Declared(ty),
                }
            }
            View::Share(..) => Known::Declared(Type::Share),
            View::Joint(..) => Known::SymmetricKey,
            View::Senc(..) | View::Aenc(..) | View::Sign(..) => Known::Cipher,
            View::Generic(_) | View::Index(_) => Known::Any,
            #[cfg(test)]
            View::Mac(..) => Known::Made,
        }
    }

    /// Whether a term may stand where a type is declared. An agent of another sort may not; where one is received or handed over as any
    /// agent, or as one of a sort that has members in common, it may be the right one.
    pub(super) fn fit(&self, t: TermId, wanted: Type) -> Fit {
        let known = self.known_of(t);
        let (Type::Sort(sort), Known::Declared(found)) = (wanted, known) else {
            return known.fit(wanted);
        };
        let signature = &self.program.signature;
        let members = |id: SortId| &signature.sorts[id.index()].members;
        match found {
            Type::Agent if signature.everybody().any(|a| a == t) => {
                if members(sort).contains(&t) {
                    Fit::Fits
                } else {
                    Fit::Contradiction
                }
            }
            Type::Agent => Fit::Mismatch,
            Type::Sort(other) if other == sort => Fit::Fits,
            Type::Sort(other) if members(other).iter().any(|a| members(sort).contains(a)) => {
                Fit::Mismatch
            }
            Type::Sort(_) => Fit::Contradiction,
            _ => known.fit(wanted),
        }
    }

    /// A type as it is written.
    pub(super) fn type_label(&self, ty: Type) -> &str {
        self.program.signature.type_label(ty)
    }

    /// What a term is, in words with an article.
    pub(super) fn describe(&self, t: TermId) -> String {
        let known = self.known_of(t);
        let signature = &self.program.signature;
        let Known::Declared(ty) = known else {
            return known.describe("");
        };
        let sorts = signature.sorts_of(t);
        let restricted = !sorts.is_empty() && sorts.len() < signature.sorts.len();
        if ty == Type::Agent && restricted {
            let labels = sorts.iter().map(|s| self.type_label(Type::Sort(*s)));
            let labels: Vec<&str> = labels.collect();
            return format!("an agent of sort `{}`", labels.join("`, `"));
        }
        known.describe(self.type_label(ty))
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
        let (known, said) = (self.known_of(found), self.describe(found));
        let (code, verb) = match self.fit(found, demand.ty) {
            Fit::Fits => return,
            Fit::Mismatch => (Code::TypeMismatch, "should be"),
            Fit::Contradiction => (Code::TypeContradiction, "must be"),
        };
        let (wanted, shown) = (self.type_label(demand.ty), self.show(found));
        let mut d = Diagnostic::new(code, format!("`{shown}` is {said}, not of type `{wanted}`"))
            .at(span, format!("this is {said}, but {verb} `{wanted}`"))
            .and(demand.span, format!("{} has type `{wanted}`", demand.what));
        if let (Known::Declared(ty), Some(place)) = (known, self.declared_at(found))
            && place != span
        {
            let label = self.type_label(ty);
            d = d.and(
                place,
                if said.starts_with("of type") {
                    format!("`{shown}` is declared `{label}` here")
                } else {
                    format!("`{shown}` is declared as {said} here")
                },
            );
        }
        d = match known {
            Known::KeyPair => d
                .help(format!(
                "`{shown}` is both parts together: write `{shown}+` for the public and `{shown}-` for the private one"
                ))
                .instead(format!("{shown}+"))
                .instead(format!("{shown}-")),
            _ if demand.ty.is_agent() && known.is_agent() => d.help(format!(
                "change the argument or its sort, or declare the type `Agent` instead of `{wanted}` to allow every agent"
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
            Known::Declared(Type::Nonce).fit(Type::Agent),
            Fit::Contradiction
        );
        assert_eq!(
            Known::Declared(Type::Agent).fit(Type::Nonce),
            Fit::Contradiction
        );
        assert_eq!(Known::Declared(Type::Nonce).fit(Type::Sym), Fit::Mismatch);
        assert_eq!(Known::PublicPart.fit(Type::Nonce), Fit::Contradiction);
        assert_eq!(Known::PublicPart.fit(Type::Pub), Fit::Fits);
        assert_eq!(Known::Hash.fit(Type::Sym), Fit::Mismatch);
        for known in [Known::Any, Known::Tuple, Known::KeyPair] {
            assert_eq!(known.fit(Type::Msg), Fit::Fits);
        }
    }
}
