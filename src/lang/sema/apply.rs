//! Partial functions inside terms: what stands before the step that uses them.
//!
//! A destructor is applied where the step stands. Its rules become tests there [Sem 1.6]: the arguments are compared with the left side,
//! whose variables the test binds, and the right side takes the place of the application. A step that is a test itself takes these
//! equations in, so that its `else` is for both; any other step gets a test before it, and a thread that fails it stops. For a destructor with
//! several rules there are as many tests, each in the `else` of the one before, and what follows them is shared.

use super::scope::Scope;
use super::{Checker, MAX_ALTERNATIVES};
use crate::base::source::{Code, Diagnostic, Span};
use crate::process::{ProcId, Test, TestKind, Type};
use crate::term::{RULE, Rule, TermId, View};
use rustc_hash::FxHashMap;

/// An application of a partial function: ways to apply it, in order; there is at least one.
#[derive(Debug)]
pub(super) struct Application {
    ways: Vec<Way>,
    span: Span,
}

/// A rule with variables of its own.
#[derive(Clone, Debug, Default)]
struct Way {
    equations: Vec<(TermId, TermId)>,
    binds: Vec<u32>,
}

impl Checker<'_> {
    /// A partial function, given by its rules, applied to some terms. What it gives is a term over variables that are bound by the
    /// tests which the step makes of its applications.
    pub(super) fn apply(&mut self, rules: &[Rule], args: &[TermId], span: Span) -> TermId {
        let args: Vec<TermId> = args.iter().map(|t| self.limit_size(*t, span)).collect();
        let mut ways = Vec::with_capacity(rules.len());
        let mut given = None;
        if rules.len() != 1 {
            given = Some(self.hidden("_", Type::Msg, span));
        }
        let mut result = self.store.zero();
        for rule in rules {
            let mut own: FxHashMap<u32, TermId> = FxHashMap::default();
            let mut way = Way::default();
            let premises: Vec<TermId> = rule
                .premises
                .iter()
                .map(|t| self.instance(*t, &mut own, &mut way.binds, span))
                .collect();
            result = self.instance(rule.result, &mut own, &mut way.binds, span);
            way.equations = args.iter().copied().zip(premises).collect();
            if let Some(var) = given {
                way.binds.push(var);
                way.equations.push((self.store.var(var), result));
            }
            ways.push(way);
        }
        if let (true, Some(var)) = (rules.is_empty(), given) {
            // What is wrong with the rules was reported.
            ways.push(Way {
                equations: Vec::new(),
                binds: vec![var],
            });
        }
        self.applications.push(Application { ways, span });
        given.map_or(result, |var| self.store.var(var))
    }

    /// A term of a rule over hidden variables of the program; what is over such variables already stays.
    fn instance(
        &mut self,
        t: TermId,
        own: &mut FxHashMap<u32, TermId>,
        binds: &mut Vec<u32>,
        span: Span,
    ) -> TermId {
        let store = self.store;
        store.map_atoms(t, &mut |atom| match store.view(atom) {
            View::Var(v) if v >= RULE => Some(*own.entry(v).or_insert_with(|| {
                let var = self.hidden("_", Type::Msg, span);
                binds.push(var);
                store.var(var)
            })),
            _ => None,
        })
    }

    /// The applications in the terms that were read since the last step.
    pub(super) fn applications(&mut self) -> Vec<Application> {
        std::mem::take(&mut self.applications)
    }

    /// The tests that a test with applications in it comes to, each for the `else` of the one before.
    pub(super) fn alternatives(
        &mut self,
        test: &Test,
        applied: &[Application],
        scope: &mut Scope,
    ) -> Vec<Test> {
        let mut tests = vec![Way::default()];
        for application in applied {
            let ways = &application.ways;
            let copies = scope.copies.max(1) as usize * tests.len() * ways.len();
            if copies > MAX_ALTERNATIVES {
                self.too_many_alternatives(application.span);
                break;
            }
            tests = tests
                .iter()
                .flat_map(|before| {
                    ways.iter().map(|way| Way {
                        equations: [&before.equations[..], &way.equations].concat(),
                        binds: [&before.binds[..], &way.binds].concat(),
                    })
                })
                .collect();
        }
        scope.copies = scope.copies.max(1) * tests.len().max(1) as u32;
        scope.depth += tests.len().saturating_sub(1) as u32;
        let last = tests.len().saturating_sub(1);
        let with = |(i, way): (usize, Way)| Test {
            kind: if i < last { TestKind::Rule } else { test.kind },
            equations: [way.equations, test.equations.clone()].concat(),
            binds: [way.binds, test.binds.clone()].concat(),
            has_else: test.has_else || i < last,
            span: test.span,
        };
        tests.into_iter().enumerate().map(with).collect()
    }

    /// The tests before a step that is none itself.
    pub(super) fn before(&mut self, scope: &mut Scope) -> Option<(Vec<Test>, ProcId)> {
        let applied = self.applications();
        let span = applied.first()?.span;
        let test = Test {
            kind: TestKind::Apply,
            equations: Vec::new(),
            binds: Vec::new(),
            has_else: false,
            span,
        };
        let tests = self.alternatives(&test, &applied, scope);
        self.settle_any(&tests, span, scope);
        Some((tests, self.nil()))
    }

    /// Looks ahead at tests of which one has to succeed.
    pub(super) fn settle_any(&mut self, tests: &[Test], at: Span, scope: &mut Scope) {
        match tests {
            [] => {}
            [one] => self.settle(one, at, scope),
            [first, ..] => {
                let open = |t: &&Test| self.solve(&scope.values, &t.equations).is_ok();
                let possible: Vec<&Test> = tests.iter().filter(open).collect();
                match possible.as_slice() {
                    [] => self.settle(first, at, scope),
                    [one] => self.settle(one, at, scope),
                    _ => {}
                }
            }
        }
    }

    fn too_many_alternatives(&mut self, span: Span) {
        if std::mem::replace(&mut self.body.too_long, true) {
            return;
        }
        self.sink.push(
            Diagnostic::new(
                Code::TooLarge,
                "too many ways through destructors and powers",
            )
            .at(
                span,
                format!("what follows would have more than {MAX_ALTERNATIVES} ways to be reached"),
            )
            .note("a destructor has a way for each of its rules, `^` on something received one for each base, share and neutral element of a group; they multiply")
            .help("take fewer of them in one process, one after the other: a destructor with fewer rules, fewer groups, no `with neutral`"),
        );
    }
}
