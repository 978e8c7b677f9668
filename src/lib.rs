//! `spi`: a security-protocol analyser for the spi calculus.
//!
//! A text becomes a [`Model`](analysis::Model), and the model decides its claims:
//!
//! ```
//! use spi::analysis::{Model, Outcome, Settings};
//! use spi::limits::Silent;
//!
//! let text = "
//!     channel net
//!     private s
//!     system Leak = new k. net<{s}k>. net<k>
//!     secrecy s in Leak";
//! let model = Model::from_text(text).expect("no mistakes");
//! let decision = model.decide(0, &Settings::default(), &Silent).expect("a system of moderate size");
//! assert_eq!(decision.outcome(), Outcome::Attack);
//! ```
//!
//! The layers, lowest first; a module uses only those before it (`tests/layers.rs` checks it):
//! `cluster` -> `limits` -> `source` -> `syntax` -> `term` -> `process` -> `sema` -> `certify` -> `knowledge` -> `symbolic`
//! -> `search`, `equiv`, `honest` -> `prove`, `lts` -> `analysis` -> `report` -> `draw` -> `variants` -> `grade`, `lsp`
//! -> `cli`.

pub mod analysis;
pub mod certify;
pub mod cli;
#[cfg(feature = "distributed")]
pub mod cluster;
pub mod draw;
pub mod equiv;
pub mod grade;
pub mod honest;
pub mod knowledge;
pub mod limits;
pub mod lsp;
pub mod lts;
pub mod process;
pub mod prove;
pub mod report;
pub mod search;
pub mod sema;
pub mod source;
pub mod symbolic;
pub mod syntax;
pub mod term;
pub mod variants;
