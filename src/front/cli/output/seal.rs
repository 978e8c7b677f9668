//! The last line of a file that `spi` wrote, by which it knows the file again.
//!
//! It is a comment with a fingerprint of everything before it. A file whose last line fits was written by `spi` and not changed
//! since, so that nothing of anybody's work is lost if it is written again; what was changed by hand no longer fits.

use std::fmt::Write;

/// What stands in front of the fingerprint.
const WORDS: &str = "written by spi: ";

/// How a comment looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A model or an attack.
    Model,
    /// A chart or a page.
    Markup,
    /// A page of the manual.
    Manual,
    /// A chart for a paper.
    Tex,
    /// An exercise.
    Exercise,
}

impl Form {
    const ALL: [Form; 5] = [
        Form::Model,
        Form::Markup,
        Form::Manual,
        Form::Tex,
        Form::Exercise,
    ];

    fn comment(self) -> (&'static str, &'static str) {
        match self {
            Form::Model => ("// ", ""),
            Form::Markup => ("<!-- ", " -->"),
            Form::Manual => (".\\\" ", ""),
            Form::Tex => ("% ", ""),
            Form::Exercise => ("# ", ""),
        }
    }
}

/// The text with its seal.
pub(super) fn sealed(mut text: String, form: Form) -> String {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let (open, close) = form.comment();
    let print = fingerprint(text.as_bytes());
    let _ = writeln!(text, "{open}{WORDS}{print:016x}{close}");
    text
}

/// Whether a file was written by `spi` and is as it was then. Nothing is lost either if there is nothing in it.
pub(super) fn is_sealed(bytes: &[u8]) -> bool {
    let Some(body) = bytes.strip_suffix(b"\n") else {
        return bytes.is_empty();
    };
    let start = body
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |at| at + 1);
    let (text, last) = body.split_at(start);
    Form::ALL.iter().any(|form| {
        let (open, close) = form.comment();
        let line = format!("{open}{WORDS}{:016x}{close}", fingerprint(text));
        last == line.as_bytes()
    })
}

/// The hash FNV-1a: the same on every machine. It guards against accidents, not against forgery.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, b| {
        (hash ^ u64::from(*b)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_is_no_longer_sealed() {
        for form in Form::ALL {
            for text in ["", "a", "agent A\n", "a\n\nb\r\n"] {
                let whole = sealed(text.to_owned(), form);
                assert!(
                    whole.starts_with(text) && is_sealed(whole.as_bytes()),
                    "{whole}"
                );
                for at in 0..whole.len() {
                    let mut changed = whole.clone().into_bytes();
                    changed[at] ^= 1;
                    assert!(!is_sealed(&changed), "{whole}: {at}");
                    assert!(
                        at == 0 || !is_sealed(&whole.as_bytes()[..at]),
                        "{whole}: {at}"
                    );
                }
                assert!(!is_sealed(format!("{whole}c<0>\n").as_bytes()));
            }
        }
        assert!(is_sealed(b""));
        assert!(!is_sealed(b"\n"));
    }
}
