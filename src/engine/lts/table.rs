//! The hash table of the visited states, as vectors.
//!
//! One worker at a time looks up and stores, in the order of the exploration (`visited`). So the
//! place of a state is its number and nothing is locked. A table that all workers write to costs
//! more: the lock and the ends of the lists move from one processor cache to the other at every
//! access.

use rustc_hash::FxHasher;
use std::hash::Hasher;
use std::ops::Range;

/// The number of a state in the order of the exploration.
pub(super) type StateId = u32;

/// No entry.
const EMPTY: u32 = u32::MAX;

/// A hash of a vector.
pub(super) fn hash(vector: &[u32]) -> u32 {
    let mut hasher = FxHasher::default();
    for word in vector {
        hasher.write_u32(*word);
    }
    let hash = hasher.finish();
    (hash ^ hash >> 32) as u32
}

/// The worker to which states with this environment belong. The environment is the first two
/// numbers of a vector.
pub(super) fn owner(environment: [u32; 2], workers: usize) -> usize {
    if workers < 2 {
        return 0;
    }
    hash(&environment) as usize % workers
}

/// Some vectors, one after the other.
#[derive(Debug, Default)]
pub(super) struct Vectors {
    /// Of each vector, where it ends; it starts where the last one ends.
    ends: Vec<u64>,
    words: Vec<u32>,
}

impl Vectors {
    /// How many.
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    fn start(&self, at: usize) -> usize {
        if at == 0 {
            0
        } else {
            self.ends[at - 1] as usize
        }
    }

    /// One of them.
    pub(super) fn get(&self, at: usize) -> &[u32] {
        &self.words[self.start(at)..self.ends[at] as usize]
    }

    fn push(&mut self, vector: &[u32]) {
        self.words.extend_from_slice(vector);
        self.ends.push(self.words.len() as u64);
    }

    /// A copy of some of them.
    fn part(&self, range: Range<usize>) -> Self {
        let (start, end) = (self.start(range.start), self.start(range.end));
        let ends = self.ends[range].iter();
        Self {
            ends: ends.map(|e| e - start as u64).collect(),
            words: self.words[start..end].to_vec(),
        }
    }
}

/// The table.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// Open addressing: the hash, and the number of the state. The hash stands here and not with
    /// the vector, since most entries probed on the way are others.
    slots: Vec<(u32, StateId)>,
    vectors: Vectors,
}

impl Table {
    /// The slot of a vector, or the empty slot where it belongs.
    fn probe(&self, hash: u32, vector: &[u32]) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (other, id) = self.slots[at];
            if id == EMPTY || (other == hash && self.vectors.get(id as usize) == vector) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        let old = std::mem::replace(&mut self.slots, vec![(0, EMPTY); size]);
        for (hash, id) in old.into_iter().filter(|(_, id)| *id != EMPTY) {
            let mut at = hash as usize & (size - 1);
            while self.slots[at].1 != EMPTY {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = (hash, id);
        }
    }

    /// Whether a vector, with its hash, is stored.
    pub(super) fn has(&self, hash: u32, vector: &[u32]) -> bool {
        !self.slots.is_empty() && self.slots[self.probe(hash, vector)].1 != EMPTY
    }

    /// The number of a vector, with its hash; stored as the next one if it is new.
    pub(super) fn number(&mut self, hash: u32, vector: &[u32]) -> StateId {
        if self.slots.len() * 3 <= self.vectors.len() * 4 {
            self.grow();
        }
        let at = self.probe(hash, vector);
        if self.slots[at].1 == EMPTY {
            self.slots[at] = (hash, self.vectors.len() as StateId);
            self.vectors.push(vector);
        }
        self.slots[at].1
    }

    /// Copies of the vectors of some states.
    pub(super) fn vectors(&self, states: Range<usize>) -> Vectors {
        self.vectors.part(states)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_vectors_have_one_number() {
        let mut table = Table::default();
        let all: Vec<Vec<u32>> = (0..5000u32).map(|i| vec![i % 7, i, i / 3]).collect();
        assert!(!table.has(hash(&all[17]), &all[17]));
        for (n, v) in (0..).zip(&all) {
            assert_eq!(table.number(hash(v), v), n);
        }
        for (n, v) in (0..).zip(&all) {
            assert_eq!(table.number(hash(v), v), n);
            assert!(table.has(hash(v), v));
        }
        let some = table.vectors(100..200);
        assert_eq!(some.len(), 100);
        assert!((0..100).all(|i| some.get(i) == all[100 + i]));
    }
}
