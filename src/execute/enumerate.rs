//! The enumeration of all runs of an attack in parallel with a system: configurations, and a
//! worklist of them.

use super::attack::{Aim, AttackOutcome, AttackResult, AttackRun, Composition, Obstacle};
use super::moves::Detours;
use crate::certify::budgets::AFTERWARDS;
use crate::certify::{CertifyError, Deduction, Move, MoveKind, Run, Violation, violation};
use crate::process::{Action, ClaimKind, EventId, StepId, System};
use crate::term::{Subst, TermId};
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The key of a visited configuration.
type Key = (
    [Vec<StepId>; 2],
    [Vec<(u32, TermId)>; 2],
    Vec<usize>,
    Vec<Move>,
    u8,
);

/// A configuration.
#[derive(Clone)]
pub(super) struct State<'a> {
    pub ours: Run<'a>,
    pub theirs: Run<'a>,
    pub knowledge: Deduction<'a>,
    pub attack_run: AttackRun,
    pub heard: Vec<TermId>,
    /// A thread of the attack is at a test that failed.
    pub stuck: bool,
    /// Messages that a role refused or that the system passed around without the attack. Runs with
    /// few of them are tried first: they are likely to be the intended ones.
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

/// A configuration to try, or those that follow one when the system passes messages around. There
/// may be one for each pair of threads, so they are made one at a time.
enum Next<'a> {
    One(Rc<State<'a>>),
    Detours(Detours<'a>),
}

/// The pending configurations: those with the fewest detours first, of these the one that got
/// furthest, of these the newest.
#[derive(Default)]
struct Worklist<'a> {
    queue: BTreeMap<Place, Next<'a>>,
    pushed: usize,
}

/// Detours, steps of the attack, age.
type Place = (usize, Reverse<usize>, Reverse<usize>);

impl<'a> Worklist<'a> {
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
        let followed = Reverse(state.attack_run.followed);
        (detours, followed, Reverse(self.pushed))
    }

    /// The next configuration; `None` if there is none, or on a request to stop.
    fn pop(
        &mut self,
        enumeration: &mut Enumeration<'a, '_>,
    ) -> Result<Option<Rc<State<'a>>>, CertifyError> {
        while let Some((place, next)) = self.queue.pop_first() {
            let mut detours = match next {
                Next::One(state) => return Ok(Some(state)),
                Next::Detours(detours) => detours,
            };
            if let Some(state) = enumeration.detour(&mut detours)? {
                self.queue.insert(place, Next::Detours(detours));
                return Ok(Some(Rc::new(state)));
            }
        }
        Ok(None)
    }
}

/// The state of an enumeration.
pub(super) struct Enumeration<'a, 'c> {
    pub composition: &'c Composition<'a>,
    /// What the attacker can make before anything is heard.
    pub given: Deduction<'a>,
    pub aim: Aim<'c>,
    seen: FxHashSet<Key>,
    furthest: Option<(AttackRun, Vec<Obstacle>)>,
}

impl<'a, 'c> Enumeration<'a, 'c> {
    /// Nothing has happened yet.
    pub(super) fn new(composition: &'c Composition<'a>, aim: Aim<'c>) -> Self {
        Enumeration {
            composition,
            given: Deduction::with_initial(composition.store, composition.initial),
            aim,
            seen: FxHashSet::default(),
            furthest: None,
        }
    }

    /// Tries all runs.
    pub(super) fn explore(&mut self) -> Result<AttackResult, CertifyError> {
        let mut work = Worklist::default();
        let mut achieved: Option<(AttackRun, Option<Violation>)> = None;
        let mut finished: Option<AttackRun> = None;
        let mut left = self.composition.limit;
        if let Some(first) = self.start()? {
            work.push(first);
        }
        while let Some(mut state) = work.pop(self)? {
            if (self.composition.stopped)() {
                left = 0;
                break;
            }
            if !self.seen.insert(self.key(&state)) {
                continue;
            }
            let finished_now = state.ours.ready.is_empty() && !state.stuck;
            Rc::make_mut(&mut state).attack_run.finished = finished_now;
            if state.achieved != Achieved::No {
                let violation = state.achieved.violation();
                if state.attack_run.finished {
                    return Ok(AttackResult {
                        outcome: AttackOutcome::Achieved(state.attack_run.clone(), violation),
                        limited: false,
                    });
                }
                let longer = |b: &AttackRun| b.followed < state.attack_run.followed;
                if achieved.as_ref().is_none_or(|(b, _)| longer(b)) {
                    achieved = Some((state.attack_run.clone(), violation));
                    left = left.min(AFTERWARDS);
                }
            }
            if state.attack_run.finished && finished.is_none() {
                finished = Some(state.attack_run.clone());
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
        if (self.composition.stopped)() {
            left = 0;
        }
        let outcome = match (achieved, finished, self.furthest.take()) {
            (Some((attack_run, violation)), _, _) => AttackOutcome::Achieved(attack_run, violation),
            (None, Some(attack_run), _) => AttackOutcome::InVain(attack_run),
            (None, None, Some((attack_run, why))) => AttackOutcome::Stopped(attack_run, why),
            (None, None, None) => AttackOutcome::Stopped(AttackRun::default(), Vec::new()),
        };
        Ok(AttackResult {
            outcome,
            limited: left == 0,
        })
    }

    fn start(&mut self) -> Result<Option<State<'a>>, CertifyError> {
        let Composition {
            store,
            system,
            initial,
            attack,
            ..
        } = *self.composition;
        let (ours, checked) = Run::start(store, attack)?;
        let (theirs, _) = Run::start(store, system)?;
        let mut state = State {
            ours,
            theirs,
            knowledge: Deduction::with_initial(store, initial),
            attack_run: AttackRun::default(),
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
                .attack_run
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

    /// Whether the event happens only when its thread goes on: all but those that the claim asks
    /// for.
    pub(super) fn waits(&self, event: EventId) -> bool {
        let before = matches!(self.aim, Aim::Claim(ClaimKind::Agreement { before, .. })
            if before.event == event);
        let excuses = matches!(self.aim, Aim::Claim(claim)
            if claim.unless().iter().any(|p| p.event == event));
        before || excuses || !self.counts(event)
    }

    /// Whether the claim asks for the event itself.
    pub(super) fn counts(&self, event: EventId) -> bool {
        match self.aim {
            Aim::Claim(ClaimKind::Agreement { after, .. }) => after.event == event,
            Aim::Claim(
                ClaimKind::Reachable { event: e, .. } | ClaimKind::SecrecyAfter { event: e, .. },
            ) => e.event == event,
            _ => false,
        }
    }

    /// Runs what needs nobody: events of the attack, and events of the system that do not wait.
    pub(super) fn settle(&mut self, state: &mut State<'a>) -> Result<(), CertifyError> {
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
    pub(super) fn happen(&self, state: &mut State<'a>, step: StepId) -> Result<(), CertifyError> {
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
    pub(super) fn judge(&self, state: &mut State<'a>) -> Result<(), CertifyError> {
        if state.achieved != Achieved::No {
            return Ok(());
        }
        let Composition {
            store,
            system,
            initial,
            ..
        } = *self.composition;
        state.achieved = match self.aim {
            Aim::Barb if state.attack_run.barbs.is_empty() => Achieved::No,
            Aim::Barb => Achieved::Shown,
            Aim::Claim(claim) => {
                let found = violation(store, system, initial, claim, &state.attack_run.moves)?;
                found.map_or(Achieved::No, Achieved::Broken)
            }
        };
        Ok(())
    }

    /// Notes why the attack goes no further, if no run got further yet.
    pub(super) fn note_obstacle(&mut self, attack_run: &AttackRun, why: Obstacle) {
        match &mut self.furthest {
            Some((best, _)) if best.followed > attack_run.followed => {}
            Some((best, list)) if best.followed == attack_run.followed => {
                if !list.contains(&why) {
                    list.push(why);
                }
            }
            _ => self.furthest = Some((attack_run.clone(), vec![why])),
        }
    }
}

impl State<'_> {
    /// Notes what the system does, and the step of the attack that takes part in it.
    pub(super) fn record(&mut self, step: StepId, kind: MoveKind, by: Option<StepId>) {
        self.attack_run.moves.push(Move { step, kind });
        self.attack_run.by.push(by);
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
