//! The lines of formatted text, and the columns in which they are aligned.
//!
//! A line has up to three cells: the code, an `expect …`, and a comment. In a run of neighbouring
//! lines that have such a cell, the cells start in the same column.

use std::fmt::Write;

#[derive(Default)]
struct Line {
    indent: usize,
    code: String,
    /// Byte offset in `code` where `expect` starts.
    expect: Option<usize>,
    comment: Option<String>,
    /// Text of a block comment that must not be touched.
    verbatim: bool,
}

impl Line {
    fn is_blank(&self) -> bool {
        self.code.is_empty() && self.comment.is_none()
    }

    /// Width of the code before `expect`, indentation included.
    fn before_expect(&self) -> usize {
        let code = self.expect.map_or(&*self.code, |at| &self.code[..at]);
        self.indent + code.trim_end().chars().count()
    }
}

/// Formatted text under construction.
#[derive(Default)]
pub(super) struct Page {
    lines: Vec<Line>,
}

impl Page {
    /// Starts a new line.
    pub(super) fn line(&mut self, indent: usize) {
        self.lines.push(Line {
            indent,
            ..Line::default()
        });
    }

    /// Adds an empty line, unless the page or a line above is empty.
    pub(super) fn blank(&mut self) {
        if self.lines.last().is_some_and(|line| !line.is_blank()) {
            self.lines.push(Line::default());
        }
    }

    /// The line that is being written.
    fn current(&mut self) -> &mut Line {
        if self.lines.is_empty() {
            self.line(0);
        }
        self.lines.last_mut().expect("a line was just added")
    }

    /// Number of lines so far.
    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Column after the text written so far, from 0.
    pub(super) fn column(&mut self) -> usize {
        let line = self.current();
        line.indent + line.code.chars().count()
    }

    /// Whether nothing was written on this line yet.
    pub(super) fn at_start(&self) -> bool {
        self.lines.last().is_none_or(|line| line.code.is_empty())
    }

    /// Appends text to the line.
    pub(super) fn push(&mut self, text: &str) {
        self.current().code.push_str(text);
    }

    /// Starts the `expect` cell.
    pub(super) fn expect_cell(&mut self) {
        let line = self.current();
        line.expect = Some(line.code.len());
    }

    /// Sets the comment cell. Returns whether the line had none yet.
    pub(super) fn comment_cell(&mut self, text: &str) -> bool {
        let line = self.current();
        let free = line.comment.is_none();
        if free {
            line.comment = Some(text.to_owned());
        }
        free
    }

    /// Adds a line that is taken as it is.
    pub(super) fn verbatim(&mut self, text: &str) {
        self.lines.push(Line {
            code: text.to_owned(),
            verbatim: true,
            ..Line::default()
        });
    }

    /// The finished text.
    pub(super) fn finish(mut self) -> String {
        self.align_expects();
        let columns = self.comment_columns();
        let mut out = String::new();
        for (line, column) in self.lines.iter().zip(columns) {
            let start = out.len();
            if line.verbatim {
                out.push_str(&line.code);
            } else if !line.is_blank() {
                let _ = write!(
                    out,
                    "{:indent$}{}",
                    "",
                    line.code.trim_end(),
                    indent = line.indent
                );
                if let Some(comment) = &line.comment {
                    let width = out[start..].chars().count();
                    let _ = write!(
                        out,
                        "{:pad$}{comment}",
                        "",
                        pad = column.saturating_sub(width)
                    );
                }
            }
            out.push('\n');
        }
        let end = out.trim_end().len();
        out.truncate(end);
        if !out.is_empty() {
            out.push('\n');
        }
        out
    }

    fn align_expects(&mut self) {
        let mut from = 0;
        while from < self.lines.len() {
            let run = self.lines[from..]
                .iter()
                .take_while(|l| l.expect.is_some())
                .count();
            let lines = &mut self.lines[from..from + run];
            let column = lines.iter().map(Line::before_expect).max().unwrap_or(0)
                + if run > 1 { 2 } else { 1 };
            for line in lines {
                let at = line.expect.expect("only lines with a cell are in the run");
                let word = line.code[at..].trim_start().to_owned();
                let pad = column - line.before_expect();
                line.code.truncate(at);
                line.code.truncate(line.code.trim_end().len());
                let _ = write!(line.code, "{:pad$}{word}", "");
            }
            from += run.max(1);
        }
    }

    /// For each line, the column of its comment.
    fn comment_columns(&self) -> Vec<usize> {
        let mut columns = vec![0; self.lines.len()];
        let mut from = 0;
        while from < self.lines.len() {
            let run = self.lines[from..]
                .iter()
                .take_while(|l| l.comment.is_some())
                .count();
            let width = |l: &Line| l.indent + l.code.trim_end().chars().count();
            let column = self.lines[from..from + run]
                .iter()
                .map(width)
                .max()
                .unwrap_or(0)
                + 2;
            columns[from..from + run].fill(column);
            from += run.max(1);
        }
        columns
    }
}
