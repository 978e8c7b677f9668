//! Grades as a table for spreadsheets, as RFC 4180 has it.
//!
//! Names are chosen by students. A spreadsheet computes what starts like a formula, so such a cell starts with an apostrophe; what a
//! terminal would obey is marked as everywhere else.

use super::graded::{Graded, number};
use crate::base::source::visible::visible_lines;

/// The header.
pub(super) fn header() -> String {
    row(&[
        "submission",
        "verdict",
        "points",
        "out_of",
        "fault",
        "hints",
    ])
}

/// The row of a submission.
pub(super) fn line(graded: &Graded) -> String {
    row(&[
        &graded.name,
        graded.verdict.word(),
        &number(graded.points),
        &graded.out_of.to_string(),
        &graded.fault().unwrap_or_default(),
        &graded.hints.join(" "),
    ])
}

fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|c| cell(c)).collect();
    cells.join(",") + "\r\n"
}

fn cell(text: &str) -> String {
    let computed = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n']);
    let shown = visible_lines(text);
    let harmless = if computed {
        format!("'{shown}")
    } else {
        shown.into_owned()
    };
    if harmless.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", harmless.replace('"', "\"\""))
    } else {
        harmless
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_harmless() {
        let text = row(&["a", "a,b", "say \"a\"", "a\nb", "", "a-b=c"]);
        assert_eq!(text, "a,\"a,b\",\"say \"\"a\"\"\",\"a\nb\",,a-b=c\r\n");
        for start in ['=', '+', '-', '@', '\t', '\r', '\n'] {
            let text = cell(&format!("{start}1"));
            assert!(text.trim_start_matches('"').starts_with('\''), "{text}");
        }
        assert!(!cell("a\u{1b}[31m").contains('\u{1b}'));
    }
}
