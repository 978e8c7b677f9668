//! Where a line ends: at `\n`, at `\r\n`, and at a `\r` that stands alone.
//!
//! Editors, and the protocol they speak, count all three; whoever counted otherwise would show one text and read
//! another. Lexer, formatter, places in messages and exercises all ask here.

/// The characters that end a line.
pub const ENDS: [char; 2] = ['\n', '\r'];

/// Whether a text goes over the end of a line.
pub fn breaks(text: &str) -> bool {
    text.contains(ENDS)
}

/// How many lines end in a text.
pub fn count(text: &str) -> usize {
    let bytes = text.as_bytes();
    let ends = |i: usize| match bytes[i] {
        b'\n' => true,
        b'\r' => bytes.get(i + 1) != Some(&b'\n'),
        _ => false,
    };
    (0..bytes.len()).filter(|i| ends(*i)).count()
}

/// The lines of a text, each with its end, so that their lengths add up.
pub fn whole(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = match rest.find(ENDS) {
            Some(at) if rest[at..].starts_with("\r\n") => at + 2,
            Some(at) => at + 1,
            None => rest.len(),
        };
        let (line, left) = rest.split_at(end);
        rest = left;
        (!line.is_empty()).then_some(line)
    })
}

/// The lines of a text without their ends.
pub fn bare(text: &str) -> impl Iterator<Item = &str> {
    whole(text).map(|line| line.trim_end_matches(ENDS))
}

/// The places of carriage returns that stand alone.
pub fn lone_returns(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let lone = |i: &usize| bytes[*i] == b'\r' && bytes.get(i + 1) != Some(&b'\n');
    (0..bytes.len()).filter(lone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_ends_of_a_line() {
        let text = "a\nb\r\nc\rd\r\r\n";
        assert_eq!(count(text), 5);
        let lines: Vec<&str> = whole(text).collect();
        assert_eq!(lines, ["a\n", "b\r\n", "c\r", "d\r", "\r\n"]);
        assert_eq!(lines.concat(), text);
        assert_eq!(bare(text).collect::<Vec<_>>(), ["a", "b", "c", "d", ""]);
        assert_eq!(lone_returns(text).collect::<Vec<_>>(), [6, 8]);
        assert!(whole("").next().is_none() && breaks("a\rb") && !breaks("a\tb"));
    }
}
