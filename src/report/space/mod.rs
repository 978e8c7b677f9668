//! State spaces: figures for people, and the graph as text, DOT, Aldebaran and JSON.
//!
//! All formats write the same states and labels ([`crate::lts::Show`]); none of them adds anything. Everything but times is
//! the same for the same input, whatever the machine and the number of threads.

mod aut;
mod dot;
mod json;
mod stats;
mod text;

pub use aut::write_aut;
pub use dot::write_dot;
pub use json::write_json;
pub use stats::write_stats;
pub use text::write_text;

use crate::analysis::{StateSpace, stop_reason};
use crate::equiv::StopReason;
use crate::term::TermStore;

/// What a report about a state space is about.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The terms.
    pub store: &'a TermStore,
    /// The path of the file as it was typed.
    pub file: &'a str,
    /// The name of the system.
    pub system: &'a str,
    /// The space.
    pub found: &'a StateSpace,
}

/// Why an exploration ended early, in words.
fn stopped(reason: StopReason) -> String {
    super::summary::stopped(stop_reason(reason))
}

/// The inside of a quoted string on one line, as Graphviz and Aldebaran files have it.
fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
