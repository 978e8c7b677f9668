//! Doubts about what a text hides from whoever reads it.
//!
//! Where a character means something only those of the language can stand, so whatever hides does so in a comment: controls
//! of terminals, and controls of bidirectional text, which show a line in another order than it is read ("Trojan
//! Source"). A carriage return alone ends a line here and in editors, but many programs show both parts over each other.

use crate::base::source::visible::is_bidi;
use crate::base::source::{Code, Diagnostic, SourceFile, Span, lines};

/// At most one warning of each kind for a file; the first place is shown, the others are counted.
pub(super) fn warnings(file: &SourceFile, comments: &[Span]) -> Vec<Diagnostic> {
    let in_comments = |wanted: fn(char) -> bool| -> Vec<(char, Span)> {
        let hidden = comments.iter().flat_map(|comment| {
            let chars = file.slice(*comment).char_indices();
            chars.filter(move |(_, c)| wanted(*c)).map(|(at, c)| {
                let start = comment.start as usize + at;
                (c, Span::new(file.id, start..start + c.len_utf8()))
            })
        });
        hidden.collect()
    };
    let turns = in_comments(is_bidi);
    let controls = in_comments(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t'));
    let returns: Vec<(char, Span)> = lines::lone_returns(&file.text)
        .map(|at| ('\r', Span::new(file.id, at..at + 1)))
        .collect();
    let kinds = [
        (Code::BidiControl, turns),
        (Code::ControlInComment, controls),
        (Code::LoneReturn, returns),
    ];
    kinds
        .iter()
        .filter_map(|(code, places)| warning(*code, places))
        .collect()
}

fn warning(code: Code, places: &[(char, Span)]) -> Option<Diagnostic> {
    let ((c, span), rest) = places.split_first()?;
    let number = format!("U+{:04X}", u32::from(*c));
    let (message, label, help) = match code {
        Code::BidiControl => (
            format!("the control {number} turns the order of the text round"),
            "from here on a line may look other than it reads",
            "delete it",
        ),
        Code::ControlInComment => (
            format!("a comment holds the control character {number}"),
            "a terminal obeys this instead of showing it",
            "delete it",
        ),
        _ => (
            "a carriage return without a line feed".to_owned(),
            "a line ends here, and some programs do not show it",
            "`spi fmt` writes plain line ends",
        ),
    };
    let found = Diagnostic::new(code, message).at(*span, label).help(help);
    Some(match rest.len() {
        0 => found,
        1 => found.note("there is one more of this kind in this file"),
        n => found.note(format!("there are {n} more of this kind in this file")),
    })
}
