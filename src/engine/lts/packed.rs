//! Environments that steps leave, each stored once, with what was prepared for the canonical forms of their states.

use super::codec::Environment;
use super::pool::index;
use super::prepared::Prepared;
use super::trim::Mentioned;
use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Preparations that are kept for one environment; more are made again each time.
const LINKS: usize = 32;

/// An environment, packed.
#[derive(Debug)]
pub struct Packed {
    words: Box<[u32]>,
    /// The number of its generics.
    pub generics: usize,
    first: OnceLock<Link>,
}

/// What was prepared for states whose threads mention some generics; a list that only grows, so nobody waits.
#[derive(Debug)]
struct Link {
    mentioned: Mentioned,
    prepared: Prepared,
    next: OnceLock<Box<Link>>,
}

impl Packed {
    /// The environment.
    pub fn unpack(&self) -> Environment {
        let mut env = Environment::default();
        env.unpack(&self.words);
        env
    }

    fn links(&self) -> impl Iterator<Item = &Link> {
        std::iter::successors(self.first.get(), |link| link.next.get().map(|next| &**next))
    }

    /// About how many bytes it takes, with what was prepared.
    fn bytes(&self) -> usize {
        let links = self.links().map(|link| link.prepared.bytes());
        size_of::<Self>() + size_of_val(&*self.words) + links.sum::<usize>()
    }

    /// What was prepared for states whose threads mention these generics.
    pub fn prepared(&self, mentioned: &Mentioned) -> Option<&Prepared> {
        let mut links = self.links();
        let found = links.find(|link| link.mentioned == *mentioned);
        found.map(|link| &link.prepared)
    }

    /// Keeps what was prepared, if there is room for it.
    pub fn keep(&self, mentioned: Mentioned, prepared: Prepared) {
        let link = Link {
            mentioned,
            prepared,
            next: OnceLock::new(),
        };
        let Err(link) = self.first.set(link) else {
            return;
        };
        let mut link = Box::new(link);
        let mut ends = self.links().map(|link| &link.next);
        for end in ends.by_ref().take(LINKS) {
            match end.set(link) {
                Ok(()) => return,
                // There is another, or another worker was faster.
                Err(again) => link = again,
            }
        }
    }
}

/// An environment, looked up by its words.
struct Key(Arc<Packed>);

impl Borrow<[u32]> for Key {
    fn borrow(&self) -> &[u32] {
        &self.0.words
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.words.hash(state);
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.0.words == other.0.words
    }
}

impl Eq for Key {}

/// The environments.
pub struct Packs {
    index: DashMap<Key, (), FxBuildHasher>,
}

impl Default for Packs {
    fn default() -> Self {
        Self { index: index() }
    }
}

impl Packs {
    /// An environment, packed; the same one each time, if there is room for so many bytes. An older one is taken over.
    pub fn pack(
        &self,
        env: &Environment,
        older: &Self,
        room: impl FnOnce(usize) -> bool,
    ) -> Arc<Packed> {
        let words = env.pack();
        if let Some(known) = self.index.get(&*words) {
            return known.key().0.clone();
        }
        let old = older.index.get(&*words).map(|known| known.key().0.clone());
        let packed = old.unwrap_or_else(|| {
            Arc::new(Packed {
                words,
                generics: env.generics.len(),
                first: OnceLock::new(),
            })
        });
        self.adopt(&packed, room)
    }

    /// Keeps an environment, if there is room for so many bytes; the one that is kept.
    pub fn adopt(&self, packed: &Arc<Packed>, room: impl FnOnce(usize) -> bool) -> Arc<Packed> {
        if let Some(known) = self.index.get(&*packed.words) {
            return known.key().0.clone();
        }
        if !room(packed.bytes()) {
            return packed.clone();
        }
        let entry = self.index.entry(Key(packed.clone()));
        entry.or_insert(()).key().0.clone()
    }
}
