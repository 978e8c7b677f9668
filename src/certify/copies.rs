//! Threads that are copies of one another.
//!
//! Two steps are in one class if they do the same and what follows them is in one class; variables count by the order
//! in which they are first used, everything else must be equal. So a thread is known by the class of its step and by the
//! values of the variables that the step and its future use, in that order: threads that agree in both behave alike,
//! literally, and it does not matter which of them moves. Events are passed over, since a tester does not see them.

use super::run::Run;
use crate::process::{Action, StepId, System};
use crate::term::{TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// The classes of the steps of a system, and the threads met.
pub(super) struct Copies {
    steps: Vec<Class>,
    threads: FxHashMap<Thread, u32>,
}

/// What a step does and what follows it, up to the names of variables.
struct Class {
    number: u32,
    /// The variables that the step and its future use but do not bind, in order of first use.
    free: Vec<u32>,
}

/// What makes up a class: variables are numbered by first use.
#[derive(PartialEq, Eq, Hash)]
struct Form {
    /// Tells the kinds of actions apart.
    kind: u8,
    terms: Vec<TermId>,
    binds: Vec<u32>,
    /// The class of each following step, and its variables.
    next: Vec<(u32, Vec<u32>)>,
}

/// A class, with the values of its variables.
type Thread = (u32, Vec<Option<TermId>>);

impl Copies {
    /// Classifies the steps of a system.
    pub fn of(store: &TermStore, system: &System) -> Self {
        let mut classes: FxHashMap<Form, u32> = FxHashMap::default();
        let mut steps: Vec<Class> = Vec::with_capacity(system.steps.len());
        for step in &system.steps {
            let (kind, terms, binds, next) = match &step.action {
                Action::Nil => (0, vec![], vec![], vec![]),
                Action::Fork(parts) => (1, vec![], vec![], parts.clone()),
                Action::Output {
                    channel,
                    message,
                    next,
                } => (2, vec![*channel, *message], vec![], vec![*next]),
                Action::Input {
                    channel,
                    binder,
                    next,
                } => (3, vec![*channel], vec![*binder], vec![*next]),
                Action::Test {
                    test,
                    then,
                    otherwise,
                } => (
                    4,
                    test.equations.iter().flat_map(|(a, b)| [*a, *b]).collect(),
                    test.binds.clone(),
                    vec![*then, *otherwise],
                ),
                Action::Event { next, .. } => (5, vec![], vec![], vec![*next]),
                Action::Phase { number, next } => (6 + *number, vec![], vec![], vec![*next]),
            };
            let mut used: Vec<u32> = Vec::new();
            let mut number = |v: u32| {
                let at = used.iter().position(|u| *u == v).unwrap_or_else(|| {
                    used.push(v);
                    used.len() - 1
                });
                at as u32
            };
            let renamed = |t: &TermId| {
                store.map_atoms(*t, &mut |atom| match store.view(atom) {
                    View::Var(v) => Some(store.var(number(v))),
                    _ => None,
                })
            };
            let terms: Vec<TermId> = terms.iter().map(renamed).collect();
            let bound: Vec<u32> = binds.iter().map(|v| number(*v)).collect();
            // Steps are stored children first; one that is not is like no other and may use everything.
            let classified = |n: &StepId| steps.get(n.index());
            let class = if next.iter().all(|n| classified(n).is_some()) {
                let next = next.iter().filter_map(classified);
                let next: Vec<(u32, Vec<u32>)> = next
                    .map(|c| (c.number, c.free.iter().map(|v| number(*v)).collect()))
                    .collect();
                let new = classes.len() as u32;
                let form = Form {
                    kind,
                    terms,
                    binds: bound,
                    next,
                };
                used.retain(|v| !binds.contains(v));
                Class {
                    number: *classes.entry(form).or_insert(new),
                    free: used,
                }
            } else {
                Class {
                    number: u32::MAX - steps.len() as u32,
                    free: (0..system.vars.len() as u32).collect(),
                }
            };
            steps.push(class);
        }
        Self {
            steps,
            threads: FxHashMap::default(),
        }
    }

    /// A number for each ready thread of a run; copies have the same.
    pub fn threads(&mut self, run: &Run<'_>) -> Vec<u32> {
        let mut number = |step: &StepId| {
            let class = &self.steps[step.index()];
            let values = class.free.iter().map(|v| run.values.get(v).copied());
            let new = self.threads.len() as u32;
            let thread = (class.number, values.collect());
            *self.threads.entry(thread).or_insert(new)
        };
        run.ready.iter().map(&mut number).collect()
    }
}

/// The first of each kind of copies.
pub(super) fn first_of_each(threads: &[u32]) -> Vec<usize> {
    let is_first = |i: &usize| !threads[..*i].contains(&threads[*i]);
    (0..threads.len()).filter(is_first).collect()
}

/// Whether all of the one, copies counted, are among the other; both are in order.
pub(super) fn are_within(small: &[u32], large: &[u32]) -> bool {
    let mut rest = large.iter();
    small.iter().all(|s| rest.any(|l| l == s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_are_counted() {
        assert!(are_within(&[1, 1, 3], &[1, 1, 2, 3]));
        assert!(!are_within(&[1, 1], &[1, 2]));
        assert_eq!(first_of_each(&[4, 2, 4, 2, 9]), [0, 1, 4]);
    }
}
