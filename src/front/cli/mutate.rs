//! `spi mutate`: which claim notices if one thing is left out?

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use serde::Serialize;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use super::isolate::isolated;
use super::opened::Opened;
use super::progress::Watch;
use super::search::SearchArgs;
use super::{Console, Status};
use crate::analysis::Model;
use crate::analysis::{Decision, Settings};
use crate::base::source::visible::visible;
use crate::base::source::{Code, Diagnostic, SourceMap, shipped};
use crate::course::variants::{Decided, Mutant, Trace, mutants};
use crate::lang::syntax::{self, ast::DeclKind};
use crate::present::report::json::{self, Place, SCHEMA, place};
use crate::present::report::{Context, Ink, Paper};

/// Time for each claim of a mutant, unless the user gives one.
const PATIENCE: Duration = Duration::from_secs(20);

/// Arguments of `spi mutate`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// File; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Only claims about this system
    #[arg(long, value_name = "SYSTEM")]
    system: Option<String>,

    /// Try at most this many mutants
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// Only mutants whose description has this in it: `message 2`, `identity`, `check`
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,

    /// How results are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: super::format::Format,

    /// Look only at the runs as written, not at what lies beyond
    #[arg(long)]
    as_written: bool,

    #[command(flatten)]
    search: SearchArgs,
}

/// A claim of a mutant.
#[derive(Debug, Serialize)]
#[allow(clippy::struct_excessive_bools)]
struct Outcome {
    verdict: &'static str,
    notices: bool,
    /// Proved for any number of runs in the file, and no longer in the mutant, where it holds for the runs as written.
    weakens: bool,
    /// Broken in the file, whole in the mutant.
    repairs: bool,
    /// What breaks it beyond what is written, if that was found.
    beyond: Option<String>,
    /// Broken beyond what is written, and the file was not.
    breaks_beyond: bool,
    kinds: Vec<String>,
}

impl Outcome {
    /// Whether a limit was met before the claim was decided.
    fn is_open(&self) -> bool {
        matches!(
            self.verdict,
            "inconclusive" | "too large" | "internal error" | "vacuous"
        )
    }
}

/// A mutant with what came of it.
#[derive(Debug, Serialize)]
struct Tried {
    mutation: String,
    action: &'static str,
    object: &'static str,
    place: Option<Place>,
    /// Why it can't run, if it can't.
    not_executable: Option<String>,
    /// As many as the file has claims; empty if it can't be read as a model.
    claims: Vec<Outcome>,
}

#[derive(Debug, Serialize)]
struct Original {
    claim: String,
    verdict: &'static str,
    beyond: Option<String>,
}

#[derive(Debug, Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    claims: &'a [Original],
    mutants: &'a [Tried],
    left_out: usize,
}

/// Tries the mutants of a file.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let mut settings = args.search.settings(false);
    settings.limits.timeout = settings.limits.timeout.or(Some(PATIENCE));
    settings.search.workers = 1;
    settings.wider = !args.as_written;
    let watch = Watch::new(true);
    let told = Opened::load(&args.file);
    let narrates = told.as_ref().is_ok_and(Opened::narrates);
    let mut opened = match told.and_then(Opened::expanded) {
        Ok(opened) => opened,
        Err(unsound) => {
            console.diagnostics(&unsound.map, &unsound.diagnostics)?;
            return Ok(Status::Error);
        }
    };
    if let Some(system) = &args.system
        && let Err(diagnostic) = opened.only_about(system)
    {
        console.diagnostics(&opened.map, &[diagnostic])?;
        return Ok(Status::Error);
    }
    if opened.chosen.is_empty() {
        console.diagnostics(&opened.map, &[opened.nothing_to_check()])?;
        return Ok(Status::Error);
    }
    let (file, tree) = (opened.file.clone(), opened.model.tree.clone());
    if (tree.used.iter()).any(|(file, _)| shipped::with_id(*file).is_none()) {
        console.note("mutants are made of this file; the files that it uses stay as they are")?;
    }
    if narrates {
        console
            .note("mutants are made of the processes that `spi expand` prints; lines are theirs")?;
    }
    let original = match Model::from_tree(tree.clone()) {
        Ok(variant) => variant,
        Err(diagnostics) => {
            console.diagnostics(&opened.map, &diagnostics)?;
            return Ok(Status::Error);
        }
    };
    let understood = isolated(&opened.name, || {
        let decide = |c: &usize| Decided::of(&original, *c, &settings, &watch);
        let before: Vec<Decided> = opened.chosen.iter().map(decide).collect();
        let trace = Trace::new(&tree, &original, &settings, &watch);
        (before, mutants(&file, &tree, &original, &trace))
    });
    let (before, mut all) = match understood {
        Ok(understood) => understood,
        Err(panicked) => {
            console.diagnostics(&opened.map, &[panicked])?;
            return Ok(Status::Error);
        }
    };
    // What does not run has nothing that a claim could notice.
    let runs = !before.iter().all(Decided::is_idle);
    if !runs {
        all.clear();
    }
    if let Some(text) = &args.only {
        all.retain(|m| m.what.contains(&**text));
    }
    if let Some(text) = args.only.as_ref().filter(|_| runs && all.is_empty()) {
        let message = format!("no mutant has `{text}` in its description");
        let diagnostic =
            Diagnostic::new(Code::NothingToCheck, message).help("without `--only` all are listed");
        console.diagnostics(&opened.map, &[diagnostic])?;
        return Ok(Status::Error);
    }
    let left_out = args.limit.map_or(0, |n| all.len().saturating_sub(n));
    all.truncate(all.len() - left_out);
    let bar = progress(all.len(), console.quiet());
    let try_all = || -> Vec<Tried> {
        let mutants = all.par_iter().map(|m| {
            let tried = isolated(&m.what, || {
                one(m, &tree, &opened, &before, &settings, &watch)
            });
            bar.inc(1);
            tried.unwrap_or_else(|_| given_up(m, &opened))
        });
        mutants.collect()
    };
    // Files are checked and unfolded on these threads too.
    let pool = rayon::ThreadPoolBuilder::new().stack_size(super::STACK);
    let tried = match pool.build() {
        Ok(pool) => pool.install(try_all),
        Err(_) => try_all(),
    };
    bar.finish_and_clear();
    let claims: Vec<Original> = opened
        .chosen
        .iter()
        .zip(&before)
        .map(|(c, d)| Original {
            claim: original.claims()[*c].text.clone(),
            verdict: d.word(),
            beyond: d.beyond(&original),
        })
        .collect();
    if args.format == super::format::Format::Json {
        let document = Document {
            schema: SCHEMA,
            file: &opened.name,
            claims: &claims,
            mutants: &tried,
            left_out,
        };
        json::write(console.out(), &document)?;
    } else {
        listed(&claims, console)?;
        if runs {
            table(&claims, &tried, left_out, console)?;
        } else {
            let look = console.look();
            let mut paper = Paper::new(console.out(), look);
            let why = format!(
                "No mutant was tried, as the model does not run: `spi check {}` says why.",
                visible(&opened.name)
            );
            paper.paragraph(0, &why, Ink::Plain)?;
        }
    }
    Ok(status(&before, &tried))
}

/// What came of it all. The table is the answer, whatever stands in it, unless nothing stands in it.
fn status(before: &[Decided], tried: &[Tried]) -> Status {
    let is_error = |c: &Outcome| c.verdict == "internal error";
    let answered = |t: &Tried| t.not_executable.is_some() || !t.claims.iter().all(Outcome::is_open);
    if tried.iter().flat_map(|t| &t.claims).any(is_error) {
        Status::Error
    } else if before.iter().all(Decided::is_idle) {
        Status::NotExecutable
    } else if Watch::interrupted()
        || !before.iter().any(|d| d.holds() || d.is_refuted())
        || !tried.is_empty() && !tried.iter().any(answered)
    {
        Status::Inconclusive
    } else {
        Status::Holds
    }
}

fn progress(count: usize, quiet: bool) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(
        Some(count as u64),
        if quiet || !io::stderr().is_terminal() {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        },
    );
    if let Ok(style) = ProgressStyle::with_template("{spinner} mutant {pos} of {len}") {
        bar.set_style(style);
    }
    bar
}

/// A mutant on which the program made a mistake.
fn given_up(mutant: &Mutant, opened: &Opened) -> Tried {
    let unknown = |_| Outcome {
        verdict: "internal error",
        notices: false,
        weakens: false,
        repairs: false,
        beyond: None,
        breaks_beyond: false,
        kinds: Vec::new(),
    };
    Tried {
        mutation: mutant.what.clone(),
        action: mutant.action,
        object: mutant.object,
        place: place(&opened.map, mutant.span),
        not_executable: None,
        claims: opened.chosen.iter().map(unknown).collect(),
    }
}

fn one(
    mutant: &Mutant,
    tree: &syntax::ast::File,
    opened: &Opened,
    before: &[Decided],
    settings: &Settings,
    watch: &Watch,
) -> Tried {
    let mut tried = Tried {
        mutation: mutant.what.clone(),
        action: mutant.action,
        object: mutant.object,
        place: place(&opened.map, mutant.span),
        not_executable: None,
        claims: Vec::new(),
    };
    let variant = match Model::from_tree(mutant.change.apply(tree)) {
        Ok(variant) => variant,
        Err(errors) => {
            tried.not_executable = errors.first().map(|d| missing(d, tree));
            return tried;
        }
    };
    for (claim, old) in opened.chosen.iter().zip(before) {
        if variant.claims().len() <= *claim {
            continue;
        }
        let new = Decided::of(&variant, *claim, settings, watch);
        let beyond = new.beyond(&variant);
        if new.is_idle() && !old.is_idle() && tried.not_executable.is_none() {
            tried.not_executable = Some(idle(&new, &variant, &opened.map, settings.typed));
        }
        tried.claims.push(Outcome {
            verdict: new.word(),
            notices: old.holds() && new.is_refuted() && !new.is_idle(),
            weakens: old.is_proved() && new.holds() && !new.is_proved(),
            repairs: old.is_refuted() && new.holds(),
            breaks_beyond: old.holds() && !old.breaks_beyond() && beyond.is_some(),
            beyond,
            kinds: new.kinds(&variant, &opened.map, settings.typed),
        });
    }
    tried
}

/// What a mutant lacks that can't be read as a model.
fn missing(mistake: &Diagnostic, tree: &syntax::ast::File) -> String {
    let role = mistake.primary().and_then(|span| {
        tree.decls.iter().find_map(|d| match &d.kind {
            DeclKind::Def(def) if d.span.start <= span.start && span.end <= d.span.end => {
                Some(def.name.to_string())
            }
            _ => None,
        })
    });
    let name = mistake.message.split('`').nth(1);
    match (mistake.code, role, name) {
        (Code::UnknownName, Some(role), Some(name)) => format!("{role} has no {name}"),
        _ => mistake.message.clone(),
    }
}

/// The first instance that never finishes.
fn idle(decided: &Decided, variant: &Model, map: &SourceMap, typed: bool) -> String {
    let Decided::Done(Decision::One(result)) = decided else {
        return String::new();
    };
    let entry = json::claim(Context::of(variant, map, typed), result);
    let verb = if entry.unfinished.len() == 1 {
        "finishes"
    } else {
        "finish"
    };
    format!("{} never {verb}", entry.unfinished.join(", "))
}

/// The claims, with what they are in the file as it is.
fn listed(claims: &[Original], console: &mut Console) -> io::Result<()> {
    let look = console.look();
    let mut paper = Paper::new(console.out(), look);
    for (i, c) in claims.iter().enumerate() {
        let beyond = c.beyond.as_ref().map(|b| format!("; {b}"));
        let beyond = beyond.unwrap_or_default();
        paper.line(&format!("c{:<3} {}: {}{beyond}", i + 1, c.claim, c.verdict))?;
    }
    paper.gap()
}

fn table(
    claims: &[Original],
    tried: &[Tried],
    left_out: usize,
    console: &mut Console,
) -> io::Result<()> {
    let look = console.look();
    let quiet = console.quiet();
    let mut paper = Paper::new(console.out(), look);
    let width = tried
        .iter()
        .map(|t| t.mutation.chars().count())
        .max()
        .unwrap_or(0)
        .min(66);
    let heads: Vec<String> = (1..=claims.len())
        .map(|i| format!("{:<3}", format!("c{i}")))
        .collect();
    let head = format!("{:>4} {:<width$}  {}", "", "mutation", heads.concat());
    let head = paper.paint(head.trim_end(), Ink::Strong);
    paper.line(&head)?;
    let (mut seen, mut unseen, mut dead, mut open, mut weaker, mut later) = (0, 0, 0, 0, 0, 0);
    for (i, t) in tried.iter().enumerate() {
        let noticed = t.claims.iter().any(|c| c.notices);
        match (&t.not_executable, noticed) {
            (Some(_), _) => dead += 1,
            (None, true) => seen += 1,
            (None, false) if t.claims.iter().any(Outcome::is_open) => open += 1,
            (None, false) => {
                unseen += 1;
                let breaks = t.claims.iter().any(|c| c.breaks_beyond);
                later += usize::from(breaks);
                weaker += usize::from(!breaks && t.claims.iter().any(|c| c.weakens));
            }
        }
        if quiet && !noticed {
            continue;
        }
        let text = if t.mutation.chars().count() > width {
            let start: String = t.mutation.chars().take(width.saturating_sub(2)).collect();
            format!("{start}..")
        } else {
            t.mutation.clone()
        };
        let row = format!("{:>4} {:<width$}  ", i + 1, visible(&text));
        let rest = if let Some(reason) = &t.not_executable {
            paper.paint(&format!("not executable: {reason}"), Ink::Doubt)
        } else {
            let marks: Vec<String> = t.claims.iter().map(|c| mark(&paper, c)).collect();
            let mut kinds: Vec<&str> = Vec::new();
            for k in t.claims.iter().filter(|c| c.notices).flat_map(|c| &c.kinds) {
                if !kinds.contains(&&**k) {
                    kinds.push(k);
                }
            }
            let kinds = paper.paint(&kinds.join(", "), Ink::Faint);
            format!("{}{kinds}", marks.concat())
        };
        paper.line(format!("{row}{rest}").trim_end())?;
    }
    paper.gap()?;
    paper.line("X the claim notices   . it does not   ? no answer within the limits   + broken before, holds now")?;
    if later > 0 {
        paper.line("x it does not in the runs as written, but it is broken beyond them: one more run or other agents")?;
    }
    if weaker > 0 {
        paper.line("o it does not in the runs as written, but it was proved for any number of runs and no longer is")?;
    }
    paper.line(&format!(
        "{} mutants: {seen} noticed, {unseen} not{}, {dead} not executable{}{}",
        tried.len(),
        match (later, weaker) {
            (0, 0) => String::new(),
            (0, w) => format!(" ({w} without a proof for more runs)"),
            (l, 0) => format!(" ({l} broken beyond what is written)"),
            (l, w) => {
                format!(" ({l} broken beyond what is written, {w} without a proof for more runs)")
            }
        },
        if open > 0 {
            format!(", {open} without an answer")
        } else {
            String::new()
        },
        if left_out > 0 {
            format!("; {left_out} left out (--limit)")
        } else {
            String::new()
        }
    ))
}

fn mark(paper: &Paper<'_>, c: &Outcome) -> String {
    let (sign, ink) = if c.notices {
        ("X", Ink::Bad)
    } else if c.repairs {
        ("+", Ink::Good)
    } else if c.is_open() {
        ("?", Ink::Doubt)
    } else if c.breaks_beyond {
        ("x", Ink::Bad)
    } else if c.weakens {
        ("o", Ink::Doubt)
    } else {
        (".", Ink::Faint)
    };
    format!("{}  ", paper.paint(sign, ink))
}
