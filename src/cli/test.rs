//! `spi test`: every claim of every file against its expectation.
//!
//! Files are checked in parallel, each by one worker, and shown in the order of their names as soon as they and all
//! before them are done.

use rayon::prelude::*;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::check::{compare, comparison_names, too_large};
use super::model::{Model, Unsound};
use super::search::SearchArgs;
use super::watch::Watch;
use super::{Console, Status, fmt};
use crate::analysis::{ClaimResult, Comparison, ComparisonVerdict, Settings, Verdict, check_claim};
use crate::process::Claim;
use crate::report::{self, Ink, Paper, Style, summary};
use crate::source::SourceMap;

/// Arguments of `spi test`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, or directories that are searched for `*.spi`
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    #[command(flatten)]
    search: SearchArgs,
}

/// How a claim fared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// As expected.
    Met,
    /// Not as expected.
    Missed,
    /// Nothing was expected.
    Open,
}

/// A claim with its end.
struct Tested {
    mark: Mark,
    line: usize,
    claim: String,
    /// The verdict, with the expectation where it was missed.
    verdict: String,
    states: u64,
    time: Duration,
    /// The whole report, of what was not expected.
    report: Vec<u8>,
    /// The analyser itself failed.
    broken: bool,
}

/// A file with its end.
struct FileTested {
    name: String,
    claims: Vec<Tested>,
    problem: Option<Unsound>,
}

#[derive(Default)]
struct Totals {
    met: usize,
    missed: usize,
    open: usize,
    unusable: usize,
    states: u64,
}

/// Tests files.
pub fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let started = Instant::now();
    let mut settings = args.search.settings(false);
    let threads = std::mem::replace(&mut settings.search.workers, 1);
    // Whether an attack needs a type confusion is not asked here.
    settings.compare_typed = false;
    let mut status = Status::Holds;
    let mut files = Vec::new();
    for path in &args.paths {
        match fmt::files(path) {
            Ok(found) => files.extend(found),
            Err(diagnostic) => {
                console.diagnostics(&SourceMap::new(), &[diagnostic])?;
                status = Status::Error;
            }
        }
    }
    let watch = Watch::new(true);
    let color = console.color();
    let (sender, receiver) = mpsc::channel();
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .stack_size(super::STACK)
        .build();
    let mut totals = Totals::default();
    std::thread::scope(|scope| {
        let (files, settings, watch) = (&files, &settings, &watch);
        scope.spawn(move || {
            let work = || {
                files
                    .par_iter()
                    .enumerate()
                    .for_each_with(sender, |out, (i, path)| {
                        // Nobody listens any more once the output is closed.
                        let _ = out.send((i, file(path, settings, watch, color)));
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
            status = status.worst(show(&next, console, &mut totals)?);
        }
        Ok::<(), io::Error>(())
    })?;
    conclude(&totals, files.len(), started.elapsed(), console)?;
    Ok(status)
}

fn file(path: &Path, settings: &Settings, watch: &Watch, color: bool) -> FileTested {
    let mut tested = FileTested {
        name: path.display().to_string(),
        claims: Vec::new(),
        problem: None,
    };
    let model = match Model::load(path) {
        Ok(model) => model,
        Err(unsound) => {
            tested.problem = Some(unsound);
            return tested;
        }
    };
    if model.claims().all(|(c, _)| c.expect.is_none()) {
        tested.problem = Some(Unsound {
            diagnostics: vec![model.nothing_expected()],
            map: model.map,
        });
        return tested;
    }
    for (nested, flat) in model.claims() {
        if let Some(compared) = compare(&model, nested, settings, watch) {
            match compared {
                Ok(comparison) => {
                    tested
                        .claims
                        .push(compared_claim(&model, nested, &comparison, color));
                }
                Err(error) => {
                    tested.problem = Some(Unsound {
                        diagnostics: vec![too_large(nested.span, &error)],
                        map: model.map.clone(),
                    });
                }
            }
            continue;
        }
        match check_claim(&model.subject(), nested, flat, settings, watch) {
            Ok(result) => tested
                .claims
                .push(one(&model, &result, settings.typed, color)),
            Err(error) => {
                let diagnostics = vec![too_large(nested.span, &error)];
                tested.problem = Some(Unsound {
                    diagnostics,
                    map: model.map.clone(),
                });
            }
        }
    }
    tested
}

fn one(model: &Model, result: &ClaimResult, typed: bool, color: bool) -> Tested {
    let mark = match result.claim.expect {
        Some(expected) if result.verdict.meets(expected) => Mark::Met,
        Some(_) => Mark::Missed,
        None => Mark::Open,
    };
    let (word, _) = summary::word(&result.verdict);
    let mut verdict = word.to_owned();
    if let (Mark::Missed, Some(expected)) = (mark, result.claim.expect) {
        verdict = format!("{word}, expected {}", summary::expectation(expected));
    }
    let mut report = Vec::new();
    if mark == Mark::Missed {
        let style = Style {
            color,
            timed: false,
            brief: false,
        };
        report::write(&mut report, model.context(typed), result, style)
            .expect("writing to memory can't fail");
    }
    let line = model
        .map
        .get(result.claim.span.file)
        .map_or(0, |f| f.line_column(result.claim.span.start).0);
    Tested {
        mark,
        line,
        claim: result.claim.text.clone(),
        verdict,
        states: result.stats.states,
        time: result.stats.time,
        report,
        broken: matches!(result.verdict, Verdict::Internal(_)),
    }
}

fn compared_claim(model: &Model, claim: &Claim, comparison: &Comparison, color: bool) -> Tested {
    let mark = match claim.expect {
        Some(expected) if report::meets(comparison, expected) => Mark::Met,
        Some(_) => Mark::Missed,
        None => Mark::Open,
    };
    let (word, _) = report::comparison_word(comparison);
    let mut verdict = word.to_owned();
    let mut report = Vec::new();
    if let (Mark::Missed, Some(expected)) = (mark, claim.expect) {
        verdict = format!("{word}, expected {}", summary::expectation(expected));
        let style = Style {
            color,
            timed: false,
            brief: false,
        };
        let names = comparison_names(model, claim);
        report::write_comparison(&mut report, names.of(model), comparison, style)
            .expect("writing to memory can't fail");
    }
    let line = model
        .map
        .get(claim.span.file)
        .map_or(0, |f| f.line_column(claim.span.start).0);
    Tested {
        mark,
        line,
        claim: claim.text.clone(),
        verdict,
        states: comparison.stats.nodes,
        time: comparison.stats.time,
        report,
        broken: matches!(comparison.verdict, ComparisonVerdict::Internal(_)),
    }
}

fn show(file: &FileTested, console: &mut Console, totals: &mut Totals) -> io::Result<Status> {
    let mut status = Status::Holds;
    let (color, quiet) = (console.color(), console.quiet());
    let mut paper = Paper::new(console.out(), color);
    for t in &file.claims {
        let (word, ink) = match t.mark {
            Mark::Met => ("ok  ", Ink::Good),
            Mark::Missed => ("FAIL", Ink::Bad),
            Mark::Open => ("-   ", Ink::Doubt),
        };
        match t.mark {
            Mark::Met => totals.met += 1,
            Mark::Missed => totals.missed += 1,
            Mark::Open => totals.open += 1,
        }
        totals.states += t.states;
        if t.mark == Mark::Missed {
            let end = if t.broken {
                Status::Error
            } else {
                Status::Refuted
            };
            status = status.worst(end);
        }
        if quiet && t.mark != Mark::Missed {
            continue;
        }
        let cost = format!(
            "{}, {}",
            summary::count(t.states, "state", "states"),
            summary::duration(t.time)
        );
        paper.line(&format!(
            "{} {}:{}: {}: {}  {}",
            paper.paint(word, ink),
            file.name,
            t.line,
            t.claim,
            t.verdict,
            paper.paint(&format!("({cost})"), Ink::Faint)
        ))?;
        if !quiet && t.mark == Mark::Missed {
            paper.indented(5, &t.report)?;
        }
    }
    if let Some(problem) = &file.problem {
        totals.unusable += 1;
        status = status.worst(Status::Error);
        console.diagnostics(&problem.map, &problem.diagnostics)?;
    }
    Ok(status)
}

fn conclude(
    totals: &Totals,
    files: usize,
    time: Duration,
    console: &mut Console,
) -> io::Result<()> {
    let color = console.color();
    let mut paper = Paper::new(console.out(), color);
    let mut parts = vec![format!("{} as expected", totals.met)];
    if totals.missed > 0 {
        parts.push(paper.paint(&format!("{} not", totals.missed), Ink::Bad));
    }
    if totals.open > 0 {
        parts.push(format!("{} without expectation", totals.open));
    }
    if totals.unusable > 0 {
        let text = summary::count(totals.unusable as u64, "unusable file", "unusable files");
        parts.push(paper.paint(&text, Ink::Bad));
    }
    let claims = (totals.met + totals.missed + totals.open) as u64;
    paper.line(&format!(
        "{} in {}: {}  {}",
        summary::count(claims, "claim", "claims"),
        summary::count(files as u64, "file", "files"),
        parts.join(", "),
        paper.paint(
            &format!(
                "({}, {})",
                summary::count(totals.states, "state", "states"),
                summary::duration(time)
            ),
            Ink::Faint
        )
    ))
}
