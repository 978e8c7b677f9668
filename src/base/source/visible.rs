//! What a person may be shown: the one place that decides it.
//!
//! A terminal obeys some characters instead of showing them: ESC sequences clear the screen, a backspace rubs out, a
//! bidirectional control turns the order of a line round. A model, a file name or an argument may hold any of them, and
//! what it holds must not be able to speak for us. So each gets a mark of one character: a control picture (`␛`) where
//! there is one, `�` otherwise. One character for one character keeps columns and carets right.
//!
//! Left to others: forms for machines, which keep what they were given, escaped as the form has it.

use std::borrow::Cow;
use std::io::{self, Write};

/// The mark that stands for a character which a terminal would obey or not show; `None` if it shows itself. Line ends and
/// tabs have marks too: where they are layout, it is the caller who knows.
pub fn mark(c: char) -> Option<char> {
    match c {
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)),
        '\u{7f}' => Some('\u{2421}'),
        '\u{80}'..='\u{9f}' => Some('\u{fffd}'),
        c if is_bidi(c) || is_invisible(c) => Some('\u{fffd}'),
        _ => None,
    }
}

/// Whether a character changes the order in which those around it are shown.
pub fn is_bidi(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Whether a character takes no room and is not about the one before it: format characters, unusual line ends,
/// non-characters.
fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{180e}'
            | '\u{200b}'..='\u{200d}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{2060}'..='\u{2065}'
            | '\u{206a}'..='\u{206f}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{fffe}'
            | '\u{ffff}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// A text of one line as a person may see it.
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.chars().any(|c| mark(c).is_some()) {
        Cow::Owned(text.chars().map(|c| mark(c).unwrap_or(c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// A text of several lines as a person may see it.
pub fn visible_lines(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| mark(c).filter(|_| c != '\n');
    if text.chars().any(|c| hidden(c).is_some()) {
        Cow::Owned(text.chars().map(|c| hidden(c).unwrap_or(c)).collect())
    } else {
        Cow::Borrowed(text)
    }
}

/// The last gate before a person: marks whatever is still hidden in what is written. Line ends pass and, if colour is
/// wanted, sequences that choose a colour or a weight; none that conceals, moves or clears.
pub struct Gate<W: Write> {
    to: W,
    color: bool,
    open: bool,
    /// The start of a character or of an escape sequence that the next write may complete.
    pending: Vec<u8>,
}

/// No escape sequence of ours is longer.
const LONGEST: usize = 24;

impl<W: Write> Gate<W> {
    /// A gate in front of a stream.
    pub fn new(to: W, color: bool) -> Gate<W> {
        Gate {
            to,
            color,
            open: false,
            pending: Vec::new(),
        }
    }

    /// Lets everything pass as it is, for what is not for people, or no longer does. Flush before.
    pub fn open(&mut self, open: bool) {
        self.open = open;
    }

    /// Writes what is complete; at the end everything.
    fn pass(&mut self, end: bool) -> io::Result<()> {
        let bytes = std::mem::take(&mut self.pending);
        let whole = match std::str::from_utf8(&bytes) {
            // A character that is cut off waits; what is no text at all is marked below.
            Err(e) if e.error_len().is_none() && !end => e.valid_up_to(),
            Ok(_) | Err(_) => bytes.len(),
        };
        let text = String::from_utf8_lossy(&bytes[..whole]);
        let mut out = String::with_capacity(text.len());
        let mut rest = &*text;
        while let Some(c) = rest.chars().next() {
            let taken = match self.color.then(|| colour(rest)).flatten() {
                Some(Colour::Whole(n)) => {
                    out.push_str(&rest[..n]);
                    n
                }
                Some(Colour::Cut) if !end => break,
                _ => {
                    out.push(mark(c).filter(|_| c != '\n').unwrap_or(c));
                    c.len_utf8()
                }
            };
            rest = &rest[taken..];
        }
        self.pending = [rest.as_bytes(), &bytes[whole..]].concat();
        self.to.write_all(out.as_bytes())
    }
}

enum Colour {
    /// A sequence of so many bytes.
    Whole(usize),
    /// What may become one.
    Cut,
}

/// The sequence `ESC [ 1 ; 31 m` at the start of a text, if it only says how letters look: weights, italics, underlines and
/// colours, not concealment.
fn colour(text: &str) -> Option<Colour> {
    let codes = text.strip_prefix('\u{1b}')?;
    if codes.is_empty() {
        return Some(Colour::Cut);
    }
    if codes == "[" {
        return Some(Colour::Cut);
    }
    let codes = codes.strip_prefix('[')?;
    let length = codes
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b';')
        .count();
    let plain = |codes: &str| match codes.strip_prefix("38;5;") {
        Some(number) => !number.contains(';'),
        None => codes.split(';').all(|code| code.parse() != Ok(8)),
    };
    match codes.as_bytes().get(length) {
        None if length < LONGEST => Some(Colour::Cut),
        Some(b'm') if plain(&codes[..length]) => Some(Colour::Whole(length + 3)),
        _ => None,
    }
}

impl<W: Write> Write for Gate<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.open {
            return self.to.write(bytes);
        }
        self.pending.extend_from_slice(bytes);
        self.pass(false)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.pass(true)?;
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn through(color: bool, pieces: &[&[u8]]) -> String {
        let mut gate = Gate::new(Vec::new(), color);
        for piece in pieces {
            gate.write_all(piece).expect("memory takes everything");
        }
        gate.flush().expect("memory takes everything");
        String::from_utf8(gate.to).expect("only text comes out")
    }

    #[test]
    fn one_character_stands_for_one() {
        assert_eq!(visible("a\u{1b}[2J\u{8}\0\n\t\u{7f}"), "a␛[2J␈␀␊␉␡");
        assert_eq!(visible("x\u{202e}y\u{9b}z"), "x�y�z");
        assert_eq!(visible_lines("a\r\nb\u{1b}"), "a␍\nb␛");
        assert!(matches!(visible("(νn) c⟨n⟩ é"), Cow::Borrowed(_)));
        for c in ('\0'..=char::MAX).filter(|c| c.is_control() || is_bidi(*c)) {
            let mark = mark(c).expect("it has a mark");
            assert!(!mark.is_control() && super::mark(mark).is_none());
        }
    }

    #[test]
    fn colours_pass_only_where_they_are_wanted() {
        let red = "\u{1b}[1;31mred\u{1b}[0m";
        assert_eq!(through(true, &[red.as_bytes()]), red);
        assert_eq!(through(false, &[red.as_bytes()]), "␛[1;31mred␛[0m");
        assert_eq!(
            through(true, &[b"\x1b[2J\x1b]0;t\x07\x1b[8mx"]),
            "␛[2J␛]0;t␇␛[8mx"
        );
    }

    #[test]
    fn it_does_not_matter_how_writes_are_cut() {
        let text = "é\u{1b}[38;5;246mν\u{1b}[0m\u{1b}[2J\u{202e}\u{1b}";
        let whole = through(true, &[text.as_bytes()]);
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(through(true, &bytes), whole);
        assert_eq!(whole, "é\u{1b}[38;5;246mν\u{1b}[0m␛[2J�␛");
        assert_eq!(through(true, &[b"a\xffb\xc3"]), "a\u{fffd}b\u{fffd}");
    }
}
