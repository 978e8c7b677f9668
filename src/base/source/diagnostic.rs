//! Diagnostics as data, and the sink that collects them.
//!
//! House form of the words: lower case, no final period, the thing in back-ticks. The message says
//! what is wrong in one line; labels say it at the place; notes give the reason; help says what to
//! write instead.

use super::code::{Code, Severity};
use super::file::{FileId, Span};
use super::repair::{Repair, Spot};

/// Whether a label marks the mistake itself or a place that explains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelKind {
    /// The mistake. A diagnostic has at most one.
    Primary,
    /// A place that explains it: a declaration, an opening bracket.
    Secondary,
}

/// A remark attached to a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is to be seen there.
    pub message: String,
    /// Mistake or explanation.
    pub kind: LabelKind,
}

/// One mistake, or one doubt, with everything a reader needs to act on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which kind of mistake.
    pub code: Code,
    /// One terse line.
    pub message: String,
    /// Places, the primary one first.
    pub labels: Vec<Label>,
    /// Reasons and facts.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Vec<String>,
    /// The same for editors, as far as it is known to the letter. A slice, as diagnostics are returned as errors and have to
    /// stay small.
    pub repairs: Box<[Repair]>,
}

impl Diagnostic {
    /// A diagnostic without places yet.
    pub fn new(code: Code, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            code,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            repairs: Box::default(),
        }
    }

    /// Marks the mistake itself. The first call wins: a second one adds a secondary label.
    #[must_use]
    pub fn at(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        let label = |kind| Label {
            span,
            message: message.into(),
            kind,
        };
        if self.primary().is_some() {
            self.labels.push(label(LabelKind::Secondary));
        } else {
            self.labels.insert(0, label(LabelKind::Primary));
        }
        self
    }

    /// Adds a place that explains the mistake.
    #[must_use]
    pub fn and(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.labels.push(Label {
            span,
            message: message.into(),
            kind: LabelKind::Secondary,
        });
        self
    }

    /// Adds a reason or a fact.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Diagnostic {
        self.notes.push(note.into());
        self
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help.push(help.into());
        self
    }

    /// Adds something that may stand in place of the mistake.
    #[must_use]
    pub fn instead(self, text: impl Into<String>) -> Diagnostic {
        self.repair(Spot::Mistake, text)
    }

    /// Adds a repair.
    #[must_use]
    pub fn repair(mut self, spot: Spot, text: impl Into<String>) -> Diagnostic {
        let text = text.into();
        let mut all = self.repairs.into_vec();
        all.push(Repair { spot, text });
        self.repairs = all.into_boxed_slice();
        self
    }

    /// Asks whether another name was meant.
    #[must_use]
    pub fn did_you_mean(self, near: impl std::fmt::Display) -> Diagnostic {
        self.help(format!("did you mean `{near}`?"))
            .instead(near.to_string())
    }

    /// Says what to write in place of the mistake.
    #[must_use]
    pub fn write_instead(self, text: impl std::fmt::Display) -> Diagnostic {
        self.help(format!("write `{text}`"))
            .instead(text.to_string())
    }

    /// The span of the mistake itself, if it has a place.
    pub fn primary(&self) -> Option<Span> {
        self.labels
            .iter()
            .find(|l| l.kind == LabelKind::Primary)
            .map(|l| l.span)
    }

    /// Error or warning, as its code says.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }

    /// Whether it forbids going on.
    pub fn is_error(&self) -> bool {
        self.severity() == Severity::Error
    }
}

/// A collector of diagnostics. Phases push in any order; [`Diagnostics::into_sorted`] gives the
/// order of the text, so the output does not depend on the order of the phases' traversals.
///
/// A file of megabytes can have millions of mistakes, each some hundred bytes long. Only the first are kept; that there are more is
/// said by one more.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    /// How many were not kept.
    left_out: usize,
    /// The one file that warnings are wanted about, if not about all.
    only: Option<FileId>,
}

/// So many are kept.
pub const KEPT: usize = 1_000;

impl Diagnostics {
    /// An empty sink.
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// From now on warnings are recorded only if they are about this file, or about none.
    pub fn warn_only_about(&mut self, file: FileId) {
        self.only = Some(file);
    }

    /// Records one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let elsewhere = |span: Span| self.only.is_some_and(|file| file != span.file);
        if !diagnostic.is_error() && diagnostic.primary().is_some_and(elsewhere) {
            return;
        }
        if self.list.len() < KEPT {
            self.list.push(diagnostic);
        } else {
            self.left_out += 1;
            // The first error among many warnings decides whether the file has a meaning.
            if diagnostic.is_error() && !self.has_errors() {
                self.list.pop();
                self.list.push(diagnostic);
            }
        }
    }

    /// Records several.
    pub fn extend(&mut self, more: impl IntoIterator<Item = Diagnostic>) {
        more.into_iter().for_each(|d| self.push(d));
    }

    /// Whether any of them is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(Diagnostic::is_error)
    }

    /// How many there are, warnings included.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Forgets those recorded after the first `len`.
    pub fn truncate(&mut self, len: usize) {
        self.list.truncate(len);
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The recorded ones in order of arrival.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// All of them in the order of the text (file, place, code), duplicates removed; those
    /// without a place come first.
    pub fn into_sorted(self) -> Vec<Diagnostic> {
        let mut list = self.list;
        list.sort_by_key(|d| (d.primary(), d.code));
        list.dedup();
        if self.left_out > 0 {
            let text = format!("{} more are not listed", self.left_out);
            // Among those without a place, which come first.
            list.insert(0, Diagnostic::new(Code::ManyMistakes, text));
        }
        list
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Vec<Diagnostic>> for Diagnostics {
    fn from(list: Vec<Diagnostic>) -> Diagnostics {
        let mut diagnostics = Diagnostics::new();
        diagnostics.extend(list);
        diagnostics
    }
}

#[cfg(test)]
mod tests {
    use super::super::file::FileId;
    use super::*;

    fn span(range: std::ops::Range<usize>) -> Span {
        Span::new(FileId(0), range)
    }

    #[test]
    fn the_first_place_is_the_primary_one() {
        let d = Diagnostic::new(Code::UnknownName, "x")
            .and(span(5..6), "b")
            .at(span(1..2), "a");
        assert_eq!(d.primary(), Some(span(1..2)));
        assert_eq!(d.labels[0].message, "a");
        let d = d.at(span(8..9), "c");
        assert_eq!(d.primary(), Some(span(1..2)));
        assert_eq!(d.labels[2].kind, LabelKind::Secondary);
    }

    #[test]
    fn sorting_follows_the_text_and_drops_repeats() {
        let mut sink = Diagnostics::new();
        let late = Diagnostic::new(Code::UnknownName, "x").at(span(9..10), "");
        let early = Diagnostic::new(Code::UnusedName, "y").at(span(1..2), "");
        sink.extend([late.clone(), early.clone(), late.clone()]);
        assert!(sink.has_errors());
        assert_eq!(sink.into_sorted(), vec![early, late]);
    }

    #[test]
    fn the_first_thousand_are_kept_and_the_first_error() {
        let mut sink = Diagnostics::new();
        let doubt = |i: usize| Diagnostic::new(Code::Shadowing, "x").at(span(i..i + 1), "");
        sink.extend((0..5 * KEPT).map(doubt));
        sink.push(Diagnostic::new(Code::UnknownName, "y").at(span(9..10), ""));
        assert!(sink.has_errors());
        let list = sink.into_sorted();
        assert_eq!(list.len(), KEPT + 1);
        assert_eq!(list[0].code, Code::ManyMistakes);
        assert_eq!(
            list[0].message,
            format!("{} more are not listed", 4 * KEPT + 1)
        );
    }
}
