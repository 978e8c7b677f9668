//! What a certificate shows that was written before: nothing is searched, and no engine is asked.
//!
//! The model is read and unfolded anew, and the certificate is checked as if a prover had just handed it over. What is said is what was established then,
//! except for what no certificate has: who gets to an end in honest runs.

use super::check::scope;
use super::one_system::{Found, instance_names};
use super::proof::{Proved, Subject as Proving};
use super::question::Question;
use super::sessions::reaches_all_agents;
use super::{ClaimResult, Reach, Settings, Subject};
use crate::base::limits::Observer;
use crate::base::source::Diagnostic;
use crate::certify::equivalence::EquivalenceError;
use crate::certify::proof::{Certificate, ProofError};
use crate::engine::prove::Proof;
use crate::engine::search::Stats;
use crate::process::{Bounds, Claim, ClaimKind, System, UnfoldError};
use crate::term::TermStore;
use std::sync::Arc;
use std::time::Instant;

/// A certificate with what it is about: enough to check it again.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The certificate.
    pub certificate: Arc<Certificate>,
    /// The system that it is about, as it was unfolded.
    pub system: Arc<System>,
    /// Role instances were chosen for so many sessions.
    pub sessions: Option<u32>,
    /// It is about all agents, although the claim was asked of the system as it is written.
    pub wider: bool,
}

/// Why a certificate shows nothing.
#[derive(Debug)]
pub enum Unverified {
    /// The system can't be unfolded.
    Unfold(UnfoldError),
    /// The claim is none that has proofs.
    Unprovable,
    /// The certificate is about another system, or can't be read.
    Unread(Box<Diagnostic>),
    /// The check refuses it.
    Refused(ProofError),
    /// The check of an equivalence refuses it.
    Unequal(EquivalenceError),
    /// It is accepted, and shows less than is said.
    Less,
}

impl From<UnfoldError> for Unverified {
    fn from(error: UnfoldError) -> Self {
        Unverified::Unfold(error)
    }
}

/// Checks a certificate of a proof of a claim, which is given in both lowerings. `read` reads the certificate once the system is known.
pub fn verify_claim(
    subject: &Subject<'_>,
    [nested, flat]: [&Claim; 2],
    settings: &Settings,
    wider: bool,
    read: impl FnOnce(&TermStore, &System) -> Result<Certificate, Diagnostic>,
    observer: &dyn Observer,
) -> Result<ClaimResult, Unverified> {
    let started = Instant::now();
    let settings = &Settings {
        limits: settings.limits.pinned(),
        ..*settings
    };
    let claim = if settings.typed { flat } else { nested };
    let program = subject.program(settings.typed);
    let provable = !matches!(claim.kind, ClaimKind::Reachable { .. });
    let closed = claim.kind.system().filter(|_| provable).cloned();
    let closed = closed.ok_or(Unverified::Unprovable)?;
    let store = subject.store;
    let asked = Settings {
        sessions: if wider { Some(1) } else { settings.sessions },
        ..*settings
    };
    let question = Question {
        store,
        systems: &subject.kept.systems,
        program,
        closed: &closed,
        claim: &claim.kind,
        settings: &asked,
        observer,
    };
    let proving = Proving::of(&question).ok_or(Unverified::Unprovable)?;
    let system = Arc::clone(&proving.system);
    let certificate = read(store, &system).map_err(|d| Unverified::Unread(Box::new(d)))?;
    let proof = Proof {
        clauses: certificate.clauses.len(),
        made: 0,
    };
    let stop = || {
        let late = settings
            .limits
            .deadline
            .is_some_and(|d| Instant::now() >= d);
        late || observer.interrupted()
    };
    let proved = proving.checked(&question, proof, certificate, &stop);
    let proved = proved.map_err(Unverified::Refused)?;
    let mut scope = scope(store, program, &closed, settings);
    let (covers, cut, copied) = covered(&question, settings, wider, &proved)?;
    scope.proved = Some(covers);
    scope.any_agents =
        (wider || covers == Reach::Everyone) && reaches_all_agents(program, store, &closed);
    if wider && !scope.any_agents {
        return Err(Unverified::Less);
    }
    scope.as_written = settings.sessions.is_some() && covers != Reach::Everyone;
    scope.recursion_cut = cut.then_some(settings.bounds.recursion);
    scope.copies = copied.then_some(settings.bounds.copies);
    let system = if wider {
        let bounds = written(settings);
        question.systems.unfolded(store, program, &closed, bounds)?
    } else {
        system
    };
    scope.instances = instance_names(store, &system);
    let found = Found::nothing(&claim.kind);
    Ok(ClaimResult {
        claim: claim.clone(),
        verdict: found.verdict,
        scope,
        stats: Stats {
            time: started.elapsed(),
            ..Stats::default()
        },
        proof: Some(proof),
        certificate: None,
        stopped: None,
        gate: None,
        also_typed: None,
        wider: None,
    })
}

fn written(settings: &Settings) -> Bounds {
    Bounds {
        trim: true,
        ..settings.bounds
    }
}

/// What a proof covers, whether recursion was cut, and whether a bare `!` took the bound.
fn covered(
    question: &Question<'_>,
    settings: &Settings,
    wider: bool,
    proved: &Proved,
) -> Result<(Reach, bool, bool), Unverified> {
    let cut = !proved.system.cuts.is_empty();
    if !wider {
        return Ok((proved.reach, cut, proved.copied));
    }
    // All agents are more than those that are written, if what is written repeats.
    let settings = Settings {
        sessions: None,
        ..*settings
    };
    let asked = Question {
        settings: &settings,
        ..*question
    };
    let written = Proving::of(&asked).ok_or(Unverified::Unprovable)?;
    let less = proved.reach == Reach::AsWritten || cut || proved.copied;
    if less || !written.is_any_number(&asked) {
        return Err(Unverified::Less);
    }
    Ok((Reach::Repeated, false, false))
}
