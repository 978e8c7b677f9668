//! The commands: their names, what they are for, and their arguments.
//!
//! The arguments of a command are described to the parser when the command is named, or when somebody asks for help, a
//! script for a shell or the manual page: there are about a hundred, and to describe them all would take as long as to read a
//! small file.

use clap::error::ErrorKind;
use clap::{ArgMatches, Error, FromArgMatches, Subcommand};

use super::{
    check, completions, equiv, expand, explain, fmt, grade, lsp, lts, man, mutate, new, repair,
    replay, run, test, vary, verify,
};

macro_rules! commands {
    ($($(#[doc = $about:literal])+ $command:ident($args:ty) = $name:literal,)*) => {
        /// A command and its arguments.
        #[derive(Debug)]
        pub(super) enum Command {
            $($(#[doc = $about])+ $command($args),)*
        }

        impl Command {
            /// A command with its arguments described at once: in scripts for shells they stand before those that all
            /// commands have.
            pub(super) fn describe(command: clap::Command) -> clap::Command {
                match command.get_name() {
                    $($name => described::<$args>(command).defer(|described| described),)*
                    _ => command,
                }
            }
        }

        impl Subcommand for Command {
            fn augment_subcommands(whole: clap::Command) -> clap::Command {
                whole$(.subcommand(
                    clap::Command::new($name)
                        .about(concat!($($about),+).trim())
                        .defer(described::<$args>),
                ))*
            }

            fn augment_subcommands_for_update(whole: clap::Command) -> clap::Command {
                Self::augment_subcommands(whole)
            }

            fn has_subcommand(name: &str) -> bool {
                [$($name),*].contains(&name)
            }
        }

        impl FromArgMatches for Command {
            fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
                Self::from_arg_matches_mut(&mut matches.clone())
            }

            fn from_arg_matches_mut(matches: &mut ArgMatches) -> Result<Self, Error> {
                let Some((name, mut of)) = matches.remove_subcommand() else {
                    return Err(Error::raw(ErrorKind::MissingSubcommand, "a command is missing"));
                };
                match &*name {
                    $($name => Ok(Command::$command(<$args>::from_arg_matches_mut(&mut of)?)),)*
                    _ => Err(Error::raw(ErrorKind::InvalidSubcommand, "no such command")),
                }
            }

            fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
                *self = Self::from_arg_matches(matches)?;
                Ok(())
            }
        }
    };
}

commands! {
    /// Write a first model, to go on from
    New(new::Args) = "new",
    /// Check claims: proofs for any number of runs, attacks by search
    Check(check::Args) = "check",
    /// Decide whether two systems are testing equivalent
    Equiv(equiv::Args) = "equiv",
    /// Compare every claim of every file with its expectation
    Test(test::Args) = "test",
    /// Leave out one thing at a time and see which claim notices
    Mutate(mutate::Args) = "mutate",
    /// Look for the smallest additions after which all claims hold
    Repair(repair::Args) = "repair",
    /// Grade what a student hands in for an exercise
    Grade(grade::Args) = "grade",
    /// Make variants of an exercise, one for each student
    Vary(vary::Args) = "vary",
    /// Show the run in which nobody interferes
    Run(run::Args) = "run",
    /// Explore the state space of a system
    Lts(lts::Args) = "lts",
    /// Run an attack, written as a process, beside the system
    Replay(replay::Args) = "replay",
    /// Check a certificate again: nothing is searched
    Verify(verify::Args) = "verify",
    /// Put files into the canonical layout
    Fmt(fmt::Args) = "fmt",
    /// Print what a narration stands for: definitions, a system and claims
    Expand(expand::Args) = "expand",
    /// Explain the code of a diagnostic, or a word of a report
    Explain(explain::Args) = "explain",
    /// Serve an editor: the language server, over standard input and output
    Lsp(lsp::Args) = "lsp",
    /// Print a script that completes arguments in a shell
    Completions(completions::Args) = "completions",
    /// Print the manual page
    Man(man::Args) = "man",
}

/// A command with its arguments; what it is for stays as it was said.
fn described<A: clap::Args>(command: clap::Command) -> clap::Command {
    let about = command.get_about().cloned().unwrap_or_default();
    A::augment_args(command).about(about).long_about(None)
}
