//! Values of variables that make terms equal, and how much may still be done.

use super::EquivalenceError;
use crate::term::{TermId, TermStore, View};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::ops::Range;

/// Operators and names of the largest message.
pub(super) const LARGEST: u32 = 1 << 10;

/// What is done between two questions whether to stop.
const PACE: u64 = 1 << 14;

/// What may still be done.
pub(super) struct Effort<'a> {
    left: Cell<u64>,
    asked: Cell<u64>,
    stop: &'a dyn Fn() -> bool,
    stopped: Cell<bool>,
}

impl<'a> Effort<'a> {
    pub(super) fn new(steps: u64, stop: &'a dyn Fn() -> bool) -> Self {
        Self {
            left: Cell::new(steps),
            asked: Cell::new(0),
            stop,
            stopped: Cell::new(false),
        }
    }

    /// Books a step; whether there may be more.
    pub(super) fn spend(&self) -> bool {
        let left = self.left.get().saturating_sub(1);
        self.left.set(left);
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() >= PACE {
            self.asked.set(0);
            if (self.stop)() {
                self.stopped.set(true);
                self.left.set(0);
            }
        }
        left > 0
    }

    /// Whether there may be more.
    pub(super) fn going(&self) -> Result<(), EquivalenceError> {
        if self.stopped.get() {
            return Err(EquivalenceError::Stopped);
        }
        if self.left.get() == 0 {
            return Err(EquivalenceError::GaveUp);
        }
        Ok(())
    }
}

/// Values of the variables of a range. All other variables stand for themselves.
#[derive(Clone, Debug, Default)]
pub(super) struct Values {
    range: Range<u32>,
    map: FxHashMap<u32, TermId>,
}

impl Values {
    /// No values so far.
    pub(super) fn of(range: Range<u32>) -> Self {
        Self {
            range,
            map: FxHashMap::default(),
        }
    }

    fn variable(&self, store: &TermStore, t: TermId) -> Option<u32> {
        match store.view(t) {
            View::Var(v) if self.range.contains(&v) => Some(v),
            _ => None,
        }
    }

    /// The term, or what its value begins with.
    pub(super) fn walk(&self, store: &TermStore, mut t: TermId) -> TermId {
        while let Some(next) = self.variable(store, t).and_then(|v| self.map.get(&v)) {
            t = *next;
        }
        t
    }

    /// Gives a variable a value that it does not have.
    pub(super) fn bind(&mut self, v: u32, t: TermId) {
        self.map.insert(v, t);
    }

    /// The value of a variable.
    pub(super) fn value(&self, v: u32) -> Option<TermId> {
        self.map.get(&v).copied()
    }

    /// Makes two terms equal; `false` if that can't be, and what was bound is of no use.
    pub(super) fn equate(
        &mut self,
        store: &TermStore,
        effort: &Effort<'_>,
        a: TermId,
        b: TermId,
    ) -> bool {
        let (a, b) = (self.walk(store, a), self.walk(store, b));
        if a == b {
            return true;
        }
        if !effort.spend() {
            return false;
        }
        match (self.variable(store, a), self.variable(store, b)) {
            (Some(v), _) => self.take(store, effort, v, b),
            (None, Some(v)) => self.take(store, effort, v, a),
            (None, None) => {
                let (s, t) = (store.node(a), store.node(b));
                s.op == t.op
                    && s.args.len() == t.args.len()
                    && (store.facts(a).has_var || store.facts(b).has_var)
                    && (s.args.iter().zip(&t.args)).all(|(s, t)| self.equate(store, effort, *s, *t))
            }
        }
    }

    fn take(&mut self, store: &TermStore, effort: &Effort<'_>, v: u32, t: TermId) -> bool {
        if self.occurs(store, effort, v, t) {
            return false;
        }
        self.map.insert(v, t);
        true
    }

    fn occurs(&self, store: &TermStore, effort: &Effort<'_>, v: u32, t: TermId) -> bool {
        if !store.facts(t).has_var {
            return false;
        }
        if !effort.spend() {
            return true;
        }
        let t = self.walk(store, t);
        if let Some(w) = self.variable(store, t) {
            return v == w;
        }
        let mut args = store.node(t).args.iter();
        args.any(|a| self.occurs(store, effort, v, *a))
    }

    /// The term with all values put in. One that is larger than messages may be is of no use.
    pub(super) fn full(&self, store: &TermStore, effort: &Effort<'_>, t: TermId) -> TermId {
        if !store.facts(t).has_var || self.map.is_empty() || !effort.spend() {
            return t;
        }
        store.map_atoms(t, &mut |atom| {
            let value = self.value(self.variable(store, atom)?)?;
            Some(self.full(store, effort, value))
        })
    }

    /// Whether equations have a solution; if so these are values that solve them.
    pub(super) fn solve(
        &mut self,
        store: &TermStore,
        effort: &Effort<'_>,
        equations: &[(TermId, TermId)],
    ) -> bool {
        let mut all = equations.iter();
        all.all(|(a, b)| self.equate(store, effort, *a, *b))
    }
}
