//! What a proof may use. Each of these proves more or takes less time, and none may make a proof wrong: the tests switch them off
//! one by one.

use crate::base::limits::Budgets;

/// Which terms are cut, so that they do not grow without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// None.
    Never,
    /// Those that are deeper than all first ones.
    Deeper,
    /// Those that are deeper than this: less is proved, and none of it may be wrong.
    Below(u32),
}

/// How a proof is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Options {
    /// A first attempt in which names tell nothing but the run that made them.
    pub plain: bool,
    /// A second attempt, with what runs received.
    pub received: bool,
    /// Messages received at one input of one run are made equal.
    pub once: bool,
    /// What is received by runs that nothing else in a clause is about is left out.
    pub strangers: bool,
    /// Where there are joint keys, an attempt before the first one in which clauses tell only of earlier events that are likely to be the one asked for.
    pub relevant: bool,
    /// Which terms are cut in the first attempt.
    pub cut: Cut,
    /// How often a condition is put in the place of another before a clause is taken not to be subsumed, which loses nothing
    /// but time.
    pub tries: u32,
    /// How much is tried.
    pub budgets: Budgets,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            plain: true,
            received: true,
            once: true,
            strangers: true,
            relevant: true,
            cut: Cut::Deeper,
            tries: 1_000,
            budgets: Budgets::default(),
        }
    }
}
