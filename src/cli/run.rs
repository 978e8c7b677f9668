//! `spi run`: the honest run, as a narration.

use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use super::artifacts::{Charts, chart_path, refused};
use super::model::Model;
use super::output::OutputArgs;
use super::repeat::repeat;
use super::search::SearchArgs;
use super::watch::Watch;
use super::{Console, Status};
use crate::analysis::honest_run;
use crate::draw;
use crate::process::{Closed, SystemId};
use crate::report::{self, too_large};
use crate::source::{Code, Diagnostic};

/// Arguments of `spi run`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The system to run, if not all
    #[arg(long, value_name = "SYSTEM")]
    system: Option<String>,

    /// Draw the run: a chart as `.svg`, or a page to step through as `.html`
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
pub fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    if args.watch {
        let files = std::slice::from_ref(&args.file);
        return repeat(files, true, console, |console| once(args, console));
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
    let model = match Model::load(&args.file) {
        Ok(model) => model,
        Err(unsound) => {
            console.diagnostics(&unsound.map, &unsound.diagnostics)?;
            return Ok(Status::Error);
        }
    };
    console.diagnostics(&model.map, model.warnings())?;
    let systems = match chosen(&model, args.system.as_deref()) {
        Ok(systems) => systems,
        Err(diagnostic) => {
            console.diagnostics(&model.map, &[diagnostic])?;
            return Ok(Status::Error);
        }
    };
    let style = console.style();
    let ctx = model.context(settings.typed);
    let mut charts = Charts::new(args.chart.as_ref(), &outputs);
    let mut status = Status::Holds;
    for (i, system) in systems.into_iter().enumerate() {
        if i > 0 && !console.quiet() {
            writeln!(console.out())?;
        }
        let decl = &ctx.program.systems[system.index()];
        let closed = Closed {
            system,
            args: Vec::new(),
        };
        let gate = honest_run(ctx.store, ctx.program, &closed, &settings, &watch);
        watch.clear();
        match gate {
            Ok(gate) => {
                report::write_honest(console.out(), ctx, &decl.label, &gate, style)?;
                let name = decl.label.to_string();
                for run in gate.told() {
                    let written = charts.write(
                        || draw::honest_chart(ctx, &name, &gate, run),
                        || draw::honest_page(ctx, &model.name, &name, &gate, run),
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
                console.diagnostics(&model.map, &[too_large(decl.span, &error)])?;
                status = status.worst(Status::Error);
            }
        }
    }
    charts.finish(console)?;
    Ok(status)
}

/// The system of this name, or all that have no parameters.
pub(super) fn chosen(model: &Model, name: Option<&str>) -> Result<Vec<SystemId>, Diagnostic> {
    let systems = &model.nested.program.systems;
    if let Some(name) = name {
        let id = model.system(name)?;
        let params = systems[id.index()].body.params.len();
        if params > 0 {
            return Err(Diagnostic::new(
                Code::WrongArity,
                format!(
                    "`{name}` takes {params} {} and can't be analysed by itself",
                    if params == 1 { "argument" } else { "arguments" }
                ),
            )
            .at(systems[id.index()].span, "declared here")
            .help(format!("declare a system without parameters, such as `system S = ..` with the body of `{name}`")));
        }
        return Ok(vec![id]);
    }
    let all: Vec<SystemId> = (0u32..)
        .zip(systems)
        .filter(|(_, s)| s.body.params.is_empty())
        .map(|(i, _)| SystemId(i))
        .collect();
    if all.is_empty() {
        let d = match systems.first() {
            None => Diagnostic::new(Code::NoSystem, "there is no system to run"),
            Some(s) => {
                let message = "every system takes arguments, and none can be run by itself";
                Diagnostic::new(Code::NoSystem, message).at(s.span, "declared here")
            }
        };
        return Err(d.help("declare one: `system S = Init(A, B) | Resp(B, A)`"));
    }
    Ok(all)
}
