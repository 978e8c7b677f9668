//! `spi check`: claims by attacker search.

use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use super::artifacts::{Artifacts, Charts, chart_path, refused, shell_word};
use super::cluster::{HostArgs, Question};
use super::demands::Demands;
use super::findings::{self, Finding, Form};
use super::folder::Found;
use super::isolate::isolated;
use super::opened::{Opened, Unsound};
use super::output::{OutputArgs, Outputs};
use super::progress::Watch;
use super::search::SearchArgs;
use super::watch::repeat;
use super::{Console, Status, adversary, ladder, verify};
use crate::analysis::{Attack, ClaimResult, Comparison, Decision, Outcome, Settings, Verdict};
use crate::base::source::render::{Look, WIDTH};
use crate::base::source::visible::visible;
use crate::base::source::{Diagnostic, SourceMap};
use crate::present::draw;
use crate::present::report::{self, ClaimNames, Story, Style, json, too_large};
use crate::process::Claim;

/// Arguments of `spi check`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Files, or directories that are searched for `*.spi`; `-` reads standard input
    #[arg(required = true, value_name = "PATH")]
    files: Vec<PathBuf>,

    /// Check that this stays secret, instead of the claims of the file: `Na`, `Na, Nb`, `Init(A,B).Na`, `({M}k)`
    #[arg(long, value_name = "TARGET")]
    secrecy: Vec<String>,

    /// Only claims about this system
    #[arg(long, value_name = "SYSTEM")]
    system: Option<String>,

    /// List all attacks that differ, not only a shortest one
    #[arg(long)]
    all: bool,

    /// Ask how sure two roles are of each other, instead of the claims of the file: aliveness, weak, non-injective and
    /// injective agreement, in each direction
    #[arg(long, value_names = ["INIT", "RESP"], num_args = 2, conflicts_with = "secrecy")]
    ladder: Option<Vec<String>>,

    /// Ask the claims of the file again of attackers that get keys: a table with the verdicts as it is written, when the one that a claim is
    /// about has lost its long-term keys, and when all are lost later
    #[arg(long, value_name = "all", conflicts_with_all = ["secrecy", "ladder", "hosts", "emit_attack", "chart"])]
    adversary: Option<adversary::Which>,

    /// How results are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// Write attacks as processes, for `spi replay`; the second goes to `FILE-2.spi`
    #[arg(long, value_name = "FILE.spi")]
    emit_attack: Option<PathBuf>,

    /// Draw what was found: a chart as `.svg` or, for papers, `.tex` (`TikZ`), or a page to step through as `.html`
    #[arg(long, value_name = "FILE", value_parser = chart_path)]
    chart: Option<PathBuf>,

    /// Write what shows a claim, for `spi verify`; the second goes to `FILE-2.cert`
    #[arg(long, value_name = "FILE.cert", conflicts_with_all = ["ladder", "adversary"])]
    certificate: Option<PathBuf>,

    /// Do it again whenever a file is saved, until Ctrl-C
    #[arg(long, conflicts_with = "hosts")]
    watch: bool,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    demands: Demands,

    #[command(flatten)]
    search: SearchArgs,

    #[command(flatten)]
    others: HostArgs,
}

/// How results are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people
    Human,
    /// The schema of `docs/json.md`
    Json,
    /// Annotations, as GitHub workflows show them
    Github,
    /// SARIF 2.1.0, for code scanning and viewers
    Sarif,
}

impl Format {
    /// As findings, if these are asked for.
    pub(super) fn findings(self) -> Option<Form> {
        match self {
            Format::Human | Format::Json => None,
            Format::Github => Some(Form::Github),
            Format::Sarif => Some(Form::Sarif),
        }
    }
}

/// Checks files.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    if args.watch {
        let human = args.format == Format::Human;
        return repeat(&args.files, human, console, |console| once(args, console));
    }
    once(args, console)
}

fn once(args: &Args, console: &mut Console) -> io::Result<Status> {
    let found = Found::below(&args.files);
    let unread = found.complain(console)?;
    let paths = found.files;
    let settings = args.demands.apply(&args.search.settings(args.all));
    let question = Question {
        options: format!(
            "check {:?} {:?} {:?} {}",
            args.secrecy,
            args.system,
            args.ladder,
            SearchArgs::question(&settings)
        ),
        files: paths.iter().map(PathBuf::as_path).collect(),
        timeout: args.search.timeout(),
    };
    let outputs = Rc::new(args.output.outputs(paths.iter().map(PathBuf::as_path)));
    let wanted = args.emit_attack.iter().chain(&args.chart);
    let wanted = wanted.chain(&args.certificate);
    if args.others.reports() && refused(&outputs, wanted, console)? {
        return Ok(Status::Error);
    }
    let Ok(company) = args.others.join(&question, console)? else {
        return Ok(Status::Error);
    };
    let watch = Watch::with(console.quiet(), company);
    let status = check(args, &paths, &settings, &outputs, &watch, console)?;
    watch.company().leave(console)?;
    Ok(status.worst(unread))
}

fn check(
    args: &Args,
    paths: &[PathBuf],
    settings: &Settings,
    outputs: &Rc<Outputs>,
    watch: &Watch,
    console: &mut Console,
) -> io::Result<Status> {
    if let Some([init, resp]) = args.ladder.as_deref() {
        let asked = ladder::Asked {
            files: paths,
            roles: (init, resp),
            system: args.system.as_deref(),
            format: args.format,
        };
        return ladder::run(&asked, settings, &args.demands, watch, console);
    }
    if args.adversary.is_some() {
        let system = args.system.as_deref();
        return adversary::run(paths, system, args.format, settings, watch, console);
    }
    let reports = |_: &&PathBuf| watch.company().reports();
    let mut files = Files {
        attacks: Artifacts::new(
            args.emit_attack.as_ref().filter(reports),
            "attacks",
            outputs,
        ),
        charts: Charts::new(args.chart.as_ref().filter(reports), outputs),
        certificates: Artifacts::new(
            args.certificate.as_ref().filter(reports),
            "certificates",
            outputs,
        ),
        scope: args.search.scope(),
        demands: &args.demands,
        outputs,
        told: Vec::new(),
    };
    let status = if args.format == Format::Human {
        run_human(args, paths, settings, watch, &mut files, console)?
    } else {
        run_collected(args, paths, settings, watch, &mut files, console)?
    };
    files.attacks.finish(console)?;
    let drawn = files.charts.finish(console)?;
    files.certificates.finish(console)?;
    Ok(status.worst(drawn))
}

/// What goes from claim to claim: the files that are written beside the report, and what was told.
struct Files<'a> {
    attacks: Artifacts,
    charts: Charts,
    certificates: Artifacts,
    /// The arguments that a replay needs.
    scope: String,
    /// What is asked of a claim beyond that it holds.
    demands: &'a Demands,
    outputs: &'a Outputs,
    /// The systems of the file of which it was told why they do not run.
    told: Vec<String>,
}

impl Files<'_> {
    fn attacks(
        &mut self,
        opened: &Opened,
        settings: &Settings,
        result: &ClaimResult,
        console: &mut Console,
    ) -> io::Result<Status> {
        let mut status = Status::Holds;
        let runs: Vec<&Attack> = match &result.verdict {
            Verdict::Attack(attacks) => attacks.iter().collect(),
            Verdict::Holds { run: Some(run) } => vec![run],
            _ => Vec::new(),
        };
        let ctx = opened.context(settings.typed);
        if let (Some(beyond), Some(verdict)) = (result.beyond(), report::beyond(ctx.store, result))
        {
            // It is no attack on the system as written, so there is none to emit.
            let run = &beyond.attack;
            let story = Story::of_attack(ctx, &report::reference(ctx, result), run);
            status = status.worst(self.charts.write(
                || draw::attack_chart(ctx, &result.claim, &verdict, run, &story),
                || draw::attack_page(ctx, &opened.name, result, &verdict, run, &story),
                console,
            )?);
        }
        for run in runs {
            if self.charts.kind().is_some() {
                let story = Story::of_attack(ctx, &report::reference(ctx, result), run);
                let verdict = report::verdict_line(ctx, result, run, &story);
                let written = self.charts.write(
                    || draw::attack_chart(ctx, &result.claim, &verdict, run, &story),
                    || draw::attack_page(ctx, &opened.name, result, &verdict, run, &story),
                    console,
                )?;
                status = status.worst(written);
            }
            if let Some(path) = self.attacks.next() {
                let command = self.command(opened, &path);
                let story = Story::of_attack(ctx, &report::reference(ctx, result), run);
                let text = report::attack_file(ctx, &result.claim, run, &story, &command);
                status = status.worst(self.attacks.write(text, console)?);
            }
        }
        Ok(status)
    }

    /// Writes the certificate of a claim that holds; the path, if there is one.
    fn certificate(
        &mut self,
        opened: &Opened,
        number: usize,
        settings: &Settings,
        result: &ClaimResult,
        console: &mut Console,
    ) -> io::Result<(Status, Option<PathBuf>)> {
        let (Some(path), Some(shown)) = (self.certificates.next(), &result.certificate) else {
            return Ok((Status::Holds, None));
        };
        let Some(text) = verify::certificate(opened, number, settings, shown) else {
            return Ok((Status::Holds, None));
        };
        if !result.outcome().holds() {
            return Ok((Status::Holds, None));
        }
        let status = self.certificates.write(text, console)?;
        Ok((status, (status == Status::Holds).then_some(path)))
    }

    /// The same for a comparison.
    fn compared(
        &mut self,
        opened: &Opened,
        number: usize,
        settings: &Settings,
        comparison: &Comparison,
        console: &mut Console,
    ) -> io::Result<(Status, Option<PathBuf>)> {
        let holds = comparison.outcome().holds();
        let Some(path) = self.certificates.next().filter(|_| holds) else {
            return Ok((Status::Holds, None));
        };
        let Some(text) = verify::of_comparison(opened, number, settings, comparison) else {
            return Ok((Status::Holds, None));
        };
        let status = self.certificates.write(text, console)?;
        Ok((status, (status == Status::Holds).then_some(path)))
    }

    fn test(
        &mut self,
        opened: &Opened,
        claim: &Claim,
        comparison: &Comparison,
        console: &mut Console,
    ) -> io::Result<Status> {
        let Some(refutation) = comparison.refutation() else {
            return Ok(Status::Holds);
        };
        let ctx = opened.context(false);
        let names = ClaimNames::new(ctx, claim);
        let names = names.of(ctx);
        let status = self.charts.write(
            || draw::comparison_chart(names, comparison, refutation),
            || draw::comparison_page(names, &opened.name, comparison, refutation),
            console,
        )?;
        if let Some(path) = self.attacks.next() {
            let command = self.command(opened, &path);
            let programs = [opened.model.program(false)];
            let store = &opened.model.store;
            let title = &claim.text;
            let text = report::test_file(store, &programs, title, comparison, refutation, &command);
            return Ok(status.worst(self.attacks.write(text, console)?));
        }
        Ok(status)
    }

    fn command(&self, opened: &Opened, path: &std::path::Path) -> String {
        let (model, path) = (
            shell_word(&opened.name),
            shell_word(&path.display().to_string()),
        );
        format!("Replay it: spi replay{} {model} {path}", self.scope)
    }
}

fn run_human(
    args: &Args,
    paths: &[PathBuf],
    settings: &Settings,
    watch: &Watch,
    files: &mut Files<'_>,
    console: &mut Console,
) -> io::Result<Status> {
    let mut status = Status::Holds;
    for (i, path) in paths.iter().enumerate() {
        if i > 0 {
            writeln!(console.out())?;
        }
        let opened = match prepare(args, path, files.outputs) {
            Ok(opened) => opened,
            Err(unsound) => {
                console.diagnostics(&unsound.map, &unsound.diagnostics)?;
                status = status.worst(Status::Error);
                continue;
            }
        };
        files.told.clear();
        if paths.len() > 1 {
            writeln!(console.out(), "{}", visible(&opened.name))?;
        }
        console.diagnostics(&opened.map, opened.model.warnings())?;
        if opened.chosen.is_empty() {
            console.diagnostics(&opened.map, &[opened.nothing_to_check()])?;
            status = status.worst(Status::Error);
            continue;
        }
        for (j, (number, claim)) in opened.asked().enumerate() {
            if j > 0 && !console.quiet() {
                writeln!(console.out())?;
            }
            let decided = isolated(&claim.text, || {
                one(&opened, number, settings, watch, files, console)
            });
            status = status.worst(match decided {
                Ok(status) => status?,
                Err(panicked) => given_up(panicked, claim, &opened, watch, console)?,
            });
        }
    }
    Ok(status)
}

/// Checks everything before anything is written: for other programs.
fn run_collected(
    args: &Args,
    paths: &[PathBuf],
    settings: &Settings,
    watch: &Watch,
    files: &mut Files<'_>,
    console: &mut Console,
) -> io::Result<Status> {
    let mut status = Status::Holds;
    let mut document = json::Document {
        schema: json::SCHEMA,
        files: Vec::new(),
    };
    let mut found: Vec<Finding> = Vec::new();
    for path in paths {
        let opened = match prepare(args, path, files.outputs) {
            Ok(opened) => opened,
            Err(unsound) => {
                tell(&unsound.map, &unsound.diagnostics, &mut found, console)?;
                document.files.push(json::File {
                    file: path.display().to_string(),
                    claims: Vec::new(),
                    problems: json::Problem::all(&unsound.map, &unsound.diagnostics),
                });
                status = status.worst(Status::Error);
                continue;
            }
        };
        tell(&opened.map, opened.model.warnings(), &mut found, console)?;
        let mut claims = Vec::new();
        let mut problems: Vec<Diagnostic> = Vec::new();
        if opened.chosen.is_empty() {
            problems.push(opened.nothing_to_check());
        }
        for (number, asked) in opened.asked() {
            let decided = isolated(&asked.text, || {
                let decision = match opened.model.decide(number, settings, watch) {
                    Ok(decision) => decision,
                    Err(error) => return io::Result::Ok(Err(error)),
                };
                let end = args.demands.status(&decision);
                status = status.worst(end);
                let mut report = Vec::new();
                let entry = match &decision {
                    Decision::Compared(c) => {
                        status = status.worst(files.test(&opened, asked, c, console)?);
                        let ctx = opened.context(false);
                        let names = ClaimNames::new(ctx, asked);
                        report::write_comparison(&mut report, names.of(ctx), c, PLAIN)?;
                        let written = files.compared(&opened, number, settings, c, console)?;
                        status = status.worst(written.0);
                        let mut entry = json::comparison(names.of(ctx), Some(asked), c);
                        entry.certificate = written.1.map(|p| p.display().to_string());
                        entry
                    }
                    Decision::One(r) => {
                        status = status.worst(files.attacks(&opened, settings, r, console)?);
                        let written = files.certificate(&opened, number, settings, r, console)?;
                        status = status.worst(written.0);
                        let ctx = opened.context(settings.typed);
                        report::write(&mut report, ctx, r, PLAIN)?;
                        let mut entry = json::claim(ctx, r);
                        entry.certificate = written.1.map(|p| p.display().to_string());
                        entry
                    }
                };
                found.extend(Finding::claim(&entry, end, &report));
                Ok(Ok(entry))
            });
            watch.clear();
            match decided {
                Ok(Ok(Ok(entry))) => claims.push(entry),
                Ok(Ok(Err(error))) => problems.push(too_large(asked.span, &error)),
                Ok(Err(error)) => return Err(error),
                Err(panicked) => problems.push(panicked.at(asked.span, "this claim")),
            }
        }
        if !problems.is_empty() {
            tell(&opened.map, &problems, &mut found, console)?;
            status = status.worst(Status::Error);
        }
        document.files.push(json::File {
            file: opened.name.clone(),
            claims,
            problems: json::Problem::all(&opened.map, &problems),
        });
    }
    match args.format.findings() {
        Some(form) => findings::write(console.out(), form, &found)?,
        None => json::write(console.out(), &document)?,
    }
    Ok(status)
}

/// How reports look inside of other formats.
pub(super) const PLAIN: Style = Style {
    look: Look {
        color: false,
        width: WIDTH,
    },
    timed: false,
    brief: false,
    told: false,
};

/// Tells what is wrong with a file, to people and among the findings.
pub(super) fn tell(
    map: &SourceMap,
    diagnostics: &[Diagnostic],
    found: &mut Vec<Finding>,
    console: &mut Console,
) -> io::Result<()> {
    found.extend(diagnostics.iter().map(|d| Finding::diagnostic(map, d)));
    console.diagnostics(map, diagnostics)
}

/// Tells of a claim that was given up.
fn given_up(
    panicked: Diagnostic,
    claim: &Claim,
    opened: &Opened,
    watch: &Watch,
    console: &mut Console,
) -> io::Result<Status> {
    watch.clear();
    let told = panicked.at(claim.span, "this claim");
    console.diagnostics(&opened.map, &[told])?;
    Ok(Status::Error)
}

fn prepare(args: &Args, path: &std::path::Path, outputs: &Outputs) -> Result<Opened, Unsound> {
    let mut opened = Opened::load(path)?;
    outputs.add_inputs(&opened.map);
    let picked = if args.secrecy.is_empty() {
        match &args.system {
            Some(system) => opened.only_about(system).map_err(|d| vec![d]),
            None => Ok(()),
        }
    } else {
        opened.claim_secrecy(&args.secrecy, args.system.as_deref())
    };
    match picked {
        Ok(()) => Ok(opened),
        Err(diagnostics) => Err(Unsound {
            map: opened.map,
            diagnostics,
        }),
    }
}

fn one(
    opened: &Opened,
    number: usize,
    settings: &Settings,
    watch: &Watch,
    files: &mut Files<'_>,
    console: &mut Console,
) -> io::Result<Status> {
    let claim = &opened.model.claims()[number];
    let decided = opened.model.decide(number, settings, watch);
    watch.clear();
    let decision = match decided {
        Ok(decision) => decision,
        Err(error) => {
            console.diagnostics(&opened.map, &[too_large(claim.span, &error)])?;
            return Ok(Status::Error);
        }
    };
    let mut style = console.style();
    let written = match &decision {
        Decision::Compared(comparison) => {
            let ctx = opened.context(false);
            let names = ClaimNames::new(ctx, claim);
            if comparison.outcome() == Outcome::NotExecutable {
                let (left, right) = names.systems();
                let systems = [left, right].map(str::to_owned);
                style.told = systems.iter().all(|s| files.told.contains(s));
                files.told.extend(systems);
            }
            report::write_comparison(console.out(), names.of(ctx), comparison, style)?;
            let tested = files.test(opened, claim, comparison, console)?;
            let written = files.compared(opened, number, settings, comparison, console)?;
            tested.worst(written.0)
        }
        Decision::One(result) => {
            if matches!(result.verdict, Verdict::NotExecutable) {
                style.told = files.told.contains(&result.scope.system);
                files.told.push(result.scope.system.clone());
            }
            report::write(console.out(), opened.context(settings.typed), result, style)?;
            let written = files.attacks(opened, settings, result, console)?;
            let certificate = files.certificate(opened, number, settings, result, console)?;
            written.worst(certificate.0)
        }
    };
    Ok(files.demands.status(&decision).worst(written))
}
