//! Several processes that explore one state space together, on timely dataflow.
//!
//! A [`Cluster`] is this process among the others: it is connected to each of them, sends records to the process that
//! owns what they are about, and learns from timely's progress tracking when all records of a round have been delivered
//! everywhere. [`explore()`] is the breadth-first search over such rounds; whatever it finds and counts is what one process
//! would have found and counted. A process that dies, falls silent or never comes is a [`Loss`], which every other
//! process notices within seconds: a round that was not confirmed by all counts for nothing.
//!
//! Left to others: what a state is, how it is written as bytes and what it leads to (`lts`, `equiv`, `search`).

mod bytes;
mod connect;
mod cut;
mod digest;
mod explore;
mod fate;
mod greet;
mod hosts;
mod key;
mod link;
mod order;
mod pulse;
mod report;
mod rounds;
mod task;
mod wire;
mod worker;

pub use bytes::{Reader, Writer, hash};
pub use connect::{Failure, PATIENCE, connect};
pub use digest::Terms;
pub use explore::explore;
pub use fate::Loss;
pub use greet::{Manners, Mismatch};
pub use hosts::{BadHosts, hosts};
pub use key::Key;
pub use link::{Cluster, Session};
pub use order::{Path, indices};
pub use report::{Stop, Totals};
pub use task::{Child, End, Expanded, Explorer, Found, Halts, HitRule, Rules, Seen};
