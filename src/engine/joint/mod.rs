//! Joint exploration of two systems [Sem 5].
//!
//! A node is a set of configurations of both sides that the environment can't tell apart so far. A
//! question of a configuration about the environment's messages splits the node. An action sends
//! each configuration to a child, together with all others that show the same. The systems are
//! equivalent if every child has configurations of both sides.
//!
//! | question | file |
//! |---|---|
//! | what is a node, a thread, a configuration? | `node`, `template` |
//! | which actions does a node have? | `settle` (silent), `moves` (visible) |
//! | what does the environment learn from a message? | `saturate` |
//! | who answers tests and other questions? | `question` |
//! | when are two nodes equal? | `strip`, `private_form`, `canonical`, `public_names` |
//! | which threads and channels are interchangeable? | `symmetry` |
//! | which configurations add nothing? | `subsumption` |
//! | which runs are left out? | `compress` |
//! | in which order? | `explore`; on several processes `distributed` |
//! | how is a difference reported? | `trail`, `distinction` |
//!
//! Invariant: the verdict is exact for the unfolded systems. Reductions change the amount of work
//! and nothing else; each can be switched off in [`Options`].
//!
//! `lts` explores nodes with a single configuration and uses their parts. The causal cones share
//! templates and recipes.
//!
//! Left to others: which procedure decides (`equiv`), replay of the distinguishing run (`certify`),
//! wording (`report`).

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
pub(crate) use explore::explore;
pub use node::Side;
pub use options::{Options, Outcome, Reductions, Semantics, Stats, Surroundings, Way};
