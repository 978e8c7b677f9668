//! Processes of the tree to process templates.
//!
//! A chain of prefixes is read forwards, which extends the scope, and built backwards from its end;
//! neither direction recurses. Recursion follows only brackets and branches, whose depth the parser
//! limits.

use rustc_hash::FxHashMap;

use super::call::Step;
use super::known::{Demand, Known};
use super::pattern::Matching;
use super::scope::{Origin, Scope};
use super::{Checker, MAX_COPIES, MAX_DEPTH};
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{
    Binder, Copies, Ident, IntCase, Pattern, Prefix, PrefixKind, Process, Tail, TailKind, Term,
    TermKind, Thread,
};
use crate::process::{EventId, NewName, Proc, ProcId, SiteId, Test, TestKind, Type};
use crate::term::TermId;

/// A prefix that waits for what follows it.
pub(super) enum Frame {
    New(Vec<SiteId>),
    Output(TermId, TermId, Span),
    Input(TermId, u32, Span),
    /// Tests of which each is in the `else` of the one before, and the `else` of the last.
    Test(Vec<Test>, ProcId),
    Event(EventId, Vec<TermId>, Span),
    Phase(u8, Span),
    Replicate(Option<u32>, Span),
}

impl Checker<'_> {
    /// A parallel composition.
    pub(super) fn process(&mut self, process: &Process, scope: &Scope) -> ProcId {
        let parts: Vec<ProcId> = process
            .threads
            .iter()
            .map(|t| self.thread(t, scope.clone()))
            .collect();
        match parts.as_slice() {
            [one] => *one,
            _ => self.program.add(Proc::Par(parts)),
        }
    }

    fn thread(&mut self, thread: &Thread, mut scope: Scope) -> ProcId {
        let mut frames = Vec::with_capacity(thread.prefixes.len());
        let mut end = None;
        for (i, prefix) in thread.prefixes.iter().enumerate() {
            scope.depth += 1;
            if scope.depth > MAX_DEPTH {
                self.too_long(prefix.span);
                end = Some(self.nil());
                break;
            }
            if let PrefixKind::Apply(apply) = &prefix.kind {
                let last =
                    i + 1 == thread.prefixes.len() && matches!(thread.tail.kind, TailKind::Omitted);
                match self.step(apply, &scope) {
                    Step::Input => {}
                    Step::Either => {
                        if let TermKind::Name(name) = &apply.subject.kind {
                            self.mention_declared(name, apply.subject.span);
                        }
                        scope.hole = true;
                        self.body.hole = true;
                        continue;
                    }
                    Step::Unknown => {
                        if self.unknown_step(apply, last, &mut scope) {
                            continue;
                        }
                    }
                    Step::Call => {
                        let call = self.call(apply, prefix.span, &scope);
                        self.evaluate(&mut scope, &mut frames);
                        if last {
                            end = Some(call);
                        } else {
                            self.continued(apply, prefix.span, &thread.prefixes[i + 1..], thread);
                        }
                        continue;
                    }
                }
            }
            self.prefix(prefix, &mut scope, &mut frames);
        }
        let tail = match end {
            Some(end) => end,
            None => self.tail(&thread.tail, scope, &mut frames),
        };
        frames.into_iter().rev().fold(tail, |then, frame| {
            let proc = match frame {
                Frame::New(sites) => Proc::New(sites, then),
                Frame::Output(channel, message, span) => Proc::Output {
                    channel,
                    message,
                    then,
                    span,
                },
                Frame::Input(channel, binder, span) => Proc::Input {
                    channel,
                    binder,
                    then,
                    span,
                },
                Frame::Test(tests, otherwise) => {
                    let alternatives = tests.into_iter().rev();
                    return alternatives.fold(otherwise, |otherwise, test| {
                        self.program.add(Proc::Test(test, then, otherwise))
                    });
                }
                Frame::Event(event, args, span) => Proc::Event {
                    event,
                    args,
                    then,
                    span,
                },
                Frame::Phase(number, span) => Proc::Phase { number, then, span },
                Frame::Replicate(copies, span) => Proc::Replicate {
                    copies,
                    body: then,
                    span,
                },
            };
            self.program.add(proc)
        })
    }

    pub(super) fn nil(&mut self) -> ProcId {
        self.program.add(Proc::Nil)
    }

    fn too_long(&mut self, span: Span) {
        if std::mem::replace(&mut self.body.too_long, true) {
            return;
        }
        self.sink.push(
            Diagnostic::new(Code::TooDeep, "this process is too long")
                .at(span, format!("step number {} of one thread", MAX_DEPTH + 1))
                .help("split the process into definitions"),
        );
    }

    /// The tests for the partial functions in the terms of a step that is no test.
    pub(super) fn evaluate(&mut self, scope: &mut Scope, frames: &mut Vec<Frame>) {
        if let Some((tests, stop)) = self.before(scope) {
            frames.push(Frame::Test(tests, stop));
        }
    }

    fn tail(&mut self, tail: &Tail, mut scope: Scope, frames: &mut Vec<Frame>) -> ProcId {
        match &tail.kind {
            TailKind::Nil | TailKind::Omitted => self.nil(),
            TailKind::Error => {
                self.body.hole = true;
                self.nil()
            }
            TailKind::Group(process) => {
                scope.depth += 1;
                self.process(process, &scope)
            }
            TailKind::IntCase(case) => {
                let subject = self.whole_term(&case.scrutinee, &scope);
                self.evaluate(&mut scope, frames);
                self.integer_case(case, subject, tail.span, &scope)
            }
        }
    }

    fn prefix(&mut self, prefix: &Prefix, scope: &mut Scope, frames: &mut Vec<Frame>) {
        let span = prefix.span;
        match &prefix.kind {
            PrefixKind::New(binders) => frames.push(Frame::New(self.restrict(binders, scope))),
            PrefixKind::Output(channel, parts) => {
                let to = self.channel(channel, scope);
                let to = to.unwrap_or_else(|| self.store.zero());
                let message = self.message(parts, scope, span);
                self.evaluate(scope, frames);
                scope.guarded = true;
                frames.push(Frame::Output(to, message, span));
            }
            PrefixKind::Apply(apply) => self.input(apply, span, scope, frames),
            PrefixKind::Match(left, right, otherwise) => {
                let equation = (self.whole_term(left, scope), self.whole_term(right, scope));
                let test = Test {
                    kind: TestKind::Match,
                    equations: vec![equation],
                    binds: Vec::new(),
                    has_else: otherwise.is_some(),
                    span,
                };
                let applied = self.applications();
                let failed = self.otherwise(otherwise.as_deref(), scope);
                let tests = self.alternatives(&test, &applied, scope);
                self.settle_any(&tests, span, scope);
                frames.push(Frame::Test(tests, failed));
            }
            PrefixKind::Let(pattern, term, otherwise) => {
                let looked_at = (term, pattern, otherwise.as_deref());
                let test = self.test(TestKind::Let, looked_at, span, scope);
                frames.push(test);
            }
            PrefixKind::Case(term, pattern, otherwise) => {
                let looked_at = (term, pattern, otherwise.as_deref());
                let test = self.test(TestKind::Decrypt, looked_at, span, scope);
                frames.push(test);
            }
            PrefixKind::Event(name, args) => {
                let args: Vec<TermId> = args.iter().map(|t| self.whole_term(t, scope)).collect();
                self.evaluate(scope, frames);
                let event = self.event(name, &args);
                frames.push(Frame::Event(event, args, span));
            }
            PrefixKind::Phase(number, at) => {
                if let Some(number) = self.phase_number(*number, *at) {
                    frames.push(Frame::Phase(number, span));
                }
            }
            PrefixKind::Replicate(copies) => {
                let copies = copies.map(|c| self.copies(c));
                frames.push(Frame::Replicate(copies, span));
            }
            PrefixKind::Error => {
                scope.hole = true;
                self.body.hole = true;
            }
        }
    }

    fn otherwise(&mut self, branch: Option<&Thread>, scope: &Scope) -> ProcId {
        match branch {
            Some(thread) => self.thread(thread, scope.clone()),
            None => self.nil(),
        }
    }

    fn test(
        &mut self,
        kind: TestKind,
        (term, pattern, otherwise): (&Term, &Pattern, Option<&Thread>),
        span: Span,
        scope: &mut Scope,
    ) -> Frame {
        let subject = self.whole_term(term, scope);
        let mut applied = self.applications();
        let failed = self.otherwise(otherwise, scope);
        let mut matching = Matching::default();
        let shape = self.pattern(pattern, scope, &mut matching);
        let shape = self.limit_size(shape, pattern.span);
        let hopeless = matching.is_hopeless();
        let mut test = matching.finish(kind, subject, shape, span);
        test.has_else = otherwise.is_some();
        applied.extend(self.applications());
        let tests = self.alternatives(&test, &applied, scope);
        if !hopeless {
            self.settle_any(&tests, pattern.span, scope);
        }
        Frame::Test(tests, failed)
    }

    /// Looks ahead at a test with a pattern: does it succeed, and do the values fit the types?
    pub(super) fn settle(&mut self, test: &Test, at: Span, scope: &mut Scope) {
        scope.values = self.foresee(&scope.values, test, at);
        for &var in &test.binds {
            let info = &self.program.vars[var as usize];
            let (ty, place) = (info.ty, info.span);
            if ty == Type::Msg {
                continue;
            }
            if let Some(value) = scope.values.get(&var).copied() {
                let what = format!("`{}`", self.program.vars[var as usize].label);
                let demand = Demand {
                    ty,
                    span: place,
                    what: &what,
                };
                self.demand(value, test.span, &demand);
            }
        }
    }

    fn restrict(&mut self, binders: &[Binder], scope: &mut Scope) -> Vec<SiteId> {
        let mut bound = FxHashMap::default();
        binders
            .iter()
            .map(|binder| {
                let var = self.bind(binder, Origin::Restricted, scope, &mut bound);
                self.check_name_type(binder);
                let site = SiteId(self.program.sites.len() as u32);
                self.program.sites.push(NewName {
                    var,
                    label: binder.name.name.clone(),
                    ty: self.program.vars[var as usize].ty,
                    def: self.body.def,
                    span: binder.name.span,
                });
                self.body.sites.push(site);
                site
            })
            .collect()
    }

    /// A fresh or declared name is not a part of a key pair.
    pub(super) fn check_name_type(&mut self, binder: &Binder) {
        let Some(written) = &binder.ty else { return };
        let (name, ty) = (&binder.name, super::pattern::type_named(&written.name.name));
        let (what, help) = match ty {
            None if self.sort_named(&written.name).is_some() => (
                "an agent",
                format!("declare it as an agent: `agent {name}: {}`", written.name),
            ),
            Some(Type::Pub) => (
                "a public key",
                format!(
                    "declare the pair as `{name}` without a type and write `{name}+` for its public part"
                ),
            ),
            Some(Type::Share) => (
                "a share",
                format!("write `{name}: Nonce` and `g^{name}` for its share, with `group g`"),
            ),
            Some(Type::Priv) => (
                "a private key",
                format!(
                    "declare the pair as `{name}` without a type and write `{name}-` for its private part"
                ),
            ),
            _ => return,
        };
        self.sink.push(
            Diagnostic::new(
                Code::TypeContradiction,
                format!("the name `{name}` cannot be {what}"),
            )
            .at(written.name.span, format!("this type is for {what}"))
            .and(name.span, "this is a plain name, equal only to itself")
            .help(help),
        );
    }

    fn integer_case(
        &mut self,
        case: &IntCase,
        subject: TermId,
        span: Span,
        scope: &Scope,
    ) -> ProcId {
        let zero = Test {
            kind: TestKind::Integer,
            equations: vec![(subject, self.store.zero())],
            binds: Vec::new(),
            has_else: true,
            span: case.scrutinee.span,
        };
        let mut then_scope = scope.clone();
        if let Ok(values) = self.solve(&scope.values, &zero.equations) {
            then_scope.values = values;
        }
        let then = self.thread(&case.zero, then_scope);

        let mut inner = scope.clone();
        let mut matching = Matching::default();
        let binder = self.pattern(&case.binder, &mut inner, &mut matching);
        let shape = self.store.suc(binder);
        let suc = matching.finish(TestKind::Integer, subject, shape, case.scrutinee.span);
        match self.solve(&scope.values, &suc.equations) {
            Ok(values) => inner.values = values,
            Err(_) if self.solve(&scope.values, &zero.equations).is_err() => {
                let whole = self.show(subject);
                self.sink.push(
                    Diagnostic::new(Code::ImpossibleMatch, "neither branch can be taken")
                        .at(case.scrutinee.span, format!("`{whole}` is not a number"))
                        .and(span, "this case needs `0` or a successor"),
                );
            }
            Err(_) => {}
        }
        let next = self.thread(&case.succ, inner);
        let stop = self.nil();
        let successor = self.program.add(Proc::Test(suc, next, stop));
        self.program.add(Proc::Test(zero, then, successor))
    }

    fn copies(&mut self, copies: Copies) -> u32 {
        let d = match copies.count {
            0 => Diagnostic::new(Code::ReplicationCount, "`!0` makes no copies at all")
                .at(copies.span, "no copies")
                .help("leave the process out, or give the number of sessions"),
            1..=MAX_COPIES => return copies.count,
            n => Diagnostic::new(Code::ReplicationCount, format!("{n} copies are too many"))
                .at(copies.span, format!("at most {MAX_COPIES}"))
                .help("a few sessions suffice to find most attacks: try `!2`"),
        };
        self.sink.push(d);
        1
    }

    /// An event; all its occurrences have the same number of arguments.
    fn event(&mut self, name: &Ident, args: &[TermId]) -> EventId {
        let types = args.iter().map(|t| match self.known_of(*t) {
            Known::Declared(ty) => ty,
            _ => Type::Msg,
        });
        let types: Vec<Type> = types.collect();
        let id = self.event_named(name, types);
        self.mention_event(name.span, id);
        if self.body.hole {
            self.tables.doubtful_events.insert(id);
        }
        let info = &self.program.events[id.index()];
        if info.arity != args.len() && !self.tables.doubtful_events.contains(&id) {
            let d = super::claim::event_arity(&info.label, name.span, args.len(), info);
            self.sink.push(d);
        }
        self.body.events.push(id);
        id
    }
}
