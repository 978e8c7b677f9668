//! A claim is first tried to be proved for any number of runs; only what that leaves open is searched. A proof counts once its certificate has been
//! checked by code that shares nothing with the prover; one that does not survive is a mistake of ours, and the claim is searched.
//!
//! For `--sessions N` the proof is about a system with every role instance that could be chosen, so it covers all ways to choose,
//! whatever N is.

use super::picks::{keeps_own, missing_pick};
use super::question::Question;
use super::roles;
use super::sessions::Cast;
use crate::certify::proof::{ProofError, check};
use crate::process::{Bounds, ClaimKind, Proc, ProcId, Program, System};
use crate::prove::{Failure, Options, Proof, prove};
use crate::search::Goal;
use std::sync::Arc;

/// What a proof is about, beyond what was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The system as it was asked for.
    AsWritten,
    /// Its role instances, each any number of times.
    Repeated,
    /// All role instances that `--sessions` chooses from, each any number of times; what is no role instance as it is written.
    Everyone,
}

/// A claim that was proved.
pub(super) struct Proved {
    pub proof: Proof,
    pub reach: Reach,
    pub system: Arc<System>,
    /// A bare `!` has the meaning of as many copies as the bound says.
    pub copied: bool,
}

/// Looks for a proof in some of the ways there are. If it is to be stopped, the search says by what.
pub(super) fn proved(
    question: &Question<'_>,
    options: Options,
    stop: &dyn Fn() -> bool,
) -> Result<Proved, Failure> {
    let Question {
        store,
        systems,
        program,
        closed,
        claim,
        settings,
        ..
    } = *question;
    if !settings.proofs || matches!(claim, ClaimKind::Reachable { .. }) {
        return Err(Failure::Unexpressed);
    }
    let bounds = Bounds {
        trim: true,
        ..settings.bounds
    };
    let cast = match settings.sessions {
        Some(_) => systems.everyone(store, program, closed, keeps_own(claim), bounds),
        None => Cast::NoRoles,
    };
    // What can't be unfolded is reported by the search.
    let (program, asked, system) = match &cast {
        Cast::TooMany => return Err(Failure::Unexpressed),
        Cast::All(all) => (&all.program, all.system, all.unfolded.clone()),
        Cast::NoRoles => {
            let system = systems.unfolded(store, program, closed, bounds);
            let system = system.map_err(|_| Failure::Unexpressed)?;
            (program, closed.system, system)
        }
    };
    if missing_pick(store, &system, claim, &mut Vec::new()).is_some() {
        return Err(Failure::Unexpressed);
    }
    let goal = Goal::new(store, &system, claim).ok_or(Failure::Unexpressed)?;
    let signature = &program.signature;
    let (proof, certificate) = prove(store, signature, &system, &goal, options, stop)?;
    let checked = check(store, signature, &system, claim, &certificate, stop);
    if let Err(error) = checked {
        // What can't be compared, or not in time, is nobody's mistake.
        debug_assert!(
            matches!(error, ProofError::GaveUp | ProofError::Stopped),
            "a wrong proof: {error}"
        );
        return Err(Failure::Unexpressed);
    }
    let repeated = is_repeated(&system);
    let root = program.systems[asked.index()].body.root;
    let covered = repeated && replicated_calls(program, root) == system.copied.len();
    Ok(Proved {
        proof,
        reach: match (matches!(cast, Cast::All(_)), repeated) {
            (true, _) => Reach::Everyone,
            (false, true) => Reach::Repeated,
            (false, false) => Reach::AsWritten,
        },
        copied: !system.copied.is_empty() && !covered,
        system,
    })
}

/// Whether the system is nothing but role instances side by side: these are what runs any number of times in a proof.
fn is_repeated(system: &System) -> bool {
    use crate::process::{Action, StepId};
    // What is lost is lost again and again.
    let own = |(i, s): (u32, &crate::process::Step)| {
        system.instance(s.instance).parent.is_none()
            && !system.lost.contains(&StepId(i))
            && !matches!(s.action, Action::Nil | Action::Fork(_))
    };
    let at_top = |i| {
        let instance = system.instance(i);
        let parent = instance.parent.map(|p| system.instance(p));
        !instance.continues && parent.is_some_and(|p| p.parent.is_none())
    };
    !(0u32..).zip(&system.steps).any(own) && roles(system).into_iter().all(at_top)
}

/// How many bare `!` stand above nothing but instances that are all alike.
fn replicated_calls(program: &Program, root: ProcId) -> usize {
    fn only_calls(program: &Program, proc: ProcId) -> bool {
        match program.proc(proc) {
            Proc::Par(parts) => parts.iter().all(|p| only_calls(program, *p)),
            Proc::Call { .. } | Proc::Nil => true,
            _ => false,
        }
    }
    match program.proc(root) {
        Proc::Par(parts) => parts.iter().map(|p| replicated_calls(program, *p)).sum(),
        Proc::New(_, then) => replicated_calls(program, *then),
        Proc::Replicate {
            copies: None, body, ..
        } => usize::from(only_calls(program, *body)),
        _ => 0,
    }
}
