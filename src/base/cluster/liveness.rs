//! Which processes are alive: the first loss, seen by all threads of this process.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::Thread;

/// A process that is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// It never connected.
    Absent(u32),
    /// It died, fell silent, or explores something else than the others.
    Gone(u32),
}

impl Loss {
    /// Which process it is.
    pub fn process(self) -> u32 {
        match self {
            Loss::Absent(p) | Loss::Gone(p) => p,
        }
    }
}

/// What the threads of this process know about the others, shared.
#[derive(Debug, Default)]
pub(super) struct Liveness {
    loss: OnceLock<Loss>,
    /// This process has sent everything; if others end now, that is no loss.
    closing: AtomicBool,
    /// Connections on which everything has been written.
    flushed: AtomicUsize,
    /// The threads to wake on a change.
    sleepers: Mutex<Vec<Thread>>,
}

impl Liveness {
    /// Records a loss, unless this process is closing. Only the first one counts.
    pub(super) fn lose(&self, loss: Loss) {
        if !self.closing.load(Ordering::SeqCst) && self.loss.set(loss).is_ok() {
            self.wake();
        }
    }

    /// The loss, if there was one.
    pub(super) fn loss(&self) -> Option<Loss> {
        self.loss.get().copied()
    }

    /// Everything has been sent: the others may end.
    pub(super) fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
    }

    /// Whether this process is closing.
    pub(super) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// Records that everything has been written on one more connection.
    pub(super) fn flush(&self) {
        self.flushed.fetch_add(1, Ordering::SeqCst);
        self.wake();
    }

    /// The number of connections on which everything has been written.
    pub(super) fn flushed(&self) -> usize {
        self.flushed.load(Ordering::SeqCst)
    }

    /// Wakes the calling thread on every change from now on.
    pub(super) fn register(&self) {
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        sleepers.push(std::thread::current());
    }

    fn wake(&self) {
        let sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        sleepers.iter().for_each(Thread::unpark);
    }
}
