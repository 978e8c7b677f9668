//! Documents as they are written: what a terminal would obey is escaped.
//!
//! JSON itself escapes only the first 32 characters. The others that have a mark ([`mark`]) are written as `\u009b`, so that
//! a document may be looked at, and a reader gets back what was there.

use serde::Serialize;
use std::fmt::Write as _;
use std::io::{self, Write};

use crate::base::source::visible::mark;

/// Writes a document and ends its last line.
pub fn write(out: &mut dyn Write, document: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer_pretty(Escaping(out), document)?;
    writeln!(out)
}

/// A stream of JSON, in which characters beyond ASCII stand in strings only.
struct Escaping<'w>(&'w mut dyn Write);

impl Write for Escaping<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let plain = |b: &u8| b.is_ascii() && *b != 0x7f;
        // Strings come in pieces that are text.
        let text = match std::str::from_utf8(bytes) {
            Ok(text) if !bytes.iter().all(plain) => text,
            _ => return self.0.write_all(bytes).map(|()| bytes.len()),
        };
        let mut escaped = String::with_capacity(text.len());
        for c in text.chars() {
            if c != '\n' && mark(c).is_some() {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(escaped, "\\u{unit:04x}");
                }
            } else {
                escaped.push(c);
            }
        }
        self.0.write_all(escaped.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_hidden_and_nothing_lost() {
        let text = "é \u{1b}[2J\u{7f}\u{9b}\u{202e}\u{e0041} \"\\ \n";
        let mut out = Vec::new();
        write(&mut out, &[text]).expect("memory takes everything");
        let out = String::from_utf8(out).expect("JSON is text");
        assert!(out.chars().all(|c| c == '\n' || mark(c).is_none()), "{out}");
        assert!(out.contains("é \\u001b[2J\\u007f\\u009b\\u202e\\udb40\\udc41"));
        let back: Vec<String> = serde_json::from_str(&out).expect("it is JSON");
        assert_eq!(back, [text]);
    }
}
