//! Proofs for any number of runs, checked by other means than they were found [Sem 4.10, 6.1].
//!
//! A proof comes as a [`Certificate`]: Horn clauses that are said to be closed under resolution. This module has its own terms
//! (`terms`), its own solution of equations (`equate`) and comparison of clauses (`subsume`), and says by itself what the system, the attacker and
//! the claim mean as clauses (`steps`, `names`, `attacker`, `goal`): the *first clauses*. Those of the certificate are
//! only compared with.
//!
//! # What is shown
//!
//! Take a run of the system in which each role instance at the top may run any number of times. What was received at which place,
//! and which earlier events have happened, is a set R of facts; at one place one message is received. Let M be the least set of facts
//! that has R and, whenever it has all conditions of an instance of a clause *without selected condition*, the conclusion;
//! where "the attacker has t" counts as a fact of M
//!
//! - if t is 0 or a public name (which includes the attacker's own): always;
//! - if t is a tuple or successor: exactly if it counts for the parts;
//! - otherwise: if M has it.
//!
//! *If the check succeeds, M satisfies all first clauses.* All that the attacker has in the run, all messages on channels and all
//! later events then are in M, by induction on the run, each with the part of R that was there before it. So what no
//! clause without selected condition concludes does not happen, and a later event has one of the earlier events that those
//! clauses name.
//!
//! # Why
//!
//! Give each fact of M the number of the round in which it gets there, and an instance of a clause whose conditions count the multiset of the
//! numbers of its conditions: for "the attacker has a tuple" those of its parts, for what counts without being derived none.
//! Claim: if the check looked for a clause (a first one, or one made by resolution) and the conditions of an
//! instance count, then so does its conclusion. By induction on the multiset:
//!
//! 1. *Conditions fall apart.* A tuple or successor that the attacker must have is replaced by its parts: by the meaning above, and the multiset stays.
//! 2. *Received once.* Two messages received at one place are made equal, and if they can't be, the clause is passed over: R
//!    has one message for each place, so the instance is one of the clause with the equation, or there is none.
//! 3. *Conclusions fall apart* likewise: all parts must be found. A part that is 0 or a public name counts, and so does one that is a condition.
//! 4. *Subsumption.* Otherwise there is a clause of the certificate of which an instance has this conclusion and some of the conditions, none of
//!    them used for two: an instance whose conditions count, with a multiset that is no larger.
//!    - If it has no selected condition, M has its conclusion.
//!    - If it has one, that is a fact which counts only if M has it as the conclusion of a clause without selected condition
//!      (`may_be_selected`, `may_be_concluded`). Put the conditions of that one in its place: they have smaller numbers. This
//!      is an instance of what resolution gives, which was looked for, with a smaller multiset.
//!
//!    - If it is a *cut* (`cuts`), M has its conclusion as well. With the same conditions an instance of another clause, without selected
//!      condition, concludes that the part may stand in the context, so M has that; with that and the same conditions again another one
//!      concludes what the cut does. In the place of either may be a cut that was checked before.
//!
//! Nothing else is done to a clause. What a prover does beyond that leaves conditions out: what the attacker surely has, what is there twice, what was
//! received by runs that nothing else is about. The clause with fewer conditions subsumes the one that is looked for here, so
//! none of it is repeated, or believed. Nor does it matter which conditions are left unselected: M is what it is, and only
//! how much it shows depends on that.
//!
//! # Phases
//!
//! If the system has phases, "the attacker has t" has a time for its second argument, and what is said above is said for each time: t may count at one
//! and not at another. The time of phase p is the p-th successor of 0. What the attacker gets in phase p, and has in all later ones, it has at the p-th
//! successor of whatever there is; what it needs in phase p, it needs at the time p. What it does with terms it does at any one time. Take for "the attacker has t
//! in phase p of the run" the fact with the time p: with what it has got in phase p or before, it does in phase p what it does. Each step has a
//! phase, that of the last `phase` on the way: when a later one begins whoever stands there is gone, so a step happens in its phase, and two that
//! talk to each other are in one. Events have no time.
//!
//! In step 3 a part counts as well if the same term is a condition at an earlier time. For what M has at the time p it has at each later q, in a round that
//! is no later: a clause that concludes it does so for a time with a variable that stands nowhere else but in times of conditions
//! (`times::lasts`), and with a larger value of that variable these conditions are the same at later times, which M has by induction.
//!
//! # Joint keys
//!
//! Two messages are equal if one becomes the other when exponents of joint keys `g^x^y` are exchanged; clauses compare terms as they stand. Choose for each message a
//! *normal form*, in which the exponents of every key stand in a fixed order, say that of a fixed order of all normal forms. Read R, M and what happens in
//! a run as facts about normal forms. Equal messages have one normal form, and different ones have different ones. The normal form of an instance of a term is
//! an instance, by the normal forms of the values, of the term with each of its keys in one of the two orders, the same key in the same order wherever it
//! stands (`orders`). So for each instance of a first clause, and of a test that succeeds, one of those that were looked for has the normal forms of its facts,
//! and the argument above goes through. Clauses of the other orders derive what is no normal form, which is nobody's loss: it is still equal to
//! something that is true.
//!
//! Left to others: finding proofs (`prove`), unfolding (`process`), which is believed here as in the replay of attacks.

mod attacker;
mod certificate;
mod closure;
mod cuts;
mod equate;
mod error;
mod goal;
mod import;
mod injective;
mod names;
mod orders;
mod steps;
mod subsume;
mod terms;
mod times;
mod translate;

pub use certificate::{Certificate, Clause, Cut, Entry, Head, Kind, Written};
pub use error::{ProofError, Reason};

use crate::process::{ClaimKind, Signature, System};
use crate::term::TermStore;
use closure::Closure;
use goal::Wanted;
use import::Reader;
use translate::Translation;

/// Checks that the certificate proves the claim, for any number of runs of the system's role instances. Now and then it is asked whether
/// to stop.
pub fn check(
    store: &TermStore,
    signature: &Signature,
    system: &System,
    claim: &ClaimKind,
    certificate: &Certificate,
    stop: &dyn Fn() -> bool,
) -> Result<(), ProofError> {
    let mut reader = Reader::new(certificate)?;
    let mut closure = Closure::new(store, certificate, &mut reader, stop)?;
    let translation = Translation::new(store, signature, system, certificate);
    let answer = all(&mut closure, &mut reader, &translation, claim);
    if closure.is_stopped() {
        return Err(ProofError::Stopped);
    }
    if closure.gave_up() || answer.is_err() && closure.compared_in_part() {
        return Err(ProofError::GaveUp);
    }
    answer
}

fn all(
    closure: &mut Closure<'_>,
    reader: &mut Reader<'_>,
    translation: &Translation<'_>,
    claim: &ClaimKind,
) -> Result<(), ProofError> {
    cuts::cuts(closure, reader)?;
    let wanted = goal::claimed(closure, translation, claim)?;
    attacker::abilities(closure, translation)?;
    attacker::knowledge(closure, translation)?;
    steps::steps(closure, translation, goal::watched(claim))?;
    let deriving = goal::judge(closure, &wanted)?;
    closure.resolve()?;
    match wanted {
        Wanted::Earlier(agreement) if agreement.injective => {
            injective::injective(closure, reader, &deriving)
        }
        Wanted::Nothing | Wanted::Earlier(_) => Ok(()),
    }
}
