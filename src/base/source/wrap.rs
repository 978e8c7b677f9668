//! Breaking text into lines.

/// Cuts a text into lines of at most `width` characters, after one of the given characters. What can't be cut there stays
/// longer, unless `anywhere` says that it is cut all the same.
pub fn wrap(text: &str, width: usize, after: &[char], anywhere: bool) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for mut piece in text.split_inclusive(after) {
        if used > 0 && used + length(piece.trim_end()) > width {
            lines.push(line.trim_end().to_owned());
            line.clear();
            used = 0;
        }
        while anywhere && length(piece.trim_end()) > width {
            let end = piece.char_indices().nth(width.max(1));
            let (head, tail) = piece.split_at(end.map_or(piece.len(), |(at, _)| at));
            lines.push(head.to_owned());
            piece = tail;
        }
        // A blank that follows a cut belongs to the line before.
        if used > 0 || !piece.trim().is_empty() {
            line.push_str(piece);
            used += length(piece);
        }
    }
    if !line.trim().is_empty() || lines.is_empty() {
        lines.push(line.trim_end().to_owned());
    }
    lines
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn lines_are_cut_where_allowed_and_nowhere_else() {
        let kept = |text, width| wrap(text, width, &[' '], false);
        assert_eq!(kept("a, b, c", 4), ["a,", "b, c"]);
        assert_eq!(kept("abcdef gh", 3), ["abcdef", "gh"]);
        assert_eq!(kept("", 3), [""]);
        assert_eq!(kept("aa bb", 5), ["aa bb"]);
    }

    #[test]
    fn long_words_are_cut_where_that_is_asked_for() {
        let cut = |text, width| wrap(text, width, &[' '], true);
        assert_eq!(cut("ab abcdefgh ij", 3), ["ab", "abc", "def", "gh", "ij"]);
        assert_eq!(cut("abcdefgh i", 4), ["abcd", "efgh", "i"]);
        assert_eq!(cut("äöü", 1), ["ä", "ö", "ü"]);
        assert_eq!(cut("ab", 0), ["a", "b"]);
    }
}
