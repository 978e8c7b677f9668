//! Stripping: what the future of a state does not depend on is left out. The same as
//! `joint::strip`, on pieces.
//!
//! Nothing is renamed here: what is kept keeps its number. Only levels are renumbered.

use super::codec::{Codec, Environment};
use super::lambda::EntryId;
use super::piece::{Numbered, PieceId};
use crate::attacker::knowledge::Level;
use crate::engine::joint::node::Life;
use smallvec::SmallVec;

/// What is kept of the environment of a state.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// The level.
    pub level: Level,
    /// The generics, in order.
    pub generics: Vec<u32>,
    /// The new levels of the generics.
    pub levels: Vec<Level>,
    /// The indices of the elements, in order.
    pub elements: Vec<u32>,
    /// The new lives of the elements.
    pub lives: Vec<Life>,
    /// The entries of Lambda.
    pub entries: Vec<EntryId>,
    /// The levels that count and their new numbers, in order.
    ranks: Vec<(Level, Level)>,
}

/// The generics that the threads of a state mention, as bits.
pub(super) type Mentioned = SmallVec<[u64; 1]>;

/// The generics that threads mention, of the given number of generics.
pub(super) fn mentioned(generics: usize, threads: &[Numbered<'_>]) -> Mentioned {
    let mut bits: Mentioned = smallvec::smallvec![0; generics.div_ceil(64).max(1)];
    for piece in threads {
        bits[0] |= piece.generics;
        if generics > 64 {
            for g in piece.atoms.iter().filter_map(|a| a.as_generic()) {
                bits[g as usize / 64] |= 1 << (g % 64);
            }
        }
    }
    bits
}

/// Strips states; cleared for every state.
#[derive(Debug, Default)]
pub(super) struct Stripper {
    /// What is kept.
    pub kept: Kept,
    used_generics: Vec<bool>,
    used_elements: Vec<bool>,
    open: Vec<usize>,
}

fn alive(life: &Life, level: Level) -> bool {
    life.born <= level && life.dead.is_none_or(|d| level < d)
}

impl Stripper {
    /// Strips a state whose threads mention these generics.
    pub(super) fn strip(&mut self, codec: &Codec, env: &Environment, mentioned: &Mentioned) {
        self.mark(codec, env, mentioned);
        let kept = &mut self.kept;
        kept.generics.clear();
        let generics = 0..env.generics.len() as u32;
        kept.generics
            .extend(generics.filter(|g| self.used_generics[*g as usize]));
        kept.elements.clear();
        let elements = 0..env.lives.len() as u32;
        kept.elements
            .extend(elements.filter(|i| self.used_elements[*i as usize]));
        kept.entries.clear();
        let entries = env.entries.iter().copied();
        let used = &self.used_generics;
        kept.entries
            .extend(entries.filter(|e| keeps(codec, used, *e)));
        kept.renumber(codec, env);
    }

    /// Marks the generics and elements that are used.
    fn mark(&mut self, codec: &Codec, env: &Environment, mentioned: &Mentioned) {
        self.used_generics.clear();
        let bit = |g: usize| mentioned[g / 64] >> (g % 64) & 1 == 1;
        self.used_generics.extend((0..env.generics.len()).map(bit));
        self.used_elements.clear();
        self.used_elements.resize(env.lives.len(), false);
        self.open.clear();
        for (i, life) in env.lives.iter().enumerate() {
            if life.dead.is_none() {
                self.used_elements[i] = true;
                self.open.push(i);
            }
        }
        // An element keeps its generics, a generic keeps the dead elements of its level.
        loop {
            while let Some(i) = self.open.pop() {
                mark(codec, &mut self.used_generics, env.terms[i]);
            }
            let Some(i) = self.revived(codec, env) else {
                break;
            };
            self.used_elements[i] = true;
            self.open.push(i);
        }
    }

    /// A dead element not yet kept that a generic, a universal or a recipe of Lambda needs.
    fn revived(&self, codec: &Codec, env: &Environment) -> Option<usize> {
        let needed = |i: usize| {
            let life = &env.lives[i];
            let mut generics = env.generics.iter().zip(&self.used_generics);
            let by_entry = |e: &EntryId| {
                let forbidden = codec.entries.get(*e);
                (forbidden.entry.universals.iter().any(|l| alive(life, *l))
                    || forbidden.indices.contains(&(i as u32)))
                    && keeps(codec, &self.used_generics, *e)
            };
            generics.any(|(level, used)| *used && alive(life, *level))
                || env.entries.iter().any(by_entry)
        };
        (0..env.lives.len()).find(|i| !self.used_elements[*i] && needed(*i))
    }
}

impl Kept {
    /// Only levels of generics, universals and the present count, and neighbours at which the same
    /// elements are alive are one.
    fn renumber(&mut self, codec: &Codec, env: &Environment) {
        self.ranks.clear();
        self.ranks.push((env.level, 0));
        let levels = self.generics.iter().map(|g| env.generics[*g as usize]);
        self.ranks.extend(levels.map(|l| (l, 0)));
        for e in &self.entries {
            let universals = &codec.entries.get(*e).entry.universals;
            self.ranks.extend(universals.iter().map(|l| (*l, 0)));
        }
        self.ranks.sort_unstable();
        self.ranks.dedup();
        for i in 1..self.ranks.len() {
            let (last, rank) = self.ranks[i - 1];
            let now = self.ranks[i].0;
            let mut lives = self.elements.iter().map(|i| &env.lives[*i as usize]);
            let changed = lives.any(|l| alive(l, last) != alive(l, now));
            self.ranks[i].1 = rank + Level::from(changed);
        }
        self.level = self.rank(env.level);
        self.levels.clear();
        for g in &self.generics {
            let level = rank(&self.ranks, env.generics[*g as usize]);
            self.levels.push(level);
        }
        self.lives.clear();
        for i in &self.elements {
            let life = env.lives[*i as usize];
            self.lives.push(Life {
                born: rank(&self.ranks, life.born),
                dead: life.dead.map(|d| rank(&self.ranks, d)),
                opened: life.opened,
            });
        }
    }

    /// The new number of a level.
    pub(super) fn rank(&self, level: Level) -> Level {
        rank(&self.ranks, level)
    }
}

/// The first level that counts and is not before the given one; one more than all if there is none.
fn rank(ranks: &[(Level, Level)], level: Level) -> Level {
    let found = ranks.iter().find(|(l, _)| *l >= level);
    let beyond = || ranks.last().map_or(0, |(_, r)| r + 1);
    found.map_or_else(beyond, |(_, r)| *r)
}

fn mark(codec: &Codec, generics: &mut [bool], piece: PieceId) {
    for atom in &codec.pieces.get(piece).atoms {
        if let Some(g) = atom.as_generic() {
            generics[g as usize] = true;
        }
    }
}

/// Whether an entry of Lambda is kept: all its generics are used.
fn keeps(codec: &Codec, generics: &[bool], entry: EntryId) -> bool {
    let mut mentioned = codec.entries.get(entry).generics.iter();
    mentioned.all(|g| generics[*g as usize])
}
