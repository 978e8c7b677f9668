//! The language server: an editor's questions about one file, answered while it is typed.
//!
//! One thread reads messages (`frames`), one answers them (`server`), and each run of a claim has
//! its own thread (`job`). All events reach the answering thread through one channel, so only
//! finished values and the flag that cancels a run are shared. A text is checked when the channel
//! is empty or a request needs it (`snapshot`). Answers are computed from the snapshot and nothing
//! else (`requests`).
//!
//! The types of the protocol are those of `gen-lsp-types`. Frames are read here: a malformed
//! message is answered and skipped, it does not end the session.
//!
//! Left to others: what is wrong (`sema`), layout (`syntax`), verdicts (`analysis`), their wording
//! (`report`).

mod capabilities;
mod commands;
mod completion;
mod diagnostics;
mod document;
mod frames;
mod hover;
mod index;
mod inlay;
mod job;
mod lens;
mod options;
mod position;
mod quick_fixes;
mod rename;
mod requests;
mod server;
mod snapshot;
mod symbols;
mod tokens;
mod uri;

use std::io::{self, BufReader, Read, Write};
use std::sync::mpsc;

use server::{Event, Server};

/// Stack of a thread that checks or analyses: recursion is bounded, but deep.
const STACK: usize = 256 << 20;

/// Serves one client until it leaves; returns whether it left in order, after `shutdown`.
pub fn serve(input: impl Read + Send + 'static, output: &mut dyn Write) -> io::Result<bool> {
    let (sender, receiver) = mpsc::channel();
    let incoming = sender.clone();
    std::thread::Builder::new()
        .name("spi lsp reader".to_owned())
        .spawn(move || {
            let mut reader = frames::Reader::new(BufReader::new(input));
            // The receiver is gone if the session has ended.
            while let Ok(Some(message)) = reader.next()
                && incoming.send(Event::Incoming(message)).is_ok()
            {}
            let _ = incoming.send(Event::End);
        })?;
    Server::new(output, sender).run(&receiver)
}
