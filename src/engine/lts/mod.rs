//! State spaces: the environment-sensitive labelled transition system of a system [Sem 3], as a
//! graph or as a tree.
//!
//! A state is a node of `joint` with a single configuration: the knowledge K of the environment
//! with its history, the threads P, the generics with their levels (Upsilon) and the forbidden
//! specialisations (Lambda). Tests, communication and saturation are those of `joint`. Stripping,
//! canonical forms and the relation R exist a second time here, on pieces (`piece`): this copy
//! renames without building terms, and a single configuration needs less than a node of many.
//!
//! | question | file |
//! |---|---|
//! | which transitions has a state? | `successors`; from memoised steps: `memoised`, `memo` |
//! | when are two states equal? | `strip`, `canonical_form`, `refine` |
//! | which threads are related by R? | `symmetry` |
//! | what is stored? | `codec` (states as vectors), `table`, `visited` |
//! | in which order? | `explore`, `expand`, `in_order`; on several processes `distributed` |
//! | how large is the tree? | `trees` |
//! | what does a transition show? | `label`, `show`, `names` |
//!
//! Two reductions, each with a switch. *Sharing*: a state that was reached before is not explored
//! again. *Symmetry*: states that are equal up to renaming are one, and of threads that are related
//! by R (equation 16 of the S3A paper) only one moves.
//!
//! Left to others: unfolding and limits (`analysis`), wording and formats (`report`).

mod canonical_form;
mod codec;
#[cfg(feature = "distributed")]
mod distributed;
mod environment_form;
mod environments;
mod expand;
mod explore;
mod graph;
mod in_order;
mod interner;
mod label;
mod lambda;
mod memo;
mod memoised;
mod names;
mod options;
mod piece;
mod refine;
mod show;
mod state;
mod strip;
mod successors;
mod symmetry;
mod table;
mod trees;
mod visited;

pub use explore::explore;
pub use graph::{Edge, Graph, Renaming, Vertex};
pub use label::{Act, Destructed, Label, Opening, Partner};
pub use options::{Options, Space, Stats, Trees};
pub use show::{Chosen, Described, Known, Show};
