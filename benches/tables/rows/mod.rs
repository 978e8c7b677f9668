//! The tables, and what their rows must answer.

mod compare;
mod finders;
mod frontend;
mod pins;
mod search;
mod spaces;

use super::Table;

/// All tables, in the order of `docs/benchmarks.md`.
pub const TABLES: &[Table] = &[
    search::GROWTH,
    search::LIBRARY,
    search::PROOFS,
    search::SPYCATCHER,
    finders::FINDERS,
    finders::RUNS,
    finders::START,
    compare::SHARED,
    compare::BESIDE_SHARED,
    compare::OWN,
    compare::BESIDE_OWN,
    compare::REDUCTIONS,
    spaces::COUNTS,
    spaces::COSTS,
    spaces::LATE,
    frontend::FRONTEND,
];
