//! Quick fixes: repairs as code actions.
//!
//! Some diagnostics propose a repair. Each proposal is tried first: the edited text is checked, and
//! the repair is offered only if the mistake is gone and there is no new one.

use gen_lsp_types::{CodeAction, CodeActionKind, Range, TextEdit, Uri, WorkspaceEdit};
use std::collections::HashMap;

use super::snapshot::Snapshot;
use crate::base::source::{Diagnostic, Repair, Span, Spot};

/// At most this many proposals are tried for one request.
const TRIED: usize = 12;

/// The repairs of the mistakes that touch a range.
pub(super) fn actions(uri: &Uri, snapshot: &Snapshot, range: Range) -> Vec<CodeAction> {
    let touches = |d: &&Diagnostic| {
        d.primary().is_some_and(|span| {
            let at = snapshot.range(span);
            at.start <= range.end && range.start <= at.end
        })
    };
    let mistakes = snapshot.diagnostics().iter().filter(touches);
    let proposals = mistakes.flat_map(|d| d.repairs.iter().map(move |r| (d, r)));
    let mended = proposals.take(TRIED).filter_map(|(d, repair)| {
        let (span, text) = edit(snapshot, d, repair)?;
        mends(snapshot, d, span, &text).then(|| action(uri, snapshot, repair, span, text))
    });
    let mut actions: Vec<CodeAction> = mended.collect();
    if let [only] = &mut actions[..] {
        only.is_preferred = Some(true);
    }
    actions
}

/// The place that is replaced, and the new text.
fn edit(snapshot: &Snapshot, d: &Diagnostic, repair: &Repair) -> Option<(Span, String)> {
    match repair.spot {
        Spot::Mistake => Some((d.primary()?, repair.text.clone())),
        Spot::At(span) => Some((span, repair.text.clone())),
        Spot::Declaration => {
            let first = snapshot.tree.decls.first()?.span.before();
            Some((first, format!("{}\n", repair.text)))
        }
    }
}

/// Whether the mistake is gone and there is no new one.
fn mends(snapshot: &Snapshot, d: &Diagnostic, span: Span, text: &str) -> bool {
    let mut edited = snapshot.file.text.to_string();
    if edited.get(span.range()).is_none() {
        return false;
    }
    edited.replace_range(span.range(), text);
    let after = snapshot.edited(&edited);
    let errors = |s: &Snapshot| s.diagnostics().iter().filter(|d| d.is_error()).count();
    // What stands after the edit has moved.
    let moved = |at: u32| {
        if at >= span.end && d.primary() != Some(span) {
            at - (span.len() as u32).min(at) + text.len() as u32
        } else {
            at
        }
    };
    let there = d.primary().map(|p| moved(p.start));
    let still = after.diagnostics().iter().any(|other| {
        other.code == d.code
            && other.message == d.message
            && other.primary().map(|p| p.start) == there
    });
    !still && errors(&after) <= errors(snapshot)
}

fn action(uri: &Uri, snapshot: &Snapshot, repair: &Repair, span: Span, text: String) -> CodeAction {
    let title = match (repair.spot, repair.text.trim()) {
        (Spot::Declaration, text) => format!("declare `{text}`"),
        (_, "") => format!("remove `{}`", snapshot.file.slice(span)),
        (_, text) if span.is_empty() => format!("insert `{text}`"),
        (_, text) => format!("write `{text}`"),
    };
    let edit = TextEdit {
        range: snapshot.range(span),
        new_text: text,
    };
    CodeAction {
        title,
        kind: Some(CodeActionKind::QuickFix),
        edit: Some(WorkspaceEdit {
            changes: Some(HashMap::from([(uri.clone(), vec![edit])])),
            ..WorkspaceEdit::default()
        }),
        ..CodeAction::default()
    }
}
