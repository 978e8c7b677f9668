//! The honest-run gate [Sem 6.4]: a claim must not hold because nothing ever ran.
//!
//! A role instance of honest agents must finish in some run without interference. An instance with a spy among its
//! agents talks to the attacker: it must be able to finish when the attacker, who has the spy's keys, plays along.

use super::Settings;
use crate::process::{
    Action, Bounds, Closed, InstanceId, Program, Shapes, System, UnfoldError, unfold,
};
use crate::search::{
    Goal, HonestMove, Observer, Options, Outcome, Setup, Stuck, explore, honest_runs,
};
use crate::term::{TermId, TermStore};
use std::sync::Arc;
use std::time::Instant;

/// States after which the gate gives up on honest runs.
const HONEST_STATES: usize = 20_000;

/// States after which the gate gives up on a run with the spy.
const SPY_STATES: u64 = 20_000;

/// States after which a run is good enough to be told.
const BYSTANDER_STATES: usize = 500;

/// An instance that never finishes.
#[derive(Clone, Debug)]
pub enum Idle {
    /// Among honest agents: where it waits, and the message that came nearest.
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
    /// The honest run that brings the most instances to their end.
    pub run: Vec<HonestMove>,
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
}

/// The role instances: those that act.
pub fn roles(system: &System) -> Vec<InstanceId> {
    let mut found: Vec<InstanceId> = Vec::new();
    for step in &system.steps {
        if matches!(step.action, Action::Nil | Action::Fork(_)) {
            continue;
        }
        let role = system.role_of(step.instance);
        if !found.contains(&role) {
            found.push(role);
        }
    }
    found.sort_unstable();
    found
}

/// The honest run of a system that needs none: nobody has to finish.
pub(super) fn bystander(
    store: &TermStore,
    program: &Program,
    closed: &Closed,
    settings: &Settings,
) -> Result<Gate, UnfoldError> {
    let bounds = Bounds {
        trim: false,
        ..settings.bounds
    };
    let system = Arc::new(unfold(program, store, closed, bounds, &mut Shapes::new())?);
    let tried = honest_runs(store, &system, &roles(&system), BYSTANDER_STATES, &|| false);
    Ok(Gate {
        system,
        run: tried.run,
        idle: Vec::new(),
        limited: false,
    })
}

/// Unfolds a system with all its tests and tries its honest runs.
///
/// One round of everything is tried first: a server that has come back to its start, or the spare copy of a replicated
/// one, waits for a session that need not come. Who can't finish then may need a server more than once: a second try
/// has the copies and rounds of the analysis.
pub fn honest_run(
    store: &TermStore,
    program: &Program,
    closed: &Closed,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Gate, UnfoldError> {
    let attempt = |bounds: Bounds| -> Result<Gate, UnfoldError> {
        let system = Arc::new(unfold(program, store, closed, bounds, &mut Shapes::new())?);
        let (knows, spies) = (&program.signature.knows, &program.signature.spies);
        Ok(honest_gate(
            store, &system, knows, spies, settings, observer,
        ))
    };
    let once = Bounds {
        trim: false,
        recursion: 0,
        copies: 1,
        ..settings.bounds
    };
    let mut gate = attempt(once)?;
    let repeats = !gate.system.copied.is_empty() || !gate.system.cuts.is_empty();
    if gate.is_closed() && repeats {
        let more = attempt(Bounds {
            trim: false,
            copies: settings.bounds.copies.max(2),
            ..settings.bounds
        })?;
        let still = |gate: &Gate, idle: &Idle| {
            let one = gate.system.instance(idle.instance());
            more.idle.iter().any(|other| {
                let other = more.system.instance(other.instance());
                (other.def, &other.args, other.span) == (one.def, &one.args, one.span)
            })
        };
        let kept: Vec<Idle> = gate
            .idle
            .iter()
            .filter(|i| still(&gate, i))
            .cloned()
            .collect();
        if kept.is_empty() {
            return Ok(Gate {
                idle: Vec::new(),
                ..more
            });
        }
        gate.idle = kept;
        gate.limited |= more.limited;
    }
    Ok(gate)
}

/// Tries the honest runs of a system unfolded without trimming.
pub fn honest_gate(
    store: &TermStore,
    system: &Arc<System>,
    knows: &[TermId],
    spies: &[TermId],
    settings: &Settings,
    observer: &dyn Observer,
) -> Gate {
    let (honest, with_spy): (Vec<_>, Vec<_>) = roles(system)
        .into_iter()
        .partition(|i| system.is_honest(store, *i) != Some(false));
    let deadline = settings.limits.pinned().deadline;
    let stopped = || observer.interrupted() || deadline.is_some_and(|d| Instant::now() >= d);
    let tried = honest_runs(store, system, &honest, HONEST_STATES, &stopped);
    let mut doubtful: Vec<InstanceId> = Vec::new();
    // Whether the attacker, playing the spies, can bring an instance to its end; `None` if a limit was met.
    let finishes = |instance: InstanceId| -> Option<bool> {
        let goal = Goal::Finish(instance);
        let options = Options {
            transparent: true,
            all: false,
            ..settings.search
        };
        let setup = Setup::new(store, system, knows, spies, &[], None, &goal, options);
        let mut limits = settings.limits.start();
        limits.states = Some(limits.states.unwrap_or(SPY_STATES).min(SPY_STATES));
        match explore(&setup, &limits, observer).0 {
            Outcome::Reached(_) => Some(true),
            Outcome::Complete(found) => Some(!found.is_empty()),
            Outcome::Stopped(..) => None,
        }
    };
    // A role that names no partner, such as a server, may be there for one whose partner is a spy.
    let serves_spy = |i: InstanceId| !with_spy.is_empty() && system.instance(i).actors.len() <= 1;
    let mut idle: Vec<Idle> = Vec::new();
    for stuck in tried.stuck {
        if tried.limited {
            doubtful.push(stuck.instance);
        }
        if serves_spy(stuck.instance) {
            match finishes(stuck.instance) {
                Some(true) => continue,
                Some(false) => {}
                None => doubtful.push(stuck.instance),
            }
        }
        idle.push(Idle::Honest(stuck));
    }
    let never = |i: &InstanceId| finishes(*i) == Some(false);
    idle.extend(with_spy.iter().copied().filter(never).map(Idle::WithSpy));
    // Those that certainly never finish close the gate, whatever may become of the others.
    let certain = |i: &Idle| !doubtful.contains(&i.instance());
    if idle.iter().any(certain) {
        idle.retain(certain);
        doubtful.clear();
    }
    let limited = idle.iter().any(|i| doubtful.contains(&i.instance()));
    Gate {
        system: system.clone(),
        run: tried.run,
        idle,
        limited,
    }
}
