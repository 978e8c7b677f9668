//! `spi grade`: a submission against its exercise, or all submissions of a folder.
//!
//! `graded` is what came of one; `exercises` knows which exercise it is judged by; `text`, `csv`, `document` and `page` write.

mod csv;
mod document;
mod exercises;
mod graded;
mod page;
mod text;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::folder::Found;
use super::isolate::isolated;
use super::progress::Watch;
use super::search::SearchArgs;
use super::{Console, Status};
use crate::base::source::{Code, Diagnostic, SourceMap};
use crate::course::grade::{Exercise, Grade, grade};
use crate::lang::syntax::hidden;
use crate::present::report::json;
use exercises::Exercises;
pub(super) use exercises::exercise;
use graded::Graded;

/// Time for each submission, unless the user gives one.
const PATIENCE: Duration = Duration::from_secs(60);

/// Arguments of `spi grade`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The exercise, a file as docs/course describes it; or a folder of variants, where submissions are judged by the
    /// variant in the folder of the same name
    #[arg(value_name = "EXERCISE")]
    exercise: PathBuf,

    /// What the student hands in, or a folder with the files of all students; `-` reads standard input
    #[arg(value_name = "SUBMISSION")]
    submission: PathBuf,

    /// Help with what is wrong: 1 says where, 2 also why, 3 also which kind of repair
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=3))]
    hint: Option<u8>,

    /// How results are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    #[command(flatten)]
    search: SearchArgs,
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people
    Human,
    /// A table, for spreadsheets
    Csv,
    /// A page about the class
    Html,
    /// The schema of `docs/json.md`
    Json,
}

/// Grades.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let mut map = SourceMap::new();
    let exercises = match Exercises::read(&args.exercise, &mut map) {
        Ok(exercises) => exercises,
        Err(diagnostic) => {
            console.diagnostics(&map, &[diagnostic])?;
            return Ok(Status::Error);
        }
    };
    let desk = Desk {
        args,
        watch: Watch::new(console.quiet()),
    };
    match exercises {
        Exercises::One(exercise) if !args.submission.is_dir() => desk.one(&exercise, console),
        exercises => desk.class(&exercises, console),
    }
}

/// What all submissions are graded with.
struct Desk<'a> {
    args: &'a Args,
    watch: Watch,
}

impl Desk<'_> {
    /// Grades a submission. `Err` has what is wrong with the exercise's own files.
    fn grade(
        &self,
        exercise: &Exercise,
        path: &Path,
        name: String,
    ) -> Result<Graded, (SourceMap, Vec<Diagnostic>)> {
        let mut settings = self.args.search.settings(false);
        settings.limits.timeout = settings.limits.timeout.or(Some(PATIENCE));
        // A submission with many claims has no more time than others.
        settings.limits = settings.limits.pinned();
        let mut map = SourceMap::new();
        let graded = isolated(&path.display().to_string(), || {
            grade(exercise, path, &mut map, &settings, &self.watch)
        });
        self.watch.clear();
        match graded.unwrap_or_else(|panicked| Ok(unread(panicked))) {
            Ok(grade) => Ok(self.graded(exercise, name, grade, map)),
            Err(diagnostics) => Err((map, diagnostics)),
        }
    }

    fn graded(&self, exercise: &Exercise, name: String, grade: Grade, map: SourceMap) -> Graded {
        Graded::new(name, exercise, grade, self.args.hint, map)
    }

    /// The one submission.
    fn one(&self, exercise: &Exercise, console: &mut Console) -> io::Result<Status> {
        let path = &self.args.submission;
        let graded = match self.grade(exercise, path, path.display().to_string()) {
            Ok(graded) => graded,
            Err((map, diagnostics)) => {
                console.diagnostics(&map, &diagnostics)?;
                return Ok(Status::Error);
            }
        };
        if graded.grade.mistakes.is_empty() {
            for file in graded.map.files() {
                console.diagnostics(&graded.map, &hidden(file))?;
            }
        }
        console.diagnostics(&graded.map, &graded.grade.mistakes)?;
        match self.args.format {
            Format::Human => text::one(exercise, &graded, self.args.hint, console)?,
            Format::Csv => {
                console.raw(csv::header().as_bytes())?;
                console.raw(csv::line(&graded).as_bytes())?;
            }
            Format::Html => {
                let page = page::page(&exercise.title, std::slice::from_ref(&graded));
                console.raw(page.as_bytes())?;
            }
            Format::Json => json::write(console.out(), &document::one(exercise, &graded))?,
        }
        Ok(graded.verdict.status())
    }

    /// All submissions of a folder, each shown as soon as it is graded.
    fn class(&self, exercises: &Exercises, console: &mut Console) -> io::Result<Status> {
        let (folder, format) = (&self.args.submission, self.args.format);
        let found = Found::everything(folder);
        let mut status = found.complain(console)?;
        if format == Format::Csv {
            console.raw(csv::header().as_bytes())?;
        }
        let mut all = Vec::new();
        for path in &found.files {
            let name = path.strip_prefix(folder).unwrap_or(path);
            let name = name.display().to_string();
            let graded = match (exercises.of(&name), no_file(path)) {
                (Ok(exercise), None) => self.grade(exercise, path, name),
                (Ok(exercise), Some(diagnostic)) => {
                    Ok(self.graded(exercise, name, unread(diagnostic), SourceMap::new()))
                }
                (Err(diagnostic), _) => {
                    let any = exercises.any();
                    Ok(self.graded(any, name, unread(diagnostic), SourceMap::new()))
                }
            };
            let mut graded = match graded {
                Ok(graded) => graded,
                Err((map, diagnostics)) => {
                    console.diagnostics(&map, &diagnostics)?;
                    return Ok(Status::Error);
                }
            };
            status = status.worst(graded.verdict.status());
            match format {
                Format::Human => text::line(&graded, console)?,
                Format::Csv => console.raw(csv::line(&graded).as_bytes())?,
                Format::Json | Format::Html => {}
            }
            if matches!(format, Format::Human | Format::Csv) {
                // Nobody asks for the text again.
                graded.map = SourceMap::new();
            }
            all.push(graded);
        }
        match format {
            Format::Human => text::total(&exercises.title(), &all, console)?,
            Format::Csv => {}
            Format::Html => console.raw(page::page(&exercises.title(), &all).as_bytes())?,
            Format::Json => {
                let folder = folder.display().to_string();
                json::write(console.out(), &document::class(exercises, folder, &all))?;
            }
        }
        Ok(status)
    }
}

/// The grade of what was not read to its end.
fn unread(diagnostic: Diagnostic) -> Grade {
    Grade {
        checks: Vec::new(),
        mistakes: vec![diagnostic],
    }
}

/// Why something in a folder is not even opened: a pipe would wait for ever for somebody who writes.
fn no_file(path: &Path) -> Option<Diagnostic> {
    let special = fs::metadata(path).is_ok_and(|meta| !meta.is_file() && !meta.is_dir());
    let message = format!("`{}` is no file", path.display());
    special.then(|| Diagnostic::new(Code::CannotRead, message))
}
