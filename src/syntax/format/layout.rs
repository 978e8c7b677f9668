//! Where lines break.
//!
//! The walk over the tree and the walk over the tokens go in step: a rule says "all tokens up to
//! here, then a line at this indentation". Comments come along with the tokens they stand before.

use super::gap::{Around, spaced};
use super::is_claim;
use super::page::Page;
use crate::source::{SourceFile, Span};
use crate::syntax::ast::{Decl, DeclKind, Prefix, PrefixKind, Process, Tail, TailKind, Thread};
use crate::syntax::lexer::Spanned;
use crate::syntax::token::{Kind, Token};

/// Lines are kept to this width where there is a place to break them.
const WIDTH: usize = 100;

/// Indentation of a body, and of what is nested.
const STEP: usize = 2;

/// Indentation of a line that continues the one above.
const CONTINUE: usize = 4;

/// A body of more steps than this is never put on one line.
const FLAT_STEPS: usize = 3;

/// What stands before the next token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
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

struct Layout<'a> {
    file: &'a SourceFile,
    tokens: &'a [Spanned],
    next: usize,
    comments: &'a [Span],
    next_comment: usize,
    page: Page,
    gap: Gap,
    /// Indentation of the line as the tree wants it; continuation lines stand further right.
    base: usize,
    /// End of the last token or comment in the source.
    last_end: u32,
    /// Whether a blank line is wanted before the next token.
    blank: bool,
    claim: bool,
}

/// Lays out a file without mistakes.
pub(super) fn lay_out(
    file: &SourceFile,
    tokens: &[Spanned],
    comments: &[Span],
    decls: &[Decl],
) -> String {
    let mut layout = Layout {
        file,
        tokens,
        next: 0,
        comments,
        next_comment: 0,
        page: Page::default(),
        gap: Gap::Line(0),
        base: 0,
        last_end: 0,
        blank: false,
        claim: false,
    };
    let mut before_was_long = false;
    for (index, decl) in decls.iter().enumerate() {
        let flat = layout.is_flat(decl);
        let long = !flat && matches!(decl.kind, DeclKind::Def(_) | DeclKind::System(_));
        layout.blank = index > 0 && (long || before_was_long);
        layout.gap = Gap::Line(0);
        layout.decl(decl, flat);
        before_was_long = long;
    }
    layout.gap = Gap::Line(0);
    layout.blank = false;
    layout.comments_before(u32::MAX);
    layout.page.finish()
}

impl Layout<'_> {
    fn decl(&mut self, decl: &Decl, flat: bool) {
        self.claim = is_claim(decl);
        match &decl.kind {
            DeclKind::Def(def) if !flat => self.body(&def.body),
            DeclKind::System(system) if !flat => self.body(&system.body),
            _ => self.until(decl.span.end),
        }
    }

    /// Whether a definition or system stays on one line.
    fn is_flat(&self, decl: &Decl) -> bool {
        match &decl.kind {
            DeclKind::Def(def) => self.fits(0, decl.span.end, steps(&def.body)),
            DeclKind::System(system) => self.fits(0, decl.span.end, steps(&system.body)),
            _ => true,
        }
    }

    /// `… =` and a body on lines of its own.
    fn body(&mut self, body: &Process) {
        self.until(body.span.start);
        let parallel = body.threads.len() > 1;
        self.gap = Gap::Line(if parallel { 2 * STEP } else { STEP });
        self.process(body, STEP);
    }

    /// A process whose bars stand at `indent`.
    fn process(&mut self, process: &Process, indent: usize) {
        if let [thread] = process.threads.as_slice() {
            self.thread(thread, indent);
            return;
        }
        for (index, thread) in process.threads.iter().enumerate() {
            if index > 0 {
                self.gap = Gap::Line(indent);
                self.token();
                self.gap = Gap::Joined;
            }
            self.thread(thread, indent + STEP);
        }
    }

    fn thread(&mut self, thread: &Thread, indent: usize) {
        let column = match self.gap {
            Gap::Line(at) => at,
            _ => self.page.column() + 1,
        };
        if self.fits(column, thread.span.end, thread_steps(thread)) {
            self.until(thread.span.end);
        } else {
            self.chain(&thread.prefixes, &thread.tail, indent);
        }
    }

    /// The steps of a thread, each on its line.
    fn chain(&mut self, prefixes: &[Prefix], tail: &Tail, indent: usize) {
        for (index, prefix) in prefixes.iter().enumerate() {
            self.until(prefix.span.end);
            self.dot();
            let rest = &prefixes[index + 1..];
            if let Some(otherwise) = prefix.kind.otherwise() {
                self.gap = Gap::Line(indent + STEP);
                self.chain(rest, tail, indent + STEP);
                self.otherwise(otherwise, indent);
                return;
            }
            self.gap = self.between(prefix, rest.first(), tail, indent);
        }
        self.tail(tail, indent);
    }

    /// The dot after a step, if there is one.
    fn dot(&mut self) {
        if self.kind(0) == Some(Kind::Dot) {
            self.token();
        }
    }

    /// What stands between a step and the next.
    fn between(
        &mut self,
        prefix: &Prefix,
        next: Option<&Prefix>,
        tail: &Tail,
        indent: usize,
    ) -> Gap {
        let line = Gap::Line(indent);
        let Some(next) = next else {
            return match (&tail.kind, &prefix.kind) {
                (TailKind::Nil | TailKind::Omitted, _) | (_, PrefixKind::Replicate(_)) => {
                    Gap::Joined
                }
                _ => line,
            };
        };
        let is_test = |p: &Prefix| {
            matches!(
                p.kind,
                PrefixKind::Match(..) | PrefixKind::Let(..) | PrefixKind::Case(..)
            ) && p.kind.otherwise().is_none()
        };
        let together = match &prefix.kind {
            PrefixKind::Replicate(_) => return Gap::Joined,
            PrefixKind::Match(..) => next.kind.otherwise().is_none(),
            PrefixKind::New(_) => matches!(next.kind, PrefixKind::New(_)),
            PrefixKind::Apply(_) => is_test(next),
            _ => false,
        };
        let column = self.page.column() + 1;
        if together
            && self
                .width(next.span.end, WIDTH.saturating_sub(column))
                .is_some()
        {
            Gap::Joined
        } else {
            line
        }
    }

    fn tail(&mut self, tail: &Tail, indent: usize) {
        match &tail.kind {
            TailKind::Group(inner) => {
                let column = match self.gap {
                    Gap::Line(at) => at,
                    _ => self.page.column() + 1,
                };
                if self.fits(column, tail.span.end, steps(inner)) {
                    self.until(tail.span.end);
                    return;
                }
                self.token();
                self.page.push(" ");
                self.gap = Gap::Joined;
                if inner.threads.len() == 1 {
                    self.process(inner, indent + STEP);
                } else {
                    self.process(inner, indent);
                }
                self.gap = Gap::Line(indent);
                self.until(tail.span.end);
            }
            TailKind::IntCase(case) => {
                self.through(Kind::Of);
                self.gap = Gap::Line(indent + STEP);
                self.through(Kind::Colon);
                self.branch(&case.zero, indent + STEP);
                self.gap = Gap::Line(indent + STEP);
                self.through(Kind::Colon);
                self.branch(&case.succ, indent + STEP);
            }
            TailKind::Omitted => {}
            _ => self.until(tail.span.end),
        }
    }

    /// A thread after `0:`, `suc(x):` or `else`: beside it if it is short, below it otherwise.
    fn branch(&mut self, thread: &Thread, indent: usize) {
        let column = self.page.column() + 1;
        if self.fits(column, thread.span.end, thread_steps(thread)) {
            self.gap = Gap::Joined;
            self.until(thread.span.end);
        } else {
            self.gap = Gap::Line(indent + STEP);
            self.chain(&thread.prefixes, &thread.tail, indent + STEP);
        }
    }

    fn otherwise(&mut self, thread: &Thread, indent: usize) {
        self.gap = Gap::Line(indent);
        self.token();
        let chained = thread
            .prefixes
            .first()
            .is_some_and(|p| p.kind.otherwise().is_some());
        let column = self.page.column() + 1;
        if chained && !self.fits(column, thread.span.end, thread_steps(thread)) {
            self.gap = Gap::Joined;
            self.chain(&thread.prefixes, &thread.tail, indent);
        } else {
            self.branch(thread, indent);
        }
    }

    fn kind(&self, ahead: usize) -> Option<Kind> {
        self.tokens.get(self.next + ahead).map(|(t, _)| t.kind())
    }

    /// Prints all tokens that start before `end`.
    fn until(&mut self, end: u32) {
        while self
            .tokens
            .get(self.next)
            .is_some_and(|(_, span)| span.start < end)
        {
            self.token();
        }
    }

    /// Prints all tokens through the next one of this kind that is not in brackets.
    fn through(&mut self, kind: Kind) {
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
    fn token(&mut self) {
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
        let before = |back: usize| self.next.checked_sub(back).map(|i| self.tokens[i].0.kind());
        let (Some(before_kind), Some(after)) = (before(1), self.kind(0)) else {
            return false;
        };
        spaced(Around {
            earlier: before(2),
            before: before_kind,
            after,
            claim: self.claim,
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
        self.file.slice(gap).bytes().filter(|&b| b == b'\n').count() > 1
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
            width +=
                self.tokens[index].0.to_string().chars().count() + usize::from(index > self.next);
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
        let text = self.file.slice(comment).replace('\r', "");
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
            || self.file.slice(before).contains('\n')
            || text.contains('\n');
        let next = next.min(self.file.text.len() as u32);
        let ends_line = text.starts_with("//")
            || matches!(self.gap, Gap::Line(_) | Gap::Continue(_))
            || self
                .file
                .slice(Span {
                    file: comment.file,
                    start: comment.end,
                    end: next,
                })
                .contains('\n');
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

    /// Whether the tokens from here to `end` fit on a line that starts at `column`, and are few
    /// enough steps.
    fn fits(&self, column: usize, end: u32, steps: usize) -> bool {
        steps <= FLAT_STEPS && self.width(end, WIDTH.saturating_sub(20 + column)).is_some()
    }

    /// The width of the tokens from here to `end`, if there is no comment in between and it is at
    /// most `limit`.
    fn width(&self, end: u32, limit: usize) -> Option<usize> {
        let mut width = 0;
        let mut last = None;
        for index in self.next..self.tokens.len() {
            let (token, span) = &self.tokens[index];
            // The dot after a step belongs to it.
            let dot = matches!(token, Token::Dot) && last.is_some_and(|l: Span| l.start < end);
            if span.start >= end && !dot {
                break;
            }
            let spaced = index > self.next && {
                let earlier = index.checked_sub(2).map(|i| self.tokens[i].0.kind());
                let before = self.tokens[index - 1].0.kind();
                spaced(Around {
                    earlier,
                    before,
                    after: token.kind(),
                    claim: self.claim,
                })
            };
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

/// Number of steps in a process, as far as it matters.
fn steps(process: &Process) -> usize {
    count(process.threads.iter().map(thread_steps))
}

fn thread_steps(thread: &Thread) -> usize {
    let prefix = |prefix: &Prefix| match &prefix.kind {
        PrefixKind::Replicate(_) => 0,
        kind => 1 + kind.otherwise().map_or(0, thread_steps),
    };
    let tail = std::iter::once_with(|| match &thread.tail.kind {
        TailKind::Group(inner) => steps(inner),
        TailKind::IntCase(case) => 1 + thread_steps(&case.zero) + thread_steps(&case.succ),
        _ => 0,
    });
    count(thread.prefixes.iter().map(prefix).chain(tail))
}

/// A sum that stops when it is larger than matters: counting again at every level must not add up.
fn count(numbers: impl Iterator<Item = usize>) -> usize {
    let mut sum = 0;
    for number in numbers {
        sum += number;
        if sum > FLAT_STEPS {
            break;
        }
    }
    sum
}
