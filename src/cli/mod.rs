//! The command line: argument structs, one file per command, output, exit status.
//!
//! What was typed (the clap structs) is converted once into what it means. Results go to standard
//! output, diagnostics and progress to standard error. Nothing below this layer reads arguments,
//! prints or exits.

mod artifacts;
mod check;
mod cluster;
mod commands;
mod completions;
mod console;
mod equiv;
mod explain;
mod fmt;
mod folder;
mod grade;
mod isolate;
mod ladder;
mod lsp;
mod lts;
mod man;
mod model;
mod mutate;
mod output;
mod repeat;
mod replay;
mod run;
mod search;
mod status;
mod stream;
mod test;
mod watch;

use clap::{CommandFactory, FromArgMatches, Parser};
use commands::Command;
use std::io::IsTerminal;
use std::process::ExitCode;

pub use console::{ColorChoice, Console};
pub use status::Status;

/// Stack of the thread that does the work: recursion is bounded everywhere, but the bounds are
/// generous, and the stack of a main thread is not ours to choose.
const STACK: usize = 256 << 20;

/// Analyse security protocols written in the spi calculus.
#[derive(Debug, Parser)]
#[command(name = "spi", version, about)]
struct Args {
    #[command(subcommand)]
    command: Command,

    /// When to use colour
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    color: ColorChoice,

    /// Print no more than necessary
    #[arg(long, short, global = true)]
    quiet: bool,
}

/// The whole program: parses the arguments, runs the command, maps its end to an exit code.
pub fn main() -> ExitCode {
    // The worker ends the process itself: everything is written, and giving back its stack and waking up this thread
    // would only take time.
    let work = || -> Status { std::process::exit(run().code().into()) };
    let worker = std::thread::Builder::new()
        .name("spi".to_owned())
        .stack_size(STACK)
        .spawn(work);
    let status = match worker.map(std::thread::JoinHandle::join) {
        Ok(Ok(status)) => status,
        // The panic has printed its message.
        Ok(Err(_)) => return ExitCode::from(101),
        // No room for the large stack: the bounds still hold on the small one for any sane input.
        Err(_) => run(),
    };
    ExitCode::from(status.code())
}

/// The command line, its help wrapped for the terminal.
fn command() -> clap::Command {
    Args::command().term_width(console::width(std::io::stdout().is_terminal()))
}

/// The same with the arguments of all commands.
fn whole_command() -> clap::Command {
    command().mut_subcommands(Command::describe)
}

fn arguments() -> Args {
    let mut matches = command().get_matches();
    Args::from_arg_matches_mut(&mut matches).unwrap_or_else(|error| error.exit())
}

fn run() -> Status {
    watch::Watch::outlive_limits();
    let args = arguments();
    let mut console = Console::new(args.color, args.quiet);
    let result = match args.command {
        Command::Check(args) => check::run(&args, &mut console),
        Command::Equiv(args) => equiv::run(&args, &mut console),
        Command::Test(args) => test::run(&args, &mut console),
        Command::Mutate(args) => mutate::run(&args, &mut console),
        Command::Grade(args) => grade::run(&args, &mut console),
        Command::Run(args) => run::run(&args, &mut console),
        Command::Lts(args) => lts::run(&args, &mut console),
        Command::Replay(args) => replay::run(&args, &mut console),
        Command::Fmt(args) => fmt::run(&args, &mut console),
        Command::Explain(args) => explain::run(&args, &mut console),
        Command::Lsp(args) => lsp::run(&args),
        Command::Completions(args) => completions::run(&args, &whole_command(), &mut console),
        Command::Man(args) => man::run(&args, whole_command(), &mut console),
    };
    console.conclude(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_well_formed() {
        command().debug_assert();
        whole_command().debug_assert();
    }
}
