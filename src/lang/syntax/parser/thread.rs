//! Threads: putting steps together.
//!
//! The rule reads any sequence of steps, each with or without a dot, cut by any number of `else`;
//! which of those sequences make sense, and to which test each `else` belongs, is decided here, with
//! a message that fits the mistake. The rest of the text is read in any case.

use chumsky::input::Emitter;
use chumsky::prelude::*;

use super::expect::{Mistake, Rule, Want};
use super::step::{Parts, piece};
use crate::base::source::{Code, Diagnostic, Span, Spot};
use crate::lang::syntax::ast::{
    IntCase, Pattern, Prefix, PrefixKind, Process, Tail, TailKind, Term, Thread,
};
use crate::lang::syntax::token::Token;

/// Longest chain of steps that is accepted.
pub const MAX_STEPS: usize = 10_000;

/// A step as it was read.
pub(super) struct Piece {
    pub kind: PieceKind,
    pub span: Span,
    /// The dot after it, if there is one.
    pub dot: Option<Span>,
}

/// What a step is.
pub(super) enum PieceKind {
    /// A prefix that is followed by a dot, or by nothing: `new n`, `c<M>`.
    Action(PrefixKind),
    /// A prefix that is followed by a process without a dot: `[M is N]`, `!`.
    Guard(PrefixKind),
    /// An end: `0`, `( P )`.
    End(TailKind),
    /// `case M of 0: P suc(x):`. What follows is the second branch.
    IntCase(Box<IntHead>),
}

/// An integer case up to its second branch.
pub(super) struct IntHead {
    pub scrutinee: Term,
    pub zero: Thread,
    pub binder: Pattern,
}

/// Processes and threads, which contain each other.
pub(super) fn process<'t>(term: &Rule<'t, Term>, pattern: &Rule<'t, Pattern>) -> Rule<'t, Process> {
    let (term, pattern) = (term.clone(), pattern.clone());
    recursive(move |process| {
        let process = process.boxed();
        let thread = recursive(move |thread| {
            let parts = Parts {
                term,
                pattern,
                thread: thread.boxed(),
                process,
            };
            let pieces = piece(&parts)
                .repeated()
                .at_least(1)
                .collect::<Vec<Piece>>()
                .boxed();
            let otherwise = just(Token::Else)
                .map_with(|_, e| e.span())
                .then(pieces.clone())
                .repeated();
            pieces
                .then(otherwise.collect::<Vec<(Span, Vec<Piece>)>>())
                .validate(|(pieces, otherwise), _, emitter| {
                    let mut builder = Builder {
                        stack: Vec::new(),
                        emitter,
                    };
                    builder.open(Role::Whole, pieces);
                    for (word, pieces) in otherwise {
                        builder.otherwise(word, pieces);
                    }
                    builder.finish()
                })
                .boxed()
        });
        thread
            .boxed()
            .separated_by(just(Token::Bar))
            .at_least(1)
            .collect::<Vec<Thread>>()
            .map_with(|threads, e| Process {
                threads,
                span: e.span(),
            })
            .labelled(Want::Step)
            .boxed()
    })
    .boxed()
}

/// What a thread under construction will be.
enum Role {
    /// The whole.
    Whole,
    /// The `else` branch of that prefix of the frame below.
    Else(usize),
    /// The second branch of an integer case that ends the frame below.
    Succ(Box<IntHead>, Span),
    /// A branch that belongs nowhere; it was reported.
    Lost,
}

struct Frame {
    role: Role,
    prefixes: Vec<Prefix>,
    tail: Option<Tail>,
    start: Span,
    /// The last step of the thread itself.
    last: Span,
    /// The end of all it holds, branches included.
    end: Span,
}

/// Builds a thread without recursion: an `else` closes the branches above the test it belongs to.
struct Builder<'e> {
    stack: Vec<Frame>,
    emitter: &'e mut Emitter<Mistake>,
}

impl Builder<'_> {
    fn emit(&mut self, span: Span, diagnostic: Diagnostic) {
        self.emitter.emit(Mistake::ready(span, diagnostic));
    }

    /// Starts a thread with these steps.
    fn open(&mut self, role: Role, pieces: Vec<Piece>) {
        let start = pieces
            .first()
            .expect("the rule reads at least one step")
            .span;
        self.push(role, start);
        let mut before: Option<Before> = None;
        for Piece { kind, span, dot } in pieces {
            if let Some(before) = before {
                self.check_sequence(before, &kind, span);
            }
            self.top().reach(span);
            let follows = match kind {
                PieceKind::Action(kind) => {
                    self.prefix(kind, span);
                    Follows::AfterDot
                }
                PieceKind::Guard(kind) => {
                    self.prefix(kind, span);
                    Follows::AtOnce
                }
                PieceKind::End(kind) => {
                    let frame = self.top();
                    if frame.tail.is_none() {
                        frame.tail = Some(Tail { kind, span });
                    }
                    Follows::Never
                }
                PieceKind::IntCase(head) => {
                    self.push(Role::Succ(head, span), span.after());
                    Follows::AtOnce
                }
            };
            before = Some(Before { span, dot, follows });
        }
        if let Some(before) = before {
            self.check_end(before);
        }
    }

    fn push(&mut self, role: Role, start: Span) {
        self.stack.push(Frame {
            role,
            prefixes: Vec::new(),
            tail: None,
            start,
            last: start,
            end: start,
        });
    }

    fn top(&mut self) -> &mut Frame {
        self.stack
            .last_mut()
            .expect("a builder has at least one frame")
    }

    fn prefix(&mut self, kind: PrefixKind, span: Span) {
        let frame = self.top();
        let length = frame.prefixes.len();
        // After an end the steps were reported and have no place in the tree.
        if length < MAX_STEPS && frame.tail.is_none() {
            frame.prefixes.push(Prefix { kind, span });
        } else if length == MAX_STEPS && frame.tail.is_none() {
            frame.tail = Some(Tail {
                kind: TailKind::Error,
                span,
            });
            let diagnostic =
                Diagnostic::new(Code::TooDeep, "this process has too many steps in a row")
                    .at(span, format!("step number {}", MAX_STEPS + 1))
                    .help("move a part of it into a definition of its own");
            self.emit(span, diagnostic);
        }
    }

    /// What may stand between two steps.
    fn check_sequence(&mut self, before: Before, after: &PieceKind, span: Span) {
        // A step that could not be read was reported already.
        if matches!(after, PieceKind::End(TailKind::Error)) {
            return;
        }
        let diagnostic = match (before.follows, before.dot) {
            (Follows::AfterDot, None) => {
                Diagnostic::new(Code::MissingDot, "a `.` is missing between these steps")
                    .at(before.span.after(), "put `.` here")
                    .and(span, "before this step")
                    .instead(".")
            }
            (Follows::Never, dot) => {
                let tail = self.top().tail.as_ref().map(|t| &t.kind);
                if matches!(tail, Some(TailKind::Error)) {
                    return;
                }
                Diagnostic::new(
                    Code::UnexpectedToken,
                    "nothing can follow the end of a process",
                )
                .at(
                    dot.map_or(span, |dot| dot.to(span)),
                    "this is never reached",
                )
                .and(before.span, "the process ends here")
                .help("put the steps before it, or compose the two processes with `|`")
            }
            (Follows::AtOnce, Some(dot)) => {
                Diagnostic::new(Code::UnexpectedToken, "no `.` follows this step")
                    .at(dot, "leave this dot out")
                    .and(before.span, "the process follows this step at once")
                    .instead("")
            }
            _ => return,
        };
        self.emit(span, diagnostic);
    }

    /// Whether the last step may be the last.
    fn check_end(&mut self, last: Before) {
        let diagnostic = match (last.follows, last.dot) {
            (Follows::AfterDot | Follows::Never, None) => return,
            (_, Some(dot)) => {
                Diagnostic::new(Code::MissingProcess, "a process is missing after `.`")
                    .at(dot, "nothing follows this dot")
                    .help("leave the dot out, or write `0` after it")
                    .instead("")
                    .instead(". 0")
            }
            (Follows::AtOnce, None) => {
                Diagnostic::new(Code::MissingProcess, "a process is missing here")
                    .at(last.span, "something must follow this step")
                    .help("write `0` after it for the process that does nothing")
                    .repair(Spot::At(last.span.after()), " 0")
            }
        };
        self.emit(last.span, diagnostic);
        let frame = self.top();
        let span = frame.last.after();
        frame.tail.get_or_insert(Tail {
            kind: TailKind::Error,
            span,
        });
    }

    /// Adds an `else` branch to the nearest test that has none.
    fn otherwise(&mut self, word: Span, pieces: Vec<Piece>) {
        loop {
            let frame = self.top();
            let open = frame.prefixes.iter().enumerate().rev().find(|(i, p)| {
                // The branch being built is not in the tree yet: nothing before it is nearer.
                matches!(
                    p.kind,
                    PrefixKind::Match(_, _, None)
                        | PrefixKind::Let(_, _, None)
                        | PrefixKind::Case(_, _, None)
                ) && *i < frame.prefixes.len()
            });
            if let Some((index, _)) = open {
                self.open(Role::Else(index), pieces);
                return;
            }
            if self.stack.len() == 1 {
                break;
            }
            self.close();
        }
        let diagnostic = Diagnostic::new(Code::UnexpectedToken, "this `else` belongs to no test")
            .at(word, "every `[M is N]`, `let` and `case … in` before it has its `else`, or there is none")
            .note("an integer case has no `else`: it has one branch for `0` and one for `suc(x)`");
        let broken = |frame: &Frame| {
            frame
                .tail
                .as_ref()
                .is_some_and(|t| matches!(t.kind, TailKind::Error))
        };
        if !self.stack.iter().any(broken) {
            self.emit(word, diagnostic);
        }
        self.open(Role::Lost, pieces);
    }

    /// Finishes the topmost thread and puts it where it belongs.
    fn close(&mut self) {
        let frame = self.stack.pop().expect("a builder has at least one frame");
        let (role, thread) = frame.finish();
        let below = self.top();
        below.end = below.end.to(thread.span);
        match role {
            Role::Else(index) => {
                if let PrefixKind::Match(_, _, slot)
                | PrefixKind::Let(_, _, slot)
                | PrefixKind::Case(_, _, slot) = &mut below.prefixes[index].kind
                {
                    *slot = Some(Box::new(thread));
                }
            }
            Role::Succ(head, span) => {
                let IntHead {
                    scrutinee,
                    zero,
                    binder,
                } = *head;
                let span = span.to(thread.span);
                let case = IntCase {
                    scrutinee,
                    zero,
                    binder,
                    succ: thread,
                };
                below.tail.get_or_insert(Tail {
                    kind: TailKind::IntCase(Box::new(case)),
                    span,
                });
            }
            Role::Whole | Role::Lost => {}
        }
    }

    fn finish(mut self) -> Thread {
        while self.stack.len() > 1 {
            self.close();
        }
        let whole = self.stack.pop().expect("a builder has at least one frame");
        whole.finish().1
    }
}

impl Frame {
    /// Takes in a step.
    fn reach(&mut self, span: Span) {
        if self.prefixes.is_empty() && self.tail.is_none() {
            self.start = span;
        }
        self.last = span;
        self.end = self.end.to(span);
    }

    fn finish(self) -> (Role, Thread) {
        let omitted = Tail {
            kind: TailKind::Omitted,
            span: self.last.after(),
        };
        let tail = self.tail.unwrap_or(omitted);
        let span = self.start.to(self.end);
        (
            self.role,
            Thread {
                prefixes: self.prefixes,
                tail,
                span,
            },
        )
    }
}

/// The step before the one that is looked at.
#[derive(Clone, Copy)]
struct Before {
    span: Span,
    dot: Option<Span>,
    follows: Follows,
}

/// When a step is followed by another.
#[derive(Clone, Copy)]
enum Follows {
    AfterDot,
    AtOnce,
    Never,
}
