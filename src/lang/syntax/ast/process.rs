//! Processes: threads of prefixes.

use super::{Binder, Ident, Pattern, Term};
use crate::base::source::Span;

/// A parallel composition of one or more threads.
#[derive(Clone, Debug)]
pub struct Process {
    /// At least one.
    pub threads: Vec<Thread>,
    /// Its place.
    pub span: Span,
}

/// A chain of prefixes and what follows them.
#[derive(Clone, Debug)]
pub struct Thread {
    /// What it does, in order.
    pub prefixes: Vec<Prefix>,
    /// How it ends.
    pub tail: Tail,
    /// Its place.
    pub span: Span,
}

/// One step of a thread.
#[derive(Clone, Debug)]
pub struct Prefix {
    /// Which one.
    pub kind: PrefixKind,
    /// Its place, without what follows it and without its `else` branch.
    pub span: Span,
}

/// The kinds of prefixes.
#[derive(Clone, Debug)]
pub enum PrefixKind {
    /// `new n: T, m.`
    New(Vec<Binder>),
    /// `c<M, N>.`: the channel and the tuple it carries
    Output(Term, Vec<Term>),
    /// `c(p, q).`, `D(M, N)`, `D`: an input or an instantiation; the name decides. An
    /// instantiation is correct only as the last prefix before [`TailKind::Omitted`].
    Apply(Apply),
    /// `[M is N] … else …`
    Match(Term, Term, Option<Box<Thread>>),
    /// `let p = M in … else …`
    Let(Pattern, Term, Option<Box<Thread>>),
    /// `case M of {p}k in … else …`; the pattern is a [`super::PatternKind::Cipher`] or an error
    Case(Term, Pattern, Option<Box<Thread>>),
    /// `event e(M, N).`
    Event(Ident, Vec<Term>),
    /// `phase 1.`: the number, and where it stands
    Phase(u32, Span),
    /// `!`, `!3`
    Replicate(Option<Copies>),
    /// A prefix that could not be read.
    Error,
}

impl PrefixKind {
    /// The `else` branch, for those that can have one and do.
    pub fn otherwise(&self) -> Option<&Thread> {
        match self {
            PrefixKind::Match(_, _, e) | PrefixKind::Let(_, _, e) | PrefixKind::Case(_, _, e) => {
                e.as_deref()
            }
            _ => None,
        }
    }
}

/// An input or an instantiation, as written.
#[derive(Clone, Debug)]
pub struct Apply {
    /// The channel or the process name. Anything but a plain name can only be a channel.
    pub subject: Term,
    /// What stands in the brackets; `None` if there are none (`D` alone can only be an
    /// instantiation).
    pub args: Option<Vec<Pattern>>,
}

/// The number in `!3`.
#[derive(Clone, Copy, Debug)]
pub struct Copies {
    /// How many.
    pub count: u32,
    /// Its place.
    pub span: Span,
}

/// The end of a thread.
#[derive(Clone, Debug)]
pub struct Tail {
    /// Which one.
    pub kind: TailKind,
    /// Its place; empty for [`TailKind::Omitted`].
    pub span: Span,
}

/// The kinds of ends.
#[derive(Clone, Debug)]
pub enum TailKind {
    /// `0`
    Nil,
    /// A trailing `. 0` that was left out.
    Omitted,
    /// `( P )`
    Group(Box<Process>),
    /// `case M of 0: P suc(x): Q`
    IntCase(Box<IntCase>),
    /// A process that could not be read.
    Error,
}

/// The integer case.
#[derive(Clone, Debug)]
pub struct IntCase {
    /// What is looked at.
    pub scrutinee: Term,
    /// The branch for `0`.
    pub zero: Thread,
    /// The predecessor: a [`super::PatternKind::Bind`] or a [`super::PatternKind::Wildcard`].
    pub binder: Pattern,
    /// The branch for `suc(x)`.
    pub succ: Thread,
}
