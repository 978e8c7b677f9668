//! The wider look [Sem 6.2]: a claim is about the system as it is written, and what holds there may break with one more run or with
//! other agents. Most people mean those too, so they are looked at without being asked for.
//!
//! After a proof for the agents as written, a proof for all agents is tried. Where there is none, every role instance is there twice, then every
//! assignment of the declared agents to role instances is searched, the smallest first, in a fixed number of states: what is found does
//! not depend on the machine. It is certified like every attack, and told apart from the verdict.

use super::claimed_instances::searches_own;
use super::many_systems::{filled, is_shared, over_assignments};
use super::one_system::{Found, instance_name, search_bounds, search_system};
use super::proof::NoProof;
use super::question::{Answer, Question};
use super::sessions::{reaches_all_agents, replaced, twice};
use super::{Attack, ClaimResult, InternalError, Reach, Settings, Shown, Verdict};
use crate::base::limits::StopReason;
use crate::process::{InstanceId, Shapes, UnfoldError, unfold};
use std::cell::Cell;
use std::sync::Arc;

/// What was seen beyond what is written.
#[derive(Clone, Debug, Default)]
pub struct Wider {
    /// An attack.
    pub attack: Option<Beyond>,
    /// Every role instance was there twice, and that was searched to the end.
    pub twice: bool,
    /// All assignments of agents to up to this many role instances were searched to the end.
    pub assigned: u32,
    /// States of all searches.
    pub states: u64,
}

/// An attack that needs more than is written.
#[derive(Clone, Debug)]
pub struct Beyond {
    /// The attack.
    pub attack: Attack,
    /// The role instances that take part and are not written, or not as often.
    pub added: Vec<InstanceId>,
    /// Those that are written.
    pub written: Vec<String>,
    /// The number for `--sessions` that finds it, or one like it; not if somebody takes part who is not replaced.
    pub sessions: Option<u32>,
}

impl ClaimResult {
    /// The attack beyond what is written, if there is one.
    pub fn beyond(&self) -> Option<&Beyond> {
        self.wider.as_ref()?.attack.as_ref()
    }
}

/// Looks beyond the system as it is written, of which a claim holds. `--sessions` says itself what is to be looked at; processes that share
/// their states look at nothing else.
pub(super) fn look(question: &Question<'_>, result: &mut ClaimResult) -> Result<(), UnfoldError> {
    if question.settings.sessions.is_some() || is_shared(question.observer) {
        return Ok(());
    }
    let any_number = result.scope.is_any_number();
    if any_number && proved_for_everyone(question, result) {
        return Ok(());
    }
    let look = Look {
        question,
        written: written(question)?,
    };
    let mut wider = Wider::default();
    // A proof for any number of runs covers twins.
    if any_number {
        wider.twice = true;
    } else {
        look.twice(&mut wider)?;
    }
    if wider.attack.is_none() {
        look.assigned(&mut wider);
    }
    result.wider = Some(wider);
    Ok(())
}

/// Tries to prove the claim for every assignment of agents; whether that says all there is to say.
fn proved_for_everyone(question: &Question<'_>, result: &mut ClaimResult) -> bool {
    let settings = Settings {
        sessions: Some(1),
        ..*question.settings
    };
    let asked = Question {
        settings: &settings,
        ..*question
    };
    let (store, program, closed) = (question.store, question.program, question.closed);
    if !reaches_all_agents(program, store, closed) {
        return false;
    }
    // Where no role takes agents there are no others to take their part.
    let (found, proof, shown) = match asked.proof(|_| {}) {
        Ok(Answer::Proved(found, proof, Reach::Everyone | Reach::Repeated, shown)) => {
            (found, proof, shown)
        }
        Err(NoProof::Refused(error)) => {
            result.verdict = Verdict::Internal(InternalError::ProofRefused(error));
            return true;
        }
        _ => return false,
    };
    if found.cut || found.copied {
        return false;
    }
    result.scope.any_agents = true;
    result.proof = Some(proof);
    result.certificate = Some(Shown {
        sessions: question.settings.sessions,
        wider: true,
        ..shown
    });
    result.stats.time += found.stats.time;
    true
}

/// The role instances at the top of the system as it is written.
fn written(question: &Question<'_>) -> Result<Vec<String>, UnfoldError> {
    let Question {
        store,
        systems,
        program,
        closed,
        settings,
        ..
    } = *question;
    let system = systems.unfolded(store, program, closed, settings.bounds)?;
    let all = (0..system.instances.len() as u32).map(InstanceId);
    let at_top = all.filter(|i| system.instance(*i).parent.is_some() && system.top_of(*i) == *i);
    Ok(at_top.map(|i| instance_name(store, &system, i)).collect())
}

/// What is looked at, and what is known already.
struct Look<'a> {
    question: &'a Question<'a>,
    /// The role instances as they are written.
    written: Vec<String>,
}

impl Look<'_> {
    /// The settings of a search of so many states.
    fn settings(&self, states: u64) -> Settings {
        let mut settings = *self.question.settings;
        settings.all = false;
        settings.search.all = false;
        settings.search.workers = 1;
        let most = settings.limits.states.unwrap_or(u64::MAX);
        settings.limits.states = Some(most.min(states));
        settings
    }

    /// Searches the system with every role instance there twice.
    fn twice(&self, wider: &mut Wider) -> Result<(), UnfoldError> {
        let budgets = &self.question.settings.budgets;
        let Question {
            store,
            program,
            closed,
            ..
        } = *self.question;
        let Some((program, closed)) = twice(program, closed) else {
            wider.twice = true;
            return Ok(());
        };
        let settings = self.settings(budgets.twice_states as u64);
        let bounds = search_bounds(&settings);
        // What is too large to be unfolded twice is not looked at.
        let Ok(system) = unfold(&program, store, &closed, bounds, &mut Shapes::new()) else {
            return Ok(());
        };
        let question = Question {
            program: &program,
            closed: &closed,
            settings: &settings,
            ..*self.question
        };
        let found = search_system(&question, &program, &Arc::new(system))?;
        wider.states += found.stats.states;
        wider.twice = found.is_complete();
        wider.attack = self.beyond(found);
        Ok(())
    }

    /// Searches the assignments of agents, the smallest first, as far as the budget goes.
    fn assigned(&self, wider: &mut Wider) {
        let budgets = &self.question.settings.budgets;
        let question = self.question;
        let most = (self.written.len().max(2) as u32).saturating_add(1);
        let mut left = budgets.assigned_states as u64;
        for instances in 1..=most {
            let looked = Cell::new(0);
            let stop = || {
                looked.set(looked.get() + 1);
                let enough = looked.get() >= budgets.assigned_looks as u32;
                enough
                    .then_some(StopReason::Interrupted)
                    .or_else(|| filled(question.settings, question.observer))
            };
            let own = searches_own(question.claim, question.settings);
            let generated = question.systems.generated(
                question.store,
                question.program,
                question.closed,
                instances,
                own,
                &stop,
            );
            let Some(generated) = generated else { break };
            let settings = self.settings(left);
            let asked = Question {
                settings: &settings,
                ..*question
            };
            // A target that picks an instance need not find it in every system.
            let all = 0..generated.len();
            let Ok(found) = over_assignments(&asked, &generated, Some(&all)) else {
                break;
            };
            wider.states += found.stats.states;
            left = left.saturating_sub(found.stats.states);
            let complete = found.is_complete();
            wider.attack = self.beyond(found);
            if wider.attack.is_some() || !complete || left == 0 {
                break;
            }
            wider.assigned = instances;
        }
    }

    /// The attack that was found, and what it has that is not written.
    fn beyond(&self, found: Found) -> Option<Beyond> {
        let Verdict::Attack(attacks) = found.verdict else {
            return None;
        };
        let attack = attacks.into_iter().next()?;
        let mut written = self.written.clone();
        let taking_part = attack.taking_part();
        let is_added = |i: &&InstanceId| {
            let name = instance_name(self.question.store, &attack.system, **i);
            let at = written.iter().position(|w| *w == name);
            at.map(|at| written.swap_remove(at)).is_none()
        };
        let own = |i: &&InstanceId| attack.system.instance(**i).parent.is_none();
        let added = taking_part.iter().filter(|i| !own(i)).filter(is_added);
        let added = added.copied().collect();
        let Question {
            store,
            program,
            closed,
            ..
        } = *self.question;
        let replaced = replaced(program, store, closed);
        let chosen = |i: &InstanceId| {
            let def = attack.system.instance(*i).def;
            def.is_some_and(|def| replaced.contains(&def))
        };
        let sessions = taking_part
            .iter()
            .all(chosen)
            .then_some(taking_part.len() as u32);
        Some(Beyond {
            attack,
            added,
            written: self.written.clone(),
            sessions,
        })
    }
}
