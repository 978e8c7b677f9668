//! Something that is written into a text, at one or several places.

use crate::base::source::{SourceFile, Span};

/// An addition to a model.
#[derive(Clone, Debug)]
pub(crate) struct Addition {
    /// `identity`, `nonce`, `key`, `share`, `number`, `challenge`, `comparison`, `handshake`.
    pub object: &'static str,
    /// In words: `message 2, {na, Nb}K(a)+: add identity b`.
    pub what: String,
    /// The first place, for people.
    pub span: Span,
    /// How much it adds: the parts of messages, where a message of its own counts as two.
    pub parts: usize,
    /// What is written where, by offset.
    pub insertions: Vec<(u32, String)>,
}

/// Said of a part that is added before everything else.
pub(super) const AT_FRONT: &str = " at the front";

impl Addition {
    /// What it adds, wherever in the message.
    pub(crate) fn apart(&self) -> &str {
        self.what.strip_suffix(AT_FRONT).unwrap_or(&self.what)
    }
}

/// The text with some additions; where two write at one place, they do so in their order.
pub(crate) fn patched(text: &str, additions: &[&Addition]) -> String {
    let mut all: Vec<&(u32, String)> = additions.iter().flat_map(|a| &a.insertions).collect();
    all.sort_by_key(|(at, _)| *at);
    let mut patched = String::with_capacity(text.len() + 64);
    let mut done = 0;
    for (at, new) in all {
        let at = *at as usize;
        patched.push_str(&text[done..at]);
        patched.push_str(new);
        done = at;
    }
    patched.push_str(&text[done..]);
    patched
}

/// A line that additions change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Its number in the text as it is.
    pub number: usize,
    /// The line as it is.
    pub before: String,
    /// What stands there afterwards: a line, or several.
    pub after: Vec<String>,
}

/// The lines that additions change.
pub(crate) fn changed_lines(file: &SourceFile, additions: &[&Addition]) -> Vec<Line> {
    let text: &str = &file.text;
    let mut offsets: Vec<u32> = additions
        .iter()
        .flat_map(|a| a.insertions.iter().map(|(at, _)| *at))
        .collect();
    offsets.sort_unstable();
    let mut lines: Vec<Line> = Vec::new();
    for at in offsets {
        let (number, _) = file.line_column(at);
        if lines.last().is_some_and(|l| l.number == number) {
            continue;
        }
        let at = at as usize;
        let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
        let end = text[at..].find('\n').map_or(text.len(), |i| at + i);
        let mut own = Vec::new();
        for addition in additions {
            for (place, new) in &addition.insertions {
                if (start..=end).contains(&(*place as usize)) {
                    own.push((place - start as u32, new.clone()));
                }
            }
        }
        let own = Addition {
            insertions: own,
            ..additions[0].clone()
        };
        let before = text[start..end].to_owned();
        let after = patched(&before, &[&own]);
        lines.push(Line {
            number,
            after: after.split('\n').map(str::to_owned).collect(),
            before,
        });
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addition(insertions: &[(u32, &str)]) -> Addition {
        Addition {
            object: "nonce",
            what: String::new(),
            span: SourceFile::anonymous("", "").span(),
            parts: 1,
            insertions: insertions
                .iter()
                .map(|(at, t)| (*at, (*t).to_owned()))
                .collect(),
        }
    }

    #[test]
    fn insertions_are_made_from_the_left_and_in_order() {
        let (a, b) = (addition(&[(5, "!"), (0, "<")]), addition(&[(5, "?")]));
        assert_eq!(patched("hello", &[&a, &b]), "<hello!?");
    }

    #[test]
    fn a_changed_line_is_told_once_and_may_become_several() {
        let file = SourceFile::anonymous("t", "one\ntwo\nthree");
        let (a, b) = (addition(&[(4, "2 "), (7, "\nnew")]), addition(&[(0, "1 ")]));
        let lines = changed_lines(&file, &[&a, &b]);
        assert_eq!(lines.len(), 2);
        assert_eq!(
            (lines[0].number, &*lines[0].after),
            (1, &["1 one".to_owned()][..])
        );
        assert_eq!(lines[1].before, "two");
        assert_eq!(lines[1].after, ["2 two", "new"]);
    }
}
