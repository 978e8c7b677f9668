//! A file, read and checked for an analysis.

use std::path::Path;

use super::isolate::isolated;
use crate::analysis::Model;
use crate::base::source::{Code, Diagnostic, SourceFile, SourceMap, load};
use crate::lang::syntax::ast::{Decl, DeclKind};
use crate::lang::syntax::narration;
use crate::present::report::Context;
use crate::process::{Claim, ClaimKind, SystemId};

/// A file that was read from disk for a command, and its model.
pub(super) struct Opened {
    /// What it says.
    pub model: Model,
    /// The text, and fragments of the command line.
    pub map: SourceMap,
    /// The path as it was typed.
    pub name: String,
    /// The file itself.
    pub file: SourceFile,
    /// The claims to check, by number.
    pub chosen: Vec<usize>,
    /// The fingerprint of the text and of what it uses.
    pub print: u64,
}

/// A file that can't be analysed.
pub(super) struct Unsound {
    /// The text, as far as there is one.
    pub map: SourceMap,
    /// What is wrong.
    pub diagnostics: Vec<Diagnostic>,
}

impl Opened {
    /// Reads and checks a file. Mistakes end in `Err`; warnings stay with the model.
    pub(super) fn load(path: &Path) -> Result<Opened, Unsound> {
        let read = isolated(&path.display().to_string(), || Self::read(path));
        read.unwrap_or_else(|diagnostic| {
            Err(Unsound {
                map: SourceMap::new(),
                diagnostics: vec![diagnostic],
            })
        })
    }

    fn read(path: &Path) -> Result<Opened, Unsound> {
        let mut map = SourceMap::new();
        let file = match load::load(&mut map, path) {
            Ok(file) => file,
            Err(diagnostic) => {
                return Err(Unsound {
                    map,
                    diagnostics: vec![diagnostic],
                });
            }
        };
        let model = match Model::from_file(&mut map, &file) {
            Ok(model) => model,
            Err(diagnostics) => return Err(Unsound { map, diagnostics }),
        };
        Ok(Opened {
            chosen: (0..model.claims().len()).collect(),
            print: super::verify::print(&map),
            model,
            map,
            name: file.name.to_string(),
            file,
        })
    }

    /// Whether a protocol is told in it line by line.
    pub(super) fn narrates(&self) -> bool {
        let told = |d: &Decl| matches!(d.kind, DeclKind::Protocol(_));
        self.model.tree.decls.iter().any(told)
    }

    /// The same file with what its narrations stand for in their place, if it has any. Its text is no longer that of the disk.
    pub(super) fn expanded(self) -> Result<Opened, Unsound> {
        if !self.narrates() {
            return Ok(self);
        }
        let text = narration::expanded(&self.file, &self.model.tree);
        let mut map = SourceMap::new();
        let file = map.add(&self.name, &text);
        match Model::from_file(&mut map, &file) {
            Ok(model) => Ok(Opened {
                model,
                map,
                file,
                ..self
            }),
            Err(diagnostics) => Err(Unsound { map, diagnostics }),
        }
    }

    /// Replaces the claims of the file by claims that these targets stay secret; each may be a list, `Na, Nb`.
    pub(super) fn claim_secrecy(
        &mut self,
        targets: &[String],
        system: Option<&str>,
    ) -> Result<(), Vec<Diagnostic>> {
        let mut chosen = Vec::new();
        for target in targets.iter().flat_map(|t| listed(t)) {
            chosen.extend(self.model.add_secrecy(&mut self.map, target, system)?);
        }
        self.chosen = chosen;
        Ok(())
    }

    /// The system of this name.
    pub(super) fn system(&self, name: &str) -> Result<SystemId, Diagnostic> {
        let program = &self.model.nested.program;
        program.system_named(name).ok_or_else(|| {
            let labels: Vec<&str> = program.systems.iter().map(|s| &*s.label).collect();
            let unknown = Diagnostic::new(Code::UnknownSystem, format!("unknown system `{name}`"));
            if labels.is_empty() {
                unknown.help("declare one: `system S = ..`")
            } else {
                unknown.note(format!(
                    "the systems of this file: `{}`",
                    labels.join("`, `")
                ))
            }
        })
    }

    /// Keeps the claims about one system.
    pub(super) fn only_about(&mut self, system: &str) -> Result<(), Diagnostic> {
        let id = self.system(system)?;
        let program = &self.model.nested.program;
        let about = |kind: &ClaimKind| match kind {
            ClaimKind::Equivalence(a, b) | ClaimKind::Preorder(a, b) => {
                a.system == id || b.system == id
            }
            ClaimKind::StrongSecrecy { system, .. } => system.system == id,
            _ => kind.system().is_some_and(|c| c.system == id),
        };
        self.chosen.retain(|i| about(&program.claims[*i].kind));
        Ok(())
    }

    /// The claims to check, with their numbers.
    pub(super) fn asked(&self) -> impl Iterator<Item = (usize, &Claim)> {
        self.chosen.iter().map(|i| (*i, &self.model.claims()[*i]))
    }

    /// The file as reports want it.
    pub(super) fn context(&self, typed: bool) -> Context<'_> {
        Context::of(&self.model, &self.map, typed)
    }

    /// The diagnostic for a file without claims.
    pub(super) fn nothing_to_check(&self) -> Diagnostic {
        Diagnostic::new(
            Code::NothingToCheck,
            format!("`{}` has nothing to check", self.name),
        )
        .help("add a claim, such as `secrecy Na in S`, or use `--secrecy Na`")
    }

    /// The diagnostic for a file in which no claim says what it expects.
    pub(super) fn nothing_expected(&self) -> Diagnostic {
        if self.model.nested.program.claims.is_empty() {
            return self.nothing_to_check();
        }
        Diagnostic::new(
            Code::NothingExpected,
            format!("no claim of `{}` says what it expects", self.name),
        )
        .help("add `expect holds`, `expect proof` or `expect attack` to the claims")
    }
}

/// The parts of a list: what stands between commas outside of brackets. A tuple is written in parentheses.
fn listed(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_u32, 0);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '{' | '[' => depth += 1,
            ')' | '}' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn a_list_is_cut_at_outer_commas_only() {
        assert_eq!(listed("Na"), ["Na"]);
        assert_eq!(listed("Na, Nb"), ["Na", " Nb"]);
        assert_eq!(
            listed("Init(A, B).Na, {a, b}k"),
            ["Init(A, B).Na", " {a, b}k"]
        );
        assert_eq!(listed("(Na, Nb)"), ["(Na, Nb)"]);
    }
}
