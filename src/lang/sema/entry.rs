//! Ways in: a path, a text, a process that stands alone, a secrecy target or a system of the command line.

use std::path::Path;

use super::{Checked, Mention, check_after, check_noting};
use crate::base::source::{
    Code, Diagnostic, Diagnostics, SourceFile, SourceMap, Span, load as read,
};
use crate::lang::syntax::ast::{self, ClaimKind, Ident, SystemRef};
use crate::lang::syntax::{self, FRAGMENT, link};
use crate::process::{self, Closed, Program, SystemId, TupleMode};
use crate::term::TermStore;

/// Reads and checks the file at `path` (`-` is standard input). The file joins `map`, so that its
/// diagnostics can be rendered.
///
/// `Err` only if there is no text to check; mistakes in the text are in [`Checked::diagnostics`].
pub fn load(
    map: &mut SourceMap,
    path: &Path,
    store: &TermStore,
    tuples: TupleMode,
) -> Result<Checked, Diagnostic> {
    let file = read::load(map, path)?;
    Ok(check_file(map, &file, store, tuples))
}

/// Parses and checks a file and what it uses, which joins `map`.
pub fn check_file(
    map: &mut SourceMap,
    file: &SourceFile,
    store: &TermStore,
    tuples: TupleMode,
) -> Checked {
    let (tree, mistakes) = link::parse(map, file);
    let checked = check_after(&tree, &mistakes, store, tuples);
    with_mistakes(mistakes, checked)
}

/// Parses and checks a text that stands alone: it may use libraries, but no files.
pub fn check_text(file: &SourceFile, store: &TermStore, tuples: TupleMode) -> Checked {
    let (tree, mistakes) = link::parse_alone(file, link::NOWHERE);
    let checked = check_after(&tree, &mistakes, store, tuples);
    with_mistakes(mistakes, checked)
}

/// A file lowered in both ways, over one store: tuples as nested pairs, and tuples that keep their
/// arity for typed analysis. Definitions, systems, events and claims have the same numbers in both.
#[derive(Debug)]
pub struct Lowered {
    /// The tree, with what it uses.
    pub tree: ast::File,
    /// Tuples as nested pairs.
    pub nested: Checked,
    /// Tuples that keep their arity.
    pub flat: Checked,
}

impl Lowered {
    /// Parses a file once, and what it uses, which joins `map`, and checks it in both ways.
    pub fn from_file(map: &mut SourceMap, file: &SourceFile, store: &TermStore) -> Lowered {
        let (tree, mistakes) = link::parse(map, file);
        Lowered::from_tree(tree, mistakes, store)
    }

    /// The same for a text that stands alone: it may use libraries, but no files.
    pub fn from_text(file: &SourceFile, store: &TermStore) -> Lowered {
        let (tree, mistakes) = link::parse_alone(file, link::NOWHERE);
        Lowered::from_tree(tree, mistakes, store)
    }

    /// Checks a tree, which was read with these mistakes, in both ways. What is wrong is the same in both, and kept with the first.
    pub fn from_tree(tree: ast::File, mistakes: Vec<Diagnostic>, store: &TermStore) -> Lowered {
        let lower = |tuples| check_after(&tree, &mistakes, store, tuples);
        let (nested, flat) = (lower(TupleMode::Nested), lower(TupleMode::Flat));
        Lowered {
            nested: with_mistakes(mistakes, nested),
            flat,
            tree,
        }
    }
}

/// A file as an editor wants it: checked, with its tree and with what each name refers to.
#[derive(Debug)]
pub struct Resolved {
    /// The tree.
    pub tree: ast::File,
    /// The program, tuples as nested pairs.
    pub checked: Checked,
    /// The names, in the order of the text.
    pub mentions: Vec<Mention>,
}

/// Parses and checks a file, with what it uses, which joins `map`, and keeps what its names refer to.
pub fn resolve(map: &mut SourceMap, file: &SourceFile, store: &TermStore) -> Resolved {
    let (tree, mistakes) = link::parse(map, file);
    let wanted = Some(Vec::new());
    let (checked, mut mentions) = check_noting(&tree, &mistakes, store, TupleMode::Nested, wanted);
    mentions.sort_unstable();
    mentions.dedup();
    Resolved {
        tree,
        checked: with_mistakes(mistakes, checked),
        mentions,
    }
}

fn with_mistakes(mistakes: Vec<Diagnostic>, mut checked: Checked) -> Checked {
    let mut all = Diagnostics::from(mistakes);
    all.extend(std::mem::take(&mut checked.diagnostics));
    checked.diagnostics = all.into_sorted();
    checked
}

/// A program with one system, `P`, made from declarations and a process that stands alone.
///
/// `Err` holds the diagnostics if there is an error among them; warnings are dropped.
pub fn system_from_process(
    declarations: &str,
    process: &str,
    store: &TermStore,
    tuples: TupleMode,
) -> Result<(Program, SystemId), Vec<Diagnostic>> {
    let text = format!("{declarations}\nsystem P = {process}\n");
    let checked = check_text(&SourceFile::anonymous("P.spi", &text), store, tuples);
    match checked.program.system_named("P") {
        Some(system) if checked.is_sound() => Ok((checked.program, system)),
        _ => Err(checked.diagnostics),
    }
}

impl Checked {
    /// Adds the claim `secrecy TARGET in SYSTEM` of the command line; without a system it is claimed
    /// for each system that has no parameters. The text of the target joins `map`.
    ///
    /// Returns the numbers of the new claims.
    pub fn add_secrecy(
        &mut self,
        map: &mut SourceMap,
        store: &TermStore,
        target: &str,
        system: Option<&str>,
    ) -> Result<std::ops::Range<usize>, Vec<Diagnostic>> {
        let file = map.add(FRAGMENT, target);
        let (read, mistakes) = syntax::parse_claim_target(&file);
        let Some(target) = read.filter(|_| mistakes.is_empty()) else {
            return Err(mistakes);
        };
        let systems = self.chosen_systems(system)?;
        let first = self.program.claims.len();
        let mut found = Diagnostics::new();
        for name in systems {
            let claim = secrecy_claim(&target, &name);
            let (_, diagnostics) = self.add_claim(store, &claim);
            found.extend(diagnostics.into_iter().filter(Diagnostic::is_error));
        }
        let claims = first..self.program.claims.len();
        // The target need not exist in every system, but it must in one.
        if claims.is_empty() {
            return Err(found.into_sorted());
        }
        Ok(claims)
    }

    /// The system that a text such as `S(a, b)` names. The text joins `map`.
    pub fn instance(
        &mut self,
        map: &mut SourceMap,
        store: &TermStore,
        text: &str,
    ) -> Result<Closed, Vec<Diagnostic>> {
        let file = map.add(FRAGMENT, text);
        let (read, mistakes) = syntax::parse_system(&file);
        let Some(system) = read.filter(|_| mistakes.is_empty()) else {
            return Err(mistakes);
        };
        // A claim about it, which is taken back.
        let claim = ast::Claim {
            span: system.span,
            kind: ClaimKind::Compare {
                relation: ast::Relation::Preorder,
                left: system.clone(),
                right: system,
            },
            expect: None,
            goal: None,
        };
        let first = self.program.claims.len();
        let (_, mut diagnostics) = self.add_claim(store, &claim);
        let added = self.program.claims.drain(first..).next();
        if let Some(process::ClaimKind::Preorder(closed, _)) = added.map(|c| c.kind) {
            return Ok(closed);
        }
        diagnostics.retain(Diagnostic::is_error);
        // Both sides have the same mistakes.
        diagnostics.dedup();
        Err(diagnostics)
    }

    /// The system of this name, or all that can be analysed as they stand.
    fn chosen_systems(&self, system: Option<&str>) -> Result<Vec<ast::Name>, Vec<Diagnostic>> {
        let systems = &self.program.systems;
        let chosen: Vec<ast::Name> = systems
            .iter()
            .filter(|s| system.map_or(s.body.params.is_empty(), |name| &*s.label == name))
            .map(|s| s.label.clone())
            .collect();
        if !chosen.is_empty() {
            return Ok(chosen);
        }
        let labels: Vec<&str> = systems.iter().map(|s| &*s.label).collect();
        let d = match system {
            Some(name) => {
                let d = Diagnostic::new(Code::UnknownSystem, format!("unknown system `{name}`"));
                match super::unknown::nearest(name, labels.iter().copied()) {
                    Some(near) => d.did_you_mean(near),
                    None if labels.is_empty() => d.help("declare one: `system S = ..`"),
                    None => d.note(format!(
                        "the systems of this file: `{}`",
                        labels.join("`, `")
                    )),
                }
            }
            None => Diagnostic::new(Code::NoSystem, "there is no system to check")
                .help("declare one: `system S = Init(A, B) | Resp(B, A)`"),
        };
        Err(vec![d])
    }
}

fn secrecy_claim(target: &ast::SecrecyTarget, system: &ast::Name) -> ast::Claim {
    let span: Span = target.span();
    ast::Claim {
        kind: ClaimKind::Secrecy {
            forward: None,
            targets: vec![target.clone()],
            after: None,
            system: SystemRef {
                name: Ident {
                    name: system.clone(),
                    span,
                },
                args: Vec::new(),
                given: Vec::new(),
                unless: Vec::new(),
                span,
            },
        },
        expect: None,
        goal: None,
        span,
    }
}
