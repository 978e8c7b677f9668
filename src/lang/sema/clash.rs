//! Tests that can never succeed.
//!
//! Each place of a process knows what the tests before it established about the values of variables
//! ([`Values`]). A further test is unified with that: parameters and received values may be
//! anything, fresh names are constants. If that fails, no run passes the test. The converse does not
//! hold (a fresh name is not tracked into messages sent before it existed), so nothing is ever said
//! about tests that seem to succeed.

use im::OrdMap;

use super::Checker;
use super::scope::Origin;
use crate::base::source::{Code, Diagnostic, Span};
use crate::process::{Test, TestKind};
use crate::term::{Op, TermId, View};

/// Known values of variables; a value may mention further variables.
pub(super) type Values = OrdMap<u32, TermId>;

/// Work allowed for one test: a model's tests need a dozen steps, and giving up is harmless.
const STEPS: usize = 2000;

/// Two subterms that can never be equal: of the term looked at, and of the pattern.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clash {
    /// From the left side of the equation.
    pub found: TermId,
    /// From the right side.
    pub wanted: TermId,
}

impl Checker<'_> {
    /// The values known after the equations hold, or why they can't.
    pub(super) fn solve(
        &self,
        values: &Values,
        equations: &[(TermId, TermId)],
    ) -> Result<Values, Clash> {
        let mut known = values.clone();
        let mut work: Vec<(TermId, TermId)> = equations.iter().rev().copied().collect();
        for _ in 0..STEPS {
            let Some((a, b)) = work.pop() else {
                return Ok(known);
            };
            let (a, b) = (self.value(&known, a), self.value(&known, b));
            if a == b {
                continue;
            }
            if let Some(v) = self.open_variable(b) {
                known.insert(v, a);
                continue;
            }
            if let Some(v) = self.open_variable(a) {
                known.insert(v, b);
                continue;
            }
            let (x, y) = (self.store.node(a), self.store.node(b));
            if x.op == Op::Joint && y.op == Op::Joint {
                // Equal in one of two ways: which one, is not known here.
                continue;
            }
            if x.op != y.op || x.args.len() != y.args.len() || x.args.is_empty() {
                return Err(Clash {
                    found: a,
                    wanted: b,
                });
            }
            work.extend(x.args.iter().copied().zip(y.args.iter().copied()).rev());
        }
        Ok(values.clone())
    }

    /// The variable, unless it stands for a fresh name.
    pub(super) fn open_variable(&self, t: TermId) -> Option<u32> {
        match self.store.view(t) {
            View::Var(v) if self.tables.origins[v as usize] != Origin::Restricted => Some(v),
            _ => None,
        }
    }

    /// The term behind a chain of known values. Chains are short, and cut in case of a cycle.
    pub(super) fn value(&self, known: &Values, t: TermId) -> TermId {
        let mut t = t;
        for _ in 0..64 {
            match self.store.view(t) {
                View::Var(v) => match known.get(&v) {
                    Some(image) => t = *image,
                    None => return t,
                },
                _ => return t,
            }
        }
        t
    }

    /// Reports a test that can't succeed; otherwise returns what is known after it.
    pub(super) fn foresee(&mut self, values: &Values, test: &Test, at: Span) -> Values {
        match self.solve(values, &test.equations) {
            Ok(known) => known,
            Err(clash) => {
                self.report_clash(values, test, clash, at);
                values.clone()
            }
        }
    }

    fn report_clash(&mut self, values: &Values, test: &Test, clash: Clash, at: Span) {
        let Some((left, right)) = test.equations.last().copied() else {
            return;
        };
        self.clashed.insert(at);
        let whole = self.value(values, left);
        let d = match (self.store.node(whole).op, self.store.node(right).op) {
            (Op::Aenc, Op::Sign) if test.kind == TestKind::Decrypt => {
                let opener = self.opener(whole);
                Diagnostic::new(
                    Code::ImpossibleDecryption,
                    "this decryption uses the wrong part of the key pair",
                )
                .at(at, "the public part opens only signatures")
                .note(format!("the message is `{}`", self.show(whole)))
                .help(format!(
                    "what was encrypted with the public part is opened with the private part: write `{opener}`"
                ))
            }
            (Op::Sign, Op::Aenc) if test.kind == TestKind::Decrypt => {
                let opener = self.opener(whole);
                Diagnostic::new(
                    Code::ImpossibleDecryption,
                    "this signature check uses the wrong part of the key pair",
                )
                .at(
                    at,
                    "the private part opens only what was encrypted with the public part",
                )
                .note(format!("the message is `{}`", self.show(whole)))
                .help(format!(
                    "a signature is checked with the public part: write `{opener}`"
                ))
            }
            _ => {
                let (found, wanted) = (self.show(clash.found), self.show(clash.wanted));
                let (code, message) = if test.kind == TestKind::Decrypt {
                    (
                        Code::ImpossibleDecryption,
                        "this decryption can never succeed",
                    )
                } else {
                    (Code::ImpossibleMatch, "this test can never succeed")
                };
                let d = Diagnostic::new(code, message)
                    .at(at, format!("`{found}` never equals `{wanted}`"));
                let d = if whole == clash.found {
                    d
                } else {
                    d.note(format!("the message is `{}`", self.show(whole)))
                };
                self.explain_clash(d, clash)
            }
        };
        self.sink.push(d);
    }

    fn explain_clash(&self, d: Diagnostic, clash: Clash) -> Diagnostic {
        let fresh = |t| match self.store.view(t) {
            View::Var(v) => Some(self.program.vars[v as usize].span),
            _ => None,
        };
        let d = match (fresh(clash.found), fresh(clash.wanted)) {
            (Some(a), Some(b)) if a != b => d.and(a, "one fresh name").and(b, "another fresh name"),
            (Some(a), _) | (_, Some(a)) => d.and(a, "a fresh name equals nothing but itself"),
            (None, None) => d,
        };
        d.note("what follows is never reached; without an `else` the process stops here")
    }

    /// The key that opens an encryption or signature, as it is written.
    fn opener(&self, cipher: TermId) -> String {
        let (View::Aenc(_, key) | View::Sign(_, key)) = self.store.view(cipher) else {
            return String::new();
        };
        match self.store.view(key) {
            View::Pub(pair) => format!("{}-", self.show(pair)),
            View::Priv(pair) => format!("{}+", self.show(pair)),
            _ => format!("the other part of `{}`", self.show(key)),
        }
    }
}
