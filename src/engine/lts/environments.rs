//! The environments that steps lead to, interned, each with the canonical forms prepared for it.

use super::codec::Environment;
use super::environment_form::EnvironmentForm;
use super::interner::index;
use super::strip::Mentioned;
use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use std::borrow::Borrow;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// Forms stored for one environment; more are computed again each time.
const LINKS: usize = 32;

/// An environment, packed.
#[derive(Debug)]
pub(super) struct PackedEnvironment {
    words: Box<[u32]>,
    /// The number of its generics.
    pub generics: usize,
    first: OnceLock<Link>,
}

/// The form prepared for threads that mention some generics. The list only grows, so nobody waits.
#[derive(Debug)]
struct Link {
    mentioned: Mentioned,
    prepared: EnvironmentForm,
    next: OnceLock<Box<Link>>,
}

impl PackedEnvironment {
    /// The environment.
    pub(super) fn unpack(&self) -> Environment {
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
    pub(super) fn prepared(&self, mentioned: &Mentioned) -> Option<&EnvironmentForm> {
        let mut links = self.links();
        let found = links.find(|link| link.mentioned == *mentioned);
        found.map(|link| &link.prepared)
    }

    /// Stores what was prepared, if it fits.
    pub(super) fn keep(&self, mentioned: Mentioned, prepared: EnvironmentForm) {
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
                // There is another link, or another worker was faster.
                Err(again) => link = again,
            }
        }
    }
}

/// An environment, looked up by its words.
struct Key(Arc<PackedEnvironment>);

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
pub(super) struct Environments {
    index: DashMap<Key, (), FxBuildHasher>,
}

impl Default for Environments {
    fn default() -> Self {
        Self { index: index() }
    }
}

impl Environments {
    /// An environment, packed: always the same one, if its bytes can be reserved. One of the old
    /// generation is taken over.
    pub(super) fn pack(
        &self,
        env: &Environment,
        older: &Self,
        reserve: impl FnOnce(usize) -> bool,
    ) -> Arc<PackedEnvironment> {
        let words = env.pack();
        if let Some(known) = self.index.get(&*words) {
            return known.key().0.clone();
        }
        let old = older.index.get(&*words).map(|known| known.key().0.clone());
        let packed = old.unwrap_or_else(|| {
            Arc::new(PackedEnvironment {
                words,
                generics: env.generics.len(),
                first: OnceLock::new(),
            })
        });
        self.adopt(&packed, reserve)
    }

    /// Stores an environment, if its bytes can be reserved. Returns the one that is stored.
    pub(super) fn adopt(
        &self,
        packed: &Arc<PackedEnvironment>,
        reserve: impl FnOnce(usize) -> bool,
    ) -> Arc<PackedEnvironment> {
        if let Some(known) = self.index.get(&*packed.words) {
            return known.key().0.clone();
        }
        if !reserve(packed.bytes()) {
            return packed.clone();
        }
        let entry = self.index.entry(Key(packed.clone()));
        entry.or_insert(()).key().0.clone()
    }
}
