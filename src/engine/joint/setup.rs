//! What does not change during an exploration.

use super::Options;
use super::halt::Halt;
use super::template::Templates;
use crate::term::{TermId, TermStore};

/// The systems and how they are explored.
#[derive(Debug)]
pub(crate) struct Setup<'a> {
    /// The terms.
    pub store: &'a TermStore,
    /// The agents that the attacker plays.
    pub spies: &'a [TermId],
    /// The templates of both sides.
    pub templates: Templates,
    /// Canonical restricted names.
    pub pool: Vec<TermId>,
    /// The public names that are renamed, in the order in which they are given to a canonical node.
    pub public_names: Vec<TermId>,
    /// How to compare.
    pub options: &'a Options,
    /// Runs may be compressed: the systems are simple.
    pub compressed: bool,
    /// When to stop in the middle.
    pub halt: Halt<'a>,
}
