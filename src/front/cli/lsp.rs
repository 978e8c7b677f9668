//! `spi lsp`: the language server.

use std::io;

use super::Status;

/// Arguments of `spi lsp`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Speak over standard input and output; there is no other way, editors like to say it
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Serves one client.
pub(super) fn run(_: &Args) -> io::Result<Status> {
    let ended = match crate::front::lsp::serve(io::stdin(), &mut io::stdout().lock()) {
        // The client does not listen any more.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => false,
        ended => ended?,
    };
    // The protocol asks for 1 if the client leaves without `shutdown`.
    Ok(if ended {
        Status::Holds
    } else {
        Status::Refuted
    })
}
