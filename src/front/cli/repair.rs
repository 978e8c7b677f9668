//! `spi repair`: the smallest additions after which all claims hold.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use super::artifacts::shell_word;
use super::isolate::isolated;
use super::opened::Opened;
use super::output::{Form, OutputArgs};
use super::progress::Watch;
use super::search::SearchArgs;
use super::{Console, Status};
use crate::analysis::{Model, Settings};
use crate::base::source::visible::visible;
use crate::base::source::{Code, Diagnostic, SourceMap};
use crate::course::repair::{
    Addition, Hunt, Line, Plan, Proposal, Tried, additions, changed_lines, hunt, patched,
};
use crate::course::variants::Decided;
use crate::present::report::json::{self, Place, SCHEMA, place};
use crate::present::report::{Ink, Paper};

/// Time for each claim of a text that is tried, unless the user gives one.
const PATIENCE: Duration = Duration::from_secs(5);

/// Arguments of `spi repair`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// File; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Only claims about this system
    #[arg(long, value_name = "SYSTEM")]
    system: Option<String>,

    /// Only claims that have this in their text: `secrecy`, `Na`
    #[arg(long, value_name = "TEXT")]
    claim: Option<String>,

    /// At most this many additions together
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=6))]
    together: u32,

    /// Try at most this many texts
    #[arg(long, value_name = "N", default_value_t = 2000)]
    limit: usize,

    /// Show at most this many repairs
    #[arg(long, value_name = "N", default_value_t = 3)]
    show: usize,

    /// Write the repaired file here
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Which repair is written
    #[arg(long, value_name = "K", default_value_t = 1, requires = "output", value_parser = clap::value_parser!(u32).range(1..))]
    pick: u32,

    /// How results are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: super::format::Format,

    /// Look only at the runs as written, not at what lies beyond
    #[arg(long)]
    as_written: bool,

    #[command(flatten)]
    writes: OutputArgs,

    #[command(flatten)]
    search: SearchArgs,
}

/// A claim of a text.
#[derive(Clone, Debug, Serialize)]
struct Asked {
    claim: String,
    verdict: &'static str,
    /// What breaks it beyond what is written, if that was found.
    beyond: Option<String>,
}

#[derive(Debug, Serialize)]
struct Added<'a> {
    object: &'static str,
    what: &'a str,
    place: Option<Place>,
}

#[derive(Debug, Serialize)]
struct ChangedLine {
    line: usize,
    before: String,
    after: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Proposed<'a> {
    additions: Vec<Added<'a>>,
    parts: usize,
    claims: &'a [Asked],
    diff: Vec<ChangedLine>,
}

#[derive(Debug, Serialize)]
struct Document<'a> {
    schema: &'static str,
    file: &'a str,
    claims: &'a [Asked],
    repairs: Vec<Proposed<'a>>,
    additions: usize,
    together: usize,
    tried: usize,
    not_executable: usize,
    left_out: usize,
    stopped: bool,
}

/// The file as it is, with what is asked of it.
struct Patient {
    opened: Opened,
    before: Vec<Decided>,
    verdicts: Vec<Asked>,
    /// The claims that are to be repaired, by their place among those that are asked.
    broken: Vec<usize>,
    settings: Settings,
}

/// Looks for repairs of a file.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let outputs = args.writes.outputs([&*args.file]);
    if let Some(refusal) = args.output.as_deref().and_then(|o| outputs.refusal(o)) {
        console.diagnostics(&SourceMap::new(), &[refusal])?;
        return Ok(Status::Error);
    }
    let watch = Watch::new(true);
    let patient = match Patient::new(args, &watch) {
        Ok(patient) => patient,
        Err((map, diagnostics)) => {
            console.diagnostics(&map, &diagnostics)?;
            return Ok(Status::Error);
        }
    };
    outputs.add_inputs(&patient.opened.map);
    let runs = !patient.before.iter().all(Decided::is_idle);
    let all = if runs && !patient.broken.is_empty() {
        let (file, model) = (&patient.opened.file, &patient.opened.model);
        let found = isolated(&patient.opened.name, || {
            additions(file, model, &patient.settings, &watch)
        });
        match found {
            Ok(found) => found,
            Err(panicked) => {
                console.diagnostics(&patient.opened.map, &[panicked])?;
                return Ok(Status::Error);
            }
        }
    } else {
        Vec::new()
    };
    let mut found = patient.hunt(args, &all, console.quiet(), &watch);
    // The same part at the other end of a message is no other repair.
    let mut seen = FxHashSet::default();
    found.proposals.retain(|p| {
        let what: Vec<&str> = p.additions.iter().map(|i| all[*i].apart()).collect();
        seen.insert(what.concat())
    });
    let shown = &found.proposals[..found.proposals.len().min(args.show)];
    if args.format == super::format::Format::Json {
        let document = patient.document(&all, &found, shown);
        json::write(console.out(), &document)?;
    } else {
        patient.told(args, &all, &found, shown, runs, console)?;
    }
    if let Some(path) = &args.output {
        let pick = args.pick as usize;
        match found.proposals.get(pick - 1) {
            Some(proposal) => {
                let chosen: Vec<&Addition> = proposal.additions.iter().map(|i| &all[*i]).collect();
                let text = patched(&patient.opened.file.text, &chosen);
                if let Err(diagnostic) = outputs.write(path, text, Form::Model) {
                    console.diagnostics(&patient.opened.map, &[diagnostic])?;
                    return Ok(Status::Error);
                }
                console.note(&format!(
                    "wrote {}",
                    shell_word(&path.display().to_string())
                ))?;
            }
            None if !patient.broken.is_empty() => {
                console.note(&format!("no repair {pick} was found; nothing is written"))?;
            }
            None => {}
        }
    }
    Ok(patient.status(runs, &found))
}

impl Patient {
    fn new(args: &Args, watch: &Watch) -> Result<Patient, (SourceMap, Vec<Diagnostic>)> {
        let mut settings = args.search.settings(false);
        settings.limits.timeout = settings.limits.timeout.or(Some(PATIENCE));
        settings.search.workers = 1;
        settings.wider = !args.as_written;
        let mut opened = Opened::load(&args.file).map_err(|u| (u.map, u.diagnostics))?;
        if let Some(system) = &args.system
            && let Err(diagnostic) = opened.only_about(system)
        {
            return Err((opened.map, vec![diagnostic]));
        }
        if let Some(text) = &args.claim {
            let claims = opened.model.claims();
            let chosen = opened.chosen.iter().copied();
            opened.chosen = chosen
                .filter(|c| claims[*c].text.contains(&**text))
                .collect();
            if opened.chosen.is_empty() {
                let message = format!("no claim has `{text}` in its text");
                let diagnostic = Diagnostic::new(Code::NothingToCheck, message)
                    .help("without `--claim` all claims are to hold");
                return Err((opened.map, vec![diagnostic]));
            }
        }
        if opened.chosen.is_empty() {
            let nothing = opened.nothing_to_check();
            return Err((opened.map, vec![nothing]));
        }
        let decided = isolated(&opened.name, || {
            let decide = |c: &usize| Decided::of(&opened.model, *c, &settings, watch);
            opened.chosen.iter().map(decide).collect::<Vec<Decided>>()
        });
        let before = match decided {
            Ok(before) => before,
            Err(panicked) => return Err((opened.map, vec![panicked])),
        };
        let verdicts = verdicts(&opened.model, &opened.chosen, &before);
        let broken = (0..before.len()).filter(|i| {
            let d = &before[*i];
            !d.is_idle() && (d.is_refuted() || settings.wider && d.breaks_beyond())
        });
        Ok(Patient {
            broken: broken.collect(),
            opened,
            before,
            verdicts,
            settings,
        })
    }

    fn hunt(&self, args: &Args, all: &[Addition], quiet: bool, watch: &Watch) -> Hunt<Vec<Asked>> {
        let bar = progress(quiet);
        let parts: Vec<usize> = all.iter().map(|a| a.parts).collect();
        let first = |a: &Addition| all.iter().position(|b| b.apart() == a.apart());
        let group: Vec<usize> = all.iter().filter_map(first).collect();
        let plan = Plan {
            together: args.together as usize,
            limit: args.limit,
            wanted: args.show.max(args.pick as usize),
        };
        let attempt = |chosen: &[usize]| {
            bar.inc(1);
            let chosen: Vec<&Addition> = chosen.iter().map(|i| &all[*i]).collect();
            let name = chosen.first().map_or("", |a| &*a.what);
            // A mistake of ours on one text is no reason to give up the others.
            isolated(name, || self.attempt(&chosen, watch)).unwrap_or(Tried::Idle)
        };
        let work = || {
            hunt(
                &parts,
                &group,
                &self.broken,
                plan,
                attempt,
                Watch::interrupted,
            )
        };
        // Texts are checked and unfolded on these threads too.
        let pool = rayon::ThreadPoolBuilder::new().stack_size(super::STACK);
        let found = match pool.build() {
            Ok(pool) => pool.install(work),
            Err(_) => work(),
        };
        bar.finish_and_clear();
        found
    }

    /// What the claims are with some additions.
    fn attempt(&self, chosen: &[&Addition], watch: &Watch) -> Tried<Vec<Asked>> {
        let text = patched(&self.opened.file.text, chosen);
        let mut map = SourceMap::new();
        let file = map.add(&self.opened.name, &text);
        let Ok(model) = Model::from_file(&mut map, &file) else {
            return Tried::Idle;
        };
        if model.claims().len() < self.opened.model.claims().len() {
            return Tried::Idle;
        }
        let written = Settings {
            wider: false,
            ..self.settings
        };
        let mut broken = Vec::new();
        let order = |i: &usize| (!self.broken.contains(i), *i);
        let mut claims: Vec<usize> = (0..self.before.len()).collect();
        claims.sort_by_key(order);
        for i in claims {
            let now = Decided::of(&model, self.opened.chosen[i], &written, watch);
            if now.is_idle() && !self.before[i].is_idle() {
                return Tried::Idle;
            }
            if !self.is_whole(i, &now) {
                broken.push(i);
                if chosen.len() > 1 {
                    break;
                }
            }
        }
        if !broken.is_empty() {
            return Tried::Broken(broken);
        }
        let decide = |c: &usize| Decided::of(&model, *c, &self.settings, watch);
        let decided: Vec<Decided> = self.opened.chosen.iter().map(decide).collect();
        // What held as written is no better if more runs or other agents break it.
        let fails = |i: &usize| {
            let d = &decided[*i];
            !self.is_whole(*i, d) || d.breaks_beyond() && self.before[*i].holds()
        };
        let broken: Vec<usize> = (0..decided.len()).filter(fails).collect();
        if !broken.is_empty() {
            return Tried::Broken(broken);
        }
        Tried::Repaired {
            beyond: decided.iter().any(Decided::breaks_beyond),
            unproved: decided.iter().filter(|d| !d.is_proved()).count(),
            report: verdicts(&model, &self.opened.chosen, &decided),
        }
    }

    /// Whether a claim is no worse than it may be: what could be decided holds now, the rest has no attack.
    fn is_whole(&self, i: usize, now: &Decided) -> bool {
        let before = &self.before[i];
        if before.is_refuted() || before.holds() {
            now.holds()
        } else {
            !now.is_refuted()
        }
    }

    fn lines(&self, all: &[Addition], proposal: &Proposal<Vec<Asked>>) -> Vec<Line> {
        let chosen: Vec<&Addition> = proposal.additions.iter().map(|i| &all[*i]).collect();
        changed_lines(&self.opened.file, &chosen)
    }

    fn document<'a>(
        &'a self,
        all: &'a [Addition],
        found: &Hunt<Vec<Asked>>,
        shown: &'a [Proposal<Vec<Asked>>],
    ) -> Document<'a> {
        let proposed = |proposal: &'a Proposal<Vec<Asked>>| Proposed {
            additions: (proposal.additions.iter().map(|i| &all[*i]))
                .map(|a| Added {
                    object: a.object,
                    what: &a.what,
                    place: place(&self.opened.map, a.span),
                })
                .collect(),
            parts: proposal.parts,
            claims: &proposal.report,
            diff: self
                .lines(all, proposal)
                .into_iter()
                .map(|l| ChangedLine {
                    line: l.number,
                    before: l.before,
                    after: l.after,
                })
                .collect(),
        };
        Document {
            schema: SCHEMA,
            file: &self.opened.name,
            claims: &self.verdicts,
            repairs: shown.iter().map(proposed).collect(),
            additions: all.len(),
            together: found.together,
            tried: found.tried,
            not_executable: found.idle,
            left_out: found.left_out,
            stopped: Watch::interrupted(),
        }
    }

    fn told(
        &self,
        args: &Args,
        all: &[Addition],
        found: &Hunt<Vec<Asked>>,
        shown: &[Proposal<Vec<Asked>>],
        runs: bool,
        console: &mut Console,
    ) -> io::Result<()> {
        let look = console.look();
        let quiet = console.quiet();
        let mut paper = Paper::new(console.out(), look);
        if !quiet {
            for verdict in &self.verdicts {
                listed(&mut paper, 0, verdict)?;
            }
            paper.gap()?;
        }
        let name = visible(&self.opened.name);
        if !runs {
            let why = format!(
                "Nothing was tried, as the model does not run: `spi check {name}` says why."
            );
            return paper.paragraph(0, &why, Ink::Plain);
        }
        if self.broken.is_empty() {
            let open = self.before.iter().any(|d| !d.holds());
            let text = if open {
                "No claim is broken, though not all hold: there is nothing to repair."
            } else {
                "All claims hold: there is nothing to repair."
            };
            return paper.paragraph(0, text, Ink::Plain);
        }
        for (number, proposal) in (1..).zip(shown) {
            let what: Vec<String> = (proposal.additions.iter())
                .map(|i| visible(&all[*i].what).into_owned())
                .collect();
            paper.hanging(&format!("repair {number}: "), 10, &what.join("; and "))?;
            for verdict in &proposal.report {
                listed(&mut paper, 2, verdict)?;
            }
            for line in self.lines(all, proposal) {
                let number = format!("{:>6} ", line.number);
                let old = format!("{number}- {}", visible(&line.before));
                let old = paper.paint(&old, Ink::Bad);
                paper.line(&old)?;
                for new in &line.after {
                    let new = format!("{:>6} + {}", "", visible(new));
                    let new = paper.paint(&new, Ink::Good);
                    paper.line(&new)?;
                }
            }
            paper.gap()?;
        }
        paper.paragraph(0, &summary(all.len(), found, shown.len()), Ink::Plain)?;
        if !shown.is_empty() && args.output.is_none() && !quiet {
            let hint = format!(
                "`spi repair {} -o FIXED.spi` writes the first{}.",
                shell_word(&self.opened.name),
                if shown.len() > 1 {
                    ", `--pick K` another one"
                } else {
                    ""
                }
            );
            paper.paragraph(0, &hint, Ink::Faint)?;
        }
        Ok(())
    }

    /// A repair that nothing breaks is good news; one that more runs break is none.
    fn status(&self, runs: bool, found: &Hunt<Vec<Asked>>) -> Status {
        if !runs {
            Status::NotExecutable
        } else if self.broken.is_empty() {
            if self.before.iter().all(Decided::holds) {
                Status::Holds
            } else {
                Status::Inconclusive
            }
        } else if found.proposals.iter().any(|p| !p.beyond) {
            Status::Holds
        } else if Watch::interrupted() || found.left_out > 0 {
            Status::Inconclusive
        } else {
            Status::Refuted
        }
    }
}

fn verdicts(model: &Model, chosen: &[usize], decided: &[Decided]) -> Vec<Asked> {
    let verdict = |(claim, d): (&usize, &Decided)| Asked {
        claim: model.claims()[*claim].text.clone(),
        verdict: d.word(),
        beyond: d.beyond(model),
    };
    chosen.iter().zip(decided).map(verdict).collect()
}

fn listed(paper: &mut Paper<'_>, indent: usize, verdict: &Asked) -> io::Result<()> {
    let beyond = verdict.beyond.as_ref().map(|b| format!("; {b}"));
    let text = format!(
        "{}: {}{}",
        visible(&verdict.claim),
        verdict.verdict,
        visible(&beyond.unwrap_or_default())
    );
    paper.paragraph(indent, &text, Ink::Plain)
}

/// What was tried, and what the hunt did not look at.
fn summary(additions: usize, found: &Hunt<Vec<Asked>>, shown: usize) -> String {
    let clean = found.proposals.iter().filter(|p| !p.beyond).count();
    let count = |n: usize, one: &str, more: &str| match n {
        1 => format!("1 {one}"),
        n => format!("{n} {more}"),
    };
    let mut text = match (clean, found.proposals.len()) {
        (0, 0) => "No repair was found".to_owned(),
        (0, n) => format!(
            "{} for the runs as written; more runs or other agents break {}",
            count(n, "repair", "repairs"),
            if n == 1 { "it" } else { "them" }
        ),
        (n, all) if n == all => count(n, "repair", "repairs"),
        (n, all) => format!(
            "{}, and {} that more runs or other agents break",
            count(n, "repair", "repairs"),
            all - n
        ),
    };
    if shown < found.proposals.len() {
        let _ = write!(text, ", {shown} shown");
    }
    let _ = write!(
        text,
        ". {} to this file, alone and up to {} together: {} tried, {} of which can't run",
        count(additions, "addition", "additions"),
        found.together,
        count(found.tried, "text", "texts"),
        found.idle
    );
    if found.left_out > 0 {
        let _ = write!(
            text,
            "; {} left out ({})",
            found.left_out,
            if Watch::interrupted() {
                "you stopped the hunt"
            } else {
                "`--limit`"
            }
        );
    }
    text.push('.');
    text
}

fn progress(quiet: bool) -> ProgressBar {
    let hidden = quiet || !io::stderr().is_terminal();
    let bar = ProgressBar::with_draw_target(
        None,
        if hidden {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        },
    );
    if let Ok(style) = ProgressStyle::with_template("{spinner} {pos} texts tried") {
        bar.set_style(style);
    }
    bar
}
