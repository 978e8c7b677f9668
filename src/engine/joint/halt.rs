//! When an exploration stops in the middle: a limit is met, or a message has become too large.

use crate::base::limits::{self, Limits, Observer, StopReason};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

thread_local! {
    /// Calls of [`Halt::stopped`] by this thread.
    static CALLS: Cell<u32> = const { Cell::new(0) };
}

/// Operators and names of the largest message that is compared, heard or passed on. Tests and
/// threads can double a message, and terms are walked as trees.
const LARGEST: u32 = 1 << 14;

/// When to stop in the middle: the limits, and messages that have become too large.
#[derive(Debug)]
pub(crate) struct Halt<'a> {
    limits: limits::Halt<'a>,
    refused: AtomicBool,
}

impl<'a> Halt<'a> {
    /// Stops at the deadline, when too much memory is used, or when the observer says so.
    pub(crate) fn new(limits: &Limits, observer: &'a dyn Observer) -> Self {
        Self {
            limits: limits::Halt::new(limits, observer),
            refused: AtomicBool::new(false),
        }
    }

    /// Checks time, memory and interrupts now.
    pub(crate) fn poll(&self) {
        self.limits.reason();
    }

    /// Whether to stop; polls the limits at every 64th call. Results computed after a yes are not
    /// used.
    pub(crate) fn stopped(&self) -> bool {
        // Each thread has its own counter; they would wait for a shared one.
        let calls = CALLS.replace(CALLS.get().wrapping_add(1));
        if calls.is_multiple_of(64) {
            self.poll();
        }
        self.reason().is_some()
    }

    /// Stops if a message is too large. Returns whether it is.
    pub(crate) fn refuse(&self, size: u32) -> bool {
        let refused = size > LARGEST;
        if refused {
            self.refused.store(true, Ordering::Relaxed);
        }
        refused
    }

    /// Clears the flag for large messages, so that the same work can be repeated.
    pub(crate) fn reset(&self) {
        self.refused.store(false, Ordering::Relaxed);
    }

    /// Why to stop, if a poll found a reason.
    pub(crate) fn reason(&self) -> Option<StopReason> {
        let refused = || self.refused.load(Ordering::Relaxed);
        let met = self.limits.met();
        met.or_else(|| refused().then_some(StopReason::Size(LARGEST)))
    }
}
