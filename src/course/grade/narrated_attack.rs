//! Exercises of kind `attack`, answered by a narration: each line must happen in a concrete run,
//! and the run must break the claim.

use super::attack::{KNOWLEDGE, lacking, stands};
use super::hint::Hints;
use super::narration::{Party, Reader, Told, is_own, narration};
use super::{Grade, Grader};
use crate::analysis::{ReplayError, Stage};
use crate::base::source::SourceFile;
use crate::execute::{Discrepancy, End, Followed, Line};
use crate::present::report::{Company, Spelling, Values};
use crate::process::{Claim, Program};
use crate::term::{Subst, TermId, TermStore};

/// Grades a narration.
pub(super) fn grade(
    grader: &Grader<'_>,
    file: &SourceFile,
    (store, program): (&TermStore, &Program),
    claim: &Claim,
) -> Grade {
    let (told, reader) = match narration(file, store, program) {
        Ok(read) => read,
        Err(mistakes) => return Grade::unreadable(mistakes),
    };
    let mut grade = Grade::default();
    let what = "the narration can be followed";
    let Some(closed) = claim.kind.system() else {
        grade.open(what, "it is about two systems: hand in a process");
        return grade;
    };
    let stage = match Stage::new(store, program, closed, grader.settings) {
        Ok(stage) => stage,
        Err(ReplayError::Unfold(_)) => {
            grade.open(what, "the system is too large");
            return grade;
        }
        Err(ReplayError::Run(error)) => {
            grade.open(what, error.to_string());
            return grade;
        }
    };
    let lines = lines(store, program, &stage, &told);
    let ends = match stage.follow(&lines) {
        Ok(ends) => ends,
        Err(error) => {
            grade.open(what, error.to_string());
            return grade;
        }
    };
    let voice = Voice {
        store,
        program,
        reader: &reader,
    };
    if let Some(end) = ends.iter().find(|e| e.discrepancy.is_some()) {
        voice.discrepancy(grader, &told, end, &mut grade);
        return grade;
    }
    if ends.is_empty() {
        grade.open(what, "not all runs could be tried");
        return grade;
    }
    grade.fine(KNOWLEDGE);
    grade.fine("every line happens as it is told");
    let breaks = ends
        .iter()
        .find_map(|e| match stage.breaks(&claim.kind, &e.moves) {
            Ok(None) => None,
            Ok(Some(_)) => Some(Ok(())),
            Err(error) => Some(Err(error)),
        });
    let what = format!("it breaks `{}`", claim.text);
    match breaks {
        Some(Ok(())) => grade.fine(what),
        Some(Err(error)) => grade.open(what, error.to_string()),
        None => stands(claim, grader.exercise, &mut grade),
    }
    grade
}

/// The lines with the role instances that can be meant.
fn lines(store: &TermStore, program: &Program, stage: &Stage<'_>, told: &[Told]) -> Vec<Line> {
    let system = &stage.system;
    let roles = crate::analysis::roles(system);
    let company = Company::new(store, program, system, &Values::default());
    let end = |party: &Party| match party {
        Party::Spy => End::Spy,
        Party::Other(name, number) => {
            let is = |r: &crate::process::InstanceId| {
                let owner = company.owner(*r);
                owner.label(store) == *name || *system.instance(*r).label == **name
            };
            End::Roles(roles.iter().copied().filter(is).collect(), number.clone())
        }
    };
    told.iter()
        .map(|t| Line {
            from: end(&t.from),
            to: end(&t.to),
            message: t.message,
        })
        .collect()
}

struct Voice<'a> {
    store: &'a TermStore,
    program: &'a Program,
    reader: &'a Reader,
}

impl Voice<'_> {
    /// A term of the run in the names of the narration.
    fn say(&self, bound: &Subst, term: TermId) -> String {
        let mut all: Vec<TermId> = bound.iter().map(|(_, t)| t).collect();
        all.push(term);
        let spelling = Spelling::new(self.store, self.program, "c", &all);
        let named = bound.iter().collect::<Vec<_>>();
        self.store.show_with(term, &|atom| {
            let name = named.iter().find(|(_, t)| *t == atom);
            let told = name.and_then(|(v, _)| self.reader.spelt(self.store, *v));
            told.or_else(|| crate::term::Naming::spell(&spelling, atom))
        })
    }

    fn discrepancy(&self, grader: &Grader<'_>, told: &[Told], end: &Followed, grade: &mut Grade) {
        let Some((at, discrepancy)) = &end.discrepancy else {
            return;
        };
        if end.limited {
            grade.open(
                "every line happens as it is told",
                "not all runs could be tried",
            );
            return;
        }
        let line = &told[*at];
        let number = line.number;
        let name = |p: &Party| match p {
            Party::Spy => "the spy".to_owned(),
            Party::Other(name, number) => number.as_ref().unwrap_or(name).clone(),
        };
        let (from, to) = (name(&line.from), name(&line.to));
        let say = |t: TermId| self.say(&end.bound, t);
        let (detail, reason) = match discrepancy {
            Discrepancy::Lacks(part) => {
                let lost = if is_own(self.store, *part) {
                    line.text.clone()
                } else {
                    say(*part)
                };
                lacking(
                    &format!("the spy does not have {lost} in line {number}"),
                    grader.exercise,
                    grade,
                );
                return;
            }
            Discrepancy::Silent => (
                format!("in line {number}, {from} does not send anything at this point"),
                "A role sends a message when its turn has come: it has received what comes before, and has not yet gone on.",
            ),
            Discrepancy::Differs(sent) => (
                format!(
                    "in line {number}, {from} sends {}, not {}",
                    say(*sent),
                    line.text
                ),
                "What a role sends follows from its definition and from what it has received.",
            ),
            Discrepancy::Deaf => (
                format!("in line {number}, {to} does not wait for a message at this point"),
                "A role takes a message when its turn has come, and each message once.",
            ),
            Discrepancy::Refused(message, _) => (
                format!("in line {number}, {to} does not accept {}", say(*message)),
                "The receiver compares what it gets with what it expects, and stops if that differs.",
            ),
        };
        grade.fine(KNOWLEDGE);
        grade.wrong(
            "every line happens as it is told",
            detail.clone(),
            Hints::new(
                format!("Look at line {number} of your narration: {}.", detail.split_once(", ").map_or(&*detail, |d| d.1)),
                reason,
                "Follow the roles line by line: what does each of them compare, and what would it send next?",
            )
            .with(&grader.exercise.hints),
        );
    }
}
