//! Executing what people write: an attack as a process beside the system (`attack`), a narration
//! (`follow`). And the way back: an experiment written as a process (`script`).
//!
//! The runs are those of the trusted core ([`crate::certify`]). It confirms every result before
//! anybody relies on it.
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

pub(crate) use attack::{Aim, AttackOutcome, AttackRun, Composition, Obstacle, run_attack};
pub(crate) use follow::follow;
pub(crate) use narration::{Discrepancy, End, Followed, Line, NarratedSystem};
pub(crate) use script::{Script, Written};
