//! Changes of a text that keep what they do not touch: without comments, in another order, with other expectations.

use super::random::Random;
use crate::base::source::{SourceFile, Span};
use crate::lang::syntax::ast::{DeclKind, Expect, File};
use crate::lang::syntax::lexer::lex;

/// Places with what is to stand there.
pub(super) type Edits = Vec<(Span, String)>;

/// The text with these changes, of which no two overlap.
pub(super) fn edited(text: &str, mut edits: Edits) -> String {
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut text = text.to_owned();
    for (span, new) in edits {
        text.replace_range(span.range(), &new);
    }
    text
}

/// Without comments: they speak of what the text was.
pub(super) fn bare(text: &str) -> String {
    let file = SourceFile::anonymous("text", text);
    let blanks = lex(&file).comments.into_iter().map(|c| (c, " ".to_owned()));
    edited(text, blanks.collect())
}

/// Definitions, parallel parts of systems and, if it does not matter which comes first, claims in another order.
pub(super) fn reordered(
    file: &SourceFile,
    tree: &File,
    claims: bool,
    random: &mut Random,
) -> String {
    let of = |wanted: fn(&DeclKind) -> bool| -> Vec<Span> {
        let decls = tree.decls.iter().filter(|d| wanted(&d.kind));
        decls.map(|d| d.span).collect()
    };
    let mut groups = vec![of(|k| matches!(k, DeclKind::Def(_)))];
    if claims {
        groups.push(of(|k| matches!(k, DeclKind::Claim(_))));
    }
    for decl in &tree.decls {
        if let DeclKind::System(system) = &decl.kind {
            groups.push(system.body.threads.iter().map(|t| t.span).collect());
        }
    }
    let mut edits = Edits::new();
    for places in groups {
        let mut order = places.clone();
        random.shuffle(&mut order);
        let moved = places.into_iter().zip(order);
        edits.extend(moved.map(|(to, from)| (to, file.slice(from).to_owned())));
    }
    edited(&file.text, edits)
}

/// With what is expected of each claim.
pub(super) fn expecting(file: &SourceFile, tree: &File, wanted: &[Expect]) -> String {
    let claims = tree.decls.iter().filter_map(|d| match &d.kind {
        DeclKind::Claim(claim) => Some(claim),
        _ => None,
    });
    let mut edits = Edits::new();
    for (claim, expect) in claims.zip(wanted) {
        let text = file.slice(claim.span);
        let asked = match (claim.expect, text.rfind("expect")) {
            (Some(_), Some(at)) => text[..at].trim_end(),
            _ => text,
        };
        let word = match expect {
            Expect::Holds => "holds",
            Expect::Proof => "proof",
            Expect::Attack => "attack",
        };
        edits.push((claim.span, format!("{asked} expect {word}")));
    }
    edited(&file.text, edits)
}
