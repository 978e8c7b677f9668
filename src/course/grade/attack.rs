//! Exercises of kind `attack`: an attack as a process, replayed by the concrete semantics; or as a
//! narration, which [`super::narrated_attack`] follows.
//!
//! Nothing is searched: the attack breaks the claim, or runs to its end without breaking it, or
//! gets stuck. It must send a secret on a channel of its own: an attack that only listens has not
//! shown that it can read.

use std::path::Path;

use super::hint::Hints;
use super::narration::is_narration;
use super::{Exercise, Grade, Grader, narrated_attack};
use crate::analysis::Model;
use crate::analysis::{Attack, Effect, Opponent, ReplayError, replay_attack};
use crate::base::source::{Code, Diagnostic, load};
use crate::certify::{Deduction, Evidence, Source};
use crate::execute::AttackRun;
use crate::lang::sema::{AttackFile, check_attack};
use crate::present::report::Context;
use crate::present::report::hindrance;
use crate::process::{Claim, Expectation, TupleMode};
use crate::term::{TermId, TermStore};

pub(super) fn grade(grader: &mut Grader<'_>, submission: &Path) -> Result<Grade, Vec<Diagnostic>> {
    let mut grade = Grade::default();
    let exercise = grader.exercise;
    let model = exercise.model.clone().unwrap_or_default();
    let given = grader.given(&model)?;
    let variant = Model::from_tree(given.tree.clone())?;
    let file = match load::load(grader.map, submission) {
        Ok(file) => file,
        Err(diagnostic) => return Ok(Grade::unreadable(vec![diagnostic])),
    };
    let typed = grader.settings.typed;
    let (checked, tuples) = if typed {
        (&variant.flat, TupleMode::Flat)
    } else {
        (&variant.nested, TupleMode::Nested)
    };
    let wanted = |c: &&Claim| match &exercise.claim {
        Some(text) => c.text == *text,
        None => c.expect == Some(Expectation::Attack),
    };
    let claim = checked.program.claims.iter().find(wanted);
    let Some(claim) = claim else {
        return Err(vec![Diagnostic::new(
            Code::ExerciseWithoutClaim,
            "the model of the exercise has no such claim to attack",
        )]);
    };
    if is_narration(&file.text) {
        let names = (&variant.store, &checked.program);
        return Ok(narrated_attack::grade(grader, &file, names, claim));
    }
    if file.text.trim().is_empty() {
        let empty = Diagnostic::new(Code::EmptyFile, "the submission is empty");
        let empty = empty.help(exercise.kind.wants());
        return Ok(Grade::unreadable(vec![empty]));
    }
    let AttackFile {
        checked: read,
        system,
        own,
    } = check_attack(
        grader.map,
        std::slice::from_ref(&given.file),
        &file,
        &variant.store,
        tuples,
    );
    let Some(system) = system.filter(|_| read.is_sound()) else {
        let lacks = |d: &&Diagnostic| d.code == Code::AttackLacks;
        match read.diagnostics.iter().find(lacks) {
            Some(d) => lacking(&d.message, exercise, &mut grade),
            None => grade.mistakes = read.diagnostics,
        }
        return Ok(grade);
    };
    let opponent = Opponent {
        program: &read.program,
        system,
        own: &own,
    };
    let result = replay_attack(
        &variant.store,
        &checked.program,
        claim,
        opponent,
        grader.settings,
        grader.observer,
    );
    let result = match result {
        Ok(result) => result,
        Err(ReplayError::Unfold(_)) => {
            grade.open("the attack can be replayed", "it is too large");
            return Ok(grade);
        }
        Err(ReplayError::Run(error)) => {
            grade.open("the attack can be replayed", error.to_string());
            return Ok(grade);
        }
    };
    let what = format!("it breaks `{}`", claim.text);
    match &result.effect {
        // A run may break the claim while the attack is stuck: then it was not this attack that did
        // it.
        Effect::Breaks { encounter, run } if result.breaks() && encounter.attack_run.finished => {
            grade.fine(KNOWLEDGE);
            grade.fine("it runs to its end");
            let knows = &checked.program.signature.knows;
            if tells(&variant.store, knows, run, &encounter.attack_run) {
                grade.fine(what);
            } else {
                stands(claim, exercise, &mut grade);
            }
        }
        Effect::Stops(e) | Effect::Breaks { encounter: e, .. } if !e.limited => {
            let context = Context::of(&variant, grader.map, typed);
            let why = hindrance(context, &result.attack, e);
            if let Some(d) = why.as_ref().filter(|d| d.code == Code::AttackLacks) {
                lacking(&d.message, exercise, &mut grade);
                return Ok(grade);
            }
            grade.fine(KNOWLEDGE);
            let line = why.as_ref().and_then(|d| {
                let span = d.primary()?;
                Some(grader.map.get(span.file)?.line_column(span.start).0)
            });
            let steps = e.attack_run.followed;
            let detail = why.map_or_else(|| format!("it stops after {steps} steps"), |d| d.message);
            grade.wrong(
                "it runs to its end",
                detail.clone(),
                Hints::new(
                    match line {
                        Some(line) => format!("Look at line {line} of your attack: {detail}."),
                        None => format!("Look at your attack: {detail}."),
                    },
                    "At this step no role does what the attack waits for, or every role refuses what it sends: `spi replay` shows what was expected.",
                    "Follow the roles line by line: what does each of them compare, and what would it send next?",
                )
                .with(&exercise.hints),
            );
        }
        Effect::Nothing(e) if !e.limited => {
            grade.fine(KNOWLEDGE);
            stands(claim, exercise, &mut grade);
        }
        _ => grade.open(what, "not all runs could be tried"),
    }
    Ok(grade)
}

pub(super) const KNOWLEDGE: &str = "the attack uses only what the attacker has";

/// Whether an attack on a secret sends it: the secret can be made from what it sends on channels of
/// its own.
fn tells(store: &TermStore, knows: &[TermId], run: &Attack, attack_run: &AttackRun) -> bool {
    let Evidence::Derived(secret) = &run.replayed.evidence else {
        return true;
    };
    let mut told = Deduction::with_initial(store, knows);
    for (i, (_, _, message)) in attack_run.barbs.iter().enumerate() {
        told.learn(Source::Sent(i), *message);
    }
    told.derivable(secret.term)
}

/// The attack runs, and the claim stands.
pub(super) fn stands(claim: &Claim, exercise: &Exercise, grade: &mut Grade) {
    grade.wrong(
        format!("it breaks `{}`", claim.text),
        "it runs to its end, and the claim stands",
        Hints::new(
            format!("The attack runs, but `{}` stands.", claim.text),
            "Nothing is lost and nobody believes anything false at its end. A secret must have reached the spy in a message that it can open; a process must tell it, on a channel of its own such as `leak`.",
            "Look at the claim: what must the attacker know, or which event must happen without the other?",
        )
        .with(&exercise.hints),
    );
}

/// The attack needs what no attacker has.
pub(super) fn lacking(message: &str, exercise: &Exercise, grade: &mut Grade) {
    grade.wrong(
        KNOWLEDGE,
        message,
        Hints::new(
            format!("The attack can't be made: {message}."),
            "An attacker has public names, the keys of the spy, what it makes itself, and what it receives.",
            "Get what is missing from a message of an honest agent, or use something of your own.",
        )
        .with(&exercise.hints),
    );
}
