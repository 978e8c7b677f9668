//! Inlay hints: the parameter that an argument is for, and the type of a name that has none
//! written.
//!
//! The type is the one that the uses of the name agree on: arguments of key families and roles have
//! declared types. The hint is inferred, not checked. A click writes it into the text.

use gen_lsp_types::{InlayHint, InlayHintKind, Range, TextEdit};
use std::collections::BTreeMap;

use super::snapshot::Snapshot;
use crate::base::source::Span;
use crate::lang::sema::{Nature, Referent};
use crate::lang::syntax::lexer::{self, Spanned};
use crate::lang::syntax::token::Token;
use crate::process::Type;

/// Longest text in which hints are looked for, in words.
const WORDS: usize = 50_000;

/// The hints in a range.
pub(super) fn hints(snapshot: &Snapshot, range: Range) -> Vec<InlayHint> {
    let words = lexer::lex(&snapshot.file).tokens;
    if words.len() > WORDS {
        return Vec::new();
    }
    let mut found: Vec<(u32, InlayHint)> = Vec::new();
    let mut wanted: BTreeMap<Referent, Vec<Type>> = BTreeMap::new();
    for open in 1..words.len() {
        if !matches!(words[open].0, Token::OpenParen)
            || !matches!(words[open - 1].0, Token::Ident(_))
        {
            continue;
        }
        let Some((referent, false)) = snapshot.index.here(words[open - 1].1) else {
            continue;
        };
        let Some(meaning) = snapshot.checked.meaning(referent) else {
            continue;
        };
        let (names, types): (Vec<Option<String>>, Vec<Type>) = match meaning.nature {
            Nature::KeyPairs(types) | Nature::Keys(types) | Nature::Function(types, _) => {
                (vec![None; types.len()], types)
            }
            Nature::Definition(params) | Nature::System(params) => {
                params.into_iter().map(|(n, t)| (Some(n), t)).unzip()
            }
            _ => continue,
        };
        for ((argument, name), ty) in arguments(&words, open).into_iter().zip(names).zip(types) {
            let Some((Token::Ident(word), span)) = argument.first() else {
                continue;
            };
            let alone = argument.len() == 1;
            if alone && let Some((referent, _)) = snapshot.index.here(*span) {
                wanted.entry(referent).or_default().push(ty);
            }
            // A name that says the same needs no hint.
            if let Some(name) = name.filter(|n| !n.eq_ignore_ascii_case(word) || !alone) {
                found.push((span.start, parameter(snapshot, *span, &name)));
            }
        }
    }
    for (_, span) in words.iter().filter(|(t, _)| matches!(t, Token::Ident(_))) {
        if let Some(ty) = untyped(snapshot, &words, *span, &wanted) {
            found.push((span.end, typed(snapshot, *span, &ty)));
        }
    }
    found.sort_by_key(|(at, _)| *at);
    let shown = found.into_iter().map(|(_, hint)| hint);
    shown
        .filter(|h| range.start <= h.position && h.position <= range.end)
        .collect()
}

/// The type that the uses of a name agree on, if it is bound here without one.
fn untyped(
    snapshot: &Snapshot,
    words: &[Spanned],
    span: Span,
    wanted: &BTreeMap<Referent, Vec<Type>>,
) -> Option<String> {
    let (referent, true) = snapshot.index.here(span)? else {
        return None;
    };
    let meaning = snapshot.checked.meaning(referent)?;
    let bindable = matches!(
        meaning.nature,
        Nature::Parameter | Nature::Fresh | Nature::Received
    );
    let after = words.partition_point(|(_, s)| s.start < span.end);
    let written = matches!(words.get(after), Some((Token::Colon, _)));
    if !bindable || written || meaning.ty != Type::Msg {
        return None;
    }
    let types = wanted.get(&referent)?;
    let first = *types.first()?;
    let agree = first != Type::Msg && types.iter().all(|t| *t == first);
    let label = snapshot.checked.program.signature.type_label(first);
    agree.then(|| label.to_owned())
}

/// The words of each argument after an opening bracket.
fn arguments(words: &[Spanned], open: usize) -> Vec<&[Spanned]> {
    let mut found = Vec::new();
    let (mut depth, mut start) = (0, open + 1);
    for (i, (token, _)) in words.iter().enumerate().skip(open) {
        match token {
            Token::OpenParen | Token::OpenBrace | Token::OpenBracket => depth += 1,
            Token::CloseParen | Token::CloseBrace | Token::CloseBracket => depth -= 1,
            Token::Comma if depth == 1 => {
                found.push(&words[start..i]);
                start = i + 1;
            }
            _ => {}
        }
        if depth == 0 {
            found.push(&words[start..i]);
            break;
        }
    }
    found
}

fn parameter(snapshot: &Snapshot, span: Span, name: &str) -> InlayHint {
    InlayHint {
        kind: Some(InlayHintKind::Parameter),
        padding_right: Some(true),
        ..at(snapshot, span.before(), format!("{name}:"))
    }
}

fn typed(snapshot: &Snapshot, span: Span, ty: &str) -> InlayHint {
    let text = format!(": {ty}");
    InlayHint {
        kind: Some(InlayHintKind::Type),
        text_edits: Some(vec![TextEdit {
            range: snapshot.range(span.after()),
            new_text: text.clone(),
        }]),
        ..at(snapshot, span.after(), text)
    }
}

fn at(snapshot: &Snapshot, span: Span, label: String) -> InlayHint {
    InlayHint {
        position: snapshot.range(span).start,
        label: label.into(),
        kind: None,
        text_edits: None,
        tooltip: None,
        padding_left: None,
        padding_right: None,
        data: None,
    }
}
