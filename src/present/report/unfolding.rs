//! Systems that can't be unfolded, as diagnostics.

use crate::base::source::{Code, Diagnostic, Span};
use crate::process::UnfoldError;

/// Why a system can't be unfolded; `needed` is the place that asks for it.
pub fn too_large(needed: Span, error: &UnfoldError) -> Diagnostic {
    match error {
        UnfoldError::TooLarge { limit, span } => Diagnostic::new(
            Code::TooLarge,
            format!("the system unfolds into more than {limit} steps"),
        )
        .at(*span, "the limit was met here")
        .and(needed, "needed for this")
        .help("lower `--unfold`, `--copies` or the number of copies in `!n`"),
        UnfoldError::Huge { limit, span } => Diagnostic::new(
            Code::TooLarge,
            format!("an argument has more than {limit} operators and names"),
        )
        .at(*span, "here")
        .and(needed, "needed for this")
        .help("a parameter that occurs twice in the next argument doubles its size at each instantiation: pass smaller messages"),
        UnfoldError::NothingPicked { span } => Diagnostic::new(
            Code::UnknownInstance,
            "the system has no such instance, or its arguments are known only at run time",
        )
        .at(*span, "this picks nothing")
        .help("write the instance as the system instantiates it, or leave it out to mean every honest one"),
        UnfoldError::Unless { what, span } => Diagnostic::new(
            Code::UnlessNotCovered,
            format!("{what} know no `unless`"),
        )
        .at(*span, "this excuses violations")
        .and(needed, "needed for this")
        .help("leave `--transparent` out, or `unless`"),
        UnfoldError::Phases { what, span } => crate::lang::sema::phases_not_covered(what, needed, *span),
        UnfoldError::Arguments { expected, found } => Diagnostic::new(
            Code::WrongArity,
            format!("the system takes {expected} arguments, {found} were given"),
        )
        .at(needed, "here"),
        UnfoldError::OtherKind => Diagnostic::new(
            Code::WrongArity,
            "a comparison of two systems is no claim about one system",
        )
        .at(needed, "here"),
    }
}
