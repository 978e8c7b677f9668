//! Exercises of kind `fix`: a model is repaired, and stays what it was.
//!
//! The roles of the submission are put into the world of the exercise: its agents, keys, systems and claims. So nothing
//! is won by changing those, and it is said if somebody tried.

use std::path::Path;

use super::claimed::lost_claim;
use super::faithful::{
    Role, foreign_key, known_agent, measure, other_channel, other_event, paired, too_large,
};
use super::hint::{Hints, of_beyond, of_refuted};
use super::purpose::brought_about;
use super::world::{combined, other_world};
use super::{Bench, Grade, Measure};
use crate::analysis::Model;
use crate::analysis::{ClaimResult, Decision, Outcome};

use crate::base::source::Diagnostic;
use crate::course::variants::Decided;
use crate::present::report::json::{self, BeyondAttack, Run};
use crate::present::report::{self, Context};

pub(super) fn grade(bench: &mut Bench<'_>, submission: &Path) -> Result<Grade, Vec<Diagnostic>> {
    let mut grade = Grade::default();
    let exercise = bench.exercise;
    let model = exercise.model.clone().unwrap_or_default();
    let given = bench.given(&model)?;
    let original = Model::from_tree(given.tree.clone())?;
    let own = match bench.submitted(submission) {
        Ok(own) => own,
        Err(mistakes) => return Ok(Grade::unreadable(mistakes)),
    };
    let alone = match Model::from_tree(own.tree.clone()) {
        Ok(variant) => variant,
        Err(errors) => return Ok(Grade::unreadable(errors)),
    };
    grade.fine("the model can be read");
    match other_world(&given, &own) {
        None => grade.fine("agents, keys, channels and systems are those of the exercise"),
        Some(detail) => grade.wrong(
            "agents, keys, channels and systems are those of the exercise",
            &detail,
            Hints::new(
                format!("Look at the declarations: {detail}."),
                "A protocol is repaired by its messages, not by another world around it: with fewer sessions or more keys every protocol is safe.",
                "Take the declarations and systems of the exercise as they are, and change the roles.",
            ),
        ),
    }
    match lost_claim(&given, &own) {
        None => grade.fine("all claims of the exercise are there"),
        Some((claim, detail)) => grade.wrong(
            "all claims of the exercise are there",
            &detail,
            Hints::new(
                format!("Look at the claims: {detail}."),
                "What is not claimed can't be broken: a weaker claim is no repair.",
                format!("Put `{claim}` back as it was, and make it hold."),
            ),
        ),
    }
    let roles = faithful(bench, &original, &alone, &mut grade);
    if grade.failed() {
        return Ok(grade);
    }
    let tree = combined(&given, &own);
    let variant = match Model::from_tree(tree.clone()) {
        Ok(variant) => variant,
        Err(errors) => {
            grade.mistakes = errors;
            return Ok(grade);
        }
    };
    purpose(bench, &original, &variant, &mut grade);
    for limit in &exercise.limits {
        let count = measure(&roles, limit.of);
        let what = match limit.of {
            Measure::Parts => "parts",
            Measure::Encryptions => "encryptions",
        };
        let asked = format!("the messages have at most {} {what}", limit.most);
        if count <= limit.most {
            grade.fine(asked);
        } else {
            grade.wrong(
                asked,
                format!("they have {count}"),
                Hints::new(
                    format!("The messages have {count} {what}; {} are enough.", limit.most),
                    "Something in them is not needed for any claim.",
                    "Leave out one thing at a time and check again; `spi mutate` does that for you.",
                )
                .with(&exercise.hints),
            );
        }
    }
    claims(bench, &variant, &mut grade);
    Ok(grade)
}

/// The roles are still those of the exercise.
fn faithful(bench: &Bench<'_>, given: &Model, own: &Model, grade: &mut Grade) -> Vec<Role> {
    let what = "the roles mark the events of the exercise";
    let wrong = |(role, detail): (String, String), grade: &mut Grade| {
        grade.wrong(
            what,
            &detail,
            Hints::new(
                format!("Look at the events of `{role}`: {detail}."),
                "The claims are about these events; what they say must stay the same.",
                "Mark each event where the exercise has it, with the same arguments.",
            ),
        );
    };
    let roles = match paired(given, own) {
        Ok(roles) => roles,
        Err(fault) => {
            wrong(fault, grade);
            return Vec::new();
        }
    };
    match other_event(&roles, given) {
        None => grade.fine(what),
        Some(fault) => wrong(fault, grade),
    }
    let what = "every role uses only keys that it has";
    match foreign_key(&roles, &bench.exercise.keys) {
        None => grade.fine(what),
        Some(detail) => grade.wrong(
            what,
            &detail,
            Hints::new(
                format!("{detail}."),
                "Nobody but its owner has a private key, and a shared key is known to those it is shared by.",
                "Encrypt with the public key of the receiver, sign with the private key of the sender, and use only the shared keys that the role had in the exercise.",
            ),
        ),
    }
    let what = "the roles talk over the channels of the exercise";
    match other_channel(&roles) {
        None => grade.fine(what),
        Some((role, channel)) => grade.wrong(
            what,
            format!("`{role}` uses {channel} as a channel"),
            Hints::new(
                format!("Look at `{role}`, where it sends or receives on {channel}."),
                "The network is open: who has a channel that nobody else can use needs no protocol.",
                "Send over the declared channels, and protect the messages themselves.",
            ),
        ),
    }
    let what = "the roles treat all agents alike";
    match known_agent(&roles) {
        None => grade.fine(what),
        Some((role, agent)) => grade.wrong(
            what,
            format!("`{role}` mentions {agent}"),
            Hints::new(
                format!("Look at `{role}`, where it mentions {agent}."),
                "An agent does not know who is dishonest: a role that treats one agent by name differently from the others is broken by the next spy.",
                "Write the role in terms of its parameters and of what it receives, and let the messages tell right from wrong.",
            ),
        ),
    }
    if too_large(&roles) {
        grade.open("the roles can be looked at", "they are too large");
    }
    roles
}

/// The honest run still brings about what it did.
fn purpose(bench: &Bench<'_>, original: &Model, variant: &Model, grade: &mut Grade) {
    let mut wanted = bench.exercise.purpose.clone();
    wanted.extend(brought_about(original, bench.settings, bench.observer));
    let found = brought_about(variant, bench.settings, bench.observer);
    let what = "the messages do what they are for";
    match wanted.into_iter().find(|w| !found.contains(w)) {
        None => grade.fine(what),
        Some(lost) => grade.wrong(
            what,
            format!("the honest run does not reach {lost}"),
            Hints::new(
                format!("Look for the event {lost} in `spi run`."),
                "In the exercise both sides end with these values when nobody interferes; your messages no longer bring that about.",
                "Each role must still finish and learn what it learned: change both ends of a message, and send what the other side needs.",
            )
            .with(&bench.exercise.hints),
        ),
    }
}

/// A verdict with the kinds of its attack.
fn told(verdict: &str, run: Option<&Run>) -> String {
    let kinds = run.map(|r| r.kinds.join(", "));
    match kinds.filter(|k| !k.is_empty()) {
        Some(kinds) => format!("{verdict} ({kinds})"),
        None => verdict.to_owned(),
    }
}

/// For what a claim is known to hold, in the words of an exercise.
fn covered(result: &ClaimResult) -> String {
    let proved = match result.outcome() {
        Outcome::Proved => return "for any agents in any number of runs".to_owned(),
        Outcome::ProvedForAgents => "for the agents of the exercise in any number of runs",
        _ => "in the sessions of the exercise",
    };
    match result
        .wider
        .as_ref()
        .and_then(|wider| report::looked(wider, &result.scope))
    {
        Some(looked) => format!("{proved}; {looked}"),
        None => proved.to_owned(),
    }
}

/// The claims of the exercise hold for the roles of the submission.
fn claims(bench: &Bench<'_>, variant: &Model, grade: &mut Grade) {
    let decide = |i| Decided::of(variant, i, bench.settings, bench.observer);
    let all: Vec<Decided> = (0..variant.claims().len()).map(decide).collect();
    // What is broken in the sessions of the exercise is to be mended first; only then what breaks in others.
    let sound = all.iter().all(|d| d.holds() && !d.is_idle());
    for (i, decided) in all.iter().enumerate() {
        let text = variant.claims()[i].text.clone();
        let Decided::Done(Decision::One(result)) = decided else {
            if decided.holds() {
                grade.fine(text);
            } else if decided.is_refuted() {
                grade.wrong(
                    text.clone(),
                    decided.word(),
                    Hints::new(
                        format!("Look at the claim `{text}`."),
                        "A test tells the two systems apart: `spi check` shows it.",
                        "Hide what the test compares.",
                    )
                    .with(&bench.exercise.hints),
                );
            } else {
                grade.open(text, decided.word());
            }
            continue;
        };
        let context = Context::of(variant, bench.map, bench.settings.typed);
        let entry = json::claim(context, result);
        if decided.is_idle() {
            let idle = entry.unfinished.join(", ");
            grade.wrong(
                text,
                format!("not executable: {idle} can't finish"),
                Hints::new(
                    format!("{idle} can't get to its end, even if nobody interferes."),
                    "A protocol that does not run is safe and useless: some message is not what its receiver waits for.",
                    "`spi run` shows where it stops. Change both ends of a message: what is sent and what is compared.",
                ),
            );
        } else if decided.holds() {
            let run = entry.beyond.as_ref().and_then(|b| b.attack.as_ref());
            match (run, result.beyond()) {
                (Some(BeyondAttack { run, .. }), Some(found)) if sound => {
                    let sessions = report::taking_part(&variant.store, found).join(" | ");
                    grade.wrong(
                        text,
                        format!(
                            "holds in the sessions of the exercise, but not in others: {} in {sessions}",
                            told("attack", Some(run))
                        ),
                        of_beyond(&entry.claim, run, &sessions).with(&bench.exercise.hints),
                    );
                }
                _ => grade.fine_for(text, covered(result)),
            }
        } else if decided.is_refuted() {
            grade.wrong(
                text,
                told(entry.verdict, entry.runs.first()),
                of_refuted(&entry).with(&bench.exercise.hints),
            );
        } else {
            let reason = entry.reason.clone().unwrap_or_default();
            grade.open(text, format!("{}: {reason}", entry.verdict));
        }
    }
}
