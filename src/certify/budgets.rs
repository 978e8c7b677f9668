//! How much the checkers try before they give up. These are constants of the trusted core alone: what proposes has budgets of its own.

/// Ways of following a tale that are tried.
pub(crate) const TALES: usize = 20_000;

/// Configurations tried after a run has achieved its aim, for one in which the attack also runs to its end.
pub(crate) const AFTERWARDS: usize = 2_000;

/// Configurations that a new one is compared with; beyond, only equal ones are noticed.
pub(crate) const COMPARED: usize = 1_000;

/// Conditions put in the place of others before a comparison of two clauses is given up.
pub(crate) const SUBSUMPTIONS: u32 = 20_000;

/// Terms looked at to solve the equations of one check before it is given up: a few equations can double a term again and again.
pub(crate) const EQUATIONS: u32 = 20_000_000;

/// The most joint keys for which orders are chosen together.
pub(crate) const KEYS: usize = 8;

/// Steps of the check of an equivalence: equations, recipes and runs that are looked at.
pub(crate) const CONES: u64 = 2_000_000_000;
