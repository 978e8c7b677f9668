//! The limits of a claim, looked at while what a search has found is confirmed.
//!
//! A search that ends at a limit may have found something. To confirm it there is a little more than the limit: a
//! quarter of the time and of the memory, and after an interrupt a second.

use super::LimitSpec;
use crate::search::{Limits, Observer, StopReason};
use std::cell::Cell;
use std::time::{Duration, Instant};

/// Time to confirm what was found when the user interrupted the search.
const AFTER_INTERRUPT: Duration = Duration::from_secs(1);

/// Looks at the clock, the memory and the user. Once there is a reason to stop, it stays.
pub(super) struct Guard<'a> {
    deadline: Option<Instant>,
    /// The limit, and where to stop.
    memory: Option<(u64, u64)>,
    observer: &'a dyn Observer,
    interrupted: bool,
    met: Cell<Option<StopReason>>,
}

impl<'a> Guard<'a> {
    /// A guard over the limits that a search had which has just ended; its observer may stop as well.
    pub fn after_search(spec: &LimitSpec, limits: &Limits, observer: &'a dyn Observer) -> Self {
        let now = Instant::now();
        let more = spec.timeout.unwrap_or_default() / 4;
        let mut deadline = limits.deadline.map(|d| d.max(now + more));
        let interrupted = observer.interrupted();
        if interrupted {
            let soon = now + AFTER_INTERRUPT;
            deadline = Some(deadline.map_or(soon, |d| d.min(soon)));
        }
        let memory = limits.memory.map(|limit| {
            let used = observer.memory().unwrap_or(0);
            (limit, limit.max(used + limit / 4))
        });
        Self {
            deadline,
            memory,
            observer,
            interrupted,
            met: Cell::new(None),
        }
    }

    /// Why to stop, if there is a reason.
    pub fn reason(&self) -> Option<StopReason> {
        if self.met.get().is_none() {
            self.met.set(self.look());
        }
        self.met.get()
    }

    /// Whether to stop.
    pub fn stopped(&self) -> bool {
        self.reason().is_some()
    }

    fn look(&self) -> Option<StopReason> {
        if self.observer.interrupted() && !self.interrupted {
            return Some(StopReason::Interrupted);
        }
        if self.deadline.is_some_and(|d| Instant::now() >= d) {
            return Some(if self.interrupted {
                StopReason::Interrupted
            } else {
                StopReason::Time
            });
        }
        let (limit, end) = self.memory?;
        let used = self.observer.memory()?;
        (used > end).then_some(StopReason::Memory(limit))
    }
}
