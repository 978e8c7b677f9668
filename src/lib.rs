//! `spi`: a security-protocol analyser for the spi calculus.
//!
//! A text becomes a [`Model`], and the model decides its claims:
//!
//! ```
//! use spi::{Model, Outcome, Settings, Silent};
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
//! That is all a user of the crate needs. Whatever else is public is so for the tests, and changes without notice.
//!
//! The layers, lowest first; a module uses only those before it (`tests/layers.rs` checks it):
//! [`base`] (`cluster` -> `limits` -> `source`) -> [`lang`] (`syntax`, then `sema` above `process`) -> [`term`] -> [`process`]
//! -> [`certify`] -> `execute` -> `attacker` (`knowledge` -> `solver`) -> [`engine`] (`search`, `honest`, `joint` -> `cones` -> `equiv`,
//! `prove`, `lts`) -> [`analysis`] -> [`present`] (`report` -> `draw`) -> [`course`] (`variants` -> `repair`, `grade` -> `vary`) -> [`front`]
//! (`lsp`, `cli`).

pub mod analysis;
mod attacker;
pub mod base;
pub mod certify;
pub mod course;
pub mod engine;
mod execute;
pub mod front;
pub mod lang;
pub mod present;
pub mod process;
pub mod term;

pub use analysis::{Decision, LimitSpec, Model, Outcome, Settings};
pub use base::limits::{Observer, Progress, Silent};
