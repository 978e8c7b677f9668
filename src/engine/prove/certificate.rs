//! A saturated set of clauses as a certificate, which is checked without anything of this layer.

use super::Detail;
use super::clause::{Clause, Fact, Kind};
use super::names::Origin;
use super::terms::{Term, Terms};
use super::widen::Cut;
use crate::certify::proof::{self, Certificate, Entry, Head};
use crate::process::StepId;
use crate::term::{NameId, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// Writes the clauses down.
pub(super) fn certificate(
    terms: &Terms,
    detail: Detail,
    origins: &FxHashMap<NameId, Origin>,
    kept: &[Clause],
    cuts: &[Cut],
) -> Certificate {
    let functions = origins.iter().filter(|(_, o)| o.inputs > 0);
    let mut writer = Writer {
        terms,
        written: FxHashMap::default(),
        certificate: Certificate {
            received: detail == Detail::Received,
            inputs: functions.map(|(name, o)| (*name, o.inputs)).collect(),
            ..Certificate::default()
        },
    };
    for clause in kept {
        let clause = writer.clause(clause);
        writer.certificate.clauses.push(clause);
    }
    for cut in cuts {
        let cut = proof::Cut {
            clause: writer.clause(&cut.clause),
            part: writer.fact(&cut.part),
            hole: writer.fact(&cut.hole),
            context: writer.fact(&cut.context),
        };
        writer.certificate.cuts.push(cut);
    }
    writer.certificate
}

struct Writer<'a> {
    terms: &'a Terms,
    written: FxHashMap<Term, Entry>,
    certificate: Certificate,
}

impl Writer<'_> {
    fn clause(&mut self, clause: &Clause) -> proof::Clause {
        proof::Clause {
            conditions: clause.conditions.iter().map(|f| self.fact(f)).collect(),
            conclusion: self.fact(&clause.conclusion),
            selected: clause.selected,
        }
    }

    fn fact(&mut self, fact: &Fact) -> Entry {
        let kind = match fact.kind {
            Kind::Attacker => proof::Kind::Attacker,
            Kind::Message => proof::Kind::Message,
            Kind::After => proof::Kind::After,
            Kind::Before => proof::Kind::Before,
            Kind::Received => proof::Kind::Received,
            Kind::Part => proof::Kind::Part,
            Kind::Goal => proof::Kind::Goal,
        };
        let args = fact.args.iter().map(|t| self.term(*t)).collect();
        self.certificate.write(Head::Fact(kind), args)
    }

    fn term(&mut self, t: Term) -> Entry {
        if let Some(entry) = self.written.get(&t) {
            return *entry;
        }
        let args: SmallVec<[Entry; 3]> = self.terms.args(t).iter().map(|a| self.term(*a)).collect();
        let head = match self.terms.op(t) {
            Op::Var(v) => Head::Variable(v),
            Op::Index(step) => Head::Place(StepId(step)),
            op => Head::Operator(op),
        };
        let entry = self.certificate.write(head, args);
        self.written.insert(t, entry);
        entry
    }
}
