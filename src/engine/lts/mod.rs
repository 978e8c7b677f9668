//! The environment-sensitive labelled transition system of a system [Sem 3], as a graph or as a tree.
//!
//! A state is a node of `equiv` with a single configuration: the knowledge K of the environment with its history, the
//! threads P, the generics with their levels (Upsilon) and the forbidden specialisations (Lambda). Its transitions are
//! made of the same pieces as those of the joint exploration: tests, communication and saturation are not written twice.
//!
//! Two reductions, each with a switch. *Sharing*: a state that was reached before is not explored again. *Symmetry*:
//! states that are equal up to renaming are one, and of threads that are related by R (equation 16 of the S3A paper) only
//! one moves.
//!
//! Left to others: unfolding and limits (`analysis`), wording and formats (`report`).

mod book;
mod codec;
#[cfg(feature = "distributed")]
mod distributed;
mod entry;
mod expand;
mod explore;
mod form;
mod graph;
mod in_order;
mod label;
mod memo;
mod names;
mod options;
mod packed;
mod piece;
mod pool;
mod prepared;
mod quick;
mod refine;
mod show;
mod skeleton;
mod state;
mod step;
mod symmetry;
mod table;
mod trim;

pub use explore::explore;
pub use graph::{Edge, Graph, Renaming, Vertex};
pub use label::{Act, Destructed, Label, Opening, Partner};
pub use options::{Options, Space, Stats, Trees};
pub use show::{Chosen, Described, Known, Show};
