//! Who looks on while something is explored, and may end it.

use std::time::Duration;

/// How far an exploration got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Different states, or nodes.
    pub states: u64,
    /// Steps from the beginning that are covered completely.
    pub depth: u32,
    /// States that were found and not yet looked at.
    pub waiting: usize,
    /// Time taken.
    pub time: Duration,
}

/// Watches an exploration and may end it.
pub trait Observer: Sync {
    /// Called now and then.
    fn progress(&self, progress: &Progress);
    /// Whether the user wants to stop.
    fn interrupted(&self) -> bool;
    /// Resident memory of the process, if known.
    fn memory(&self) -> Option<u64> {
        None
    }
    /// The processes that share the work, if there are several.
    #[cfg(feature = "distributed")]
    fn cluster(&self) -> Option<&crate::base::cluster::Cluster> {
        None
    }
}

/// An observer that neither looks nor stops.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn progress(&self, _: &Progress) {}

    fn interrupted(&self) -> bool {
        false
    }
}
