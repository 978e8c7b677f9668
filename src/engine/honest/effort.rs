//! How much may be tried. Numbers end a search at the same point on every machine; the clock, the memory and the user may
//! end it anywhere.

/// Looks at what there is between two looks at the clock.
const LOOKS: usize = 64;

/// Attempts for each state.
const ATTEMPTS: usize = 50;

/// What may still be tried.
pub(super) struct Effort<'a> {
    states: usize,
    attempts: usize,
    stopped: &'a dyn Fn() -> bool,
    looked: usize,
    over: bool,
}

impl<'a> Effort<'a> {
    /// So many states, unless `stopped` says so before.
    pub(super) fn new(states: usize, stopped: &'a dyn Fn() -> bool) -> Self {
        Effort {
            states,
            attempts: states.saturating_mul(ATTEMPTS),
            stopped,
            looked: 0,
            over: stopped(),
        }
    }

    /// Does something with a part of it.
    pub(super) fn within<T>(&mut self, states: usize, work: impl FnOnce(&mut Self) -> T) -> T {
        let (all, every) = (self.states, self.attempts);
        let states = all.min(states);
        let attempts = every.min(states.saturating_mul(ATTEMPTS));
        (self.states, self.attempts) = (states, attempts);
        let result = work(self);
        self.states = all - (states - self.states);
        self.attempts = every - (attempts - self.attempts);
        result
    }

    /// Whether there is nothing left, for whatever reason.
    pub(super) fn is_over(&self) -> bool {
        self.over || self.states == 0 || self.attempts == 0
    }

    /// Whether the clock, the memory or the user ended it.
    pub(super) fn was_stopped(&self) -> bool {
        self.over
    }

    /// One more state.
    pub(super) fn state(&mut self) {
        self.states = self.states.saturating_sub(1);
    }

    /// Whether the clock, the memory or the user ends it, asked now.
    pub(super) fn is_stopped(&mut self) -> bool {
        self.over = self.over || (self.stopped)();
        self.over
    }

    /// Looks at the clock now and then; `false` if it is over.
    pub(super) fn look(&mut self) -> bool {
        self.looked += 1;
        if self.looked >= LOOKS {
            self.looked = 0;
            self.over |= (self.stopped)();
        }
        !self.is_over()
    }

    /// One more attempt to do something; `false` if it must not be made.
    pub(super) fn attempt(&mut self) -> bool {
        if !self.look() {
            return false;
        }
        self.attempts -= 1;
        true
    }
}
