//! Renaming: the edits, or why there are none.
//!
//! A renaming must not change what any name refers to. Instead of reasoning about scopes, the
//! edited text is checked: every place must resolve as before, without new mistakes.

use gen_lsp_types::{Position, TextEdit};

use super::index::Group;
use super::snapshot::Snapshot;
use crate::base::source::{Code, Span};
use crate::lang::syntax::ast::Type;
use crate::lang::syntax::lexer;
use crate::lang::syntax::token::Token;

/// The name at a position that can be renamed, with its group.
pub(super) fn target(snapshot: &Snapshot, position: Position) -> Result<(Span, Group), String> {
    let found = snapshot.index.at(snapshot.offset(position));
    let (span, group) = found.ok_or("there is no name here that could be renamed")?;
    if snapshot.tree.broken {
        return Err("mend the syntax errors first".to_owned());
    }
    if let Some(place) = snapshot.index.elsewhere(group).first() {
        let file = snapshot.map.get(place.file);
        let file = file.map_or("another file", |f| &f.name);
        return Err(format!("it is declared in `{file}`: rename it there"));
    }
    Ok((span, group))
}

/// The edits that give another name to what stands at a position.
pub(super) fn rename(
    snapshot: &Snapshot,
    position: Position,
    new: &str,
) -> Result<Vec<TextEdit>, String> {
    let (span, group) = target(snapshot, position)?;
    valid(new)?;
    let old = snapshot.file.slice(span);
    if old == new {
        return Ok(Vec::new());
    }
    let places = snapshot.index.places(group);
    let mut text = String::with_capacity(snapshot.file.text.len());
    let mut from = 0;
    for place in &places {
        text.push_str(
            snapshot
                .file
                .text
                .get(from..place.range().start)
                .unwrap_or(""),
        );
        text.push_str(new);
        from = place.range().end;
    }
    text.push_str(snapshot.file.text.get(from..).unwrap_or(""));
    unchanged(snapshot, &snapshot.edited(&text), old, new)?;
    Ok(places
        .into_iter()
        .map(|place| TextEdit {
            range: snapshot.range(place),
            new_text: new.to_owned(),
        })
        .collect())
}

/// Whether the word can be a name.
fn valid(name: &str) -> Result<(), String> {
    if Type::parse(name).is_some() {
        return Err(format!("`{name}` is a type"));
    }
    let file = crate::base::source::SourceFile::anonymous("name", name);
    let lexed = lexer::lex(&file);
    match lexed.tokens.as_slice() {
        [(Token::Ident(_), span)] if span.range() == (0..name.len()) => Ok(()),
        [(token, _)] if token.is_keyword() => Err(format!("`{name}` is a keyword")),
        _ => Err(format!("`{name}` is not a name")),
    }
}

/// Whether the edited text means the same.
fn unchanged(before: &Snapshot, after: &Snapshot, old: &str, new: &str) -> Result<(), String> {
    let errors = |s: &Snapshot| s.diagnostics().iter().filter(|d| d.is_error()).count();
    if errors(after) > errors(before) {
        let known = |message: &str| before.diagnostics().iter().any(|d| d.message == message);
        let mut fresh = after.diagnostics().iter().filter(|d| d.is_error());
        let why = fresh.find(|d| !known(&d.message)).map_or_else(
            || "the file would have a mistake".to_owned(),
            |d| d.message.clone(),
        );
        return Err(format!("`{old}` can't be renamed to `{new}`: {why}"));
    }
    let hiding = |s: &Snapshot| {
        let list = s.diagnostics().iter();
        list.filter(|d| d.code == Code::Shadowing).count()
    };
    if hiding(after) > hiding(before) {
        return Err(format!(
            "`{old}` can't be renamed to `{new}`: one `{new}` would hide another"
        ));
    }
    let (was, is) = (before.index.shape(), after.index.shape());
    if was == is && errors(after) == errors(before) {
        return Ok(());
    }
    let places = after.index.all_places();
    let differs = was.iter().zip(&is).position(|(a, b)| a != b);
    let place = differs.and_then(|i| places.get(i).copied());
    let line = place.map(|span| after.file.line_column(span.start).0);
    let place = line.map_or_else(String::new, |line| format!(" in line {line}"));
    Err(format!(
        "`{old}` can't be renamed to `{new}`: a name{place} would refer to something else"
    ))
}
