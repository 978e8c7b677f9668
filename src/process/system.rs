//! The unfolded system: a finite tree of steps.
//!
//! A thread of a running system is a step and the values of the variables that are live there ([`Env`]); everything
//! static (agents, restricted names) is already in the step's terms. Two steps with the same [`ShapeId`] have the
//! same future up to the values of [`Step::args`]: that is what canonical keys and symmetry are built on.

use super::program::id;
use super::{DefId, EventId, SiteId, Test, VarInfo};
use crate::base::source::Span;
use crate::term::{NameClass, NameId, Subst, TermId, TermStore, View};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

id!(
    /// A step in [`System::steps`].
    StepId
);
id!(
    /// A role instance in [`System::instances`].
    InstanceId
);
id!(
    /// A class of steps with the same future up to the values of their arguments.
    ShapeId
);

/// The values of a step's live variables, in the order of [`Step::live`].
pub type Env = SmallVec<[TermId; 6]>;

/// What a step does.
#[derive(Clone, Debug)]
pub enum Action {
    /// Nothing.
    Nil,
    /// Splits into threads.
    Fork(Vec<StepId>),
    /// Sends a message.
    Output {
        /// The channel.
        channel: TermId,
        /// The message.
        message: TermId,
        /// What follows.
        next: StepId,
    },
    /// Receives a message.
    Input {
        /// The channel.
        channel: TermId,
        /// The variable that takes the message.
        binder: u32,
        /// What follows.
        next: StepId,
    },
    /// Tests and branches.
    Test {
        /// The test.
        test: Arc<Test>,
        /// What follows success.
        then: StepId,
        /// What follows failure.
        otherwise: StepId,
    },
    /// Marks an event.
    Event {
        /// Which event.
        event: EventId,
        /// Its arguments.
        args: Vec<TermId>,
        /// The agent arguments of the role instance: the event counts if none of them is a spy.
        actors: Vec<TermId>,
        /// What follows.
        next: StepId,
    },
    /// Waits until the run has come to a phase; what waits for less, or for nothing of the kind, is gone by then [Sem 3.1].
    Phase {
        /// Which one.
        number: u8,
        /// What follows.
        next: StepId,
    },
}

impl Action {
    /// The terms of the action itself, not of what follows.
    pub fn terms(&self) -> Vec<TermId> {
        match self {
            Action::Nil | Action::Fork(_) | Action::Phase { .. } => Vec::new(),
            Action::Output {
                channel, message, ..
            } => vec![*channel, *message],
            Action::Input { channel, .. } => vec![*channel],
            Action::Test { test, .. } => {
                let sides = test.equations.iter().flat_map(|(a, b)| [*a, *b]);
                sides.collect()
            }
            Action::Event { args, .. } => args.clone(),
        }
    }
}

/// A step of the unfolded system.
#[derive(Clone, Debug)]
pub struct Step {
    /// What it does.
    pub action: Action,
    /// Where it stands in the source.
    pub span: Span,
    /// Whose step it is.
    pub instance: InstanceId,
    /// The variables whose values the step or its future needs.
    pub live: Vec<u32>,
    /// Class of steps with the same future up to `args`.
    pub shape: ShapeId,
    /// Restricted names and live variables (as terms) of the step and its future, in order of first use.
    pub args: Vec<TermId>,
}

/// A role instance: one instantiation of a definition (or the system's own body).
#[derive(Clone, Debug)]
pub struct Instance {
    /// The definition; `None` for the body of the system.
    pub def: Option<DefId>,
    /// Its name as shown in reports: the definition's or system's name.
    pub label: Arc<str>,
    /// Its arguments.
    pub args: Vec<TermId>,
    /// The agents it speaks for: its agent arguments and, if it continues another instance, that one's.
    pub actors: Vec<TermId>,
    /// The instance whose body contains the instantiation.
    pub parent: Option<InstanceId>,
    /// The instance continues its parent (instantiated after an action of the parent), it is no new role.
    pub continues: bool,
    /// The instance at the start of the chain of those that it continues: itself, if it continues none.
    pub role: InstanceId,
    /// Where it was instantiated.
    pub span: Span,
}

/// Where a restricted name came from.
#[derive(Clone, Debug)]
pub struct NameOrigin {
    /// The name.
    pub name: NameId,
    /// The name as a term.
    pub term: TermId,
    /// Its place in the source.
    pub site: SiteId,
    /// Who made it.
    pub instance: InstanceId,
}

/// The copies of bare `!` that a process is in, the outermost first: the number of the `!` and that of the copy.
pub type CopyPath = SmallVec<[(u32, u32); 1]>;

/// An unfolded system.
#[derive(Clone, Debug)]
pub struct System {
    /// Its name.
    pub label: Arc<str>,
    /// All steps.
    pub steps: Vec<Step>,
    /// The first step.
    pub root: StepId,
    /// All restricted names.
    pub names: Vec<NameOrigin>,
    /// All role instances; the first is the system's own body.
    pub instances: Vec<Instance>,
    /// What each variable was in the source.
    pub vars: Vec<VarInfo>,
    /// Places where recursion was cut at the bound.
    pub cuts: Vec<Span>,
    /// Places where a bare `!` took the bound.
    pub copied: Vec<Span>,
    /// Which copies the first steps of processes belong to, if that was asked for ([`Repetition`](super::Repetition)).
    pub copies: FxHashMap<StepId, CopyPath>,
    /// Where a thread may stay for ever although nothing is wrong: the starts of the second and further copies of a bare
    /// `!`, and of definitions that have come back to themselves.
    pub rests: Vec<StepId>,
    /// The steps by which something is lost: no role does them.
    pub lost: Vec<StepId>,
    /// Number of different shapes.
    pub shapes: u32,
}

impl System {
    /// A step.
    pub fn step(&self, s: StepId) -> &Step {
        &self.steps[s.index()]
    }

    /// An instance.
    pub fn instance(&self, i: InstanceId) -> &Instance {
        &self.instances[i.index()]
    }

    /// The system with the names it makes as names of the attacker's own: what a process of the attacker makes.
    /// Copies are numbered from `first` on.
    #[must_use]
    pub fn as_attacker(mut self, store: &TermStore, first: u32) -> System {
        let own: Vec<(TermId, TermId)> = (first..)
            .zip(&self.names)
            .map(|(i, o)| (o.term, store.name(NameClass::Attacker, "n", i)))
            .collect();
        let map = |t: &mut TermId| {
            *t = store.map_atoms(*t, &mut |atom| {
                own.iter().find(|(n, _)| *n == atom).map(|(_, t)| *t)
            });
        };
        for step in &mut self.steps {
            match &mut step.action {
                Action::Nil | Action::Fork(_) | Action::Phase { .. } => {}
                Action::Output {
                    channel, message, ..
                } => {
                    map(channel);
                    map(message);
                }
                Action::Input { channel, .. } => map(channel),
                Action::Test { test, .. } => {
                    let mut mapped = (**test).clone();
                    for (a, b) in &mut mapped.equations {
                        map(a);
                        map(b);
                    }
                    *test = Arc::new(mapped);
                }
                Action::Event { args, actors, .. } => {
                    args.iter_mut().chain(actors).for_each(map);
                }
            }
            step.args.iter_mut().for_each(map);
        }
        for instance in &mut self.instances {
            let actors = &mut instance.actors;
            instance.args.iter_mut().chain(actors).for_each(map);
        }
        for origin in &mut self.names {
            map(&mut origin.term);
        }
        self
    }

    /// The substitution of a thread's live variables.
    pub fn bindings(&self, store: &TermStore, step: StepId, env: &Env) -> Subst {
        self.step(step)
            .live
            .iter()
            .zip(env)
            .map(|(v, t)| (store.var(*v), *t))
            .collect()
    }

    /// The environment of a following step: values come from `bound` first, then from the current environment.
    pub fn follow(&self, from: StepId, env: &Env, bound: &[(u32, TermId)], to: StepId) -> Env {
        let live = &self.step(from).live;
        self.step(to)
            .live
            .iter()
            .map(|v| {
                bound
                    .iter()
                    .find(|(w, _)| w == v)
                    .map(|(_, t)| *t)
                    .or_else(|| live.iter().position(|w| w == v).map(|i| env[i]))
                    .expect("a live variable has a value in the thread or was just bound")
            })
            .collect()
    }

    /// Whether none of the instance's agents is a spy; `None` if that depends on values of the run.
    pub fn is_honest(&self, store: &TermStore, instance: InstanceId) -> Option<bool> {
        let actors = &self.instance(instance).actors;
        if actors.iter().any(|a| store.is_spy(*a)) {
            return Some(false);
        }
        actors
            .iter()
            .all(|a| matches!(store.view(*a), View::Name(_)))
            .then_some(true)
    }

    /// The instance at the top of the system that this one is, or belongs to; the system's own body for what that does itself.
    pub fn top_of(&self, instance: InstanceId) -> InstanceId {
        let mut i = instance;
        while let Some(parent) = self.instance(i).parent
            && self.instance(parent).parent.is_some()
        {
            i = parent;
        }
        i
    }

    /// The role instance that a chain of continuing instances belongs to.
    pub fn role_of(&self, instance: InstanceId) -> InstanceId {
        self.instance(instance).role
    }
}
