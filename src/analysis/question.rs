//! A claim about one system in one lowering, and the order in which it is tried to be answered.
//!
//! Proofs and searches take turns, the cheap ones first. Most claims that hold are shown by the first attempt at a proof, in less
//! than a millisecond. Most attacks are found among the first few states; so a *brief* search comes before the second attempt, which is
//! in vain if there is an attack. What a brief search does not decide is searched again from the start: its counts and its attack are those of
//! the whole search, or it has none.

use super::Reach;
use super::claimed_instances::{every_pick_exists, searches_own};
use super::many_systems::{filled, halted, is_shared, over_assignments};
use super::one_system::{Found, instance_names, search_bounds, search_system};
use super::proof::{NoProof, proved};
use super::systems::Systems;
use super::{Assignments, Generated, InternalError, Settings, Shown, Verdict};
use crate::base::limits::{Budgets, Observer, StopReason};
use crate::certify::proof::ProofError;
use crate::engine::prove::{self, Failure, Proof};
use crate::engine::search::Stats;
use crate::process::{ClaimKind, Closed, Program, UnfoldError};
use crate::term::TermStore;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// How much is searched before other means are tried.
#[derive(Clone, Debug)]
pub(super) struct Brief {
    /// States, in all systems together.
    pub states: u64,
    /// Generated systems, by their numbers.
    pub systems: Range<usize>,
}

impl Brief {
    /// Of the attacks on the library's systems as they are written, six in seven are found by then.
    fn written(budgets: &Budgets) -> Self {
        Self {
            states: budgets.brief_states as u64,
            systems: 0..1,
        }
    }

    /// Generated systems are smaller, and several are looked at before the one with the attack.
    fn generated(budgets: &Budgets) -> Self {
        Self {
            states: budgets.brief_generated_states as u64,
            systems: 0..budgets.brief_systems,
        }
    }

    /// A search that would find again what was found, if that was soon: in the system that came after those without an attack.
    pub(super) fn like(found: &Found, budgets: &Budgets) -> Self {
        let number = found.finished;
        let most = budgets.brief_generated_states as u64;
        Self {
            states: most.min(found.stats.states + 8),
            systems: number..number + 1,
        }
    }
}

/// What a claim is asked of.
#[derive(Clone, Copy)]
pub(super) struct Question<'a> {
    pub store: &'a TermStore,
    pub systems: &'a Systems,
    pub program: &'a Program,
    pub closed: &'a Closed,
    pub claim: &'a ClaimKind,
    pub settings: &'a Settings,
    pub observer: &'a dyn Observer,
}

/// How a question was answered.
pub(super) enum Answer {
    /// By a proof.
    Proved(Found, Proof, Reach, Shown),
    /// By a search, of generated systems or of the system as it is written.
    Searched(Found, Option<Generated>),
}

impl Question<'_> {
    /// Answers the question.
    pub(super) fn answer(&self) -> Result<Answer, UnfoldError> {
        let failure = match self.proof(|o| o.received = false) {
            Ok(proved) => return Ok(proved),
            Err(NoProof::Refused(error)) => return Ok(self.refused(error)),
            Err(NoProof::Failed(failure)) => failure,
        };
        let brief = match (failure, self.settings.sessions) {
            // That events are counted right is mostly shown by what runs received.
            (Failure::Shared, _) => None,
            (_, None) => self.brief(&Brief::written(&self.settings.budgets))?,
            (_, Some(_)) => self.brief(&Brief::generated(&self.settings.budgets))?,
        };
        // A proof says more than a search that has found nothing.
        let attack = |found: &Found| matches!(found.verdict, Verdict::Attack(_));
        if !brief.as_ref().is_some_and(attack) {
            match self.proof(|o| o.plain = false) {
                Ok(proved) => return Ok(proved),
                Err(NoProof::Refused(error)) => return Ok(self.refused(error)),
                Err(NoProof::Failed(_)) => {}
            }
        }
        self.searched(brief)
    }

    /// What is said where prover and checker contradict each other.
    fn refused(&self, error: ProofError) -> Answer {
        let found = Found {
            verdict: Verdict::Internal(InternalError::ProofRefused(error)),
            ..Found::nothing(self.claim)
        };
        Answer::Searched(found, None)
    }

    /// Whether there is an attack, perhaps one that a brief search finds; `None` if that was not found out.
    pub(super) fn has_attack(&self, brief: &Brief) -> Option<bool> {
        let found = match self.brief(brief).ok()? {
            Some(found) => found,
            None if self.proof(|_| {}).is_ok() => return Some(false),
            None => self.search(self.generated(false).as_deref(), None).ok()?,
        };
        match found.verdict {
            Verdict::Attack(_) => Some(true),
            Verdict::Holds { .. } => Some(false),
            _ => None,
        }
    }

    /// The answer of a proof, looked for in some of the ways there are.
    pub(super) fn proof(
        &self,
        choose: impl FnOnce(&mut prove::Options),
    ) -> Result<Answer, NoProof> {
        let started = Instant::now();
        let mut options = prove::Options {
            budgets: self.settings.budgets,
            ..prove::Options::default()
        };
        choose(&mut options);
        // Processes that share the states of a search must all search or none.
        let (settings, observer) = (self.settings, self.observer);
        let stop = || !is_shared(observer) && halted(settings, observer).is_some();
        let shown = proved(self, options, &stop)?;
        let found = Found {
            stats: Stats {
                time: started.elapsed(),
                ..Stats::default()
            },
            cut: !shown.system.cuts.is_empty(),
            copied: shown.copied,
            instances: instance_names(self.store, &shown.system),
            ..Found::nothing(self.claim)
        };
        let certificate = Shown {
            certificate: Arc::new(shown.certificate),
            system: shown.system,
            sessions: self.settings.sessions,
            wider: false,
        };
        Ok(Answer::Proved(found, shown.proof, shown.reach, certificate))
    }

    /// The generated systems, if such were asked for and can be generated: all, or only the first if there are very many.
    fn generated(&self, first: bool) -> Option<Arc<Assignments>> {
        let stop = || {
            let enough = first.then_some(StopReason::Interrupted);
            enough.or_else(|| filled(self.settings, self.observer))
        };
        self.systems.generated(
            self.store,
            self.program,
            self.closed,
            self.settings.sessions?,
            searches_own(self.claim, self.settings),
            &stop,
        )
    }

    /// What a brief search decides.
    fn brief(&self, brief: &Brief) -> Result<Option<Found>, UnfoldError> {
        // Where there is nothing to prove there is nothing to come before.
        let proofs = self.settings.proofs && !matches!(self.claim, ClaimKind::Reachable { .. });
        if !proofs || !self.settings.brief || is_shared(self.observer) {
            return Ok(None);
        }
        let mut settings = *self.settings;
        settings.search.workers = 1;
        let states = settings.limits.states.unwrap_or(u64::MAX);
        settings.limits.states = Some(states.min(brief.states));
        let first = Question {
            settings: &settings,
            ..*self
        };
        let found = first.search(self.generated(true).as_deref(), Some(&brief.systems))?;
        let decided = found.stopped.is_none()
            && matches!(
                found.verdict,
                Verdict::Attack(_) | Verdict::Holds { .. } | Verdict::Internal(_)
            );
        Ok(decided.then_some(found))
    }

    /// The answer of a search, of which a brief one may have decided all.
    fn searched(&self, brief: Option<Found>) -> Result<Answer, UnfoldError> {
        let generated = self.generated(false);
        let found = match brief {
            Some(found) => found,
            None => self.search(generated.as_deref(), None)?,
        };
        let told = generated.zip(self.settings.sessions);
        let told = told.map(|(all, instances)| Generated {
            systems: all.len(),
            instances,
            complete: all.stopped.is_none(),
        });
        Ok(Answer::Searched(found, told))
    }

    /// Searches the generated systems, or a part of them, or else the system as it is written.
    fn search(
        &self,
        generated: Option<&Assignments>,
        part: Option<&Range<usize>>,
    ) -> Result<Found, UnfoldError> {
        if let Some(generated) = generated {
            return over_assignments(self, generated, part);
        }
        every_pick_exists(self)?;
        let bounds = search_bounds(self.settings);
        let system = (self.systems).unfolded(self.store, self.program, self.closed, bounds)?;
        let mut found = search_system(self, self.program, &system)?;
        found.instances = instance_names(self.store, &system);
        Ok(found)
    }
}
