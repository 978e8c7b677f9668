//! A claim is first tried to be proved for any number of runs; only what that leaves open is searched. A proof counts once its certificate has been
//! checked by code that shares nothing with the prover. One that does not survive is a mistake of ours, and told as such.
//!
//! For `--sessions N` the proof is about a system with every role instance that could be chosen, so it covers all ways to choose,
//! whatever N is.

use super::claimed_instances::{keeps_own, missing_pick};
use super::question::Question;
use super::roles;
use super::sessions::Cast;
use super::systems::Everyone;
use crate::certify::proof::{Certificate, ProofError, check};
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
    /// What was checked.
    pub certificate: Certificate,
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

/// The system that a proof is about.
pub(super) struct Subject {
    cast: Cast<Arc<Everyone>>,
    pub system: Arc<System>,
}

impl Subject {
    /// The system that a proof of a question is about; `None` if there is none to be expressed. What can't be unfolded is reported by the search.
    pub(super) fn of(question: &Question<'_>) -> Option<Subject> {
        let Question {
            store,
            systems,
            program,
            closed,
            claim,
            settings,
            ..
        } = *question;
        if matches!(claim, ClaimKind::Reachable { .. }) {
            return None;
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
        let system = match &cast {
            Cast::TooMany => return None,
            Cast::All(all) => all.unfolded.clone(),
            Cast::NoRoles => systems.unfolded(store, program, closed, bounds).ok()?,
        };
        let missing = missing_pick(store, &system, claim, &mut Vec::new());
        missing.is_none().then_some(Subject { cast, system })
    }

    fn program<'a>(&'a self, question: &Question<'a>) -> &'a Program {
        match &self.cast {
            Cast::All(all) => &all.program,
            Cast::TooMany | Cast::NoRoles => question.program,
        }
    }

    /// What a certificate of a proof shows, if it is accepted.
    pub(super) fn checked(
        self,
        question: &Question<'_>,
        proof: Proof,
        certificate: Certificate,
        stop: &dyn Fn() -> bool,
    ) -> Result<Proved, ProofError> {
        let program = self.program(question);
        let (store, signature) = (question.store, &program.signature);
        let system = &self.system;
        check(store, signature, system, question.claim, &certificate, stop)?;
        let repeated = is_repeated(system);
        Ok(Proved {
            proof,
            reach: match (matches!(self.cast, Cast::All(_)), repeated) {
                (true, _) => Reach::Everyone,
                (false, true) => Reach::Repeated,
                (false, false) => Reach::AsWritten,
            },
            copied: self.is_copied(question),
            system: self.system,
            certificate,
        })
    }

    /// Whether a bare `!` has the meaning of as many copies as the bound says.
    fn is_copied(&self, question: &Question<'_>) -> bool {
        let asked = match &self.cast {
            Cast::All(all) => all.system,
            Cast::TooMany | Cast::NoRoles => question.closed.system,
        };
        let (program, copied) = (self.program(question), &self.system.copied);
        let root = program.systems[asked.index()].body.root;
        let covered = is_repeated(&self.system) && replicated_calls(program, root) == copied.len();
        !copied.is_empty() && !covered
    }

    /// Whether a proof about the system is one for any number of runs of its role instances, no bound met.
    pub(super) fn is_any_number(&self, question: &Question<'_>) -> bool {
        let system = &self.system;
        is_repeated(system) && system.cuts.is_empty() && !self.is_copied(question)
    }
}

/// Looks for a proof in some of the ways there are. If it is to be stopped, the search says by what.
pub(super) fn proved(
    question: &Question<'_>,
    options: Options,
    stop: &dyn Fn() -> bool,
) -> Result<Proved, NoProof> {
    let (store, claim) = (question.store, question.claim);
    let subject = Subject::of(question).filter(|_| question.settings.proofs);
    let subject = subject.ok_or(Failure::Unexpressed)?;
    let goal = Goal::new(store, &subject.system, claim).ok_or(Failure::Unexpressed)?;
    let signature = &subject.program(question).signature;
    let (proof, certificate) = prove(store, signature, &subject.system, &goal, options, stop)?;
    #[cfg(test)]
    let certificate = tests::maybe_forged(certificate);
    match subject.checked(question, proof, certificate, stop) {
        Ok(proved) => Ok(proved),
        // What can't be compared, or not in time, is nobody's mistake.
        Err(ProofError::GaveUp | ProofError::Stopped) => Err(Failure::Unexpressed.into()),
        Err(error) => Err(NoProof::Refused(error)),
    }
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
