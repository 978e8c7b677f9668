//! Restricted names as functions: of the run that makes them, and of what it has received when it first uses them.
//!
//! The clauses of a role speak of all its runs at once, so its names must say which run they are of. Two names that a
//! run of the system makes are equal exactly if their functions are, whatever the runs: the run is the first argument. That what
//! was received is there too loses nothing, since a run receives once at each of its inputs, and keeps apart what
//! belongs to different messages.

use crate::process::{Action, EventId, InstanceId, StepId, System};
use crate::term::{NameClass, NameId, TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// What a restricted name depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    /// The role instance at the top whose runs make it; none if it is made once, by the system itself.
    pub run: Option<InstanceId>,
    /// So many inputs come before all its uses.
    pub inputs: usize,
}

/// The role instance at the top of the system that an instance belongs to; none for the system's own body.
pub(super) fn top(system: &System, instance: InstanceId) -> Option<InstanceId> {
    let mut at = instance;
    loop {
        match system.instance(at).parent {
            None => return None,
            Some(parent) if system.instance(parent).parent.is_none() => return Some(at),
            Some(parent) => at = parent,
        }
    }
}

/// What each restricted name of a system depends on: on inputs only if asked for.
pub(super) fn origins(
    store: &TermStore,
    system: &System,
    with_inputs: bool,
) -> FxHashMap<NameId, Origin> {
    if !with_inputs {
        let origin = |o: &crate::process::NameOrigin| {
            let run = top(system, o.instance);
            (o.name, Origin { run, inputs: 0 })
        };
        return system.names.iter().map(origin).collect();
    }
    let parents = parents(system);
    let depth = depths(system, &parents);
    let mut above: FxHashMap<NameId, StepId> = FxHashMap::default();
    for (i, step) in (0u32..).map(StepId).zip(&system.steps) {
        let mut look = |t: TermId| {
            store.visit(t, &mut |s| {
                if let View::Name(n) = store.view(s)
                    && store.name_info(n).class == NameClass::Restricted
                {
                    let known = above.get(&n).copied();
                    let common = known.map_or(i, |other| meet(&parents, &depth, other, i));
                    above.insert(n, common);
                }
                true
            });
        };
        match &step.action {
            Action::Nil | Action::Fork(_) | Action::Phase { .. } => {}
            Action::Output {
                channel, message, ..
            } => {
                look(*channel);
                look(*message);
            }
            Action::Input { channel, .. } => look(*channel),
            Action::Test { test, .. } => test.equations.iter().for_each(|(a, b)| {
                look(*a);
                look(*b);
            }),
            // Not something that happens: a note of the unfolding.
            Action::Event { event, .. } if *event == EventId::CREATED => {}
            Action::Event { args, .. } => args.iter().for_each(|t| look(*t)),
        }
    }
    let inputs_above = |step: StepId| {
        let mut count = 0;
        let mut at = parents[step.index()];
        while let Some(parent) = at {
            count += usize::from(matches!(system.step(parent).action, Action::Input { .. }));
            at = parents[parent.index()];
        }
        count
    };
    let origin = |o: &crate::process::NameOrigin| {
        let run = top(system, o.instance);
        let used = above.get(&o.name).copied();
        let inputs = match (run, used) {
            (_, None) => 0,
            // The system's own name in the hands of one role: all runs of the role share it.
            (None, Some(step)) if top(system, system.step(step).instance).is_some() => 0,
            (_, Some(step)) => inputs_above(step),
        };
        (o.name, Origin { run, inputs })
    };
    system.names.iter().map(origin).collect()
}

/// The step that leads to each step.
fn parents(system: &System) -> Vec<Option<StepId>> {
    let mut parents = vec![None; system.steps.len()];
    for (i, step) in (0u32..).map(StepId).zip(&system.steps) {
        match &step.action {
            Action::Nil => {}
            Action::Fork(parts) => {
                for p in parts {
                    parents[p.index()] = Some(i);
                }
            }
            Action::Output { next, .. }
            | Action::Input { next, .. }
            | Action::Event { next, .. }
            | Action::Phase { next, .. } => parents[next.index()] = Some(i),
            Action::Test {
                then, otherwise, ..
            } => {
                parents[then.index()] = Some(i);
                parents[otherwise.index()] = Some(i);
            }
        }
    }
    parents
}

fn depths(system: &System, parents: &[Option<StepId>]) -> Vec<usize> {
    let mut depths = vec![0; system.steps.len()];
    // Steps are stored children first.
    for i in (0..system.steps.len()).rev() {
        depths[i] = parents[i].map_or(0, |p| depths[p.index()] + 1);
    }
    depths
}

/// The last step that leads to both.
fn meet(parents: &[Option<StepId>], depths: &[usize], a: StepId, b: StepId) -> StepId {
    let (mut a, mut b) = (a, b);
    while a != b {
        let lower = if depths[a.index()] >= depths[b.index()] {
            &mut a
        } else {
            &mut b
        };
        match parents[lower.index()] {
            Some(parent) => *lower = parent,
            None => return *lower,
        }
    }
    a
}
