//! The parser: chumsky over the tokens of one declaration at a time, one file per nonterminal.
//!
//! One token of look-ahead decides everything (the pass in `split` has seen to it), so no
//! alternative is read twice and time is linear. Rules are boxed and the recursive ones are nested,
//! not declared ahead: the one keeps compile times down, the other does not leak.
//!
//! Whatever happens, a tree comes back, with `Error` nodes where text could not be read.

mod claim;
mod decl;
mod expect;
mod name;
mod narration;
mod pattern;
mod recover;
mod report;
mod step;
mod term;
mod thread;

use chumsky::Parser;
use chumsky::input::Input;

use self::expect::{Mistake, Rule};
use super::ast::{Decl, DeclKind, Process, SecrecyTarget, SystemRef, Term};
use super::lexer::Spanned;
use super::split::Declarations;
use crate::base::source::{Code, Diagnostic, FileId, SourceFile, Span};

pub use self::thread::MAX_STEPS;

/// After so many mistakes the rest of the file is not parsed.
const MAX_MISTAKES: usize = 50;

/// Parses all declarations of a file.
pub(super) fn declarations(
    file: &SourceFile,
    input: &Declarations,
) -> (Vec<Decl>, Vec<Diagnostic>) {
    let term = term::term();
    let pattern = pattern::wide(term.clone());
    let process = thread::process(&term, &pattern);
    let decl = decl::decl(&term, &process);
    let mut decls = Vec::with_capacity(input.ranges.len());
    let mut diagnostics = Vec::new();
    for range in &input.ranges {
        let tokens = &input.tokens[range.clone()];
        let (read, mistakes) = run(&decl, tokens);
        let span = place(file, tokens);
        decls.push(read.unwrap_or(Decl {
            kind: DeclKind::Error,
            span,
        }));
        report_all(file, tokens, mistakes, false, &mut diagnostics);
        if diagnostics.len() >= MAX_MISTAKES {
            break;
        }
    }
    (decls, diagnostics)
}

/// Parses a process that stands alone.
pub(super) fn process(file: &SourceFile, tokens: &[Spanned]) -> (Option<Process>, Vec<Diagnostic>) {
    let term = term::term();
    let pattern = pattern::wide(term.clone());
    whole(file, tokens, &thread::process(&term, &pattern))
}

/// Parses a term that stands alone.
pub(super) fn term(file: &SourceFile, tokens: &[Spanned]) -> (Option<Term>, Vec<Diagnostic>) {
    whole(file, tokens, &term::term())
}

/// Parses the target of a secrecy claim that stands alone.
pub(super) fn target(
    file: &SourceFile,
    tokens: &[Spanned],
) -> (Option<SecrecyTarget>, Vec<Diagnostic>) {
    whole(file, tokens, &claim::target(&term::term()))
}

/// Parses a system with its arguments that stands alone.
pub(super) fn system(
    file: &SourceFile,
    tokens: &[Spanned],
) -> (Option<SystemRef>, Vec<Diagnostic>) {
    whole(file, tokens, &claim::system(&term::term()))
}

fn whole<'t, T: 't>(
    file: &SourceFile,
    tokens: &'t [Spanned],
    rule: &Rule<'t, T>,
) -> (Option<T>, Vec<Diagnostic>) {
    let all = rule.clone().then_ignore(chumsky::primitive::end()).boxed();
    let (read, mistakes) = run(&all, tokens);
    let mut diagnostics = Vec::new();
    report_all(file, tokens, mistakes, true, &mut diagnostics);
    (read, diagnostics)
}

fn run<'t, T: 't>(rule: &Rule<'t, T>, tokens: &'t [Spanned]) -> (Option<T>, Vec<Mistake>) {
    let nowhere = Span::new(FileId::default(), 0..0);
    let end = tokens.last().map_or(nowhere, |(_, span)| span.after());
    rule.parse(tokens.split_token_span(end))
        .into_output_errors()
}

fn place(file: &SourceFile, tokens: &[Spanned]) -> Span {
    match (tokens.first(), tokens.last()) {
        (Some((_, first)), Some((_, last))) => first.to(*last),
        _ => file.span(),
    }
}

fn report_all(
    file: &SourceFile,
    tokens: &[Spanned],
    mistakes: Vec<Mistake>,
    fragment: bool,
    into: &mut Vec<Diagnostic>,
) {
    for mistake in mistakes {
        let Some(diagnostic) = report::report(file, tokens, mistake, fragment) else {
            continue;
        };
        // One misused word is one mistake, however often it is used.
        let again = diagnostic.code == Code::KeywordAsName
            && into
                .iter()
                .any(|d| d.code == diagnostic.code && d.message == diagnostic.message);
        if !again {
            into.push(diagnostic);
        }
    }
}
