//! The visited states: a concurrent table of vectors.
//!
//! The table is cut into shards, each with a lock of its own, so that workers look up and insert at the same time. What
//! they get is a handle; numbers are given out afterwards, in an order that does not depend on the workers.

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

/// The number of a state in the order of the exploration.
pub type StateId = u32;

#[derive(Default)]
struct Shard {
    /// Open addressing: numbers of entries.
    slots: Vec<u32>,
    /// Of each entry, part of its hash.
    hashes: Vec<u32>,
    /// Of each entry, where its vector ends; it starts where the last one ends.
    ends: Vec<u32>,
    /// Of each entry, its number.
    ids: Vec<StateId>,
    words: Vec<u32>,
}

impl Shard {
    fn vector(&self, entry: u32) -> &[u32] {
        let entry = entry as usize;
        let start = if entry == 0 { 0 } else { self.ends[entry - 1] };
        &self.words[start as usize..self.ends[entry] as usize]
    }

    /// The slot of a vector, or the empty slot where it belongs.
    fn probe(&self, hash: u32, vector: Option<&[u32]>) -> usize {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let entry = self.slots[at];
            let same = || {
                self.hashes[entry as usize] == hash
                    && vector.is_some_and(|v| self.vector(entry) == v)
            };
            if entry == EMPTY || same() {
                return at;
            }
            at = (at + 1) & mask;
        }
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots = vec![EMPTY; size];
        for entry in 0..self.hashes.len() {
            let at = self.probe(self.hashes[entry], None);
            self.slots[at] = entry as u32;
        }
    }

    fn insert(&mut self, hash: u32, vector: &[u32]) -> u32 {
        if self.slots.len() * 2 <= self.hashes.len() * 3 {
            self.grow();
        }
        let at = self.probe(hash, Some(vector));
        if self.slots[at] == EMPTY {
            self.slots[at] = self.hashes.len() as u32;
            self.hashes.push(hash);
            self.words.extend_from_slice(vector);
            self.ends.push(self.words.len() as u32);
            self.ids.push(StateId::MAX);
        }
        self.slots[at]
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
        Handle(entry * SHARDS as u32 + number as u32)
    }

    /// The vector of a handle.
    pub fn vector(&self, handle: Handle) -> Vector {
        let (entry, number) = (handle.0 / SHARDS as u32, handle.0 as usize % SHARDS);
        Vector::from_slice(self.shard(number).vector(entry))
    }

    /// Whether a stored vector has a number.
    pub fn is_numbered(&self, handle: Handle) -> bool {
        let (entry, number) = (handle.0 / SHARDS as u32, handle.0 as usize % SHARDS);
        self.shard(number).ids[entry as usize] != StateId::MAX
    }

    /// The number of a stored vector, and its length; the number is `fresh` if it has none yet.
    pub fn number(&mut self, handle: Handle, fresh: StateId) -> (StateId, usize) {
        let (entry, number) = (handle.0 / SHARDS as u32, handle.0 as usize % SHARDS);
        let shard = self.shards[number].get_mut();
        let shard = shard.unwrap_or_else(PoisonError::into_inner);
        let id = &mut shard.ids[entry as usize];
        if *id == StateId::MAX {
            *id = fresh;
        }
        (*id, shard.vector(entry).len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_vectors_have_one_handle() {
        let mut table = Table::default();
        let all: Vec<Vec<u32>> = (0..5000u32).map(|i| vec![i % 7, i, i / 3]).collect();
        let handles: Vec<Handle> = all.iter().map(|v| table.insert(v)).collect();
        for (v, h) in all.iter().zip(&handles) {
            assert_eq!(table.insert(v), *h);
            assert_eq!(table.vector(*h)[..], v[..]);
        }
        assert!(!table.is_numbered(handles[17]));
        for (n, h) in (0..).zip(&handles) {
            assert_eq!(table.number(*h, n), (n, 3));
        }
        assert!(table.is_numbered(handles[17]));
        assert_eq!(table.number(handles[17], 9999), (17, 3));
    }
}
