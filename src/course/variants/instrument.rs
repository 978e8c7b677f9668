//! Events for a file that has none: where each of two roles is sure of the other, and on what they agree.
//!
//! In an honest run in which the two are partners, a role is done after its last step, and its partner has committed
//! itself just before the last output that came before the other's last input. They agree on the fresh names that both
//! have by then.

use crate::base::source::Span;
use crate::lang::syntax::ast::{
    Claim, ClaimKind, Correspondence, DeclKind, EventArg, EventPattern, File, Ident, Name, Prefix,
    PrefixKind, SystemRef, Tail, TailKind, Term, TermKind, Thread,
};
use crate::process::SystemId;
use crate::term::{NameClass, TermId, View};
use rustc_hash::{FxHashMap, FxHashSet};

use super::trace::{Actor, Trace};
use super::walk::{Visitor, walk_process};
use crate::analysis::Model;

/// Marks events for one direction and says what to claim; `None` if no honest run has the two as partners.
pub(super) fn instrument(
    tree: &mut File,
    trace: &Trace,
    variant: &Model,
    (sure, about): (&str, &str),
    system: Option<&str>,
) -> Option<Claim> {
    let role = |name: &str| {
        tree.decls
            .iter()
            .position(|d| matches!(&d.kind, DeclKind::Def(def) if &*def.name.name == name))
    };
    let (x, y) = (role(sure)?, role(about)?);
    let program = &variant.flat.program;
    let found = pairs(trace, variant, x, y).find(|(actor, _)| {
        let decl = &program.systems[actor.system.index()];
        !decl.partial && system.is_none_or(|s| s == &*decl.label)
    });
    let (me, partner) = found?;
    let label: Name = program.systems[me.system.index()].label.clone();
    let last_input = me.acts.iter().filter(|a| !a.output).map(|a| a.time).max()?;
    let runs = partner
        .acts
        .iter()
        .filter(|a| a.output && a.time < last_input)
        .max_by_key(|a| a.time)?;
    let ends = me.acts.last()?;
    let agents = |actor: &Actor| -> Vec<(Name, TermId)> {
        let is_agent = |v: &TermId| program.signature.agents.contains(v);
        actor
            .params
            .iter()
            .filter(|(_, v)| is_agent(v))
            .cloned()
            .collect()
    };
    let (mine, theirs) = (agents(me), agents(partner));
    let data = shared(variant, me, partner.known_at(runs));
    let mut later: Vec<Name> = mine.iter().take(2).map(|(n, _)| n.clone()).collect();
    let mut earlier: Vec<Name> = theirs.iter().take(2).map(|(n, _)| n.clone()).collect();
    // The claim's variables: each agent and each datum has one, whatever the roles call it.
    let vars: Vec<Name> = mine.iter().take(2).map(|(n, _)| n.clone()).collect();
    let mut after_args = vars.clone();
    let mut before_args: Vec<Name> = theirs
        .iter()
        .take(2)
        .map(|(_, v)| {
            let at = mine.iter().position(|(_, w)| w == v).unwrap_or(0);
            vars[at.min(vars.len() - 1)].clone()
        })
        .collect();
    for (i, (m, t)) in data.into_iter().enumerate() {
        later.push(m);
        earlier.push(t);
        let var: Name = format!("d{}", i + 1).into();
        after_args.push(var.clone());
        before_args.push(var);
    }
    let done: Name = format!("{sure}_done").into();
    let running: Name = format!("{about}_running_for_{sure}").into();
    let span = ends.span;
    mark(tree, x, ends.span, true, &done, &later);
    mark(tree, y, runs.span, false, &running, &earlier);
    let pattern = |name: Name, args: Vec<Name>| EventPattern {
        name: ident(name, span),
        args: args
            .into_iter()
            .map(|n| EventArg::Term(term(n, span)))
            .collect(),
        span,
    };
    Some(Claim {
        kind: ClaimKind::Correspondence {
            strength: Correspondence::Agreement,
            then: pattern(done, after_args),
            before: pattern(running, before_args),
            system: SystemRef {
                name: ident(label, span),
                args: Vec::new(),
                given: Vec::new(),
                unless: Vec::new(),
                span,
            },
        },
        expect: None,
        goal: None,
        span,
    })
}

/// Instances of the two roles whose agents are the same, the other way round.
fn pairs<'a>(
    trace: &'a Trace,
    variant: &'a Model,
    x: usize,
    y: usize,
) -> impl Iterator<Item = (&'a Actor, &'a Actor)> {
    let signature = &variant.flat.program.signature;
    let honest: FxHashSet<TermId> = signature.agents.iter().copied().collect();
    let agents = move |actor: &Actor| -> Option<[TermId; 2]> {
        let values = actor.params.iter().map(|(_, v)| *v);
        let mut agents = values.filter(|v| honest.contains(v));
        Some([agents.next()?, agents.next()?])
    };
    let of = |decl: usize| {
        trace
            .actors
            .iter()
            .filter(move |a| a.decl == decl && a.honest && !a.acts.is_empty())
    };
    let mut partners: FxHashMap<(SystemId, [TermId; 2]), Vec<&Actor>> = FxHashMap::default();
    for other in of(y) {
        if let Some([a, b]) = agents(other) {
            let them = partners.entry((other.system, [b, a])).or_default();
            them.push(other);
        }
    }
    of(x).flat_map(move |me| {
        let them = agents(me).and_then(|want| partners.get(&(me.system, want)).cloned());
        let them = them.unwrap_or_default().into_iter();
        them.map(move |other| (me, other))
    })
}

/// The names by which both know the same fresh values.
fn shared(variant: &Model, me: &Actor, theirs: &[(Name, TermId)]) -> Vec<(Name, Name)> {
    let store = &variant.store;
    let fresh = |v: TermId| match store.view(v) {
        View::Name(n) => store.name_info(n).class == NameClass::Restricted,
        _ => false,
    };
    let mut found: Vec<(TermId, Name, Name)> = Vec::new();
    for (name, value) in me.known.all() {
        if !fresh(*value) || found.iter().any(|(v, ..)| v == value) {
            continue;
        }
        if let Some((other, _)) = theirs.iter().find(|(_, v)| v == value) {
            found.push((*value, name.clone(), other.clone()));
        }
    }
    found.into_iter().map(|(_, a, b)| (a, b)).collect()
}

fn ident(name: Name, span: Span) -> Ident {
    Ident { name, span }
}

fn term(name: Name, span: Span) -> Term {
    Term {
        kind: TermKind::Name(name),
        span,
    }
}

/// Puts an event before the step at a place, or at the end of its thread.
fn mark(tree: &mut File, decl: usize, at: Span, end: bool, event: &Name, args: &[Name]) {
    let span = at.before();
    let prefix = Prefix {
        kind: PrefixKind::Event(
            ident(event.clone(), span),
            args.iter().map(|n| term(n.clone(), span)).collect(),
        ),
        span,
    };
    if let Some(DeclKind::Def(def)) = tree.decls.get_mut(decl).map(|d| &mut d.kind) {
        let mut marker = Marker { at, end, prefix };
        walk_process(&mut def.body, &mut marker);
    }
}

struct Marker {
    at: Span,
    end: bool,
    prefix: Prefix,
}

impl Visitor for Marker {
    fn thread(&mut self, thread: &mut Thread) {
        let Some(at) = thread.prefixes.iter().position(|p| p.span == self.at) else {
            return;
        };
        if !self.end {
            thread.prefixes.insert(at, self.prefix.clone());
        } else if matches!(thread.tail.kind, TailKind::Omitted | TailKind::Nil) {
            // An instantiation is the last step: what it does comes after the event.
            let call = thread
                .prefixes
                .last()
                .is_some_and(|p| matches!(&p.kind, PrefixKind::Apply(_)) && p.span != self.at);
            let place = thread.prefixes.len() - usize::from(call);
            thread.prefixes.insert(place, self.prefix.clone());
            if !call {
                thread.tail = Tail {
                    kind: TailKind::Nil,
                    span: thread.tail.span,
                };
            }
        }
    }
}
