//! Environments in which ties are left: their spelling depends on the threads.
//!
//! The threads only determine the order of the members of a tie, and there are few such orders. So
//! the spelling for each order is memoised.

use super::super::canonical_form::{Canonicaliser, Scratch};
use super::super::refine::Structure;
use super::Basis;
use std::sync::OnceLock;

/// Spellings that are kept of one environment; more are made again each time.
const SPELLINGS: usize = 8;

/// An environment in which ties are left.
#[derive(Debug)]
pub(crate) struct Tied {
    /// The rows in which a vertex of a tie occurs.
    pub rows: Structure,
    basis: Basis,
    first: OnceLock<Box<Spelling>>,
}

/// How an environment is written in one order; a list that only grows, so nobody waits.
#[derive(Debug)]
struct Spelling {
    /// The numbers of generics and elements; they determine the rest. Then the numbers of the
    /// names.
    numbers: Box<[u32]>,
    start: [u32; 2],
    next: OnceLock<Box<Spelling>>,
}

impl Tied {
    pub(super) fn new(rows: Structure, basis: Basis) -> Self {
        Self {
            rows,
            basis,
            first: OnceLock::new(),
        }
    }

    fn spellings(&self) -> impl Iterator<Item = &Spelling> {
        let all = std::iter::successors(self.first.get(), |last| last.next.get());
        all.map(|spelling| &**spelling)
    }

    /// The spelling in the order of these numbers, if it is kept.
    fn known(&self, numbers: &[u32]) -> Option<&Spelling> {
        let first_name = self.basis.ends()[1] as usize;
        let mut spellings = self.spellings();
        spellings.find(|s| s.numbers[..first_name] == numbers[..first_name])
    }

    /// Numbers the names in the elements; generics and elements have numbers.
    pub(crate) fn number_names(&self, scratch: &mut Scratch) {
        match self.known(&scratch.numbers) {
            Some(known) => scratch.numbers[..known.numbers.len()].copy_from_slice(&known.numbers),
            None => Canonicaliser::number_names(scratch, &self.basis),
        }
    }

    /// The start of the vector, when everything has a number.
    pub(crate) fn spell(
        &self,
        canonicaliser: &Canonicaliser<'_>,
        scratch: &mut Scratch,
        first_part: u32,
    ) -> [u32; 2] {
        if let Some(known) = self.known(&scratch.numbers) {
            return known.start;
        }
        let start = canonicaliser.spell(scratch, &self.basis);
        self.keep(&scratch.numbers[..first_part as usize], start);
        start
    }

    fn keep(&self, numbers: &[u32], start: [u32; 2]) {
        let mut spelling = Box::new(Spelling {
            numbers: numbers.into(),
            start,
            next: OnceLock::new(),
        });
        let ends = self.spellings().map(|s| &s.next);
        for end in std::iter::once(&self.first).chain(ends).take(SPELLINGS) {
            match end.set(spelling) {
                Ok(()) => return,
                // There is another, or another worker was faster.
                Err(again) => spelling = again,
            }
        }
    }
}
