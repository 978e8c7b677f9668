//! `spi run`: the honest run, as a narration.

use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use super::artifacts::{Charts, chart_path, refused};
use super::format::Format;
use super::opened::Opened;
use super::output::OutputArgs;
use super::progress::Watch;
use super::search::SearchArgs;
use super::watch::repeat;
use super::{Console, Status};
use crate::analysis::honest_run;
use crate::base::source::{Code, Diagnostic};
use crate::present::draw;
use crate::present::report::{self, json, too_large};
use crate::process::{Closed, SystemId};

/// Arguments of `spi run`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// File; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The system to run, if not all; with arguments if it takes some: `S(a, b)`
    #[arg(long, value_name = "SYSTEM")]
    system: Option<String>,

    /// How results are written
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    format: Format,

    /// Draw the run: a chart as `.svg` or, for papers, `.tex` (`TikZ`), or a page to step through as `.html`
    #[arg(long, value_name = "FILE", value_parser = chart_path)]
    chart: Option<PathBuf>,

    /// Do it again whenever a file is saved, until Ctrl-C
    #[arg(long)]
    watch: bool,

    #[command(flatten)]
    output: OutputArgs,

    #[command(flatten)]
    search: SearchArgs,
}

/// Runs the systems of a file without interference.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    if args.watch {
        let files = std::slice::from_ref(&args.file);
        let human = args.format == Format::Human;
        return repeat(files, human, console, |console| once(args, console));
    }
    once(args, console)
}

fn once(args: &Args, console: &mut Console) -> io::Result<Status> {
    let settings = args.search.settings(false);
    let outputs = Rc::new(args.output.outputs([args.file.as_path()]));
    if refused(&outputs, &args.chart, console)? {
        return Ok(Status::Error);
    }
    let watch = Watch::new(console.quiet());
    let mut opened = match Opened::load(&args.file) {
        Ok(opened) => opened,
        Err(unsound) => {
            console.diagnostics(&unsound.map, &unsound.diagnostics)?;
            return Ok(Status::Error);
        }
    };
    console.diagnostics(&opened.map, opened.model.warnings())?;
    let systems = match chosen(&mut opened, args.system.as_deref(), settings.typed) {
        Ok(systems) => systems,
        Err(diagnostics) => {
            console.diagnostics(&opened.map, &diagnostics)?;
            return Ok(Status::Error);
        }
    };
    let style = console.style();
    let ctx = opened.context(settings.typed);
    outputs.add_inputs(&opened.map);
    let mut charts = Charts::new(args.chart.as_ref(), &outputs);
    let mut status = Status::Holds;
    let human = args.format == Format::Human;
    let mut document = json::HonestDocument {
        schema: json::SCHEMA,
        file: args.file.display().to_string(),
        systems: Vec::new(),
    };
    for (i, (name, closed)) in systems.into_iter().enumerate() {
        if i > 0 && human && !console.quiet() {
            writeln!(console.out())?;
        }
        let decl = &ctx.program.systems[closed.system.index()];
        let gate = honest_run(ctx.store, ctx.program, &closed, &settings, &watch);
        watch.clear();
        match gate {
            Ok(gate) => {
                if human {
                    report::write_honest(console.out(), ctx, &name, &gate, style)?;
                } else {
                    let entry = json::honest(ctx, &name, decl.partial, &gate);
                    document.systems.push(entry);
                }
                for run in gate.told() {
                    let written = charts.write(
                        || draw::honest_chart(ctx, &name, &gate, run),
                        || draw::honest_page(ctx, &opened.name, &name, &gate, run),
                        console,
                    )?;
                    status = status.worst(written);
                }
                status = status.worst(match (gate.is_closed(), gate.limited) {
                    (true, _) if !decl.partial => Status::NotExecutable,
                    (_, true) => Status::Inconclusive,
                    _ => Status::Holds,
                });
            }
            Err(error) => {
                console.diagnostics(&opened.map, &[too_large(decl.span, &error)])?;
                status = status.worst(Status::Error);
            }
        }
    }
    status = status.worst(charts.finish(console)?);
    if !human {
        json::write(console.out(), &document)?;
    }
    Ok(status)
}

/// The system of this name, with arguments if it takes some (`S(a, b)`), or all that have no parameters; each as it is
/// written.
pub(super) fn chosen(
    opened: &mut Opened,
    name: Option<&str>,
    typed: bool,
) -> Result<Vec<(String, Closed)>, Vec<Diagnostic>> {
    if let Some(text) = name.filter(|n| n.contains('(')) {
        let checked = if typed {
            &mut opened.model.flat
        } else {
            &mut opened.model.nested
        };
        let closed = checked.instance(&mut opened.map, &opened.model.store, text)?;
        return Ok(vec![(text.to_owned(), closed)]);
    }
    let closed = |system: SystemId| Closed::new(system, Vec::new());
    let systems = &opened.model.nested.program.systems;
    if let Some(name) = name {
        let id = opened.system(name).map_err(|d| vec![d])?;
        let params = systems[id.index()].body.params.len();
        if params > 0 {
            let noun = if params == 1 { "argument" } else { "arguments" };
            let message = format!("`{name}` takes {params} {noun} and can't be analysed by itself");
            return Err(vec![
                Diagnostic::new(Code::WrongArity, message)
                    .at(systems[id.index()].span, "declared here")
                    .help(format!("give it some: `--system '{name}(..)'`")),
            ]);
        }
        return Ok(vec![(name.to_owned(), closed(id))]);
    }
    let all: Vec<(String, Closed)> = (0u32..)
        .zip(systems)
        .filter(|(_, s)| s.body.params.is_empty())
        .map(|(i, s)| (s.label.to_string(), closed(SystemId(i))))
        .collect();
    if all.is_empty() {
        let d = match systems.first() {
            None => Diagnostic::new(Code::NoSystem, "there is no system to run"),
            Some(s) => {
                let message = "every system takes arguments, and none can be run by itself";
                Diagnostic::new(Code::NoSystem, message).at(s.span, "declared here")
            }
        };
        return Err(vec![
            d.help("declare one: `system S = Init(A, B) | Resp(B, A)`"),
        ]);
    }
    Ok(all)
}
