//! The symbolic attacker: what it knows, and the solver for what it may still choose.

pub mod knowledge;
pub mod solver;
