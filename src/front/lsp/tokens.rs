//! Semantic tokens: what each word is, which a grammar alone does not know.
//!
//! The words come from the lexer, so a text with mistakes has its colours too; what a name is comes
//! from the index.

use gen_lsp_types::{SemanticToken, SemanticTokens, SemanticTokensLegend};

use super::snapshot::Snapshot;
use crate::base::source::Span;
use crate::lang::sema::Nature;
use crate::lang::syntax::ast::Type;
use crate::lang::syntax::lexer;
use crate::lang::syntax::token::Token;

/// What the numbers of types mean to the client.
const TYPES: [&str; 14] = [
    "keyword",
    "comment",
    "number",
    "operator",
    "type",
    "function",
    "namespace",
    "parameter",
    "variable",
    "property",
    "enumMember",
    "event",
    "class",
    "string",
];

/// The place declares or binds the name.
const DECLARATION: u32 = 1;

/// The legend of the numbers.
pub(super) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TYPES.iter().map(ToString::to_string).collect(),
        token_modifiers: vec!["declaration".to_owned()],
    }
}

fn number(name: &str) -> u32 {
    TYPES.iter().position(|t| *t == name).unwrap_or(0) as u32
}

/// The tokens of a text.
pub(super) fn tokens(snapshot: &Snapshot) -> SemanticTokens {
    let lexed = lexer::lex(&snapshot.file);
    let mut found: Vec<(Span, &str, bool)> = Vec::new();
    for (token, span) in &lexed.tokens {
        if let Some((kind, binding)) = kind(snapshot, token, *span) {
            found.push((*span, kind, binding));
        }
    }
    found.extend(lexed.comments.iter().map(|span| (*span, "comment", false)));
    found.sort_by_key(|(span, ..)| span.start);
    let mut data = Vec::new();
    let (mut line, mut column) = (0, 0);
    for (span, kind, binding) in found {
        for piece in lines_of(snapshot, span) {
            let range = snapshot.range(piece);
            let (at, start) = (range.start.line, range.start.character);
            data.push(SemanticToken {
                delta_line: at - line,
                delta_start: if at == line { start - column } else { start },
                length: range.end.character - start,
                token_type: number(kind),
                token_modifiers_bitset: if binding { DECLARATION } else { 0 },
            });
            (line, column) = (at, start);
        }
    }
    SemanticTokens {
        result_id: None,
        data,
    }
}

fn kind(snapshot: &Snapshot, token: &Token, span: Span) -> Option<(&'static str, bool)> {
    let plain = |kind| Some((kind, false));
    match token {
        Token::Ident(name) => match named(snapshot, span) {
            Some(found) => Some(found),
            None if Type::parse(name).is_some() => plain("type"),
            None if matches!(&**name, "holds" | "proof" | "attack" | "with" | "neutral") => {
                plain("keyword")
            }
            None => None,
        },
        Token::Int(_) => plain("number"),
        Token::Text(_) => plain("string"),
        Token::Error => None,
        token if token.is_keyword() => plain("keyword"),
        Token::Bar
        | Token::Bang
        | Token::Plus
        | Token::Minus
        | Token::Caret
        | Token::Tilde
        | Token::AtMost
        | Token::Implies
        | Token::Equal => plain("operator"),
        _ => None,
    }
}

/// What the name at a place is, if it is one that is known.
fn named(snapshot: &Snapshot, span: Span) -> Option<(&'static str, bool)> {
    let (referent, binding) = snapshot.index.here(span)?;
    let kind = match snapshot.checked.meaning(referent)?.nature {
        Nature::Agent | Nature::Spy | Nature::Group | Nature::Neutral => "enumMember",
        Nature::Channel | Nature::Public | Nature::Private | Nature::Fresh => "property",
        Nature::KeyPairs(_) | Nature::Keys(_) => "class",
        Nature::Definition(_) | Nature::Function(..) | Nature::Destructor(_) => "function",
        Nature::System(_) => "namespace",
        Nature::Parameter => "parameter",
        Nature::Event(_) => "event",
        Nature::Sort(_) => "type",
        Nature::Received | Nature::ClaimVariable | Nature::RuleVariable => "variable",
    };
    Some((kind, binding))
}

/// A span cut at the ends of lines: clients want tokens of one line.
fn lines_of(snapshot: &Snapshot, span: Span) -> Vec<Span> {
    let text = snapshot.file.slice(span);
    let mut pieces = Vec::new();
    let mut start = span.start;
    for line in text.split_inclusive(['\n', '\r']) {
        let bare = line.trim_end_matches(['\n', '\r']).len() as u32;
        if bare > 0 {
            pieces.push(Span {
                start,
                end: start + bare,
                ..span
            });
        }
        start += line.len() as u32;
    }
    pieces
}
