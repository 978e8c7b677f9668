//! Byte offsets and the protocol's positions: lines from 0, columns in UTF-16 code units.
//!
//! Both directions cost a scan of at most one block of the text, whatever the length of its lines.

use gen_lsp_types::{Position, Range};

use crate::base::source::Span;

/// Bytes between two entries of the table of code units.
const BLOCK: usize = 1024;

/// The lines of a text.
#[derive(Debug)]
pub(super) struct Lines {
    /// The offset of the first byte of each line.
    starts: Vec<usize>,
    /// The offset after the last byte of each line, its end-of-line excluded.
    ends: Vec<usize>,
    /// Code units before each block.
    units: Vec<usize>,
}

/// The code units of a character, counted at its first byte.
fn units_of(byte: u8) -> usize {
    match byte {
        0x80..=0xbf => 0,
        0xf0.. => 2,
        _ => 1,
    }
}

impl Lines {
    /// The lines of `text`. `\n`, `\r\n` and a lone `\r` end a line.
    pub(super) fn new(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let (mut starts, mut ends, mut units) = (vec![0], Vec::new(), Vec::new());
        let mut before = 0;
        for (i, byte) in bytes.iter().enumerate() {
            if i % BLOCK == 0 {
                units.push(before);
            }
            before += units_of(*byte);
            match byte {
                b'\n' if i > 0 && bytes[i - 1] == b'\r' => {
                    if let Some(start) = starts.last_mut() {
                        *start = i + 1;
                    }
                }
                b'\n' | b'\r' => {
                    ends.push(i);
                    starts.push(i + 1);
                }
                _ => {}
            }
        }
        units.push(before);
        ends.push(bytes.len());
        Lines {
            starts,
            ends,
            units,
        }
    }

    /// Code units before an offset.
    fn units_before(&self, text: &str, offset: usize) -> usize {
        let block = (offset / BLOCK).min(self.units.len() - 1);
        let rest = text.as_bytes().get(block * BLOCK..offset).unwrap_or(&[]);
        self.units[block] + rest.iter().map(|b| units_of(*b)).sum::<usize>()
    }

    /// The position of a byte offset; beyond the end it is the end.
    pub(super) fn position(&self, text: &str, offset: usize) -> Position {
        let offset = offset.min(text.len());
        let line = self.starts.partition_point(|s| *s <= offset).max(1) - 1;
        let start = self.starts[line];
        let end = offset.min(self.ends[line]).max(start);
        let column = self.units_before(text, end) - self.units_before(text, start);
        Position {
            line: line as u32,
            character: column as u32,
        }
    }

    /// The byte offset of a position. A line that is not there is the end of the text, a column
    /// beyond its line the end of the line, half a character its start.
    pub(super) fn offset(&self, text: &str, position: Position) -> usize {
        let line = position.line as usize;
        let (Some(&start), Some(&end)) = (self.starts.get(line), self.ends.get(line)) else {
            return text.len();
        };
        let wanted = self.units_before(text, start) + position.character as usize;
        let last = self.units.partition_point(|u| *u <= wanted).max(1) - 1;
        let mut at = (last * BLOCK).max(start);
        let mut used = self.units_before(text, at);
        let bytes = text.as_bytes();
        while at < end && used + units_of(bytes[at]) <= wanted {
            used += units_of(bytes[at]);
            at += 1;
        }
        let mut at = at.min(end);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    /// The range of a span.
    pub(super) fn range(&self, text: &str, span: Span) -> Range {
        Range {
            start: self.position(text, span.start as usize),
            end: self.position(text, span.end as usize),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn columns_are_code_units() {
        let text = "aν𝒩b\nc";
        let lines = Lines::new(text);
        let positions: Vec<(u32, u32)> = [0, 1, 3, 7, 8, 9, 10]
            .map(|o| lines.position(text, o))
            .map(|p| (p.line, p.character))
            .to_vec();
        assert_eq!(
            positions,
            [(0, 0), (0, 1), (0, 2), (0, 4), (0, 5), (1, 0), (1, 1)]
        );
        assert_eq!(lines.offset(text, at(0, 4)), 7);
        assert_eq!(lines.offset(text, at(0, 3)), 3, "half a character");
        assert_eq!(lines.offset(text, at(0, 99)), 8);
        assert_eq!(lines.offset(text, at(7, 0)), text.len());
    }

    #[test]
    fn every_end_of_line_counts() {
        let text = "a\r\nb\rc\n";
        let lines = Lines::new(text);
        for (line, offset) in [(0, 0), (1, 3), (2, 5), (3, 7)] {
            assert_eq!(lines.offset(text, at(line, 0)), offset);
            assert_eq!(lines.position(text, offset), at(line, 0));
        }
        assert_eq!(lines.offset(text, at(0, 9)), 1);
    }

    #[test]
    fn both_directions_agree_at_every_character() {
        let long = "xν𝒩 ".repeat(1000);
        let text = format!("{long}\r\n{long}\n\n{long}");
        let lines = Lines::new(&text);
        for (offset, c) in text
            .char_indices()
            .filter(|(_, c)| !matches!(c, '\r' | '\n'))
        {
            let position = lines.position(&text, offset);
            assert_eq!(lines.offset(&text, position), offset, "{c} at {offset}");
        }
    }
}
