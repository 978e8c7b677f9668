//! Marks where every role begins to speak, for the two lower rungs of the ladder.
//!
//! Lowe's aliveness asks that the partner has been running the protocol at all, in whatever role, and weak agreement that
//! it did so, apparently, with the one who asks. An instance that has not sent anything is as good as absent: nobody can
//! have noticed it. So each role marks, before the first thing that it sends, `Start(me)` and `StartWith(me, other)` for
//! each other agent that it knows by then.

use crate::base::source::Span;
use crate::lang::syntax::ast::{
    Binder, Claim, ClaimKind, Correspondence, DeclKind, EventPattern, File, Ident, Name, Pattern,
    PatternKind, Prefix, PrefixKind, Process, TailKind, Term, TermKind, Thread, TypeRef,
};
use crate::present::report::{Company, Values};
use crate::process::{Bounds, Closed, Shapes, SystemId, unfold};

use crate::analysis::Model;

/// The agent parameter of each role by which the role goes, where there is one.
#[derive(Debug, Default)]
pub(super) struct Selves {
    of: Vec<(Name, Name)>,
}

/// The events that say that a role has begun.
#[derive(Clone, Debug)]
pub(super) struct Starts {
    runs: Name,
    runs_with: Name,
}

impl Selves {
    /// Finds out who speaks in the roles of a model's systems.
    pub(super) fn new(variant: &Model, bounds: Bounds) -> Selves {
        let (store, program) = (&variant.store, &variant.flat.program);
        let mut found = Selves::default();
        for (i, decl) in (0u32..).zip(&program.systems) {
            if !decl.body.params.is_empty() {
                continue;
            }
            let closed = Closed::new(SystemId(i), Vec::new());
            let bounds = Bounds {
                trim: false,
                ..bounds
            };
            let Ok(system) = unfold(program, store, &closed, bounds, &mut Shapes::new()) else {
                continue;
            };
            let company = Company::new(store, program, &system, &Values::default());
            for role in crate::analysis::roles(&system) {
                let instance = system.instance(role);
                let Some(def) = instance.def else { continue };
                let definition = &program.definitions[def.index()];
                if found.self_of(&definition.label).is_some() {
                    continue;
                }
                let owner = company.owner(role);
                let at = owner
                    .agent()
                    .and_then(|agent| instance.args.iter().position(|a| *a == agent));
                if let Some(param) = at.and_then(|i| definition.body.params.get(i)) {
                    let name = program.vars[*param as usize].label.clone();
                    found.of.push((definition.label.clone(), name));
                }
            }
        }
        found
    }

    fn self_of(&self, role: &str) -> Option<&Name> {
        self.of.iter().find(|(r, _)| &**r == role).map(|(_, p)| p)
    }
}

impl Starts {
    /// Marks the beginnings of all roles.
    pub(super) fn mark(tree: &mut File, selves: &Selves) -> Starts {
        let starts = Starts {
            runs: unused(tree, "Start"),
            runs_with: unused(tree, "StartWith"),
        };
        let definitions: Vec<Name> = tree
            .decls
            .iter()
            .filter_map(|d| match &d.kind {
                DeclKind::Def(def) => Some(def.name.name.clone()),
                _ => None,
            })
            .collect();
        for decl in &mut tree.decls {
            let DeclKind::Def(def) = &mut decl.kind else {
                continue;
            };
            let Some(me) = selves.self_of(&def.name.name) else {
                continue;
            };
            let mut marker = Marker {
                starts: &starts,
                me: me.clone(),
                definitions: &definitions,
            };
            let known = agents(&def.params, me);
            marker.process(&mut def.body, &known);
        }
        starts
    }

    /// The claim of a lower rung that belongs to an agreement between roles; `None` if the earlier event does not say
    /// which agent runs the role that marks it.
    pub(super) fn claim(
        &self,
        tree: &File,
        selves: &Selves,
        about: &str,
        claim: &Claim,
        rung: Correspondence,
    ) -> Option<Claim> {
        let ClaimKind::Correspondence {
            then,
            before,
            system,
            ..
        } = &claim.kind
        else {
            return None;
        };
        let me = selves.self_of(about)?;
        let (params, args) = marked(tree, about, &before.name.name)?;
        let is = |i: usize, wanted: &dyn Fn(&Name) -> bool| matches!(args.get(i).map(|t| &t.kind), Some(TermKind::Name(n)) if wanted(n));
        let all = 0..before.args.len();
        let partner = all.clone().find(|i| is(*i, &|n| n == me))?;
        let others = agents(params, me);
        let other = all.clone().find(|i| is(*i, &|n| others.contains(n)));
        let (name, args) = match rung {
            Correspondence::Aliveness => (&self.runs, vec![partner]),
            Correspondence::Weak => (&self.runs_with, vec![partner, other?]),
            _ => return None,
        };
        Some(Claim {
            kind: ClaimKind::Correspondence {
                strength: rung,
                then: then.clone(),
                before: EventPattern {
                    name: ident(name, before.span),
                    args: args.into_iter().map(|i| before.args[i].clone()).collect(),
                    span: before.span,
                },
                system: system.clone(),
            },
            expect: None,
            goal: None,
            span: claim.span,
        })
    }
}

/// The parameters of a role and the arguments with which it marks an event, here or where it goes on to.
fn marked<'a>(tree: &'a File, role: &str, event: &Name) -> Option<(&'a [Binder], Vec<Term>)> {
    let def = tree.decls.iter().find_map(|d| match &d.kind {
        DeclKind::Def(def) if &*def.name.name == role => Some(def),
        _ => None,
    })?;
    let mut todo: Vec<&Thread> = def.body.threads.iter().collect();
    while let Some(thread) = todo.pop() {
        for prefix in &thread.prefixes {
            if let PrefixKind::Event(name, args) = &prefix.kind
                && name.name == *event
            {
                return Some((&def.params, args.clone()));
            }
            todo.extend(prefix.kind.otherwise());
        }
        match &thread.tail.kind {
            TailKind::Group(inner) => todo.extend(&inner.threads),
            TailKind::IntCase(case) => todo.extend([&case.zero, &case.succ]),
            _ => {}
        }
    }
    None
}

/// The parameters for other agents.
fn agents(params: &[Binder], me: &Name) -> Vec<Name> {
    let agents = params.iter().filter(|p| is_agent(p));
    let names = agents.map(|p| p.name.name.clone());
    names.filter(|n| n != me).collect()
}

fn is_agent(binder: &Binder) -> bool {
    binder.ty.as_ref().is_some_and(TypeRef::is_agent)
}

struct Marker<'a> {
    starts: &'a Starts,
    me: Name,
    definitions: &'a [Name],
}

impl Marker<'_> {
    fn process(&mut self, process: &mut Process, known: &[Name]) {
        for thread in &mut process.threads {
            self.thread(thread, known.to_vec());
        }
    }

    fn thread(&mut self, thread: &mut Thread, mut known: Vec<Name>) {
        let mut place = None;
        for (i, prefix) in thread.prefixes.iter_mut().enumerate() {
            match &mut prefix.kind {
                PrefixKind::Output(..) => place = Some(i),
                PrefixKind::Apply(apply) => match &apply.subject.kind {
                    TermKind::Name(name) if self.definitions.contains(name) => place = Some(i),
                    _ => {
                        for p in apply.args.iter().flatten() {
                            bound(p, &self.me, &mut known);
                        }
                    }
                },
                PrefixKind::Let(pattern, _, otherwise)
                | PrefixKind::Case(_, pattern, otherwise) => {
                    if let Some(thread) = otherwise {
                        self.thread(thread, known.clone());
                    }
                    bound(pattern, &self.me, &mut known);
                }
                PrefixKind::Match(_, _, Some(thread)) => self.thread(thread, known.clone()),
                _ => {}
            }
            if place.is_some() {
                break;
            }
        }
        match (place, &mut thread.tail.kind) {
            (Some(at), _) => {
                let span = thread.prefixes[at].span.before();
                let events = self.events(&known, span);
                thread.prefixes.splice(at..at, events);
            }
            (None, TailKind::Group(inner)) => self.process(inner, &known),
            (None, TailKind::IntCase(case)) => {
                self.thread(&mut case.zero, known.clone());
                self.thread(&mut case.succ, known);
            }
            _ => {}
        }
    }

    fn events(&self, known: &[Name], span: Span) -> Vec<Prefix> {
        let event = |name: &Name, args: &[&Name]| Prefix {
            kind: PrefixKind::Event(
                ident(name, span),
                args.iter().map(|n| term(n, span)).collect(),
            ),
            span,
        };
        let mut found = vec![event(&self.starts.runs, &[&self.me])];
        for other in known {
            found.push(event(&self.starts.runs_with, &[&self.me, other]));
        }
        found
    }
}

/// The agents that a pattern gives names to. A name for another thing that hides an agent's is gone from then on.
fn bound(pattern: &Pattern, me: &Name, known: &mut Vec<Name>) {
    match &pattern.kind {
        PatternKind::Bind(binder) => {
            let name = &binder.name.name;
            known.retain(|k| k != name);
            if is_agent(binder) && name != me {
                known.push(name.clone());
            }
        }
        PatternKind::Tuple(parts) | PatternKind::Cipher(_, parts, _) => {
            for p in parts {
                bound(p, me, known);
            }
        }
        _ => {}
    }
}

/// A name that no event of the file has.
fn unused(tree: &File, stem: &str) -> Name {
    let text = crate::lang::syntax::dump::file(tree);
    let mut name = stem.to_owned();
    while text.contains(&name) {
        name.push('\'');
    }
    name.into()
}

fn ident(name: &Name, span: Span) -> Ident {
    Ident {
        name: name.clone(),
        span,
    }
}

fn term(name: &Name, span: Span) -> Term {
    Term {
        kind: TermKind::Name(name.clone()),
        span,
    }
}
