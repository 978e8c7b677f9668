//! What everything stands on: source files and diagnostics, limits and observers, and the processes that share an exploration.

#[cfg(feature = "distributed")]
pub mod cluster;
pub mod limits;
pub mod source;
