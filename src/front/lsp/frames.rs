//! Frames: `Content-Length`, an empty line, JSON.
//!
//! A malformed message is skipped up to the next header and returned as [`Incoming::Malformed`], so
//! that the client can be told. Memory grows with the bytes that have arrived, not with the length
//! that a header announces.

use gen_lsp_types::ErrorCodes;
use serde::Serialize;
use serde_json::Value;
use std::io::{self, BufRead, Read, Write};

/// Longest accepted message. A file has up to 4 MiB, and its text may double when it is quoted.
const MAX_MESSAGE: u64 = 160 << 20;

/// Longest accepted line of a header.
const MAX_HEADER: u64 = 4096;

const LENGTH: &str = "content-length:";

/// What arrived.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    /// JSON.
    Message(Value),
    /// Something else, and why it is not a message.
    Malformed(ErrorCodes, String),
}

/// Reads frames.
pub(super) struct Reader<R> {
    input: R,
}

impl<R: BufRead> Reader<R> {
    /// Reads from `input`.
    pub(super) fn new(input: R) -> Self {
        Reader { input }
    }

    /// The next message; `None` at the end of the input.
    pub(super) fn next(&mut self) -> io::Result<Option<Incoming>> {
        let mut length = None;
        let mut header = false;
        loop {
            let mut line = Vec::new();
            let mut limited = (&mut self.input).take(MAX_HEADER);
            if limited.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end_matches(['\r', '\n']);
            if !line.is_empty() {
                header = true;
                length = announced(line).or(length);
            } else if let Some(length) = length {
                return self.body(length);
            } else if header {
                let text = "a header without a valid Content-Length";
                return Ok(Some(garbage(ErrorCodes::ParseError, text)));
            }
        }
    }

    fn body(&mut self, length: u64) -> io::Result<Option<Incoming>> {
        if length > MAX_MESSAGE {
            io::copy(&mut (&mut self.input).take(length), &mut io::sink())?;
            let text = format!("a message of {length} bytes is too long");
            return Ok(Some(garbage(ErrorCodes::InvalidRequest, &text)));
        }
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(length).read_to_end(&mut bytes)?;
        if (read as u64) < length {
            return Ok(None);
        }
        Ok(Some(match serde_json::from_slice(&bytes) {
            Ok(value) => Incoming::Message(value),
            Err(error) => garbage(ErrorCodes::ParseError, &format!("not JSON: {error}")),
        }))
    }
}

/// The length that a line of a header announces. It is looked for anywhere in the line: after a
/// body that was longer than announced, the next header does not start one.
fn announced(line: &str) -> Option<u64> {
    let at = line.to_ascii_lowercase().find(LENGTH)?;
    line.get(at + LENGTH.len()..)?.trim().parse().ok()
}

fn garbage(code: ErrorCodes, text: &str) -> Incoming {
    Incoming::Malformed(code, text.to_owned())
}

/// Writes one message.
pub(super) fn write(out: &mut dyn Write, message: &impl Serialize) -> io::Result<()> {
    let text = serde_json::to_vec(message)?;
    write!(out, "Content-Length: {}\r\n\r\n", text.len())?;
    out.write_all(&text)?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(bytes: &[u8]) -> Vec<Incoming> {
        let mut reader = Reader::new(bytes);
        std::iter::from_fn(|| reader.next().expect("memory can be read")).collect()
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    #[test]
    fn what_was_written_is_read() {
        let mut bytes = Vec::new();
        write(&mut bytes, &Value::from("ν")).expect("memory can be written");
        assert_eq!(all(&bytes), [Incoming::Message(Value::from("ν"))]);
    }

    #[test]
    fn garbage_is_reported_and_skipped() {
        let good = framed("1");
        for bad in [
            "Content-Length: x\r\n\r\n".to_owned(),
            "nonsense\r\n\r\n".to_owned(),
            framed("{"),
            framed("{\"a\":"),
            format!("Content-Length: {}\r\n\r\n", u64::MAX / 2) + &" ".repeat(10_000),
        ] {
            let got = all(format!("{bad}{good}").as_bytes());
            assert!(
                matches!(got.first(), Some(Incoming::Malformed(..)) | None),
                "{bad:?}: {got:?}"
            );
        }
        let got = all(format!("{}{good}", framed("{")).as_bytes());
        assert_eq!(got.last(), Some(&Incoming::Message(Value::from(1))));
    }

    #[test]
    fn a_body_that_is_too_long_does_not_hide_the_next_message() {
        let text = format!("Content-Length: 1\r\n\r\n1 2 3{}", framed("4"));
        let numbers: Vec<Incoming> = all(text.as_bytes());
        assert_eq!(numbers.last(), Some(&Incoming::Message(Value::from(4))));
    }

    #[test]
    fn a_body_that_never_comes_is_the_end() {
        assert_eq!(all(b"Content-Length: 10\r\n\r\n12"), []);
    }
}
