//! Exercises of kind `claim`: the missing claim, which holds on the good variants and fails on the
//! bad ones.

use std::path::Path;

use super::hint::Hints;
use super::{Grade, Grader, ParsedFile};
use crate::analysis::Model;
use crate::base::source::Diagnostic;
use crate::course::variants::Decided;
use crate::lang::syntax::ast::{Decl, DeclKind};

pub(super) fn grade(grader: &mut Grader<'_>, submission: &Path) -> Result<Grade, Vec<Diagnostic>> {
    let mut grade = Grade::default();
    let exercise = grader.exercise;
    let own = match grader.submitted(submission) {
        Ok(own) => own,
        Err(mistakes) => return Ok(Grade::unreadable(mistakes)),
    };
    let claims: Vec<Decl> = own
        .tree
        .decls
        .iter()
        .filter(|d| matches!(d.kind, DeclKind::Claim(_)))
        .cloned()
        .collect();
    if claims.is_empty() {
        grade.wrong(
            "there is a claim",
            "the file claims nothing",
            Hints::new(
                "The file has no claim.",
                "What a protocol is for must be said before it can be checked.",
                "Write one, such as `agreement E(x) => F(x) in S`; docs/language.md lists them.",
            )
            .with(&exercise.hints),
        );
        return Ok(grade);
    }
    grade.fine("there is a claim");
    for (paths, good) in [(&exercise.good, true), (&exercise.bad, false)] {
        for path in paths {
            let given = grader.given(path)?;
            one(grader, &given, &claims, good, &mut grade);
            if !grade.mistakes.is_empty() {
                return Ok(grade);
            }
        }
    }
    Ok(grade)
}

/// The claims on one variant.
fn one(grader: &Grader<'_>, given: &ParsedFile, claims: &[Decl], good: bool, grade: &mut Grade) {
    let mut tree = given.tree.clone();
    tree.decls.retain(|d| !matches!(d.kind, DeclKind::Claim(_)));
    tree.decls.extend(claims.iter().cloned());
    let variant = match Model::from_tree(tree.clone()) {
        Ok(variant) => variant,
        Err(errors) => {
            grade.mistakes = errors;
            return;
        }
    };
    let decided: Vec<Decided> = (0..variant.claims().len())
        .map(|i| Decided::of(&variant, i, grader.settings, grader.observer))
        .collect();
    let name = Path::new(&*given.file.name).file_name().map_or_else(
        || given.file.name.to_string(),
        |n| n.to_string_lossy().into_owned(),
    );
    let word = |d: &Decided| d.beyond(&variant).unwrap_or_else(|| d.word().to_owned());
    let words: Vec<String> = decided.iter().map(word).collect();
    let words = words.join(", ");
    let what = if good {
        format!("it holds on {name}")
    } else {
        format!("it fails on {name}")
    };
    let sure = decided.iter().all(|d| d.holds() || d.is_refuted());
    // A claim is about a protocol, not about the sessions that its author thought of: one more run
    // may break it, too.
    let fails = |d: &Decided| d.is_refuted() || d.breaks_beyond();
    let as_wanted = if good {
        decided.iter().all(|d| d.holds() && !fails(d))
    } else {
        decided.iter().any(fails)
    };
    if as_wanted {
        grade.fine(what);
    } else if !sure {
        grade.open(what, words);
    } else if good {
        grade.wrong(
            what,
            words,
            Hints::new(
                format!("The claim fails on {name}, which is a good protocol."),
                "It asks for more than the protocol is meant to give: `spi check` on that file, with your claim, shows the run.",
                "Ask for less: fewer arguments, an event that comes earlier on the other side, or no `injective`.",
            )
            .with(&grader.exercise.hints),
        );
    } else {
        grade.wrong(
            what,
            words,
            Hints::new(
                format!("The claim holds on {name}, which is broken."),
                "It does not see what is wrong there: the attack does not disturb what the claim speaks about.",
                "Think of who believes what at the end of the attack, and claim that this belief is true: which event must have happened before, with which arguments?",
            )
            .with(&grader.exercise.hints),
        );
    }
}
