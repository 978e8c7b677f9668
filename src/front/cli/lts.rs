//! `spi lts`: the environment-sensitive labelled transition system of a system.

use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::cluster::{HostArgs, Question};
use super::equiv::SemanticsArg;
use super::opened::Opened;
use super::progress::{Watch, available};
use super::run::chosen;
use super::search::{duration, size};
use super::{Console, Status};
use crate::analysis::{Operand, state_space};
use crate::base::limits::Limits;
use crate::base::source::{Code, Diagnostic};
use crate::engine::equiv::Semantics;
use crate::engine::lts::Options;
use crate::lang::sema::not_compared;
use crate::present::report::{space, too_large};
use crate::process::Bounds;

/// Arguments of `spi lts`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// File; `-` reads standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// The system; without it figures are given of all, and a graph only if there is no other
    #[arg(long, value_name = "SYSTEM")]
    system: Option<String>,

    /// What is written: figures, or the graph
    #[arg(long, value_name = "FORMAT", default_value = "stats")]
    format: Format,

    /// Which internal communication is a transition: all of it, or only on private channels
    #[arg(long, value_name = "WHICH", default_value = "classic")]
    semantics: SemanticsArg,

    /// Keep states apart that are equal up to renaming, and let every thread move
    #[arg(long)]
    no_symmetry: bool,

    /// The tree instead of the graph: states reached in two ways are two
    #[arg(long)]
    no_sharing: bool,

    /// Let undecided tests wait while other threads move, as in the S3A paper, instead of deciding them first
    #[arg(long)]
    late: bool,

    /// How often a recursive definition may come back to itself
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u32).range(0..=100))]
    unfold: u32,

    /// Copies that a bare `!` stands for
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=100))]
    copies: u32,

    /// Give up after this time: `10s`, `500ms`, `2m`
    #[arg(long, value_name = "TIME", value_parser = duration)]
    timeout: Option<Duration>,

    /// Give up after this many states
    #[arg(long, value_name = "N")]
    max_states: Option<u64>,

    /// Give up when the process uses this much memory: `500M`, `2G`; without it, most of what is free at the start
    #[arg(long, value_name = "SIZE", value_parser = size)]
    max_memory: Option<u64>,

    /// Worker threads; 0 is one for each core
    #[arg(long, value_name = "N", default_value_t = 0)]
    threads: usize,

    #[command(flatten)]
    others: HostArgs,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// The figures
    Stats,
    /// Every state with its transitions, for people
    Text,
    /// The graph for Graphviz
    Dot,
    /// The graph in the Aldebaran format
    Aut,
    /// Figures and graph for machines
    Json,
}

/// Explores the state space of a system.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let mut opened = match Opened::load(&args.file) {
        Ok(opened) => opened,
        Err(unsound) => {
            console.diagnostics(&unsound.map, &unsound.diagnostics)?;
            return Ok(Status::Error);
        }
    };
    console.diagnostics(&opened.map, opened.model.warnings())?;
    let systems = match chosen(&mut opened, args.system.as_deref(), false) {
        Ok(systems) if systems.len() == 1 || args.format == Format::Stats => systems,
        Ok(systems) => {
            let all: Vec<&str> = systems.iter().map(|(name, _)| &**name).collect();
            let several = Diagnostic::new(
                Code::SeveralSystems,
                format!("`{}` has several systems", opened.name),
            )
            .note(format!("the systems of this file: `{}`", all.join("`, `")))
            .help(format!("name one: `--system {}`", all[0]));
            console.diagnostics(&opened.map, &[several])?;
            return Ok(Status::Error);
        }
        Err(diagnostics) => {
            console.diagnostics(&opened.map, &diagnostics)?;
            return Ok(Status::Error);
        }
    };
    let program = &opened.model.nested.program;
    if let Some(rule) = &program.signature.not_compared {
        console.diagnostics(&opened.map, &[not_compared(rule, None)])?;
        return Ok(Status::Error);
    }
    if args.others.is_given() && args.format != Format::Stats {
        let message = "a graph is drawn by one process: `--hosts` gives figures only";
        let diagnostic = Diagnostic::new(Code::CannotJoin, message)
            .help("leave out `--hosts`, or ask for `--format stats`");
        console.diagnostics(&opened.map, &[diagnostic])?;
        return Ok(Status::Error);
    }
    let Ok(company) = args.others.join(&args.question(), console)? else {
        return Ok(Status::Error);
    };
    let watch = Watch::with(console.quiet(), company);
    let mut status = Status::Holds;
    for (i, (name, closed)) in systems.into_iter().enumerate() {
        if i > 0 && !console.quiet() {
            writeln!(console.out())?;
        }
        let decl = &program.systems[closed.system.index()];
        let subject = Operand {
            program,
            closed: &closed,
        };
        let bounds = Bounds {
            recursion: args.unfold,
            copies: args.copies,
            ..Bounds::default()
        };
        let explored = state_space(&opened.model.store, subject, bounds, args.options(), &watch);
        watch.clear();
        let found = match explored {
            Ok(found) => found,
            Err(error) => {
                console.diagnostics(&opened.map, &[too_large(decl.span, &error)])?;
                status = status.worst(Status::Error);
                continue;
            }
        };
        if found.space.stopped.is_some() {
            status = status.worst(Status::Inconclusive);
        }
        let subject = space::Subject {
            store: &opened.model.store,
            file: &opened.name,
            system: &name,
            found: &found,
        };
        let style = console.style();
        let notes = match args.format {
            Format::Stats | Format::Json => Vec::new(),
            Format::Text | Format::Dot | Format::Aut => space::notes(subject),
        };
        for note in notes {
            console.remark(&note)?;
        }
        match args.format {
            Format::Stats => space::write_stats(console.out(), subject, style)?,
            Format::Text => space::write_text(console.out(), subject)?,
            Format::Dot => space::write_dot(console.out(), subject)?,
            Format::Aut => space::write_aut(console.out(), subject)?,
            Format::Json => space::write_json(console.out(), subject)?,
        }
    }
    watch.company().leave(console)?;
    Ok(status)
}

impl Args {
    /// What other processes must have been asked as well.
    fn question(&self) -> Question<'_> {
        let mut options = self.options();
        options.threads = 0;
        options.limits.deadline = None;
        options.limits.memory = None;
        let asked = (&self.system, self.unfold, self.copies, self.timeout);
        Question {
            options: format!("lts {options:?} {asked:?}"),
            files: vec![&self.file],
            timeout: self.timeout,
        }
    }

    fn options(&self) -> Options {
        Options {
            semantics: match self.semantics {
                SemanticsArg::Classic => Semantics::Classic,
                SemanticsArg::Private => Semantics::Private,
            },
            sharing: !self.no_sharing,
            symmetry: !self.no_symmetry,
            late: self.late,
            graph: self.format != Format::Stats,
            threads: self.threads,
            limits: Limits {
                states: self.max_states,
                deadline: self.timeout.map(|t| Instant::now() + t),
                memory: self.max_memory.or_else(available),
            },
        }
    }
}
