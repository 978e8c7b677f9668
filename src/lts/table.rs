//! The visited states: a concurrent table of vectors.
//!
//! The table is cut into shards, each with a lock of its own, so that workers look up and insert at the same time. What
//! they get is a handle; numbers are given out afterwards, in an order that does not depend on the workers. Numbers are
//! kept apart, so that one gives them out while others go on inserting.

use super::codec::Vector;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Number of shards, a power of two.
const SHARDS: usize = 64;

/// No entry.
const EMPTY: u32 = u32::MAX;

/// Where a vector is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Handle(u32);

impl Handle {
    fn new(entry: u32, shard: usize) -> Self {
        Self(entry * SHARDS as u32 + shard as u32)
    }

    /// The entry, and its shard.
    fn place(self) -> (usize, usize) {
        (self.0 as usize / SHARDS, self.0 as usize % SHARDS)
    }
}

/// The number of a state in the order of the exploration.
pub type StateId = u32;

#[derive(Default)]
struct Shard {
    /// Open addressing: part of the hash, and the number of the entry. The hash stands here and not with the entry, since
    /// most entries that are looked at on the way are others.
    slots: Vec<(u32, u32)>,
    /// Of each entry, where its vector ends; it starts where the last one ends.
    ends: Vec<u32>,
    words: Vec<u32>,
}

impl Shard {
    fn vector(&self, entry: u32) -> &[u32] {
        let entry = entry as usize;
        let start = if entry == 0 { 0 } else { self.ends[entry - 1] };
        &self.words[start as usize..self.ends[entry] as usize]
    }

    /// The slot of a vector, or the empty slot where it belongs.
    fn probe(&self, hash: u32, vector: &[u32]) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let (other, entry) = self.slots[at];
            if entry == EMPTY || (other == hash && self.vector(entry) == vector) {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        let old = std::mem::replace(&mut self.slots, vec![(0, EMPTY); size]);
        for (hash, entry) in old.into_iter().filter(|(_, entry)| *entry != EMPTY) {
            let mut at = hash as usize & (size - 1);
            while self.slots[at].1 != EMPTY {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = (hash, entry);
        }
    }

    fn insert(&mut self, hash: u32, vector: &[u32]) -> u32 {
        if self.slots.len() * 3 <= self.ends.len() * 4 {
            self.grow();
        }
        let at = self.probe(hash, vector);
        if self.slots[at].1 == EMPTY {
            self.slots[at] = (hash, self.ends.len() as u32);
            self.words.extend_from_slice(vector);
            self.ends.push(self.words.len() as u32);
        }
        self.slots[at].1
    }
}

/// The table.
pub struct Table {
    shards: Vec<Mutex<Shard>>,
}

impl Default for Table {
    fn default() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
        }
    }
}

impl Table {
    fn shard(&self, number: usize) -> MutexGuard<'_, Shard> {
        // A worker that panicked has left its shard as it was.
        let locked = self.shards[number].lock();
        locked.unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds a vector, or stores it.
    pub fn insert(&self, vector: &[u32]) -> Handle {
        let mut hasher = FxHasher::default();
        vector.hash(&mut hasher);
        let hash = hasher.finish();
        let number = (hash >> 58) as usize % SHARDS;
        let entry = self.shard(number).insert((hash >> 13) as u32, vector);
        Handle::new(entry, number)
    }

    /// The vector of a handle.
    pub fn vector(&self, handle: Handle) -> Vector {
        let (entry, shard) = handle.place();
        Vector::from_slice(self.shard(shard).vector(entry as u32))
    }
}

/// The numbers of the stored vectors.
pub struct Numbers {
    /// Of each entry of each shard.
    shards: Vec<Vec<StateId>>,
}

impl Default for Numbers {
    fn default() -> Self {
        Self {
            shards: vec![Vec::new(); SHARDS],
        }
    }
}

impl Numbers {
    /// Whether a vector has a number.
    pub fn has(&self, handle: Handle) -> bool {
        let (entry, shard) = handle.place();
        self.shards[shard]
            .get(entry)
            .is_some_and(|id| *id != StateId::MAX)
    }

    /// The number of a vector: `fresh` if it has none yet.
    pub fn number(&mut self, handle: Handle, fresh: StateId) -> StateId {
        let (entry, shard) = handle.place();
        let ids = &mut self.shards[shard];
        if ids.len() <= entry {
            ids.resize(entry + 1, StateId::MAX);
        }
        if ids[entry] == StateId::MAX {
            ids[entry] = fresh;
        }
        ids[entry]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_vectors_have_one_handle() {
        let table = Table::default();
        let mut numbers = Numbers::default();
        let all: Vec<Vec<u32>> = (0..5000u32).map(|i| vec![i % 7, i, i / 3]).collect();
        let handles: Vec<Handle> = all.iter().map(|v| table.insert(v)).collect();
        for (v, h) in all.iter().zip(&handles) {
            assert_eq!(table.insert(v), *h);
            assert_eq!(table.vector(*h)[..], v[..]);
        }
        assert!(!numbers.has(handles[17]));
        for (n, h) in (0..).zip(&handles) {
            assert_eq!(numbers.number(*h, n), n);
        }
        assert!(numbers.has(handles[17]));
        assert_eq!(numbers.number(handles[17], 9999), 17);
    }
}
