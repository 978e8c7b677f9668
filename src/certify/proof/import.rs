//! The certificate's clauses in the checker's terms, and what each clause must be by itself.

use super::certificate::{Certificate, Entry, Head, Kind};
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
                Head::Fact(Kind::Attacker) => entry.args.len() == 1,
                Head::Fact(Kind::Message | Kind::Received) => entry.args.len() == 2,
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
        let mut fact = |entry: Entry| {
            let head = self.certificate.entries.get(entry.0 as usize);
            match head.map(|e| e.head) {
                Some(Head::Fact(_)) => Ok(self.entry(terms, entry, apart)),
                _ => Err(ProofError::NoClause { clause: number }),
            }
        };
        let conclusion = fact(written.conclusion)?;
        let conditions = written.conditions.iter().map(|c| fact(*c));
        let conditions = conditions.collect::<Result<Vec<_>, _>>()?;
        Ok(Clause::new(terms, conditions, conclusion))
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
        Some(Kind::Message | Kind::After | Kind::Goal) => true,
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
        Some(Kind::Message | Kind::After | Kind::Goal) => true,
        Some(Kind::Before | Kind::Received) | None => false,
    }
}
