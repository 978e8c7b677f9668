//! What the attacker has from the start, whatever happens: public names and what is composed of them.

use super::Options;
use super::clause::{Clause, Fact, Kind};
use super::terms::{Args, Term, Terms};
use crate::term::{FamilyId, FamilyKind, NameId, Op, TermStore};
use smallvec::smallvec;

/// The names and families that the attacker can use.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub store: &'a TermStore,
    /// What clauses are made simpler by.
    pub options: Options,
}

impl Known<'_> {
    fn is_public(&self, name: NameId) -> bool {
        self.store.name_info(name).class.is_public()
    }

    fn is_spy(&self, terms: &Terms, t: Term) -> bool {
        matches!(terms.op(t), Op::Name(n) if self.store.name_info(n).class == crate::term::NameClass::Spy)
    }

    fn is_pairs(&self, family: FamilyId) -> bool {
        self.store.family_info(family).kind == FamilyKind::KeyPair
    }

    /// Whether the attacker composes the term of public names alone [Sem 1.2].
    pub fn has(&self, terms: &Terms, t: Term) -> bool {
        if !terms.is_ground(t) {
            return false;
        }
        let all = |args: &[Term]| args.iter().all(|a| self.has(terms, *a));
        let args = terms.args(t);
        match terms.op(t) {
            Op::Zero => true,
            Op::Name(n) => self.is_public(n),
            Op::Var(_) | Op::Generic(_) | Op::Index(_) => false,
            Op::Family(_) => args.iter().any(|a| self.is_spy(terms, *a)) && all(args),
            Op::Pub => match terms.op(args[0]) {
                Op::Family(f) if self.is_pairs(f) => all(terms.args(args[0])),
                _ => all(args),
            },
            Op::Suc | Op::Tuple | Op::Hash | Op::Senc | Op::Priv | Op::Aenc | Op::Sign => all(args),
        }
    }

    /// What the attacker can do with terms [Sem 1.2, 1.3], tuples and successors aside.
    pub fn abilities(
        &self,
        terms: &mut Terms,
        families: &[FamilyId],
        spies: &[Term],
    ) -> Vec<Clause> {
        let mut found = Vec::new();
        let (x, y) = (terms.var(0), terms.var(1));
        let have =
            |args: &[Term]| -> Vec<Fact> { args.iter().map(|t| Fact::attacker(*t)).collect() };
        for op in [Op::Hash, Op::Pub, Op::Priv] {
            let made = terms.make(op, smallvec![x]);
            found.extend(Clause::simple(
                terms,
                self,
                have(&[x]),
                Fact::attacker(made),
            ));
        }
        for op in [Op::Senc, Op::Aenc, Op::Sign] {
            let made = terms.make(op, smallvec![x, y]);
            found.extend(Clause::simple(
                terms,
                self,
                have(&[x, y]),
                Fact::attacker(made),
            ));
        }
        let (public, private) = (
            terms.make(Op::Pub, smallvec![y]),
            terms.make(Op::Priv, smallvec![y]),
        );
        for (op, lock, key) in [
            (Op::Senc, y, y),
            (Op::Aenc, public, private),
            (Op::Sign, private, public),
        ] {
            let locked = terms.make(op, smallvec![x, lock]);
            found.extend(Clause::simple(
                terms,
                self,
                have(&[locked, key]),
                Fact::attacker(x),
            ));
        }
        // On a channel that the attacker has it hears and speaks.
        let message = |kind| Fact {
            kind,
            args: smallvec![x, y],
        };
        let heard = vec![message(Kind::Message), Fact::attacker(x)];
        found.extend(Clause::simple(terms, self, heard, Fact::attacker(y)));
        found.extend(Clause::simple(
            terms,
            self,
            have(&[x, y]),
            message(Kind::Message),
        ));
        for family in families {
            let arity = self.store.family_info(*family).arity;
            let args: Args = (0..arity).map(|i| terms.var(i)).collect();
            if self.is_pairs(*family) {
                let member = terms.make(Op::Family(*family), args.clone());
                let part = terms.make(Op::Pub, smallvec![member]);
                found.extend(Clause::simple(
                    terms,
                    self,
                    have(&args),
                    Fact::attacker(part),
                ));
            }
            for i in 0..args.len() {
                for spy in spies {
                    let mut args = args.clone();
                    args[i] = *spy;
                    let member = terms.make(Op::Family(*family), args.clone());
                    found.extend(Clause::simple(
                        terms,
                        self,
                        have(&args),
                        Fact::attacker(member),
                    ));
                }
            }
        }
        found
    }
}
