//! The command line: argument structs, one file per command, output, exit status.
//!
//! What was typed (the clap structs) is converted once into what it means. Results go to standard
//! output, diagnostics and progress to standard error. Nothing below this layer reads arguments,
//! prints or exits.

mod adversary;
mod artifacts;
mod check;
mod cluster;
mod commands;
mod completions;
mod console;
mod demands;
mod equiv;
mod examples;
mod expand;
mod explain;
mod findings;
mod fmt;
mod folder;
mod format;
mod grade;
mod isolate;
mod ladder;
mod lsp;
mod lts;
mod man;
mod mutate;
mod new;
mod opened;
mod output;
mod progress;
mod repair;
mod replay;
mod run;
mod search;
mod status;
mod stream;
mod test;
mod typed;
mod vary;
mod verify;
mod watch;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use commands::Command;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use crate::base::source::visible::Gate;

pub use console::{ColorChoice, Console};
pub use status::Status;

/// Stack of the thread that does the work: recursion is bounded everywhere, but the bounds are
/// generous, and the stack of a main thread is not ours to choose.
const STACK: usize = 256 << 20;

/// Analyse security protocols written in the spi calculus.
#[derive(Debug, Parser)]
#[command(name = "spi", version = env!("SPI_VERSION"), about)]
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

/// What the words mean.
fn parse(typed: &[OsString]) -> Result<Args, clap::Error> {
    let mut matches = command().try_get_matches_from(typed)?;
    Args::from_arg_matches_mut(&mut matches)
}

fn run() -> Status {
    progress::Watch::outlive_limits();
    let typed = typed::with_command(std::env::args_os().collect(), Command::has_subcommand);
    let args = parse(&typed).unwrap_or_else(|error| typed::refuse(&error, &typed));
    let console = Console::new(args.color, args.quiet);
    perform(args.command, console)
}

/// Does what `spi` does for these words (the first is its own name) within this process, writing to two streams, and
/// returns the exit code. The language server still speaks over the standard streams.
pub fn call(words: &[&str], out: Box<dyn Write>, mut err: Box<dyn Write>) -> u8 {
    let typed = words.iter().map(OsString::from).collect();
    let typed = typed::with_command(typed, Command::has_subcommand);
    match parse(&typed) {
        Ok(args) => {
            let console = Console::elsewhere(out, err, args.color, args.quiet);
            perform(args.command, console).code()
        }
        Err(error) => {
            let text = error.render().to_string();
            // Whoever calls has closed the stream: there is nobody to tell.
            let _ = Gate::new(&mut err, false).write_all(text.as_bytes());
            u8::try_from(error.exit_code()).unwrap_or(2)
        }
    }
}

fn perform(command: Command, mut console: Console) -> Status {
    let result = match command {
        Command::New(args) => new::run(&args, &mut console),
        Command::Check(args) => check::run(&args, &mut console),
        Command::Equiv(args) => equiv::run(&args, &mut console),
        Command::Test(args) => test::run(&args, &mut console),
        Command::Mutate(args) => mutate::run(&args, &mut console),
        Command::Repair(args) => repair::run(&args, &mut console),
        Command::Grade(args) => grade::run(&args, &mut console),
        Command::Vary(args) => vary::run(&args, &mut console),
        Command::Run(args) => run::run(&args, &mut console),
        Command::Lts(args) => lts::run(&args, &mut console),
        Command::Replay(args) => replay::run(&args, &mut console),
        Command::Verify(args) => verify::run(&args, &mut console),
        Command::Fmt(args) => fmt::run(&args, &mut console),
        Command::Expand(args) => expand::run(&args, &mut console),
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
