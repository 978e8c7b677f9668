//! What the claim is about, as first clauses, and what the certificate must say of it.
//!
//! A secret is one for each choice of copies made by instances that may be honest [Sem 4.8]; that the attacker has it must not be derivable.
//! An agreement looks at the later event: each clause that derives it must have the earlier one among its conditions.

use super::certificate::Kind;
use super::closure::Closure;
use super::error::{ProofError, Reason};
use super::orders::{self, Choice};
use super::steps::{Watched, may_be_honest};
use super::subsume::{Clause, Matching};
use super::terms::{Term, Terms};
use super::translate::{Leaf, Translation};
use crate::process::{ClaimKind, InstanceId, SecrecyTarget, SecretName, Strength, System};
use crate::term::{NameId, Op, TermId, TermStore};
use rustc_hash::FxHashMap;

/// The events of an agreement, over common variables.
pub(super) struct Agreement {
    after: Vec<Term>,
    before: Vec<Term>,
    pub injective: bool,
}

/// What the clauses that derive the goal must be like.
pub(super) enum Wanted {
    /// There is none.
    Nothing,
    /// Each has the earlier event.
    Earlier(Agreement),
}

/// The events that a claim looks at.
pub(super) fn watched(claim: &ClaimKind) -> Watched {
    match claim {
        ClaimKind::SecrecyAfter { event, .. } => Watched {
            after: Some(event.event),
            before: None,
        },
        ClaimKind::Agreement { after, before, .. } => Watched {
            after: Some(after.event),
            before: Some(before.event),
        },
        _ => Watched::default(),
    }
}

/// Looks for the first clauses of a claim.
pub(super) fn claimed(
    closure: &mut Closure<'_>,
    translation: &Translation<'_>,
    claim: &ClaimKind,
) -> Result<Wanted, ProofError> {
    match claim {
        ClaimKind::Secrecy { targets, .. } => {
            for target in targets {
                secrets(closure, translation, target, &[target.term])?;
            }
            Ok(Wanted::Nothing)
        }
        ClaimKind::Unsendable {
            channel, target, ..
        } => {
            secrets(closure, translation, target, &[*channel, target.term])?;
            Ok(Wanted::Nothing)
        }
        ClaimKind::SecrecyAfter { term, event, .. } => {
            let mut pattern = Pattern::default();
            let told = pattern.event(closure, translation, &event.args)?;
            let secret = pattern.term(&mut closure.terms, translation, *term)?;
            let end = at_the_end(closure, translation);
            let has = closure.terms.attacker_at(secret, end);
            let later = closure.terms.fact(Kind::After, &told);
            let reached = closure.terms.fact(Kind::Goal, &[]);
            closure.first(Reason::Claim, &[later, has], reached)?;
            Ok(Wanted::Nothing)
        }
        ClaimKind::Agreement {
            strength,
            after,
            before,
            ..
        } => {
            let mut pattern = Pattern::default();
            let mut told = pattern.event(closure, translation, &after.args)?;
            let later = closure.terms.fact(Kind::After, &told);
            let reached = closure.terms.fact(Kind::Goal, &told);
            closure.first(Reason::Claim, &[later], reached)?;
            told.pop();
            Ok(Wanted::Earlier(Agreement {
                after: told,
                before: pattern.terms(&mut closure.terms, translation, &before.args)?,
                injective: *strength == Strength::Injective,
            }))
        }
        ClaimKind::Reachable { .. }
        | ClaimKind::StrongSecrecy { .. }
        | ClaimKind::Equivalence(..)
        | ClaimKind::Preorder(..) => Err(ProofError::NotExpressed),
    }
}

/// The terms of a claim. Its variables are numbered anew; restricted names can't be written in events.
#[derive(Default)]
struct Pattern {
    choice: Choice,
    variables: FxHashMap<u32, Term>,
    fresh: u32,
}

impl Pattern {
    fn next(&mut self, terms: &mut Terms<'_>) -> Term {
        self.fresh += 1;
        terms.variable(self.fresh - 1)
    }

    fn term(
        &mut self,
        terms: &mut Terms<'_>,
        translation: &Translation<'_>,
        t: TermId,
    ) -> Result<Term, ProofError> {
        let choice = std::mem::take(&mut self.choice);
        let term = translation.term(terms, t, &choice, &mut |terms, leaf| match leaf {
            Leaf::Variable(v) => {
                let known = self.variables.get(&v).copied();
                let t = known.unwrap_or_else(|| self.next(terms));
                self.variables.insert(v, t);
                Ok(t)
            }
            Leaf::Name(_) => Err(ProofError::NotExpressed),
        });
        self.choice = choice;
        term
    }

    fn terms(
        &mut self,
        terms: &mut Terms<'_>,
        translation: &Translation<'_>,
        all: &[TermId],
    ) -> Result<Vec<Term>, ProofError> {
        all.iter()
            .map(|t| self.term(terms, translation, *t))
            .collect()
    }

    /// The arguments of the later event, at any place.
    fn event(
        &mut self,
        closure: &mut Closure<'_>,
        translation: &Translation<'_>,
        args: &[TermId],
    ) -> Result<Vec<Term>, ProofError> {
        let mut told = self.terms(&mut closure.terms, translation, args)?;
        told.push(self.next(&mut closure.terms));
        Ok(told)
    }

    /// A copy of a restricted name, of any run and whatever that has received.
    fn copy(
        &mut self,
        terms: &mut Terms<'_>,
        translation: &Translation<'_>,
        name: NameId,
    ) -> Result<Term, ProofError> {
        let made = translation.names.get(name)?;
        let count = made.inputs + usize::from(made.role.is_some());
        let args: Vec<Term> = (0..count).map(|_| self.next(terms)).collect();
        Ok(terms.apply(Op::Name(made.name), &args))
    }
}

/// The time at which the attacker has all that it ever gets.
fn at_the_end(closure: &mut Closure<'_>, translation: &Translation<'_>) -> Option<Term> {
    let times = translation.times;
    times.in_phase(&mut closure.terms, times.last())
}

/// "The attacker has all these" is the goal, for each choice of copies.
fn secrets(
    closure: &mut Closure<'_>,
    translation: &Translation<'_>,
    target: &SecrecyTarget,
    had: &[TermId],
) -> Result<(), ProofError> {
    let (store, system) = (translation.store, translation.system);
    let mut choices: Vec<Vec<NameId>> = vec![Vec::new()];
    for secret in &target.names {
        let copies: Vec<NameId> = system
            .names
            .iter()
            .filter(|o| secret.sites.contains(&o.site))
            .filter(|o| counts(store, system, secret, o.instance))
            .map(|o| o.name)
            .collect();
        // Nothing would be said of an instance that is not there.
        if secret.instance.is_some() && copies.is_empty() {
            return Err(ProofError::NotExpressed);
        }
        choices = choices
            .iter()
            .flat_map(|chosen| {
                let with = |c: &NameId| chosen.iter().copied().chain([*c]).collect();
                copies.iter().map(with).collect::<Vec<_>>()
            })
            .collect();
    }
    let orders = Choice::all(store, had)?;
    for (copies, order) in choices
        .iter()
        .flat_map(|c| orders.iter().map(move |o| (c, o)))
    {
        let mut pattern = Pattern {
            choice: order.clone(),
            ..Pattern::default()
        };
        for (secret, name) in target.names.iter().zip(copies) {
            let copy = pattern.copy(&mut closure.terms, translation, *name)?;
            pattern.variables.insert(secret.var, copy);
        }
        let mut conditions = Vec::new();
        for t in had {
            let t = pattern.term(&mut closure.terms, translation, *t)?;
            let end = at_the_end(closure, translation);
            conditions.push(closure.terms.attacker_at(t, end));
        }
        let reached = closure.terms.fact(Kind::Goal, &[]);
        closure.first(Reason::Claim, &conditions, reached)?;
    }
    Ok(())
}

/// Whether the copies that the instance makes may count: it may be honest, or it is the one that the target picks, or part of that. An
/// instance that is given those arguments only in a run does what the one that has them does, so that one is enough.
fn counts(store: &TermStore, system: &System, secret: &SecretName, instance: InstanceId) -> bool {
    let Some((def, args)) = &secret.instance else {
        return may_be_honest(store, &system.instance(instance).actors);
    };
    let mut at = Some(instance);
    while let Some(i) = at {
        let inner = system.instance(i);
        if inner.def == Some(*def) && inner.args == *args {
            return true;
        }
        at = inner.parent;
    }
    false
}

impl Agreement {
    /// The conditions, by number, that are the earlier event which the derived later event asks for.
    fn candidates(
        &self,
        closure: &mut Closure<'_>,
        matching: &mut Matching,
        conditions: &[Term],
        conclusion: Term,
    ) -> Vec<usize> {
        let terms = &mut closure.terms;
        let mut ordered = |fact: Term| orders::ordered(terms, fact);
        let told = ordered(conclusion);
        let earlier: Vec<Term> = conditions.iter().map(|t| ordered(*t)).collect();
        let [after, before] = [&self.after, &self.before]
            .map(|all| all.iter().map(|t| ordered(*t)).collect::<Vec<Term>>());
        let terms = &closure.terms;
        let told = terms.args(told);
        matching.back_to(0);
        let fits = told.len() == after.len() + 1
            && (after.iter().zip(told)).all(|(p, t)| matching.matches(terms, *p, *t));
        if !fits {
            return Vec::new();
        }
        let mark = matching.mark();
        (0..earlier.len())
            .filter(|i| terms.kind(earlier[*i]) == Some(Kind::Before))
            .filter(|i| {
                matching.back_to(mark);
                let args = terms.args(earlier[*i]);
                args.len() == before.len()
                    && (before.iter().zip(args)).all(|(p, t)| matching.matches(terms, *p, *t))
            })
            .collect()
    }
}

/// Looks at the clauses that derive the goal. Each is told with the conditions that are its earlier event. What happens is in normal form, so of two
/// events that are equal up to the order of exponents one is the other, in every instance of the clause that says anything.
pub(super) fn judge(
    closure: &mut Closure<'_>,
    wanted: &Wanted,
) -> Result<Vec<(usize, Vec<usize>)>, ProofError> {
    let mut matching = Matching::default();
    let mut found = Vec::new();
    let deriving: Vec<(usize, Clause)> = closure
        .concluding(Kind::Goal)
        .map(|(clause, c)| (clause, c.clone()))
        .collect();
    for (clause, c) in deriving {
        let Wanted::Earlier(agreement) = wanted else {
            return Err(ProofError::Reached { clause });
        };
        let earlier = agreement.candidates(closure, &mut matching, &c.conditions, c.conclusion);
        if earlier.is_empty() {
            return Err(ProofError::NotPreceded { clause });
        }
        found.push((clause, earlier));
    }
    Ok(found)
}
