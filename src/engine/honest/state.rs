//! The state of an honest run, with a trail: nothing is copied to try a delivery, what it changed is taken back.

use super::party::Stage;
use super::{HonestMove, Leave};
use crate::process::{Action, Env, StepId};
use crate::term::TermId;
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::hash::{DefaultHasher, Hash, Hasher};

/// A thread of a party.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub step: StepId,
    pub env: Env,
    pub party: usize,
    /// It was asked to go on from a place where it may rest.
    pub awake: bool,
}

/// A message on its way, or delivered.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub step: StepId,
    pub channel: TermId,
    pub message: TermId,
    pub party: usize,
    /// Who has received it.
    pub takers: SmallVec<[usize; 2]>,
}

/// The parties that have joined, their threads and messages.
#[derive(Debug)]
pub(super) struct State<'a> {
    pub stage: &'a Stage<'a>,
    pub leave: Leave,
    /// Threads; one that has ended leaves its place empty.
    pub slots: Vec<Option<Thread>>,
    pub pool: Vec<Sent>,
    pub moves: Vec<HonestMove>,
    /// Who has joined, in order.
    pub members: Vec<usize>,
    pub joined: Vec<bool>,
    /// Threads that still have to come to their end.
    pub busy: usize,
    /// Somebody stands still because a message has grown beyond the limit.
    pub oversized: bool,
    /// Steps passed since the last [`State::mark`].
    pub walked: Vec<StepId>,
    /// Something was not tried because of [`Leave`].
    pub held_back: bool,
    /// Terms that occur in messages on open channels.
    heard: FxHashSet<TermId>,
    /// A sum of hashes of all that matters for what can happen from here.
    print: u128,
    trail: Vec<Change>,
}

#[derive(Debug)]
enum Change {
    Slot(usize, Option<Thread>),
    Grown,
    Taken(usize),
    Joined,
    Heard(TermId),
}

/// A point to return to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    trail: usize,
    pool: usize,
    moves: usize,
    busy: usize,
    print: u128,
}

impl<'a> State<'a> {
    /// Nobody has joined.
    pub(super) fn new(stage: &'a Stage<'a>, leave: Leave) -> Self {
        State {
            stage,
            leave,
            slots: Vec::new(),
            pool: Vec::new(),
            moves: Vec::new(),
            members: Vec::new(),
            joined: vec![false; stage.parties.len()],
            busy: 0,
            oversized: false,
            walked: Vec::new(),
            held_back: false,
            heard: FxHashSet::default(),
            print: 0,
            trail: Vec::new(),
        }
    }

    /// A point to return to.
    pub(super) fn mark(&mut self) -> Mark {
        self.walked.clear();
        Mark {
            trail: self.trail.len(),
            pool: self.pool.len(),
            moves: self.moves.len(),
            busy: self.busy,
            print: self.print,
        }
    }

    /// Takes back what happened since.
    pub(super) fn undo(&mut self, mark: Mark) {
        for change in self.trail.drain(mark.trail..).rev() {
            match change {
                Change::Slot(i, before) => self.slots[i] = before,
                Change::Grown => {
                    self.slots.pop();
                }
                Change::Taken(i) => {
                    self.pool[i].takers.pop();
                }
                Change::Joined => {
                    if let Some(party) = self.members.pop() {
                        self.joined[party] = false;
                    }
                }
                Change::Heard(t) => {
                    self.heard.remove(&t);
                }
            }
        }
        self.pool.truncate(mark.pool);
        self.moves.truncate(mark.moves);
        self.busy = mark.busy;
        self.print = mark.print;
    }

    /// Equal for states from which the same can happen, different for others (but for a chance of 2^-100).
    pub(super) fn print(&self) -> u128 {
        self.print
    }

    /// Whether a thread stays where it is and need not go on.
    pub(super) fn rests(&self, thread: &Thread) -> bool {
        !thread.awake && self.stage.may_rest(thread.step)
    }

    fn weigh(&mut self, slot: usize, add: bool) {
        let Some(thread) = &self.slots[slot] else {
            return;
        };
        let obliged = !self.stage.parties[thread.party].spied && !self.rests(thread);
        let print = fingerprint(&(0u8, thread.step, &thread.env, thread.awake));
        if add {
            self.print = self.print.wrapping_add(print);
            self.busy += usize::from(obliged);
        } else {
            self.print = self.print.wrapping_sub(print);
            self.busy -= usize::from(obliged);
        }
    }

    /// Changes a thread.
    pub(super) fn put(&mut self, slot: usize, thread: Option<Thread>) {
        self.weigh(slot, false);
        let before = std::mem::replace(&mut self.slots[slot], thread);
        self.trail.push(Change::Slot(slot, before));
        self.weigh(slot, true);
    }

    /// Adds a thread.
    pub(super) fn push(&mut self, thread: Thread) -> usize {
        let slot = self.slots.len();
        self.slots.push(Some(thread));
        self.trail.push(Change::Grown);
        self.weigh(slot, true);
        slot
    }

    /// Takes a party in; its threads have not moved yet.
    pub(super) fn enter(&mut self, party: usize) -> std::ops::Range<usize> {
        let stage = self.stage;
        self.joined[party] = true;
        self.members.push(party);
        self.trail.push(Change::Joined);
        self.print = self.print.wrapping_add(fingerprint(&(1u8, party)));
        let first = self.slots.len();
        for start in &stage.parties[party].starts {
            self.push(Thread {
                step: *start,
                env: Env::new(),
                party,
                awake: stage.parties[party].spare,
            });
        }
        first..self.slots.len()
    }

    /// Puts a message on its way.
    pub(super) fn send(&mut self, sent: Sent) {
        self.print = self.print.wrapping_add(self.weight(&sent));
        if self.stage.private {
            let (heard, trail) = (&mut self.heard, &mut self.trail);
            self.stage.store.visit(sent.message, &mut |t| {
                let new = heard.insert(t);
                if new {
                    trail.push(Change::Heard(t));
                }
                new
            });
        }
        self.pool.push(sent);
    }

    fn weight(&self, sent: &Sent) -> u128 {
        // What was delivered is gone, unless others may hear it too.
        if !sent.takers.is_empty() && !self.leave.several {
            return 0;
        }
        let mut takers = sent.takers.clone();
        takers.sort_unstable();
        fingerprint(&(2u8, sent.step, sent.message, takers.as_slice()))
    }

    /// Notes that a party has received a message.
    pub(super) fn take(&mut self, item: usize, party: usize) {
        self.print = self.print.wrapping_sub(self.weight(&self.pool[item]));
        self.pool[item].takers.push(party);
        self.trail.push(Change::Taken(item));
        self.print = self.print.wrapping_add(self.weight(&self.pool[item]));
    }

    /// Whether somebody outside may listen on a channel: it is public, or part of something that was sent openly.
    pub(super) fn is_open(&self, channel: TermId) -> bool {
        crate::attacker::knowledge::is_constant(self.stage.store, channel)
            || self.heard.contains(&channel)
    }

    /// The channel at which a thread waits: of an input, or of an output that nobody hears.
    pub(super) fn channel(&self, thread: &Thread) -> Option<TermId> {
        let (Action::Input { channel, .. } | Action::Output { channel, .. }) =
            &self.stage.system.step(thread.step).action
        else {
            return None;
        };
        Some(self.value(thread, *channel))
    }

    /// The value of a term for a thread.
    pub(super) fn value(&self, thread: &Thread, term: TermId) -> TermId {
        let Stage { store, system, .. } = *self.stage;
        if !store.facts(term).has_var {
            return term;
        }
        system
            .bindings(store, thread.step, &thread.env)
            .apply(store, term)
    }
}

/// 128 bits that depend on all of the value; sums of them are compared. They are the same in every run of the program.
fn fingerprint(value: &impl Hash) -> u128 {
    let half = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        (seed, value).hash(&mut hasher);
        hasher.finish()
    };
    (u128::from(half(1)) << 64) | u128::from(half(2))
}
