//! Spycatcher made symbolic: the search for an attacker [Sem 4].
//!
//! Breadth-first over settled states: the attacker chooses which waiting input to serve, with a generic term that is
//! narrowed only as far as the receiver's tests ask. The search is complete for the given system: if it ends without
//! having reached the [`Goal`], no attacker reaches it, unless an option says otherwise (`typed`, `transparent`).
//!
//! Invariant: whatever is returned as reached is only a proposal; the pipeline shows nothing that `certify` has not
//! replayed.
//!
//! Left to others: what a claim means (`analysis` compiles it to a goal), replay (`certify`), wording (`report`).

#[cfg(feature = "distributed")]
mod bytes;
#[cfg(feature = "distributed")]
mod distributed;
mod explore;
mod goal;
mod key;
mod learn;
mod moves;
mod opening;
mod pruning;
mod reach;
mod settle;
mod state;
mod symmetry;
mod witness;

pub use explore::{Outcome, Proposal, Stats, explore};
pub use goal::{Goal, Pattern, Secret};

use crate::attacker::knowledge::is_constant;
use crate::attacker::solver::Typing;
use crate::base::limits::Halt;
use crate::process::{Action, EventId, InstanceId, StepId, System};
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::FxHashMap;
use state::{State, Thread};

/// How to search. Every reduction can be switched off; verdicts must not change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Options {
    /// Outputs are taken as soon as they are possible.
    pub eager: bool,
    /// States equal up to renaming are explored once.
    pub sharing: bool,
    /// A state is dropped if one with the same threads and more knowledge was seen.
    pub subsumption: bool,
    /// Of interchangeable threads only one moves.
    pub symmetry: bool,
    /// Threads that can't contribute to the goal are dropped.
    pub pruning: bool,
    /// Only attackers that leave no role stuck [Sem 4.5].
    pub transparent: bool,
    /// Go on after the goal was reached.
    pub all: bool,
    /// Number of worker threads; 0 for one per core.
    pub workers: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            eager: true,
            sharing: true,
            subsumption: true,
            symmetry: true,
            pruning: true,
            transparent: false,
            all: false,
            workers: 0,
        }
    }
}

/// What is searched.
#[derive(Clone)]
pub struct Setup<'a> {
    store: &'a TermStore,
    system: &'a System,
    knows: &'a [TermId],
    spies: &'a [TermId],
    agents: &'a [TermId],
    typing: Option<&'a Typing>,
    goal: &'a Goal,
    options: Options,
    /// Whether the order of events matters to the goal.
    events_ordered: bool,
    /// Only runs count after which nobody can go on unless the attacker sends something [Sem 4.5].
    maximal: bool,
    marks: FxHashMap<TermId, u64>,
    /// The different marks, in order.
    distinct_marks: Vec<u64>,
    useless: Vec<bool>,
    /// The steps with the event in their future without which the goal is not reached.
    hopeful: Vec<bool>,
    /// Typed analysis: the tests that look at something received.
    receiving: Vec<bool>,
    /// Says that the search has to end: what is under way need not be finished.
    halt: Option<&'a Halt<'a>>,
}

impl<'a> Setup<'a> {
    /// Prepares a search; `knows` is the attacker's initial knowledge beyond public names, `agents` are the honest
    /// agents.
    #[allow(clippy::too_many_arguments)]
    pub fn new(
        store: &'a TermStore,
        system: &'a System,
        knows: &'a [TermId],
        spies: &'a [TermId],
        agents: &'a [TermId],
        typing: Option<&'a Typing>,
        goal: &'a Goal,
        options: Options,
    ) -> Self {
        let mut marks = FxHashMap::default();
        for (i, secret) in goal.secrets().iter().enumerate() {
            let alone =
                matches!(store.view(secret.term), View::Name(_)) && secret.pending.is_empty();
            store.visit(secret.term, &mut |t| {
                if let View::Name(n) = store.view(t)
                    && store.name_info(n).class == NameClass::Restricted
                {
                    // A name that is a secret by itself is like any other such name; a name in a compound is special.
                    let mark = if alone {
                        1
                    } else {
                        // By content, not by id: the same in every process.
                        (i as u64 + 2).rotate_right(8) ^ store.facts(t).hash
                    };
                    let old = marks.entry(t).or_insert(0);
                    *old = if *old == 0 {
                        mark
                    } else {
                        *old ^ mark.rotate_left(7)
                    };
                }
                true
            });
        }
        if let Some(typing) = typing {
            for origin in &system.names {
                let mark = marks.entry(origin.term).or_insert(0);
                *mark ^= (u64::from(typing.name(origin.term).number()) + 1) << 56;
            }
        }
        let mut distinct_marks: Vec<u64> = marks.values().copied().filter(|m| *m != 0).collect();
        distinct_marks.sort_unstable();
        distinct_marks.dedup();
        let events_ordered = matches!(
            goal,
            Goal::Disagreement {
                injective: true,
                ..
            }
        );
        let maximal = options.transparent && !matches!(goal, Goal::Finish(_));
        let options = if maximal && !has_public_channels(store, system) {
            // Who learns a channel has to hear what is sent there, and whoever sent it goes on: it may be better to hear
            // something late, or never, and a state with more knowledge is not better than one with less.
            Options {
                eager: false,
                subsumption: false,
                ..options
            }
        } else {
            options
        };
        let mut setup = Setup {
            store,
            system,
            knows,
            spies,
            agents,
            typing,
            goal,
            options,
            events_ordered,
            maximal,
            marks,
            distinct_marks,
            useless: Vec::new(),
            hopeful: pruning::hopeful(store, system, goal),
            receiving: Vec::new(),
            halt: None,
        };
        setup.useless = setup.find_useless();
        if typing.is_some() {
            setup.receiving = setup.find_receiving();
        }
        setup
    }

    /// Steps whose future can't contribute to the goal: no output, no watched event. With the transparent attacker
    /// they still matter, as places where a role may be stuck, unless they wait at an input.
    fn find_useless(&self) -> Vec<bool> {
        let mut useless: Vec<bool> = Vec::with_capacity(self.system.steps.len());
        if !self.options.pruning || matches!(self.goal, Goal::Finish(_)) {
            useless.resize(self.system.steps.len(), false);
            return useless;
        }
        let mut silent: Vec<bool> = Vec::with_capacity(self.system.steps.len());
        // Steps are stored children first.
        for step in &self.system.steps {
            let (quiet, droppable) = match &step.action {
                Action::Nil => (true, true),
                Action::Fork(parts) => (parts.iter().all(|p| silent[p.index()]), false),
                Action::Output { .. } => (false, true),
                // Who waits for a phase to do nothing need not have it begin.
                Action::Phase { next, .. } => (silent[next.index()], true),
                Action::Input { channel, next, .. } => {
                    // On a channel that the attacker may lack, the receiver is what lets the sender go on; and a receiver
                    // may spare the attacker from hearing.
                    let public = is_constant(self.store, *channel);
                    let spares = self.maximal && !self.options.eager;
                    (public && silent[next.index()], !spares)
                }
                Action::Test {
                    then, otherwise, ..
                } => {
                    let quiet = silent[then.index()] && silent[otherwise.index()];
                    (quiet, !self.options.transparent)
                }
                Action::Event { event, next, .. } => {
                    let ignored = self.goal.watch(*event) == goal::Watch::Ignore;
                    (ignored && silent[next.index()], !self.options.transparent)
                }
            };
            silent.push(quiet);
            useless.push(quiet && droppable);
        }
        useless
    }

    /// The tests whose terms depend on messages received.
    fn find_receiving(&self) -> Vec<bool> {
        let mut received = vec![false; self.system.vars.len()];
        let mut receiving = vec![false; self.system.steps.len()];
        // Steps are stored children first, so a variable's binder comes after its uses.
        for (i, step) in self.system.steps.iter().enumerate().rev() {
            match &step.action {
                Action::Input { binder, .. } => received[*binder as usize] = true,
                Action::Test { test, .. } => {
                    let mut found = false;
                    for (a, b) in &test.equations {
                        for side in [*a, *b] {
                            self.store.visit(side, &mut |t| {
                                if let View::Var(v) = self.store.view(t) {
                                    found |= received[v as usize];
                                }
                                !found
                            });
                        }
                    }
                    receiving[i] = found;
                    if found {
                        for v in &test.binds {
                            received[*v as usize] = true;
                        }
                    }
                }
                _ => {}
            }
        }
        receiving
    }

    /// How a state treats an event. Once the goal is reached, nothing depends on events any more.
    fn watch(&self, state: &State, event: EventId) -> goal::Watch {
        if state.won {
            goal::Watch::Ignore
        } else {
            self.goal.watch(event)
        }
    }

    /// Whether the search has to end.
    fn is_halted(&self) -> bool {
        self.halt.is_some_and(Halt::stopped)
    }

    /// Whether the step is a test whose types bind the attacker: one that looks at something received.
    fn is_typed_test(&self, step: StepId) -> bool {
        self.receiving.get(step.index()).copied().unwrap_or(false)
    }

    fn is_useless(&self, step: StepId) -> bool {
        self.useless[step.index()]
    }

    fn is_target(&self, instance: InstanceId) -> bool {
        matches!(self.goal, Goal::Finish(i)
            if self.system.role_of(*i) == self.system.role_of(instance))
    }

    /// Names with different marks are not interchangeable.
    fn mark_of(&self, name: TermId) -> u64 {
        self.marks.get(&name).copied().unwrap_or(0)
    }

    /// The number that stands for the name of this rank in a state: names of one rank have the same if their marks are equal.
    fn number_of(&self, name: TermId, rank: u32) -> u32 {
        let place = self.distinct_marks.binary_search(&self.mark_of(name));
        let kind = place.map_or(0, |i| i as u32 + 1);
        rank * (self.distinct_marks.len() as u32 + 1) + kind
    }

    /// The values of a thread's arguments: everything its future depends on.
    fn arguments(&self, thread: &Thread) -> Vec<TermId> {
        let step = self.system.step(thread.step);
        let mut values = thread.env.iter();
        step.args
            .iter()
            .map(|a| match self.store.view(*a) {
                View::Var(_) => *values.next().expect("one value per live variable"),
                _ => *a,
            })
            .collect()
    }
}

/// Whether the attacker has every channel from the start.
fn has_public_channels(store: &TermStore, system: &System) -> bool {
    system.steps.iter().all(|step| match &step.action {
        Action::Output { channel, .. } | Action::Input { channel, .. } => {
            is_constant(store, *channel)
        }
        Action::Nil
        | Action::Fork(_)
        | Action::Test { .. }
        | Action::Event { .. }
        | Action::Phase { .. } => true,
    })
}
