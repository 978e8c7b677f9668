//! Partners: the parties that one needs to come to its end, all of which come to theirs.
//!
//! Depth first. A message that is there is delivered before anybody else is asked to join, and only those are asked who have
//! something to send that somebody in the group waits for, or who may hear what somebody waits to say: whoever joins must
//! finish too. Nothing is missed by that: in a run in which all finish, take the first message that serves one
//! who waits now; its sender has joined, or may join now. Of interchangeable parties the first is asked.
//!
//! Small groups are tried first; the last attempt has no bound on them.

use super::effort::Effort;
use super::party::{Stage, acts_below};
use super::state::{Mark, State, Thread};
use super::{HonestMove, Leave};
use crate::process::{Action, StepId};
use rustc_hash::FxHashSet;

/// Sizes of groups that are tried, and states for each.
const SIZES: [(usize, usize); 3] = [(2, 300), (3, 600), (4, 1_000)];

/// Partners that finish together.
#[derive(Debug)]
pub(super) struct Group {
    pub members: Vec<usize>,
    pub moves: Vec<HonestMove>,
}

/// What came of looking for partners.
#[derive(Debug)]
pub(super) enum Found {
    Group(Group),
    /// There are none.
    None,
    /// There may be some.
    Unknown,
}

/// How far the wanted party came when it came furthest.
#[derive(Clone, Debug, Default)]
pub(super) struct Best {
    /// Its steps that were passed.
    pub passed: usize,
    /// Its threads.
    pub threads: Vec<Thread>,
    /// All that had happened.
    pub moves: Vec<HonestMove>,
    /// Others who had joined and were not at their end.
    pub waiting: Vec<Thread>,
}

/// Parties that have to do with others already.
#[derive(Debug)]
pub(super) struct Taken {
    used: Vec<bool>,
    /// The first member of each class that may be free.
    first: Vec<usize>,
}

impl Taken {
    /// Nobody is.
    pub(super) fn new(stage: &Stage<'_>) -> Self {
        Taken {
            used: vec![false; stage.parties.len()],
            first: vec![0; stage.classes.len()],
        }
    }

    /// Whether a party is.
    pub(super) fn contains(&self, party: usize) -> bool {
        self.used[party]
    }

    /// Now it is.
    pub(super) fn insert(&mut self, stage: &Stage<'_>, party: usize) {
        self.used[party] = true;
        let class = stage.parties[party].class;
        let members = &stage.classes[class];
        while members
            .get(self.first[class])
            .is_some_and(|p| self.used[*p])
        {
            self.first[class] += 1;
        }
    }
}

/// Looks for partners of one party.
pub(super) struct Search<'a> {
    pub stage: &'a Stage<'a>,
    /// Parties that may not join.
    pub taken: &'a Taken,
    /// The steps that anybody has passed so far.
    pub passed: &'a mut FxHashSet<StepId>,
    pub best: Best,
}

/// Where the choices of a state are.
#[derive(Clone, Copy, Debug, Default)]
struct Cursor {
    kind: u8,
    slot: usize,
    item: usize,
    list: usize,
}

struct Frame {
    mark: Mark,
    next: Cursor,
}

impl Search<'_> {
    /// Looks for the partners of a party, allowing more and more.
    pub(super) fn partners(&mut self, wanted: usize, effort: &mut Effort<'_>) -> Found {
        let spies = self.stage.parties.iter().any(|p| p.spied);
        let mut unknown = false;
        let mut held_back = true;
        for leave in Leave::STEPS {
            // What was not missed need not be allowed.
            if !(if leave.spied { spies } else { held_back }) {
                continue;
            }
            held_back = false;
            for (size, states) in SIZES.into_iter().chain([(usize::MAX, usize::MAX)]) {
                let (found, cut, held) =
                    effort.within(states, |effort| self.attempt(wanted, leave, size, effort));
                held_back |= held;
                match found {
                    Found::Group(_) => return found,
                    Found::None if !cut => break,
                    Found::Unknown if size == usize::MAX => unknown = true,
                    Found::None | Found::Unknown => {}
                }
                if effort.is_over() {
                    return Found::Unknown;
                }
            }
        }
        if unknown { Found::Unknown } else { Found::None }
    }

    /// One attempt; also whether the bound on the size was met, and whether something was held back.
    fn attempt(
        &mut self,
        wanted: usize,
        leave: Leave,
        size: usize,
        effort: &mut Effort<'_>,
    ) -> (Found, bool, bool) {
        let mut state = State::new(self.stage, leave);
        let mark = state.mark();
        let begun = state.join(wanted);
        self.passed.extend(state.walked.iter().copied());
        if begun.is_err() {
            self.note(&state, wanted);
            return (Found::None, false, state.held_back);
        }
        let mut seen: FxHashSet<u128> = FxHashSet::default();
        let mut cut = false;
        seen.insert(state.print());
        let mut frames = vec![Frame {
            mark,
            next: Cursor::default(),
        }];
        let mut forward = true;
        while let Some(frame) = frames.last_mut() {
            if state.busy == 0 {
                let group = Group {
                    members: state.members.clone(),
                    moves: state.moves.clone(),
                };
                return (Found::Group(group), cut, state.held_back);
            }
            match self.choose(&mut state, &mut frame.next, size, &mut cut, effort) {
                Choice::Made(mark) => {
                    if !seen.insert(state.print()) {
                        state.undo(mark);
                        continue;
                    }
                    effort.state();
                    self.passed.extend(state.walked.iter().copied());
                    frames.push(Frame {
                        mark,
                        next: Cursor::default(),
                    });
                    forward = true;
                }
                Choice::None => {
                    if forward {
                        self.note(&state, wanted);
                    }
                    forward = false;
                    state.undo(frame.mark);
                    frames.pop();
                }
                Choice::Stopped => {
                    self.note(&state, wanted);
                    return (Found::Unknown, cut, state.held_back);
                }
            }
        }
        let found = if state.oversized {
            Found::Unknown
        } else {
            Found::None
        };
        (found, cut, state.held_back)
    }

    /// Remembers how far the wanted party came; looked at where nothing more is possible.
    fn note(&mut self, state: &State<'_>, wanted: usize) {
        let stage = self.stage;
        let own = |t: &&Thread| t.party == wanted && !state.rests(t);
        let others = |t: &&Thread| t.party != wanted && !state.rests(t);
        let threads = || state.slots.iter().flatten();
        let left: usize = threads().filter(own).map(|t| stage.remaining(t.step)).sum();
        let starts = &stage.parties[wanted].starts;
        let whole: usize = starts.iter().map(|s| stage.remaining(*s)).sum();
        let passed = 1 + whole.saturating_sub(left);
        if passed > self.best.passed {
            self.best = Best {
                passed,
                threads: threads().filter(own).cloned().collect(),
                moves: state.moves.clone(),
                waiting: threads().filter(others).cloned().collect(),
            };
        }
    }

    /// Makes the next choice of a state that is possible.
    fn choose(
        &mut self,
        state: &mut State<'_>,
        at: &mut Cursor,
        size: usize,
        cut: &mut bool,
        effort: &mut Effort<'_>,
    ) -> Choice {
        loop {
            if !effort.look() {
                return Choice::Stopped;
            }
            let made = match at.kind {
                0 => meeting(state, at),
                1 => delivery(state, at, effort),
                2 => self.joining(state, at, size, cut, effort),
                _ => return Choice::None,
            };
            match made {
                Some(mark) => return Choice::Made(mark),
                None if effort.is_over() => return Choice::Stopped,
                None => {}
            }
        }
    }

    /// Asks the next party to join that may help somebody who waits.
    fn joining(
        &self,
        state: &mut State<'_>,
        at: &mut Cursor,
        size: usize,
        cut: &mut bool,
        effort: &mut Effort<'_>,
    ) -> Option<Mark> {
        let stage = self.stage;
        while let Some(thread) = state.slots.get(at.slot) {
            let Some(thread) = thread.clone().filter(|t| !state.rests(t)) else {
                at.next_slot();
                continue;
            };
            // Somebody who rests, first.
            if at.list == 0 {
                while at.item < state.slots.len() {
                    let slot = at.item;
                    at.item += 1;
                    let resting = state.slots[slot].clone().filter(|t| state.rests(t));
                    if let Some(other) = resting
                        && self.may_help(state, &rest_acts(stage, &other), other.party, &thread)
                    {
                        let mark = state.mark();
                        if state.wake(slot).is_ok() {
                            return Some(mark);
                        }
                        state.undo(mark);
                    }
                }
                (at.list, at.item) = (1, 0);
            }
            let lists = stage.likely(thread.party);
            while let Some(list) = lists.get(at.list - 1) {
                let Some(class) = list.get(at.item) else {
                    (at.list, at.item) = (at.list + 1, 0);
                    continue;
                };
                at.item += 1;
                if !effort.attempt() {
                    return None;
                }
                let Some(party) = self.first(state, *class) else {
                    continue;
                };
                if !self.may_help(state, &stage.parties[party].acts, party, &thread) {
                    continue;
                }
                if state.members.len() >= size {
                    *cut = true;
                    continue;
                }
                let mark = state.mark();
                if state.join(party).is_ok() {
                    return Some(mark);
                }
                state.undo(mark);
            }
            at.next_slot();
        }
        at.kind = 3;
        None
    }

    /// The first party of a class that may join.
    fn first(&self, state: &State<'_>, class: usize) -> Option<usize> {
        let may = |p: &&usize| !state.joined[**p] && !self.taken.used[**p];
        let members = &self.stage.classes[class][self.taken.first[class]..];
        members.iter().find(may).copied()
    }

    /// Whether one of these acts may help a thread that waits.
    fn may_help(
        &self,
        state: &mut State<'_>,
        acts: &[StepId],
        party: usize,
        thread: &Thread,
    ) -> bool {
        let stage = self.stage;
        if stage.parties[party].spied && !state.leave.spied {
            return false;
        }
        let helps = match &stage.system.step(thread.step).action {
            Action::Input { .. } => acts.iter().any(|act| stage.may_serve(*act, thread)),
            Action::Output { .. } => {
                let channel = state.channel(thread);
                channel.is_some_and(|c| acts.iter().any(|act| stage.may_hear(*act, c)))
            }
            _ => false,
        };
        if helps && stage.are_peers(party, thread.party) && !state.leave.peers {
            // It would not be heard.
            state.held_back = true;
            return false;
        }
        helps
    }
}

enum Choice {
    Made(Mark),
    None,
    Stopped,
}

impl Cursor {
    fn next_slot(&mut self) {
        (self.slot, self.item, self.list) = (self.slot + 1, 0, 0);
    }

    fn next_kind(&mut self) {
        *self = Cursor {
            kind: self.kind + 1,
            ..Cursor::default()
        };
    }
}

fn rest_acts(stage: &Stage<'_>, thread: &Thread) -> Vec<StepId> {
    let mut acts = Vec::new();
    acts_below(stage.system, thread.step, &mut acts);
    acts
}

/// The next meeting on a channel that nobody outside hears.
fn meeting(state: &mut State<'_>, at: &mut Cursor) -> Option<Mark> {
    let stage = state.stage;
    let waits = |state: &State<'_>, slot: usize, output: bool| {
        state.slots[slot].as_ref().is_some_and(|t| {
            let action = &stage.system.step(t.step).action;
            let right = match action {
                Action::Output { .. } => output,
                Action::Input { .. } => !output,
                _ => false,
            };
            right && !state.rests(t)
        })
    };
    while stage.private && at.slot < state.slots.len() {
        if waits(state, at.slot, true) {
            while at.item < state.slots.len() {
                let receiver = at.item;
                at.item += 1;
                if waits(state, receiver, false) {
                    let mark = state.mark();
                    if state.meet(at.slot, receiver).is_ok() {
                        return Some(mark);
                    }
                    state.undo(mark);
                }
            }
        }
        at.next_slot();
    }
    at.next_kind();
    None
}

/// The next delivery of a message that is there.
fn delivery(state: &mut State<'_>, at: &mut Cursor, effort: &mut Effort<'_>) -> Option<Mark> {
    while at.slot < state.slots.len() {
        let waits = state.slots[at.slot].as_ref().is_some_and(|t| {
            let action = &state.stage.system.step(t.step).action;
            matches!(action, Action::Input { .. }) && !state.rests(t)
        });
        while waits && at.item < state.pool.len() {
            let item = at.item;
            at.item += 1;
            if !effort.look() {
                return None;
            }
            if !state.may_deliver(item, at.slot) {
                continue;
            }
            if !effort.attempt() {
                return None;
            }
            let mark = state.mark();
            if state.deliver(item, at.slot).is_ok() {
                return Some(mark);
            }
            state.undo(mark);
        }
        at.next_slot();
    }
    at.next_kind();
    None
}
