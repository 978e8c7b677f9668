//! Deciding a claim about one system.

use super::attack::Certifier;
use super::guard::Guard;
use super::many::{filled, halted, is_shared, over_assignments};
use super::picks::{every_pick_exists, searches_own};
use super::proof::proved;
use super::systems::Systems;
use super::{
    Attack, ClaimResult, Gate, Generated, InternalError, Kept, Reach, Scope, Settings, Verdict,
};
use crate::certify::CertifyError;
use crate::process::{Bounds, Claim, ClaimKind, Closed, Program, System, TupleMode, UnfoldError};
use crate::prove::Proof;
use crate::search::{Goal, Observer, Options, Outcome, Setup, Stats, StopReason, explore};
use crate::symbolic::Typing;
use crate::term::{TermId, TermStore};
use std::sync::Arc;
use std::time::Instant;

/// How many proposals compete for being shown when one attack is asked for.
const CANDIDATES: usize = 16;

/// A checked file, lowered in both ways: claims have the same number in both.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The terms of both.
    pub store: &'a TermStore,
    /// Tuples as nested pairs.
    pub nested: &'a Program,
    /// Tuples that keep their arity, for typed analysis.
    pub flat: &'a Program,
    /// What its claims have in common.
    pub kept: &'a Kept,
}

impl<'a> Subject<'a> {
    fn program(&self, typed: bool) -> &'a Program {
        let program = if typed { self.flat } else { self.nested };
        debug_assert_eq!(program.tuples == TupleMode::Flat, typed);
        program
    }
}

/// What a search over one system came to.
pub(super) struct Found {
    pub verdict: Verdict,
    pub stats: Stats,
    pub stopped: Option<StopReason>,
    pub cut: bool,
    pub copied: bool,
    pub instances: Vec<String>,
    /// Of several systems, how many were searched to the end.
    pub finished: usize,
}

/// Decides a claim about one system; the claim is given in both lowerings.
///
/// Claims that compare systems are not decided here.
pub fn check_claim(
    subject: &Subject<'_>,
    nested: &Claim,
    flat: &Claim,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<ClaimResult, UnfoldError> {
    let settings = &Settings {
        limits: settings.limits.pinned(),
        ..*settings
    };
    let (program, claim) = if settings.typed {
        (subject.program(true), flat)
    } else {
        (subject.program(false), nested)
    };
    let Some(closed) = claim.kind.system().cloned() else {
        return Err(UnfoldError::Arguments {
            expected: 1,
            found: 0,
        });
    };
    let store = subject.store;
    let decl = &program.systems[closed.system.index()];
    let mut scope = Scope {
        system: decl.label.to_string(),
        instances: Vec::new(),
        generated: None,
        finished: None,
        as_written: false,
        proved: None,
        recursion_cut: None,
        copies: None,
        typed: settings.typed,
        transparent: settings.search.transparent,
    };
    let mut gate: Option<Gate> = None;
    let systems = &subject.kept.systems;
    let (found, proof) = if let Some((found, proof, reach)) = by_proof(
        store,
        systems,
        program,
        &closed,
        &claim.kind,
        settings,
        observer,
    ) {
        scope.proved = Some(reach);
        scope.as_written = settings.sessions.is_some() && reach != Reach::Everyone;
        (found, Some(proof))
    } else {
        let generated = settings.sessions.and_then(|n| {
            let own = searches_own(&claim.kind, settings);
            let stop = || filled(settings, observer);
            let all = systems.generated(store, program, &closed, n, own, &stop)?;
            Some((n, all))
        });
        let found = if let Some((n, generated)) = generated {
            scope.generated = Some(Generated {
                systems: generated.len(),
                instances: n,
                complete: generated.stopped.is_none(),
            });
            over_assignments(store, &generated, &closed, &claim.kind, settings, observer)?
        } else {
            scope.as_written = settings.sessions.is_some();
            every_pick_exists(store, systems, program, &closed, &claim.kind, settings)?;
            let claim = &claim.kind;
            one_system(store, systems, program, &closed, claim, settings, observer)?
        };
        (found, None)
    };
    scope.instances = found.instances;
    scope.finished = scope.generated.map(|_| found.finished);
    scope.recursion_cut = found.cut.then_some(settings.bounds.recursion);
    scope.copies = found.copied.then_some(settings.bounds.copies);
    let mut verdict = found.verdict;
    let gated = !decl.partial && !matches!(claim.kind, ClaimKind::Reachable { .. });
    if gated {
        let gates = &subject.kept.gates;
        let g = gates.get(true, store, program, &closed, settings, observer)?;
        if g.is_closed() && matches!(verdict, Verdict::Holds { .. }) {
            verdict = Verdict::NotExecutable;
        }
        gate = Some(g);
    } else if matches!(
        verdict,
        Verdict::Attack(_) | Verdict::Holds { run: Some(_) }
    ) {
        // Nothing depends on it, but a report can tell who is whose partner.
        let gates = &subject.kept.gates;
        gate = Some(gates.get(false, store, program, &closed, settings, observer)?);
    }
    let also_typed = match &verdict {
        Verdict::Attack(_) if settings.compare_typed && !settings.typed => {
            exists_typed(subject, flat, settings, observer)
        }
        _ => None,
    };
    Ok(ClaimResult {
        claim: claim.clone(),
        verdict,
        scope,
        stats: found.stats,
        proof,
        stopped: found.stopped,
        gate,
        also_typed,
    })
}

/// What a proof of the claim comes to, if there is one.
fn by_proof(
    store: &TermStore,
    systems: &Systems,
    program: &Program,
    closed: &Closed,
    claim: &ClaimKind,
    settings: &Settings,
    observer: &dyn Observer,
) -> Option<(Found, Proof, Reach)> {
    let started = Instant::now();
    // Processes that share the states of a search must all search or none.
    let stop = || !is_shared(observer) && halted(settings, observer).is_some();
    let found = proved(store, systems, program, closed, claim, settings, &stop)?;
    let instances = instance_names(store, &found.system);
    let found_by = Found {
        verdict: Verdict::Holds { run: None },
        stats: Stats {
            time: started.elapsed(),
            ..Stats::default()
        },
        stopped: None,
        cut: !found.system.cuts.is_empty(),
        copied: found.copied,
        instances,
        finished: 0,
    };
    Some((found_by, found.proof, found.reach))
}

/// Whether an attack exists when types are respected; `None` if that was not found out.
fn exists_typed(
    subject: &Subject<'_>,
    flat: &Claim,
    settings: &Settings,
    observer: &dyn Observer,
) -> Option<bool> {
    let settings = Settings {
        typed: true,
        all: false,
        compare_typed: false,
        search: Options {
            all: false,
            ..settings.search
        },
        ..*settings
    };
    let closed = flat.kind.system()?.clone();
    let program = subject.program(true);
    let store = subject.store;
    let systems = &subject.kept.systems;
    let claim = &flat.kind;
    if by_proof(store, systems, program, &closed, claim, &settings, observer).is_some() {
        return Some(false);
    }
    let generated = settings.sessions.and_then(|n| {
        let stop = || filled(&settings, observer);
        let own = searches_own(claim, &settings);
        systems.generated(store, program, &closed, n, own, &stop)
    });
    let found = match generated {
        Some(generated) => over_assignments(store, &generated, &closed, claim, &settings, observer),
        None => one_system(store, systems, program, &closed, claim, &settings, observer),
    };
    match found.ok()?.verdict {
        Verdict::Attack(_) => Some(true),
        Verdict::Holds { .. } => Some(false),
        _ => None,
    }
}

/// The bounds of a search. The transparent attacker must see where roles would be stuck.
pub(super) fn search_bounds(settings: &Settings) -> Bounds {
    Bounds {
        trim: !settings.search.transparent,
        ..settings.bounds
    }
}

fn one_system(
    store: &TermStore,
    systems: &Systems,
    program: &Program,
    closed: &Closed,
    claim: &ClaimKind,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Found, UnfoldError> {
    let bounds = search_bounds(settings);
    let system = systems.unfolded(store, program, closed, bounds)?;
    let mut found = search_system(store, program, &system, claim, settings, observer)?;
    found.instances = instance_names(store, &system);
    Ok(found)
}

/// Searches an unfolded system; the instances are not yet named.
pub(super) fn search_system(
    store: &TermStore,
    program: &Program,
    system: &Arc<System>,
    claim: &ClaimKind,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Found, UnfoldError> {
    let Some(goal) = Goal::new(store, system, claim) else {
        return Err(UnfoldError::Arguments {
            expected: 1,
            found: 0,
        });
    };
    let typing = settings.typed.then(|| Typing::new(program, system));
    let knows = &program.signature.knows;
    let spies = &program.signature.spies;
    let options = Options {
        all: settings.all,
        ..settings.search
    };
    // Whoever is named at run time is one of these.
    let signature = &program.signature;
    let named: Vec<TermId> = signature
        .agents
        .iter()
        .chain(&signature.publics)
        .chain(&signature.channels)
        .copied()
        .collect();
    let setup = Setup::new(
        store,
        system,
        knows,
        spies,
        &named,
        typing.as_ref(),
        &goal,
        options,
    );
    let limits = settings.limits.start();
    let (outcome, stats) = explore(&setup, &limits, observer);
    let guard = Guard::after_search(&settings.limits, &limits, observer);
    let certifier = Certifier {
        store,
        system,
        knows,
        claim,
        goal: &goal,
        guard: &guard,
    };
    let (proposals, mut stopped) = match outcome {
        Outcome::Complete(p) | Outcome::Reached(p) => (p, None),
        Outcome::Stopped(reason, p) => (p, Some(reason)),
    };
    let verdict = conclude(&certifier, &proposals, &mut stopped, settings.all);
    Ok(Found {
        verdict,
        stats,
        stopped,
        cut: !system.cuts.is_empty(),
        copied: !system.copied.is_empty(),
        instances: Vec::new(),
        finished: 0,
    })
}

/// Certifies what was proposed and says what follows. A limit that is met in the middle is noted.
fn conclude(
    certifier: &Certifier<'_>,
    proposals: &[crate::search::Proposal],
    stopped: &mut Option<StopReason>,
    all: bool,
) -> Verdict {
    let reachable = matches!(certifier.claim, ClaimKind::Reachable { .. });
    if proposals.is_empty() {
        return match stopped {
            Some(reason) => Verdict::Inconclusive(*reason),
            None if reachable => Verdict::Unreachable,
            None => Verdict::Holds { run: None },
        };
    }
    let mut attacks: Vec<Attack> = Vec::new();
    let mut shortest: Vec<&crate::search::Proposal> = proposals.iter().collect();
    shortest.sort_by_key(|p| p.len());
    if !all {
        // They were found at the same depth; shortening decides among the few that start shortest.
        shortest.truncate(CANDIDATES);
    }
    for proposal in shortest {
        match certifier.certify(proposal) {
            Ok(attack) => {
                let variants = if all {
                    certifier.start_orders(attack)
                } else {
                    vec![attack]
                };
                for attack in variants {
                    if !attacks.iter().any(|a| a.witness == attack.witness) {
                        attacks.push(attack);
                    }
                }
            }
            Err(error) if error.error == CertifyError::Stopped => {
                *stopped = stopped.or(certifier.guard.reason());
                break;
            }
            Err(error) => return Verdict::Internal(InternalError::NotConfirmed(error)),
        }
    }
    if let (true, Some(reason)) = (attacks.is_empty(), *stopped) {
        return Verdict::Unconfirmed(certifier.guard.reason().unwrap_or(reason));
    }
    // Stable: of equally long attacks the first found comes first.
    attacks.sort_by_key(|a| a.witness.moves.len());
    if !all {
        attacks.truncate(1);
    }
    if reachable {
        return Verdict::Holds {
            run: attacks.into_iter().next().map(Box::new),
        };
    }
    Verdict::Attack(attacks)
}

/// The role instances as they would be written.
pub(super) fn instance_names(store: &TermStore, system: &System) -> Vec<String> {
    super::gate::roles(system)
        .into_iter()
        .map(|i| {
            let instance = system.instance(i);
            if instance.def.is_none() || instance.args.is_empty() {
                return instance.label.to_string();
            }
            let args: Vec<String> = instance.args.iter().map(|a| store.show(*a)).collect();
            format!("{}({})", instance.label, args.join(", "))
        })
        .collect()
}
