//! Text in XML and HTML.

use crate::base::source::visible::mark;

/// The text with everything escaped that means something in markup, in content and in quoted
/// attributes. Characters that are not shown, or that XML does not have, become their marks.
pub(crate) fn escape(text: &str) -> String {
    escape_by(text, |c, out| match c {
        '\t' | '\n' => out.push(c),
        c => out.push(mark(c).unwrap_or(c)),
    })
}

/// The same where something else becomes of characters that mean nothing in markup.
pub(crate) fn escape_by(text: &str, mut other: impl FnMut(char, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => other(c, &mut out),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn nothing_is_left_that_could_be_markup() {
        let hostile = "</script><b a=\"x\" b='y'>&\u{0}\u{1b}\u{202e}";
        let safe = escape(hostile);
        assert!(!safe.contains(['<', '>', '"', '\'', '\u{0}', '\u{1b}', '\u{202e}']));
        assert!(safe.starts_with("&lt;/script&gt;&lt;b"));
    }
}
