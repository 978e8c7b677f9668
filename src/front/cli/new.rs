//! `spi new`: a first model, which runs.

use std::io;
use std::path::PathBuf;

use super::artifacts::shell_word;
use super::output::OutputArgs;
use super::{Console, Status};
use crate::base::source::{SourceMap, load};
use crate::lang::syntax::{link, narration};

/// The model: told line by line, with an attack that is worth finding.
const MODEL: &str = "\
// A sends B a fresh key, signed and encrypted. B answers with an order under that key.
//
// Try: spi check, spi run, spi repair, spi expand.

keypair K(Agent)

protocol Order(A, B)
  A creates k: Sym
  1. A -> B: {{k}K(A)-}K(B)+
  2. B -> A: {m}k
goals
  secrecy m between A, B
  B authenticates A on k
";

/// Arguments of `spi new`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The file to make; `-` prints it
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// Write processes instead of a narration
    #[arg(long)]
    processes: bool,

    #[command(flatten)]
    writes: OutputArgs,
}

/// Writes the model.
pub(super) fn run(args: &Args, console: &mut Console) -> io::Result<Status> {
    let text = if args.processes {
        let mut map = SourceMap::new();
        let file = map.add("new.spi", MODEL);
        let (tree, _) = link::parse(&mut map, &file);
        narration::expanded(&file, &tree)
    } else {
        MODEL.to_owned()
    };
    if args.file.as_os_str() == load::STDIN {
        console.out().write_all(text.as_bytes())?;
        return Ok(Status::Holds);
    }
    let shown = shell_word(&args.file.display().to_string());
    if let Err(diagnostic) = args.writes.outputs([]).create(&args.file, &text) {
        console.diagnostics(&SourceMap::new(), &[diagnostic])?;
        return Ok(Status::Error);
    }
    console.note(&format!("wrote {shown}; next: spi check {shown}"))?;
    Ok(Status::Holds)
}
