//! Certification: the trusted core that confirms an attack before anybody sees it, and a proof before it is believed [Sem 6.1].
//!
//! A search only proposes. What it proposes is ground: a [`Witness`] names the steps of the unfolded system in the
//! order they ran and the message of every input; an [`Experiment`] names what a tester sends, hears and compares.
//! This layer runs the proposal concretely and naively: messages are checked for derivability by saturation
//! ([`Deduction`]), tests by matching ground terms, claims by their definition, and for an experiment *all* runs of
//! both sides are enumerated.
//!
//! A prover only proposes as well: a [`proof::Certificate`] is a set of clauses that is checked in [`proof`]. So do the causal cones: an
//! [`equivalence::Certificate`] is a set of runs that is checked in [`equivalence`]. Both can be written as text and read again ([`mod@file`]).
//!
//! The invariant is independence: nothing here knows of generics, levels, bases, canonical keys or reductions, and
//! nothing here is used by the layers that propose witnesses and certificates except the types of these. A mistake would have
//! to be made twice, in two ways of thinking, to reach a report.
//!
//! Left to others: finding witnesses (`search`, `equiv`) and proofs (`prove`), attacks and narrations that people write
//! (`execute`), telling the story (`report`).

mod algebra;
pub(crate) mod budgets;
mod copies;
mod deduction;
mod derivation;
mod effort;
pub mod equivalence;
mod error;
mod experiment;
pub mod file;
mod matching;
pub mod proof;
mod recipe;
mod replay;
mod run;
#[cfg(test)]
mod tests;
mod theory;
mod transparent;
mod trial;
mod verdict;
mod witness;

pub use deduction::Deduction;
pub(crate) use derivation::ingredients;
pub use derivation::{Derivation, Operation, Rule, Source};
pub use effort::Effort;
pub use error::CertifyError;
pub use experiment::{Condition, Experiment, Probe, Side};
pub use matching::Difference;
pub(crate) use matching::{difference, fits};
pub use recipe::Recipe;
pub use replay::{Evidence, Played, Replayed, replay, replay_any, replay_unless};
pub use run::Checked;
pub(crate) use run::Run;
pub use trial::{
    Distinguished, Obstacle, Outcome, Semantics, Subject, Trial, attempt, replay_experiment,
};
pub use verdict::violation;
pub use witness::{Move, MoveKind, Violation, Witness};
