//! When to stop: the limits of an analysis under way.
//!
//! Whatever may take long asks, at least once for each thread or message that it looks at: with ten thousand threads one
//! move of the attacker takes a second. A question costs as much as a look at the clock. The memory is looked at
//! now and then, since that is a hundred times dearer; it does not grow much in between.
//!
//! Once there is a reason to stop, it stays: memory that is given back in the meantime changes nothing, since what was
//! computed after the first "yes" is thrown away.

use super::{Limits, Observer, StopReason};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Time between two looks at the memory.
const BETWEEN: Duration = Duration::from_millis(2);

/// Looks at the clock, the memory and the user.
pub struct Halt<'a> {
    limits: Limits,
    observer: &'a dyn Observer,
    /// Memory beyond the limit.
    spare: u64,
    /// The user wanted to stop before it began: that does not count any more, but it is why there is a limit on time.
    late: bool,
    began: Instant,
    /// When the memory is looked at next, in microseconds since the beginning.
    due: AtomicU64,
    met: OnceLock<StopReason>,
}

impl std::fmt::Debug for Halt<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Halt").finish_non_exhaustive()
    }
}

impl<'a> Halt<'a> {
    /// Stops at the limits on time and memory, and when the observer says so.
    pub fn new(limits: &Limits, observer: &'a dyn Observer) -> Self {
        Self {
            limits: *limits,
            observer,
            spare: 0,
            late: false,
            began: Instant::now(),
            due: AtomicU64::new(0),
            met: OnceLock::new(),
        }
    }

    /// The same for what is left to do after the end, with so much more memory; the user may have been the reason.
    pub fn late(
        limits: &Limits,
        spare: u64,
        interrupted: bool,
        observer: &'a dyn Observer,
    ) -> Self {
        Self {
            spare,
            late: interrupted,
            ..Self::new(limits, observer)
        }
    }

    /// Whether to stop.
    pub fn stopped(&self) -> bool {
        self.reason().is_some()
    }

    /// Why to stop, if somebody has looked and found a reason.
    pub fn met(&self) -> Option<StopReason> {
        self.met.get().copied()
    }

    /// Why to stop, if there is a reason.
    pub fn reason(&self) -> Option<StopReason> {
        if let Some(reason) = self.met() {
            return Some(reason);
        }
        let reason = self.look()?;
        Some(*self.met.get_or_init(|| reason))
    }

    fn look(&self) -> Option<StopReason> {
        if !self.late && self.observer.interrupted() {
            return Some(StopReason::Interrupted);
        }
        if self.limits.deadline.is_none() && self.limits.memory.is_none() {
            return None;
        }
        let now = Instant::now();
        if self.limits.deadline.is_some_and(|d| now >= d) {
            return Some(if self.late {
                StopReason::Interrupted
            } else {
                StopReason::Time
            });
        }
        let limit = self.limits.memory?;
        let time = now.duration_since(self.began).as_micros() as u64;
        if time < self.due.load(Ordering::Relaxed) {
            return None;
        }
        let next = time + BETWEEN.as_micros() as u64;
        self.due.store(next, Ordering::Relaxed);
        let used = self.observer.memory()?;
        (used > limit + self.spare).then_some(StopReason::Memory(limit))
    }
}
