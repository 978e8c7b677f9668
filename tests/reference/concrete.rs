//! Running an unfolded system on ground terms, written apart from the replayer so that each checks the other.

use spi::process::{Action, EventId, StepId, System};
use spi::term::{Subst, TermId, TermStore, View};
use std::collections::{BTreeMap, BTreeSet};

/// A system in the middle of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Outputs, inputs and events that wait, and who waits for a phase.
    pub ready: BTreeSet<StepId>,
    /// The phase.
    pub phase: u8,
    /// The variables' values.
    pub values: BTreeMap<u32, TermId>,
    /// Names made by instances whose agents are known only at run time, with these agents.
    pub created: Vec<(TermId, Vec<TermId>)>,
    /// Somebody failed a test without an `else`.
    pub stuck: bool,
}

/// What a waiting step would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Offer {
    Output {
        channel: TermId,
        message: TermId,
    },
    Input {
        channel: TermId,
    },
    Event {
        event: EventId,
        args: Vec<TermId>,
        actors: Vec<TermId>,
    },
    Phase(u8),
}

/// Values that make the pairs equal, of which there is at most one for each variable in the end. Exponents are tried in both orders.
pub fn solve(store: &TermStore, pairs: &[(TermId, TermId)], values: &mut Subst) -> bool {
    let Some(((a, b), rest)) = pairs.split_first() else {
        return true;
    };
    let (a, b) = (values.resolve(store, *a), values.resolve(store, *b));
    if a == b {
        return solve(store, rest, values);
    }
    for (v, t) in [(a, b), (b, a)] {
        if matches!(store.view(v), View::Var(_)) {
            values.bind(v, t);
            return solve(store, rest, values);
        }
    }
    let (p, q) = (store.node(a), store.node(b));
    if p.op != q.op || p.args.len() != q.args.len() || p.args.is_empty() {
        return false;
    }
    let exponents = |t| match store.view(t) {
        View::Joint(share, y) => match store.view(share) {
            View::Share(g, x) => Some([g, x, y]),
            _ => None,
        },
        _ => None,
    };
    let ways: Vec<Vec<(TermId, TermId)>> = match (exponents(a), exponents(b)) {
        (Some([g, x, y]), Some([h, u, v])) => {
            vec![vec![(g, h), (x, u), (y, v)], vec![(g, h), (x, v), (y, u)]]
        }
        _ => vec![p.args.iter().copied().zip(q.args.iter().copied()).collect()],
    };
    ways.into_iter().any(|mut way| {
        way.extend(rest);
        let mut with = values.clone();
        let solved = solve(store, &way, &mut with);
        if solved {
            *values = with;
        }
        solved
    })
}

impl Config {
    pub fn start(store: &TermStore, system: &System) -> Self {
        let mut config = Self {
            ready: BTreeSet::new(),
            phase: 0,
            values: BTreeMap::new(),
            created: Vec::new(),
            stuck: false,
        };
        config.reach(store, system, system.root);
        config
    }

    pub fn value(&self, store: &TermStore, t: TermId) -> TermId {
        let mut image = |a| match store.view(a) {
            View::Var(v) => self.values.get(&v).copied(),
            _ => None,
        };
        store.map_atoms(t, &mut image)
    }

    fn list(&self, store: &TermStore, terms: &[TermId]) -> Vec<TermId> {
        terms.iter().map(|t| self.value(store, *t)).collect()
    }

    pub fn offer(&self, store: &TermStore, system: &System, step: StepId) -> Offer {
        match &system.step(step).action {
            Action::Output {
                channel, message, ..
            } => Offer::Output {
                channel: self.value(store, *channel),
                message: self.value(store, *message),
            },
            Action::Input { channel, .. } => Offer::Input {
                channel: self.value(store, *channel),
            },
            Action::Event {
                event,
                args,
                actors,
                ..
            } => Offer::Event {
                event: *event,
                args: self.list(store, args),
                actors: self.list(store, actors),
            },
            Action::Phase { number, .. } => Offer::Phase(*number),
            other => panic!("{other:?} never waits"),
        }
    }

    /// The configuration in which a phase has begun. All threads are looked at anew: one that waits for this phase goes on, one that
    /// waits for a later one stays, any other is gone.
    pub fn in_phase(&self, store: &TermStore, system: &System, number: u8) -> Self {
        let mut next = self.clone();
        next.phase = number;
        next.ready.clear();
        for step in &self.ready {
            if let Action::Phase { number: n, .. } = system.step(*step).action
                && n >= number
            {
                next.reach(store, system, *step);
            }
        }
        next.forget(system);
        next
    }

    /// The configuration after the step; an input takes the message.
    pub fn after(
        &self,
        store: &TermStore,
        system: &System,
        step: StepId,
        message: Option<TermId>,
    ) -> Self {
        let mut next = self.clone();
        assert!(next.ready.remove(&step), "the step waits");
        let then = match &system.step(step).action {
            Action::Output { next, .. } | Action::Event { next, .. } => *next,
            Action::Input {
                binder, next: then, ..
            } => {
                next.values
                    .insert(*binder, message.expect("an input takes a message"));
                *then
            }
            other => panic!("{other:?} never waits"),
        };
        next.reach(store, system, then);
        next.forget(system);
        next
    }

    /// Drops the values that no waiting step will use, so that configurations with the same future are equal.
    fn forget(&mut self, system: &System) {
        let live: BTreeSet<u32> = self
            .ready
            .iter()
            .flat_map(|s| system.step(*s).live.iter().copied())
            .collect();
        self.values.retain(|v, _| live.contains(v));
    }

    fn reach(&mut self, store: &TermStore, system: &System, step: StepId) {
        match &system.step(step).action {
            Action::Nil => {}
            Action::Fork(parts) => {
                for part in parts {
                    self.reach(store, system, *part);
                }
            }
            Action::Test {
                test,
                then,
                otherwise,
            } => {
                let pairs: Vec<(TermId, TermId)> = test
                    .equations
                    .iter()
                    .map(|(a, b)| (self.value(store, *a), self.value(store, *b)))
                    .collect();
                let mut found = Subst::new();
                if solve(store, &pairs, &mut found) {
                    for v in &test.binds {
                        let value = found.resolve(store, store.var(*v));
                        assert!(store.is_ground(value), "a test binds to ground terms");
                        self.values.insert(*v, value);
                    }
                    self.reach(store, system, *then);
                } else {
                    self.stuck |= !test.has_else;
                    self.reach(store, system, *otherwise);
                }
            }
            Action::Event {
                event: EventId::CREATED,
                args,
                actors,
                next,
            } => {
                let actors = self.list(store, actors);
                self.created.push((args[0], actors));
                self.reach(store, system, *next);
            }
            Action::Phase { number, next } if *number <= self.phase => {
                self.reach(store, system, *next);
            }
            Action::Output { .. }
            | Action::Input { .. }
            | Action::Event { .. }
            | Action::Phase { .. } => {
                self.ready.insert(step);
            }
        }
    }
}
