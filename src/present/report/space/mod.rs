//! State spaces: figures for people, and the graph as text, DOT, Aldebaran and JSON.
//!
//! All formats write the same states and labels ([`crate::engine::lts::Show`]); none of them adds anything. Everything but times is
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

use crate::analysis::StateSpace;
use crate::base::limits::StopReason;
use crate::present::report::summary;
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
    summary::stopped(reason)
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

/// What a graph does not say of itself: that it is a part and why, and the bounds that it is subject to.
pub fn notes(subject: Subject<'_>) -> Vec<String> {
    let found = subject.found;
    let cut = found.space.stopped.map(|reason| {
        let least = states(least(found));
        format!("inconclusive, at least {least}: {}", end(found, reason))
    });
    let all = cut.into_iter().chain(bounds(found));
    all.map(|note| format!("{}: {note}", subject.system))
        .collect()
}

/// How many states there are at least. A state whose successors do not fit is not expanded: fewer may be stored than are
/// allowed, but what does not fit is there.
fn least(found: &StateSpace) -> u64 {
    let stored = found.space.stats.states;
    match found.space.stopped {
        Some(StopReason::States(n)) if Some(n) == found.options.limits.states => stored.max(n + 1),
        _ => stored,
    }
}

/// Why an exploration ended early, and what was stored if that is less than was allowed.
fn end(found: &StateSpace, reason: StopReason) -> String {
    let stored = found.space.stats.states;
    match reason {
        StopReason::States(n) if stored < n => format!(
            "{}; {} stored, what the next one leads to does not fit",
            stopped(reason),
            grouped(u128::from(stored))
        ),
        _ => stopped(reason),
    }
}

/// The bounds that were met, in words.
fn bounds(found: &StateSpace) -> Vec<String> {
    let cut = found
        .cut()
        .map(|n| format!("recursion was cut (--unfold {n}): what lies beyond is not covered"));
    let copied = found.copies().map(|n| {
        let copies = summary::count(u64::from(n), "copy", "copies");
        format!("a bare `!` was taken as {copies} (--copies)")
    });
    cut.into_iter().chain(copied).collect()
}

/// A number of states.
fn states(n: u64) -> String {
    let noun = if n == 1 { "state" } else { "states" };
    format!("{} {noun}", grouped(u128::from(n)))
}

/// `1,234,567`.
fn grouped(n: u128) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (i, c) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(c);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_grouped() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1234), "1,234");
        assert_eq!(grouped(2_206_186), "2,206,186");
        assert_eq!(states(1), "1 state");
    }
}
