//! Reading the arguments of `name(…)` as terms or as patterns.
//!
//! At the start of a step the parser cannot know whether `d(x, {y}k)` receives on a channel or
//! instantiates a definition, so it keeps the arguments in the wider form ([`PatternKind::Term`]
//! allowed). Name resolution knows, and asks here for the one reading or the other; a part that has
//! no such reading is a mistake with the place of exactly that part.

use super::ast::{Pattern, PatternKind, Term, TermKind};
use super::foreign::hint;
use crate::base::source::{Code, Diagnostic, Span, Spot};

impl Pattern {
    /// The argument as a term, for an instantiation.
    pub fn to_term(&self) -> Result<Term, Diagnostic> {
        let kind = match &self.kind {
            PatternKind::Bind(binder) => match &binder.ty {
                None => TermKind::Name(binder.name.name.clone()),
                Some(ty) => return Err(typed_argument(self.span, &binder.name.name, ty.name.span)),
            },
            PatternKind::Wildcard(_) => return Err(pattern_in_term(self.span, "_")),
            PatternKind::Equal(_) => return Err(pattern_in_term(self.span, "=")),
            PatternKind::Tuple(parts) => TermKind::Tuple(to_terms(parts)?),
            PatternKind::Cipher(cipher, parts, key) => {
                TermKind::Encrypt(*cipher, to_terms(parts)?, key.clone())
            }
            PatternKind::Term(term) => return Ok(term.clone()),
            PatternKind::Error => TermKind::Error,
        };
        Ok(Term {
            kind,
            span: self.span,
        })
    }

    /// Whether the argument is a pattern all the way down, for an input; if not, the mistake.
    pub fn check(&self) -> Result<(), Diagnostic> {
        match &self.kind {
            PatternKind::Term(term) if matches!(term.kind, TermKind::Error) => Ok(()),
            PatternKind::Term(term) => Err(term_in_pattern(term)),
            PatternKind::Tuple(parts) | PatternKind::Cipher(_, parts, _) => {
                parts.iter().try_for_each(Pattern::check)
            }
            _ => Ok(()),
        }
    }
}

fn to_terms(parts: &[Pattern]) -> Result<Vec<Term>, Diagnostic> {
    parts.iter().map(Pattern::to_term).collect()
}

/// `_` or `=M` where a message is built.
pub fn pattern_in_term(span: Span, sign: &str) -> Diagnostic {
    let (message, label, help) = if sign == "_" {
        (
            "`_` is a pattern, not a message",
            "there is nothing to send here",
            "write the message that is meant; `_` only stands for a part that a receiver ignores",
        )
    } else {
        (
            "`=` belongs to patterns, not to messages",
            "a message is built here, nothing is compared",
            "leave out the `=`",
        )
    };
    Diagnostic::new(Code::PatternInTerm, message)
        .at(span, label)
        .help(help)
}

fn typed_argument(span: Span, name: &str, ty: Span) -> Diagnostic {
    Diagnostic::new(Code::PatternInTerm, "an argument cannot declare a type")
        .at(ty, "a type stands only where a name is introduced")
        .help(format!("write `{name}`"))
        .repair(Spot::At(span), name)
        .and(span, "this is an argument of a process instantiation")
}

/// A message where something is received.
pub fn term_in_pattern(term: &Term) -> Diagnostic {
    let (what, help) = match &term.kind {
        TermKind::Hash(_) => (
            "a hash cannot be opened",
            "write `=H(..)` to compare with a hash that is known, or receive it in a variable",
        ),
        TermKind::Suc(_) | TermKind::Int(_) => (
            "a pattern cannot look into an integer",
            "write `=` before it to compare, or use `case x of 0: P suc(y): Q`",
        ),
        TermKind::Power(..) => (
            "the exponents of a share can't be taken out of it",
            "write `=` before it to compare with what is known, or receive it in a variable: `y: Share`",
        ),
        TermKind::Apply(name, _) => (
            "a pattern takes neither a key nor what a function makes apart",
            hint(&name.name).unwrap_or(
                "write `=` before it to compare; what a function makes is opened by a destructor: `let x = open(M, k) in P`",
            ),
        ),
        TermKind::Part(..) => (
            "a key cannot be taken apart",
            "write `=` before it to compare with the key that is known",
        ),
        _ => (
            "this is a message, not a pattern",
            "write `=` before it to compare",
        ),
    };
    Diagnostic::new(
        Code::TermInPattern,
        "a term stands where a pattern is needed",
    )
    .at(term.span, what)
    .help(help)
    .repair(Spot::At(term.span.before()), "=")
}
