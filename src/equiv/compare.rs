//! Which procedure decides: nothing is to be done if the systems are structurally congruent; then causal cones where the systems
//! allow it, role by role where they share channels, and the joint exploration otherwise.
//!
//! The verdict is exact whichever it is. Cones decide systems with channels for each thread ([`super::cone`]). Role by role
//! ([`super::roles`]) can only confirm; what it does not confirm is explored as it is.

use super::compress::are_simple;
use super::cone::{self, Question};
use super::congruence::congruent;
use super::explore::explore;
use super::options::{Observer, Options, Outcome, Stats, Surroundings, Way};
use super::roles;
use super::template::Templates;
use crate::process::System;
use crate::term::TermStore;
use std::time::Instant;

/// Decides whether two systems are equivalent, or in the preorder.
pub fn compare(
    store: &TermStore,
    left: &System,
    right: &System,
    surroundings: &Surroundings<'_>,
    options: &Options,
    observer: &dyn Observer,
) -> Outcome {
    let comparison = Comparison {
        store,
        surroundings,
        options,
        observer,
        started: Instant::now(),
    };
    if let Some(stats) = comparison.by_congruence(left, right) {
        return Outcome::Equivalent(stats);
    }
    if let Some(outcome) = comparison.by_cones(left, right) {
        // Equivalence answers the question of the preorder, a difference need not.
        if !options.preorder || matches!(outcome, Outcome::Equivalent(_)) {
            return outcome;
        }
    } else if let Some(stats) = comparison.by_role(left, right) {
        return Outcome::Equivalent(stats);
    }
    explore(store, left, right, surroundings, options, observer)
}

struct Comparison<'a> {
    store: &'a TermStore,
    surroundings: &'a Surroundings<'a>,
    options: &'a Options,
    observer: &'a dyn Observer,
    started: Instant,
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
        on_a_large_stack(|| congruent(self.store, left, right, knows).then_some(()))?;
        Some(Stats {
            way: Way::Congruence,
            time: self.started.elapsed(),
            ..Stats::default()
        })
    }

    /// What the cones say, if they say something.
    fn by_cones(&self, left: &System, right: &System) -> Option<Outcome> {
        // Limits on nodes and actions are about the joint exploration.
        if !self.options.reductions.cones || self.options.limits.actions.is_some() || self.stopped()
        {
            return None;
        }
        let question = Question {
            store: self.store,
            left,
            right,
            knows: self.surroundings.knows,
            spies: self.surroundings.spies,
            symmetry: self.options.reductions.symmetry,
            contained: self.options.reductions.contained,
            nodes: self.options.limits.nodes,
        };
        let found = on_a_large_stack(|| cone::decide(question, &|| self.stopped()))?;
        let stats = Stats {
            nodes: found.runs,
            configurations: found.looks,
            depth: found.longest,
            way: Way::Cones,
            time: self.started.elapsed(),
            ..Stats::default()
        };
        Some(match found.distinction {
            None => Outcome::Equivalent(stats),
            Some(d) => Outcome::Distinguished(Box::new(d), stats),
        })
    }

    /// The cost, if the systems are equivalent role by role.
    fn by_role(&self, left: &System, right: &System) -> Option<Stats> {
        if !self.options.reductions.by_role
            || self.options.limits.actions.is_some()
            || self.stopped()
        {
            return None;
        }
        if are_simple(self.store, &Templates::new(self.store, left, right, &[])) {
            return None;
        }
        // The first matching that is not refuted is explored if no cones decide.
        let mut open = None;
        for pair in roles::apart(self.store, left, right) {
            match self.by_cones(&pair[0], &pair[1]) {
                Some(Outcome::Equivalent(stats)) => return Some(as_roles(stats)),
                Some(_) => {}
                None => open = open.or(Some(pair)),
            }
        }
        let [left, right] = open?;
        // Without compression the new systems may be larger than the old ones.
        let templates = Templates::new(self.store, &left, &right, &[]);
        if !self.options.reductions.compress || !are_simple(self.store, &templates) {
            return None;
        }
        let options = Options {
            preorder: false,
            ..self.options.clone()
        };
        let (store, around) = (self.store, self.surroundings);
        match explore(store, &left, &right, around, &options, self.observer) {
            Outcome::Equivalent(stats) => Some(as_roles(stats)),
            _ => None,
        }
    }
}

/// The cost of a comparison role by role.
fn as_roles(stats: Stats) -> Stats {
    Stats {
        by_role: true,
        ..stats
    }
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
