//! Completion: what may be written at a place.
//!
//! A text that is being typed rarely parses. So the kind of word is found from the words before the
//! place (`expected`), and so are the names bound there (`local`). Declared names come from the
//! tree, which keeps every declaration that can be parsed (`items`).

mod expected;
mod items;
mod local;

use gen_lsp_types::{CompletionItem, Position};

use super::snapshot::Snapshot;
use crate::lang::syntax::lexer::{self, Spanned};
use expected::Expected;
use items::Items;

/// What may stand at a position. With `snippets` the places to fill in are marked.
pub(super) fn complete(
    snapshot: &Snapshot,
    position: Position,
    snippets: bool,
) -> Vec<CompletionItem> {
    let offset = snapshot.offset(position);
    let lexed = lexer::lex(&snapshot.file);
    let inside = |span: &crate::base::source::Span| {
        let (start, end) = (span.start as usize, span.end as usize);
        let line = snapshot.file.text[start..].starts_with("//");
        start < offset && (offset < end || line && offset == end)
    };
    if lexed.comments.iter().any(inside) {
        return Vec::new();
    }
    let start = word_start(&snapshot.file.text, offset);
    let before = lexed
        .tokens
        .partition_point(|(_, span)| span.end as usize <= start);
    let words: &[Spanned] = &lexed.tokens[..before];
    let at_margin = start == 0 || snapshot.file.text[..start].ends_with(['\n', '\r']);
    let all = Items::new(snapshot, &lexed.tokens, snippets);
    let (expected, declaration) = expected::find(words, at_margin);
    match expected {
        Expected::Top => all.declarations(),
        Expected::Type => all.types(),
        Expected::Verdict => {
            items::words(&["holds", "proof", "attack"], "what spi test compares with")
        }
        Expected::AfterClaim => items::words(&["expect"], "what spi test compares with"),
        Expected::System => all.systems(),
        Expected::Event => all.events(),
        Expected::Secret => all.secrets(),
        Expected::Step => {
            let mut items = all.steps();
            items.extend(all.roles());
            items.extend(all.names(&local::bound(declaration)));
            items
        }
        Expected::Term => {
            let mut items = all.names(&local::bound(declaration));
            items.extend(all.functions());
            items
        }
        Expected::Library => items::libraries(),
        Expected::Rule => all.constructors(),
        Expected::Nothing => Vec::new(),
    }
}

/// Where the word that ends at an offset starts.
fn word_start(text: &str, offset: usize) -> usize {
    let part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '\'');
    let head = &text[..offset];
    head.trim_end_matches(part).len()
}
