//! A claim is first tried to be proved for any number of runs; only what that leaves open is searched. A proof counts once its certificate has been
//! checked by code that shares nothing with the prover. One that does not survive is a mistake of ours, and told as such.
//!
//! For `--sessions N` the proof is about a system with every role instance that could be chosen, so it covers all ways to choose,
//! whatever N is.

use super::claimed_instances::{keeps_own, missing_pick};
use super::question::Question;
use super::roles;
use super::sessions::Cast;
use crate::certify::proof::{ProofError, check};
use crate::engine::prove::{Failure, Options, Proof, prove};
use crate::engine::search::Goal;
use crate::process::{Bounds, ClaimKind, Proc, ProcId, Program, System};
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

/// Why there is no proof.
#[derive(Debug)]
pub(super) enum NoProof {
    /// None was found.
    Failed(Failure),
    /// One was found, and its certificate was rejected.
    Refused(ProofError),
}

impl From<Failure> for NoProof {
    fn from(failure: Failure) -> Self {
        NoProof::Failed(failure)
    }
}

/// Looks for a proof in some of the ways there are. If it is to be stopped, the search says by what.
pub(super) fn proved(
    question: &Question<'_>,
    options: Options,
    stop: &dyn Fn() -> bool,
) -> Result<Proved, NoProof> {
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
        return Err(Failure::Unexpressed.into());
    }
    let bounds = Bounds {
        trim: true,
        ..settings.bounds
    };
    let cast = match settings.sessions {
        Some(_) => {
            let most = settings.budgets.everyone;
            systems.everyone(store, program, closed, keeps_own(claim), bounds, most)
        }
        None => Cast::NoRoles,
    };
    // What can't be unfolded is reported by the search.
    let (program, asked, system) = match &cast {
        Cast::TooMany => return Err(Failure::Unexpressed.into()),
        Cast::All(all) => (&all.program, all.system, all.unfolded.clone()),
        Cast::NoRoles => {
            let system = systems.unfolded(store, program, closed, bounds);
            let system = system.map_err(|_| Failure::Unexpressed)?;
            (program, closed.system, system)
        }
    };
    if missing_pick(store, &system, claim, &mut Vec::new()).is_some() {
        return Err(Failure::Unexpressed.into());
    }
    let goal = Goal::new(store, &system, claim).ok_or(Failure::Unexpressed)?;
    let signature = &program.signature;
    let (proof, certificate) = prove(store, signature, &system, &goal, options, stop)?;
    #[cfg(test)]
    let certificate = tests::maybe_forged(certificate);
    match check(store, signature, &system, claim, &certificate, stop) {
        Ok(()) => {}
        // What can't be compared, or not in time, is nobody's mistake.
        Err(ProofError::GaveUp | ProofError::Stopped) => return Err(Failure::Unexpressed.into()),
        Err(error) => return Err(NoProof::Refused(error)),
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

#[cfg(test)]
mod tests {
    use crate::analysis::{Decision, Model, Outcome, Settings, Verdict};
    use crate::base::limits::Silent;
    use crate::certify::proof::Certificate;
    use std::cell::Cell;

    thread_local! {
        /// Whether clauses are taken out of certificates before they are checked.
        static FORGED: Cell<bool> = const { Cell::new(false) };
    }

    /// The certificate, or what a prover that forgets clauses would hand over.
    pub(super) fn maybe_forged(mut certificate: Certificate) -> Certificate {
        if FORGED.get() {
            certificate.clauses.clear();
        }
        certificate
    }

    #[test]
    fn a_refused_certificate_is_told_and_proves_nothing() {
        let text = "channel net private k, s system Ok = net<{s}k> secrecy s in Ok";
        let model = Model::from_text(text).expect("no mistakes");
        let decided = |settings: &Settings| {
            let decision = model.decide(0, settings, &Silent);
            match decision.expect("a small system") {
                Decision::One(result) => *result,
                Decision::Compared(_) => panic!("one system"),
            }
        };
        let settings = Settings::default();
        let proved = decided(&settings);
        assert!(proved.outcome().holds() && proved.proof.is_some());
        FORGED.set(true);
        let refused = decided(&settings);
        FORGED.set(false);
        assert_eq!(refused.outcome(), Outcome::Internal);
        assert!(refused.proof.is_none());
        let Verdict::Internal(error) = refused.verdict else {
            panic!("told as what it is");
        };
        let told = error.to_string();
        let start = "the prover proposed a proof that its check rejects (";
        assert!(told.starts_with(start), "{told}");
        assert!(told.ends_with("please report it"), "{told}");
    }
}
