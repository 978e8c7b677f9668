//! Terms of clauses: operators applied to terms, with variables that belong to one clause.
//!
//! A clause is used with itself and with others again and again, so its variables are not renamed: a variable is looked up
//! at its number plus the *base* of the clause it stands in, and only a resolvent that is kept is written out.
//!
//! A few tests can double a term again and again. What is too large, or takes too long to walk, exhausts the proof: operations
//! then return at once with something that means nothing, and whoever has called them must look.
//!
//! Unlike in the store of the analysis, a restricted name is an operator with arguments here: the run it is made in, and
//! what that run has received before.

use crate::term::Op;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;
use std::cell::Cell;
use std::hash::BuildHasher;

/// Operators in the largest term.
pub(super) const LARGEST: u32 = 2_000;

/// Operators that may be looked at to make terms equal and write out what becomes of them.
const EFFORT: u32 = 100_000;

/// A term of a clause. Equal terms have equal numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Term(u32);

pub(super) type Args = SmallVec<[Term; 3]>;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    op: Op,
    args: Args,
}

#[derive(Clone, Copy, Debug)]
struct Facts {
    /// No variable occurs.
    ground: bool,
    /// Number of operators, names and variables.
    size: u32,
    /// Operators above the deepest name or variable.
    depth: u32,
    /// A bit for each operator and name, several to a bit.
    symbols: u64,
}

/// All terms of a proof.
#[derive(Debug, Default)]
pub(super) struct Terms {
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    index: FxHashMap<Node, Term>,
    exhausted: Cell<bool>,
}

impl Terms {
    /// Whether a term was too large, or took too long: nothing may be concluded then.
    pub(super) fn is_exhausted(&self) -> bool {
        self.exhausted.get()
    }

    pub(super) fn exhaust(&self) {
        self.exhausted.set(true);
    }

    pub(super) fn make(&mut self, op: Op, args: Args) -> Term {
        let node = Node { op, args };
        if let Some(t) = self.index.get(&node) {
            return *t;
        }
        let ground = !matches!(op, Op::Var(_)) && node.args.iter().all(|a| self.is_ground(*a));
        let sizes = node.args.iter().map(|a| self.size(*a));
        let size = sizes.fold(1, u32::saturating_add);
        if size > LARGEST {
            self.exhaust();
        }
        let depths = node.args.iter().map(|a| self.depth(*a) + 1);
        let depth = depths.max().unwrap_or(0);
        let own = match op {
            Op::Var(_) => 0,
            _ => 1 << (FxBuildHasher.hash_one(op) >> 58),
        };
        let symbols = node.args.iter().fold(own, |s, a| s | self.symbols(*a));
        let t = Term(self.nodes.len() as u32);
        self.nodes.push(node.clone());
        self.facts.push(Facts {
            ground,
            size,
            depth,
            symbols,
        });
        self.index.insert(node, t);
        t
    }

    pub(super) fn var(&mut self, v: u32) -> Term {
        self.make(Op::Var(v), Args::new())
    }

    pub(super) fn op(&self, t: Term) -> Op {
        self.nodes[t.0 as usize].op
    }

    pub(super) fn args(&self, t: Term) -> &[Term] {
        &self.nodes[t.0 as usize].args
    }

    pub(super) fn is_ground(&self, t: Term) -> bool {
        self.facts[t.0 as usize].ground
    }

    /// Number of operators, names and variables.
    pub(super) fn size(&self, t: Term) -> u32 {
        self.facts[t.0 as usize].size
    }

    /// Operators above the deepest name or variable.
    pub(super) fn depth(&self, t: Term) -> u32 {
        self.facts[t.0 as usize].depth
    }

    /// A bit for each operator and name in it; several share a bit.
    pub(super) fn symbols(&self, t: Term) -> u64 {
        self.facts[t.0 as usize].symbols
    }

    pub(super) fn as_var(&self, t: Term) -> Option<u32> {
        match self.op(t) {
            Op::Var(v) => Some(v),
            _ => None,
        }
    }

    /// Looks at every occurrence of a variable.
    pub(super) fn variables(&self, t: Term, look: &mut impl FnMut(u32)) {
        if self.is_ground(t) {
            return;
        }
        if let Some(v) = self.as_var(t) {
            look(v);
        }
        for a in self.args(t) {
            self.variables(*a, look);
        }
    }

    /// Finds values of the pattern's variables that make it the term; the term's own variables stand for themselves.
    pub(super) fn matches(&self, pattern: Term, term: Term, values: &mut Values) -> bool {
        if self.is_ground(pattern) {
            return pattern == term;
        }
        if let Some(v) = self.as_var(pattern) {
            return values.bind(v, term);
        }
        self.op(pattern) == self.op(term)
            && self.args(pattern).len() == self.args(term).len()
            && self
                .args(pattern)
                .iter()
                .zip(self.args(term))
                .all(|(p, t)| self.matches(*p, *t, values))
    }
}

/// Values of the variables of a pattern, with what was bound last at the end.
#[derive(Debug, Default)]
pub(super) struct Values {
    slots: Vec<Option<Term>>,
    bound: Vec<u32>,
    tries: u32,
}

impl Values {
    /// For comparisons that are given up after so many tries.
    pub(super) fn with_tries(tries: u32) -> Self {
        Self {
            tries,
            ..Self::default()
        }
    }

    pub(super) fn tries(&self) -> u32 {
        self.tries
    }

    fn bind(&mut self, v: u32, t: Term) -> bool {
        let i = v as usize;
        if i >= self.slots.len() {
            self.slots.resize(i + 1, None);
        }
        if let Some(old) = self.slots[i] {
            return old == t;
        }
        self.slots[i] = Some(t);
        self.bound.push(v);
        true
    }

    pub(super) fn mark(&self) -> usize {
        self.bound.len()
    }

    /// Takes back what was bound since the mark.
    pub(super) fn back_to(&mut self, mark: usize) {
        for v in self.bound.drain(mark..) {
            self.slots[v as usize] = None;
        }
    }
}

/// A most general unifier of terms that stand in different clauses: each term comes with the base of its clause.
#[derive(Debug, Default)]
pub(super) struct Unifier {
    slots: Vec<Option<(Term, u32)>>,
    bound: Vec<u32>,
    /// How much was looked at.
    effort: Cell<u32>,
}

impl Unifier {
    /// Whether to go on looking.
    fn spend(&self, terms: &Terms) -> bool {
        let spent = self.effort.get() + 1;
        self.effort.set(spent);
        if spent > EFFORT {
            terms.exhaust();
        }
        !terms.is_exhausted()
    }

    pub(super) fn clear(&mut self) {
        self.effort.set(0);
        for v in self.bound.drain(..) {
            self.slots[v as usize] = None;
        }
    }

    fn walk(&self, terms: &Terms, mut t: Term, mut base: u32) -> (Term, u32) {
        while let Some(v) = terms.as_var(t) {
            match self.slots.get((base + v) as usize) {
                Some(Some((next, b))) => (t, base) = (*next, *b),
                _ => break,
            }
        }
        (t, base)
    }

    fn bind(&mut self, place: u32, value: (Term, u32)) {
        let i = place as usize;
        if i >= self.slots.len() {
            self.slots.resize(i + 1, None);
        }
        self.slots[i] = Some(value);
        self.bound.push(place);
    }

    fn occurs(&self, terms: &Terms, place: u32, t: Term, base: u32) -> bool {
        if terms.is_ground(t) {
            return false;
        }
        if !self.spend(terms) {
            return true;
        }
        let (t, base) = self.walk(terms, t, base);
        match terms.as_var(t) {
            Some(v) => base + v == place,
            None => terms
                .args(t)
                .iter()
                .any(|a| self.occurs(terms, place, *a, base)),
        }
    }

    /// Makes the terms equal. If they can't be, what was bound is of no use.
    pub(super) fn unify(&mut self, terms: &Terms, a: (Term, u32), b: (Term, u32)) -> bool {
        if !self.spend(terms) {
            return false;
        }
        let (s, p) = self.walk(terms, a.0, a.1);
        let (t, q) = self.walk(terms, b.0, b.1);
        if s == t && (p == q || terms.is_ground(s)) {
            return true;
        }
        match (terms.as_var(s), terms.as_var(t)) {
            (Some(v), _) => {
                let free = !self.occurs(terms, p + v, t, q);
                if free {
                    self.bind(p + v, (t, q));
                }
                free
            }
            (None, Some(_)) => self.unify(terms, (t, q), (s, p)),
            (None, None) => {
                let count = terms.args(s).len();
                terms.op(s) == terms.op(t)
                    && count == terms.args(t).len()
                    && (0..count)
                        .all(|i| self.unify(terms, (terms.args(s)[i], p), (terms.args(t)[i], q)))
            }
        }
    }

    /// The term with everything bound put in; variables that are left get new numbers in the order of their appearance.
    pub(super) fn resolve(
        &self,
        terms: &mut Terms,
        t: Term,
        base: u32,
        renaming: &mut Renaming,
    ) -> Term {
        if terms.is_ground(t) || !self.spend(terms) {
            return t;
        }
        let (t, base) = self.walk(terms, t, base);
        if terms.is_ground(t) {
            return t;
        }
        if let Some(v) = terms.as_var(t) {
            let new = renaming.number(base + v);
            return terms.var(new);
        }
        let op = terms.op(t);
        let mut args = Args::new();
        for i in 0..terms.args(t).len() {
            let a = terms.args(t)[i];
            args.push(self.resolve(terms, a, base, renaming));
        }
        terms.make(op, args)
    }
}

/// New numbers for the variables of a clause that is written out.
#[derive(Debug, Default)]
pub(super) struct Renaming {
    slots: Vec<Option<u32>>,
    used: Vec<u32>,
}

impl Renaming {
    pub(super) fn clear(&mut self) {
        for v in self.used.drain(..) {
            self.slots[v as usize] = None;
        }
    }

    /// How many variables there are.
    pub(super) fn count(&self) -> u32 {
        self.used.len() as u32
    }

    fn number(&mut self, place: u32) -> u32 {
        let i = place as usize;
        if i >= self.slots.len() {
            self.slots.resize(i + 1, None);
        }
        *self.slots[i].get_or_insert_with(|| {
            self.used.push(place);
            self.used.len() as u32 - 1
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    #[test]
    fn variables_of_two_clauses_are_apart() {
        let mut terms = Terms::default();
        let x = terms.var(0);
        let hashed = terms.make(Op::Hash, smallvec![x]);
        let mut unifier = Unifier::default();
        assert!(unifier.unify(&terms, (x, 0), (hashed, 1)));
        unifier.clear();
        assert!(!unifier.unify(&terms, (x, 0), (hashed, 0)), "a cycle");
    }

    #[test]
    fn a_pattern_binds_only_its_own_variables() {
        let mut terms = Terms::default();
        let (x, y) = (terms.var(0), terms.var(1));
        let pattern = terms.make(Op::Tuple, smallvec![x, x]);
        let (same, other) = (
            terms.make(Op::Tuple, smallvec![y, y]),
            terms.make(Op::Tuple, smallvec![y, x]),
        );
        assert!(terms.matches(pattern, same, &mut Values::default()));
        assert!(!terms.matches(pattern, other, &mut Values::default()));
    }
}
