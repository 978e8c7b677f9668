//! `spi`: a security-protocol analyser for the spi calculus.
//!
//! The layers, lowest first; a module uses only those before it (`tests/layers.rs` checks it):
//! `cluster` -> `source` -> `syntax` -> `term` -> `process` -> `sema` -> `certify` -> `knowledge` -> `symbolic`
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
