//! Trying an experiment: all runs of a system that follow a tester, enumerated.
//!
//! Naive on purpose: every communication between threads is a silent step that may or may not happen, every output or
//! input that fits the tester's next action is tried, and a condition is checked as soon as all it mentions has been
//! heard. The runs are followed action by action, all of them together. Of threads that are literally copies of one
//! another the first one moves. A configuration is left out only if another one that has followed as many actions has all
//! its threads, copies counted, with the same values, and the same messages that are still of use: whatever the smaller
//! one can do, the larger one can do as well, because a thread never hinders another.

use super::budgets::COMPARED;
use super::copies::{Copies, are_within, first_of_each};
use super::experiment::{Condition, Experiment, Probe, Side};
use super::recipe::Frame;
use super::run::Run;
use super::{CertifyError, Deduction, Effort, Move, MoveKind, Recipe, Source};
use crate::process::{Action, StepId, System};
use crate::term::{TermId, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::Arc;

/// Which internal communication is part of a run [Sem 3.4].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Semantics {
    /// All of it: testing equivalence.
    #[default]
    Classic,
    /// Only on channels that the environment can't derive.
    Private,
}

/// A system with the attacker's initial knowledge.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The system.
    pub system: &'a System,
    /// What `Recipe::Initial` refers to.
    pub initial: &'a [TermId],
}

/// A run that follows an experiment, perhaps not to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The run: a `Receive` for each `Probe::Send`, a `Send` for each `Probe::Hear`, and silent steps between.
    pub moves: Vec<Move>,
    /// The messages heard.
    pub heard: Vec<TermId>,
    /// Number of the tester's actions that it follows.
    pub followed: usize,
}

/// Why a run does not pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// The tester's action of this number can't happen.
    Action(usize),
    /// The condition of this number does not hold.
    Condition(usize),
}

/// A confirmed experiment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinguished {
    /// A run of the side that passes.
    pub passing: Trial,
    /// A run of the other side that gets as far as any.
    pub failing: Trial,
    /// Why that run goes no further.
    pub obstacle: Obstacle,
    /// Number of configurations tried, both sides together.
    pub tried: usize,
}

/// Confirms that one side passes the experiment and that no run of the other side does. Gives up with
/// [`CertifyError::TooManyRuns`] or [`CertifyError::Stopped`] when the effort becomes too much on a side.
pub fn replay_experiment(
    store: &TermStore,
    left: Subject<'_>,
    right: Subject<'_>,
    experiment: &Experiment,
    semantics: Semantics,
    effort: Effort<'_>,
) -> Result<Distinguished, CertifyError> {
    if !experiment.is_proper(store) {
        return Err(CertifyError::BadRecipe);
    }
    let (one, other) = match experiment.passes {
        Side::Left => (left, right),
        Side::Right => (right, left),
    };
    let attempt = |subject| attempt_counted(store, subject, experiment, semantics, effort);
    let (Outcome::Passed(passing), first) = attempt(one)? else {
        return Err(CertifyError::NeverPasses);
    };
    match attempt(other)? {
        (Outcome::Passed(_), _) => Err(CertifyError::BothPass),
        (Outcome::Failed(failing, obstacle), second) => Ok(Distinguished {
            passing,
            failing,
            obstacle,
            tried: first + second,
        }),
    }
}

/// What became of an experiment on one side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// This run passes.
    Passed(Trial),
    /// No run passes; this one gets as far as any.
    Failed(Trial, Obstacle),
}

/// What is remembered of a configuration: its threads, in order.
type Memory = Vec<u32>;

/// The messages heard, as far as they are of use.
type Heard = Vec<Option<TermId>>;

/// The configurations met after some number of actions, by the messages that are still of use.
#[derive(Default)]
struct Met {
    by_heard: FxHashMap<Heard, (FxHashSet<Memory>, Vec<Memory>)>,
}

impl Met {
    /// Adds a configuration; no if one that can do as much is there.
    fn insert(&mut self, heard: Heard, memory: Memory) -> bool {
        let (all, large) = self.by_heard.entry(heard).or_default();
        if all.contains(&memory) || large.iter().any(|l| are_within(&memory, l)) {
            return false;
        }
        if large.len() < COMPARED {
            large.push(memory.clone());
        }
        all.insert(memory);
        true
    }
}

struct Tester<'a> {
    store: &'a TermStore,
    subject: Subject<'a>,
    experiment: &'a Experiment,
    semantics: Semantics,
    effort: Effort<'a>,
    copies: Copies,
    tried: usize,
    best: (Trial, Obstacle),
}

/// A configuration on the way.
#[derive(Clone)]
struct State<'a> {
    run: Run<'a>,
    trial: Trial,
}

/// Tries the experiment on one system: does some run pass?
pub fn attempt(
    store: &TermStore,
    subject: Subject<'_>,
    experiment: &Experiment,
    semantics: Semantics,
    effort: Effort<'_>,
) -> Result<Outcome, CertifyError> {
    attempt_counted(store, subject, experiment, semantics, effort).map(|(outcome, _)| outcome)
}

/// The same, with the number of configurations tried.
fn attempt_counted(
    store: &TermStore,
    subject: Subject<'_>,
    experiment: &Experiment,
    semantics: Semantics,
    effort: Effort<'_>,
) -> Result<(Outcome, usize), CertifyError> {
    let (run, _) = Run::start(store, subject.system)?;
    let trial = Trial {
        moves: Vec::new(),
        heard: Vec::new(),
        followed: 0,
    };
    let mut tester = Tester {
        store,
        subject,
        experiment,
        semantics,
        effort,
        copies: Copies::of(store, subject.system),
        tried: 0,
        best: (trial.clone(), Obstacle::Action(0)),
    };
    let mut first = State { run, trial };
    first.pass_events()?;
    if let Some(broken) = tester.broken_condition(&[], None) {
        let failed = Outcome::Failed(first.trial, Obstacle::Condition(broken));
        return Ok((failed, 1));
    }
    let outcome = match tester.explore(first)? {
        Some(trial) => Outcome::Passed(trial),
        None => Outcome::Failed(tester.best.0, tester.best.1),
    };
    Ok((outcome, tester.tried))
}

impl<'a> Tester<'a> {
    fn explore(&mut self, first: State<'a>) -> Result<Option<Trial>, CertifyError> {
        let mut layer = vec![first];
        while let Some(state) = layer.first() {
            if state.trial.followed == self.experiment.actions.len() {
                return Ok(Some(state.trial.clone()));
            }
            let mut met = Met::default();
            let mut next = Vec::new();
            let mut work: VecDeque<State<'a>> = layer.into();
            while let Some(state) = work.pop_front() {
                let threads = self.copies.threads(&state.run);
                let mut memory = threads.clone();
                memory.sort_unstable();
                if !met.insert(self.remembered(&state.trial), memory) {
                    continue;
                }
                self.tried += 1;
                self.effort.spend(self.tried)?;
                self.note(&state.trial, Obstacle::Action(state.trial.followed));
                let movers: Vec<StepId> = first_of_each(&threads)
                    .into_iter()
                    .map(|i| state.run.ready[i])
                    .collect();
                work.extend(self.silent(&state, &movers)?);
                next.extend(self.visible(&state, &movers)?);
            }
            layer = next;
        }
        Ok(None)
    }

    /// The messages heard that are looked at again.
    fn remembered(&self, trial: &Trial) -> Heard {
        let Trial {
            heard, followed, ..
        } = trial;
        heard
            .iter()
            .enumerate()
            .map(|(k, t)| self.is_needed(k, heard.len(), *followed).then_some(*t))
            .collect()
    }

    /// Whether the output of this number is looked at again: by a later action, by a condition that waits for more, or
    /// because the semantics asks which channels the tester knows.
    fn is_needed(&self, output: usize, heard: usize, followed: usize) -> bool {
        let uses = |r: &&Arc<Recipe>| r.uses(output);
        let waits = |c: &&Condition| c.needs() > heard;
        let Experiment {
            actions,
            conditions,
            ..
        } = self.experiment;
        self.semantics == Semantics::Private
            || actions[followed..]
                .iter()
                .any(|a| a.recipes().iter().any(uses))
            || conditions
                .iter()
                .filter(waits)
                .any(|c| c.recipes().iter().any(uses))
    }

    /// Remembers the run that got furthest; a run that fails at a condition has done one action more.
    fn note(&mut self, trial: &Trial, obstacle: Obstacle) {
        if trial.followed > self.best.0.followed {
            self.best = (trial.clone(), obstacle);
        }
    }

    /// A condition that can be checked only since the last message was heard, and does not hold.
    fn broken_condition(&self, heard: &[TermId], last: Option<usize>) -> Option<usize> {
        let due = |c: &Condition| c.needs() == last.map_or(0, |l| l + 1);
        self.experiment
            .conditions
            .iter()
            .position(|c| due(c) && !c.holds(self.store, self.subject.initial, heard))
    }

    /// The configurations one silent step later; a thread and a copy of it never talk to each other, since the one
    /// sends and the other receives.
    fn silent(&self, state: &State<'a>, movers: &[StepId]) -> Result<Vec<State<'a>>, CertifyError> {
        let run = &state.run;
        let mut found = Vec::new();
        for sender in movers {
            let Some((channel, message)) = run.output(*sender) else {
                continue;
            };
            if self.semantics == Semantics::Private && self.knows(state, channel) {
                continue;
            }
            for receiver in movers {
                if run.input(*receiver) != Some(channel) {
                    continue;
                }
                let mut next = state.clone();
                next.run.take(*sender, None)?;
                next.run.take(*receiver, Some(message))?;
                next.trial.moves.push(Move {
                    step: *sender,
                    kind: MoveKind::Communicate {
                        receiver: *receiver,
                        channel,
                        message,
                    },
                });
                next.pass_events()?;
                found.push(next);
            }
        }
        Ok(found)
    }

    /// The configurations after the tester's next action.
    fn visible(
        &mut self,
        state: &State<'a>,
        movers: &[StepId],
    ) -> Result<Vec<State<'a>>, CertifyError> {
        let run = &state.run;
        let frame = Frame {
            initial: self.subject.initial,
            heard: &state.trial.heard,
        };
        let mut found = Vec::new();
        let probe = &self.experiment.actions[state.trial.followed];
        if let Probe::Phase(number) = probe {
            let mut next = state.clone();
            next.run.begin(*number)?;
            next.trial.moves.push(Move {
                step: run.system.root,
                kind: MoveKind::Phase { number: *number },
            });
            next.trial.followed += 1;
            next.pass_events()?;
            return Ok(vec![next]);
        }
        for step in movers {
            let mut next = state.clone();
            let kind = match probe {
                Probe::Send { channel, message } => {
                    let (Some(c), Some(m)) = (
                        channel.make(self.store, frame),
                        message.make(self.store, frame),
                    ) else {
                        return Ok(found);
                    };
                    if run.input(*step) != Some(c) {
                        continue;
                    }
                    next.run.take(*step, Some(m))?;
                    MoveKind::Receive {
                        channel: c,
                        message: m,
                    }
                }
                Probe::Phase(_) => continue,
                Probe::Hear { channel } => {
                    let Some(c) = channel.make(self.store, frame) else {
                        return Ok(found);
                    };
                    let Some((d, message)) = run.output(*step) else {
                        continue;
                    };
                    if c != d {
                        continue;
                    }
                    next.run.take(*step, None)?;
                    next.trial.heard.push(message);
                    MoveKind::Send {
                        channel: c,
                        message,
                    }
                }
            };
            next.trial.moves.push(Move { step: *step, kind });
            next.trial.followed += 1;
            next.pass_events()?;
            if next.trial.heard.len() > state.trial.heard.len() {
                let last = Some(next.trial.heard.len() - 1);
                if let Some(broken) = self.broken_condition(&next.trial.heard, last) {
                    self.note(&next.trial, Obstacle::Condition(broken));
                    continue;
                }
            }
            found.push(next);
        }
        Ok(found)
    }

    fn knows(&self, state: &State<'a>, channel: TermId) -> bool {
        let mut knowledge = Deduction::with_initial(self.store, self.subject.initial);
        for (k, t) in state.trial.heard.iter().enumerate() {
            knowledge.learn(Source::Sent(k), *t);
        }
        knowledge.derivable(channel)
    }
}

impl State<'_> {
    /// Runs all events: a tester does not see them.
    fn pass_events(&mut self) -> Result<(), CertifyError> {
        let is_event =
            |run: &Run<'_>, s: &StepId| matches!(run.system.step(*s).action, Action::Event { .. });
        while let Some(step) = self
            .run
            .ready
            .iter()
            .find(|s| is_event(&self.run, s))
            .copied()
        {
            let Some(Action::Event { args, .. }) = self.run.ready_action(step) else {
                break;
            };
            let args = self.run.all_values(args);
            self.run.take(step, None)?;
            self.trial.moves.push(Move {
                step,
                kind: MoveKind::Event { args },
            });
        }
        Ok(())
    }
}
