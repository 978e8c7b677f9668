//! What the attacker can do, as first clauses [Sem 1.2, 1.3, 3]. Tuples, successors, 0 and public names are not among them: what is
//! said of those holds by what "the attacker has it" means (`mod.rs`).

use super::super::algebra::{Making, Taking, making, taking};
use super::certificate::Kind;
use super::closure::Closure;
use super::error::{ProofError, Reason};
use super::orders::Choice;
use super::terms::{Term, Terms};
use super::translate::{Leaf, Translation};
use crate::term::{FamilyKind, Op, TermId};
use smallvec::SmallVec;

/// All abilities of the attacker.
pub(super) fn abilities(
    closure: &mut Closure<'_>,
    translation: &Translation<'_>,
) -> Result<(), ProofError> {
    let terms = &mut closure.terms;
    let (x, y) = (terms.variable(0), terms.variable(1));
    // At any one time.
    let time = translation.times.since(terms, 0);
    let has_x = terms.attacker_at(x, time);
    for op in Op::FIXED {
        let made_from = match making(*op) {
            Making::Apply(n) if taking(*op) != Taking::Arguments => 0..n as u32,
            // What is taken apart by everybody is no clause, nor is 0; families and functions have clauses
            // of their own.
            Making::Apply(_)
            | Making::Nothing
            | Making::ApplyTwoOrMore
            | Making::Member
            | Making::Function
            | Making::OfGroup
            | Making::EitherPower
            | Making::Impossible => continue,
        };
        let parts: Vec<Term> = made_from.map(|v| closure.terms.variable(v)).collect();
        let made = closure.terms.apply(*op, &parts);
        made_of(closure, translation, Reason::Compose, &parts, made)?;
    }
    for op in Op::FIXED {
        let terms = &mut closure.terms;
        let (lock, key) = match taking(*op) {
            Taking::Nothing | Taking::Arguments => continue,
            Taking::WithSame => (y, y),
            Taking::WithOther { lock, key } => (terms.apply(lock, &[y]), terms.apply(key, &[y])),
        };
        let sealed = closure.terms.apply(*op, &[x, lock]);
        let conditions = [sealed, key].map(|t| closure.terms.attacker_at(t, time));
        closure.first(Reason::Open, &conditions, has_x)?;
    }
    for phase in 0..=translation.times.last() {
        let terms = &mut closure.terms;
        let now = translation.times.in_phase(terms, phase);
        let message: SmallVec<[Term; 3]> = [x, y].into_iter().chain(now).collect();
        let sent = terms.fact(Kind::Message, &message);
        let [has_x, has_y] = [x, y].map(|t| terms.attacker_at(t, now));
        // In a system with phases what it hears is said where it is sent (`steps`).
        if now.is_none() {
            closure.first(Reason::Hear, &[sent, has_x], has_y)?;
        }
        closure.first(Reason::Speak, &[has_x, has_y], sent)?;
    }
    functions(closure, translation)?;
    destructors(closure, translation)?;
    powers(closure, translation)?;
    families(closure, translation)
}

/// Shares of the groups, and joint keys, which have two forms.
fn powers(closure: &mut Closure<'_>, translation: &Translation<'_>) -> Result<(), ProofError> {
    for group in &translation.signature.groups {
        let base = translation.constant(&mut closure.terms, group.base, &Choice::default())?;
        let terms = &mut closure.terms;
        let (x, y) = (terms.variable(0), terms.variable(1));
        let share = terms.apply(Op::Share, &[base, x]);
        let other = terms.apply(Op::Share, &[base, y]);
        let forms = [
            terms.apply(Op::Joint, &[share, y]),
            terms.apply(Op::Joint, &[other, x]),
        ];
        made_of(closure, translation, Reason::Compose, &[x], share)?;
        for key in forms {
            made_of(closure, translation, Reason::Compose, &[share, y], key)?;
        }
    }
    Ok(())
}

/// Declared functions, but for the private ones.
fn functions(closure: &mut Closure<'_>, translation: &Translation<'_>) -> Result<(), ProofError> {
    for function in &translation.signature.functions {
        let info = translation.store.function_info(function.id);
        if info.private {
            continue;
        }
        let args: Vec<Term> = (0..info.arity).map(|v| closure.terms.variable(v)).collect();
        let made = closure.terms.apply(Op::Function(function.id), &args);
        made_of(closure, translation, Reason::Compose, &args, made)?;
    }
    Ok(())
}

/// Declared destructors: who has the arguments has the result. Rules are taken one by one: one that comes after another that fits gives the same.
fn destructors(closure: &mut Closure<'_>, translation: &Translation<'_>) -> Result<(), ProofError> {
    for rule in translation
        .signature
        .destructors
        .iter()
        .flat_map(|d| &d.rules)
    {
        // Keys stand in no rule.
        let none = Choice::default();
        let mut variables: Vec<u32> = Vec::new();
        let mut form = |terms: &mut Terms<'_>, t: TermId| {
            translation.term(terms, t, &none, &mut |terms, leaf| match leaf {
                Leaf::Variable(v) => {
                    let known = variables.iter().position(|w| *w == v);
                    let number = known.unwrap_or_else(|| {
                        variables.push(v);
                        variables.len() - 1
                    });
                    Ok(terms.variable(number as u32))
                }
                Leaf::Name(_) => Err(ProofError::NotExpressed),
            })
        };
        let mut args: Vec<Term> = Vec::new();
        for t in &rule.premises {
            args.push(form(&mut closure.terms, *t)?);
        }
        let given = form(&mut closure.terms, rule.result)?;
        made_of(closure, translation, Reason::Destructor, &args, given)?;
    }
    Ok(())
}

/// Members of key families: the public part of a pair is had with the arguments, the member with a spy among them.
fn families(closure: &mut Closure<'_>, translation: &Translation<'_>) -> Result<(), ProofError> {
    let signature = translation.signature;
    for family in &signature.families {
        let info = translation.store.family_info(*family);
        let args: Vec<Term> = (0..info.arity).map(|v| closure.terms.variable(v)).collect();
        if info.kind == FamilyKind::KeyPair {
            let member = closure.terms.apply(Op::Family(*family), &args);
            let part = closure.terms.apply(Op::Pub, &[member]);
            made_of(
                closure,
                translation,
                Reason::PublicPart(*family),
                &args,
                part,
            )?;
        }
        for i in 0..args.len() {
            for spy in &signature.spies {
                let mut args = args.clone();
                args[i] = translation.constant(&mut closure.terms, *spy, &Choice::default())?;
                let member = closure.terms.apply(Op::Family(*family), &args);
                made_of(closure, translation, Reason::Spy(*family), &args, member)?;
            }
        }
    }
    Ok(())
}

/// Who has the parts has the whole.
fn made_of(
    closure: &mut Closure<'_>,
    translation: &Translation<'_>,
    reason: Reason,
    parts: &[Term],
    whole: Term,
) -> Result<(), ProofError> {
    let terms = &mut closure.terms;
    let time = translation.times.since(terms, 0);
    let parts = parts.iter().map(|t| terms.attacker_at(*t, time));
    let parts: Vec<Term> = parts.collect();
    let whole = closure.terms.attacker_at(whole, time);
    closure.first(reason, &parts, whole)
}

/// What the attacker knows from the start.
pub(super) fn knowledge(
    closure: &mut Closure<'_>,
    translation: &Translation<'_>,
) -> Result<(), ProofError> {
    for (i, t) in translation.signature.knows.iter().enumerate() {
        for choice in Choice::all(translation.store, &[*t])? {
            let t = translation.constant(&mut closure.terms, *t, &choice)?;
            let time = translation.times.since(&mut closure.terms, 0);
            let had = closure.terms.attacker_at(t, time);
            closure.first(Reason::Knows(i), &[], had)?;
        }
    }
    Ok(())
}
