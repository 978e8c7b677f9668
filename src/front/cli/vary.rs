//! `spi vary`: variants of an exercise from seeds, each in a folder of its own.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::isolate::isolated;
use super::output::{Form, OutputArgs, Outputs};
use super::progress::Watch;
use super::search::SearchArgs;
use super::{Console, Status, grade};
use crate::base::source::visible::visible;
use crate::base::source::{Code, Diagnostic, SourceMap};
use crate::course::vary::{Source, Variant, vary};
use crate::present::report::Paper;

/// Time for each question about a variant, unless the user gives one.
const PATIENCE: Duration = Duration::from_secs(60);

/// Arguments of `spi vary`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The exercise
    #[arg(value_name = "EXERCISE")]
    exercise: PathBuf,

    /// A submission that passes; variants have it with other names too
    #[arg(value_name = "SOLUTION")]
    solution: PathBuf,

    /// The seed of the first variant; the same seed makes the same variant
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// How many variants, with one seed after the other
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=10_000))]
    count: u64,

    /// Write what students get into a folder of this one for each seed
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,

    /// Write the solutions into a folder of this one for each seed; without it nowhere
    #[arg(long, value_name = "FOLDER")]
    solutions: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    search: SearchArgs,
}

/// Makes variants.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let mut map = SourceMap::new();
    let (exercise, text) = match grade::exercise(&args.exercise, &mut map) {
        Ok(read) => read,
        Err(diagnostic) => {
            console.diagnostics(&map, &[diagnostic])?;
            return Ok(Status::Error);
        }
    };
    if let Some(apart) = &args.solutions
        && (apart.starts_with(&args.out) || args.out.starts_with(apart))
    {
        let message = "solutions would lie where students look";
        let help =
            "give `--solutions` a folder outside of that of `--out`, and the other way round";
        let diagnostic = Diagnostic::new(Code::OutputIsInput, message).help(help);
        console.diagnostics(&map, &[diagnostic])?;
        return Ok(Status::Error);
    }
    let source = Source {
        exercise: &exercise,
        text: &text,
        path: &args.exercise,
        solution: &args.solution,
    };
    let inputs = (exercise.model.iter())
        .chain(&exercise.good)
        .chain(&exercise.bad)
        .chain([&args.exercise, &args.solution]);
    let outputs = args.output.outputs(inputs.map(PathBuf::as_path));
    let watch = Watch::new(console.quiet());
    for seed in (args.seed..).take(usize::try_from(args.count).unwrap_or(usize::MAX)) {
        let mut settings = args.search.settings(false);
        settings.limits.timeout = settings.limits.timeout.or(Some(PATIENCE));
        settings.wider = true;
        let made = isolated(&args.exercise.display().to_string(), || {
            vary(&source, seed, &settings, &watch)
        });
        watch.clear();
        if Watch::was_cancelled() {
            return Ok(Status::Inconclusive);
        }
        let variant = match made.unwrap_or_else(|panicked| Err(vec![panicked])) {
            Ok(variant) => variant,
            Err(diagnostics) => {
                console.diagnostics(&map, &diagnostics)?;
                return Ok(Status::Error);
            }
        };
        if let Err(diagnostic) = write(&variant, seed, args, &outputs) {
            console.diagnostics(&map, &[diagnostic])?;
            return Ok(Status::Error);
        }
        told(&variant, seed, console)?;
    }
    Ok(Status::Holds)
}

/// Says what is other than in the exercise: for the teacher, as it gives the solution away.
fn told(variant: &Variant, seed: u64, console: &mut Console) -> io::Result<()> {
    if console.quiet() {
        return Ok(());
    }
    let what = if variant.what.is_empty() {
        "the same protocol, with other names".to_owned()
    } else {
        variant.what.join("; ")
    };
    let look = console.look();
    let mut paper = Paper::new(console.out(), look);
    paper.hanging(&format!("{seed:>4}  "), 6, &visible(&what))
}

/// Writes a variant.
fn write(variant: &Variant, seed: u64, args: &Args, outputs: &Outputs) -> Result<(), Diagnostic> {
    let folder = args.out.join(seed.to_string());
    for (i, (name, text)) in variant.files.iter().enumerate() {
        let form = if i == 0 { Form::Exercise } else { Form::Model };
        place(&folder, name, text, form, outputs)?;
    }
    match &args.solutions {
        Some(apart) => {
            let (name, text) = &variant.solution;
            place(
                &apart.join(seed.to_string()),
                name,
                text,
                Form::Model,
                outputs,
            )
        }
        None => Ok(()),
    }
}

fn place(
    folder: &Path,
    name: &Path,
    text: &str,
    form: Form,
    outputs: &Outputs,
) -> Result<(), Diagnostic> {
    fs::create_dir_all(folder).map_err(|error| {
        let message = format!("cannot make the folder `{}`: {error}", folder.display());
        Diagnostic::new(Code::CannotWrite, message)
    })?;
    outputs.write(&folder.join(name), text.to_owned(), form)
}
