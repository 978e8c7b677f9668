//! Where lines break.
//!
//! The walk over the tree and the walk over the tokens go in step: a rule says "all tokens up to
//! here, then a line at this indentation". Comments come along with the tokens they stand before.

use super::is_claim;
use super::stream::{Gap, Stream};
use crate::base::source::{SourceFile, Span};
use crate::lang::syntax::ast::{
    Decl, DeclKind, Prefix, PrefixKind, Process, Protocol, Tail, TailKind, Thread,
};
use crate::lang::syntax::lexer::Spanned;
use crate::lang::syntax::token::Kind;

/// Indentation of a body, and of what is nested.
const STEP: usize = 2;

/// A body of more steps than this is never put on one line.
const FLAT_STEPS: usize = 3;

/// What stays on one line is at most this wide.
const FLAT_WIDTH: usize = 90;

/// Lays out a file without mistakes.
pub(super) fn lay_out(
    file: &SourceFile,
    tokens: &[Spanned],
    comments: &[Span],
    decls: &[Decl],
) -> String {
    let mut layout = Stream::new(file, tokens, comments);
    let mut before_was_long = false;
    for (index, decl) in decls.iter().enumerate() {
        let flat = layout.is_flat(decl);
        let long = match decl.kind {
            DeclKind::Def(_) | DeclKind::System(_) => !flat,
            DeclKind::Protocol(_) => true,
            _ => false,
        };
        layout.blank = index > 0 && (long || before_was_long);
        layout.gap = Gap::Line(0);
        layout.decl(decl, flat);
        before_was_long = long;
    }
    layout.finish()
}
impl Stream<'_> {
    fn decl(&mut self, decl: &Decl, flat: bool) {
        self.claim = is_claim(decl);
        match &decl.kind {
            DeclKind::Def(def) if !flat => self.body(&def.body),
            DeclKind::System(system) if !flat => self.body(&system.body),
            DeclKind::Protocol(protocol) => self.narration(protocol, decl.span.end),
            _ => self.until(decl.span.end),
        }
    }

    /// The head, and each line and goal on a line of its own.
    fn narration(&mut self, protocol: &Protocol, end: u32) {
        self.until(protocol.head.end);
        for line in &protocol.lines {
            self.gap = Gap::Line(STEP);
            self.until(line.span.end);
        }
        if !protocol.goals.is_empty() {
            self.gap = Gap::Line(0);
            self.token();
            self.claim = true;
            for goal in &protocol.goals {
                self.gap = Gap::Line(STEP);
                self.until(goal.span.end);
            }
        }
        self.until(end);
    }

    /// Whether a definition or system stays on one line: it must be short, and its body must start on
    /// the line of its head.
    fn is_flat(&self, decl: &Decl) -> bool {
        let body = match &decl.kind {
            DeclKind::Def(def) => &def.body,
            DeclKind::System(system) => &system.body,
            _ => return true,
        };
        self.fits(0, decl.span.end, steps(body)) && !self.breaks_at(body.span.start)
    }

    /// `… =` and a body on lines of its own.
    fn body(&mut self, body: &Process) {
        self.until(body.span.start);
        if let [thread] = body.threads.as_slice() {
            self.gap = Gap::Line(STEP);
            self.chain(&thread.prefixes, &thread.tail, STEP);
        } else {
            self.gap = Gap::Line(2 * STEP);
            self.process(body, STEP);
        }
    }

    /// A process whose bars stand at `indent`.
    fn process(&mut self, process: &Process, indent: usize) {
        if let [thread] = process.threads.as_slice() {
            self.thread(thread, indent);
            return;
        }
        let mut before: Option<&Thread> = None;
        for thread in &process.threads {
            if let Some(before) = before {
                // Short ones stay together where they were together.
                let both = thread_steps(before) <= 1 && thread_steps(thread) <= 1;
                let column = self.column() + 1;
                let joined = both && !self.breaks() && self.fits(column, thread.span.end, 1);
                self.gap = if joined {
                    Gap::Joined
                } else {
                    Gap::Line(indent)
                };
                self.token();
                self.gap = Gap::Joined;
            }
            self.thread(thread, indent + STEP);
            before = Some(thread);
        }
    }

    fn thread(&mut self, thread: &Thread, indent: usize) {
        let column = match self.gap {
            Gap::Line(at) => at,
            _ => self.column() + 1,
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
            PrefixKind::New(_) => matches!(next.kind, PrefixKind::New(_)),
            PrefixKind::Apply(_)
            | PrefixKind::Match(..)
            | PrefixKind::Let(..)
            | PrefixKind::Case(..) => is_test(next),
            _ => false,
        };
        let column = self.column() + 1;
        if together
            && !self.breaks()
            && self
                .width(next.span.end, FLAT_WIDTH.saturating_sub(column))
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
                    _ => self.column() + 1,
                };
                if self.fits(column, tail.span.end, steps(inner)) {
                    self.until(tail.span.end);
                    return;
                }
                self.token();
                self.gap = Gap::Spaced;
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
        let column = self.column() + 1;
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
        let column = self.column() + 1;
        if chained && !self.fits(column, thread.span.end, thread_steps(thread)) {
            self.gap = Gap::Joined;
            self.chain(&thread.prefixes, &thread.tail, indent);
        } else {
            self.branch(thread, indent);
        }
    }

    /// Whether the tokens from here to `end` fit on a line that starts at `column`, and are few
    /// enough steps.
    fn fits(&self, column: usize, end: u32, steps: usize) -> bool {
        steps <= FLAT_STEPS && self.width(end, FLAT_WIDTH.saturating_sub(column)).is_some()
    }
}

/// Number of steps in a process, as far as it matters. A row of instances is one.
fn steps(process: &Process) -> usize {
    let row = |t: &Thread| matches!(t.prefixes.as_slice(), [one] if matches!(one.kind, PrefixKind::Apply(_)));
    if process.threads.iter().all(row) {
        return 1;
    }
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
