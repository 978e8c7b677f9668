//! Where a written container takes another part: before its first, or after its last.
//!
//! The tree leaves out brackets that only group, so the places are found in the text.

use crate::base::source::{SourceFile, Span};

/// A place for another part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Before the first part.
    Front,
    /// After the last part.
    Back,
}

impl End {
    /// What is written for a part at this end.
    pub(super) fn written(self, part: &str) -> String {
        match self {
            End::Front => format!("{part}, "),
            End::Back => format!(", {part}"),
        }
    }
}

/// How a container is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum Brackets {
    /// `{M}k`, `{[M]}k`, `[{M}]k`, with the place of the key.
    Before(Span),
    /// `H(M)`, `c<M>`, `c(p)`: up to the last bracket.
    Last,
    /// `(M, N)`, or `M, N` where other brackets enclose it.
    Own,
}

/// The offset at which a container takes another part.
pub(super) fn place_in(
    file: &SourceFile,
    container: Span,
    brackets: Brackets,
    end: End,
) -> Option<u32> {
    let text = file.slice(container);
    let enclosed = text.starts_with('(') && matching(text) == Some(text.len() - 1);
    let offset = match (brackets, end) {
        (Brackets::Before(key), end) => {
            let before = text.get(..key.start.checked_sub(container.start)? as usize)?;
            let before = before.trim_end().trim_end_matches('(').trim_end();
            let double = text.starts_with("{[") && before.ends_with("]}")
                || text.starts_with("[{") && before.ends_with("}]");
            let width = 1 + usize::from(double);
            match end {
                End::Front => width,
                End::Back => before.get(..before.len() - width)?.trim_end().len(),
            }
        }
        (Brackets::Last, End::Front) => text.find(['(', '<'])? + 1,
        (Brackets::Last, End::Back) => text[..text.rfind([')', '>'])?].trim_end().len(),
        (Brackets::Own, End::Front) => usize::from(enclosed),
        (Brackets::Own, End::Back) if enclosed => text[..text.len() - 1].trim_end().len(),
        (Brackets::Own, End::Back) => text.len(),
    };
    Some(container.start + u32::try_from(offset).ok()?)
}

/// The offset of the bracket that closes the first one.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(text: &str, brackets: Brackets, end: End) -> String {
        let file = SourceFile::anonymous("t", text);
        let at = place_in(&file, file.span(), brackets, end).expect("there is a place") as usize;
        format!("{}{}{}", &text[..at], end.written("x"), &text[at..])
    }

    #[test]
    fn parts_are_added_within_the_brackets_of_the_container() {
        let key = |text: &str| {
            let file = SourceFile::anonymous("t", text);
            let at = text.find('k').expect("there is a key");
            Brackets::Before(Span::new(file.id, at..text.len()))
        };
        for (text, back, front) in [
            ("{a, b}k", "{a, b, x}k", "{x, a, b}k"),
            (
                "{[ (a, b) ]}(k)",
                "{[ (a, b), x ]}(k)",
                "{[x,  (a, b) ]}(k)",
            ),
            ("[{a}]k", "[{a, x}]k", "[{x, a}]k"),
            ("{{a}b}k", "{{a}b, x}k", "{x, {a}b}k"),
            ("{[{a}]b}k", "{[{a}]b, x}k", "{x, [{a}]b}k"),
        ] {
            assert_eq!(with(text, key(text), End::Back), back);
            assert_eq!(with(text, key(text), End::Front), front);
        }
        assert_eq!(with("H(a, (b))", Brackets::Last, End::Back), "H(a, (b), x)");
        assert_eq!(with("c<a, b>", Brackets::Last, End::Front), "c<x, a, b>");
        assert_eq!(with("(a, b)", Brackets::Own, End::Back), "(a, b, x)");
        assert_eq!(with("(a), (b)", Brackets::Own, End::Back), "(a), (b), x");
        assert_eq!(with("a, b", Brackets::Own, End::Front), "x, a, b");
    }
}
