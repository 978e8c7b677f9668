//! Proofs for any number of runs, before anything is searched [Sem 4.10].
//!
//! A system becomes a set of Horn clauses about what the attacker can have and which events can happen, in which its role
//! instances run any number of times (`translate`, `names`). The clauses are saturated (`saturate`); if
//! the goal of the claim can't be derived from them, no attacker reaches it, in the system or in any other with more runs
//! of the same role instances. If it can be derived, nothing follows, since more happens in the clauses than in a system: the search decides.
//!
//! Invariant: for every run of the system there is a renaming of its names under which all that the attacker has, all messages on
//! channels and all events have been derived at the time when they are there, from events before. The renaming
//! takes different names to different terms, so an agreement that is shown of the terms is one of the run.
//!
//! What saturation ends with is handed over as a certificate (`certificate`). The checker of certificates (`certify::proof`) shares nothing
//! with this layer; a mistake here makes a proof that is not believed.
//!
//! Left to others: unfolding, what is said of the verdict (`analysis`), attacks (`search`).

mod certificate;
mod clause;
mod goal;
mod initial_knowledge;
mod names;
mod options;
mod orders;
mod saturate;
mod terms;
mod times;
mod translate;
mod widen;

use crate::certify::proof::Certificate;
use crate::engine::search::Goal;
use crate::process::{Signature, System};
use crate::term::TermStore;
use goal::Wanted;
use saturate::{Budget, Saturated};
use translate::Translation;
use widen::Widening;

pub use options::{Cut, Options};

/// How much the clauses tell of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// Names tell which run made them.
    Runs,
    /// And what it had received before it used them; conditions tell what each run received at each of its inputs.
    Received,
}

/// Why there is no proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The budget was used up.
    Budget,
    /// A clause with nothing to resolve says that the goal may be reached.
    Reached,
    /// The attacker gets terms of any kind: what is said here of tuples does not hold then.
    Anything,
    /// Each later event has an earlier one, but two may have the same.
    Shared,
    /// It was to be stopped.
    Stopped,
    /// The system or the claim has something that is not expressed in clauses, or is too large.
    Unexpressed,
}

/// A proof was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proof {
    /// Clauses in the saturated set.
    pub clauses: usize,
    /// Clauses that were made on the way.
    pub made: usize,
}

/// Looks for a proof that the goal is out of reach, for any number of runs of the system's role instances. A failure, that of the last
/// attempt, says nothing of the system;
/// a proof is to be believed once its certificate has been checked ([`crate::certify::proof`]).
///
/// First with little detail: more of it proves more, but takes longer, and saturation ends less often. There is no proof either if
/// it is to be stopped, which is asked now and then.
pub fn prove(
    store: &TermStore,
    signature: &Signature,
    system: &System,
    goal: &Goal,
    options: Options,
    stop: &dyn Fn() -> bool,
) -> Result<(Proof, Certificate), Failure> {
    // Clauses are there in both orders of the exponents, and with them each combination of earlier events.
    let narrow = options.plain
        && options.relevant
        && store.has_groups()
        && matches!(goal, Goal::Disagreement { .. });
    let attempts = [
        (narrow, Detail::Runs, true),
        (options.plain, Detail::Runs, false),
        (options.received, Detail::Received, false),
    ];
    let mut failure = Failure::Unexpressed;
    for (_, detail, relevant) in attempts.into_iter().filter(|(wanted, ..)| *wanted) {
        let options = Options {
            relevant,
            ..options
        };
        if stop() {
            return Err(Failure::Stopped);
        }
        match attempt(store, signature, system, goal, detail, options, stop) {
            Ok(proof) => return Ok(proof),
            Err(why) => failure = why,
        }
    }
    Err(failure)
}

fn attempt(
    store: &TermStore,
    signature: &Signature,
    system: &System,
    goal: &Goal,
    detail: Detail,
    options: Options,
    stop: &dyn Fn() -> bool,
) -> Result<(Proof, Certificate), Failure> {
    let translated = translated(store, signature, system, goal, detail, options, stop);
    let (translation, wanted) = translated.ok_or(Failure::Unexpressed)?;
    let known = translation.known();
    let Translation {
        mut terms,
        clauses,
        origins,
        ..
    } = translation;
    let more = if signature.groups.is_empty() {
        1
    } else {
        options.budgets.proof_twofold
    };
    let budget = Budget::of(&terms, &clauses, detail, more);
    let mut widening = match detail {
        Detail::Runs => Widening::new(&terms, &clauses, options),
        Detail::Received => None,
    };
    let saturated = saturate::saturate(
        &mut terms,
        &known,
        clauses,
        budget,
        widening.as_mut(),
        &wanted,
        stop,
    );
    let Saturated { kept, made } = saturated?;
    let apart = wanted.allows_all(&mut terms, &kept);
    if terms.is_exhausted() {
        return Err(Failure::Budget);
    }
    if !apart {
        return Err(Failure::Shared);
    }
    let proof = Proof {
        clauses: kept.len(),
        made,
    };
    let cuts = widening.map_or_else(Vec::new, |w| w.cuts(&terms));
    let certificate = certificate::certificate(&terms, detail, &origins, &kept, &cuts);
    Ok((proof, certificate))
}

/// System, attacker and goal as clauses; `None` if something is not expressed here.
fn translated<'a>(
    store: &'a TermStore,
    signature: &Signature,
    system: &'a System,
    goal: &'a Goal,
    detail: Detail,
    options: Options,
    stop: &dyn Fn() -> bool,
) -> Option<(Translation<'a>, Wanted)> {
    let mut translation = Translation::new(store, system, goal, detail, options)?;
    let wanted = goal::add(&mut translation, goal)?;
    let known = translation.known();
    let mut variables = Vec::new();
    let mut spies = Vec::new();
    for spy in &signature.spies {
        spies.push(translation.claimed(*spy, &Vec::new(), &mut variables)?);
    }
    let times = translation.times;
    let abilities = known.abilities(&mut translation.terms, signature, &spies, times);
    translation.clauses.extend(abilities);
    translation.knows(&signature.knows)?;
    translation.steps(stop)?;
    (!translation.terms.is_exhausted()).then_some((translation, wanted))
}
