//! The systems that claims are about, with their arguments.

use super::globals::Symbol;
use super::known::Demand;
use super::scope::Scope;
use super::term::plural;
use super::unknown::{listed, nearest};
use super::{Checker, Referent, spell};
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{Ident, Name, SystemRef, Term};
use crate::process::{ClaimKind, Closed, Loss, SystemId};
use crate::term::TermId;

impl Checker<'_> {
    /// The system a claim is about.
    pub(super) fn system(&mut self, system: &SystemRef) -> Option<SystemId> {
        let name = &system.name;
        self.mention_declared(&name.name, name.span);
        let symbol = self.tables.globals.use_name(&name.name);
        match symbol.map(|g| (g.symbol.clone(), g.span)) {
            Some((Symbol::System(id), _)) => Some(id),
            Some((Symbol::Definition(_), place)) => {
                self.sink.push(
                    Diagnostic::new(
                        Code::UnknownSystem,
                        format!("`{name}` is a process definition, not a system"),
                    )
                    .at(name.span, "a claim is about a whole system")
                    .and(place, "declared here")
                    .help(format!(
                        "declare what runs together, such as `system S = {name}(..) | ..`, and claim it `in S`"
                    )),
                );
                None
            }
            other => {
                let hidden = other.is_none() && self.tables.globals.hole;
                if hidden || !self.known_unknown.insert(name.name.clone()) {
                    return None;
                }
                let d = Diagnostic::new(Code::UnknownSystem, format!("unknown system `{name}`"))
                    .at(name.span, "no such system");
                let searched = if self.may_search() { usize::MAX } else { 0 };
                let systems = self.program.systems.iter().take(searched);
                let systems: Vec<&str> = systems.map(|s| &*s.label).collect();
                let d = match nearest(&name.name, systems.iter().copied()) {
                    Some(near) => d.did_you_mean(near),
                    None => match listed(systems.into_iter()) {
                        Some(names) => d.note(format!("the systems of this file: {names}")),
                        None => d.help(format!("declare it: `system {name} = ..`")),
                    },
                };
                self.sink.push(d);
                None
            }
        }
    }

    /// A system with its arguments.
    pub(super) fn closed(&mut self, system: &SystemRef) -> Option<Closed> {
        let id = self.system(system)?;
        let params = self.program.systems[id.index()].body.params.clone();
        let place = self.program.systems[id.index()].span;
        if params.len() != system.args.len() {
            self.wrong_arity(
                &system.name.name,
                system.span,
                place,
                params.len(),
                system.args.len(),
            );
            return None;
        }
        let args = system
            .args
            .iter()
            .zip(&params)
            .map(|(arg, param)| self.system_argument(arg, *param, &system.name))
            .collect();
        Some(Closed {
            lost: self.given(&system.given),
            ..Closed::new(id, args)
        })
    }

    /// What the attacker has from the start besides.
    fn given(&mut self, given: &[Term]) -> Vec<Loss> {
        let (Some(first), Some(last)) = (given.first(), given.last()) else {
            return Vec::new();
        };
        let span = first.span.to(last.span);
        let message = self.message(given, &Scope::default(), span);
        let phase = 0;
        vec![Loss {
            phase,
            message,
            span,
        }]
    }

    fn system_argument(&mut self, arg: &Term, param: u32, system: &Ident) -> TermId {
        let term = self.closed_term(arg);
        let info = &self.program.vars[param as usize];
        let demand = Demand {
            ty: info.ty,
            span: info.span,
            what: &format!("the parameter `{}` of `{system}`", info.label),
        };
        self.demand(term, arg.span, &demand);
        term
    }

    /// `strong secrecy m in S`: one claim for each parameter.
    pub(super) fn strong_secrecy(
        &mut self,
        params: &[Ident],
        system: &SystemRef,
    ) -> Vec<(ClaimKind, String)> {
        let Some(id) = self.system(system) else {
            return Vec::new();
        };
        let decl = &self.program.systems[id.index()];
        let (label, place) = (decl.label.clone(), decl.span);
        let vars = decl.body.params.clone();
        let labels: Vec<Name> = vars
            .iter()
            .map(|v| self.program.vars[*v as usize].label.clone())
            .collect();
        let mut found = Vec::new();
        for param in params {
            if let Some(i) = labels.iter().position(|l| *l == param.name) {
                self.mention(param.span, Referent::Variable(vars[i]));
                found.push((i, param));
                continue;
            }
            let d = Diagnostic::new(
                Code::StrongSecrecyParameter,
                format!("`{param}` is not a parameter of `{label}`"),
            )
            .at(
                param.span,
                "strong secrecy varies a parameter of the system",
            )
            .and(place, "declared here");
            let d = match nearest(&param.name, labels.iter().map(|l| &**l)) {
                Some(near) => d.did_you_mean(near),
                None => d.help(format!(
                    "make the secret a parameter: `system {label}({param}) = ..`"
                )),
            };
            self.sink.push(d);
        }
        if found.len() < params.len() {
            return Vec::new();
        }
        found
            .into_iter()
            .filter_map(|(param, name)| {
                let args = self.other_arguments(system, &vars, param, place)?;
                let text = format!("strong secrecy {name} in {}", spell::system(system));
                let system = Closed {
                    lost: self.given(&system.given),
                    ..Closed::new(id, args)
                };
                Some((ClaimKind::StrongSecrecy { param, system }, text))
            })
            .collect()
    }

    /// The arguments of a strong secrecy claim: those of the other parameters are written, in
    /// order; the place of the secret one may be written too and is ignored.
    fn other_arguments(
        &mut self,
        system: &SystemRef,
        vars: &[u32],
        param: usize,
        place: Span,
    ) -> Option<Vec<TermId>> {
        let given = system.args.len();
        if given + 1 != vars.len() && given != vars.len() {
            self.sink.push(
                Diagnostic::new(
                    Code::WrongArity,
                    format!(
                        "`{}` needs {} beside the secret one",
                        system.name,
                        plural(vars.len() - 1, "argument")
                    ),
                )
                .at(system.span, format!("{} given", plural(given, "argument")))
                .and(place, "declared here")
                .help("strong secrecy varies one parameter; give a value to the others"),
            );
            return None;
        }
        let mut written = system.args.iter();
        let mut args = Vec::new();
        for (i, var) in vars.iter().enumerate() {
            if i == param {
                if given == vars.len() {
                    written.next();
                }
                args.push(self.store.zero());
            } else if let Some(arg) = written.next() {
                args.push(self.system_argument(arg, *var, &system.name));
            }
        }
        Some(args)
    }
}
