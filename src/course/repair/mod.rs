//! Repairs of a protocol: the smallest additions after which its claims hold.
//!
//! An [`Addition`] writes something more into the text of a model, at all ends of a message at once: an identity, a nonce or a share
//! that both ends know, a number that tells messages apart, a challenge that is sent and comes back, a comparison. `narrated` finds those
//! of a narration, `written` those of processes, by what their honest runs know at each place (`variants::Trace`). `hunt` tries them, alone
//! and then several together, fewest parts first.
//!
//! An addition is only a proposal: the text with it is read, run and decided like any other model, so nothing here has to be right for a
//! verdict to be.
//!
//! Left to others: deciding claims (`analysis`), tables and files (`cli`).

mod addition;
mod container;
mod hunt;
mod narrated;
mod written;

pub(crate) use addition::{Addition, Line, changed_lines, patched};
pub(crate) use hunt::{Hunt, Plan, Proposal, Tried, hunt};

use crate::analysis::{Model, Settings};
use crate::base::limits::Observer;
use crate::base::source::SourceFile;
use crate::lang::syntax::ast::DeclKind;

/// All additions to a file that may repair it, the likeliest first.
pub(crate) fn additions(
    file: &SourceFile,
    model: &Model,
    settings: &Settings,
    observer: &dyn Observer,
) -> Vec<Addition> {
    let told = |kind: &DeclKind| matches!(kind, DeclKind::Protocol(_));
    let mut found = if model.tree.decls.iter().any(|d| told(&d.kind)) {
        narrated::additions(file, model)
    } else {
        written::additions(file, model, settings, observer)
    };
    // Two ways to the same text are one.
    let mut seen = rustc_hash::FxHashSet::default();
    found.retain(|a| seen.insert(a.insertions.clone()));
    found.sort_by_key(|a| a.parts);
    found
}
