//! The honest-run gate [Sem 6.4]: a claim must not hold because nothing ever ran.
//!
//! A role instance of honest agents must finish in some run without interference. An instance with a spy among its
//! agents talks to the attacker: it must be able to finish when the attacker, who has the spy's keys, plays along.
//! Where systems are compared ([`super::ends`]) the environment may play along with everybody.

use super::Settings;
use crate::attacker::solver::Typing;
use crate::base::limits::{Halt, Observer};
use crate::engine::honest::{Honest, HonestRun, Stuck, Types, honest_runs};
use crate::engine::search::{Goal, Options, Outcome, Setup, explore};
use crate::process::{
    Action, Bounds, Closed, InstanceId, Program, Shapes, StepId, System, UnfoldError, unfold,
};
use crate::term::TermStore;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// With whom the attacker plays along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Helps {
    /// With those that have a spy among their agents, and then with those that name no partner.
    Spied,
    /// With everybody, leaving behind whom it likes.
    All,
}

/// An instance that never finishes.
#[derive(Clone, Debug)]
pub enum Idle {
    /// Among honest agents: where it is stuck, and why.
    Honest(Stuck),
    /// With a spy: no behaviour of the attacker brings it to its end.
    WithSpy(InstanceId),
}

impl Idle {
    /// The instance.
    pub fn instance(&self) -> InstanceId {
        match self {
            Idle::Honest(stuck) => stuck.instance,
            Idle::WithSpy(instance) => *instance,
        }
    }
}

/// What the gate found.
#[derive(Clone, Debug)]
pub struct Gate {
    /// The system, unfolded with all its tests.
    pub system: Arc<System>,
    /// Honest runs in which all that take part finish.
    pub runs: Vec<HonestRun>,
    /// Instances that finish in a run like one of these.
    pub alike: Vec<InstanceId>,
    /// If somebody is stuck among honest agents: how far they all get.
    pub furthest: Option<HonestRun>,
    /// The instances that never finish.
    pub idle: Vec<Idle>,
    /// A limit was met: some of `idle` might finish after all, and the gate stays open.
    pub limited: bool,
}

impl Gate {
    /// Whether the gate is closed: some instance certainly never finishes.
    pub fn is_closed(&self) -> bool {
        !self.idle.is_empty() && !self.limited
    }

    /// The runs to be told: those in which everybody finishes, or else how far everybody gets.
    pub fn told(&self) -> &[HonestRun] {
        let stuck = self.idle.iter().any(|i| matches!(i, Idle::Honest(_)));
        match &self.furthest {
            Some(run) if stuck || self.runs.is_empty() => std::slice::from_ref(run),
            _ => &self.runs,
        }
    }

    /// All runs, those in which somebody is stuck last.
    pub fn all(&self) -> impl Iterator<Item = &HonestRun> {
        self.runs.iter().chain(&self.furthest)
    }
}

/// The role instances: those that act.
pub fn roles(system: &System) -> Vec<InstanceId> {
    let mut acts = vec![false; system.instances.len()];
    for (i, step) in (0u32..).map(StepId).zip(&system.steps) {
        if !matches!(step.action, Action::Nil | Action::Fork(_)) && !system.lost.contains(&i) {
            acts[system.role_of(step.instance).index()] = true;
        }
    }
    (0u32..)
        .zip(acts)
        .filter(|(_, acts)| *acts)
        .map(|(i, _)| InstanceId(i))
        .collect()
}

/// The role instances of which there must be one: further copies of a bare `!` need not do anything.
pub fn required_roles(system: &System) -> Vec<InstanceId> {
    let mut spare = vec![false; system.instances.len()];
    for rest in &system.rests {
        spare[system.step(*rest).instance.index()] = true;
    }
    roles(system)
        .into_iter()
        .filter(|i| !spare[i.index()])
        .collect()
}

/// The honest run of a system that needs none: nobody has to finish. All its tests are kept.
pub(super) fn bystander(
    store: &TermStore,
    program: &Program,
    system: Arc<System>,
    settings: &Settings,
    observer: &dyn Observer,
) -> Gate {
    let limits = settings.limits.start();
    let halt = Halt::new(&limits, observer);
    let types = types(settings, Helps::Spied);
    let tried = honest_runs(
        store,
        program,
        &system,
        types,
        settings.budgets.told_states,
        &|| halt.stopped(),
    );
    Gate {
        system,
        runs: tried.runs,
        alike: Vec::new(),
        furthest: tried.furthest,
        idle: Vec::new(),
        limited: false,
    }
}

/// Under `--typed` nobody takes what typed analysis lets nobody take: a claim would hold because of that. Comparisons have no types.
fn types(settings: &Settings, helps: Helps) -> Types {
    if settings.typed && helps == Helps::Spied {
        Types::Exact
    } else {
        Types::Meant
    }
}

/// All tests are kept, and there is a second copy to be had of what is replicated.
pub(super) fn whole(settings: &Settings) -> Bounds {
    Bounds {
        trim: false,
        copies: settings.bounds.copies.max(2),
        ..settings.bounds
    }
}

/// Unfolds a system with all its tests and tries its honest runs.
pub fn honest_run(
    store: &TermStore,
    program: &Program,
    closed: &Closed,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Gate, UnfoldError> {
    program.without_phases(closed, "honest runs")?;
    let system = whole_system(store, program, closed, settings)?;
    helped_run(
        store,
        program,
        closed,
        system,
        Helps::Spied,
        settings,
        observer,
    )
}

/// A system unfolded with all its tests.
pub(super) fn whole_system(
    store: &TermStore,
    program: &Program,
    closed: &Closed,
    settings: &Settings,
) -> Result<Arc<System>, UnfoldError> {
    unfold(program, store, closed, whole(settings), &mut Shapes::new()).map(Arc::new)
}

/// The same for a system that was unfolded with all its tests, and who does not finish by itself may be helped.
pub(super) fn helped_run(
    store: &TermStore,
    program: &Program,
    closed: &Closed,
    system: Arc<System>,
    helps: Helps,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Gate, UnfoldError> {
    let unfolded = |bounds| unfold(program, store, closed, bounds, &mut Shapes::new());
    let limits = settings.limits.start();
    let halt = Halt::new(&limits, observer);
    let types = types(settings, helps);
    let tried = honest_runs(
        store,
        program,
        &system,
        types,
        settings.budgets.honest_states,
        &|| halt.stopped(),
    );
    let once = Bounds {
        recursion: 0,
        copies: 1,
        ..whole(settings)
    };
    let with_spy: Vec<InstanceId> = required_roles(&system)
        .into_iter()
        .filter(|i| system.is_honest(store, *i) == Some(false))
        .collect();
    if with_spy.is_empty() && helps == Helps::Spied {
        return judged(system, tried, &[], helps, &mut |_| Ok(None));
    }
    let repeats = !system.copied.is_empty() || !system.cuts.is_empty();
    let mut small: Option<System> = None;
    // A server that has come back to its start, or a spare copy, waits for a session that need not come: one round of
    // everything is tried first.
    let mut brought = |instance: InstanceId| -> Result<Option<bool>, UnfoldError> {
        if halt.stopped() {
            return Ok(None);
        }
        let with = |system: &System, instance: InstanceId| {
            finishes(store, program, system, instance, helps, settings, observer)
        };
        if !repeats {
            return Ok(with(&system, instance));
        }
        let small = match &small {
            Some(small) => small,
            None => small.insert(unfolded(once)?),
        };
        let one = system.instance(instance);
        let same = (0u32..).zip(&small.instances).find(|(_, other)| {
            (other.def, &other.args, other.span) == (one.def, &one.args, one.span)
        });
        match same.map(|(i, _)| with(small, InstanceId(i))) {
            Some(Some(true)) => Ok(Some(true)),
            _ => Ok(with(&system, instance)),
        }
    };
    judged(system.clone(), tried, &with_spy, helps, &mut brought)
}

/// Whether the attacker, playing the spies, can bring an instance to its end; `None` if a limit was met.
pub(super) fn finishes(
    store: &TermStore,
    program: &Program,
    system: &System,
    instance: InstanceId,
    helps: Helps,
    settings: &Settings,
    observer: &dyn Observer,
) -> Option<bool> {
    let goal = Goal::Finish(instance);
    let options = Options {
        transparent: helps == Helps::Spied,
        all: false,
        ..settings.search
    };
    let (knows, spies) = (&program.signature.knows, &program.signature.spies);
    let exact = types(settings, helps) == Types::Exact;
    let typing = exact.then(|| Typing::new(program, system));
    let setup = Setup::new(
        store,
        system,
        knows,
        spies,
        &[],
        typing.as_ref(),
        &goal,
        options,
    );
    let mut limits = settings.limits.start();
    let states = settings.budgets.spy_states as u64;
    limits.states = Some(limits.states.unwrap_or(states).min(states));
    match explore(&setup, &limits, observer).0 {
        Outcome::Reached(_) => Some(true),
        Outcome::Complete(found) => Some(!found.is_empty()),
        Outcome::Stopped(..) => None,
    }
}

/// Puts together who never finishes.
fn judged(
    system: Arc<System>,
    tried: Honest,
    with_spy: &[InstanceId],
    helps: Helps,
    finishes: &mut dyn FnMut(InstanceId) -> Result<Option<bool>, UnfoldError>,
) -> Result<Gate, UnfoldError> {
    let mut doubtful: FxHashSet<InstanceId> = FxHashSet::default();
    // A role that names no partner, such as a server, may be there for one whose partner is a spy.
    let serves_spy = |i: InstanceId| {
        helps == Helps::All || !with_spy.is_empty() && system.instance(i).actors.len() <= 1
    };
    let mut idle: Vec<Idle> = Vec::new();
    for stuck in tried.stuck {
        if !stuck.certain {
            doubtful.insert(stuck.instance);
        }
        if serves_spy(stuck.instance) {
            match finishes(stuck.instance)? {
                Some(true) => continue,
                Some(false) => {}
                None => {
                    doubtful.insert(stuck.instance);
                }
            }
        }
        idle.push(Idle::Honest(stuck));
    }
    for instance in with_spy {
        if finishes(*instance)? == Some(false) {
            idle.push(Idle::WithSpy(*instance));
        }
    }
    // Those that certainly never finish close the gate, whatever may become of the others.
    let certain = |i: &Idle| !doubtful.contains(&i.instance());
    if idle.iter().any(certain) {
        idle.retain(certain);
        doubtful.clear();
    }
    let limited = idle.iter().any(|i| doubtful.contains(&i.instance()));
    Ok(Gate {
        system,
        runs: tried.runs,
        alike: tried.alike,
        furthest: tried.furthest,
        idle,
        limited,
    })
}
