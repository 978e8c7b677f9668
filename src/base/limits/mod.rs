//! Limits of an analysis, who watches it, and why it stopped: the same for search, joint exploration, proofs and state spaces.
//!
//! Left to others: what is counted (each engine has figures of its own), and what a reason is called (`report`).

mod budgets;
mod halt;
mod observer;
#[cfg(feature = "distributed")]
mod wire;

pub use budgets::Budgets;
pub use halt::Halt;
pub use observer::{Observer, Progress, Silent};
use std::time::Instant;

/// When to give up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Number of states.
    pub states: Option<u64>,
    /// Point in time.
    pub deadline: Option<Instant>,
    /// Resident memory of the process, in bytes.
    pub memory: Option<u64>,
}

/// Why an analysis gave up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The limit on states, or on nodes of a comparison.
    States(u64),
    /// The limit on time.
    Time,
    /// The limit on memory, in bytes.
    Memory(u64),
    /// A message with more operators and names than this.
    Size(u32),
    /// The limit on visible actions of a comparison.
    Actions(u32),
    /// The user.
    Interrupted,
    /// The process of this number was lost.
    Lost(u32),
    /// The process of this number never came.
    Absent(u32),
}
