//! Which variable numbers are whose.
//!
//! A variable is a number, and there is one kind of them. Who needs variables of its own beside those that are in the terms
//! already takes them from a range. Ranges that may meet in one term or one equation have no number in common.

use std::ops::Range;

/// Variables of programs and unfolded systems. Every layer meets them.
pub const PROCESSES: Range<u32> = 0..1 << 28;

/// Parameters of templates, which stand for the variables of a system in joint exploration.
pub const PARAMETERS: Range<u32> = 0..1 << 20;
/// What the test of a template binds.
pub const BOUND: Range<u32> = 1 << 20..1 << 24;
/// What a system itself binds in the tree of causal cones; the environment's messages are numbered below.
pub const LOCAL: Range<u32> = 1 << 24..1 << 28;

/// Variables of claims, beside those of the system that the search asks about.
pub const CLAIMS: Range<u32> = 1 << 28..1 << 29;
/// Variables of destructors' rules, and of openings that are made of them.
pub const RULES: Range<u32> = 1 << 29..1 << 30;
/// Places of unfinished recipes in the solver.
pub const HOLES: Range<u32> = 1 << 30..TESTERS.start;
/// Variables of attack processes that `certify` puts beside a system.
pub const TESTERS: Range<u32> = u32::MAX / 2..u32::MAX;
/// What the prover does not know of a restricted name that a claim mentions.
pub const UNSEEN: Range<u32> = 1 << 31..u32::MAX;

/// Universals of an entry of Lambda.
pub const UNIVERSALS: Range<u32> = 0..1 << 28;
/// Generics of an entry of Lambda, where state spaces keep it with its generics and indices left open.
pub const ENTRY_GENERICS: Range<u32> = 1 << 28..1 << 29;
/// Indices of such an entry.
pub const ENTRY_INDICES: Range<u32> = 1 << 29..1 << 30;
/// Atoms that are left open in a piece of a state space.
pub const PIECES: Range<u32> = 1 << 29..1 << 30;

/// Names of a narration that no program has.
pub const NARRATIONS: Range<u32> = 1 << 30..u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    /// Who meets whom.
    fn rooms() -> Vec<(&'static str, Vec<Range<u32>>)> {
        vec![
            ("search", vec![PROCESSES, CLAIMS, RULES, HOLES]),
            ("joint", vec![PARAMETERS, BOUND, RULES, HOLES]),
            ("cones", vec![PARAMETERS, BOUND, LOCAL, RULES, HOLES]),
            ("pieces", vec![PARAMETERS, BOUND, PIECES, HOLES]),
            ("entries", vec![UNIVERSALS, ENTRY_GENERICS, ENTRY_INDICES]),
            ("prove", vec![PROCESSES, CLAIMS, RULES, UNSEEN]),
            ("certify", vec![PROCESSES, CLAIMS, RULES, TESTERS]),
            ("grade", vec![PROCESSES, RULES, NARRATIONS]),
        ]
    }

    #[test]
    fn ranges_that_meet_have_no_number_in_common() {
        for (room, mut ranges) in rooms() {
            ranges.sort_by_key(|r| r.start);
            for pair in ranges.windows(2) {
                assert!(pair[0].end <= pair[1].start, "{room}: {pair:?}");
            }
            assert!(ranges.iter().all(|r| !r.is_empty()), "{room}");
        }
    }
}
