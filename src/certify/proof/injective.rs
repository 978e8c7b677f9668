//! Injective agreement: different later events have different earlier ones.
//!
//! For each clause that derives the later event one of its earlier events is chosen. If any two later events are at the same
//! place of the same run whenever all arguments of the chosen earlier events are equal, then later events that are two have
//! chosen two: a step happens once in a run, so what is at the same place is the same event. Both later events are
//! in one run of the system, so what both clauses say was received at one place is equal.

use super::certificate::Kind;
use super::closure::Closure;
use super::error::ProofError;
use super::import::{Apart, Reader};
use super::subsume::Clause;
use super::terms::Term;

/// Checks the clauses that derive the later event, each with the conditions that are its earlier event.
pub(super) fn injective(
    closure: &mut Closure<'_>,
    reader: &mut Reader<'_>,
    deriving: &[(usize, Vec<usize>)],
) -> Result<(), ProofError> {
    let mut read = |clause: usize, apart| reader.clause(&mut closure.terms, clause, apart);
    let mut all: Vec<(Clause, Clause)> = Vec::with_capacity(deriving.len());
    for (clause, _) in deriving {
        all.push((read(*clause, Apart::One)?, read(*clause, Apart::Other)?));
    }
    let mut chosen: Vec<usize> = Vec::with_capacity(deriving.len());
    for ((clause, earlier), (one, other)) in deriving.iter().zip(&all) {
        let own = earlier
            .iter()
            .find(|e| are_one(closure, (one, **e), (other, **e)));
        let itself = ProofError::NotInjective {
            one: *clause,
            other: *clause,
        };
        chosen.push(*own.ok_or(itself)?);
    }
    for i in 0..deriving.len() {
        for j in 0..i {
            if !are_one(closure, (&all[i].0, chosen[i]), (&all[j].1, chosen[j])) {
                return Err(ProofError::NotInjective {
                    one: deriving[i].0,
                    other: deriving[j].0,
                });
            }
        }
    }
    Ok(())
}

/// Whether two later events are one if their earlier events have the same arguments. The clauses have no variable in common.
fn are_one(closure: &mut Closure<'_>, a: (&Clause, usize), b: (&Clause, usize)) -> bool {
    let mark = closure.equations.mark();
    let answer = equal_places(closure, a, b);
    closure.equations.back_to(mark);
    answer
}

fn equal_places(closure: &mut Closure<'_>, a: (&Clause, usize), b: (&Clause, usize)) -> bool {
    let (terms, equations) = (&mut closure.terms, &mut closure.equations);
    let (e, f) = (a.0.conditions[a.1], b.0.conditions[b.1]);
    if !equations.equate(terms, e, f) {
        return true;
    }
    let received: Vec<Term> =
        a.0.conditions
            .iter()
            .chain(&b.0.conditions)
            .copied()
            .collect();
    loop {
        let mut changed = false;
        let now: Vec<(Term, Term)> = received
            .iter()
            .filter(|f| terms.kind(**f) == Some(Kind::Received))
            .map(|f| (terms.arg(*f, 0), terms.arg(*f, 1)))
            .collect();
        let now: Vec<(Term, Term)> = now
            .into_iter()
            .map(|(p, m)| (equations.solved(terms, p), equations.solved(terms, m)))
            .collect();
        for (i, x) in now.iter().enumerate() {
            for y in &now[..i] {
                if x.0 == y.0 && x.1 != y.1 {
                    changed = true;
                    if !equations.equate(terms, x.1, y.1) {
                        return true;
                    }
                }
            }
        }
        if !changed || equations.gave_up() {
            break;
        }
    }
    let place = |c: &Clause| terms.args(c.conclusion).last().copied();
    match (place(a.0), place(b.0)) {
        (Some(p), Some(q)) => equations.solved(terms, p) == equations.solved(terms, q),
        _ => false,
    }
}
