//! What has become of the other processes.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::thread::Thread;

/// A process that is needed and is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// It never came.
    Absent(u32),
    /// It died, fell silent, or does something else than the others.
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

/// What the threads of this process know together.
#[derive(Debug, Default)]
pub struct Fate {
    loss: OnceLock<Loss>,
    /// This process has sent all it will send; that others end is no loss any more.
    closing: AtomicBool,
    /// Connections on which everything was written.
    flushed: AtomicUsize,
    /// Who is to be woken.
    sleepers: Mutex<Vec<Thread>>,
}

impl Fate {
    /// Notes a loss, unless this process is about to end anyway; the first one counts.
    pub fn lose(&self, loss: Loss) {
        if !self.closing.load(Ordering::SeqCst) && self.loss.set(loss).is_ok() {
            self.wake();
        }
    }

    /// The loss, if there was one.
    pub fn loss(&self) -> Option<Loss> {
        self.loss.get().copied()
    }

    /// Everything was sent: the others may end.
    pub fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
    }

    /// Whether this process is about to end.
    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// Notes that all was written on one connection.
    pub fn flush(&self) {
        self.flushed.fetch_add(1, Ordering::SeqCst);
        self.wake();
    }

    /// On how many connections all was written.
    pub fn flushed(&self) -> usize {
        self.flushed.load(Ordering::SeqCst)
    }

    /// The calling thread wants to be woken by changes.
    pub fn register(&self) {
        let mut sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        sleepers.push(std::thread::current());
    }

    fn wake(&self) {
        let sleepers = self.sleepers.lock().unwrap_or_else(PoisonError::into_inner);
        sleepers.iter().for_each(Thread::unpark);
    }
}
