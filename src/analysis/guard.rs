//! The limits of a claim while what a search has found is confirmed.
//!
//! A search that ends at a limit may have found something. To confirm it there is a little more than the limit: a
//! twentieth of the time and of the memory, and after an interrupt a quarter of a second.

use super::LimitSpec;
use crate::base::limits::{Halt, Limits, Observer};
use std::time::{Duration, Instant};

/// Time to confirm what was found when the user interrupted the search.
const AFTER_INTERRUPT: Duration = Duration::from_millis(250);

/// Time to confirm what was found when there is no time left.
const AT_LEAST: Duration = Duration::from_millis(50);

/// The limits after a search that had these and has just ended; its observer may stop as well.
pub(super) fn after_search<'a>(
    spec: &LimitSpec,
    limits: &Limits,
    observer: &'a dyn Observer,
) -> Halt<'a> {
    let now = Instant::now();
    let more = (spec.timeout.unwrap_or_default() / 20).max(AT_LEAST);
    let mut deadline = limits.deadline.map(|d| d.max(now + more));
    let interrupted = observer.interrupted();
    if interrupted {
        let soon = now + AFTER_INTERRUPT;
        deadline = Some(deadline.map_or(soon, |d| d.min(soon)));
    }
    let spare = limits.memory.map_or(0, |limit| {
        let used = observer.memory().unwrap_or(0);
        (used + limit / 20).saturating_sub(limit)
    });
    let limits = Limits {
        deadline,
        ..*limits
    };
    Halt::late(&limits, spare, interrupted, observer)
}
