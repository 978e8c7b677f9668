//! Grading: does a student's file do what an exercise asks?
//!
//! An [`Exercise`] is a small text beside a model. [`grade`] returns the list of checks and hints
//! in three steps: where, why, which kind of repair. Hints come from the submission's own faults;
//! those of the author are added.
//!
//! | kind | file | compared by |
//! |---|---|---|
//! | `fix` | `fix` | `same_declarations`, `same_claims`, `same_roles`, `honest_events` |
//! | `attack` | `attack`, `narrated_attack` | replay |
//! | `claim` | `claim` | the verdicts on the variants |
//! | `equivalence` | `equivalence`, `submitted_test` | the verdict, or what the test shows |
//!
//! Left to others: reading arguments, exit codes (`cli`), deciding claims (`analysis`).

mod attack;
mod checks;
mod claim;
mod equivalence;
mod exercise;
mod fix;
mod hint;
mod honest_events;
mod messages;
mod narrated_attack;
mod narration;
mod roles;
mod same_claims;
mod same_declarations;
mod same_roles;
mod submitted_test;

use crate::analysis::Settings;
use crate::base::limits::Observer;
use crate::base::source::{Code, Diagnostic, SourceFile, SourceMap, load};
use crate::lang::syntax::{ast, link};
use std::path::Path;

pub(crate) use checks::{Check, Grade};
pub(crate) use exercise::{Exercise, Kind, Measure};
pub(crate) use hint::Hints;

/// Why a submission may use libraries only.
const ALONE: &str = "a submission and the model of its exercise are one file each: what they use comes with `spi`, or is written into them";

/// Grades one submission.
struct Grader<'a> {
    exercise: &'a Exercise,
    map: &'a mut SourceMap,
    settings: &'a Settings,
    observer: &'a dyn Observer,
}

/// A file of the exercise or of the student.
struct ParsedFile {
    file: SourceFile,
    tree: ast::File,
}

/// Grades a submission. `Err` has what is wrong with the exercise's own files; mistakes of the
/// submission are part of the grade.
pub(crate) fn grade(
    exercise: &Exercise,
    submission: &Path,
    map: &mut SourceMap,
    settings: &Settings,
    observer: &dyn Observer,
) -> Result<Grade, Vec<Diagnostic>> {
    // A protocol is for everybody: what breaks beyond the sessions that an exercise writes down is
    // no solution.
    let settings = Settings {
        wider: true,
        ..*settings
    };
    let mut grader = Grader {
        exercise,
        map,
        settings: &settings,
        observer,
    };
    match exercise.kind {
        Kind::Fix => fix::grade(&mut grader, submission),
        Kind::Claim => claim::grade(&mut grader, submission),
        Kind::Equivalence => equivalence::grade(&mut grader, submission),
        Kind::Attack => attack::grade(&mut grader, submission),
    }
}

impl Grader<'_> {
    /// A file of the exercise; it must be right.
    fn given(&mut self, path: &Path) -> Result<ParsedFile, Vec<Diagnostic>> {
        match self.read(path) {
            Ok((paper, mistakes)) if !mistakes.iter().any(Diagnostic::is_error) => Ok(paper),
            Ok((_, mistakes)) => Err(mistakes),
            Err(diagnostic) => Err(vec![diagnostic]),
        }
    }

    /// The submission, or what is wrong with its text.
    fn submitted(&mut self, path: &Path) -> Result<ParsedFile, Vec<Diagnostic>> {
        self.given(path).map_err(|mut mistakes| {
            for d in &mut mistakes {
                if d.code == Code::EmptyFile {
                    *d = Diagnostic::new(Code::EmptyFile, "the submission is empty")
                        .help(self.exercise.kind.wants());
                }
            }
            mistakes
        })
    }

    /// A file, and its syntax errors.
    fn read(&mut self, path: &Path) -> Result<(ParsedFile, Vec<Diagnostic>), Diagnostic> {
        let file = load::load(self.map, path)?;
        let (tree, mistakes) = link::parse_alone(&file, ALONE);
        let tree = tree.expanded().into_owned();
        Ok((ParsedFile { file, tree }, mistakes))
    }
}
