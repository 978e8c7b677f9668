//! What people write down, executed: an attack as a process beside the system, a run told line by line; and the way back, an
//! experiment written as a process.
//!
//! The runs are those of the trusted core ([`crate::certify`]), and what comes out is confirmed by it before anybody relies on it.
//!
//! Left to others: reading the text (`lang`), judging it (`analysis`, `course`).

mod abilities;
mod attack;
mod enumerate;
mod follow;
mod moves;
mod narration;
mod opening;
mod script;

pub use attack::{
    Aim, AttackOutcome, AttackRun, Composition, Obstacle, Result as AttackResult, run_attack,
};
pub use follow::follow;
pub use narration::{Discrepancy, End, Followed, Line, NarratedSystem};
pub use script::{Script, Written};
