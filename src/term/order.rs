//! The content order: total, and independent of ids.

use super::{Op, TermId, TermStore};
use std::cmp::Ordering;

impl TermStore {
    /// Orders two terms by content: small terms first, then by operator, label and arguments.
    pub fn compare(&self, a: TermId, b: TermId) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let (x, y) = (self.node(a), self.node(b));
        self.facts(a)
            .size
            .cmp(&self.facts(b).size)
            .then_with(|| x.op.tag().cmp(&y.op.tag()))
            .then_with(|| match (x.op, y.op) {
                (Op::Name(m), Op::Name(n)) => self.name_info(m).cmp(self.name_info(n)),
                (Op::Family(m), Op::Family(n)) => self.family_info(m).cmp(self.family_info(n)),
                (Op::Function(m), Op::Function(n)) => {
                    self.function_info(m).cmp(self.function_info(n))
                }
                (Op::Var(m), Op::Var(n))
                | (Op::Generic(m), Op::Generic(n))
                | (Op::Index(m), Op::Index(n)) => m.cmp(&n),
                _ => Ordering::Equal,
            })
            .then_with(|| x.args.len().cmp(&y.args.len()))
            .then_with(|| {
                x.args
                    .iter()
                    .zip(&y.args)
                    .map(|(p, q)| self.compare(*p, *q))
                    .find(|o| o.is_ne())
                    .unwrap_or(Ordering::Equal)
            })
    }

    /// Sorts terms by content.
    pub fn sort(&self, terms: &mut [TermId]) {
        terms.sort_by(|a, b| self.compare(*a, *b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_does_not_depend_on_creation() {
        let (s, r) = (TermStore::new(), TermStore::new());
        let labels = ["c", "a", "b"];
        let mut x: Vec<_> = labels.iter().map(|l| s.hash(s.public(l))).collect();
        let mut y: Vec<_> = labels.iter().rev().map(|l| r.hash(r.public(l))).collect();
        s.sort(&mut x);
        r.sort(&mut y);
        let show = |s: &TermStore, v: &[TermId]| v.iter().map(|t| s.show(*t)).collect::<Vec<_>>();
        assert_eq!(show(&s, &x), show(&r, &y));
        assert_eq!(show(&s, &x), ["H(a)", "H(b)", "H(c)"]);
    }
}
