//! Different lists of numbers, each stored once and numbered.

use dashmap::DashMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// Parts of a table that are locked by themselves.
const SHARDS: usize = 64;

/// An empty table that many threads look into at the same time.
pub fn index<K: Eq + Hash, V>() -> DashMap<K, V, FxBuildHasher> {
    DashMap::with_hasher_and_shard_amount(FxBuildHasher, SHARDS)
}

/// The lists.
pub struct Pool {
    index: DashMap<Box<[u32]>, u32, FxBuildHasher>,
    list: boxcar::Vec<Box<[u32]>>,
}

impl Default for Pool {
    fn default() -> Self {
        Self {
            index: index(),
            list: boxcar::Vec::new(),
        }
    }
}

impl Pool {
    /// The number of a list.
    pub fn intern(&self, words: &[u32]) -> u32 {
        if let Some(id) = self.index.get(words) {
            return *id;
        }
        // The shard stays locked while the list is appended, so each gets one number.
        let entry = self.index.entry(words.into());
        *entry.or_insert_with(|| self.list.push(words.into()) as u32)
    }

    /// The list of a number.
    pub fn get(&self, id: u32) -> &[u32] {
        &self.list[id as usize]
    }

    /// The number of a list, for a worker.
    pub fn number(&self, recent: &mut Recent, words: &[u32]) -> u32 {
        let same = |id| self.get(id) == words;
        recent.get(words, same, || self.intern(words))
    }

    /// Words of all lists.
    pub fn words(&self) -> u64 {
        self.list.iter().map(|(_, c)| c.len() as u64).sum()
    }
}

/// Numbers of lists that one worker has looked up lately, by hash: what it knows it need not ask in the common tables, where
/// it would meet the others. A list itself is where its number leads to, so remembering one takes no memory of its own.
#[derive(Debug, Default)]
pub struct Recent {
    /// Part of the hash, and the number; as many as a power of two. What comes to the same place takes it.
    slots: Vec<(u32, u32)>,
    /// How many have lost their place since there are so many.
    lost: usize,
}

/// Numbers that are remembered at first, and at most.
const PLACES: [usize; 2] = [1 << 10, 1 << 17];

impl Recent {
    /// No number: it is not remembered.
    pub const NONE: u32 = u32::MAX;

    /// The number of a list; looked up elsewhere if the number that is remembered is not the same list, or there is none.
    pub fn get(
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

    /// Makes more places, all empty.
    fn grow(&mut self) {
        let [first, most] = PLACES;
        self.lost = 0;
        if self.slots.len() < most {
            let size = (self.slots.len() * 4).max(first).min(most);
            self.slots = vec![(0, Self::NONE); size];
        }
    }
}

/// Numbers that one worker has looked up before, under lists that can't be found again from the number: what it knows it need not ask in the common tables, where it would meet
/// the others.
#[derive(Debug, Default)]
pub struct Local {
    known: FxHashMap<Box<[u32]>, u32>,
}

/// Numbers that a worker remembers at most; then it forgets all.
const REMEMBERED: usize = 1 << 15;

impl Local {
    /// The number of a list; looked up elsewhere if it is new here.
    pub fn get(&mut self, words: &[u32], look: impl FnOnce() -> u32) -> u32 {
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
