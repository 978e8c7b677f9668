//! Variants of a model: the same file with something changed, made on the tree.
//!
//! `Trace` says what the places of a file stand for in its honest runs; two places that handle the same ciphertext are
//! the two ends of a message, and a change of shape is made at both. `mutants` drops or swaps one thing at a time,
//! `ladder` asks the four questions of authentication between two roles, and marks the events for it where the file
//! has none: where each role begins, and where the two are sure of each other. `adversaries` asks the file's claims again of attackers that get keys.
//!
//! Left to others: deciding claims (`analysis`), words about attacks (`report`), tables (`cli`).

mod adversary;
mod decided;
mod edit;
mod instrument;
mod ladder;
mod mutant;
mod start;
mod trace;
mod value;
mod walk;

pub(crate) use adversary::ADVERSARIES;
pub use adversary::{Row, adversaries};
pub(crate) use decided::Decided;
pub(crate) use edit::{Change, Edit};
pub(crate) use ladder::{LadderError, RUNGS, ladder};
pub(crate) use mutant::{Mutant, mutants};
pub(crate) use trace::{Act, Form, Place, Trace};
pub(crate) use walk::{Visitor, walk_file, walk_process};
