//! The tokens of a file on their way to the page, with the comments between them.
//!
//! The tree says which gap it wants before the next token; this file knows the comments that stand
//! there, the blank lines of the source, the width of a line, and makes the gap come true.

use super::gap::{Around, spaced};
use super::page::Page;
use crate::base::source::{SourceFile, Span, lines};
use crate::lang::syntax::lexer::Spanned;
use crate::lang::syntax::token::{Kind, Token};

/// Lines are kept to this width where there is a place to break them.
const WIDTH: usize = 100;

/// Indentation of a line that continues the one above.
const CONTINUE: usize = 4;

/// What stands before the next token.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Gap {
    /// A space or nothing, as the two tokens want it.
    Usual,
    /// A space or nothing; the line may not be broken here.
    Joined,
    /// A space; the line may not be broken here.
    Spaced,
    /// A new line at this indentation.
    Line(usize),
    /// A new line that only a comment before it makes necessary.
    Continue(usize),
}
/// Tokens and comments in, lines out.
pub(super) struct Stream<'a> {
    file: &'a SourceFile,
    tokens: &'a [Spanned],
    next: usize,
    comments: &'a [Span],
    next_comment: usize,
    page: Page,
    pub gap: Gap,
    /// Indentation of the line as the tree wants it; continuation lines stand further right.
    base: usize,
    /// End of the last token or comment in the source.
    last_end: u32,
    /// End of what is printed in one go: a list does not go on behind it.
    whole: u32,
    /// Whether a blank line is wanted before the next token.
    pub blank: bool,
    pub claim: bool,
}
impl<'a> Stream<'a> {
    pub fn new(file: &'a SourceFile, tokens: &'a [Spanned], comments: &'a [Span]) -> Stream<'a> {
        Stream {
            file,
            tokens,
            next: 0,
            comments,
            next_comment: 0,
            page: Page::default(),
            gap: Gap::Line(0),
            base: 0,
            last_end: 0,
            whole: u32::MAX,
            blank: false,
            claim: false,
        }
    }

    /// Prints the comments after the last token and returns the text.
    pub fn finish(mut self) -> String {
        self.gap = Gap::Line(0);
        self.blank = false;
        self.comments_before(u32::MAX);
        self.page.finish()
    }

    /// Column after the text written so far, from 0.
    pub fn column(&mut self) -> usize {
        self.page.column()
    }

    pub fn kind(&self, ahead: usize) -> Option<Kind> {
        self.tokens.get(self.next + ahead).map(|(t, _)| t.kind())
    }

    /// Prints all tokens that start before `end`.
    pub fn until(&mut self, end: u32) {
        self.whole = end;
        while self
            .tokens
            .get(self.next)
            .is_some_and(|(_, span)| span.start < end)
        {
            self.token();
        }
        self.whole = u32::MAX;
    }

    /// Prints all tokens through the next one of this kind that is not in brackets.
    pub fn through(&mut self, kind: Kind) {
        let mut depth = 0_usize;
        while let Some(found) = self.kind(0) {
            self.token();
            if found.closer().is_some() {
                depth += 1;
            } else if found.is_closer() {
                depth = depth.saturating_sub(1);
            } else if found == kind && depth == 0 {
                return;
            }
        }
    }

    /// Prints one token, with the comments before it.
    pub fn token(&mut self) {
        let Some((token, span)) = self.tokens.get(self.next) else {
            return;
        };
        let (token, span) = (token.clone(), *span);
        self.comments_before(span.start);
        let wants_space = self.wants_space();
        let at_start = self.page.at_start();
        match self.gap {
            Gap::Line(indent) => {
                self.new_line(indent, span.start);
                self.base = indent;
            }
            Gap::Continue(indent) => self.new_line(indent, span.start),
            Gap::Usual | Gap::Joined if at_start => {}
            Gap::Spaced => self.page.push(" "),
            gap => {
                if gap == Gap::Usual && self.must_wrap() {
                    self.new_line(self.base + CONTINUE, span.start);
                } else if wants_space {
                    self.page.push(" ");
                }
            }
        }
        if token == Token::Expect {
            self.page.expect_cell();
        }
        self.page.push(&token.to_string());
        self.last_end = span.end;
        self.next += 1;
        self.gap = Gap::Usual;
        self.blank = false;
    }

    fn wants_space(&self) -> bool {
        self.next < self.tokens.len() && self.spaced_at(self.next)
    }

    /// Whether a space stands before this token if both are on one line.
    fn spaced_at(&self, index: usize) -> bool {
        let before = |back: usize| index.checked_sub(back).map(|i| self.tokens[i].0.kind());
        let after = self.tokens[index].0.kind();
        before(1).is_some_and(|kind| {
            spaced(Around {
                earlier: before(2),
                before: kind,
                after,
                claim: self.claim,
            })
        })
    }

    /// Starts a line for what stands at `start` in the source.
    fn new_line(&mut self, indent: usize, start: u32) {
        if self.page.len() > 0 && (self.blank || self.source_blank(start)) {
            self.page.blank();
        }
        self.blank = false;
        self.page.line(indent);
    }

    /// Whether the source has an empty line between the last thing printed and `start`.
    fn source_blank(&self, start: u32) -> bool {
        let gap = Span {
            file: self.file.id,
            start: self.last_end,
            end: start,
        };
        lines::count(self.file.slice(gap)) > 1
    }

    /// Whether the source has a line end or a comment before the next token.
    pub fn breaks(&self) -> bool {
        self.tokens
            .get(self.next)
            .is_none_or(|(_, span)| self.breaks_at(span.start))
    }

    /// Whether the source has a line end or a comment before the token at this offset.
    pub fn breaks_at(&self, start: u32) -> bool {
        let index = self.tokens.partition_point(|(_, span)| span.start < start);
        let before = index.checked_sub(1).map_or(0, |i| self.tokens[i].1.end);
        let gap = self.file.slice(Span {
            file: self.file.id,
            start: before,
            end: start,
        });
        lines::breaks(gap) || gap.contains('/')
    }

    /// Whether the list item that starts here does not fit on the line.
    fn must_wrap(&mut self) -> bool {
        let after_comma = self
            .next
            .checked_sub(1)
            .is_some_and(|i| matches!(self.tokens[i].0, Token::Comma));
        if !after_comma {
            return false;
        }
        let room = WIDTH.saturating_sub(self.page.column() + 1);
        let mut width = 0;
        let mut depth = 0_usize;
        for index in self.next..self.tokens.len() {
            let kind = self.tokens[index].0.kind();
            if self.tokens[index].1.start >= self.whole {
                break;
            }
            if kind.closer().is_some() {
                depth += 1;
            } else if kind.is_closer() {
                if depth == 0 {
                    break;
                }
                depth -= 1;
            } else if depth == 0 && matches!(kind, Kind::Comma | Kind::Dot)
                || kind.starts_declaration()
            {
                break;
            }
            width += self.tokens[index].0.to_string().chars().count()
                + usize::from(index > self.next && self.spaced_at(index));
            if width > room {
                return true;
            }
        }
        false
    }

    /// Prints the comments that stand before `end`, and changes the gap accordingly.
    fn comments_before(&mut self, end: u32) {
        while let Some(comment) = self.comments.get(self.next_comment).copied() {
            if comment.start >= end {
                return;
            }
            self.next_comment += 1;
            self.comment(comment, end);
        }
    }

    fn comment(&mut self, comment: Span, next: u32) {
        let text = self.file.slice(comment).replace("\r\n", "\n");
        let text = text.replace('\r', "\n");
        let text = text.trim_end();
        let (forced, after) = match self.gap {
            Gap::Line(indent) | Gap::Continue(indent) => (indent, self.gap),
            _ => (self.base + CONTINUE, Gap::Continue(self.base + CONTINUE)),
        };
        let before = Span {
            file: comment.file,
            start: self.last_end,
            end: comment.start,
        };
        let own_line = self.next == 0 && self.page.len() == 0
            || lines::breaks(self.file.slice(before))
            || text.contains('\n');
        let next = next.min(self.file.text.len() as u32);
        let ends_line = text.starts_with("//")
            || matches!(self.gap, Gap::Line(_) | Gap::Continue(_))
            || lines::breaks(self.file.slice(Span {
                file: comment.file,
                start: comment.end,
                end: next,
            }));
        if own_line {
            self.new_line(forced, comment.start);
            let mut lines = text.lines();
            self.page.push(lines.next().unwrap_or_default());
            for line in lines {
                self.page.verbatim(line.trim_end());
            }
            self.gap = after;
        } else if ends_line {
            if !self.page.comment_cell(text) {
                self.page.line(forced);
                self.page.push(text);
            }
            self.gap = after;
        } else {
            self.page.push(" ");
            self.page.push(text);
            self.gap = Gap::Spaced;
        }
        self.last_end = comment.end;
    }

    /// The width of the tokens from here to `end`, if there is no comment in between and it is at
    /// most `limit`.
    pub fn width(&self, end: u32, limit: usize) -> Option<usize> {
        let mut width = 0;
        let mut last = None;
        for index in self.next..self.tokens.len() {
            let (token, span) = &self.tokens[index];
            // The dot after a step belongs to it.
            let dot = matches!(token, Token::Dot) && last.is_some_and(|l: Span| l.start < end);
            if span.start >= end && !dot {
                break;
            }
            let spaced = index > self.next && self.spaced_at(index);
            width += usize::from(spaced) + token.to_string().chars().count();
            if width > limit {
                return None;
            }
            last = Some(*span);
        }
        let first = self.tokens.get(self.next)?.1;
        let from = self.comments.partition_point(|c| c.start < first.start);
        let commented = self
            .comments
            .get(from)
            .is_some_and(|c| last.is_some_and(|l| c.start < l.start));
        (!commented).then_some(width)
    }
}
