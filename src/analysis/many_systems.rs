//! Deciding a claim about many systems: the generated ones of `--sessions`.
//!
//! Threads share out the systems, not the states of one: most are small. Results are taken in the order of the systems, so
//! verdict, counts and attack do not depend on the number of threads.

use super::claimed_instances::{missing_pick, picks_instance};
use super::needed_event::Needed;
use super::one_system::{Found, instance_names, search_bounds, search_system};
use super::question::Question;
use super::{Assignments, Attack, Settings, Verdict};
use crate::base::limits::{Observer, StopReason};
use crate::engine::search::Options;
use crate::process::{Closed, Series, UnfoldError};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The most systems that are searched between two looks at the results. The first batches are smaller: a system that
/// decides the claim does not have to wait for many others.
const BATCH: usize = 64;

/// Stack of a thread.
const STACK: usize = 64 << 20;

/// Why the search of the next system should not begin.
pub(super) fn halted(settings: &Settings, observer: &dyn Observer) -> Option<StopReason> {
    let deadline = settings.limits.deadline;
    if deadline.is_some_and(|d| Instant::now() >= d) {
        return Some(StopReason::Time);
    }
    observer.interrupted().then_some(StopReason::Interrupted)
}

/// Why no more systems should be generated: they take memory as well.
pub(super) fn filled(settings: &Settings, observer: &dyn Observer) -> Option<StopReason> {
    halted(settings, observer).or_else(|| {
        let limit = settings.limits.memory?;
        let used = observer.memory()?;
        (used >= limit).then_some(StopReason::Memory(limit))
    })
}

/// Whether other processes share the states of each system: all take the systems one by one then.
#[cfg(feature = "distributed")]
pub(super) fn is_shared(observer: &dyn Observer) -> bool {
    observer.cluster().is_some()
}

#[cfg(not(feature = "distributed"))]
pub(super) fn is_shared(_: &dyn Observer) -> bool {
    false
}

/// Threads to share out systems among, if there are enough systems for more than one.
fn threads(settings: &Settings, systems: usize) -> Option<rayon::ThreadPool> {
    let workers = settings.search.workers;
    if workers == 1 || systems < BATCH {
        return None;
    }
    rayon::ThreadPoolBuilder::new()
        .num_threads(workers)
        .stack_size(STACK)
        .build()
        .ok()
}

/// The results of all systems in their order: one by one, or in batches that threads share out.
struct Batches<'a, T, F> {
    /// Numbers of the systems that are left.
    rest: Range<usize>,
    /// Results at hand, the next one last.
    batch: Vec<T>,
    /// Systems in the next batch.
    size: usize,
    pool: Option<&'a rayon::ThreadPool>,
    search: &'a F,
}

impl<T: Send, F: Fn(usize) -> T + Sync> Iterator for Batches<'_, T, F> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        if self.batch.is_empty() {
            let end = self.rest.end.min(self.rest.start + self.size);
            let now = self.rest.start..end;
            self.rest.start = end;
            if self.pool.is_some() {
                self.size = (2 * self.size).min(BATCH);
            }
            self.batch = match self.pool {
                Some(pool) => pool.install(|| now.into_par_iter().map(self.search).collect()),
                None => now.map(self.search).collect(),
            };
            self.batch.reverse();
        }
        self.batch.pop()
    }
}

/// Searches all generated systems, in their order, until one decides the claim; or a part of them, with as many states together as one may have.
pub(super) fn over_assignments(
    question: &Question<'_>,
    generated: &Assignments,
    part: Option<&Range<usize>>,
) -> Result<Found, UnfoldError> {
    let Question {
        store,
        closed,
        claim,
        settings,
        observer,
        ..
    } = *question;
    let program = &generated.program;
    let common = Closed {
        system: generated.common,
        ..closed.clone()
    };
    let mut total = Found::nothing(claim);
    if picks_instance(claim) {
        let mut found = Vec::new();
        let mut missing = None;
        let mut series = Series::new(program, store, settings.bounds);
        let mut all = generated.stopped.is_none();
        for number in 0..generated.len() {
            if halted(settings, observer).is_some() {
                all = false;
                break;
            }
            let system = series.unfold(&common, &generated.threads(number))?;
            missing = missing_pick(store, &system, claim, &mut found);
            if missing.is_none() {
                break;
            }
            series.give_back(system);
        }
        if let Some(target) = missing.filter(|_| all) {
            return Err(UnfoldError::NothingPicked { span: target.span });
        }
    }
    let started = Instant::now();
    let mut attacks: Vec<Attack> = Vec::new();
    let pool = if is_shared(observer) {
        None
    } else {
        threads(settings, generated.len())
    };
    let alone = Settings {
        search: Options {
            workers: if pool.is_some() {
                1
            } else {
                settings.search.workers
            },
            ..settings.search
        },
        ..*settings
    };
    // Each thread has the system it unfolded last, which begins like the next one.
    let spare: Mutex<Vec<Series<'_>>> = Mutex::default();
    let one = |number: usize| -> Result<Found, UnfoldError> {
        let idle = || spare.lock().unwrap_or_else(PoisonError::into_inner);
        let last = idle().pop();
        let mut series = last.unwrap_or_else(|| Series::new(program, store, search_bounds(&alone)));
        let system = series.unfold(&common, &generated.threads(number))?;
        let asked = Question {
            settings: &alone,
            ..*question
        };
        let mut found = search_system(&asked, program, &system)?;
        // Only a system that decides the claim is told about.
        if !matches!(found.verdict, Verdict::Holds { run: None }) {
            found.instances = instance_names(store, &system);
        }
        series.give_back(system);
        idle().push(series);
        Ok(found)
    };
    let needed = if settings.search.pruning {
        Needed::new(claim, generated)
    } else {
        None
    };
    let search = |number: usize| -> Option<Result<Found, UnfoldError>> {
        if needed.as_ref().is_some_and(|n| !n.is_in(generated, number)) {
            return Some(Ok(Found::nothing(claim)));
        }
        // What is not begun in time is left out.
        let begun = halted(settings, observer).is_none();
        begun.then(|| one(number))
    };
    let all = 0..generated.len();
    let numbers = part.cloned().unwrap_or(all.clone());
    let numbers = numbers.start.min(all.end)..numbers.end.min(all.end);
    let results = Batches {
        rest: numbers.clone(),
        batch: Vec::new(),
        size: pool
            .as_ref()
            .map_or(1, rayon::ThreadPool::current_num_threads),
        pool: pool.as_ref(),
        search: &search,
    };
    for found in results {
        let Some(found) = found else {
            let reason = halted(settings, observer).unwrap_or(StopReason::Interrupted);
            total.stopped = Some(reason);
            if attacks.is_empty() {
                total.verdict = Verdict::Inconclusive(reason);
            }
            break;
        };
        let found = found?;
        total.stats.states += found.stats.states;
        total.stats.matched += found.stats.matched;
        total.stats.transitions += found.stats.transitions;
        total.stats.depth = total.stats.depth.max(found.stats.depth);
        total.stats.time = started.elapsed();
        total.stopped = total.stopped.or(found.stopped);
        total.cut |= found.cut;
        total.copied |= found.copied;
        let spent = part.is_some()
            && settings
                .limits
                .states
                .is_some_and(|s| total.stats.states >= s);
        match found.verdict {
            Verdict::Holds { run: None } | Verdict::Unreachable | Verdict::NotExecutable => {
                total.finished += 1;
            }
            Verdict::Attack(found_attacks) if settings.all => attacks.extend(found_attacks),
            // Another assignment may still have an attack within the limit.
            Verdict::Inconclusive(reason @ (StopReason::States(_) | StopReason::Size(_))) => {
                total.verdict = Verdict::Inconclusive(reason);
                total.stopped = total.stopped.or(Some(reason));
            }
            // What was found before is not lost.
            Verdict::Inconclusive(reason) | Verdict::Unconfirmed(reason) if !attacks.is_empty() => {
                total.stopped = Some(reason);
                break;
            }
            decided => {
                // What is said about depth is said about this system.
                total.stats.depth = found.stats.depth;
                total.instances = found.instances;
                total.verdict = decided;
                return Ok(total);
            }
        }
        if spent {
            total.stopped = total
                .stopped
                .or(settings.limits.states.map(StopReason::States));
            break;
        }
    }
    if numbers != all {
        total.stopped = total
            .stopped
            .or(settings.limits.states.map(StopReason::States));
    }
    // Nothing is known of the systems that were not generated.
    if let (Some(reason), None) = (generated.stopped, total.stopped) {
        total.stopped = Some(reason);
        total.verdict = Verdict::Inconclusive(reason);
    }
    if !attacks.is_empty() {
        attacks.sort_by_key(|a| a.witness.moves.len());
        total.verdict = Verdict::Attack(attacks);
    }
    Ok(total)
}
