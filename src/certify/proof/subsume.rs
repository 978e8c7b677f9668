//! Whether a clause follows from another one: an instance of the other has the same conclusion and some of the conditions.

use super::super::budgets::SUBSUMPTIONS;
use super::terms::{Term, Terms};

/// A clause as the checker has it.
#[derive(Clone, Debug)]
pub(super) struct Clause {
    pub conditions: Vec<Term>,
    pub conclusion: Term,
    /// The conditions in the order in which they are compared: first those that tell most.
    pattern: Vec<Term>,
    /// A bit for each head in the conditions.
    heads: u64,
}

impl Clause {
    pub fn new(terms: &Terms<'_>, conditions: Vec<Term>, conclusion: Term) -> Self {
        let mut pattern = conditions.clone();
        pattern.sort_by_key(|t| terms.topic(*t).is_none());
        Self {
            heads: conditions.iter().fold(0, |all, t| all | terms.heads(*t)),
            conditions,
            conclusion,
            pattern,
        }
    }
}

/// Values of the variables of one clause that make it another; the other's variables stand for themselves.
#[derive(Debug, Default)]
pub(super) struct Matching {
    values: Vec<Option<Term>>,
    bound: Vec<u32>,
    taken: Vec<bool>,
    tries: u32,
    gave_up: bool,
}

impl Matching {
    /// Whether once not all ways were tried.
    pub fn gave_up(&self) -> bool {
        self.gave_up
    }

    pub fn mark(&self) -> usize {
        self.bound.len()
    }

    pub fn back_to(&mut self, mark: usize) {
        for v in self.bound.drain(mark..) {
            self.values[v as usize] = None;
        }
    }

    /// Finds values that make the pattern the term. If there are none, what was bound since is of no use.
    pub fn matches(&mut self, terms: &Terms<'_>, pattern: Term, term: Term) -> bool {
        if terms.is_ground(pattern) {
            return pattern == term;
        }
        if let Some(v) = terms.as_variable(pattern) {
            let i = v as usize;
            if i >= self.values.len() {
                self.values.resize(i + 1, None);
            }
            if let Some(value) = self.values[i] {
                return value == term;
            }
            self.values[i] = Some(term);
            self.bound.push(v);
            return true;
        }
        let (p, t) = (terms.args(pattern), terms.args(term));
        terms.head(pattern) == terms.head(term)
            && p.len() == t.len()
            && p.iter().zip(t).all(|(p, t)| self.matches(terms, *p, *t))
    }

    /// Whether the clause with these conditions and this conclusion follows from `clause`. No condition is used for two:
    /// then the instance of `clause` needs no more than the other [the measure in `mod.rs`].
    pub fn subsumes(
        &mut self,
        terms: &Terms<'_>,
        clause: &Clause,
        conditions: &[Term],
        heads: u64,
        conclusion: Term,
    ) -> bool {
        if clause.heads & !heads != 0
            || clause.conditions.len() > conditions.len()
            || terms.heads(clause.conclusion) & !terms.heads(conclusion) != 0
        {
            return false;
        }
        self.back_to(0);
        if !self.matches(terms, clause.conclusion, conclusion) {
            return false;
        }
        if clause.conditions.is_empty() {
            return true;
        }
        self.taken.clear();
        self.taken.resize(conditions.len(), false);
        self.tries = SUBSUMPTIONS;
        self.places(terms, &clause.pattern, conditions, 0)
    }

    /// Places the conditions, the first of them from `next` on and round: a clause often has its conditions in the same order.
    fn places(
        &mut self,
        terms: &Terms<'_>,
        wanted: &[Term],
        conditions: &[Term],
        next: usize,
    ) -> bool {
        let Some((first, rest)) = wanted.split_first() else {
            return true;
        };
        for i in (next..conditions.len()).chain(0..next) {
            if self.taken[i] || terms.head(*first) != terms.head(conditions[i]) {
                continue;
            }
            if self.tries == 0 {
                self.gave_up = true;
                return false;
            }
            self.tries -= 1;
            let mark = self.mark();
            if self.matches(terms, *first, conditions[i]) {
                self.taken[i] = true;
                if self.places(terms, rest, conditions, i + 1) {
                    return true;
                }
                self.taken[i] = false;
            }
            self.back_to(mark);
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::super::certificate::Kind;
    use super::*;
    use crate::term::{Op, TermStore};

    #[test]
    fn no_condition_is_used_twice_and_no_value_is_two() {
        let store = TermStore::new();
        let terms = &mut Terms::new(&store);
        let (x, y) = (terms.variable(0), terms.variable(1));
        let (hx, hy) = (terms.apply(Op::Hash, &[x]), terms.apply(Op::Hash, &[y]));
        let [x, y, hx, hy] = [x, y, hx, hy].map(|t| terms.attacker(t));
        let another = terms.fact(Kind::Goal, &[]);
        let mut matching = Matching::default();
        let mut follows = |c: &Clause, conditions: &[Term], conclusion| {
            let heads = conditions.iter().fold(0, |all, t| all | terms.heads(*t));
            matching.subsumes(terms, c, conditions, heads, conclusion)
        };
        let two = Clause::new(terms, vec![x, y], hx);
        assert!(follows(&two, &[y, x], hy));
        assert!(!follows(&two, &[x], hx), "one condition for two");
        assert!(!follows(&two, &[x, another], hx), "one condition for two");
        let same = Clause::new(terms, vec![x], hx);
        assert!(follows(&same, &[x, y], hy));
        assert!(!follows(&same, &[x], hy), "two values for one variable");
    }
}
