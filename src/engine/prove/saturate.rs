//! Saturation: clauses are resolved with each other until nothing new comes.
//!
//! Resolution with selection, after Blanchet (Automatic verification of correspondences for security protocols, 2009): a clause with nothing to
//! resolve is put in for the selected condition of another. When nothing new comes, whatever the clauses derive is derived
//! by those with nothing to resolve alone. That may never happen; there is a budget, in clauses, so that the answer
//! does not depend on the machine; whoever has no more time may stop it as well.

use super::clause::{Clause, Fact, Kind};
use super::goal::Wanted;
use super::initial_knowledge::Known;
use super::terms::{Renaming, Terms, Unifier, Values};
use super::widen::Widening;
use super::{Detail, Failure};
use std::collections::BTreeMap;

/// Clauses that others are compared with before it is asked again whether to stop.
const PACE: usize = 16_384;

/// When to give up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Clauses that are made.
    made: usize,
    /// Operators in a term.
    size: u32,
    /// Operators above each other in a term.
    depth: u32,
    /// Conditions of a clause.
    conditions: usize,
}

impl Budget {
    /// What proofs take, several times over: in the library a proof never makes more than 17 times the first clauses. What
    /// goes on for longer goes on for ever, mostly because messages are wrapped again and again: terms of a proof that
    /// ends are hardly deeper than at first, but for names that tell what was received before them.
    /// Clauses about joint keys are there in both orders of the exponents, and so is what follows from each.
    pub(super) fn of(terms: &Terms, first: &[Clause], detail: Detail, more: usize) -> Self {
        let depth = first.iter().map(|c| c.depth(terms)).max().unwrap_or(0);
        let made = match detail {
            Detail::Runs => 16 * first.len() + 200,
            Detail::Received => 12 * first.len() + 100,
        };
        Self {
            made: more * made,
            size: 300,
            depth: match detail {
                Detail::Runs => depth + 4,
                Detail::Received => 2 * depth + 2,
            },
            conditions: 40,
        }
    }

    /// Whether a clause is so large that it is not worth to go on.
    fn is_exceeded(&self, terms: &Terms, clause: &Clause) -> bool {
        clause.conditions.len() > self.conditions
            || clause.largest(terms) > self.size
            || clause.depth(terms) > self.depth
    }
}

/// Clauses that are closed under resolution.
pub(super) struct Saturated {
    pub kept: Vec<Clause>,
    pub made: usize,
}

/// Closes the clauses under resolution. Whether a clause for the goal with nothing to resolve is as it must be is asked at once.
pub(super) fn saturate(
    terms: &mut Terms,
    known: &Known<'_>,
    clauses: Vec<Clause>,
    budget: Budget,
    mut widening: Option<&mut Widening>,
    wanted: &Wanted,
    stop: &dyn Fn() -> bool,
) -> Result<Saturated, Failure> {
    // The smallest first, of equal ones the oldest.
    let mut waiting: BTreeMap<(u32, usize), Clause> = BTreeMap::new();
    let mut number = 0;
    let mut wait = |waiting: &mut BTreeMap<(u32, usize), Clause>, clause: Clause| {
        waiting.insert((clause.size, number), clause);
        number += 1;
    };
    for clause in clauses {
        wait(&mut waiting, clause);
    }
    let mut found = Vec::new();
    let mut kept: Vec<Clause> = Vec::new();
    let mut made = 0;
    let mut values = Values::with_tries(known.options.tries);
    let mut resolver = Resolver::default();
    let mut compared = 0;
    while let Some((_, given)) = waiting.pop_first() {
        compared += kept.len();
        if compared > PACE {
            compared = 0;
            if stop() {
                return Err(Failure::Stopped);
            }
        }
        if known.options.relevant
            && let Some(conditions) = wanted.relevant(terms, &given)
        {
            let conclusion = given.conclusion;
            for clause in Clause::simple(terms, known, conditions, conclusion) {
                wait(&mut waiting, clause);
            }
            continue;
        }
        let cut = widening.as_ref();
        if kept.iter().any(|c| c.subsumes(&given, terms, &mut values))
            || cut.is_some_and(|w| w.covers(terms, &given, &mut values))
        {
            continue;
        }
        if let Some(cut) = widening.as_mut().and_then(|w| w.cut(terms, known, &given)) {
            made += cut.len();
            if made > budget.made || terms.is_exhausted() {
                return Err(Failure::Budget);
            }
            for clause in cut {
                wait(&mut waiting, clause);
            }
            continue;
        }
        if budget.is_exceeded(terms, &given) {
            return Err(Failure::Budget);
        }
        kept.retain(|c| !given.subsumes(c, terms, &mut values));
        if given.selected.is_none() {
            match given.conclusion.kind {
                Kind::Goal if !wanted.allows(terms, &given) => return Err(Failure::Reached),
                Kind::Attacker if terms.as_var(given.conclusion.args[0]).is_some() => {
                    return Err(Failure::Anything);
                }
                _ => {}
            }
        }
        // A clause that has something to resolve does not meet itself.
        for other in &kept {
            let (rule, into) = match (given.selected, other.selected) {
                (None, Some(_)) => (&given, other),
                (Some(_), None) => (other, &given),
                _ => continue,
            };
            resolver.resolve(terms, known, rule, into, &mut found);
        }
        made += found.len();
        if made > budget.made || terms.is_exhausted() {
            return Err(Failure::Budget);
        }
        found.drain(..).for_each(|c| wait(&mut waiting, c));
        kept.push(given);
    }
    Ok(Saturated { kept, made })
}

#[derive(Default)]
struct Resolver {
    unifier: Unifier,
    renaming: Renaming,
}

impl Resolver {
    /// Puts a clause in for the selected condition of another.
    fn resolve(
        &mut self,
        terms: &mut Terms,
        known: &Known<'_>,
        rule: &Clause,
        into: &Clause,
        found: &mut Vec<Clause>,
    ) {
        let Some(selected) = into.selected else {
            return;
        };
        let (wanted, given) = (&into.conditions[selected], &rule.conclusion);
        if wanted.kind != given.kind || wanted.args.len() != given.args.len() {
            return;
        }
        let base = into.variables;
        self.unifier.clear();
        let mut pairs = wanted.args.iter().zip(&given.args);
        if !pairs.all(|(w, g)| self.unifier.unify(terms, (*w, 0), (*g, base))) {
            return;
        }
        self.renaming.clear();
        let mut conditions: Vec<Fact> =
            Vec::with_capacity(into.conditions.len() + rule.conditions.len());
        let rest = into.conditions.iter().enumerate();
        for (_, fact) in rest.filter(|(i, _)| *i != selected) {
            conditions.push(fact.resolve(terms, &self.unifier, 0, &mut self.renaming));
        }
        for fact in &rule.conditions {
            conditions.push(fact.resolve(terms, &self.unifier, base, &mut self.renaming));
        }
        let conclusion = into
            .conclusion
            .resolve(terms, &self.unifier, 0, &mut self.renaming);
        found.extend(Clause::simple(terms, known, conditions, conclusion));
    }
}
