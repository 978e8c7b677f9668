//! One round of one process: the states that it expands, and those that others send it.

use super::bytes::Reader;
use super::path::Path;
use super::report::{Stop, Totals};
use super::task::Seen;
use rustc_hash::FxHashMap;

/// A state of the current layer.
pub(super) struct Item {
    /// Its path.
    pub path: Path,
    /// The state.
    pub state: Vec<u8>,
}

impl Item {
    /// A state; it is its key if nothing else is given.
    pub(super) fn new(path: Path, key: Vec<u8>, state: Vec<u8>) -> Self {
        let state = if state.is_empty() { key } else { state };
        Self { path, state }
    }
}

/// A state that was reached in the current round.
pub(super) struct Candidate {
    /// The least path to it.
    pub path: Path,
    /// The key for the lookup.
    pub key: Vec<u8>,
    /// The state to expand; empty if it is the key.
    pub state: Vec<u8>,
    /// Its width.
    pub width: u64,
}

/// A state that was expanded.
pub(super) struct Parent {
    /// The path of the state.
    pub path: Path,
    /// The number of children that need a lookup.
    pub children: u64,
    /// The number of children that need none.
    pub dropped: u64,
    /// The goal is reached from here.
    pub hit: bool,
}

/// The part of a round that this process does.
#[derive(Default)]
pub(super) struct Round {
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
    /// Sorts everything by path.
    pub(super) fn sort(&mut self) {
        self.parents.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.fresh.sort_unstable();
    }

    /// The counts of this process for the states before a path, and for their children.
    pub(super) fn totals(&self, before: Option<&Path>) -> Totals {
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
pub(super) struct Arrived {
    sharing: bool,
    by_key: FxHashMap<Vec<u8>, Candidate>,
    all: Vec<Candidate>,
}

impl Arrived {
    /// Nothing yet; equal states are one if they are shared.
    pub(super) fn new(sharing: bool) -> Self {
        Self {
            sharing,
            by_key: FxHashMap::default(),
            all: Vec::new(),
        }
    }

    /// Takes a record, unless the state is known; `None` if it is malformed.
    pub(super) fn take(&mut self, seen: &dyn Seen, record: &[u8]) -> Option<()> {
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

    /// The candidates, sorted by path.
    pub(super) fn sorted(&mut self) -> Vec<Candidate> {
        let mut all = std::mem::take(&mut self.all);
        let shared = std::mem::take(&mut self.by_key);
        all.extend(shared.into_iter().map(|(key, c)| Candidate { key, ..c }));
        all.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        all
    }
}
