//! Two unfolded systems: whether a test tells them apart, confirmed, and which is a short one.
//!
//! `equiv` proposes an experiment, `certify` tries it on both sides. A confirmed experiment is made short: conditions
//! and actions without which it still tells the sides apart are dropped, each time confirmed again. If runs were
//! compressed that need not give the shortest one, so shorter ones are then looked for without compression. One that
//! can't be written as a process gives way to one that can, if there is such a one with the same actions.

use super::Settings;
use super::compare::{ComparisonVerdict, Refutation, Unconfirmed};
use super::guard::after_search;
use super::writable::alternatives;
use crate::base::limits::{Halt, Limits, Observer, StopReason};
use crate::certify::{self, CertifyError, Distinguished, Effort, Experiment, Probe, Side};
use crate::engine::equiv::{self, Distinction, Outcome, Stats, Surroundings};
use crate::process::System;
use crate::term::{TermId, TermStore};
use std::cell::RefCell;

/// The search for a shorter experiment may take so many times the nodes of the search that found the first.
const TIMES: u64 = 4;

/// Two unfolded systems in one environment.
pub(super) struct Pair<'a> {
    pub store: &'a TermStore,
    pub left: &'a System,
    pub right: &'a System,
    pub knows: &'a [TermId],
    pub spies: &'a [TermId],
    pub settings: &'a Settings,
    pub observer: &'a dyn Observer,
    pub limits: Limits,
    /// What shows that they are equivalent, if the last answer says so and has such a thing.
    pub shown: RefCell<Option<equiv::Shown>>,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    /// Whether both have the same traces.
    Equivalence,
    /// Whether this side has all traces of the other.
    Covers(Side),
}

impl Pair<'_> {
    /// Whether the systems are equivalent, or the left one is covered by the right one.
    pub(super) fn decide(&self, preorder: bool) -> (ComparisonVerdict, Stats) {
        let question = if preorder {
            Question::Covers(Side::Right)
        } else {
            Question::Equivalence
        };
        let (verdict, stats) = self.answer(question, Stats::default());
        // A test that only the bound makes fail hides others; those that the other side fails are real if it is whole.
        if let (ComparisonVerdict::Bounded(refutation), Question::Equivalence) =
            (&verdict, question)
        {
            let winner = refutation.experiment.passes;
            if self.is_whole(winner) {
                let (other, stats) = self.answer(Question::Covers(winner), stats);
                return match other {
                    ComparisonVerdict::Distinguished(_)
                    | ComparisonVerdict::Refused(_)
                    | ComparisonVerdict::Internal(_) => (other, stats),
                    _ => (verdict, stats),
                };
            }
        }
        (verdict, stats)
    }

    fn system(&self, side: Side) -> &System {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }

    /// Whether no bound cut anything off a side.
    fn is_whole(&self, side: Side) -> bool {
        let system = self.system(side);
        system.cuts.is_empty() && system.copied.is_empty()
    }

    /// Answers a question; adds the cost to what was spent before.
    fn answer(&self, question: Question, spent: Stats) -> (ComparisonVerdict, Stats) {
        let outcome = self.search(question, &self.options(question, &spent));
        let mut stats = spent.and(outcome.stats());
        let verdict = match outcome {
            Outcome::Equivalent(_) => ComparisonVerdict::Equivalent,
            Outcome::Inconclusive(reason, _) => ComparisonVerdict::Inconclusive(reason),
            Outcome::Untold(reason, _) => {
                ComparisonVerdict::Unconfirmed(Unconfirmed::Stopped(reason))
            }
            Outcome::Refused(error, _) => ComparisonVerdict::Refused(error),
            Outcome::Distinguished(distinction, found) => {
                self.refute(question, *distinction, &found, &mut stats)
            }
        };
        (verdict, stats)
    }

    /// How to search for an answer about both directions.
    pub(super) fn whole(&self) -> equiv::Options {
        self.options(Question::Equivalence, &Stats::default())
    }

    /// How to search, with what is left of the limits.
    fn options(&self, question: Question, spent: &Stats) -> equiv::Options {
        let limits = &self.limits;
        let search = &self.settings.search;
        equiv::Options {
            semantics: self.settings.semantics,
            preorder: question != Question::Equivalence,
            threads: search.workers,
            limits: Limits {
                states: limits.states.map(|n| n.saturating_sub(spent.nodes)),
                ..*limits
            },
            actions: None,
            steps: self.settings.limits.steps,
            budgets: self.settings.budgets,
            reductions: equiv::Reductions {
                share: search.sharing,
                symmetry: search.symmetry,
                public_renaming: search.symmetry,
                subsume: search.subsumption,
                compress: self.settings.compression,
                cones: self.settings.cones,
                by_role: self.settings.by_role,
                congruence: self.settings.congruence,
                ..equiv::Reductions::default()
            },
            ..equiv::Options::default()
        }
    }

    /// Asks `equiv`, which takes the side that may have more for the right one.
    fn search(&self, question: Question, options: &equiv::Options) -> Outcome {
        let around = Surroundings {
            knows: self.knows,
            spies: self.spies,
        };
        let swapped = question == Question::Covers(Side::Left);
        let (left, right) = if swapped {
            (self.right, self.left)
        } else {
            (self.left, self.right)
        };
        let (mut outcome, shown) =
            equiv::compare_and_show(self.store, left, right, &around, options, self.observer);
        // A question about the other direction has the sides exchanged.
        self.shown.replace(shown.filter(|_| !swapped));
        if let (true, Outcome::Distinguished(d, _)) = (swapped, &mut outcome) {
            d.experiment.passes = d.experiment.passes.other();
        }
        outcome
    }

    /// What follows from a proposed experiment.
    fn refute(
        &self,
        question: Question,
        distinction: Distinction,
        found: &Stats,
        stats: &mut Stats,
    ) -> ComparisonVerdict {
        let guard = after_search(&self.settings.limits, &self.limits, self.observer);
        let mut shortest = distinction.shortest;
        let mut confirmed = match self.certify(distinction.experiment, shortest, &guard) {
            Ok(confirmed) => confirmed,
            Err(CertifyError::TooManyRuns { limit }) => {
                return ComparisonVerdict::Unconfirmed(Unconfirmed::TooMany(limit));
            }
            Err(CertifyError::Stopped) => {
                let reason = guard.reason().unwrap_or(StopReason::Interrupted);
                return ComparisonVerdict::Unconfirmed(Unconfirmed::Stopped(reason));
            }
            Err(error) => return ComparisonVerdict::Internal(error),
        };
        if !shortest {
            let (shorter, established) = self.shorter(question, &confirmed, found, stats, &guard);
            confirmed = shorter.unwrap_or(confirmed);
            shortest = established;
        }
        let Confirmed { experiment, shown } = self.writable(question, confirmed, &guard);
        let loser = experiment.passes.other();
        let refutation = Box::new(Refutation {
            experiment,
            shown,
            shortest,
        });
        if self.is_whole(loser) {
            ComparisonVerdict::Distinguished(refutation)
        } else {
            ComparisonVerdict::Bounded(refutation)
        }
    }

    /// An experiment with fewer actions, and whether none has fewer than the one to be told.
    fn shorter(
        &self,
        question: Question,
        than: &Confirmed,
        found: &Stats,
        stats: &mut Stats,
        guard: &Halt<'_>,
    ) -> (Option<Confirmed>, bool) {
        let actions = than.experiment.actions.len();
        if actions <= 1 {
            return (None, true);
        }
        let mut options = self.options(question, &Stats::default());
        let nodes = (self.settings.budgets.shorter_nodes as u64).max(TIMES * found.nodes);
        options.reductions.compress = false;
        options.reductions.cones = false;
        options.reductions.by_role = false;
        options.reductions.congruence = false;
        options.limits.states = Some(options.limits.states.map_or(nodes, |n| n.min(nodes)));
        options.actions = Some(actions as u32 - 1);
        let outcome = self.search(question, &options);
        stats.time += outcome.stats().time;
        match outcome {
            Outcome::Distinguished(d, _) => match self.certify(d.experiment, d.shortest, guard) {
                // A difference that the bound may have made is no better than one that it did not.
                Ok(c) if self.is_as_good(&c, than) => (Some(c), true),
                _ => (None, false),
            },
            Outcome::Inconclusive(StopReason::Actions(_), _) | Outcome::Equivalent(_) => {
                (None, true)
            }
            Outcome::Inconclusive(..) | Outcome::Untold(..) | Outcome::Refused(..) => (None, false),
        }
    }

    fn is_writable(&self, experiment: &Experiment) -> bool {
        experiment.is_writable(self.store, self.knows)
    }

    /// An experiment that can be written as a process, if this one can't and another with its actions can.
    fn writable(&self, question: Question, found: Confirmed, guard: &Halt<'_>) -> Confirmed {
        if self.is_writable(&found.experiment) {
            return found;
        }
        let mut left = self.settings.budgets.trimmings;
        for other in alternatives(self.store, &found.experiment) {
            let asked =
                question == Question::Equivalence || other.passes == found.experiment.passes;
            if !asked || !self.is_writable(&other) {
                continue;
            }
            // Both sides are tried again, all of their runs at the worst.
            let Some(rest) = left.checked_sub(found.shown.tried) else {
                break;
            };
            left = rest;
            if self.replay(&other, left, guard).is_err() {
                continue;
            }
            // Nothing but conditions may go: the report has settled how many actions it takes.
            if let Ok(confirmed) = self.certify(other, true, guard)
                && self.is_as_good(&confirmed, &found)
            {
                return confirmed;
            }
        }
        found
    }

    fn is_as_good(&self, new: &Confirmed, old: &Confirmed) -> bool {
        let definite = |c: &Confirmed| self.is_whole(c.experiment.passes.other());
        definite(new) || !definite(old)
    }

    fn replay(
        &self,
        experiment: &Experiment,
        limit: usize,
        guard: &Halt<'_>,
    ) -> Result<Distinguished, CertifyError> {
        let [left, right] = [self.left, self.right].map(|system| certify::Subject {
            system,
            initial: self.knows,
        });
        let stopped = || guard.stopped();
        let effort = Effort {
            configurations: limit,
            stopped: &stopped,
        };
        let semantics = self.settings.semantics;
        certify::replay_experiment(self.store, left, right, experiment, semantics, effort)
    }

    /// Confirms the experiment and drops what it does not need; of a shortest one all actions are needed.
    fn certify(
        &self,
        experiment: Experiment,
        shortest: bool,
        guard: &Halt<'_>,
    ) -> Result<Confirmed, CertifyError> {
        let shown = self.replay(&experiment, self.settings.budgets.trials, guard)?;
        Ok(Trimming {
            pair: self,
            guard,
            best: Confirmed { experiment, shown },
            left: self.settings.budgets.trimmings,
        }
        .trimmed(shortest))
    }
}

/// An experiment with what its replay showed.
struct Confirmed {
    experiment: Experiment,
    shown: Distinguished,
}

/// An experiment on the way to a smaller one.
struct Trimming<'p, 'a> {
    pair: &'p Pair<'a>,
    guard: &'p Halt<'a>,
    best: Confirmed,
    /// Configurations that may still be tried.
    left: usize,
}

impl Trimming<'_, '_> {
    /// Without the conditions and actions that are not needed.
    fn trimmed(mut self, shortest: bool) -> Confirmed {
        self.conditions();
        if !shortest && self.actions() {
            self.conditions();
        }
        self.best
    }

    /// Takes a smaller experiment if it tells the sides apart as well.
    fn take(&mut self, smaller: Experiment) -> bool {
        // What can be written stays so.
        let writable = |e: &Experiment| self.pair.is_writable(e);
        if writable(&self.best.experiment) && !writable(&smaller) {
            return false;
        }
        // A replay of less tries at least as much.
        let Some(rest) = self.left.checked_sub(self.best.shown.tried) else {
            self.left = 0;
            return false;
        };
        self.left = rest;
        let Ok(shown) = self.pair.replay(&smaller, self.left, self.guard) else {
            return false;
        };
        self.best.experiment = smaller;
        self.best.shown = shown;
        true
    }

    fn conditions(&mut self) {
        // Where an action tells the sides apart no condition is needed, as a rule.
        let mut bare = self.best.experiment.clone();
        bare.conditions.clear();
        if self.best.experiment.conditions.is_empty() || self.take(bare) {
            return;
        }
        let mut i = self.best.experiment.conditions.len();
        while i > 0 {
            i -= 1;
            let mut fewer = self.best.experiment.clone();
            fewer.conditions.remove(i);
            self.take(fewer);
        }
    }

    /// Drops actions, each with the later ones on its channel; whether one went.
    fn actions(&mut self) -> bool {
        let before = self.best.experiment.actions.len();
        let mut i = before;
        while i > 0 {
            i -= 1;
            let actions = &self.best.experiment.actions;
            let Some(action) = actions.get(i) else {
                continue;
            };
            let channel = |p: &Probe| match p {
                Probe::Send { channel, .. } | Probe::Hear { channel } => Some(channel.clone()),
                Probe::Phase(_) => None,
            };
            let dropped: Vec<usize> = (i..actions.len())
                .filter(|j| channel(&actions[*j]) == channel(action))
                .collect();
            if let Some(fewer) = self.best.experiment.without(&dropped) {
                self.take(fewer);
            }
        }
        self.best.experiment.actions.len() < before
    }
}
