//! Making terms equal: a most general solution of equations, with the last ones taken back at will.

use super::super::budgets::EQUATIONS;
use super::terms::{Term, Terms};
use smallvec::SmallVec;

/// Values of variables that solve equations.
#[derive(Debug)]
pub(super) struct Equations {
    values: Vec<Option<Term>>,
    bound: Vec<u32>,
    left: u32,
}

impl Default for Equations {
    fn default() -> Self {
        Self {
            values: Vec::new(),
            bound: Vec::new(),
            left: EQUATIONS,
        }
    }
}

impl Equations {
    /// Whether terms grew too large: answers since then mean nothing.
    pub fn gave_up(&self) -> bool {
        self.left == 0
    }

    fn spend(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0
    }

    /// The equations so far, for [`Equations::back_to`].
    pub fn mark(&self) -> usize {
        self.bound.len()
    }

    /// Takes back the equations since the mark.
    pub fn back_to(&mut self, mark: usize) {
        for v in self.bound.drain(mark..) {
            self.values[v as usize] = None;
        }
    }

    fn value(&self, v: u32) -> Option<Term> {
        self.values.get(v as usize).copied().flatten()
    }

    fn walk(&self, terms: &Terms<'_>, mut t: Term) -> Term {
        while let Some(next) = terms.as_variable(t).and_then(|v| self.value(v)) {
            t = next;
        }
        t
    }

    /// Adds an equation; `false` if there is no solution any more, and what was bound is of no use.
    pub fn equate(&mut self, terms: &Terms<'_>, a: Term, b: Term) -> bool {
        if a == b {
            return true;
        }
        if !self.spend() {
            return false;
        }
        let (a, b) = (self.walk(terms, a), self.walk(terms, b));
        if a == b {
            return true;
        }
        match (terms.as_variable(a), terms.as_variable(b)) {
            (Some(v), _) => self.bind(terms, v, b),
            (None, Some(v)) => self.bind(terms, v, a),
            (None, None) => {
                let (s, t) = (terms.args(a), terms.args(b));
                terms.head(a) == terms.head(b)
                    && s.len() == t.len()
                    && !(terms.is_ground(a) && terms.is_ground(b))
                    && s.iter().zip(t).all(|(s, t)| self.equate(terms, *s, *t))
            }
        }
    }

    fn bind(&mut self, terms: &Terms<'_>, v: u32, t: Term) -> bool {
        if self.occurs(terms, v, t) {
            return false;
        }
        let i = v as usize;
        if i >= self.values.len() {
            self.values.resize(i + 1, None);
        }
        self.values[i] = Some(t);
        self.bound.push(v);
        true
    }

    fn occurs(&mut self, terms: &Terms<'_>, v: u32, t: Term) -> bool {
        if terms.is_ground(t) {
            return false;
        }
        if !self.spend() {
            return true;
        }
        let t = self.walk(terms, t);
        match terms.as_variable(t) {
            Some(w) => v == w,
            None => terms.args(t).iter().any(|a| self.occurs(terms, v, *a)),
        }
    }

    /// The term with all values put in.
    pub fn solved(&mut self, terms: &mut Terms<'_>, t: Term) -> Term {
        if self.bound.is_empty() || terms.is_ground(t) || !self.spend() {
            return t;
        }
        if let Some(v) = terms.as_variable(t) {
            return match self.value(v) {
                Some(value) => self.solved(terms, value),
                None => t,
            };
        }
        let mut args: SmallVec<[Term; 4]> = SmallVec::from_slice(terms.args(t));
        let mut changed = false;
        for a in &mut args {
            let solved = self.solved(terms, *a);
            changed |= solved != *a;
            *a = solved;
        }
        if changed {
            terms.make(terms.head(t), &args)
        } else {
            t
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{Op, TermStore};

    #[test]
    fn equations_are_solved_and_taken_back() {
        let store = TermStore::new();
        let terms = &mut Terms::new(&store);
        let mut equations = Equations::default();
        let (x, y, z) = (terms.variable(0), terms.variable(1), terms.variable(2));
        let (hx, hy) = (terms.apply(Op::Hash, &[x]), terms.apply(Op::Hash, &[y]));
        assert!(equations.equate(terms, hx, z));
        let mark = equations.mark();
        assert!(equations.equate(terms, z, hy));
        assert_eq!(equations.solved(terms, z), equations.solved(terms, hy));
        equations.back_to(mark);
        assert_eq!(equations.solved(terms, hy), hy);
        assert!(!equations.equate(terms, x, z), "a cycle");
    }

    #[test]
    fn terms_that_double_are_given_up() {
        let store = TermStore::new();
        let terms = &mut Terms::new(&store);
        let mut equations = Equations::default();
        for v in 0..40 {
            let (x, y) = (terms.variable(v), terms.variable(v + 1));
            let double = terms.apply(Op::Tuple, &[x, x]);
            equations.equate(terms, y, double);
        }
        let last = terms.variable(40);
        equations.solved(terms, last);
        assert!(equations.gave_up());
    }
}
