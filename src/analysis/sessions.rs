//! `--sessions N`: every assignment of the declared agents to N role instances, up to symmetry.
//!
//! The roles are the definitions that the system instantiates at its top with an agent among the arguments. A generated
//! system keeps everything else of the written one (its restrictions, servers without agents) and replaces the role
//! instances by a multiset of N others. Each agent argument ranges over all declared agents, spies included; an
//! instance does not talk to itself. Other arguments follow the agents; an instance that was handed a private name keeps
//! its agents.
//!
//! Left out: instances that use no secret the attacker lacks (a spy's own roles: the attacker can play them itself),
//! and multisets that differ only by a renaming of honest agents that the file does not tell apart.

use super::renamings::{Renamings, free};
use crate::process::{
    Body, Closed, DefId, Proc, ProcId, Program, SiteId, SystemDecl, SystemId, Type,
};
use crate::term::{FamilyKind, TermId, TermStore, View};
use rustc_hash::FxHashSet;

/// The systems of `--sessions N`, in their order: each is a list of threads, and they have all else in common.
#[derive(Clone, Debug)]
pub struct Assignments {
    /// The program, extended by the threads and by a system that has none of them.
    pub program: Program,
    /// That system.
    pub common: SystemId,
    /// Threads that every system has.
    rest: Vec<ProcId>,
    /// The role instances to choose from.
    calls: Vec<ProcId>,
    /// The choices of all systems, one after another.
    chosen: Vec<u32>,
    /// Role instances in a system.
    size: usize,
    /// All are there: nothing stopped their generation.
    pub complete: bool,
}

impl Assignments {
    /// How many systems there are.
    pub fn len(&self) -> usize {
        self.chosen.len() / self.size
    }

    /// How many role instances a system has.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Whether there is no system.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The threads of the system with this number.
    pub fn threads(&self, number: usize) -> Vec<ProcId> {
        let chosen = &self.chosen[number * self.size..][..self.size];
        let calls = chosen.iter().map(|i| self.calls[*i as usize]);
        self.rest.iter().copied().chain(calls).collect()
    }

    /// Adds the system with this number to a copy of the program.
    pub fn add(&self, program: &mut Program, number: usize) -> SystemId {
        let decl = &self.program.systems[self.common.index()];
        let mut sites = Vec::new();
        let mut root = decl.body.root;
        while let Proc::New(more, then) = self.program.proc(root) {
            sites.push(more.clone());
            root = *then;
        }
        build(program, decl, &sites, self.threads(number))
    }
}

/// The top of a system: what is instantiated under restrictions and parallel composition alone.
pub(super) struct Top {
    /// Restrictions on the way, outermost first.
    sites: Vec<Vec<SiteId>>,
    calls: Vec<(DefId, Vec<TermId>, crate::source::Span)>,
    /// The calls that are replaced, as templates.
    pub replaced: Vec<ProcId>,
    /// What is kept, each part with the replications it stands under, innermost first.
    rest: Vec<(ProcId, Vec<Copies>)>,
}

/// The most role instances that a proof looks at together.
const EVERYONE: usize = 5_000;

/// A role instance as an instantiation.
pub(super) type Call = (DefId, Vec<TermId>);

/// A replication: how many copies, if written, and where.
type Copies = (Option<u32>, crate::source::Span);

impl Top {
    fn of(program: &Program, closed: &Closed) -> Self {
        let root = program.systems[closed.system.index()].body.root;
        let mut top = Top {
            sites: Vec::new(),
            calls: Vec::new(),
            replaced: Vec::new(),
            rest: Vec::new(),
        };
        collect(program, root, &[], &mut top);
        top
    }

    /// Whether any agent can take the place of any other: no instance keeps agents as they are written.
    fn is_uniform(&self, program: &Program, store: &TermStore) -> bool {
        self.calls.iter().all(|(def, args, _)| {
            let params = &program.definitions[def.index()].body.params;
            params.iter().zip(args).all(|(p, a)| {
                program.vars[*p as usize].ty == Type::Agent
                    || !is_handed_secret(store, *a)
                        && !program.signature.agents.contains(a)
                        && !program.signature.spies.contains(a)
            })
        }) && self.most_agents(program) <= program.signature.agents.len()
    }

    /// The most agents that an instance takes.
    fn most_agents(&self, program: &Program) -> usize {
        let signature = &program.signature;
        let all: Vec<TermId> = (signature.agents.iter().chain(&signature.spies))
            .copied()
            .collect();
        let takes = |(def, args, _): &(DefId, Vec<TermId>, crate::source::Span)| {
            let open = open_arguments(program, *def, args, &all);
            open.into_iter().filter(|o| *o).count()
        };
        self.calls.iter().map(takes).max().unwrap_or(0)
    }

    /// The role instances that could stand here, with these agents. Roles that the attacker could play itself are left out
    /// unless `keep_own`.
    fn choices(
        &self,
        program: &Program,
        store: &TermStore,
        agents: &[TermId],
        keep_own: bool,
    ) -> Vec<Call> {
        let mut seen: FxHashSet<Call> = FxHashSet::default();
        let mut choices: Vec<Call> = Vec::new();
        for (def, args, _) in &self.calls {
            for choice in instances(program, store, *def, args, agents) {
                let own = || is_spys_own(program, store, *def, &choice);
                if (keep_own || !own()) && seen.insert((*def, choice.clone())) {
                    choices.push((*def, choice));
                }
            }
        }
        choices
    }
}

/// All role instances that could be chosen.
#[derive(Clone, Debug)]
pub(super) enum Cast<T> {
    /// The system has no roles with agents.
    NoRoles,
    /// They are too many to be looked at together.
    TooMany,
    /// Here they are.
    All(T),
}

/// Extends the program by one system with every role instance that [`assignments`] chooses from.
pub(super) fn everyone(
    program: &Program,
    store: &TermStore,
    closed: &Closed,
    keep_own: bool,
) -> Cast<(Program, SystemId)> {
    let top = Top::of(program, closed);
    let signature = &program.signature;
    let agents: Vec<TermId> = (signature.agents.iter().chain(&signature.spies))
        .copied()
        .collect();
    let arity = u32::try_from(top.most_agents(program)).unwrap_or(u32::MAX);
    let instances = agents.len().saturating_pow(arity);
    if instances.saturating_mul(top.calls.len()) > EVERYONE {
        return Cast::TooMany;
    }
    let choices = top.choices(program, store, &agents, keep_own);
    if choices.is_empty() {
        return Cast::NoRoles;
    }
    let decl = program.systems[closed.system.index()].clone();
    let mut extended = program.clone();
    let (rest, calls) = parts(&mut extended, &decl, &top, &choices);
    let parts = rest.into_iter().chain(calls).collect();
    let system = build(&mut extended, &decl, &top.sites, parts);
    Cast::All((extended, system))
}

/// All systems of `n` role instances derived from a system; `None` if the system has no roles with agents at its top. Roles that the attacker could play itself are left out unless `keep_own`.
pub fn assignments(
    program: &Program,
    store: &TermStore,
    closed: &Closed,
    n: u32,
    keep_own: bool,
    stop: &dyn Fn() -> bool,
) -> Option<Assignments> {
    let top = Top::of(program, closed);
    let signature = &program.signature;
    // Of agents that nothing tells apart, no more are needed than can take part.
    let mut free = free(program, store, closed, &top, &signature.agents);
    let uniform = top.is_uniform(program, store);
    let needed = if uniform {
        top.most_agents(program) * n as usize
    } else {
        free.len()
    };
    let needless = free.split_off(free.len().min(needed));
    let agents: Vec<TermId> = (signature.agents.iter().chain(&signature.spies))
        .copied()
        .filter(|a| !needless.contains(a))
        .collect();
    let choices = top.choices(program, store, &agents, keep_own);
    if choices.is_empty() {
        return None;
    }
    let decl = program.systems[closed.system.index()].clone();
    let renamings = Renamings::new(store, &choices, &free, uniform);
    let mut extended = program.clone();
    let (rest, calls) = parts(&mut extended, &decl, &top, &choices);
    let common = build(&mut extended, &decl, &top.sites, Vec::new());
    let mut found = Vec::new();
    let mut other = Vec::new();
    let mut looked = 0u32;
    let mut complete = true;
    for_multisets(choices.len(), n as usize, |chosen| {
        if renamings.stands_for_all(chosen, &mut other) {
            found.extend(chosen.iter().map(|i| *i as u32));
        }
        looked = looked.wrapping_add(1);
        complete = !looked.is_multiple_of(1024) || !stop();
        complete
    });
    Some(Assignments {
        program: extended,
        common,
        rest,
        calls,
        chosen: found,
        size: n as usize,
        complete,
    })
}

/// Takes the top of a process apart. Replication distributes over parallel composition; a restriction under a
/// replication is a new name in every copy, so what stands there is kept as written.
fn collect(program: &Program, proc: ProcId, copies: &[Copies], top: &mut Top) {
    match program.proc(proc) {
        Proc::Par(parts) => parts.iter().for_each(|p| collect(program, *p, copies, top)),
        Proc::New(sites, then) if copies.is_empty() => {
            top.sites.push(sites.clone());
            collect(program, *then, copies, top);
        }
        Proc::Call { def, args, span } => {
            let params = &program.definitions[def.index()].body.params;
            let agents = &program.signature;
            let has_agent = params.iter().zip(args).any(|(p, a)| {
                program.vars[*p as usize].ty == Type::Agent
                    || agents.agents.contains(a)
                    || agents.spies.contains(a)
            });
            if has_agent {
                top.calls.push((*def, args.clone(), *span));
                top.replaced.push(proc);
            } else {
                top.rest.push((proc, copies.to_vec()));
            }
        }
        Proc::Replicate {
            copies: count,
            body,
            span,
        } => {
            let inner: Vec<Copies> = [(*count, *span)]
                .into_iter()
                .chain(copies.to_vec())
                .collect();
            collect(program, *body, &inner, top);
        }
        Proc::Nil => {}
        _ => top.rest.push((proc, copies.to_vec())),
    }
}

/// All ways to fill the agent arguments with different agents. What the other arguments say of the written agents they
/// then say of the new ones: `Prover(A, B, L(A, B))` becomes `Prover(B, C, L(B, C))`. An instance that was handed a
/// private name stays as written: nothing tells who else would have been handed it. So does one that takes more agents
/// than are declared.
fn instances(
    program: &Program,
    store: &TermStore,
    def: DefId,
    args: &[TermId],
    agents: &[TermId],
) -> Vec<Vec<TermId>> {
    let open = open_arguments(program, def, args, agents);
    if args
        .iter()
        .zip(&open)
        .any(|(a, open)| !open && is_handed_secret(store, *a))
    {
        return vec![args.to_vec()];
    }
    let mut choices: Vec<Vec<TermId>> = vec![Vec::new()];
    for _ in open.iter().filter(|o| **o) {
        choices = choices
            .into_iter()
            .flat_map(|prefix| {
                let fresh = agents.iter().copied().filter(|x| !prefix.contains(x));
                fresh
                    .map(|x| prefix.iter().copied().chain([x]).collect())
                    .collect::<Vec<Vec<TermId>>>()
            })
            .collect();
    }
    if choices.is_empty() {
        // More agents are asked for than there are.
        return vec![args.to_vec()];
    }
    let written: Vec<TermId> = args
        .iter()
        .zip(&open)
        .filter(|(_, o)| **o)
        .map(|(a, _)| *a)
        .collect();
    choices
        .into_iter()
        .map(|choice| {
            let mut next = choice.iter();
            let place = |(a, open): (&TermId, &bool)| {
                if *open {
                    return *next.next().expect("one choice per agent argument");
                }
                store.map_atoms(*a, &mut |atom| {
                    let i = written.iter().position(|w| *w == atom)?;
                    Some(choice[i])
                })
            };
            args.iter().zip(&open).map(place).collect()
        })
        .collect()
}

/// Which arguments stand for agents.
fn open_arguments(program: &Program, def: DefId, args: &[TermId], agents: &[TermId]) -> Vec<bool> {
    let params = &program.definitions[def.index()].body.params;
    let all = params.iter().zip(args);
    all.map(|(p, a)| program.vars[*p as usize].ty == Type::Agent || agents.contains(a))
        .collect()
}

/// Whether the argument mentions a private name or a restriction of the system.
fn is_handed_secret(store: &TermStore, t: TermId) -> bool {
    let mut found = false;
    store.visit(t, &mut |s| {
        found |= match store.view(s) {
            View::Name(n) => !store.name_info(n).class.is_public(),
            View::Var(_) => true,
            _ => false,
        };
        !found
    });
    found
}

/// Whether the instance uses only keys that the attacker has: its messages are the attacker's anyway.
fn is_spys_own(program: &Program, store: &TermStore, def: DefId, args: &[TermId]) -> bool {
    let public = |t: &TermId| matches!(store.view(*t), View::Name(n) if store.name_info(n).class.is_public());
    if !args.iter().any(|a| store.is_spy(*a)) || !args.iter().all(public) {
        return false;
    }
    let body = &program.definitions[def.index()].body;
    let mut secret = false;
    let value = |t: TermId| {
        store.map_atoms(t, &mut |atom| {
            let i = body.params.iter().position(|p| store.var(*p) == atom)?;
            Some(args[i])
        })
    };
    let mut look = |t: TermId, sends: bool| {
        let t = value(t);
        store.visit(t, &mut |s| {
            match store.view(s) {
                // In a test the public part may stand for decryption with the private one.
                View::Pub(k) if sends && is_public_part(store, k) => return false,
                View::Family(_, fargs) => secret |= !fargs.iter().any(|a| store.is_spy(*a)),
                View::Name(n) => secret |= !store.name_info(n).class.is_public(),
                _ => {}
            }
            true
        });
    };
    let mut stack = vec![body.root];
    while let Some(p) = stack.pop() {
        match program.proc(p) {
            Proc::Nil => {}
            Proc::Par(parts) => stack.extend(parts),
            Proc::New(_, then) => stack.push(*then),
            Proc::Output {
                channel,
                message,
                then,
                ..
            } => {
                look(*channel, true);
                look(*message, true);
                stack.push(*then);
            }
            Proc::Input { channel, then, .. } => {
                look(*channel, true);
                stack.push(*then);
            }
            Proc::Test(test, then, otherwise) => {
                test.equations.iter().for_each(|(a, b)| {
                    look(*a, false);
                    look(*b, false);
                });
                stack.extend([*then, *otherwise]);
            }
            Proc::Event { args, then, .. } => {
                for t in args {
                    look(*t, true);
                }
                stack.push(*then);
            }
            // What is instantiated inside is not looked into.
            Proc::Call { .. } => return false,
            Proc::Replicate { body, .. } => stack.push(*body),
        }
    }
    !secret
}

fn is_public_part(store: &TermStore, key: TermId) -> bool {
    matches!(store.view(key), View::Family(f, _)
        if store.family_info(f).kind == FamilyKind::KeyPair)
}

/// All sorted multisets of `size` numbers below `n`, in their order, as long as more are wanted.
fn for_multisets(n: usize, size: usize, mut with: impl FnMut(&[usize]) -> bool) {
    if n == 0 {
        return;
    }
    let mut chosen = vec![0; size];
    loop {
        if !with(&chosen) {
            return;
        }
        let Some(last) = chosen.iter().rposition(|i| i + 1 < n) else {
            return;
        };
        let next = chosen[last] + 1;
        chosen[last..].fill(next);
    }
}

/// What systems are put together from: the parts that are kept, and each choice as a call. Systems have them in common,
/// so that neighbours are seen to begin alike.
fn parts(
    program: &mut Program,
    decl: &SystemDecl,
    top: &Top,
    choices: &[(DefId, Vec<TermId>)],
) -> (Vec<ProcId>, Vec<ProcId>) {
    let mut rest: Vec<ProcId> = Vec::new();
    for (proc, copies) in &top.rest {
        let kept = copies.iter().fold(*proc, |body, (copies, span)| {
            program.add(Proc::Replicate {
                copies: *copies,
                body,
                span: *span,
            })
        });
        rest.push(kept);
    }
    let mut calls: Vec<ProcId> = Vec::new();
    for (def, args) in choices {
        let span = top
            .calls
            .iter()
            .find(|(d, _, _)| d == def)
            .map_or(decl.span, |(_, _, s)| *s);
        calls.push(program.add(Proc::Call {
            def: *def,
            args: args.clone(),
            span,
        }));
    }
    (rest, calls)
}

fn build(
    program: &mut Program,
    decl: &SystemDecl,
    sites: &[Vec<SiteId>],
    parts: Vec<ProcId>,
) -> SystemId {
    let mut root = program.add(Proc::Par(parts));
    for sites in sites.iter().rev() {
        root = program.add(Proc::New(sites.clone(), root));
    }
    program.systems.push(SystemDecl {
        label: decl.label.clone(),
        body: Body {
            params: decl.body.params.clone(),
            root,
        },
        // A generated scenario rarely has a partner for everybody.
        partial: true,
        span: decl.span,
    });
    SystemId(program.systems.len() as u32 - 1)
}
