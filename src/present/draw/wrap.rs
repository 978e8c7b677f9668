//! Breaking terms and sentences into short lines.

use crate::base::source::wrap::wrap as lines;
use crate::present::report::HARD_SPACE;

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
                    .map(|c| if *c == ' ' { HARD_SPACE } else { *c }),
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
    let words = text.split([' ', '\n', '\t']).filter(|w| !w.is_empty());
    let mut lines = lines(&words.collect::<Vec<_>>().join(" "), width, &[' '], true);
    lines.retain(|l| !l.is_empty());
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
