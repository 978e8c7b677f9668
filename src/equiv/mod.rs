//! Exact trace (= may-testing) equivalence by joint exploration [Sem 5].
//!
//! Both systems are explored together: a node of the search is a set of configurations of either side that the
//! environment can't tell apart so far. Whatever a configuration needs to know about the environment's messages
//! splits the node; whatever it shows to the environment sends it to a child together with all the others that show
//! the same. The systems are equivalent if no child is ever left with configurations of one side only.
//!
//! Invariant: the verdict is exact for the unfolded systems. Reductions change the amount of work and nothing else;
//! each can be switched off in [`Options`].
//!
//! Nodes and their parts are open to `lts`, which explores nodes with a single configuration.
//!
//! Left to others: unfolding and its bounds (`process`), replay of the distinguishing run (`certify`), wording
//! (`report`).

pub(crate) mod ask;
#[cfg(feature = "distributed")]
pub(crate) mod bytes;
pub(crate) mod canon;
mod compare;
mod compress;
mod cone;
mod congruence;
mod distinction;
#[cfg(feature = "distributed")]
pub(crate) mod distributed;
mod embed;
mod explore;
pub(crate) mod key;
pub(crate) mod moves;
pub(crate) mod node;
mod options;
mod publics;
mod roles;
pub(crate) mod saturate;
pub(crate) mod settle;
pub(crate) mod strip;
pub(crate) mod swap;
pub(crate) mod template;
pub(crate) mod trail;

pub use compare::compare;
pub use distinction::{Distinction, Reason};
pub use node::Side;
pub use options::{Limits, Options, Outcome, Reductions, Semantics, Stats, Surroundings, Way};
