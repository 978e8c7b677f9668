//! Exact trace (= may-testing) equivalence of two systems [Sem 5]: which procedure decides.
//!
//! Systems that are structurally congruent need no exploration; causal cones decide those with a channel for each process;
//! role by role comes before the joint exploration where channels are shared.
//!
//! Left to others: unfolding and its bounds (`process`), the procedures (`cones`, `joint`).

mod compare;
mod congruence;
mod roles;

pub use crate::engine::joint::{
    Distinction, Options, Outcome, Reason, Reductions, Semantics, Side, Stats, Surroundings, Way,
};
pub use compare::{AnyNumber, Shown, any_number, compare, compare_and_show};
