//! The enumeration behind [`super::contest`]: configurations of attack and system, and what can happen next.

use super::contest::{Aim, Bout, Contest, Ending, Hindrance, Result};
use super::moves::Detours;
use super::run::Run;
use super::verdict::violation;
use super::{CertifyError, Deduction, Move, MoveKind, Violation};
use crate::process::{Action, ClaimKind, EventId, StepId, System};
use crate::term::{Subst, TermId};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Configurations tried after a run has achieved its aim, for one in which the attack also runs to its end.
const AFTERWARDS: usize = 2_000;

/// A configuration as it is remembered.
type Key = (
    [Vec<StepId>; 2],
    [Vec<(u32, TermId)>; 2],
    Vec<usize>,
    Vec<Move>,
    u8,
);

/// A configuration on the way.
#[derive(Clone)]
pub(super) struct State<'a> {
    pub ours: Run<'a>,
    pub theirs: Run<'a>,
    pub knowledge: Deduction<'a>,
    pub bout: Bout,
    pub heard: Vec<TermId>,
    /// A thread of the attack is at a test that failed.
    pub stuck: bool,
    /// Messages that a role refused or that the system passed around without the attack: runs with few of them are
    /// tried first, because they are the ones that were meant.
    pub detours: usize,
    achieved: Achieved,
}

/// Whether the aim is achieved.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Achieved {
    No,
    Shown,
    Broken(Violation),
}

impl Achieved {
    fn violation(&self) -> Option<Violation> {
        match self {
            Achieved::Broken(v) => Some(v.clone()),
            Achieved::No | Achieved::Shown => None,
        }
    }
}

/// A configuration to try, or those that come of one when the system passes messages around: there may be as many as pairs of
/// threads, so each is made when its turn comes.
enum Next<'a> {
    One(Rc<State<'a>>),
    Detours(Detours<'a>),
}

/// Configurations to try, the most direct first; of these the one that got furthest, of these the newest.
#[derive(Default)]
struct Waiting<'a> {
    queue: BTreeMap<Place, Next<'a>>,
    pushed: usize,
}

/// Detours, steps of the attack, age.
type Place = (usize, Reverse<usize>, Reverse<usize>);

impl<'a> Waiting<'a> {
    fn push(&mut self, state: State<'a>) {
        let place = self.place(state.detours, &state);
        self.queue.insert(place, Next::One(Rc::new(state)));
    }

    fn defer(&mut self, state: &State<'a>, detours: Detours<'a>) {
        let place = self.place(state.detours + 1, state);
        self.queue.insert(place, Next::Detours(detours));
    }

    fn place(&mut self, detours: usize, state: &State<'a>) -> Place {
        self.pushed += 1;
        let followed = Reverse(state.bout.followed);
        (detours, followed, Reverse(self.pushed))
    }

    /// The next configuration; `None` if there is none, or if somebody wants to stop.
    fn pop(
        &mut self,
        fight: &mut Fight<'a, '_>,
    ) -> std::result::Result<Option<Rc<State<'a>>>, CertifyError> {
        while let Some((place, next)) = self.queue.pop_first() {
            let mut detours = match next {
                Next::One(state) => return Ok(Some(state)),
                Next::Detours(detours) => detours,
            };
            if let Some(state) = fight.detour(&mut detours)? {
                self.queue.insert(place, Next::Detours(detours));
                return Ok(Some(Rc::new(state)));
            }
        }
        Ok(None)
    }
}

/// An enumeration on its way.
pub(super) struct Fight<'a, 'c> {
    pub contest: &'c Contest<'a>,
    /// What the attacker can make before anything is heard.
    pub given: Deduction<'a>,
    pub aim: Aim<'c>,
    seen: FxHashSet<Key>,
    furthest: Option<(Bout, Vec<Hindrance>)>,
}

impl<'a, 'c> Fight<'a, 'c> {
    /// Nothing has happened yet.
    pub fn new(contest: &'c Contest<'a>, aim: Aim<'c>) -> Self {
        Fight {
            contest,
            given: Deduction::with_initial(contest.store, contest.initial),
            aim,
            seen: FxHashSet::default(),
            furthest: None,
        }
    }

    /// Tries all runs.
    pub fn explore(&mut self) -> std::result::Result<Result, CertifyError> {
        let mut work = Waiting::default();
        let mut achieved: Option<(Bout, Option<Violation>)> = None;
        let mut finished: Option<Bout> = None;
        let mut left = self.contest.limit;
        if let Some(first) = self.start()? {
            work.push(first);
        }
        while let Some(mut state) = work.pop(self)? {
            if (self.contest.stopped)() {
                left = 0;
                break;
            }
            if !self.seen.insert(self.key(&state)) {
                continue;
            }
            let finished_now = state.ours.ready.is_empty() && !state.stuck;
            Rc::make_mut(&mut state).bout.finished = finished_now;
            if state.achieved != Achieved::No {
                let violation = state.achieved.violation();
                if state.bout.finished {
                    return Ok(Result {
                        ending: Ending::Achieved(state.bout.clone(), violation),
                        limited: false,
                    });
                }
                let longer = |b: &Bout| b.followed < state.bout.followed;
                if achieved.as_ref().is_none_or(|(b, _)| longer(b)) {
                    achieved = Some((state.bout.clone(), violation));
                    left = left.min(AFTERWARDS);
                }
            }
            if state.bout.finished && finished.is_none() {
                finished = Some(state.bout.clone());
            }
            if left == 0 {
                break;
            }
            left -= 1;
            let fronts = self.fronts(&state)?;
            let nexts = self.successors(&state, &fronts)?;
            // Those pushed last come first.
            work.defer(&state, Detours::new(fronts));
            for next in nexts.into_iter().rev() {
                work.push(next);
            }
        }
        if (self.contest.stopped)() {
            left = 0;
        }
        let ending = match (achieved, finished, self.furthest.take()) {
            (Some((bout, violation)), _, _) => Ending::Achieved(bout, violation),
            (None, Some(bout), _) => Ending::InVain(bout),
            (None, None, Some((bout, why))) => Ending::Stopped(bout, why),
            (None, None, None) => Ending::Stopped(Bout::default(), Vec::new()),
        };
        Ok(Result {
            ending,
            limited: left == 0,
        })
    }

    fn start(&mut self) -> std::result::Result<Option<State<'a>>, CertifyError> {
        let Contest {
            store,
            system,
            initial,
            attack,
            ..
        } = *self.contest;
        let (ours, checked) = Run::start(store, attack)?;
        let (theirs, _) = Run::start(store, system)?;
        let mut state = State {
            ours,
            theirs,
            knowledge: Deduction::with_initial(store, initial),
            bout: Bout::default(),
            heard: Vec::new(),
            stuck: false,
            detours: 0,
            achieved: Achieved::No,
        };
        self.judge(&mut state)?;
        if !self.own_tests(&mut state, &checked) {
            return Ok(None);
        }
        self.settle(&mut state)?;
        Ok(Some(state))
    }

    fn key(&self, state: &State<'a>) -> Key {
        let values = |run: &Run<'_>| run.values.iter().map(|(v, t)| (*v, *t)).collect();
        let mut heard: Vec<usize> = state.heard.iter().map(|t| t.slot()).collect();
        heard.sort_unstable();
        heard.dedup();
        // What happened when matters only for events.
        let events = match self.aim {
            Aim::Barb => Vec::new(),
            Aim::Claim(_) => state
                .bout
                .moves
                .iter()
                .filter(|m| matches!(m.kind, MoveKind::Event { .. }))
                .cloned()
                .collect(),
        };
        (
            [state.ours.ready.clone(), state.theirs.ready.clone()],
            [values(&state.ours), values(&state.theirs)],
            heard,
            events,
            state.theirs.phase,
        )
    }

    /// Whether the event happens only when its thread goes on: all but those that the claim asks for.
    pub fn waits(&self, event: EventId) -> bool {
        let before = matches!(self.aim, Aim::Claim(ClaimKind::Agreement { before, .. })
            if before.event == event);
        before || !self.counts(event)
    }

    /// Whether the claim asks for the event itself.
    pub fn counts(&self, event: EventId) -> bool {
        match self.aim {
            Aim::Claim(ClaimKind::Agreement { after, .. }) => after.event == event,
            Aim::Claim(
                ClaimKind::Reachable { event: e, .. } | ClaimKind::SecrecyAfter { event: e, .. },
            ) => e.event == event,
            _ => false,
        }
    }

    /// Runs what needs nobody: events of the attack, and events of the system that do not wait.
    pub fn settle(&mut self, state: &mut State<'a>) -> std::result::Result<(), CertifyError> {
        let event = |run: &Run<'_>, s: StepId| match &run.system.step(s).action {
            Action::Event { event, .. } => Some(*event),
            _ => None,
        };
        while let Some(step) = find(&state.ours, |s| event(&state.ours, s).is_some()) {
            let before = state.ours.ready.clone();
            let checked = state.ours.take(step, None)?;
            if !self.own_tests(state, &checked) {
                // What the attacker lacks ends this thread only.
                state.ours.ready.retain(|s| before.contains(s));
                state.stuck = true;
            }
        }
        while let Some(step) = find(&state.theirs, |s| {
            event(&state.theirs, s).is_some_and(|e| !self.waits(e))
        }) {
            self.happen(state, step)?;
        }
        Ok(())
    }

    /// An event of the system happens.
    pub fn happen(
        &self,
        state: &mut State<'a>,
        step: StepId,
    ) -> std::result::Result<(), CertifyError> {
        let Some(Action::Event { event, args, .. }) = state.theirs.ready_action(step) else {
            return Err(CertifyError::WrongAction { step });
        };
        let args = state.theirs.all_values(args);
        state.record(step, MoveKind::Event { args }, None);
        state.theirs.take(step, None)?;
        if self.counts(*event) {
            self.judge(state)?;
        }
        Ok(())
    }

    /// Looks whether the aim is achieved; once it is, it stays so.
    pub fn judge(&self, state: &mut State<'a>) -> std::result::Result<(), CertifyError> {
        if state.achieved != Achieved::No {
            return Ok(());
        }
        let Contest {
            store,
            system,
            initial,
            ..
        } = *self.contest;
        state.achieved = match self.aim {
            Aim::Barb if state.bout.barbs.is_empty() => Achieved::No,
            Aim::Barb => Achieved::Shown,
            Aim::Claim(claim) => {
                let found = violation(store, system, initial, claim, &state.bout.moves)?;
                found.map_or(Achieved::No, Achieved::Broken)
            }
        };
        Ok(())
    }

    /// Notes why the attack goes no further, if no run got further yet.
    pub fn hinder(&mut self, bout: &Bout, why: Hindrance) {
        match &mut self.furthest {
            Some((best, _)) if best.followed > bout.followed => {}
            Some((best, list)) if best.followed == bout.followed => {
                if !list.contains(&why) {
                    list.push(why);
                }
            }
            _ => self.furthest = Some((bout.clone(), vec![why])),
        }
    }
}

impl State<'_> {
    /// Notes what the system does, and the step of the attack that takes part in it.
    pub fn record(&mut self, step: StepId, kind: MoveKind, by: Option<StepId>) {
        self.bout.moves.push(Move { step, kind });
        self.bout.by.push(by);
    }
}

fn find(run: &Run<'_>, wanted: impl Fn(StepId) -> bool) -> Option<StepId> {
    run.ready.iter().copied().find(|s| wanted(*s))
}

pub(super) fn values_of(run: &Run<'_>) -> Subst {
    run.values
        .iter()
        .map(|(v, t)| (run.store.var(*v), *t))
        .collect()
}

/// Whether a process that fails a test is stuck: the test has no `else`.
pub(super) fn is_stuck(system: &System, test: StepId) -> bool {
    match &system.step(test).action {
        Action::Test { test, .. } => !test.has_else,
        _ => false,
    }
}
