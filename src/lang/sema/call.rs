//! Instantiation of definitions, and the parameters it fills.

use rustc_hash::FxHashMap;

use super::Checker;
use super::globals::Symbol;
use super::known::{Demand, Known};
use super::scope::{Local, Origin, Scope};
use super::unknown::{Wanted, nearest};
use crate::base::source::{Code, Diagnostic, Span, Spot};
use crate::lang::syntax::ast::{
    Apply, Binder, Pattern, PatternKind, Prefix, TailKind, TermKind, Thread,
};
use crate::lang::syntax::foreign;
use crate::process::{Proc, ProcId, Type};
use crate::term::TermId;

/// What `n(..)` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// It receives on a channel.
    Input,
    /// It runs a definition.
    Call,
    /// The name is declared twice, which was reported: it may be either.
    Either,
    /// The name is not declared.
    Unknown,
}

impl Checker<'_> {
    /// What `n(..)` is: the name decides.
    pub(super) fn step(&self, apply: &Apply, scope: &Scope) -> Step {
        let TermKind::Name(name) = &apply.subject.kind else {
            return Step::Input;
        };
        if scope.get(name).is_some() {
            return Step::Input;
        }
        match self.tables.globals.get(name) {
            Some(global) if global.doubtful => Step::Either,
            Some(global) => match global.symbol {
                Symbol::Definition(_) | Symbol::System(_) => Step::Call,
                Symbol::Name(..)
                | Symbol::Family(..)
                | Symbol::Function(..)
                | Symbol::Destructor(..) => Step::Input,
            },
            None => Step::Unknown,
        }
    }

    /// A guess about `n(..)` with an undeclared `n`, from the names that come near and from its
    /// arguments: an input binds new names and seldom comes last.
    fn looks_like_call(&self, apply: &Apply, name: &str, last: bool, scope: &Scope) -> bool {
        let Some(args) = &apply.args else {
            return true;
        };
        if foreign::hint(name).is_some() {
            return true;
        }
        if self.unknowns.len() <= super::unknown::SUGGESTED {
            let definitions = self.program.definitions.iter().map(|d| &*d.label);
            if nearest(name, definitions).is_some() {
                return true;
            }
            let channels = self.tables.globals.iter();
            let channels = channels.filter(|g| matches!(g.symbol, Symbol::Name(..)));
            let channels = channels.map(|g| &*g.name);
            if nearest(name, channels.chain(scope.names().map(|n| &**n))).is_some() {
                return false;
            }
        }
        let known = |p: &Pattern| match &p.kind {
            PatternKind::Term(_) => true,
            PatternKind::Bind(binder) => {
                let name = &binder.name.name;
                scope.get(name).is_some() || self.tables.globals.get(name).is_some()
            }
            _ => false,
        };
        last && (args.is_empty() || args.iter().any(known))
    }

    /// A step on a name that is not declared. Returns whether it is taken for an instantiation;
    /// otherwise it is read as an input, so that the variables it binds are known afterwards.
    pub(super) fn unknown_step(&mut self, apply: &Apply, last: bool, scope: &mut Scope) -> bool {
        let TermKind::Name(name) = &apply.subject.kind else {
            return false;
        };
        let call = self.looks_like_call(apply, name, last, scope);
        let wanted = if call {
            Wanted::Process
        } else {
            Wanted::Channel
        };
        self.unknown(name, apply.subject.span, wanted, scope);
        scope.hole |= call;
        self.body.hole = true;
        call
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
        self.mention_declared(name, apply.subject.span);
        let Some(global) = self.tables.globals.use_name(name) else {
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
            self.body.hole = true;
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
                let untyped = info.ty == Type::Msg;
                self.demand(*arg, *at, &demand);
                if untyped && matches!(self.known_of(*arg), Known::PublicPart | Known::PrivatePart)
                {
                    self.key_arguments.push((*param, *arg, *at));
                }
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
        rest: &[Prefix],
        thread: &Thread,
    ) {
        let next = rest.first().map_or(thread.tail.span, |p| p.span);
        let last = rest.is_empty();
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
            let rest = span.after().to(thread.tail.span);
            d.help("leave out the `. 0`").repair(Spot::At(rest), "")
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
