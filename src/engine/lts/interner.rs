//! Interned lists of numbers.

use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// The number of shards of a table, each with its own lock.
const SHARDS: usize = 64;

/// An empty table for concurrent lookups.
pub(super) fn index<K: Eq + Hash, V>() -> DashMap<K, V, FxBuildHasher> {
    DashMap::with_hasher_and_shard_amount(FxBuildHasher, SHARDS)
}

/// Lists of numbers, each stored once and numbered.
pub(super) struct Interner {
    index: DashMap<Box<[u32]>, u32, FxBuildHasher>,
    list: boxcar::Vec<Box<[u32]>>,
}

impl Default for Interner {
    fn default() -> Self {
        Self {
            index: index(),
            list: boxcar::Vec::new(),
        }
    }
}

impl Interner {
    /// The number of a list.
    pub(super) fn intern(&self, words: &[u32]) -> u32 {
        if let Some(id) = self.index.get(words) {
            return *id;
        }
        // The shard stays locked while the list is appended, so each gets one number.
        let entry = self.index.entry(words.into());
        *entry.or_insert_with(|| self.list.push(words.into()) as u32)
    }

    /// The list of a number.
    pub(super) fn get(&self, id: u32) -> &[u32] {
        &self.list[id as usize]
    }

    /// The number of a list, for a worker.
    pub(super) fn number(&self, recent: &mut RecentCache, words: &[u32]) -> u32 {
        let same = |id| self.get(id) == words;
        recent.get(words, same, || self.intern(words))
    }

    /// Words of all lists.
    pub(super) fn words(&self) -> u64 {
        self.list.iter().map(|(_, c)| c.len() as u64).sum()
    }
}

/// The lists that one worker has looked up lately, by hash. A hit saves a lookup in the shared
/// tables, where workers wait for each other. An entry is only a number: the list itself is in the
/// interner.
#[derive(Debug, Default)]
pub(super) struct RecentCache {
    /// Part of the hash, and the number. The length is a power of two; a later entry replaces an
    /// earlier one.
    slots: Vec<(u32, u32)>,
    /// Entries replaced since the last growth.
    lost: usize,
}

/// The initial and the greatest number of entries.
const PLACES: [usize; 2] = [1 << 10, 1 << 17];

impl RecentCache {
    /// No number: not in the cache.
    pub(super) const NONE: u32 = u32::MAX;

    /// The number of a list; looked up in the shared table if it is not in the cache.
    pub(super) fn get(
        &mut self,
        words: &[u32],
        same: impl FnOnce(u32) -> bool,
        look: impl FnOnce() -> u32,
    ) -> u32 {
        let mut hasher = FxHasher::default();
        words.hash(&mut hasher);
        let hash = hasher.finish();
        if self.slots.is_empty() || self.lost > self.slots.len() {
            self.grow();
        }
        let (at, part) = ((hash >> 32) as usize % self.slots.len(), hash as u32);
        let (other, id) = self.slots[at];
        if other == part && id != Self::NONE && same(id) {
            return id;
        }
        self.lost += usize::from(id != Self::NONE);
        let id = look();
        self.slots[at] = (part, id);
        id
    }

    /// Enlarges the cache fourfold, up to the limit, and empties it.
    fn grow(&mut self) {
        let [first, most] = PLACES;
        self.lost = 0;
        if self.slots.len() < most {
            let size = (self.slots.len() * 4).max(first).min(most);
            self.slots = vec![(0, Self::NONE); size];
        }
    }
}

/// The lists that one worker has looked up before, stored with their numbers, for lists that the
/// number does not lead back to.
#[derive(Debug, Default)]
pub(super) struct LocalCache {
    known: FxHashMap<Box<[u32]>, u32>,
}

/// When the cache has this many entries it is emptied.
const REMEMBERED: usize = 1 << 15;

impl LocalCache {
    /// The number of a list; looked up in the shared table if it is not in the cache.
    pub(super) fn get(&mut self, words: &[u32], look: impl FnOnce() -> u32) -> u32 {
        if let Some(id) = self.known.get(words) {
            return *id;
        }
        let id = look();
        if self.known.len() >= REMEMBERED {
            self.known.clear();
        }
        self.known.insert(words.into(), id);
        id
    }
}
