//! Both forms of joint keys [the normal form in `mod.rs`].
//!
//! Clauses know nothing of exponents that can be exchanged. A first clause is therefore looked for once for each choice of an order for
//! every joint key in it.

use super::super::budgets::KEYS;
use super::certificate::Head;
use super::error::ProofError;
use super::terms::{Term, Terms};
use crate::term::{Op, TermId, TermStore, View};
use smallvec::SmallVec;

/// For some joint keys, whether their exponents are exchanged.
#[derive(Clone, Debug, Default)]
pub(super) struct Choice(Vec<(TermId, bool)>);

impl Choice {
    /// The two choices that decide one key more, if there is one in these terms that is not decided.
    pub fn split(
        &self,
        store: &TermStore,
        terms: &[TermId],
    ) -> Result<Option<[Choice; 2]>, ProofError> {
        let mut open = None;
        for t in terms {
            store.visit(*t, &mut |part| {
                let decided = self.0.iter().any(|(key, _)| *key == part);
                if !decided && matches!(store.view(part), View::Joint(..)) {
                    open = Some(part);
                }
                open.is_none()
            });
        }
        let Some(key) = open else {
            return Ok(None);
        };
        if self.0.len() == KEYS {
            return Err(ProofError::NotExpressed);
        }
        let with = |exchanged| {
            let mut choice = self.clone();
            choice.0.push((key, exchanged));
            choice
        };
        Ok(Some([with(false), with(true)]))
    }

    /// All choices for some terms.
    pub fn all(store: &TermStore, terms: &[TermId]) -> Result<Vec<Choice>, ProofError> {
        let mut open = vec![Choice::default()];
        let mut done = Vec::new();
        while let Some(choice) = open.pop() {
            match choice.split(store, terms)? {
                Some(two) => open.extend(two),
                None => done.push(choice),
            }
        }
        Ok(done)
    }

    /// Base, exponent under it, and exponent on top of a key; `None` if it was not decided.
    pub fn read(&self, store: &TermStore, key: TermId) -> Option<[TermId; 3]> {
        let (_, exchanged) = self.0.iter().find(|(k, _)| *k == key)?;
        let View::Joint(share, y) = store.view(key) else {
            return None;
        };
        let View::Share(base, x) = store.view(share) else {
            return None;
        };
        Some(if *exchanged {
            [base, y, x]
        } else {
            [base, x, y]
        })
    }
}

/// The term with the exponents of all its joint keys in an order that only the terms decide: equal up to the order of exponents before, equal afterwards.
pub(super) fn ordered(terms: &mut Terms<'_>, t: Term) -> Term {
    let args: SmallVec<[Term; 4]> = SmallVec::from_slice(terms.args(t));
    let mut now: SmallVec<[Term; 4]> = args.iter().map(|a| ordered(terms, *a)).collect();
    if terms.head(t) == Head::Operator(Op::Joint)
        && let [share, y] = now[..]
        && let [base, x] = *terms.args(share)
        && terms.head(share) == Head::Operator(Op::Share)
        && y.number() < x.number()
    {
        now[0] = terms.apply(Op::Share, &[base, y]);
        now[1] = x;
    }
    if now == args {
        t
    } else {
        terms.make(terms.head(t), &now)
    }
}
