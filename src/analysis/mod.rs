//! The one pipeline: a claim becomes a certified verdict.
//!
//! [`check_claim`] is the only place where a claim about one system is decided: it compiles the claim to a goal, lets
//! `search` look for a run that reaches it, has `certify` replay whatever is proposed, shortens the confirmed run, and
//! holds the honest-run gate against claims that hold because nothing ever happens. Command line, editor and tests all
//! come through here, so they can't disagree.
//!
//! Left to others: reading files (`sema`), wording and pictures (`report`), exit codes (`cli`).

mod attack;
mod check;
mod chosen;
mod claimed_instances;
mod compare;
mod copies;
mod decide;
mod ends;
mod gate;
mod gates;
mod guard;
mod honest_reach;
mod kept;
mod many_systems;
mod memory;
mod model;
mod narrated;
mod needed_event;
#[cfg(test)]
mod new_operator;
mod one_system;
mod outcome;
mod own_event;
mod proof;
mod question;
mod replay;
mod sessions;
mod settings;
mod space;
mod systems;
mod two_systems;
mod vacuity;
mod verdict;
mod verified;
mod wider;
mod writable;

pub use attack::{Attack, AttackError};
pub use check::{Subject, check_claim};
pub use chosen::CHOOSE;
pub use compare::{
    Comparison, ComparisonVerdict, Operand, Refutation, Unconfirmed, compare_claim,
    compare_systems, verify_compared, verify_systems,
};
pub use copies::AnyNumber;
pub use decide::{Decision, decide};
pub use ends::look as look_for_ends;
pub use gate::{Gate, Idle, honest_run, required_roles, roles};
pub use kept::Kept;
pub use memory::resident_memory;
pub use model::Model;
pub use narrated::Stage;
pub use one_system::instance_name;
pub use outcome::Outcome;
pub use own_event::{asked_for, fits};
pub use proof::Reach;
pub use replay::{
    Effect, Encounter, Opponent, ReplayError, ReplayResult, replay_attack, replay_test,
};
pub use sessions::{Assignments, assignments};
pub use settings::{LimitSpec, Semantics, Settings};
pub use space::{StateSpace, state_space};
pub use vacuity::Vacuity;
pub use verdict::{ClaimResult, Generated, InternalError, Scope, Verdict};
pub use verified::{Shown, Unverified, verify_claim};
pub use wider::{Beyond, Wider};
