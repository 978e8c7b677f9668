//! What the attacker has from the start, whatever happens: public names and what is composed of them.

use super::Options;
use super::clause::{Clause, Fact, Kind};
use super::terms::{Args, Term, Terms};
use super::times::Times;
use crate::process::Signature;
use crate::term::{
    Arity, Composed, FamilyId, FamilyKind, Key, NameId, Op, Opened, RULE, TermId, TermStore,
};
use smallvec::smallvec;

/// The variable for the time at which something is done: none of those for what is done with.
const TIME: u32 = 1 << 12;

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

    fn is_private(&self, op: Op) -> bool {
        matches!(op, Op::Function(f) if self.store.function_info(f).private)
    }

    fn is_pairs(&self, family: FamilyId) -> bool {
        self.store.family_info(family).kind == FamilyKind::KeyPair
    }

    /// Whether the attacker composes the term of public names alone [Sem 1.2].
    pub(super) fn has(&self, terms: &Terms, t: Term) -> bool {
        if !terms.is_ground(t) {
            return false;
        }
        let all = |args: &[Term]| args.iter().all(|a| self.has(terms, *a));
        let args = terms.args(t);
        match terms.op(t).row().composed {
            Composed::Freely => true,
            Composed::IfPublic => matches!(terms.op(t), Op::Name(n) if self.is_public(n)),
            Composed::Never => false,
            Composed::IfSpy => args.iter().any(|a| self.is_spy(terms, *a)) && all(args),
            Composed::PublicPart => match terms.op(args[0]) {
                Op::Family(f) if self.is_pairs(f) => all(terms.args(args[0])),
                _ => all(args),
            },
            Composed::FromArguments | Composed::EitherWay => all(args),
            Composed::UnlessPrivate => !self.is_private(terms.op(t)) && all(args),
        }
    }

    /// A term of a rule; its variables are those of the clause.
    fn form(&self, terms: &mut Terms, t: TermId) -> Term {
        let node = self.store.node(t);
        if let Op::Var(v) = node.op {
            return terms.var(v - RULE);
        }
        let args: Args = node.args.iter().map(|a| self.form(terms, *a)).collect();
        terms.make(node.op, args)
    }

    /// What the attacker can do with terms [Sem 1.2, 1.3], tuples and successors aside.
    pub(super) fn abilities(
        &self,
        terms: &mut Terms,
        signature: &Signature,
        spies: &[Term],
        times: Times,
    ) -> Vec<Clause> {
        let mut found = Vec::new();
        let (x, y) = (terms.var(0), terms.var(1));
        // At any one time. Nothing that is applied has so many arguments.
        let time = times.since(terms, 0, TIME);
        let had = |t: Term| Fact::attacker(t).at(time);
        let have = |args: &[Term]| -> Vec<Fact> { args.iter().map(|t| had(*t)).collect() };
        for op in Op::FIXED {
            let row = op.row();
            let (Arity::Exactly(count @ 1..), false) = (row.arity, row.opened == Opened::Freely)
            else {
                continue;
            };
            if matches!(op, Op::Share | Op::Joint) {
                continue;
            }
            let args: Args = (0..count).map(|v| terms.var(v)).collect();
            let made = terms.make(*op, args.clone());
            found.extend(Clause::simple(terms, self, have(&args), had(made)));
        }
        for op in Op::FIXED {
            let (lock, key) = match op.row().opened {
                Opened::Never | Opened::Freely => continue,
                Opened::With(Key::Same) => (y, y),
                Opened::With(Key::Counterpart { lock, key }) => {
                    let [lock, key] = [lock, key].map(|part| terms.make(part, smallvec![y]));
                    (lock, key)
                }
            };
            let locked = terms.make(*op, smallvec![x, lock]);
            found.extend(Clause::simple(terms, self, have(&[locked, key]), had(x)));
        }
        // On a channel that the attacker has it hears and speaks, in each phase. With phases, what it hears is said where it is sent.
        for phase in times.phases() {
            let within = times.within(terms, phase);
            let now = |t: Term| Fact::attacker(t).at(within);
            let message = Fact {
                kind: Kind::Message,
                args: smallvec![x, y],
            };
            let message = message.at(within);
            if within.is_none() {
                let heard = vec![message.clone(), now(x)];
                found.extend(Clause::simple(terms, self, heard, now(y)));
            }
            let spoken = vec![now(x), now(y)];
            found.extend(Clause::simple(terms, self, spoken, message));
        }
        for function in &signature.functions {
            let op = Op::Function(function.id);
            if self.is_private(op) {
                continue;
            }
            let arity = self.store.function_info(function.id).arity;
            let args: Args = (0..arity).map(|i| terms.var(i)).collect();
            let made = terms.make(op, args.clone());
            found.extend(Clause::simple(terms, self, have(&args), had(made)));
        }
        for rule in signature.destructors.iter().flat_map(|d| &d.rules) {
            let args: Vec<Term> = rule.premises.iter().map(|t| self.form(terms, *t)).collect();
            let given = self.form(terms, rule.result);
            let given = had(given);
            found.extend(Clause::simple(terms, self, have(&args), given));
        }
        for group in &signature.groups {
            let base = self.form(terms, group.base);
            let [of_x, of_y] = [x, y].map(|e| terms.make(Op::Share, smallvec![base, e]));
            found.extend(Clause::simple(terms, self, have(&[x]), had(of_x)));
            // Both orders of the exponents.
            for args in [[of_x, y], [of_y, x]] {
                let key = terms.make(Op::Joint, args.into_iter().collect());
                let given = had(key);
                found.extend(Clause::simple(terms, self, have(&[of_x, y]), given));
            }
        }
        for family in &signature.families {
            let arity = self.store.family_info(*family).arity;
            let args: Args = (0..arity).map(|i| terms.var(i)).collect();
            if self.is_pairs(*family) {
                let member = terms.make(Op::Family(*family), args.clone());
                let part = terms.make(Op::Pub, smallvec![member]);
                found.extend(Clause::simple(terms, self, have(&args), had(part)));
            }
            for i in 0..args.len() {
                for spy in spies {
                    let mut args = args.clone();
                    args[i] = *spy;
                    let member = terms.make(Op::Family(*family), args.clone());
                    found.extend(Clause::simple(terms, self, have(&args), had(member)));
                }
            }
        }
        found
    }
}
