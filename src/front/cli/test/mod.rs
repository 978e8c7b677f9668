//! `spi test`: every claim of every file against its expectation.
//!
//! Files are checked in parallel, each by one worker, and shown in the order of their names as soon as they and all
//! before them are done. This file runs them; `tested` decides what was met, `text`, `json` and `junit` write.

mod json;
mod junit;
mod tested;
mod text;

use rayon::prelude::*;
use std::io;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::demands::Demands;
use super::findings::{self, Finding, Form};
use super::folder::Found;
use super::progress::Watch;
use super::search::SearchArgs;
use super::watch::repeat;
use super::{Console, Status};
use crate::base::source::render::Look;
use tested::{FileTested, Mark, Tested};

/// Arguments of `spi test`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, or directories that are searched for `*.spi`
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// How results are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// Do it again whenever a file is saved, until Ctrl-C
    #[arg(long)]
    watch: bool,

    #[command(flatten)]
    demands: Demands,

    #[command(flatten)]
    search: SearchArgs,
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people
    Human,
    /// The schema of `docs/json.md`
    Json,
    /// `JUnit` XML, as build servers read it
    Junit,
    /// Annotations, as GitHub workflows show them
    Github,
    /// SARIF 2.1.0, for code scanning and viewers
    Sarif,
}

/// What all files came to.
#[derive(Default)]
struct Totals {
    files: usize,
    met: usize,
    missed: usize,
    open: usize,
    unusable: usize,
    states: u64,
    time: Duration,
}

impl Totals {
    fn add(&mut self, file: &FileTested) {
        self.files += 1;
        self.unusable += usize::from(file.problem.is_some());
        for t in &file.claims {
            match t.mark {
                Mark::Met => self.met += 1,
                Mark::Missed => self.missed += 1,
                Mark::Open => self.open += 1,
            }
            self.states += t.entry.stats.states;
        }
    }

    fn claims(&self) -> usize {
        self.met + self.missed + self.open
    }
}

/// Tests files.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    if args.watch {
        let human = args.format == Format::Human;
        return repeat(&args.paths, human, console, |console| once(args, console));
    }
    once(args, console)
}

fn once(args: &Args, console: &mut Console) -> io::Result<Status> {
    let started = Instant::now();
    let mut settings = args.demands.apply(&args.search.settings(false));
    let threads = std::mem::replace(&mut settings.search.workers, 1);
    let found = Found::below(&args.paths);
    let mut status = found.complain(console)?;
    let files = found.files;
    let watch = Watch::new(true);
    let look = if args.format == Format::Human {
        console.look()
    } else {
        Look::default()
    };
    let (sender, receiver) = mpsc::channel();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(super::STACK)
        .build();
    let mut totals = Totals::default();
    let mut all: Vec<FileTested> = Vec::new();
    std::thread::scope(|scope| {
        let (files, watch) = (&files, &watch);
        let asked = tested::Asked {
            settings: &settings,
            demands: &args.demands,
        };
        scope.spawn(move || {
            let work = || {
                files
                    .par_iter()
                    .enumerate()
                    .for_each_with(sender, |out, (i, path)| {
                        // Nobody listens any more once the output is closed.
                        let _ = out.send((i, tested::file(path, &asked, watch, look)));
                    });
            };
            match pool {
                Ok(pool) => pool.install(work),
                Err(_) => work(),
            }
        });
        // Results arrive in any order and are shown in the order of the files.
        let mut early: Vec<(usize, FileTested)> = Vec::new();
        for wanted in 0..files.len() {
            let next = loop {
                if let Some(at) = early.iter().position(|(i, _)| *i == wanted) {
                    break early.swap_remove(at).1;
                }
                match receiver.recv() {
                    Ok(one) => early.push(one),
                    Err(_) => return Ok(()),
                }
            };
            totals.add(&next);
            status = status.worst(next.status());
            if let Some(problem) = &next.problem {
                console.diagnostics(&problem.map, &problem.diagnostics)?;
            }
            match args.format {
                Format::Human => text::file(&next, console)?,
                _ => all.push(next),
            }
        }
        Ok::<(), io::Error>(())
    })?;
    totals.time = started.elapsed();
    match args.format {
        Format::Human => text::conclude(&totals, console)?,
        Format::Json => json::write(&all, &totals, console.out())?,
        Format::Junit => junit::write(&all, &totals, console.out())?,
        Format::Github => findings::write(console.out(), Form::Github, &of_all(&all))?,
        Format::Sarif => findings::write(console.out(), Form::Sarif, &of_all(&all))?,
    }
    Ok(status)
}

/// What build servers show: what is wrong with files, and claims that are not as expected.
fn of_all(all: &[FileTested]) -> Vec<Finding> {
    let of_file = |file: &FileTested| {
        let problems = file.problem.iter().flat_map(|p| {
            let told = |d| Finding::diagnostic(&p.map, d);
            p.diagnostics.iter().map(told)
        });
        let missed = file.claims.iter().filter(|t| t.mark == Mark::Missed);
        let missed =
            missed.map(|t| Finding::missed(&t.entry, t.status(), &t.difference(), &t.report));
        problems.chain(missed).collect::<Vec<_>>()
    };
    all.iter().flat_map(of_file).collect()
}
