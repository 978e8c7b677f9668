//! Joint exploration of two systems [Sem 5].
//!
//! A node is a set of configurations of either side that the
//! environment can't tell apart so far. Whatever a configuration needs to know about the environment's messages
//! splits the node; whatever it shows to the environment sends it to a child together with all the others that show
//! the same. The systems are equivalent if no child is ever left with configurations of one side only.
//!
//! Invariant: the verdict is exact for the unfolded systems. Reductions change the amount of work and nothing else;
//! each can be switched off in [`Options`].
//!
//! Nodes and their parts are open to `lts`, which explores nodes with a single configuration, and the causal cones share
//! templates and recipes.
//!
//! Left to others: which procedure decides (`equiv`), replay of the distinguishing run (`certify`), wording (`report`).

#[cfg(feature = "distributed")]
pub(crate) mod bytes;
pub(crate) mod canonical;
pub(crate) mod compress;
mod distinction;
#[cfg(feature = "distributed")]
pub(crate) mod distributed;
mod explore;
pub(crate) mod halt;
pub(crate) mod moves;
pub(crate) mod node;
mod options;
pub(crate) mod private_form;
mod public_names;
pub(crate) mod question;
pub(crate) mod saturate;
pub(crate) mod settle;
pub(crate) mod setup;
pub(crate) mod strip;
mod subsumption;
pub(crate) mod symmetry;
pub(crate) mod template;
pub(crate) mod trail;

pub use distinction::{Distinction, Reason};
pub use explore::explore;
pub use node::Side;
pub use options::{Options, Outcome, Reductions, Semantics, Stats, Surroundings, Way};
