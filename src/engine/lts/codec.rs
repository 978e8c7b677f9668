//! States in pieces, and as short vectors of numbers.
//!
//! A state is cut into components: its threads, its list of elements, and the rest (levels, lives,
//! Upsilon, Lambda). Each component is interned. A state in canonical form is the vector of its
//! components' numbers. Vectors are equal exactly if the states are: no two states are merged
//! because of a hash. A state is rebuilt from its vector when one of its steps has to be computed.
//!
//! Left to others: the canonical form (`canonical_form`).

use super::interner::{Interner, LocalCache, RecentCache};
use super::lambda::{Entries, EntryId};
use super::piece::{PieceId, Pieces, Renames};
use crate::attacker::knowledge::Level;
use crate::attacker::solver::{GenericInfo, Generics, Lambda};
use crate::engine::joint::node::{Config, Life, Node, Side, Thread};
use crate::engine::joint::setup::Setup;
use crate::engine::joint::strip::rewrite_lambda;
use crate::process::Type;
use smallvec::SmallVec;

/// The threads of a state.
pub(super) type Threads = SmallVec<[PieceId; 10]>;

/// The environment of a state: everything but its threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Environment {
    /// The level.
    pub level: Level,
    /// The history of the elements.
    pub lives: Vec<Life>,
    /// The elements.
    pub terms: Vec<PieceId>,
    /// The levels of the generics.
    pub generics: Vec<Level>,
    /// Lambda.
    pub entries: Vec<EntryId>,
}

impl Environment {
    /// Packs the environment into one list.
    pub(super) fn pack(&self) -> Box<[u32]> {
        let mut words = Vec::new();
        self.spell_rest(&mut words);
        words.extend(&self.terms);
        words.into()
    }

    /// Unpacks a list into this environment.
    pub(super) fn unpack(&mut self, mut words: &[u32]) {
        self.read_rest(&mut words);
        self.terms.clear();
        self.terms.extend(words);
    }

    fn spell_rest(&self, words: &mut Vec<u32>) {
        words.extend([self.level, self.lives.len() as u32]);
        for life in &self.lives {
            words.push(life.born);
            words.push(life.dead.map_or(0, |d| d + 1) << 1 | u32::from(life.opened));
        }
        for list in [&self.generics, &self.entries] {
            words.push(list.len() as u32);
            words.extend(list);
        }
    }

    fn read_rest(&mut self, words: &mut &[u32]) {
        let mut take = |count: usize| {
            let (taken, rest) = words.split_at(count);
            *words = rest;
            taken
        };
        self.level = take(1)[0];
        let lives = take(1)[0] as usize;
        self.lives.clear();
        for pair in take(2 * lives).chunks_exact(2) {
            self.lives.push(Life {
                born: pair[0],
                dead: (pair[1] > 1).then(|| (pair[1] >> 1) - 1),
                opened: pair[1] & 1 == 1,
            });
        }
        for list in [&mut self.generics, &mut self.entries] {
            let count = take(1)[0] as usize;
            list.clear();
            list.extend(take(count));
        }
    }
}

/// The components of all states.
#[derive(Default)]
pub(super) struct Codec {
    /// Threads and elements.
    pub pieces: Pieces,
    /// Entries of Lambda.
    pub entries: Entries,
    rest: Interner,
    bases: Interner,
}

/// The components that a worker has looked up before.
#[derive(Debug, Default)]
pub(super) struct WorkerCache {
    /// Of pieces.
    pub pieces: Renames,
    /// Of entries.
    pub entries: LocalCache,
    /// Of steps.
    pub answers: RecentCache,
    rest: RecentCache,
    bases: RecentCache,
    words: Vec<u32>,
}

impl Codec {
    /// Cuts a state into pieces.
    pub(super) fn cut(&self, setup: &Setup<'_>, node: &mut Node) -> (Environment, Threads) {
        let store = setup.store;
        rewrite_lambda(setup, node);
        let config = &node.configs[0];
        let terms = config.terms.iter();
        let threads = config.threads.iter();
        let env = Environment {
            level: node.level,
            lives: node.lives.clone(),
            terms: terms.map(|t| self.pieces.element(store, *t)).collect(),
            generics: (0..node.generics.len())
                .map(|g| node.generics.info(g).level)
                .collect(),
            entries: (node.lambda.entries().iter())
                .map(|e| self.entries.intern(store, e))
                .collect(),
        };
        let threads = threads.map(|t| self.pieces.thread(store, t)).collect();
        (env, threads)
    }

    /// Puts a state together.
    pub(super) fn join(&self, env: &Environment, threads: impl Iterator<Item = Thread>) -> Node {
        let config = Config {
            side: Side::Left,
            threads: threads.collect(),
            terms: (env.terms.iter())
                .map(|t| self.pieces.get(*t).term())
                .collect(),
        };
        let mut generics = Generics::new();
        for level in &env.generics {
            let (level, ty) = (*level, Type::Msg);
            generics.push(GenericInfo { level, ty });
        }
        let entries = env.entries.iter();
        let entries = entries.map(|e| self.entries.get(*e).entry.clone());
        Node {
            level: env.level,
            lives: env.lives.clone(),
            generics,
            lambda: Lambda::from_entries(entries.collect()),
            configs: vec![config],
            trail: None,
        }
    }

    /// The first two numbers of a vector, for a worker.
    pub(super) fn spell(&self, cache: &mut WorkerCache, env: &Environment) -> [u32; 2] {
        cache.words.clear();
        env.spell_rest(&mut cache.words);
        [
            self.rest.number(&mut cache.rest, &cache.words),
            self.bases.number(&mut cache.bases, &env.terms),
        ]
    }

    /// The elements of a vector.
    pub(super) fn terms(&self, vector: &[u32]) -> &[PieceId] {
        self.bases.get(vector[1])
    }

    /// The environment of a vector.
    pub(super) fn read(&self, vector: &[u32]) -> Environment {
        let mut env = Environment::default();
        let mut words = self.rest.get(vector[0]);
        env.read_rest(&mut words);
        env.terms.extend(self.terms(vector));
        env
    }

    /// The state of a vector.
    pub(super) fn decode(&self, vector: &[u32]) -> Node {
        let threads = vector[2..].iter().map(|t| self.pieces.get(*t).thread());
        self.join(&self.read(vector), threads)
    }

    /// Bytes of all components.
    pub(super) fn bytes(&self) -> u64 {
        let words = self.rest.words() + self.bases.words();
        4 * (words + self.pieces.words() + self.entries.words())
    }
}
