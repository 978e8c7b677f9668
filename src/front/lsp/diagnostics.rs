//! Diagnostics in the form of the protocol.

use gen_lsp_types::{
    Diagnostic as Shown, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location,
    Range, Uri,
};

use super::document::{Document, Run};
use super::options::Options;
use super::snapshot::Snapshot;
use crate::base::source::visible::visible;
use crate::base::source::{Code, Diagnostic, LabelKind, Severity, Span};

/// At most this many are sent; a note gives the number of the others.
const SENT: usize = 100;

/// All diagnostics of a document and, for clients without lenses, its verdicts.
pub(super) fn all(uri: &Uri, document: &mut Document, options: &Options) -> Vec<Shown> {
    let snapshot = document.snapshot();
    let mut shown = of_text(uri, &snapshot, options);
    if options.lenses {
        return shown;
    }
    let claims = &snapshot.checked.program.claims;
    for (i, claim) in claims.iter().enumerate() {
        if let Some(Run::Done(outcome)) = document.runs.get(&i) {
            shown.push(Shown {
                range: snapshot.range(claim.span),
                severity: Some(if outcome.as_expected {
                    DiagnosticSeverity::Information
                } else {
                    DiagnosticSeverity::Warning
                }),
                source: Some("spi".to_owned()),
                message: format!("{}: {}", claim.text, outcome.line()).into(),
                ..Shown::default()
            });
        }
    }
    shown
}

fn of_text(uri: &Uri, snapshot: &Snapshot, options: &Options) -> Vec<Shown> {
    let list = snapshot.diagnostics();
    // Errors before warnings if not all can be sent.
    let errors = list.iter().filter(|d| d.is_error()).count();
    let mut left = [errors.min(SENT), SENT.saturating_sub(errors)];
    let mut shown = Vec::new();
    for diagnostic in list {
        let room = &mut left[usize::from(!diagnostic.is_error())];
        if *room > 0 {
            *room -= 1;
            shown.push(one(uri, snapshot, diagnostic, options));
        }
    }
    let rest = list.len() - shown.len();
    if rest > 0 {
        shown.push(Shown {
            severity: Some(DiagnosticSeverity::Information),
            source: Some("spi".to_owned()),
            message: format!("{rest} more; mend these first").into(),
            ..Shown::default()
        });
    }
    shown
}

fn one(uri: &Uri, snapshot: &Snapshot, diagnostic: &Diagnostic, options: &Options) -> Shown {
    let primary = diagnostic.primary();
    let own = |span: &Span| span.file == snapshot.file.id;
    // A mistake in a used file is shown at the `use` that leads to it.
    let here = primary.filter(own).or_else(|| {
        let mut spans = diagnostic.labels.iter().map(|l| l.span);
        spans.rfind(own)
    });
    let range = here.map_or_else(Range::default, |span| snapshot.range(span));
    let mut message = visible(&diagnostic.message).into_owned();
    if let Some(span) = primary.filter(|span| !own(span))
        && let Some(file) = snapshot.map.get(span.file)
    {
        let line = file.line_column(span.start).0;
        message = format!("{}, line {line}: {message}", visible(&file.name));
    }
    let mut related = Vec::new();
    for label in &diagnostic.labels {
        if label.message.is_empty() {
            continue;
        }
        let text = visible(&label.message).into_owned();
        if label.kind == LabelKind::Primary {
            message = format!("{message}: {text}");
        }
        if label.kind != LabelKind::Primary || !own(&label.span) {
            related.push((snapshot.place(label.span).unwrap_or((None, range)), text));
        }
    }
    let notes = diagnostic
        .notes
        .iter()
        .map(|n| format!("note: {}", visible(n)));
    let help = diagnostic
        .help
        .iter()
        .map(|h| format!("help: {}", visible(h)));
    let words: Vec<String> = help.chain(notes).collect();
    let related_information = if options.related {
        related.extend(words.into_iter().map(|w| ((None, range), w)));
        let location = |(other, range): (Option<String>, Range)| Location {
            uri: other.map_or_else(|| uri.clone(), Uri),
            range,
        };
        let related = related.into_iter();
        let related = related.map(|(place, message)| DiagnosticRelatedInformation {
            location: location(place),
            message,
        });
        Some(related.collect())
    } else {
        for word in words {
            message.push('\n');
            message.push_str(&word);
        }
        None
    };
    Shown {
        range,
        severity: Some(match diagnostic.severity() {
            Severity::Error => DiagnosticSeverity::Error,
            Severity::Warning => DiagnosticSeverity::Warning,
        }),
        code: Some(diagnostic.code.as_str().to_owned().into()),
        source: Some("spi".to_owned()),
        message: message.into(),
        tags: (diagnostic.code == Code::UnusedName).then(|| vec![DiagnosticTag::Unnecessary]),
        related_information,
        ..Shown::default()
    }
}
