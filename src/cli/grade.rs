//! `spi grade`: a submission against its exercise.

use serde::Serialize;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::check::Format;
use super::isolate::isolated;
use super::search::SearchArgs;
use super::watch::Watch;
use super::{Console, Status};
use crate::grade::{Exercise, Grade, grade};
use crate::report::json::{self, SCHEMA};
use crate::report::{Ink, Paper};
use crate::source::visible::visible;
use crate::source::{Code, Diagnostic, SourceMap, Span, lines, load};
use crate::syntax::hidden;

/// Time for each claim, unless the user gives one.
const PATIENCE: Duration = Duration::from_secs(60);

/// Arguments of `spi grade`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The exercise, a file as docs/course describes it
    #[arg(value_name = "EXERCISE")]
    exercise: PathBuf,

    /// What the student hands in; `-` reads standard input
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

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    exercise: &'a str,
    kind: String,
    submission: String,
    passed: bool,
    verdict: &'static str,
    mistakes: Vec<Mistake<'a>>,
    checks: Vec<CheckEntry<'a>>,
    hints: Vec<&'a str>,
}

#[derive(Serialize)]
struct Mistake<'a> {
    code: String,
    message: &'a str,
    /// The file and line it is in.
    file: Option<String>,
    line: Option<usize>,
    notes: &'a [String],
    help: &'a [String],
}

#[derive(Serialize)]
struct CheckEntry<'a> {
    check: &'a str,
    ok: Option<bool>,
    detail: Option<&'a str>,
}

/// Grades.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let mut settings = args.search.settings(false);
    settings.limits.timeout = settings.limits.timeout.or(Some(PATIENCE));
    let watch = Watch::new(console.quiet());
    let mut map = SourceMap::new();
    let text = match load::load(&mut map, &args.exercise) {
        Ok(file) => file,
        Err(diagnostic) => {
            console.diagnostics(&map, &[diagnostic])?;
            return Ok(Status::Error);
        }
    };
    let exercise = match Exercise::parse(&text.text, &args.exercise) {
        Ok(exercise) => exercise,
        Err(error) => {
            let before = error.line.saturating_sub(1);
            let start: usize = lines::whole(&text.text).take(before).map(str::len).sum();
            let line = lines::bare(&text.text[start..]).next();
            let end = start + line.map_or(0, str::len);
            let d = Diagnostic::new(Code::BadExercise, error.message)
                .at(Span::new(text.id, start..end), "in this exercise");
            console.diagnostics(&map, &[d])?;
            return Ok(Status::Error);
        }
    };
    let name = args.submission.display().to_string();
    let graded = isolated(&name, || {
        grade(&exercise, &args.submission, &mut map, &settings, &watch)
    });
    watch.clear();
    let graded = graded.unwrap_or_else(|panicked| {
        Ok(Grade {
            checks: Vec::new(),
            mistakes: vec![panicked],
        })
    });
    let graded = match graded {
        Ok(graded) => graded,
        Err(diagnostics) => {
            console.diagnostics(&map, &diagnostics)?;
            return Ok(Status::Error);
        }
    };
    if graded.mistakes.is_empty() {
        for file in map.files() {
            console.diagnostics(&map, &hidden(file))?;
        }
    }
    console.diagnostics(&map, &graded.mistakes)?;
    let (verdict, status) = if graded.passed() {
        ("passed", Status::Holds)
    } else if graded.mistakes.iter().any(|d| d.code == Code::Panicked) {
        ("internal error", Status::Error)
    } else if !graded.mistakes.is_empty() {
        ("unreadable", Status::Error)
    } else if graded.failed() {
        ("not passed", Status::Refuted)
    } else {
        ("inconclusive", Status::Inconclusive)
    };
    let hints: Vec<&str> = match (graded.hints(), args.hint) {
        (Some(hints), Some(n)) => hints
            .0
            .iter()
            .take(usize::from(n))
            .map(String::as_str)
            .collect(),
        _ => Vec::new(),
    };
    if args.format == Format::Json {
        let document = Document {
            schema: SCHEMA,
            exercise: &exercise.title,
            kind: exercise.kind.to_string(),
            submission: args.submission.display().to_string(),
            passed: graded.passed(),
            verdict,
            mistakes: graded
                .mistakes
                .iter()
                .map(|d| {
                    let place = d.primary().and_then(|s| Some((map.get(s.file)?, s)));
                    Mistake {
                        code: d.code.to_string(),
                        message: &d.message,
                        file: place.map(|(f, _)| f.name.to_string()),
                        line: place.map(|(f, s)| f.line_column(s.start).0),
                        notes: &d.notes,
                        help: &d.help,
                    }
                })
                .collect(),
            checks: graded
                .checks
                .iter()
                .map(|c| CheckEntry {
                    check: &c.what,
                    ok: c.ok,
                    detail: c.detail.as_deref(),
                })
                .collect(),
            hints,
        };
        json::write(console.out(), &document)?;
    } else {
        write(&exercise, &graded, verdict, &hints, args.hint, console)?;
    }
    Ok(status)
}

fn write(
    exercise: &Exercise,
    graded: &Grade,
    verdict: &str,
    hints: &[&str],
    asked: Option<u8>,
    console: &mut Console,
) -> io::Result<()> {
    let (look, quiet) = (console.look(), console.quiet());
    let mut paper = Paper::new(console.out(), look);
    let ink = match verdict {
        "passed" => Ink::Good,
        "inconclusive" => Ink::Doubt,
        _ => Ink::Bad,
    };
    let title = paper.paint(&visible(&exercise.title), Ink::Strong);
    let verdict = paper.paint(verdict, ink);
    paper.line(&format!("{title}: {verdict}"))?;
    if quiet {
        return Ok(());
    }
    for c in &graded.checks {
        let (word, ink) = match c.ok {
            Some(true) => ("ok  ", Ink::Good),
            Some(false) => ("FAIL", Ink::Bad),
            None => ("?   ", Ink::Doubt),
        };
        let word = paper.paint(word, ink);
        let detail = c
            .detail
            .as_ref()
            .map_or_else(String::new, |d| format!(": {d}"));
        paper.line(&format!(
            "  {word} {}",
            visible(&format!("{}{detail}", c.what))
        ))?;
    }
    if !hints.is_empty() {
        paper.gap()?;
    }
    for (word, hint) in ["where", "why", "repair"].into_iter().zip(hints) {
        paper.hanging(&format!("  {word:<7}"), 9, &visible(hint))?;
    }
    if graded.hints().is_some() && asked.is_none_or(|n| n < 3) {
        let next = asked.unwrap_or(0) + 1;
        paper.gap()?;
        paper.paragraph(2, &format!("--hint {next} helps."), Ink::Faint)?;
    }
    Ok(())
}
