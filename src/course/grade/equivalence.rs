//! Exercises of kind `equivalence`: two systems are the same to every test, or here is a test that
//! tells them apart.
//!
//! The question is a claim `S ~ T`, which the exercise gives or the model has. The submission
//! repeats it, and it must be true; or it has a test (see [`super::submitted_test`]) that passes
//! with exactly one of the two systems.

use std::path::Path;

use super::hint::Hints;
use super::same_declarations::foreign;
use super::submitted_test::{Fault, TestFile};
use super::{Grade, Grader};
use crate::analysis::Model;
use crate::analysis::{Decision, Outcome};
use crate::base::source::{Code, Diagnostic};
use crate::course::variants::Decided;
use crate::lang::syntax;
use crate::lang::syntax::ast::{self, Decl, DeclKind, File, Relation};
use crate::present::report::json;
use crate::present::report::{Names, comparison_word};
use crate::process::{ClaimKind, Expectation};

pub(super) fn grade(grader: &mut Grader<'_>, submission: &Path) -> Result<Grade, Vec<Diagnostic>> {
    let mut grade = Grade::default();
    let model = grader.exercise.model.clone().unwrap_or_default();
    let given = grader.given(&model)?;
    let question = asked(grader, &given.tree)?;
    let paper = match grader.submitted(submission) {
        Ok(paper) => paper,
        Err(mistakes) => return Ok(Grade::unreadable(mistakes)),
    };
    // The question comes first, then what the student claims.
    let mut tree = given.tree.clone();
    tree.decls.retain(|d| !matches!(d.kind, DeclKind::Claim(_)));
    tree.decls.push(question);
    let original = Model::from_tree(tree.clone())?;
    let decided = Decided::of(&original, 0, grader.settings, grader.observer);
    let claims = paper.tree.decls.iter();
    let claims = claims.filter(|d| matches!(d.kind, DeclKind::Claim(_)));
    let claims: Vec<Decl> = claims.cloned().collect();
    if let Some(test) = TestFile::of(&given, &paper) {
        tell_apart(grader, &tree, test, &decided, &mut grade);
    } else if claims.is_empty() {
        grade.wrong(
            "there is an answer",
            "neither a claim nor a test",
            Hints::new(
                "The file answers nothing.",
                "Either no test tells the two systems apart, or one does.",
                "Hand in the claim of the exercise if you think they are equivalent, or `def Test = ..` with `event passed` if not.",
            )
            .with(&grader.exercise.hints),
        );
    } else {
        tree.decls.extend(claims);
        let with_claims = match Model::from_tree(tree.clone()) {
            Ok(variant) => variant,
            Err(mistakes) => return Ok(Grade::unreadable(mistakes)),
        };
        let strange = foreign(&given, &paper);
        if the_claim(&with_claims, strange, &mut grade) {
            equal(grader, &original, &decided, &mut grade);
        }
    }
    Ok(grade)
}

/// The question: the claim of the exercise, or the first comparison of the model.
fn asked(grader: &mut Grader<'_>, model: &File) -> Result<Decl, Vec<Diagnostic>> {
    let mut tree = model.clone();
    if let Some(text) = &grader.exercise.claim {
        let file = grader.map.add("the claim of the exercise", text);
        let (read, mistakes) = syntax::parse(&file);
        if mistakes.iter().any(Diagnostic::is_error) {
            return Err(mistakes);
        }
        tree = read;
    }
    let compares = |d: &Decl| match &d.kind {
        DeclKind::Claim(claim) => matches!(
            claim.kind,
            ast::ClaimKind::Compare {
                relation: Relation::Equivalent,
                ..
            }
        ),
        _ => false,
    };
    tree.decls.into_iter().find(compares).ok_or_else(|| {
        vec![Diagnostic::new(
            Code::ExerciseWithoutClaim,
            "the exercise has no claim `S ~ T`",
        )]
    })
}

/// Whether the student claims what is asked, and that it is so. The question is the first claim.
fn the_claim(variant: &Model, strange: Option<String>, grade: &mut Grade) -> bool {
    let what = "the claim is that of the exercise";
    let [question, theirs @ ..] = variant.claims() else {
        return false;
    };
    let wanted = &question.text;
    if let Some(strange) = strange {
        grade.wrong(
            what,
            format!("`{strange}` is not in the exercise"),
            Hints::new(
                format!("The file has `{strange}`."),
                "The question is about the systems of the exercise; what holds of others says nothing about them.",
                format!("Hand in `{wanted}`, or a test."),
            ),
        );
        return false;
    }
    let same = |c: &&crate::process::Claim| match (&question.kind, &c.kind) {
        (ClaimKind::Equivalence(l, r), ClaimKind::Equivalence(x, y)) => {
            (l, r) == (x, y) || (l, r) == (y, x)
        }
        _ => false,
    };
    let Some(claim) = theirs.iter().find(same) else {
        let other = theirs.first().map_or("", |c| c.text.as_str());
        grade.wrong(
            what,
            format!("`{other}` is another claim"),
            Hints::new(
                format!("The claim is `{other}`; the question is `{wanted}`."),
                "A claim that is true for other reasons answers nothing.",
                format!("Decide whether `{wanted}` is true: claim it, or hand in a test that tells the two apart."),
            ),
        );
        return false;
    };
    if claim.expect == Some(Expectation::Attack) {
        grade.wrong(
            what,
            "`expect attack` says that a test tells the two apart",
            Hints::new(
                "The claim has `expect attack`.",
                "Who says that two systems can be told apart has to say how.",
                "Hand in the test, or the claim without `expect attack` if you think they are equivalent.",
            ),
        );
        return false;
    }
    grade.fine(what);
    true
}

/// The student says that the systems are equivalent.
fn equal(grader: &Grader<'_>, original: &Model, decided: &Decided, grade: &mut Grade) {
    let what = "the two systems are equivalent";
    if decided.holds() {
        grade.fine(what);
        return;
    }
    let Decided::Done(Decision::Compared(comparison)) = decided else {
        grade.open(what, decided.word());
        return;
    };
    if !decided.is_refuted() {
        grade.open(what, comparison_word(comparison).0);
        return;
    }
    let names = Names {
        store: &original.store,
        map: grader.map,
        title: &original.claims()[0].text,
        left: "the left system",
        right: "the right system",
        expected: None::<Expectation>,
        note: None,
        programs: [&original.nested.program; 2],
    };
    let entry = json::comparison(names, None, comparison);
    let (mut place, mut reason) = (String::new(), String::new());
    if let Some(test) = &entry.test {
        let actions = match test.actions.len() {
            1 => "one action".to_owned(),
            n => format!("{n} actions"),
        };
        place = format!(
            "A test of {actions} tells them apart; the {} system passes it.",
            test.passes
        );
        if !test.conditions.is_empty() {
            reason = format!(
                "What the test compares in the end: {}.",
                test.conditions.join(", ")
            );
        }
    }
    grade.wrong(
        what,
        "a test tells them apart",
        Hints::new(
            place,
            reason,
            "Write it as `def Test = ..`: receive on the public channels, compare, and mark `event passed`. `spi check` on the model, with your claim added to it, shows such a test.",
        )
        .with(&grader.exercise.hints),
    );
}

/// The student hands in a test.
fn tell_apart(
    grader: &mut Grader<'_>,
    tree: &File,
    test: Result<TestFile, Fault>,
    decided: &Decided,
    grade: &mut Grade,
) {
    let asked = tree.decls.iter().find_map(|d| match &d.kind {
        DeclKind::Claim(claim) => match &claim.kind {
            ast::ClaimKind::Compare { left, right, .. } => Some([left.clone(), right.clone()]),
            _ => None,
        },
        _ => None,
    });
    let Some(systems) = asked else {
        return;
    };
    let test = test.and_then(|t| t.checked(tree));
    let test = match test {
        Ok(test) => test,
        Err(Fault::Unreadable(mistakes)) => {
            grade.mistakes = mistakes;
            return;
        }
        Err(Fault::NoTest { detail, repair }) => {
            grade.wrong(
                "the test can be run",
                &detail,
                Hints::new(
                    format!("Look at the test: {detail}."),
                    "A test shows that it has passed by reaching `event passed`; nothing else of it is looked at.",
                    repair,
                ),
            );
            return;
        }
        Err(Fault::Secret(secret)) => {
            grade.wrong(
                "the test uses only what everybody knows",
                format!("it uses {secret}"),
                Hints::new(
                    format!("The test uses {secret}."),
                    "A test knows what the attacker knows: public names, the keys of spies, and what it receives.",
                    "Let it get what it needs from the messages of the systems.",
                ),
            );
            return;
        }
    };
    grade.fine("the test uses only what everybody knows");
    let mut passes = [false, false];
    for (side, system) in systems.iter().enumerate() {
        let tree = match test.beside(grader.map, tree, system) {
            Ok(tree) => tree,
            Err(diagnostics) => {
                grade.mistakes = diagnostics;
                return;
            }
        };
        let variant = match Model::from_tree(tree.clone()) {
            Ok(variant) => variant,
            Err(errors) => {
                grade.mistakes = errors;
                return;
            }
        };
        let reached = Decided::of(&variant, 0, grader.settings, grader.observer);
        match reached.outcome() {
            Some(Outcome::Reached) => passes[side] = true,
            Some(Outcome::Unreachable) => {}
            _ => {
                grade.open("the test was tried", reached.word());
                return;
            }
        }
    }
    let what = "exactly one of the two systems passes the test";
    if passes[0] != passes[1] {
        grade.fine(what);
        return;
    }
    let detail = if passes[0] {
        "both pass it"
    } else {
        "neither passes it"
    };
    let equal = decided.holds();
    grade.wrong(
        what,
        detail,
        Hints::new(
            format!("The test does not tell them apart: {detail}."),
            if equal {
                "The two systems look different, but nobody who stands outside can see it."
            } else if passes[0] {
                "What it compares is the same in both systems."
            } else {
                "It waits for something that neither of them sends, or asks for too much."
            },
            if equal {
                "Think again about what the test can know: perhaps no test exists."
            } else {
                "Look for something that one system does and the other can't: equal messages, a key that opens, a message that comes twice."
            },
        )
        .with(&grader.exercise.hints),
    );
}
