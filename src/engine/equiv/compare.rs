//! Which procedure decides: nothing is to be done if the systems are structurally congruent; then causal cones where the systems
//! allow it, role by role where they share channels, and the joint exploration otherwise.
//!
//! The verdict is exact whichever it is. Cones decide systems with channels for each process (`cones`). Role by role
//! ([`super::roles`]) can only confirm; what it does not confirm is explored as it is.
//!
//! Nobody knows beforehand which of cones and exploration is quicker. So they take turns, with more work at each turn, until one
//! decides ([`turns`]): whichever is quicker, not much more than twice its work is done. Work is counted, in steps and nodes, and
//! never measured by a clock.

use super::congruence::congruent;
use super::roles::{self, Apart};
use super::{Distinction, Options, Outcome, Side, Stats, Surroundings, Way};
use crate::base::limits::{Budgets, Observer, StopReason};
use crate::certify::equivalence::{self, Certificate, EquivalenceError};
use crate::certify::{Effort, Subject, replay_experiment};
use crate::engine::cones::{self, Answer, Closure, Found, Question};
use crate::engine::joint::compress::are_simple;
use crate::engine::joint::explore;
use crate::engine::joint::template::Templates;
use crate::process::System;
use crate::term::TermStore;
use std::sync::Arc;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The steps of the cones and the nodes of the joint exploration at each turn: about the same work, 25 times as much at the next.
/// After the last turn the exploration has no limit of ours.
fn turns(budgets: &Budgets) -> Vec<(u64, Option<u64>)> {
    let times = |n: usize, by: u64| (n as u64).saturating_mul(by);
    let turn = |by| {
        let nodes = times(budgets.joint_nodes, by);
        (times(budgets.cone_steps, by), Some(nodes))
    };
    [1, 25, 625].map(turn).into()
}

/// What shows that two systems are equivalent, seen by the check of certificates.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The certificate.
    pub certificate: Arc<Certificate>,
    /// The systems that it is about, if they are others than the given ones: with a channel for each process.
    pub apart: Option<Arc<[System; 2]>>,
}

/// Decides whether two systems are equivalent, or in the preorder.
pub fn compare(
    store: &TermStore,
    left: &System,
    right: &System,
    surroundings: &Surroundings<'_>,
    options: &Options,
    observer: &dyn Observer,
) -> Outcome {
    compare_and_show(store, left, right, surroundings, options, observer).0
}

/// The same, with what shows it if the cones said that they are equivalent.
pub fn compare_and_show(
    store: &TermStore,
    left: &System,
    right: &System,
    surroundings: &Surroundings<'_>,
    options: &Options,
    observer: &dyn Observer,
) -> (Outcome, Option<Shown>) {
    let comparison = Comparison {
        store,
        surroundings,
        options,
        observer,
        started: Instant::now(),
        shown: Mutex::default(),
    };
    if let Some(stats) = comparison.by_congruence(left, right) {
        return (Outcome::Equivalent(stats), None);
    }
    let outcome = comparison.in_turns(left, right);
    let shown = comparison.shown.into_inner();
    (outcome, shown.unwrap_or_else(PoisonError::into_inner))
}

/// What role by role tells of two systems whose `!` are marked, each with as many copies.
#[derive(Clone, Debug)]
pub enum AnyNumber {
    /// They are equivalent for any number of copies.
    Closed(Stats),
    /// They are equivalent with these copies; with more, further runs have to be looked at.
    Crowded,
    /// It can't tell, however many copies there are: they are no case for it, or what they do differs.
    Unknown,
    /// It takes more than the steps allow, or was stopped.
    GaveUp,
}

/// Looks whether two systems are equivalent for any number of copies of the marked `!` [Sem 5.11].
pub fn any_number(
    store: &TermStore,
    left: &System,
    right: &System,
    surroundings: &Surroundings<'_>,
    options: &Options,
    observer: &dyn Observer,
) -> AnyNumber {
    let comparison = Comparison {
        store,
        surroundings,
        options,
        observer,
        started: Instant::now(),
        shown: Mutex::default(),
    };
    comparison.any_number(left, right)
}

/// Systems that the cones may decide.
struct Attempt<'a> {
    left: &'a System,
    right: &'a System,
    /// The systems with channels for each process: only equivalence counts.
    by_role: Option<&'a Apart>,
    /// What the cones said.
    said: Said,
    /// What tells the systems with channels for each process apart: it may tell the systems as they are apart.
    candidate: Option<(Distinction, Stats)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Said {
    /// They have not decided so far.
    Nothing,
    /// It is no case for them.
    NoCase,
    /// The systems differ, which is not what was asked.
    Different,
}

struct Comparison<'a> {
    store: &'a TermStore,
    surroundings: &'a Surroundings<'a>,
    options: &'a Options,
    observer: &'a dyn Observer,
    started: Instant,
    shown: Mutex<Option<Shown>>,
}

impl Comparison<'_> {
    fn stopped(&self) -> bool {
        let limits = &self.options.limits;
        self.observer.interrupted()
            || limits.deadline.is_some_and(|d| Instant::now() >= d)
            || limits
                .memory
                .is_some_and(|m| self.observer.memory().is_some_and(|used| used > m))
    }

    /// The cost, if the systems are structurally congruent.
    fn by_congruence(&self, left: &System, right: &System) -> Option<Stats> {
        if !self.options.reductions.congruence || self.stopped() {
            return None;
        }
        let knows = self.surroundings.knows;
        let edges = self.options.budgets.congruence_edges;
        on_a_large_stack(|| congruent(self.store, left, right, knows, edges).then_some(()))?;
        Some(Stats {
            way: Way::Congruence,
            time: self.started.elapsed(),
            ..Stats::default()
        })
    }

    /// Lets the cones and the joint exploration take turns.
    fn in_turns(&self, left: &System, right: &System) -> Outcome {
        let pairs = self.pairs(left, right);
        let mut attempts: Vec<Attempt<'_>> = match &pairs {
            None => vec![attempt(left, right, None)],
            Some(pairs) => {
                let all = pairs.iter().map(|a| (&a.systems, a));
                all.map(|([l, r], a)| attempt(l, r, Some(a))).collect()
            }
        };
        let limits = &self.options.limits;
        let turns: Vec<(u64, Option<u64>)> = match self.options.steps {
            Some(steps) => vec![(steps, None)],
            None if self.is_shared() => vec![(self.options.budgets.cone_steps as u64, None)],
            None => turns(&self.options.budgets),
        };
        let mut spent = Stats::default();
        for (steps, nodes) in turns {
            if let Some(outcome) = self.by_cones([left, right], &mut attempts, steps) {
                return after(outcome, &spent);
            }
            let said = attempts.iter().all(|a| a.said != Said::Nothing);
            let tests = attempts.iter().any(|a| a.candidate.is_some());
            if said && !tests {
                break;
            }
            if !said {
                spent.gave_up = Some(steps);
            }
            let Some(nodes) = nodes.filter(|n| limits.states.is_none_or(|most| *n < most)) else {
                break;
            };
            let mut options = self.options.clone();
            options.limits.states = Some(nodes);
            match self.explore(left, right, &options) {
                Outcome::Inconclusive(StopReason::States(_), stats)
                | Outcome::Untold(StopReason::States(_), stats) => spent.left += stats.nodes,
                outcome => return after(outcome, &spent),
            }
            if let Some(outcome) = self.try_candidates(left, right, &mut attempts) {
                return after(outcome, &spent);
            }
            if said {
                break;
            }
        }
        let outcome = self
            .explored_apart(&attempts)
            .unwrap_or_else(|| self.explore(left, right, self.options));
        after(outcome, &spent)
    }

    /// Compares with a channel for each process, for any number of copies.
    fn any_number(&self, left: &System, right: &System) -> AnyNumber {
        let reductions = &self.options.reductions;
        let on = reductions.cones && reductions.by_role && reductions.symmetry;
        if !on || self.options.actions.is_some() || self.is_shared() {
            return AnyNumber::Unknown;
        }
        let steps = self.options.steps;
        let steps = steps.unwrap_or(self.options.budgets.copied_steps as u64);
        let mut answer = AnyNumber::Unknown;
        for apart in roles::apart(self.store, left, right) {
            let [l, r] = &apart.systems;
            if self.stopped() {
                return AnyNumber::GaveUp;
            }
            let question = Question {
                steps,
                ..self.question(l, r)
            };
            let stopped = || self.stopped();
            match on_a_large_stack(|| Some(cones::decide(question, &stopped))) {
                Some(Answer::Found(found)) if found.distinction.is_none() => match found.closure {
                    Closure::Closed => return AnyNumber::Closed(self.cost(&found, true)),
                    Closure::Crowded => answer = AnyNumber::Crowded,
                    Closure::Unmatched => {}
                },
                Some(Answer::Found(_) | Answer::NoCase) | None => {}
                Some(Answer::GaveUp) if matches!(answer, AnyNumber::Crowded) => {}
                Some(Answer::GaveUp) => answer = AnyNumber::GaveUp,
            }
        }
        answer
    }

    fn cost(&self, found: &Found, by_role: bool) -> Stats {
        Stats {
            nodes: found.runs,
            configurations: found.looks,
            depth: found.longest,
            way: Way::Cones,
            by_role,
            time: self.started.elapsed(),
            ..Stats::default()
        }
    }

    /// The pairs of systems to be compared role by role; `None` if the cones take the systems as they are.
    fn pairs(&self, left: &System, right: &System) -> Option<Vec<Apart>> {
        let reductions = &self.options.reductions;
        // A limit on actions is about the joint exploration.
        if self.options.actions.is_some() || self.stopped() {
            return Some(Vec::new());
        }
        if reductions.cones
            && on_a_large_stack(|| self.question(left, right).is_case().then_some(())).is_some()
        {
            return None;
        }
        let simple = || are_simple(self.store, &Templates::new(self.store, left, right, &[]));
        if !reductions.by_role || self.stopped() || simple() {
            return Some(Vec::new());
        }
        Some(roles::apart(self.store, left, right))
    }

    /// Several processes share the work: they explore once.
    #[cfg(feature = "distributed")]
    fn is_shared(&self) -> bool {
        self.observer.cluster().is_some()
    }

    #[cfg(not(feature = "distributed"))]
    #[allow(clippy::unused_self)]
    fn is_shared(&self) -> bool {
        false
    }

    fn explore(&self, left: &System, right: &System, options: &Options) -> Outcome {
        let (store, around) = (self.store, self.surroundings);
        explore(store, left, right, around, options, self.observer)
    }

    fn question<'q>(&'q self, left: &'q System, right: &'q System) -> Question<'q> {
        Question {
            store: self.store,
            left,
            right,
            knows: self.surroundings.knows,
            spies: self.surroundings.spies,
            symmetry: self.options.reductions.symmetry,
            contained: self.options.reductions.contained,
            branches: self.options.budgets.cone_branches,
            nodes: self.options.limits.states,
            steps: 0,
        }
    }

    /// What the cones say within some steps, if they answer the question.
    fn by_cones(
        &self,
        given: [&System; 2],
        attempts: &mut [Attempt<'_>],
        steps: u64,
    ) -> Option<Outcome> {
        for attempt in attempts.iter_mut().filter(|a| a.said == Said::Nothing) {
            if self.stopped() {
                return None;
            }
            let question = Question {
                steps,
                ..self.question(attempt.left, attempt.right)
            };
            let stopped = || self.stopped();
            let work = || Some(cones::decide(question, &stopped));
            let on = self.options.reductions.cones;
            let found = match on.then(|| on_a_large_stack(work)).flatten() {
                Some(Answer::Found(found)) => found,
                Some(Answer::GaveUp) => continue,
                Some(Answer::NoCase) | None => {
                    attempt.said = Said::NoCase;
                    continue;
                }
            };
            let stats = self.cost(&found, attempt.by_role.is_some());
            match found.distinction {
                None => return Some(self.checked(given, attempt, found.certificate, stats)),
                // Equivalence answers the question of the preorder, a difference need not.
                Some(d) if attempt.by_role.is_none() && !self.options.preorder => {
                    return Some(Outcome::Distinguished(Box::new(d), stats));
                }
                Some(d) => {
                    attempt.said = Said::Different;
                    let test = attempt.by_role.map(|apart| (apart.as_they_are(d), stats));
                    attempt.candidate = test;
                }
            }
        }
        None
    }

    /// Tries what tells the systems with channels for each process apart on the systems as they are.
    fn try_candidates(
        &self,
        left: &System,
        right: &System,
        attempts: &mut [Attempt<'_>],
    ) -> Option<Outcome> {
        let subject = |system| Subject {
            system,
            initial: self.surroundings.knows,
        };
        let stopped = || self.stopped();
        for (test, stats) in attempts.iter_mut().filter_map(|a| a.candidate.take()) {
            // That the right one has more is no answer to the question of the preorder.
            if self.options.preorder && test.experiment.passes == Side::Right {
                continue;
            }
            let shown = replay_experiment(
                self.store,
                subject(left),
                subject(right),
                &test.experiment,
                self.options.semantics,
                Effort {
                    configurations: self.options.budgets.candidate_trials,
                    stopped: &stopped,
                },
            );
            if shown.is_ok() {
                return Some(Outcome::Distinguished(Box::new(test), stats));
            }
        }
        None
    }

    /// The systems are equivalent, unless the check of the certificate refuses it. One that is not checked to its end shows nothing.
    fn checked(
        &self,
        given: [&System; 2],
        attempt: &Attempt<'_>,
        certificate: Option<Box<Certificate>>,
        mut stats: Stats,
    ) -> Outcome {
        let Some(certificate) = certificate else {
            return Outcome::Equivalent(stats);
        };
        let systems = [attempt.left, attempt.right];
        let stopped = || self.stopped();
        let check = || {
            let pair = equivalence::Pair {
                systems,
                knows: self.surroundings.knows,
                spies: self.surroundings.spies,
            };
            let apart =
                attempt.by_role.is_none() || equivalence::is_apart(self.store, given, systems);
            let told = equivalence::check(self.store, pair, &certificate, &stopped);
            Some(if apart {
                told
            } else {
                Err(EquivalenceError::Malformed)
            })
        };
        let answer = on_a_large_stack(check);
        stats.time = self.started.elapsed();
        match answer {
            Some(Ok(())) => {
                let shown = Some(Shown {
                    certificate: Arc::from(certificate),
                    apart: attempt
                        .by_role
                        .map(|_| Arc::new(systems.map(System::clone))),
                });
                *self.shown.lock().unwrap_or_else(PoisonError::into_inner) = shown;
                Outcome::Equivalent(stats)
            }
            None
            | Some(Err(
                EquivalenceError::NotExpressed
                | EquivalenceError::GaveUp
                | EquivalenceError::Stopped,
            )) => Outcome::Equivalent(stats),
            Some(Err(error)) => Outcome::Refused(error, stats),
        }
    }

    /// Explores the first systems with channels for each process that the cones did not decide; whether they are equivalent.
    fn explored_apart(&self, attempts: &[Attempt<'_>]) -> Option<Outcome> {
        let open = |a: &&Attempt<'_>| a.by_role.is_some() && a.said != Said::Different;
        let Attempt { left, right, .. } = attempts.iter().find(open)?;
        // Without compression the new systems may be larger than the old ones.
        let templates = Templates::new(self.store, left, right, &[]);
        if !self.options.reductions.compress || !are_simple(self.store, &templates) {
            return None;
        }
        let options = Options {
            preorder: false,
            ..self.options.clone()
        };
        match self.explore(left, right, &options) {
            Outcome::Equivalent(stats) => Some(Outcome::Equivalent(Stats {
                by_role: true,
                ..stats
            })),
            _ => None,
        }
    }
}

fn attempt<'a>(left: &'a System, right: &'a System, by_role: Option<&'a Apart>) -> Attempt<'a> {
    Attempt {
        left,
        right,
        by_role,
        said: Said::Nothing,
        candidate: None,
    }
}

/// The outcome after turns that did not decide.
fn after(mut outcome: Outcome, spent: &Stats) -> Outcome {
    let stats = outcome.stats_mut();
    stats.gave_up = spent.gave_up;
    stats.left = spent.left;
    outcome
}

/// Runs something that recurses over terms and goals.
///
/// Should it panic, the exploration decides; but a build with assertions shows it.
fn on_a_large_stack<T: Send>(work: impl FnOnce() -> Option<T> + Send) -> Option<T> {
    std::thread::scope(|scope| {
        let worker = std::thread::Builder::new()
            .stack_size(64 << 20)
            .spawn_scoped(scope, work)
            .ok()?;
        match worker.join() {
            Ok(found) => found,
            Err(panic) if cfg!(debug_assertions) => std::panic::resume_unwind(panic),
            Err(_) => None,
        }
    })
}
