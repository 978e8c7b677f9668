//! What people write down, executed: an attack as a process beside the system, a run told line by line; and the way back, an
//! experiment written as a process.
//!
//! The runs are those of the trusted core ([`crate::certify`]), and what comes out is confirmed by it before anybody relies on it.
//!
//! Left to others: reading the text (`lang`), judging it (`analysis`, `course`).

mod abilities;
mod attack;
mod configurations;
mod follow;
mod moves;
mod narration;
mod opening;
mod script;

pub use attack::{Aim, Bout, Contest, Ending, Hindrance, Result as ContestResult, contest};
pub use follow::follow;
pub use narration::{End, Followed, Line, Tale, Trouble};
pub use script::{Script, Written};
