//! Several processes explore one state space together, on timely dataflow.
//!
//! A [`Cluster`] connects this process to all others (`connect`, `handshake`). Each state has an
//! owner, chosen by its hash; a process sends records about a state to that owner (`session`).
//! Timely's progress tracking says when all records of a round have been delivered everywhere.
//! [`explore()`] is the breadth-first search over such rounds. It finds and counts what one process
//! would find and count.
//!
//! A process that dies, falls silent or never connects is a [`Loss`]. Every other process notices
//! within seconds (`heartbeat`, `liveness`). A round that some process did not confirm does not
//! count.
//!
//! Left to others: what a state is, how it is written as bytes and what it leads to (`lts`,
//! `equiv`, `search`).

mod bytes;
mod connect;
mod explore;
mod fingerprint;
mod handshake;
mod heartbeat;
mod hosts;
mod key;
mod liveness;
mod path;
mod report;
mod round;
mod session;
mod stopping_point;
mod task;
mod wire;
mod worker;

pub use bytes::{Reader, Writer, hash};
pub use connect::{CONNECT_TIMEOUT, Failure, connect};
pub use explore::explore;
pub use fingerprint::Fingerprint;
pub use handshake::{Identity, Mismatch};
pub use hosts::{BadHosts, hosts};
pub use key::Key;
pub use liveness::Loss;
pub use path::{Path, indices};
pub use report::{Stop, Totals};
pub use session::{Cluster, Session};
pub use task::{Child, End, Expanded, Explorer, Found, Halts, HitRule, Rules, Seen};
