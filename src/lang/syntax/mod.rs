//! From text to a syntax tree.
//!
//! ```text
//! text -lexer-> tokens -split, brackets-> balanced declarations -parser-> ast::File
//! ```
//!
//! Every step returns a value and diagnostics; one run reports all mistakes of a file, each once.
//! Time is linear in the text and the depth of the tree is bounded, whatever the text is.
//!
//! The tree ([`ast`]) is the interface to the layers above. Names, types and meaning are left to
//! `sema`.

pub mod ast;
mod brackets;
pub mod dump;
pub mod foreign;
pub mod format;
mod hidden;
pub mod lexer;
pub mod link;
mod lookalike;
pub mod narration;
mod narrations;
mod parser;
pub mod reread;
mod split;
mod stray;
pub mod token;

use crate::base::source::{Code, Diagnostic, Diagnostics, SourceFile, Span};

pub use brackets::MAX_DEPTH;
pub use parser::MAX_STEPS;

/// The name under which fragments of the command line are parsed.
pub const FRAGMENT: &str = "<argument>";

/// Parses a file. The tree is complete up to the `Error` nodes that stand for reported mistakes.
pub fn parse(file: &SourceFile) -> (ast::File, Vec<Diagnostic>) {
    let Read {
        decls, diagnostics, ..
    } = read(file);
    let broken = diagnostics.iter().any(Diagnostic::is_error);
    (
        ast::File {
            decls,
            span: file.span(),
            broken,
            used: Vec::new(),
        },
        diagnostics,
    )
}

/// A file as it was read, with everything the formatter needs besides the tree.
struct Read {
    decls: Vec<ast::Decl>,
    tokens: Vec<lexer::Spanned>,
    comments: Vec<Span>,
    diagnostics: Vec<Diagnostic>,
}

fn read(file: &SourceFile) -> Read {
    let lexed = lexer::lex(file);
    let mut all = Diagnostics::from(lexed.diagnostics);
    if lexed.tokens.is_empty() && all.is_empty() {
        all.push(
            Diagnostic::new(Code::EmptyFile, format!("`{}` declares nothing", file.name)).help(
                "a model declares names, role definitions and a system, and then claims about it",
            ),
        );
    }
    all.extend(hidden::warnings(file, &lexed.comments));
    let mut split = split::Declarations::default();
    let mut decls = Vec::new();
    // Of what is hardly text only the first characters are worth a word.
    if !lexed.gave_up {
        split = split::split(&file.text, &lexed.tokens);
        let (read, mistakes) = parser::declarations(file, &split);
        decls = read;
        all.extend(split.diagnostics);
        all.extend(mistakes);
    }
    Read {
        decls,
        tokens: split.tokens,
        comments: lexed.comments,
        diagnostics: Diagnostics::from(stray::gathered(file, &lexed.tokens, all.into_sorted()))
            .into_sorted(),
    }
}

/// What a file hides from whoever reads it: warnings only, whatever else is wrong.
pub fn hidden(file: &SourceFile) -> Vec<Diagnostic> {
    let warnings = hidden::warnings(file, &lexer::lex(file).comments);
    Diagnostics::from(warnings).into_sorted()
}

/// Parses a process that stands alone.
pub fn parse_process(file: &SourceFile) -> (Option<ast::Process>, Vec<Diagnostic>) {
    fragment(file, parser::process)
}

/// Parses a term that stands alone.
pub fn parse_term(file: &SourceFile) -> (Option<ast::Term>, Vec<Diagnostic>) {
    fragment(file, parser::term)
}

/// Parses the target of a secrecy claim, as in `--secrecy 'Init(A, B).Na'`.
pub fn parse_claim_target(file: &SourceFile) -> (Option<ast::SecrecyTarget>, Vec<Diagnostic>) {
    fragment(file, parser::target)
}

/// Parses a system with its arguments, as in `spi equiv 'file.spi:S(a)'`.
pub fn parse_system(file: &SourceFile) -> (Option<ast::SystemRef>, Vec<Diagnostic>) {
    fragment(file, parser::system)
}

type Fragment<T> = (Option<T>, Vec<Diagnostic>);

fn fragment<T>(
    file: &SourceFile,
    parse: fn(&SourceFile, &[lexer::Spanned]) -> Fragment<T>,
) -> Fragment<T> {
    let lexed = lexer::lex(file);
    let mut all = Diagnostics::from(lexed.diagnostics);
    let balanced = split::fragment(&lexed.tokens);
    let found = !balanced.diagnostics.is_empty();
    all.extend(balanced.diagnostics);
    if lexed.gave_up || found {
        return (None, all.into_sorted());
    }
    let (read, mistakes) = parse(file, &balanced.tokens);
    all.extend(mistakes);
    (read, all.into_sorted())
}
