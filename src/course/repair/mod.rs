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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::source::SourceMap;
    use std::path::{Path, PathBuf};

    fn models(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("the library is there") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                models(&path, found);
            } else if path.extension().is_some_and(|e| e == "spi") {
                found.push(path);
            }
        }
    }

    /// Wherever a part is put into a model of the library, the text can still be read: places are found beside the tree, in the text.
    #[test]
    fn every_addition_is_written_where_a_part_can_stand() {
        struct Nobody;
        impl Observer for Nobody {
            fn progress(&self, _: &crate::base::limits::Progress) {}
            fn interrupted(&self) -> bool {
                false
            }
        }
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols");
        let mut files = Vec::new();
        models(&folder, &mut files);
        let (mut texts, mut sound) = (0, 0);
        for path in files {
            let text = std::fs::read_to_string(&path).expect("the model can be read");
            let name = path.display().to_string();
            let mut map = SourceMap::new();
            let file = map.add(&name, &text);
            let Ok(model) = Model::from_file(&mut map, &file) else {
                continue;
            };
            for addition in additions(&file, &model, &Settings::default(), &Nobody) {
                let text = patched(&text, &[&addition]);
                let mut map = SourceMap::new();
                let file = map.add(&name, &text);
                texts += 1;
                match Model::from_file(&mut map, &file) {
                    Ok(_) => sound += 1,
                    Err(mistakes) => {
                        let syntax = |d: &&crate::base::source::Diagnostic| {
                            d.code.to_string().starts_with("E01")
                        };
                        let mistake = mistakes.iter().find(syntax);
                        assert!(
                            mistake.is_none(),
                            "{name}: {}: {}",
                            addition.what,
                            mistake.map_or("", |d| &d.message)
                        );
                    }
                }
            }
        }
        assert!(texts > 2000, "{texts}");
        assert!(sound * 10 > texts * 7, "{sound} of {texts}");
    }
}
