//! Attacks as processes, tried on claims by the concrete semantics alone.
//!
//! [`replay_attack`] puts an attack beside the system of a claim and lets `certify` enumerate the runs of the two
//! together; no search takes part. A claim about one system is broken by a run that violates it, a comparison by an
//! attack that shows its barb with one of the two systems and can't with the other.

use super::chosen::{CHOOSE, chosen};
use super::claimed_instances::keeps_own;
use super::gate::{bystander, whole_system};
use super::{Attack, Gate, Settings, assignments};
use crate::attacker::solver::Typing;
use crate::base::limits::{Halt, Observer};
use crate::certify::{CertifyError, Deduction, MoveKind, Side, Source, Witness, replay};
use crate::execute::{Aim, AttackOutcome, AttackRun, Composition, Obstacle, run_attack};
use crate::process::{
    Bounds, Claim, ClaimKind, Closed, Program, Shapes, System, SystemId, TupleMode, UnfoldError,
    unfold,
};
use crate::term::{NameClass, TermId, TermStore, View};
use std::sync::Arc;

/// An attack, as `sema::check_attack` reads it.
#[derive(Clone, Copy, Debug)]
pub struct Opponent<'a> {
    /// The program it is part of.
    pub program: &'a Program,
    /// The attack.
    pub system: SystemId,
    /// The channels on which it shows how far it got.
    pub own: &'a [TermId],
}

/// Why an attack can't be replayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The system or the attack is too large.
    Unfold(UnfoldError),
    /// The system can't be run: a mistake of ours.
    Run(CertifyError),
}

impl From<UnfoldError> for ReplayError {
    fn from(error: UnfoldError) -> Self {
        ReplayError::Unfold(error)
    }
}

impl From<CertifyError> for ReplayError {
    fn from(error: CertifyError) -> Self {
        ReplayError::Run(error)
    }
}

/// An attack beside one system.
#[derive(Clone, Debug)]
pub struct Encounter {
    /// The system, with all its tests.
    pub system: Arc<System>,
    /// The run: the one that achieves something, or the one that gets furthest.
    pub attack_run: AttackRun,
    /// Why it goes no further; empty if the attack ran to its end.
    pub why: Vec<Obstacle>,
    /// The secret names and keys that the attacker learned in this run.
    pub learned: Vec<TermId>,
    /// Not all runs were tried.
    pub limited: bool,
    /// A bound cut something off the system: what lies beyond was not tried.
    pub cut: bool,
}

impl Encounter {
    /// Whether no run shows the barb, but one that was not tried might.
    pub fn is_open(&self) -> bool {
        self.attack_run.barbs.is_empty() && (self.limited || self.cut)
    }
}

/// What an attack does to a claim.
#[derive(Clone, Debug)]
pub enum Effect {
    /// It breaks the claim; for `reachable` it fulfils it.
    Breaks {
        /// The run, confirmed like any attack.
        run: Box<Attack>,
        /// The same with the attack's own steps.
        encounter: Encounter,
    },
    /// It shows its barb with one system, and with the other it can't.
    Tells {
        /// The system with which it can.
        passes: Side,
        /// With the left and the right system.
        encounters: Box<[Encounter; 2]>,
    },
    /// It runs to its end, and the claim stands.
    Nothing(Encounter),
    /// It shows its barb with both systems, or with neither, or it is open whether it does.
    Alike(Box<[Encounter; 2]>),
    /// It gets stuck.
    Stops(Encounter),
}

/// A claim with what an attack does to it.
#[derive(Clone, Debug)]
pub struct ReplayResult {
    /// The claim.
    pub claim: Claim,
    /// What the attack does.
    pub effect: Effect,
    /// The attack, unfolded.
    pub attack: Arc<System>,
    /// An honest run of the system, which tells who is whose partner.
    pub gate: Option<Gate>,
}

impl ReplayResult {
    /// Whether the attack does what an attack on this claim is for.
    pub fn breaks(&self) -> bool {
        let reachable = matches!(self.claim.kind, ClaimKind::Reachable { .. });
        match &self.effect {
            Effect::Breaks { .. } => !reachable,
            Effect::Tells { passes, .. } => match self.claim.kind {
                ClaimKind::Preorder(..) => *passes == Side::Left,
                _ => true,
            },
            Effect::Nothing(_) | Effect::Alike(_) | Effect::Stops(_) => false,
        }
    }
}

/// Tries an attack on a claim. Program, claim and attack are in one lowering, the one that `settings` asks for.
pub fn replay_attack(
    store: &TermStore,
    program: &Program,
    claim: &Claim,
    opponent: Opponent<'_>,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<ReplayResult, ReplayError> {
    let ring = Ring::new(store, opponent, settings, observer)?;
    let compared = |left: Encounter, right: Encounter| {
        let shown = |e: &Encounter| !e.attack_run.barbs.is_empty();
        let encounters = Box::new([left, right]);
        let [left, right] = &*encounters;
        match (shown(left), shown(right)) {
            (true, false) if !right.is_open() => Effect::Tells {
                passes: Side::Left,
                encounters,
            },
            (false, true) if !left.is_open() => Effect::Tells {
                passes: Side::Right,
                encounters,
            },
            _ => Effect::Alike(encounters),
        }
    };
    let mut gate = None;
    let effect = match &claim.kind {
        ClaimKind::Equivalence(left, right) | ClaimKind::Preorder(left, right) => compared(
            ring.barb(program, left, &[])?,
            ring.barb(program, right, &[])?,
        ),
        ClaimKind::StrongSecrecy { param, system } => {
            let (extended, left, right) = chosen(store, program, system, *param);
            let choose = [store.public(CHOOSE)];
            compared(
                ring.barb(&extended, &left, &choose)?,
                ring.barb(&extended, &right, &choose)?,
            )
        }
        ClaimKind::Secrecy { system, .. }
        | ClaimKind::SecrecyAfter { system, .. }
        | ClaimKind::Agreement { system, .. }
        | ClaimKind::Reachable { system, .. }
        | ClaimKind::Unsendable { system, .. } => {
            let effect = ring.over_sessions(program, system, &claim.kind)?;
            if !ring.halt.stopped() {
                let whole = whole_system(store, program, system, settings)?;
                gate = Some(bystander(store, program, whole, settings, observer));
            }
            effect
        }
    };
    Ok(ReplayResult {
        claim: claim.clone(),
        effect,
        attack: ring.attack,
        gate,
    })
}

/// Tries whether an attack shows its barb with one system.
pub fn replay_test(
    store: &TermStore,
    program: &Program,
    closed: &Closed,
    opponent: Opponent<'_>,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<(Encounter, Arc<System>), ReplayError> {
    let ring = Ring::new(store, opponent, settings, observer)?;
    Ok((ring.barb(program, closed, &[])?, ring.attack))
}

struct Ring<'a> {
    store: &'a TermStore,
    settings: &'a Settings,
    attack: Arc<System>,
    own: &'a [TermId],
    halt: Halt<'a>,
}

impl<'a> Ring<'a> {
    fn new(
        store: &'a TermStore,
        opponent: Opponent<'a>,
        settings: &'a Settings,
        observer: &'a dyn Observer,
    ) -> Result<Self, ReplayError> {
        let closed = Closed::new(opponent.system, Vec::new());
        let attack = unfolded(store, opponent.program, &closed, settings)?;
        Ok(Ring {
            store,
            settings,
            attack: Arc::new(attack.as_attacker(store, 1)),
            own: opponent.own,
            halt: Halt::new(&settings.limits.start(), observer),
        })
    }

    /// The claim's system as written, or every assignment of agents that `--sessions` asks for until one is broken.
    fn over_sessions(
        &self,
        program: &Program,
        closed: &Closed,
        claim: &ClaimKind,
    ) -> Result<Effect, ReplayError> {
        let keep = keeps_own(claim);
        let generated = self.settings.sessions.and_then(|n| {
            let stop = || self.halt.reason();
            assignments(program, self.store, closed, n, keep, &stop)
        });
        let Some(generated) = generated else {
            return self.on_claim(program, closed, claim);
        };
        let mut extended = generated.program.clone();
        let mut best: Option<Effect> = None;
        let reach = |e: &Effect| match e {
            Effect::Nothing(_) => usize::MAX,
            Effect::Stops(e) => e.attack_run.followed,
            _ => 0,
        };
        for number in 0..generated.len() {
            let system = Closed {
                system: generated.add(&mut extended, number),
                ..closed.clone()
            };
            let effect = self.on_claim(&extended, &system, claim)?;
            if matches!(effect, Effect::Breaks { .. }) {
                return Ok(effect);
            }
            if best.as_ref().is_none_or(|b| reach(&effect) > reach(b)) {
                best = Some(effect);
            }
            if self.halt.stopped() {
                break;
            }
        }
        // Nothing is known of the systems that were not generated or not tried.
        if let (true, Some(Effect::Nothing(e) | Effect::Stops(e))) = (
            generated.stopped.is_some() || self.halt.stopped(),
            &mut best,
        ) {
            e.limited = true;
        }
        best.map_or_else(|| self.on_claim(program, closed, claim), Ok)
    }

    fn on_claim(
        &self,
        program: &Program,
        closed: &Closed,
        claim: &ClaimKind,
    ) -> Result<Effect, ReplayError> {
        let (outcome, encounter) = self.meet(program, closed, Aim::Claim(claim), &[])?;
        let AttackOutcome::Achieved(attack_run, Some(violation)) = outcome else {
            return Ok(if encounter.attack_run.finished {
                Effect::Nothing(encounter)
            } else {
                Effect::Stops(encounter)
            });
        };
        let witness = Witness {
            moves: attack_run.moves,
            violation,
            transparent: false,
        };
        let knows = &program.signature.knows;
        let replayed = replay(self.store, &encounter.system, knows, claim, &witness)?;
        Ok(Effect::Breaks {
            run: Box::new(Attack {
                system: encounter.system.clone(),
                witness,
                replayed,
            }),
            encounter,
        })
    }

    fn barb(
        &self,
        program: &Program,
        closed: &Closed,
        shared: &[TermId],
    ) -> Result<Encounter, ReplayError> {
        Ok(self.meet(program, closed, Aim::Barb, shared)?.1)
    }

    /// Lets the attack loose on a system. `shared` are channels that the system listens on after all.
    fn meet(
        &self,
        program: &Program,
        closed: &Closed,
        aim: Aim<'_>,
        shared: &[TermId],
    ) -> Result<(AttackOutcome, Encounter), ReplayError> {
        let system = Arc::new(unfolded(self.store, program, closed, self.settings)?);
        let typing = (program.tuples == TupleMode::Flat).then(|| Typing::new(program, &system));
        let accepts = |v: u32, t: TermId| {
            typing
                .as_ref()
                .is_none_or(|y| y.fits(self.store, t, y.var(v)))
        };
        let knows = &program.signature.knows;
        let barbs: Vec<TermId> = self
            .own
            .iter()
            .copied()
            .filter(|c| !shared.contains(c))
            .collect();
        let result = run_attack(
            &Composition {
                store: self.store,
                system: &system,
                initial: knows,
                attack: &self.attack,
                barbs: &barbs,
                accepts: &accepts,
                limit: self.settings.budgets.contests,
                stopped: &|| self.halt.stopped(),
            },
            aim,
        )?;
        let (attack_run, why) = match &result.outcome {
            AttackOutcome::Achieved(attack_run, _) | AttackOutcome::InVain(attack_run) => {
                (attack_run.clone(), Vec::new())
            }
            AttackOutcome::Stopped(attack_run, why) => (attack_run.clone(), why.clone()),
        };
        let learned = learned(self.store, knows, &attack_run);
        let cut = !system.cuts.is_empty() || !system.copied.is_empty();
        let encounter = Encounter {
            system,
            attack_run,
            why,
            learned,
            limited: result.limited,
            cut,
        };
        Ok((result.outcome, encounter))
    }
}

/// A system with all its tests: a role that refuses a message shows it.
pub(super) fn unfolded(
    store: &TermStore,
    program: &Program,
    closed: &Closed,
    settings: &Settings,
) -> Result<System, UnfoldError> {
    let bounds = Bounds {
        trim: false,
        ..settings.bounds
    };
    unfold(program, store, closed, bounds, &mut Shapes::new())
}

/// The names and keys that not everybody knows and that the attacker did not have.
fn learned(store: &TermStore, knows: &[TermId], attack_run: &AttackRun) -> Vec<TermId> {
    let mut knowledge = Deduction::with_initial(store, knows);
    let mut found = Vec::new();
    for (at, m) in attack_run.moves.iter().enumerate() {
        if let MoveKind::Send { message, .. } = &m.kind {
            found.extend(knowledge.learn(Source::Sent(at), *message));
        }
    }
    found.retain(|t| match store.view(*t) {
        View::Name(n) => matches!(
            store.name_info(n).class,
            NameClass::Private | NameClass::Restricted
        ),
        View::Family(..) | View::Priv(_) => true,
        _ => false,
    });
    found
}
