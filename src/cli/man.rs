//! `spi man`: manual pages.

use clap_mangen::Man;
use std::fs;
use std::io;
use std::path::PathBuf;

use super::{Console, Status};
use crate::source::{Code, Diagnostic, SourceMap};

/// Arguments of `spi man`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The command, if not `spi` itself
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    command: Option<String>,

    /// Write all pages into this directory
    #[arg(long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,
}

/// Prints a page, or writes all of them.
pub fn run(args: &Args, mut command: clap::Command, console: &mut Console) -> io::Result<Status> {
    command.build();
    if let Some(folder) = &args.out {
        return match write_all(&command, folder) {
            Ok(()) => Ok(Status::Holds),
            Err(error) => {
                let message = format!("cannot write into `{}`: {error}", folder.display());
                let diagnostic = Diagnostic::new(Code::CannotWrite, message);
                console.diagnostics(&SourceMap::new(), &[diagnostic])?;
                Ok(Status::Error)
            }
        };
    }
    let page = match &args.command {
        None => &command,
        Some(name) => {
            let Some(found) = command.find_subcommand(name) else {
                let message = format!("there is no command `{name}`");
                let diagnostic = Diagnostic::new(Code::UnknownCommand, message)
                    .help("`spi help` lists the commands");
                console.diagnostics(&SourceMap::new(), &[diagnostic])?;
                return Ok(Status::Error);
            };
            found
        }
    };
    console.out().write_all(&rendered(page)?)?;
    Ok(Status::Holds)
}

/// A page. Its name joins the words of the command, as manuals do: `spi-check`.
fn rendered(command: &clap::Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone())
        .title(file_name(command))
        .source(concat!("spi ", env!("CARGO_PKG_VERSION")))
        .render(&mut page)?;
    Ok(page)
}

fn file_name(command: &clap::Command) -> String {
    let words = command.get_bin_name().unwrap_or(command.get_name());
    words.replace(' ', "-")
}

fn write_all(command: &clap::Command, folder: &std::path::Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let commands = command.get_subcommands().filter(|c| c.get_name() != "help");
    for page in std::iter::once(command).chain(commands) {
        let path = folder.join(format!("{}.1", file_name(page)));
        fs::write(path, rendered(page)?)?;
    }
    Ok(())
}
