//! `spi man`: manual pages.

use clap_mangen::Man;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::examples::sections;
use super::output::{Form, OutputArgs};
use super::{Console, Status};
use crate::base::source::{Code, Diagnostic, SourceMap};

/// Arguments of `spi man`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The command, if not `spi` itself
    #[arg(value_name = "COMMAND", conflicts_with = "out")]
    command: Option<String>,

    /// Write all pages into this directory
    #[arg(long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,

    #[command(flatten)]
    output: OutputArgs,
}

/// Prints a page, or writes all of them.
pub(super) fn run(
    args: &Args,
    mut command: clap::Command,
    console: &mut Console,
) -> io::Result<Status> {
    command.build();
    if let Some(folder) = &args.out {
        return match write_all(&command, folder, args.output)? {
            Ok(()) => Ok(Status::Holds),
            Err(diagnostics) => {
                console.diagnostics(&SourceMap::new(), &diagnostics)?;
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
    console.raw(&rendered(page)?)?;
    Ok(Status::Holds)
}

/// A page. Its name joins the words of the command, as manuals do: `spi-check`.
fn rendered(command: &clap::Command) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    Man::new(command.clone())
        .title(file_name(command))
        .source(concat!("spi ", env!("CARGO_PKG_VERSION")))
        .render(&mut page)?;
    page.extend_from_slice(sections(command.get_name()).as_bytes());
    Ok(page)
}

fn file_name(command: &clap::Command) -> String {
    let words = command.get_bin_name().unwrap_or(command.get_name());
    words.replace(' ', "-")
}

/// Writes all pages into a folder, unless one of them is not to be.
fn write_all(
    command: &clap::Command,
    folder: &Path,
    output: OutputArgs,
) -> io::Result<Result<(), Vec<Diagnostic>>> {
    if let Err(error) = fs::create_dir_all(folder) {
        let message = format!("cannot write into `{}`: {error}", folder.display());
        return Ok(Err(vec![Diagnostic::new(Code::CannotWrite, message)]));
    }
    let commands = command.get_subcommands().filter(|c| c.get_name() != "help");
    let pages: Vec<(PathBuf, &clap::Command)> = std::iter::once(command)
        .chain(commands)
        .map(|page| (folder.join(format!("{}.1", file_name(page))), page))
        .collect();
    let outputs = output.outputs([]);
    let refusals = outputs.refusals(pages.iter().map(|(path, _)| path.as_path()));
    if !refusals.is_empty() {
        return Ok(Err(refusals));
    }
    for (path, page) in pages {
        let text = String::from_utf8_lossy(&rendered(page)?).into_owned();
        if let Err(diagnostic) = outputs.write(&path, text, Form::Manual) {
            return Ok(Err(vec![diagnostic]));
        }
    }
    Ok(Ok(()))
}
