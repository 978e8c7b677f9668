//! The interface of the exploration: what is explored, by which rules, and what is found.

use super::liveness::Loss;
use super::path::Path;
use super::report::{Stop, Totals};

/// A state that another leads to.
#[derive(Clone, Debug, Default)]
pub struct Child {
    /// Its number among its siblings, including those that need no lookup.
    pub index: u32,
    /// Chooses the owner. States that have to be compared have the same hash.
    pub hash: u64,
    /// The key for the lookup.
    pub key: Vec<u8>,
    /// The state to expand; empty if it is the key.
    pub state: Vec<u8>,
    /// Its width, for the statistics.
    pub width: u64,
}

/// What a state leads to.
#[derive(Clone, Debug, Default)]
pub struct Expanded {
    /// The children that need a lookup.
    pub children: Vec<Child>,
    /// The number of children that need no lookup.
    pub dropped: u64,
    /// The goal is reached from here.
    pub hit: bool,
    /// Something was left out.
    pub flawed: bool,
}

/// What is explored.
pub trait Explorer: Sync {
    /// Expands a state; `None` if the bytes are malformed.
    fn expand(&self, state: &[u8]) -> Option<Expanded>;
}

/// The states that this process owns.
pub trait Seen {
    /// Whether the state, or one that subsumes it, is there.
    fn knows(&self, key: &[u8]) -> bool;
    /// Adds a state. Returns whether it was new.
    fn insert(&mut self, key: &[u8]) -> bool;
}

/// Checks clock, memory and interrupts, and reports progress.
pub trait Halts: Sync {
    /// Why to stop now, if there is a reason.
    fn stop(&self) -> Option<Stop>;
    /// Reports what was counted so far and how many states are pending.
    fn progress(&self, totals: &Totals, depth: u32, waiting: u64);
}

/// When a single process would end.
#[derive(Clone, Copy, Debug)]
pub struct Rules {
    /// States that a single process expands between two checks.
    pub chunk: usize,
    /// A hit ends the search: where, of the layer, the counts end.
    pub hit: HitRule,
    /// The search ends after the chunk in which there are more new states than this.
    pub bound: Option<u64>,
    /// The limit is checked before a chunk, not after it.
    pub ahead: bool,
    /// The last layer that is expanded, counted from 1.
    pub depth: Option<u32>,
    /// Equal states are one.
    pub sharing: bool,
    /// Worker threads; 0 for one per core.
    pub threads: usize,
}

/// What a hit means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitRule {
    /// The search ends at the state that hits.
    Before,
    /// The search ends with the chunk of the first state that hits.
    Through,
    /// The search goes on.
    GoOn,
}

/// How an exploration ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Everything was explored.
    Complete,
    /// The goal was reached.
    Hit,
    /// The bound on states was met.
    Bound,
    /// The bound on depth was met.
    Depth,
    /// A process had to stop.
    Stopped(Stop),
    /// A process was lost.
    Lost(Loss),
}

/// What was found; the same in all processes.
#[derive(Clone, Debug)]
pub struct Found {
    /// How it ended.
    pub end: End,
    /// What was counted.
    pub totals: Totals,
    /// Layers that were expanded completely.
    pub depth: u32,
    /// The states that hit, in order.
    pub hits: Vec<Path>,
    /// Something was left out.
    pub flawed: bool,
}
