//! What a process has of one round: the states it expands, and those that others send it.

use super::bytes::Reader;
use super::order::Path;
use super::report::{Stop, Totals};
use super::task::Seen;
use rustc_hash::FxHashMap;

/// A state of the layer at hand.
pub struct Item {
    /// The way to it.
    pub path: Path,
    /// The state.
    pub state: Vec<u8>,
}

impl Item {
    /// A state; it is its key if nothing else is given.
    pub fn new(path: Path, key: Vec<u8>, state: Vec<u8>) -> Self {
        let state = if state.is_empty() { key } else { state };
        Self { path, state }
    }
}

/// A state that was reached in the round at hand.
pub struct Candidate {
    /// The first way to it.
    pub path: Path,
    /// What is looked up.
    pub key: Vec<u8>,
    /// What is expanded; empty if it is the key.
    pub state: Vec<u8>,
    /// How wide it is.
    pub width: u64,
}

/// What the expansion of a state came to.
pub struct Parent {
    /// The way to the state.
    pub path: Path,
    /// How many children have to be looked up.
    pub children: u64,
    /// How many need no looking up.
    pub dropped: u64,
    /// The goal is reached from here.
    pub hit: bool,
}

/// What this process has of a round.
#[derive(Default)]
pub struct Round {
    /// The states that were expanded.
    pub parents: Vec<Parent>,
    /// Paths and widths of the new states.
    pub fresh: Vec<(Path, u64)>,
    /// Something was left out.
    pub flawed: bool,
    /// Why not all states were expanded.
    pub stop: Option<Stop>,
}

impl Round {
    /// Puts everything in the order of the paths.
    pub fn sort(&mut self) {
        self.parents.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.fresh.sort_unstable();
    }

    /// What this process counts of the states that come before a path, and of their children.
    pub fn totals(&self, before: Option<&Path>) -> Totals {
        let counts = |path: &Path| before.is_none_or(|end| path < end);
        let mut totals = Totals::default();
        for parent in self.parents.iter().filter(|p| counts(&p.path)) {
            totals.children += parent.children;
            totals.dropped += parent.dropped;
        }
        // The path of a child begins with that of its parent, so it is on the same side.
        for (_, width) in self.fresh.iter().filter(|(path, _)| counts(path)) {
            totals.fresh += 1;
            totals.width += width;
            totals.widest = totals.widest.max(*width);
        }
        totals
    }
}

/// The candidates of a round: of equal ones the first.
pub struct Arrived {
    sharing: bool,
    by_key: FxHashMap<Vec<u8>, Candidate>,
    all: Vec<Candidate>,
}

impl Arrived {
    /// Nothing yet; equal states are one if they are shared.
    pub fn new(sharing: bool) -> Self {
        Self {
            sharing,
            by_key: FxHashMap::default(),
            all: Vec::new(),
        }
    }

    /// Takes a record, unless the state is known; `None` if it makes no sense.
    pub fn take(&mut self, seen: &dyn Seen, record: &[u8]) -> Option<()> {
        let mut from = Reader::new(record);
        let path = from.string()?;
        let width = from.number()?;
        let key = from.string()?;
        let candidate = |key: Vec<u8>, state: &[u8]| Candidate {
            path: path.to_vec(),
            key,
            state: state.to_vec(),
            width,
        };
        if !self.sharing {
            self.all.push(candidate(key.to_vec(), from.rest()));
            return Some(());
        }
        if let Some(known) = self.by_key.get_mut(key) {
            if path < known.path.as_slice() {
                *known = candidate(Vec::new(), from.rest());
            }
        } else if !seen.knows(key) {
            self.by_key
                .insert(key.to_vec(), candidate(Vec::new(), from.rest()));
        }
        Some(())
    }

    /// The candidates in the order of their paths.
    pub fn sorted(&mut self) -> Vec<Candidate> {
        let mut all = std::mem::take(&mut self.all);
        let shared = std::mem::take(&mut self.by_key);
        all.extend(shared.into_iter().map(|(key, c)| Candidate { key, ..c }));
        all.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        all
    }
}
