//! Entries of Lambda, interned, with the generics and indices that they mention.
//!
//! Each worker caches the entries that it has renamed.

use super::interner::{LocalCache, index};
use crate::attacker::knowledge::Level;
use crate::attacker::solver::{Entry, GenericInfo, Generics};
use crate::engine::joint::private_form::mix;
use crate::process::Type;
use crate::term::{TermId, TermStore, View, ranges};
use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::sync::Arc;

/// First variable that stands for a generic of an entry, and for an index.
const GENERICS: u32 = ranges::ENTRY_GENERICS.start;
const INDICES: u32 = ranges::ENTRY_INDICES.start;

/// The number of an entry.
pub type EntryId = u32;

/// An entry and what is renamed in it.
#[derive(Debug)]
pub struct Forbidden {
    /// The entry.
    pub entry: Arc<Entry>,
    /// A hash of the entry without its generics, indices and levels, the same in every run.
    pub shape: u64,
    /// A hash of all of it, the same in every run.
    pub hash: u64,
    /// The generics, in order of first occurrence.
    pub generics: SmallVec<[u32; 4]>,
    /// The indices, in order of first occurrence.
    pub indices: SmallVec<[u32; 4]>,
    /// It says that two generics are different, and nothing else.
    pub is_difference: bool,
    /// The bindings, if there are several: their order means nothing.
    pub parts: Box<[Part]>,
}

/// One of several bindings of an entry.
#[derive(Debug)]
pub struct Part {
    /// The generic that is bound.
    pub bound: u32,
    /// A hash of the recipe without its generics, indices and universals, the same in every run.
    pub shape: u64,
    /// These, in order of first occurrence.
    pub atoms: SmallVec<[Mention; 4]>,
    /// The recipe is a generic.
    pub is_generic: bool,
}

/// What an entry mentions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mention {
    /// A generic.
    Generic(u32),
    /// An index.
    Index(u32),
    /// A universal of the entry.
    Universal(u32),
}

impl Part {
    fn new(store: &TermStore, bound: u32, recipe: TermId) -> Self {
        let mut atoms: SmallVec<[Mention; 4]> = SmallVec::new();
        let open = store.map_atoms(recipe, &mut |t| {
            let mention = match store.view(t) {
                View::Generic(g) => Mention::Generic(g),
                View::Index(i) => Mention::Index(i),
                View::Var(u) => Mention::Universal(u),
                _ => return None,
            };
            let at = atoms.iter().position(|a| *a == mention);
            let at = at.unwrap_or_else(|| {
                atoms.push(mention);
                atoms.len() - 1
            });
            // The kinds of vertices say what is in which hole.
            Some(store.var(GENERICS + at as u32))
        });
        Self {
            bound,
            shape: store.facts(open).hash,
            atoms,
            is_generic: is_generic(store, recipe),
        }
    }
}

impl Forbidden {
    fn new(store: &TermStore, entry: Arc<Entry>) -> Self {
        let mut generics: SmallVec<[u32; 4]> = SmallVec::new();
        let mut indices: SmallVec<[u32; 4]> = SmallVec::new();
        let place = |list: &mut SmallVec<[u32; 4]>, number: u32| {
            let at = list.iter().position(|n| *n == number);
            at.unwrap_or_else(|| {
                list.push(number);
                list.len() - 1
            }) as u32
        };
        let (mut shape, mut hash) = (3, 0);
        for (g, recipe) in &entry.bindings {
            shape = mix(shape, u64::from(place(&mut generics, *g)));
            let open = store.map_atoms(*recipe, &mut |t| match store.view(t) {
                View::Generic(g) => Some(store.var(GENERICS + place(&mut generics, g))),
                View::Index(i) => Some(store.var(INDICES + place(&mut indices, i))),
                _ => None,
            });
            shape = mix(shape, store.facts(open).hash);
            hash = mix(mix(hash, u64::from(*g)), store.facts(*recipe).hash);
        }
        for level in &entry.universals {
            hash = mix(hash, u64::from(*level));
        }
        let is_difference = matches!(&entry.bindings[..], [(_, r)] if is_generic(store, *r));
        let mut parts = Vec::new();
        if entry.bindings.len() > 1 {
            let bindings = entry.bindings.iter();
            parts.extend(bindings.map(|(g, recipe)| Part::new(store, *g, *recipe)));
        }
        Self {
            entry,
            shape,
            hash,
            generics,
            indices,
            is_difference,
            parts: parts.into(),
        }
    }
}

fn is_generic(store: &TermStore, t: TermId) -> bool {
    matches!(store.view(t), View::Generic(_))
}

/// All entries.
pub struct Entries {
    index: DashMap<Arc<Entry>, EntryId, FxBuildHasher>,
    list: boxcar::Vec<Forbidden>,
}

impl Default for Entries {
    fn default() -> Self {
        Self {
            index: index(),
            list: boxcar::Vec::new(),
        }
    }
}

impl Entries {
    /// The entry of a number.
    pub fn get(&self, id: EntryId) -> &Forbidden {
        &self.list[id as usize]
    }

    /// The number of an entry.
    pub fn intern(&self, store: &TermStore, entry: &Arc<Entry>) -> EntryId {
        if let Some(id) = self.index.get(entry) {
            return *id;
        }
        let made = Forbidden::new(store, entry.clone());
        let slot = self.index.entry(entry.clone());
        *slot.or_insert_with(|| self.list.push(made) as EntryId)
    }

    /// An entry under other names: its generics get numbers and levels, its indices numbers, its
    /// universals levels. It is brought into the form that depends only on what it says.
    pub fn renamed(
        &self,
        local: &mut LocalCache,
        store: &TermStore,
        id: EntryId,
        generic: impl Fn(u32) -> (u32, Level),
        index: impl Fn(u32) -> u32,
        level: impl Fn(Level) -> Level,
    ) -> EntryId {
        let old = self.get(id);
        let mut words: SmallVec<[u32; 16]> = SmallVec::new();
        words.push(id);
        for g in &old.generics {
            let (number, level) = generic(*g);
            words.extend([number, level]);
        }
        words.extend(old.indices.iter().map(|i| index(*i)));
        words.extend(old.entry.universals.iter().map(|l| level(*l)));
        local.get(&words, || {
            let mut levels: Vec<Level> = Vec::new();
            for g in &old.generics {
                let (number, level) = generic(*g);
                if levels.len() <= number as usize {
                    levels.resize(number as usize + 1, 0);
                }
                levels[number as usize] = level;
            }
            let mut infos = Generics::new();
            for level in levels {
                let ty = Type::Msg;
                infos.push(GenericInfo { level, ty });
            }
            let entry = old.entry.map(
                |g| generic(g).0,
                |r| {
                    store.map_atoms(r, &mut |t| match store.view(t) {
                        View::Generic(g) => Some(store.generic(generic(g).0)),
                        View::Index(i) => Some(store.basis_index(index(i))),
                        _ => None,
                    })
                },
                level,
            );
            self.intern(store, &Arc::new(entry.tidied(store, &infos)))
        })
    }

    /// Words of all entries.
    pub fn words(&self) -> u64 {
        let words = |e: &Entry| 2 + 2 * e.bindings.len() + e.universals.len();
        self.list.iter().map(|(_, f)| words(&f.entry) as u64).sum()
    }
}
