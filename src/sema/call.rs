//! Instantiation of definitions, and the parameters it fills.

use rustc_hash::FxHashMap;

use super::Checker;
use super::globals::Symbol;
use super::scope::{Local, Origin, Scope};
use super::sort::Demand;
use super::unknown::Wanted;
use crate::process::{Proc, ProcId};
use crate::source::{Code, Diagnostic, Span};
use crate::syntax::ast::{Apply, Binder, TailKind, TermKind, Thread};
use crate::term::TermId;

impl Checker<'_> {
    /// Whether `n(..)` instantiates a definition: the name decides.
    pub(super) fn is_call(&self, apply: &Apply, scope: &Scope) -> bool {
        let TermKind::Name(name) = &apply.subject.kind else {
            return false;
        };
        if scope.get(name).is_some() {
            return false;
        }
        match self.tables.globals.get(name).map(|g| &g.symbol) {
            Some(Symbol::Definition(_) | Symbol::System(_)) => true,
            Some(_) => false,
            // Unknown: a bare name, or one that looks like a definition, is read as one.
            None => apply.args.is_none() || name.starts_with(|c: char| c.is_ascii_uppercase()),
        }
    }

    pub(super) fn call(&mut self, apply: &Apply, span: Span, scope: &Scope) -> ProcId {
        let TermKind::Name(name) = &apply.subject.kind else {
            return self.nil();
        };
        let mut args = Vec::new();
        for arg in apply.args.iter().flatten() {
            match arg.to_term() {
                Ok(term) => args.push((self.whole_term(&term, scope), term.span)),
                Err(d) => {
                    self.sink.push(d);
                    args.push((self.store.zero(), arg.span));
                }
            }
        }
        let Some(global) = self.tables.globals.use_name(name) else {
            self.unknown(name, apply.subject.span, Wanted::Process, scope);
            return self.nil();
        };
        let place = global.span;
        let Symbol::Definition(def) = global.symbol else {
            self.sink.push(
                Diagnostic::new(
                    Code::SystemAsProcess,
                    format!("`{name}` is a system, which cannot be used inside a process"),
                )
                .at(span, "a definition is needed here")
                .and(place, "declared as a system here")
                .help(format!(
                    "declare it with `def {name} = ..` to use it in processes"
                )),
            );
            return self.nil();
        };
        let params = self.program.definitions[def.index()].body.params.clone();
        if params.len() == args.len() {
            for (param, (arg, at)) in params.iter().zip(&args) {
                let info = &self.program.vars[*param as usize];
                let demand = Demand {
                    ty: info.ty,
                    span: info.span,
                    what: &format!("the parameter `{}` of `{name}`", info.label),
                };
                self.demand(*arg, *at, &demand);
            }
        } else {
            self.wrong_arity(name, span, place, params.len(), args.len());
            args.resize(params.len(), (self.store.zero(), span));
        }
        let args: Vec<TermId> = args.into_iter().map(|(t, _)| t).collect();
        self.body.calls.push((def, args.clone()));
        if !scope.guarded {
            self.body.unguarded.push((def, span));
        }
        self.program.add(Proc::Call { def, args, span })
    }

    /// Steps after an instantiation.
    pub(super) fn continued(
        &mut self,
        apply: &Apply,
        span: Span,
        next: Span,
        last: bool,
        thread: &Thread,
    ) {
        let shown = super::spell::term(&apply.subject);
        let place = self.tables.globals.get(&shown).map(|g| g.span);
        let d = Diagnostic::new(
            Code::ContinuationAfterCall,
            format!("nothing can follow the process `{shown}`"),
        )
        .at(span, "this runs a definition, it is not an input")
        .and(next, "this would never run");
        let d = match place {
            Some(place) => d.and(place, format!("`{shown}` is a process: declared here")),
            None => d,
        };
        let d = if last && matches!(thread.tail.kind, TailKind::Nil) {
            d.help("leave out the `. 0`")
        } else {
            d.help("to run both side by side write `|`; to receive a message use a channel instead")
        };
        self.sink.push(d);
    }

    /// The parameters of a definition or system.
    pub(super) fn parameters(&mut self, params: &[Binder], scope: &mut Scope) -> Vec<u32> {
        let mut bound = FxHashMap::default();
        params
            .iter()
            .map(|p| self.bind(p, Origin::Parameter, scope, &mut bound))
            .collect()
    }
}

/// A scope that holds parameters that were made before.
pub(super) fn scope_of(params: &[Binder], vars: &[u32]) -> Scope {
    let mut scope = Scope::default();
    for (binder, &var) in params.iter().zip(vars) {
        let local = Local {
            var,
            origin: Origin::Parameter,
            span: binder.name.span,
        };
        scope.bind(binder.name.name.clone(), local);
    }
    scope
}
