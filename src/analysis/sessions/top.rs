//! The top of a system: what is instantiated under restrictions and parallel composition alone, and what else is there.

use super::own::is_spys_own;
use super::template::{Call, Template};
use crate::base::source::Span;
use crate::process::{
    Body, Closed, Proc, ProcId, Program, Signature, SiteId, SystemDecl, SystemId,
};
use crate::term::{TermId, TermStore};
use rustc_hash::FxHashSet;

/// A replication: how many copies, if written, and where.
type Copies = (Option<u32>, Span);

/// A system taken apart.
pub(super) struct Top {
    decl: SystemDecl,
    /// Restrictions on the way, outermost first.
    sites: Vec<Vec<SiteId>>,
    /// The role instances, which are replaced.
    pub templates: Vec<Template>,
    /// What is kept, each part with the replications it stands under, innermost first.
    rest: Vec<(ProcId, Vec<Copies>)>,
}

impl Top {
    pub fn of(program: &Program, store: &TermStore, closed: &Closed) -> Self {
        let decl = program.systems[closed.system.index()].clone();
        let root = decl.body.root;
        let parameters: Vec<TermId> = decl.body.params.iter().map(|p| store.var(*p)).collect();
        let mut top = Top {
            decl,
            sites: Vec::new(),
            templates: Vec::new(),
            rest: Vec::new(),
        };
        let value = |t: &TermId| {
            store.map_atoms(*t, &mut |atom| {
                let i = parameters.iter().position(|p| *p == atom)?;
                closed.args.get(i).copied()
            })
        };
        // There may be thousands of roles, and of agents.
        let everybody: FxHashSet<TermId> = program.signature.everybody().collect();
        top.collect(program, root, &[], &|proc| {
            let Proc::Call { def, args, span } = program.proc(proc) else {
                return None;
            };
            let values = args.iter().map(value).collect();
            let call = (*def, args.clone());
            Template::new(program, store, &everybody, proc, call, values, *span)
        });
        top
    }

    /// Takes a process apart. Replication distributes over parallel composition; a restriction under a
    /// replication is a new name in every copy, so what stands there is kept as written.
    fn collect(
        &mut self,
        program: &Program,
        proc: ProcId,
        copies: &[Copies],
        template: &dyn Fn(ProcId) -> Option<Template>,
    ) {
        match program.proc(proc) {
            Proc::Par(parts) => {
                for part in parts {
                    self.collect(program, *part, copies, template);
                }
            }
            Proc::New(sites, then) if copies.is_empty() => {
                self.sites.push(sites.clone());
                self.collect(program, *then, copies, template);
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
                self.collect(program, *body, &inner, template);
            }
            Proc::Nil => {}
            _ => match template(proc) {
                Some(template) => self.templates.push(template),
                None => self.rest.push((proc, copies.to_vec())),
            },
        }
    }

    /// Whether what is kept as written names a declared agent.
    pub fn rest_names_agents(&self, program: &Program, store: &TermStore) -> bool {
        let signature = &program.signature;
        let mut waiting: Vec<ProcId> = self.rest.iter().map(|(proc, _)| *proc).collect();
        let mut named = false;
        while let Some(proc) = waiting.pop() {
            let proc = program.proc(proc);
            waiting.extend(proc.parts());
            for term in proc.terms() {
                store.visit(term, &mut |t| {
                    named |= signature.agents.contains(&t) || signature.spies.contains(&t);
                    !named
                });
            }
        }
        named
    }

    /// The most agents that an instance takes.
    pub fn most_agents(&self) -> usize {
        let agents = self.templates.iter().map(Template::choices);
        agents.max().unwrap_or(0)
    }

    /// Whether more role instances than this might stand here. There may be thousands of roles, so it counts no further than it must.
    pub fn may_have_more_than(&self, most: usize, signature: &Signature) -> bool {
        let mut left = most;
        self.templates.iter().any(|t| {
            let rest = left.checked_sub(t.most_instances(signature));
            left = rest.unwrap_or(0);
            rest.is_none()
        })
    }

    /// The role instances that could stand here, with these agents. Roles that the attacker could play itself are left out
    /// unless `keep_own`.
    pub fn choices(
        &self,
        program: &Program,
        store: &TermStore,
        agents: &[TermId],
        keep_own: bool,
    ) -> Vec<Call> {
        let mut seen: FxHashSet<Call> = FxHashSet::default();
        let mut choices: Vec<Call> = Vec::new();
        for template in &self.templates {
            let def = template.def;
            for args in template.instances(&program.signature, store, agents) {
                let own = || is_spys_own(program, store, def, &args);
                if (keep_own || !own()) && seen.insert((def, args.clone())) {
                    choices.push((def, args));
                }
            }
        }
        choices
    }

    /// What systems are put together from: the parts that are kept, and each choice as a call. Systems have them in common,
    /// so that neighbours are seen to begin alike.
    pub fn parts(&self, program: &mut Program, choices: &[Call]) -> (Vec<ProcId>, Vec<ProcId>) {
        let mut rest: Vec<ProcId> = Vec::new();
        for (proc, copies) in &self.rest {
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
            let template = self.templates.iter().find(|t| t.def == *def);
            calls.push(program.add(Proc::Call {
                def: *def,
                args: args.clone(),
                span: template.map_or(self.decl.span, |t| t.span),
            }));
        }
        (rest, calls)
    }

    /// Adds a system of these parts under the restrictions.
    pub fn build(&self, program: &mut Program, parts: Vec<ProcId>) -> SystemId {
        build(program, &self.decl, &self.sites, parts)
    }
}

/// Adds a system of these parts under these restrictions.
pub(super) fn build(
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
