//! Breaking terms and sentences into short lines.

/// A blank at which no line is broken.
const HARD: char = '\u{a0}';

/// A message in which short ciphertexts and tuples stay in one piece.
pub fn pieces(message: &str) -> String {
    let chars: Vec<char> = message.chars().collect();
    let mut out = String::with_capacity(message.len());
    let mut i = 0;
    while i < chars.len() {
        let end = if matches!(chars[i], '{' | '(') {
            closing(&chars, i)
        } else {
            i
        };
        if end > i && end - i < PIECE {
            out.extend(
                chars[i..=end]
                    .iter()
                    .map(|c| if *c == ' ' { HARD } else { *c }),
            );
            i = end;
        } else {
            out.push(chars[i]);
        }
        i += 1;
    }
    out
}

/// Longest piece that is kept together.
const PIECE: usize = 26;

/// Where the bracket that opens at `from` closes; `from` itself if it does not.
fn closing(chars: &[char], from: usize) -> usize {
    let mut depth = 0usize;
    for (i, c) in chars.iter().enumerate().skip(from) {
        match c {
            '{' | '(' | '[' => depth += 1,
            '}' | ')' | ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return i;
                }
            }
            _ => {}
        }
    }
    from
}

/// Lines of at most `width` characters, broken at blanks; a word that is longer is broken anywhere.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    let mut size = 0;
    for word in text.split([' ', '\n', '\t']).filter(|w| !w.is_empty()) {
        let mut rest: Vec<char> = word.chars().collect();
        if size > 0 && size + 1 + rest.len() > width {
            lines.push(std::mem::take(&mut line));
            size = 0;
        }
        while rest.len() > width {
            let tail = rest.split_off(width);
            lines.push(rest.into_iter().collect());
            rest = tail;
        }
        if size > 0 {
            line.push(' ');
            size += 1;
        }
        size += rest.len();
        line.extend(rest);
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::{pieces, wrap};

    #[test]
    fn short_ciphertexts_stay_in_one_piece() {
        let text = pieces("Nc, C, {Nc, C, A}K(A), Ni");
        assert_eq!(
            wrap(&text, 16),
            ["Nc, C,", "{Nc,\u{a0}C,\u{a0}A}K(A),", "Ni"]
        );
        assert_eq!(pieces("{a, (b"), "{a, (b");
    }

    #[test]
    fn lines_are_never_longer_than_asked_for() {
        let text = "{Na, A, B}K(A), averyveryverylongwordindeed, x";
        let lines = wrap(text, 12);
        assert!(lines.iter().all(|l| l.chars().count() <= 12), "{lines:?}");
        assert_eq!(lines.concat().replace(' ', ""), text.replace(' ', ""));
        assert!(wrap("", 5).is_empty());
    }
}
