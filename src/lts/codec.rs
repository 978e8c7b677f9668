//! States as short vectors of numbers.
//!
//! A state in canonical form is cut into components: its threads, its list of basis terms, and the rest (levels, lives,
//! Upsilon, Lambda). Each different component is stored once and numbered; the state is the vector of its components'
//! numbers. Vectors are equal exactly if the states are: nothing is hashed away. A state is rebuilt from its vector when
//! its turn comes.

use crate::equiv::key::{spell_history, spell_thread};
use crate::equiv::node::{Config, Life, Node, Side, Thread};
use crate::equiv::template::TemplateId;
use crate::process::Type;
use crate::symbolic::{Entry, GenericInfo, Generics, Lambda};
use crate::term::TermId;
use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::sync::Arc;

/// A state.
pub type Vector = SmallVec<[u32; 12]>;

/// Different components of one kind.
#[derive(Default)]
struct Pool {
    index: DashMap<Box<[u32]>, u32, FxBuildHasher>,
    list: boxcar::Vec<Box<[u32]>>,
}

impl Pool {
    fn intern(&self, words: &[u32]) -> u32 {
        if let Some(id) = self.index.get(words) {
            return *id;
        }
        // The shard stays locked while the component is appended, so each gets one number.
        let entry = self.index.entry(words.into());
        *entry.or_insert_with(|| self.list.push(words.into()) as u32)
    }

    fn get(&self, id: u32) -> &[u32] {
        &self.list[id as usize]
    }

    fn words(&self) -> u64 {
        self.list.iter().map(|(_, c)| c.len() as u64).sum()
    }
}

/// The components of all states.
#[derive(Default)]
pub struct Codec {
    rest: Pool,
    bases: Pool,
    threads: Pool,
}

impl Codec {
    /// The vector of a state.
    pub fn encode(&self, node: &Node) -> Vector {
        let config = &node.configs[0];
        let mut vector = Vector::new();
        let mut words: Vec<u32> = Vec::with_capacity(32);
        spell_history(node, &mut words);
        vector.push(self.rest.intern(&words));
        words.clear();
        words.extend(config.terms.iter().map(|t| t.slot() as u32));
        vector.push(self.bases.intern(&words));
        for thread in &config.threads {
            words.clear();
            spell_thread(thread, &mut words);
            vector.push(self.threads.intern(&words));
        }
        vector
    }

    /// The state of a vector.
    pub fn decode(&self, vector: &[u32]) -> Node {
        let term = |w: &u32| TermId::from_slot(*w);
        let terms = self.bases.get(vector[1]).iter().map(term).collect();
        let threads = vector[2..].iter().map(|id| {
            let words = self.threads.get(*id);
            Thread {
                template: TemplateId(words[0]),
                values: words[1..].iter().map(term).collect(),
            }
        });
        let config = Config {
            side: Side::Left,
            threads: threads.collect(),
            terms,
        };
        let mut reader = Reader {
            words: self.rest.get(vector[0]),
        };
        let level = reader.next();
        let lives = reader.list(|r| {
            let (born, end) = (r.next(), r.next());
            Life {
                born,
                dead: (end > 1).then(|| (end >> 1) - 1),
                opened: end & 1 == 1,
            }
        });
        let mut generics = Generics::new();
        for level in reader.list(Reader::next) {
            let ty = Type::Msg;
            generics.push(GenericInfo { level, ty });
        }
        let entries = reader.list(|r| {
            Arc::new(Entry {
                bindings: r.list(|r| (r.next(), TermId::from_slot(r.next()))),
                universals: r.list(Reader::next),
            })
        });
        Node {
            level,
            lives,
            generics,
            lambda: Lambda::from_entries(entries),
            configs: vec![config],
            trail: None,
        }
    }

    /// Bytes of all components.
    pub fn bytes(&self) -> u64 {
        4 * (self.rest.words() + self.bases.words() + self.threads.words())
    }
}

/// Reads what [`spell_history`] has written.
struct Reader<'a> {
    words: &'a [u32],
}

impl Reader<'_> {
    fn next(&mut self) -> u32 {
        match self.words.split_first() {
            Some((first, rest)) => {
                self.words = rest;
                *first
            }
            None => 0,
        }
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.next();
        (0..count).map(|_| item(self)).collect()
    }
}
