//! What a secrecy claim is about: restricted names by their label, declared names, whole terms.

use super::claim::names_of;
use super::scope::{Local, Origin, Scope};
use super::unknown::{listed, nearest, nearest_in_claim};
use super::{Checker, Referent};
use super::{globals::Symbol, spell};
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{self, Ident, Name, SystemRef, Term};
use crate::process::{ClaimKind, DefId, SecrecyTarget, SecretName, SiteId, SystemId, Type};
use crate::term::TermId;

/// Largest number of places that make a secret, counted over all claims.
const MAX_SECRET_SITES: usize = 2_000_000;

impl Checker<'_> {
    pub(super) fn secrecy(
        &mut self,
        forward: Option<Span>,
        targets: &[ast::SecrecyTarget],
        system: &SystemRef,
    ) -> Option<ClaimKind> {
        let mut closed = self.closed(system);
        self.forward(forward, closed.as_mut());
        let id = closed.as_ref()?.system;
        let found: Vec<Option<SecrecyTarget>> =
            targets.iter().map(|t| self.target(t, id)).collect();
        Some(ClaimKind::Secrecy {
            targets: found.into_iter().collect::<Option<_>>()?,
            system: closed?,
        })
    }

    fn target(&mut self, target: &ast::SecrecyTarget, system: SystemId) -> Option<SecrecyTarget> {
        let (term, names) = match target {
            ast::SecrecyTarget::Name(name) => {
                self.secret_term(&[(name.name.clone(), name.span)], system, |c, scope| {
                    c.name(&name.name, name.span, scope)
                })?
            }
            ast::SecrecyTarget::Term(term) => {
                self.secret_term(&names_of(term), system, |c, scope| {
                    c.whole_term(term, scope)
                })?
            }
            ast::SecrecyTarget::Instance {
                role, args, name, ..
            } => self.instance_secret(role, args, name, system)?,
        };
        Some(SecrecyTarget {
            term,
            names,
            text: spell::target(target),
            span: target.span(),
        })
    }

    /// A term whose restricted names have become variables.
    fn secret_term(
        &mut self,
        mentioned: &[(Name, Span)],
        system: SystemId,
        lower: impl FnOnce(&mut Self, &Scope) -> TermId,
    ) -> Option<(TermId, Vec<SecretName>)> {
        let mut scope = Scope::default();
        let mut names: Vec<SecretName> = Vec::new();
        let mut complete = true;
        for (name, span) in mentioned {
            if scope.get(name).is_some() {
                continue;
            }
            if self.too_many_secrets(*span) {
                return None;
            }
            let sites = self.sites_named(name, system);
            if sites.is_empty() {
                if self.tables.globals.get(name).is_none() {
                    complete = false;
                    self.unknown_secret(name, *span, system);
                }
                continue;
            }
            let var = self.variable(name, self.site_type(&sites), *span, Origin::Claim);
            let local = Local {
                var,
                origin: Origin::Claim,
                span: *span,
            };
            scope.bind(name.clone(), local);
            self.mention_sites(*span, &sites);
            names.push(SecretName {
                var,
                sites,
                instance: None,
            });
        }
        complete.then(|| (lower(self, &scope), names))
    }

    /// The name of a claim refers to all names that are made at these places.
    fn mention_sites(&mut self, span: Span, sites: &[SiteId]) {
        if self.mentions.is_some() {
            for site in sites {
                let var = self.program.sites[site.index()].var;
                self.mention(span, Referent::Variable(var));
            }
        }
    }

    /// Where the system makes names with this label.
    fn sites_named(&mut self, name: &str, system: SystemId) -> Vec<SiteId> {
        let reach = self.reach(system);
        let sites = reach.sites.get(name).cloned().unwrap_or_default();
        self.tables.secret_sites += sites.len();
        sites
    }

    /// Whether the claims so far name so many places that the list of them is out of hand.
    fn too_many_secrets(&mut self, span: Span) -> bool {
        if self.tables.secret_sites <= MAX_SECRET_SITES {
            return false;
        }
        if !std::mem::replace(&mut self.tables.secrets_reported, true) {
            self.sink.push(
                Diagnostic::new(
                    Code::TooLarge,
                    "too many secrecy claims about too many names",
                )
                .at(span, "this claim and those after it are left out")
                .help("split the file"),
            );
        }
        true
    }

    /// The common type of the names made at some places.
    fn site_type(&self, sites: &[SiteId]) -> Type {
        let mut types = sites.iter().map(|s| self.program.sites[s.index()].ty);
        let first = types.next().unwrap_or_default();
        if types.all(|t| t == first) {
            first
        } else {
            Type::Msg
        }
    }

    /// A name that the system neither makes nor knows.
    fn unknown_secret(&mut self, name: &Name, span: Span, system: SystemId) {
        let reach = self.reach(system);
        if self.broken || reach.hole || !self.known_unknown.insert(name.clone()) {
            return;
        }
        let label = self.program.systems[system.index()].label.clone();
        let d = Diagnostic::new(
            Code::UnknownSecret,
            format!("no role of `{label}` makes a name `{name}`"),
        )
        .at(span, "no `new` of this name");
        if !self.may_search() {
            self.sink.push(d);
            return;
        }
        let elsewhere = self.program.sites.iter().find(|s| s.label == *name);
        let received = self
            .program
            .vars
            .iter()
            .zip(&self.tables.origins)
            .find(|(v, o)| v.label == *name && matches!(o, Origin::Pattern | Origin::Message));
        let near = nearest_in_claim(name, reach.sites.keys().map(|n| &**n));
        let d = if let Some(site) = elsewhere {
            d.and(
                site.span,
                format!("made here, in a process that `{label}` does not run"),
            )
        } else if let Some((var, _)) = received {
            d.and(var.span, "this is a received value, not a name that a role makes")
                .help(format!(
                    "for a received value mark an event and claim `secrecy {name} after E(.., {name}) in {label}`"
                ))
        } else if let Some(near) = near {
            d.did_you_mean(near)
        } else {
            match listed(reach.sites.keys().map(|n| &**n)) {
                Some(names) => d.note(format!("`{label}` makes {names}")),
                None => d.note(format!("`{label}` makes no fresh names")),
            }
        };
        self.sink.push(d);
    }

    /// `Init(A, B).Na`
    fn instance_secret(
        &mut self,
        role: &Ident,
        args: &[Term],
        name: &Ident,
        system: SystemId,
    ) -> Option<(TermId, Vec<SecretName>)> {
        let terms: Vec<TermId> = args.iter().map(|t| self.closed_term(t)).collect();
        self.mention_declared(&role.name, role.span);
        let symbol = self.tables.globals.use_name(&role.name);
        let Some((Symbol::Definition(def), place)) = symbol.map(|g| (g.symbol.clone(), g.span))
        else {
            self.unknown_role(role);
            return None;
        };
        let arity = self.program.definitions[def.index()].body.params.len();
        if arity != terms.len() {
            self.wrong_arity(&role.name, role.span, place, arity, terms.len());
            return None;
        }
        self.check_instance(def, role, &terms, system);
        let sites: Vec<SiteId> = self
            .sites_named(&name.name, system)
            .into_iter()
            .filter(|s| self.program.sites[s.index()].def == Some(def))
            .collect();
        if sites.is_empty() {
            if self.reach(system).hole {
                return None;
            }
            let d = Diagnostic::new(
                Code::UnknownSecret,
                format!("`{role}` makes no name `{name}`"),
            )
            .at(name.span, format!("no `new {name}` in `{role}`"))
            .and(place, "declared here");
            let searched = if self.may_search() { usize::MAX } else { 0 };
            let made = self.program.sites.iter().take(searched);
            let made = made.filter(|s| s.def == Some(def));
            let made: Vec<&str> = made.map(|s| &*s.label).take(100).collect();
            let d = match nearest_in_claim(&name.name, made.iter().copied()) {
                Some(near) => d.did_you_mean(near),
                None => match listed(made.into_iter()) {
                    Some(names) => d.note(format!("`{role}` makes {names}")),
                    None => d.note(format!("`{role}` makes no fresh names")),
                },
            };
            self.sink.push(d);
            return None;
        }
        self.mention_sites(name.span, &sites);
        let var = self.variable(&name.name, self.site_type(&sites), name.span, Origin::Claim);
        let secret = SecretName {
            var,
            sites,
            instance: Some((def, terms)),
        };
        Some((self.store.var(var), vec![secret]))
    }

    fn unknown_role(&mut self, role: &Ident) {
        let searched = if self.may_search() { usize::MAX } else { 0 };
        let definitions = self.program.definitions.iter().take(searched);
        let d = Diagnostic::new(
            Code::UnknownInstance,
            format!("there is no process definition `{role}`"),
        )
        .at(role.span, "a role is needed here");
        let d = match nearest(&role.name, definitions.map(|d| &*d.label)) {
            Some(near) => d.did_you_mean(near),
            None => d.help("write `Role(A, B).Na` with a definition of this file"),
        };
        self.sink.push(d);
    }

    /// Whether the system can run this instance; arguments known only at run time may be anything.
    fn check_instance(&mut self, def: DefId, role: &Ident, args: &[TermId], system: SystemId) {
        let reach = self.reach(system);
        let calls = reach.calls.get(&def).map_or(&[][..], |c| c);
        let can_be =
            |given: &TermId, wanted: &TermId| given == wanted || self.store.facts(*given).has_var;
        let runs = |call: &Vec<TermId>| call.iter().zip(args).all(|(g, w)| can_be(g, w));
        // A system with so many instances is generated, and its claims with it.
        if reach.hole || calls.len() > 1000 || calls.iter().any(runs) {
            return;
        }
        let label = &self.program.systems[system.index()].label;
        let show = |args: &[TermId]| {
            let args: Vec<String> = args.iter().map(|t| self.show(*t)).collect();
            format!("`{role}({})`", args.join(", "))
        };
        let d = Diagnostic::new(
            Code::UnknownInstance,
            format!("`{label}` does not run {}", show(args)),
        )
        .at(role.span, "no such instance");
        let mut runs: Vec<String> = calls.iter().take(10).map(|c| show(c)).collect();
        runs.dedup();
        self.sink.push(if runs.is_empty() {
            d.note(format!("`{label}` does not run `{role}` at all"))
        } else {
            d.note(format!("it runs {}", runs.join(", ")))
        });
    }

    pub(super) fn secrecy_after(
        &mut self,
        forward: Option<Span>,
        targets: &[ast::SecrecyTarget],
        event: &ast::EventPattern,
        system: &SystemRef,
    ) -> Vec<(ClaimKind, String)> {
        let mut closed = self.closed(system);
        self.forward(forward, closed.as_mut());
        let mut scope = Scope::default();
        let pattern = self.event_pattern(event, closed.as_ref(), &mut scope);
        let unless = self.excuses(event, system, closed.as_ref(), &scope);
        let mut claims = Vec::new();
        for target in targets {
            let term = match target {
                ast::SecrecyTarget::Name(name) => Term {
                    kind: ast::TermKind::Name(name.name.clone()),
                    span: name.span,
                },
                ast::SecrecyTarget::Term(term) => term.clone(),
                ast::SecrecyTarget::Instance { span, .. } => {
                    self.sink.push(
                        Diagnostic::new(
                            Code::SecretNotInEvent,
                            "after an event, the secret is one of its arguments",
                        )
                        .at(*span, "this picks a name of one instance")
                        .and(event.span, "the event")
                        .help("name the argument of the event that must stay secret"),
                    );
                    continue;
                }
            };
            if !self.occurs_in_event(&term, event, &scope) {
                continue;
            }
            let lowered = self.whole_term(&term, &scope);
            let text = spell::claim(&ast::ClaimKind::Secrecy {
                forward,
                targets: vec![target.clone()],
                after: Some(event.clone()),
                system: system.clone(),
            });
            if let (Some(pattern), Some(closed)) = (&pattern, &closed) {
                let mut kind = ClaimKind::SecrecyAfter {
                    term: lowered,
                    event: pattern.clone(),
                    unless: unless.clone(),
                    system: closed.clone(),
                };
                self.about_who_lost(&mut kind);
                claims.push((kind, text));
            }
        }
        claims
    }

    /// Every variable of the secret must be an argument of the event.
    fn occurs_in_event(&mut self, term: &Term, event: &ast::EventPattern, scope: &Scope) -> bool {
        let mut complete = true;
        for (name, span) in names_of(term) {
            if scope.get(&name).is_some() || self.tables.globals.get(&name).is_some() {
                continue;
            }
            complete = false;
            let shown = spell::event(event);
            let d = Diagnostic::new(
                Code::SecretNotInEvent,
                format!("`{name}` is no argument of the event `{shown}`"),
            )
            .at(span, "which value is meant?")
            .and(event.span, "its arguments are these");
            let near = nearest_in_claim(&name, scope.names().map(|n| &**n));
            self.sink.push(match near {
                Some(near) => d.did_you_mean(near),
                None => d.help(format!(
                    "write `{name}` in the place of the argument that must stay secret"
                )),
            });
        }
        complete
    }

    pub(super) fn unsendable(
        &mut self,
        channel: &Term,
        message: &[Term],
        system: &SystemRef,
    ) -> Option<ClaimKind> {
        let closed = self.closed(system);
        let id = closed.as_ref()?.system;
        let channel_id = self.closed_term(channel);
        let span = match (message.first(), message.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => channel.span,
        };
        let mentioned: Vec<(Name, Span)> = message.iter().flat_map(names_of).collect();
        let (term, names) =
            self.secret_term(&mentioned, id, |c, scope| c.message(message, scope, span))?;
        Some(ClaimKind::Unsendable {
            channel: channel_id,
            target: SecrecyTarget {
                term,
                names,
                text: spell::list(message),
                span,
            },
            system: closed?,
        })
    }
}
