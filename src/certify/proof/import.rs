//! The certificate's clauses in the checker's terms, and what each clause must be by itself.

use super::certificate::{self, Certificate, Entry, Head, Kind};
use super::error::ProofError;
use super::subsume::Clause;
use super::terms::{Term, Terms};
use crate::term::Op;

/// How deep a term may be, and how many variables a clause may have.
const DEEPEST: u32 = 2_500;
const VARIABLES: u32 = 100_000;

/// Whose variables are to be kept apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Apart {
    /// Variables as they are written.
    One,
    /// Others: above all that are written.
    Other,
}

/// A cut in the checker's terms.
pub(super) struct Cut {
    pub clause: Clause,
    pub part: Term,
    pub hole: Term,
    pub context: Term,
}

/// Reads a certificate that is not believed.
pub(super) struct Reader<'c> {
    certificate: &'c Certificate,
    /// More than all variables of the certificate.
    above: u32,
    one: Vec<Option<Term>>,
    other: Vec<Option<Term>>,
}

impl<'c> Reader<'c> {
    pub fn new(certificate: &'c Certificate) -> Result<Self, ProofError> {
        let mut above = 0;
        let mut depths: Vec<u32> = Vec::with_capacity(certificate.entries.len());
        for (i, entry) in (0u32..).zip(&certificate.entries) {
            let malformed = ProofError::Malformed { entry: i };
            let mut depth = 0;
            for arg in &entry.args {
                let below = depths.get(arg.0 as usize).ok_or(malformed)?;
                let of = certificate.entries[arg.0 as usize].head;
                if matches!(of, Head::Fact(_)) {
                    return Err(malformed);
                }
                depth = depth.max(below + 1);
            }
            let right = match entry.head {
                Head::Variable(v) => {
                    above = above.max(v.saturating_add(1));
                    v < VARIABLES && entry.args.is_empty()
                }
                // Variables and what stands for many terms have no place among operators.
                Head::Operator(op) => !matches!(op, Op::Var(_) | Op::Generic(_) | Op::Index(_)),
                // With a time, or without.
                Head::Fact(Kind::Attacker) => (1..=2).contains(&entry.args.len()),
                Head::Fact(Kind::Message) => (2..=3).contains(&entry.args.len()),
                Head::Fact(Kind::Received | Kind::Part) => entry.args.len() == 2,
                Head::Fact(Kind::After | Kind::Before | Kind::Goal) | Head::Place(_) => true,
            };
            if !right || depth > DEEPEST {
                return Err(malformed);
            }
            depths.push(depth);
        }
        let none = vec![None; certificate.entries.len()];
        Ok(Self {
            certificate,
            above,
            one: none.clone(),
            other: none,
        })
    }

    /// The clause of this number.
    pub fn clause(
        &mut self,
        terms: &mut Terms<'_>,
        number: usize,
        apart: Apart,
    ) -> Result<Clause, ProofError> {
        let written = &self.certificate.clauses[number];
        let clause = self.written(terms, written, apart);
        clause.ok_or(ProofError::NoClause { clause: number })
    }

    /// How many cuts there are.
    pub fn cuts(&self) -> usize {
        self.certificate.cuts.len()
    }

    /// The cut of this number, with variables that no clause with a selected condition has.
    pub fn cut(&mut self, terms: &mut Terms<'_>, number: usize) -> Result<Cut, ProofError> {
        let written = &self.certificate.cuts[number];
        let mut read = || {
            Some(Cut {
                clause: self.written(terms, &written.clause, Apart::Other)?,
                part: self.fact(terms, written.part, Apart::Other)?,
                hole: self.fact(terms, written.hole, Apart::Other)?,
                context: self.fact(terms, written.context, Apart::Other)?,
            })
        };
        let cut = read().filter(|_| written.clause.selected.is_none());
        cut.ok_or(ProofError::Cut { cut: number })
    }

    /// A clause; `None` if a part of it is no fact.
    fn written(
        &mut self,
        terms: &mut Terms<'_>,
        written: &certificate::Clause,
        apart: Apart,
    ) -> Option<Clause> {
        let conclusion = self.fact(terms, written.conclusion, apart)?;
        let conditions = written.conditions.iter();
        let conditions: Option<Vec<Term>> =
            conditions.map(|c| self.fact(terms, *c, apart)).collect();
        Some(Clause::new(terms, conditions?, conclusion))
    }

    fn fact(&mut self, terms: &mut Terms<'_>, entry: Entry, apart: Apart) -> Option<Term> {
        let written = self.certificate.entries.get(entry.0 as usize)?;
        matches!(written.head, Head::Fact(_)).then(|| self.entry(terms, entry, apart))
    }

    fn entry(&mut self, terms: &mut Terms<'_>, entry: Entry, apart: Apart) -> Term {
        let i = entry.0 as usize;
        let known = match apart {
            Apart::One => self.one[i],
            Apart::Other => self.other[i],
        };
        if let Some(t) = known {
            return t;
        }
        let written = &self.certificate.entries[i];
        let t = match (written.head, apart) {
            (Head::Variable(v), Apart::Other) => terms.variable(self.above + v),
            (head, _) => {
                let args: smallvec::SmallVec<[Term; 4]> = written
                    .args
                    .iter()
                    .map(|a| self.entry(terms, *a, apart))
                    .collect();
                terms.make(head, &args)
            }
        };
        match apart {
            Apart::One => self.one[i] = Some(t),
            Apart::Other => self.other[i] = Some(t),
        }
        t
    }
}

/// Whether the condition can be true only as the conclusion of a clause: then it may be selected. The attacker may have a variable's value or what
/// falls apart in other ways, and 0 and public names without any; what was received and earlier events are as they are.
pub(super) fn may_be_selected(terms: &Terms<'_>, fact: Term) -> bool {
    match terms.kind(fact) {
        Some(Kind::Attacker) => {
            let t = terms.arg(fact, 0);
            terms.as_variable(t).is_none() && !terms.falls_apart(t) && !terms.is_free(t)
        }
        Some(Kind::Message | Kind::After | Kind::Goal | Kind::Part) => true,
        Some(Kind::Before | Kind::Received) | None => false,
    }
}

/// Whether the conclusion is one that a clause may decide by itself: not of any form, nor what its parts decide, nor what is
/// as it is.
pub(super) fn may_be_concluded(terms: &Terms<'_>, fact: Term) -> bool {
    match terms.kind(fact) {
        Some(Kind::Attacker) => {
            let t = terms.arg(fact, 0);
            terms.as_variable(t).is_none() && !terms.falls_apart(t)
        }
        Some(Kind::Message | Kind::After | Kind::Goal | Kind::Part) => true,
        Some(Kind::Before | Kind::Received) | None => false,
    }
}
