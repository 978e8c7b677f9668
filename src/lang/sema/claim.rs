//! Claims: what they name must exist in the system they are about.

use super::known::{Demand, Fit};
use super::phase::phases_not_covered;
use super::rule::not_compared;
use super::scope::{Local, Origin, Scope};
use super::term::plural;
use super::unknown::{nearest, nearest_in_claim};
use super::{Checker, spell};
use crate::base::source::{Code, Diagnostic, Span};
use crate::lang::syntax::ast::{
    self, Correspondence, EventArg, Ident, Name, Relation, SystemRef, Term,
};
use crate::process::{
    Claim, ClaimKind, Closed, EventId, EventInfo, EventPattern, Expectation, Strength, Type,
};
use crate::term::TermId;

/// An event used with another number of arguments than at its first place.
pub(super) fn event_arity(name: &str, span: Span, found: usize, info: &EventInfo) -> Diagnostic {
    Diagnostic::new(
        Code::EventArity,
        format!(
            "the event `{name}` has {} here and {} elsewhere",
            plural(found, "argument"),
            plural(info.arity, "argument")
        ),
    )
    .at(span, plural(found, "argument"))
    .and(info.span, format!("{} here", plural(info.arity, "argument")))
    .help("an event has the same arguments everywhere; in a claim write `_` for those that do not matter")
}

impl Checker<'_> {
    /// Checks a claim and adds it to the program; a claim with a mistake is left out.
    pub(super) fn claim(&mut self, claim: &ast::Claim) {
        self.body = super::Facts {
            span: claim.span,
            closed: true,
            ..super::Facts::default()
        };
        let text = match &claim.goal {
            Some(goal) => goal.to_string(),
            None => spell::claim(&claim.kind),
        };
        let expect = claim.expect.map(|e| match e {
            ast::Expect::Holds => Expectation::Holds,
            ast::Expect::Proof => Expectation::Proof,
            ast::Expect::Attack => Expectation::Attack,
        });
        self.repeated(&text, expect, claim.span);
        let compares = matches!(
            claim.kind,
            ast::ClaimKind::Compare { .. } | ast::ClaimKind::StrongSecrecy { .. }
        );
        if let (true, Some(rule)) = (compares, &self.program.signature.not_compared) {
            let d = not_compared(rule, Some(claim.span));
            self.sink.push(d);
        }
        self.excusable(&claim.kind);
        for (kind, text) in self.claim_kinds(&claim.kind, text) {
            let compared = match &kind {
                ClaimKind::StrongSecrecy { system, .. } => vec![system.system],
                ClaimKind::Equivalence(left, right) | ClaimKind::Preorder(left, right) => {
                    vec![left.system, right.system]
                }
                _ => Vec::new(),
            };
            if let Some(phase) = compared.into_iter().find_map(|s| self.program.phase_in(s)) {
                (self.sink).push(phases_not_covered("comparisons", claim.span, phase));
            }
            let text = claim.goal.as_ref().map_or(text, ToString::to_string);
            self.program.claims.push(Claim {
                kind,
                expect,
                span: claim.span,
                text,
            });
        }
    }

    fn claim_kinds(&mut self, kind: &ast::ClaimKind, text: String) -> Vec<(ClaimKind, String)> {
        let one = match kind {
            ast::ClaimKind::Secrecy {
                forward,
                targets,
                after: Some(event),
                system,
            } => return self.secrecy_after(*forward, targets, event, system),
            ast::ClaimKind::Secrecy {
                forward,
                targets,
                system,
                ..
            } => self.secrecy(*forward, targets, system),
            ast::ClaimKind::Correspondence {
                strength,
                then,
                before,
                system,
            } => self.correspondence(*strength, then, before, system),
            ast::ClaimKind::Reachable { event, system } => self.reachable(event, system),
            ast::ClaimKind::Unsendable {
                channel,
                message,
                system,
            } => self.unsendable(channel, message, system),
            ast::ClaimKind::StrongSecrecy { params, system } => {
                return self.strong_secrecy(params, system);
            }
            ast::ClaimKind::Compare {
                relation,
                left,
                right,
            } => {
                let (left, right) = (self.closed(left), self.closed(right));
                left.zip(right).map(|(left, right)| match relation {
                    Relation::Equivalent => ClaimKind::Equivalence(left, right),
                    Relation::Preorder => ClaimKind::Preorder(left, right),
                })
            }
        };
        one.map(|kind| (kind, text)).into_iter().collect()
    }

    fn repeated(&mut self, text: &str, expect: Option<Expectation>, span: Span) {
        let Some((first, place)) = self.tables.claims.get(text).copied() else {
            self.tables.claims.insert(text.to_owned(), (expect, span));
            return;
        };
        let contradiction = matches!((first, expect), (Some(a), Some(b)) if a != b);
        self.sink.push(if contradiction {
            Diagnostic::new(
                Code::ContradictoryExpectations,
                "this claim is expected to hold and to fail",
            )
            .at(span, "one expectation")
            .and(place, "the opposite expectation")
            .help("keep the one that is right")
        } else {
            Diagnostic::new(Code::DuplicateClaim, "this claim stands here twice")
                .at(span, "the same claim again")
                .and(place, "first made here")
                .help("remove one of them")
                .instead("")
        });
    }

    /// A term over declared names only.
    pub(super) fn closed_term(&mut self, t: &Term) -> TermId {
        self.whole_term(t, &Scope::default())
    }

    fn reachable(&mut self, event: &ast::EventPattern, system: &SystemRef) -> Option<ClaimKind> {
        let closed = self.closed(system);
        let mut scope = Scope::default();
        let event = self.event_pattern(event, closed.as_ref(), &mut scope);
        Some(ClaimKind::Reachable {
            event: event?,
            system: closed?,
        })
    }

    fn correspondence(
        &mut self,
        kind: Correspondence,
        then: &ast::EventPattern,
        before: &ast::EventPattern,
        system: &SystemRef,
    ) -> Option<ClaimKind> {
        let closed = self.closed(system);
        let mut scope = Scope::default();
        let after = self.event_pattern(then, closed.as_ref(), &mut scope);
        let given = scope.clone();
        let earlier = self.event_pattern(before, closed.as_ref(), &mut scope);
        let (after, mut earlier) = (after?, earlier?);
        let strength = match kind {
            Correspondence::Agreement => Strength::Full,
            Correspondence::Injective => Strength::Injective,
            Correspondence::Weak => Strength::Weak,
            Correspondence::Aliveness => Strength::Aliveness,
        };
        let compared = self.compared(strength, &earlier);
        if strength == Strength::Weak && !compared.contains(&true) && !compared.is_empty() {
            self.sink.push(
                Diagnostic::new(
                    Code::TypeMismatch,
                    format!("no argument of `{}` is of type `Agent`", before.name),
                )
                .at(
                    before.span,
                    "weak agreement compares the agents of this event",
                )
                .help("declare the agents: `def P(a: Agent, b: Agent)`, or claim `agreement`"),
            );
        }
        for ((i, arg), is_compared) in before.args.iter().enumerate().zip(compared) {
            if is_compared {
                self.check_bound(arg, &given, then.span, "on the left of `=>`");
            } else {
                let var = self.variable(&Name::from("_"), Type::Msg, arg.span(), Origin::Claim);
                earlier.args[i] = self.store.var(var);
            }
        }
        let unless = self.excuses(then, system, closed.as_ref(), &given);
        let mut kind = ClaimKind::Agreement {
            strength,
            after,
            before: earlier,
            unless,
            system: closed?,
        };
        self.about_who_lost(&mut kind);
        Some(kind)
    }

    /// Which arguments of the earlier event count.
    fn compared(&self, strength: Strength, earlier: &EventPattern) -> Vec<bool> {
        let agents = &self.tables.event_types[earlier.event.index()];
        (0..earlier.args.len())
            .map(|i| match strength {
                Strength::Full | Strength::Injective => true,
                Strength::Aliveness => i == 0,
                Strength::Weak => {
                    agents.get(i).is_some_and(|ty| ty.is_agent())
                        || self.known_of(earlier.args[i]).is_agent()
                }
            })
            .collect()
    }

    /// A variable of the earlier event that the later one does not have is a slip: it would match
    /// anything.
    pub(super) fn check_bound(&mut self, arg: &EventArg, given: &Scope, then: Span, place: &str) {
        let EventArg::Term(term) = arg else { return };
        for (name, span) in names_of(term) {
            if given.get(&name).is_some() || self.tables.globals.get(&name).is_some() {
                continue;
            }
            let d = Diagnostic::new(
                Code::UnboundInClaim,
                format!("`{name}` does not occur {place}"),
            )
            .at(span, "so it would match anything")
            .and(then, "the arguments to compare with");
            let near = nearest_in_claim(&name, given.names().map(|n| &**n));
            self.sink.push(match near {
                Some(near) => d.did_you_mean(near),
                None => d.help("if it does not matter, write `_`").instead("_"),
            });
        }
    }

    /// An event of a claim. Names that are not declared become variables, shared through `scope`.
    pub(super) fn event_pattern(
        &mut self,
        pattern: &ast::EventPattern,
        system: Option<&Closed>,
        scope: &mut Scope,
    ) -> Option<EventPattern> {
        let args: Vec<TermId> = pattern
            .args
            .iter()
            .map(|arg| match arg {
                EventArg::Any(span) => {
                    let var = self.variable(&Name::from("_"), Type::Msg, *span, Origin::Claim);
                    self.store.var(var)
                }
                EventArg::Term(term) => {
                    self.bind_claim_names(term, scope);
                    self.whole_term(term, scope)
                }
            })
            .collect();
        let event = self.known_event(&pattern.name)?;
        self.mention_event(pattern.name.span, event);
        let info = &self.program.events[event.index()];
        if info.arity != args.len() {
            if self.tables.doubtful_events.contains(&event) {
                return None;
            }
            let d = event_arity(&info.label, pattern.span, args.len(), info);
            self.sink.push(d);
            return None;
        }
        let (name, place) = (info.label.clone(), info.span);
        if let Some(closed) = system
            && let reach = self.reach(closed.system)
            && !reach.events.contains(&event)
            && !reach.hole
        {
            let label = &self.program.systems[closed.system.index()].label;
            self.sink.push(
                Diagnostic::new(
                    Code::UnknownEvent,
                    format!("the event `{name}` never happens in `{label}`"),
                )
                .at(
                    pattern.name.span,
                    format!("no process of `{label}` marks it"),
                )
                .and(
                    place,
                    "marked here, by a process that the system does not run",
                ),
            );
        }
        self.check_event_types(pattern, event, &args);
        Some(EventPattern {
            event,
            args,
            span: pattern.span,
        })
    }

    /// A name of the claim that happens to be declared stands for that name, and may be no variable
    /// by mistake: its type tells.
    fn check_event_types(&mut self, pattern: &ast::EventPattern, event: EventId, args: &[TermId]) {
        let types = self.tables.event_types[event.index()].clone();
        let info = &self.program.events[event.index()];
        let (what, span) = (format!("this argument of `{}`", info.label), info.span);
        for ((arg, term), ty) in pattern.args.iter().zip(args).zip(types) {
            let fits = self.fit(*term, ty) == Fit::Fits;
            // An agent of another sort is meant as what it is.
            let meant = ty.is_agent() && self.known_of(*term).is_agent();
            let global = self.tables.globals.of_term(*term);
            let global = global.filter(|_| !fits && !meant);
            let Some(global) = global else {
                let what = &what;
                self.demand(*term, arg.span(), &Demand { ty, span, what });
                continue;
            };
            let name = global.name.clone();
            let d = Diagnostic::new(
                Code::TypeContradiction,
                format!(
                    "`{name}` is {}, not a variable of the claim",
                    global.symbol.describe()
                ),
            )
            .at(arg.span(), "only events with this very name would count")
            .and(global.span, format!("`{name}` is declared here"))
            .and(span, format!("{what} has type `{}`", self.type_label(ty)))
            .help("choose another name for the variable");
            if self.known_unknown.insert(name) {
                self.sink.push(d);
            }
        }
    }

    /// Variables for the names of a claim's term that are not declared.
    pub(super) fn bind_claim_names(&mut self, term: &Term, scope: &mut Scope) {
        for (name, span) in names_of(term) {
            if scope.get(&name).is_none() && self.tables.globals.get(&name).is_none() {
                let var = self.variable(&name, Type::Msg, span, Origin::Claim);
                let origin = Origin::Claim;
                scope.bind(name, Local { var, origin, span });
            }
        }
    }

    fn known_event(&mut self, name: &Ident) -> Option<EventId> {
        if let Some(&id) = self.tables.events.get(&name.name) {
            return Some(id);
        }
        if self.broken || !self.known_unknown.insert(name.name.clone()) {
            return None;
        }
        let d = Diagnostic::new(Code::UnknownEvent, format!("unknown event `{name}`"))
            .at(name.span, "no process marks this event");
        let searched = if self.may_search() { usize::MAX } else { 0 };
        let events = self.program.events.iter().take(searched);
        let d = match nearest(&name.name, events.map(|e| &*e.label)) {
            Some(near) => d.did_you_mean(near),
            None => d.help(format!("mark the point in a role: `event {name}(..).`")),
        };
        self.sink.push(d);
        None
    }
}

/// The plain names of a term with their places, from left to right.
pub(super) fn names_of(term: &Term) -> Vec<(Name, Span)> {
    fn collect(term: &Term, out: &mut Vec<(Name, Span)>) {
        use ast::TermKind::{Apply, Encrypt, Error, Hash, Int, Part, Power, Suc, Tuple};
        match &term.kind {
            ast::TermKind::Name(name) => out.push((name.clone(), term.span)),
            Apply(_, parts) | Tuple(parts) | Hash(parts) => {
                for part in parts {
                    collect(part, out);
                }
            }
            Encrypt(_, parts, key) => {
                for part in parts {
                    collect(part, out);
                }
                collect(key, out);
            }
            Power(base, exponent) => {
                collect(base, out);
                collect(exponent, out);
            }
            Suc(inner) | Part(inner, _) => collect(inner, out),
            Int(_) | Error => {}
        }
    }
    let mut out = Vec::new();
    collect(term, &mut out);
    out
}
