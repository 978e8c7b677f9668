//! What the claims of one file have in common: the systems they are about, and honest runs of these.

use super::gates::Gates;
use super::systems::Systems;

/// What was found while claims of a file were decided and is there for the next claim.
#[derive(Debug, Default)]
pub struct Kept {
    pub(super) gates: Gates,
    pub(super) systems: Systems,
}

impl Kept {
    /// Nothing found yet.
    pub fn new() -> Self {
        Self::default()
    }
}
