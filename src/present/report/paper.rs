//! Lines of text: colour, indentation, wrapping.

use crate::base::source::render::Look;
use crate::base::source::wrap::wrap;
use std::io::{self, Write};

/// A blank at which no line is cut.
pub const HARD_SPACE: char = '\u{a0}';

/// The longest text that is kept in one piece: behind the lanes of a narration it still fits into 80 columns.
const PIECE: usize = 58;

/// The text in one piece, unless it is too long for a line.
pub(super) fn unbroken(text: &str) -> String {
    if text.chars().count() > PIECE {
        return text.to_owned();
    }
    text.replace(' ', "\u{a0}")
}

/// The text with plain blanks, for whoever does not wrap lines.
pub fn plain(text: &str) -> String {
    text.replace(HARD_SPACE, " ")
}

/// What a piece of text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// Nothing special.
    Plain,
    /// The claim, headings.
    Strong,
    /// Explanations.
    Faint,
    /// Good news.
    Good,
    /// Bad news.
    Bad,
    /// Neither.
    Doubt,
    /// The attacker.
    Spy,
}

impl Ink {
    fn code(self) -> &'static str {
        match self {
            Ink::Plain => "",
            Ink::Strong => "1",
            Ink::Faint => "2",
            Ink::Good => "1;32",
            Ink::Bad => "1;31",
            Ink::Doubt => "1;33",
            Ink::Spy => "31",
        }
    }
}

/// Somewhere to write lines.
pub struct Paper<'w> {
    out: &'w mut dyn Write,
    look: Look,
}

impl<'w> Paper<'w> {
    /// Writes to `out`.
    pub fn new(out: &'w mut dyn Write, look: Look) -> Self {
        Paper { out, look }
    }

    /// Colour and width.
    pub fn look(&self) -> Look {
        self.look
    }

    /// Lines are wrapped at this column.
    pub fn width(&self) -> usize {
        self.look.width
    }

    /// The stream itself.
    pub fn out(&mut self) -> &mut dyn Write {
        self.out
    }

    /// The text with its ink.
    pub fn paint(&self, text: &str, ink: Ink) -> String {
        if self.look.color && ink != Ink::Plain && !text.is_empty() {
            format!("\x1b[{}m{text}\x1b[0m", ink.code())
        } else {
            text.to_owned()
        }
    }

    /// A line.
    pub fn line(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")
    }

    /// An empty line.
    pub fn gap(&mut self) -> io::Result<()> {
        writeln!(self.out)
    }

    /// Finished text, every line indented.
    pub fn indented(&mut self, indent: usize, text: &[u8]) -> io::Result<()> {
        for line in String::from_utf8_lossy(text).lines() {
            if line.is_empty() {
                writeln!(self.out)?;
            } else {
                writeln!(self.out, "{:indent$}{line}", "")?;
            }
        }
        Ok(())
    }

    /// A paragraph, wrapped at blanks, every line indented.
    pub fn paragraph(&mut self, indent: usize, text: &str, ink: Ink) -> io::Result<()> {
        for line in wrap(text, self.width().saturating_sub(indent), &[' '], false) {
            let line = self.paint(&plain(&line), ink);
            writeln!(self.out, "{:indent$}{line}", "")?;
        }
        Ok(())
    }

    /// A head and a text that hangs beside it; `width` is that of the head, which may be painted.
    pub fn hanging(&mut self, head: &str, width: usize, text: &str) -> io::Result<()> {
        // A head that leaves no room is followed by a new line.
        let (indent, first) = if width > self.width() / 2 {
            (8, true)
        } else {
            (width, false)
        };
        let lines = wrap(
            text,
            self.width().saturating_sub(indent),
            &[' ', ','],
            false,
        );
        if first && lines.len() > 1 {
            writeln!(self.out, "{}", head.trim_end())?;
        }
        for (i, line) in lines.iter().enumerate() {
            if i == 0 && !(first && lines.len() > 1) {
                writeln!(self.out, "{head}{line}")?;
            } else {
                writeln!(self.out, "{:indent$}{line}", "")?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colour_is_only_used_when_asked_for() {
        let mut out = Vec::new();
        let mut look = Look::default();
        assert_eq!(Paper::new(&mut out, look).paint("x", Ink::Bad), "x");
        look.color = true;
        assert_eq!(
            Paper::new(&mut out, look).paint("x", Ink::Bad),
            "\x1b[1;31mx\x1b[0m"
        );
    }
}
