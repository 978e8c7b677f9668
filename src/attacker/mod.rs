//! The symbolic attacker: what it knows, and the solver for what it may still choose.

pub(crate) mod knowledge;
pub(crate) mod solver;
