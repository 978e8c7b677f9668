//! Channels: what may stand before `<..>` and `(..)`, and inputs with their patterns.

use rustc_hash::FxHashMap;

use super::Checker;
use super::globals::Symbol;
use super::known::Known;
use super::pattern::Matching;
use super::process::Frame;
use super::scope::{Origin, Scope};
use super::unknown::Wanted;
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{Apply, Name, Pattern, PatternKind, Term, TermKind};
use crate::process::{TestKind, Type};
use crate::term::TermId;

impl Checker<'_> {
    /// The channel of an input or output; nothing if it was reported to be something else.
    pub(super) fn channel(&mut self, channel: &Term, scope: &Scope) -> Option<TermId> {
        if let TermKind::Name(name) = &channel.kind
            && scope.get(name).is_none()
        {
            match self.tables.globals.use_name(name) {
                None => self.unknown(name, channel.span, Wanted::Channel, scope),
                Some(global) if matches!(global.symbol, Symbol::Name(..)) || global.doubtful => {}
                Some(_) => {
                    self.not_a_channel(name, channel.span);
                    return None;
                }
            }
        }
        let term = self.whole_term(channel, scope);
        if let Known::Declared(ty) = self.known_of(term)
            && !matches!(ty, Type::Name)
        {
            let name = self.show(term);
            let mut d = Diagnostic::new(
                Code::TypeMismatch,
                format!(
                    "`{name}` is of type `{}`, used here as a channel",
                    self.type_label(ty)
                ),
            )
            .at(channel.span, "a channel is expected to be of type `Name`")
            .help("declare a channel, such as `channel net`, and send on it");
            if let Some(place) = self.declared_at(term) {
                d = d.and(place, "declared here");
            }
            self.sink.push(d);
        }
        Some(term)
    }

    /// A process, or a key without its owner, that is used as a channel.
    fn not_a_channel(&mut self, name: &Name, span: Span) {
        if let Some(global) = self.tables.globals.get(name) {
            let what = global.symbol.describe();
            let (code, help) = match global.symbol {
                Symbol::Definition(_) => (
                    Code::ProcessAsChannel,
                    format!("to run it write `{name}(..)`; to send or receive, name a channel"),
                ),
                Symbol::System(_) => (
                    Code::ProcessAsChannel,
                    "to send or receive, name a channel".to_owned(),
                ),
                Symbol::Destructor(..) => (
                    Code::NotAProcess,
                    format!(
                        "a destructor is applied by `let x = {name}(..) in P`; a check, of which only the success counts, is `let _ = {name}(..) in P`"
                    ),
                ),
                Symbol::Function(..) => (
                    Code::NotAProcess,
                    format!(
                        "to send what it makes write `c<{name}(..)>`, to compare with it `c(={name}(..))`"
                    ),
                ),
                _ => (
                    Code::NotAProcess,
                    "name a process to run it, or a channel to receive on it".to_owned(),
                ),
            };
            let d = Diagnostic::new(code, format!("`{name}` is {what}, not a channel"))
                .at(span, "a channel is needed here")
                .and(global.span, "declared here")
                .help(help);
            self.sink.push(d);
        }
    }

    pub(super) fn input(
        &mut self,
        apply: &Apply,
        span: Span,
        scope: &mut Scope,
        frames: &mut Vec<Frame>,
    ) {
        scope.guarded = true;
        let Some(channel) = self.channel(&apply.subject, scope) else {
            scope.hole = true;
            return;
        };
        self.evaluate(scope, frames);
        let Some(args) = &apply.args else {
            self.bare_channel(&apply.subject);
            return;
        };
        for arg in args {
            if let Err(d) = arg.check() {
                self.sink.push(d);
            }
        }
        match args.as_slice() {
            [
                Pattern {
                    kind: PatternKind::Bind(binder),
                    ..
                },
            ] => {
                let mut bound = FxHashMap::default();
                let var = self.bind(binder, Origin::Message, scope, &mut bound);
                frames.push(Frame::Input(channel, var, span));
            }
            [
                Pattern {
                    kind: PatternKind::Wildcard(ty),
                    ..
                },
            ] => {
                let ty = self.type_ref(ty.as_ref());
                let var = self.hidden("_", ty, span);
                frames.push(Frame::Input(channel, var, span));
            }
            _ => {
                let var = self.hidden("<message>", Type::Msg, span);
                let place = match (args.first(), args.last()) {
                    (Some(first), Some(last)) => first.span.to(last.span),
                    _ => span,
                };
                let mut matching = Matching::default();
                let shape = self.patterns(args, place, scope, &mut matching);
                let shape = self.limit_size(shape, place);
                let message = self.store.var(var);
                let hopeless = matching.is_hopeless();
                let test = matching.finish(TestKind::Let, message, shape, place);
                let applied = self.applications();
                let tests = self.alternatives(&test, &applied, scope);
                if !hopeless {
                    self.settle_any(&tests, place, scope);
                }
                let stop = self.nil();
                frames.push(Frame::Input(channel, var, span));
                frames.push(Frame::Test(tests, stop));
            }
        }
    }

    /// A channel that stands where a process is needed.
    fn bare_channel(&mut self, subject: &Term) {
        let shown = super::spell::term(subject);
        self.sink.push(
            Diagnostic::new(Code::NotAProcess, format!("`{shown}` is not a process"))
                .at(subject.span, "a step or a process is needed here")
                .help(format!(
                    "write `{shown}(x)` to receive on it, `{shown}<M>` to send on it"
                )),
        );
    }
}
