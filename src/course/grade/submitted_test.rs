//! A test that a student submits: a process that marks `event passed`.
//!
//! It is `def Test` with the definitions that it uses. Or it is a file that spi has written: a
//! system that sends on a channel of its own when it has passed. The test runs beside each system.
//! The attacker does not get their channels, so the test alone is the environment.

use super::ParsedFile;
use super::roles::conduct;
use crate::analysis::Model;
use crate::base::source::{Diagnostic, SourceMap, Span};
use crate::course::variants::{Visitor, walk_process};
use crate::lang::syntax;
use crate::lang::syntax::ast::{
    Binder, Decl, DeclKind, Def, File, Ident, Name, Pattern, PatternKind, Prefix, PrefixKind,
    SystemRef, Term, TermKind, declared_names,
};

const TEST: &str = "Test";
const PASSED: &str = "passed";

/// Why a test can't be used.
pub(super) enum Fault {
    /// It can't be read.
    Unreadable(Vec<Diagnostic>),
    /// It shows nothing.
    NoTest {
        /// What is wrong.
        detail: String,
        /// What to do.
        repair: String,
    },
    /// It uses what the attacker does not have.
    Secret(String),
}

/// The declarations of a test: `def Test` and what it needs.
pub(super) struct TestFile {
    decls: Vec<Decl>,
}

impl TestFile {
    /// The test of a submission; `None` if it has none.
    pub(super) fn of(given: &ParsedFile, own: &ParsedFile) -> Option<Result<TestFile, Fault>> {
        let names = |paper: &ParsedFile| -> Vec<Name> {
            paper
                .tree
                .decls
                .iter()
                .flat_map(declared_names)
                .map(Name::from)
                .collect()
        };
        let model = names(given);
        let new = |name: &Ident| !model.contains(&name.name);
        let mut channels: Vec<Name> = Vec::new();
        let mut decls: Vec<Decl> = Vec::new();
        let mut systems: Vec<Def> = Vec::new();
        for decl in &own.tree.decls {
            let kind = match &decl.kind {
                DeclKind::Def(def) if new(&def.name) => decl.kind.clone(),
                DeclKind::System(s) if new(&s.name) => {
                    systems.push(Def {
                        name: ident(TEST, s.name.span),
                        params: s.params.clone(),
                        body: s.body.clone(),
                        head: s.head,
                        speaker: None,
                    });
                    continue;
                }
                DeclKind::Channels(list) => {
                    channels.extend(list.iter().filter(|n| new(n)).map(|n| n.name.clone()));
                    continue;
                }
                DeclKind::Public(list) => {
                    let list: Vec<Binder> = list.iter().filter(|b| new(&b.name)).cloned().collect();
                    if list.is_empty() {
                        continue;
                    }
                    DeclKind::Public(list)
                }
                _ => continue,
            };
            decls.push(Decl {
                kind,
                span: decl.span,
            });
        }
        let is_test = |d: &Decl| matches!(&d.kind, DeclKind::Def(def) if &*def.name.name == TEST);
        if !decls.iter().any(is_test) {
            let [test] = systems.as_slice() else {
                let defines = decls.iter().any(|d| matches!(d.kind, DeclKind::Def(_)));
                return (defines || !systems.is_empty()).then(|| {
                    Err(Fault::NoTest {
                        detail: "no definition is called `Test`".to_owned(),
                        repair: "Write the test as `def Test = ..`.".to_owned(),
                    })
                });
            };
            decls.push(Decl {
                span: test.head,
                kind: DeclKind::Def(test.clone()),
            });
        }
        // An output on a channel of the test's own says that it has passed.
        let mut shown = Shown { channels };
        for decl in &mut decls {
            if let DeclKind::Def(def) = &mut decl.kind {
                walk_process(&mut def.body, &mut shown);
            }
        }
        Some(Ok(TestFile { decls }))
    }

    /// The test, if it is one and knows nothing that it must not know.
    pub(super) fn checked(self, model: &File) -> Result<TestFile, Fault> {
        let no_test = |detail: &str, repair: &str| {
            Err(Fault::NoTest {
                detail: detail.to_owned(),
                repair: repair.to_owned(),
            })
        };
        let takes = |d: &Decl| match &d.kind {
            DeclKind::Def(def) => &*def.name.name == TEST && !def.params.is_empty(),
            _ => false,
        };
        if self.decls.iter().any(takes) {
            return no_test(
                "`Test` has parameters",
                "Write `def Test = ..`: a test makes its own names with `new`, and has no others.",
            );
        }
        let mut tree = model.clone();
        tree.decls.extend(self.decls.iter().cloned());
        let variant = Model::from_tree(tree.clone()).map_err(Fault::Unreadable)?;
        let program = &variant.flat.program;
        let Some(def) = program.definition_named(TEST) else {
            return no_test("there is no test", "Write the test as `def Test = ..`.");
        };
        let found = conduct(&variant.store, program, def);
        if !found.events.iter().any(|e| e.text == "passed()") {
            return no_test(
                "it never marks `event passed`",
                "Put `event passed` where the test has seen what it looks for, in small letters and without arguments.",
            );
        }
        if let Some(name) = found.secrets.first() {
            return Err(Fault::Secret(format!("the private name {name}")));
        }
        if let Some(key) = found.keys.first() {
            let key = key.replace('?', "..");
            return Err(Fault::Secret(format!("the secret key {key}")));
        }
        Ok(self)
    }

    /// The system with the test beside it, with channels that only they have, and the question
    /// whether the test passes.
    pub(super) fn beside(
        &self,
        map: &mut SourceMap,
        tree: &File,
        system: &SystemRef,
    ) -> Result<File, Vec<Diagnostic>> {
        let frame = map.add(
            "the test beside a system",
            "partial system Beside = Tested | Test\nreachable passed in Beside\n",
        );
        let (mut frame, mistakes) = syntax::parse(&frame);
        if !mistakes.is_empty() {
            return Err(mistakes);
        }
        let mut decls: Vec<Decl> = Vec::new();
        for decl in &tree.decls {
            let kind = match &decl.kind {
                DeclKind::Channels(names) => DeclKind::Private(
                    names
                        .iter()
                        .map(|n| Binder {
                            name: n.clone(),
                            ty: None,
                        })
                        .collect(),
                ),
                DeclKind::System(s) if s.name.name == system.name.name => DeclKind::Def(Def {
                    name: ident("Tested", s.name.span),
                    params: s.params.clone(),
                    body: s.body.clone(),
                    head: s.head,
                    speaker: None,
                }),
                DeclKind::System(_) | DeclKind::Claim(_) => continue,
                other => other.clone(),
            };
            decls.push(Decl {
                kind,
                span: decl.span,
            });
        }
        decls.extend(self.decls.iter().cloned());
        // `Tested` is given the arguments that the claim gives to the system.
        for decl in &mut frame.decls {
            if let DeclKind::System(s) = &mut decl.kind
                && !system.args.is_empty()
                && let Some(prefix) = s
                    .body
                    .threads
                    .first_mut()
                    .and_then(|t| t.prefixes.first_mut())
                && let PrefixKind::Apply(apply) = &mut prefix.kind
            {
                apply.args = Some(system.args.iter().map(as_pattern).collect());
            }
        }
        decls.append(&mut frame.decls);
        Ok(File {
            decls,
            span: tree.span,
            broken: false,
            used: tree.used.clone(),
        })
    }
}

/// Turns outputs on these channels into the event that says the same.
struct Shown {
    channels: Vec<Name>,
}

impl Visitor for Shown {
    fn prefix(&mut self, prefix: &mut Prefix) {
        if let PrefixKind::Output(channel, _) = &prefix.kind
            && let TermKind::Name(name) = &channel.kind
            && self.channels.contains(name)
        {
            prefix.kind = PrefixKind::Event(ident(PASSED, channel.span), Vec::new());
        }
    }
}

fn ident(name: &str, span: Span) -> Ident {
    Ident {
        name: name.into(),
        span,
    }
}

/// An argument of an instantiation, as the parser would read it.
fn as_pattern(term: &Term) -> Pattern {
    let kind = match &term.kind {
        TermKind::Name(name) => PatternKind::Bind(Binder {
            name: Ident {
                name: name.clone(),
                span: term.span,
            },
            ty: None,
        }),
        _ => PatternKind::Term(term.clone()),
    };
    Pattern {
        kind,
        span: term.span,
    }
}
