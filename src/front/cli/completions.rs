//! `spi completions`: scripts for shells.

use clap_complete::Shell;
use std::io;

use super::{Console, Status};

/// Arguments of `spi completions`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Prints the script.
pub(super) fn run(
    args: &Args,
    command: &clap::Command,
    console: &mut Console,
) -> io::Result<Status> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command.clone(), "spi", &mut script);
    console.raw(&script)?;
    Ok(Status::Holds)
}
