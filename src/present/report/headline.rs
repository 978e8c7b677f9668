//! The first line of a report: a claim, and what was established about it.

use super::paper::{Ink, Paper};
use crate::base::source::wrap::wrap;
use std::io;

/// A claim and what was established about it.
pub(super) struct Headline<'a> {
    /// The claim.
    pub title: &'a str,
    /// The verdict and how it looks.
    pub word: (&'a str, Ink),
    /// The kinds of an attack.
    pub names: &'a str,
    /// What else was expected.
    pub missed: &'a str,
}

impl Headline<'_> {
    /// Writes `claim: verdict (kinds), expected something else`. Kinds that do not fit stand below, unless everything is to
    /// be on one line; a claim that does not fit is cut.
    pub(super) fn write(&self, paper: &mut Paper<'_>, one_line: bool) -> io::Result<()> {
        const INDENT: usize = 4;
        let (word, ink) = self.word;
        let size = |text: &str| text.chars().count();
        let fixed = size(word) + size(self.missed);
        let whole = size(self.title) + 2 + fixed;
        let below = whole + 1 + size(self.names) > paper.width() && !one_line;
        let mut end = paper.paint(word, ink);
        if !self.names.is_empty() && !below {
            end.push(' ');
            end.push_str(self.names);
        }
        end.push_str(&paper.paint(self.missed, Ink::Doubt));
        let mut lines = vec![self.title.to_owned()];
        if whole > paper.width() && !one_line {
            let title = format!("{}:", self.title);
            lines = wrap(&title, paper.width().saturating_sub(INDENT), &[' '], false);
            let room = paper.width().saturating_sub(INDENT + 1 + fixed);
            if lines.last().is_some_and(|l| size(l) > room) {
                lines.push(String::new());
            }
        } else {
            lines[0].push(':');
        }
        let last = lines.len() - 1;
        for (i, line) in lines.iter().enumerate() {
            let indent = if i == 0 { 0 } else { INDENT };
            let mut text = match line.strip_suffix(':').filter(|_| i == last) {
                Some(claim) => format!("{}:", paper.paint(claim, Ink::Strong)),
                None => paper.paint(line, Ink::Strong),
            };
            if i == last {
                let gap = if text.is_empty() { "" } else { " " };
                text = format!("{text}{gap}{end}");
            }
            paper.line(&format!("{:indent$}{text}", ""))?;
        }
        if !self.names.is_empty() && below {
            paper.paragraph(2, self.names, Ink::Plain)?;
        }
        Ok(())
    }
}
