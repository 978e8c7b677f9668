//! A role instance as it is written, and those that can stand in its place.

use crate::process::{DefId, ProcId, Program, Type};
use crate::source::Span;
use crate::term::{TermId, TermStore, View};

/// A role instance as an instantiation.
pub(super) type Call = (DefId, Vec<TermId>);

/// A role instance at the top of the system.
pub(super) struct Template {
    pub proc: ProcId,
    pub def: DefId,
    pub span: Span,
    args: Vec<TermId>,
    /// The arguments, with those of the system in the place of its parameters.
    values: Vec<TermId>,
    /// Which arguments stand for agents.
    open: Vec<bool>,
    /// It stays as written.
    fixed: bool,
    /// It could not come of others: some argument that stands for an agent is no declared one.
    singular: bool,
}

impl Template {
    /// `None` if no agent takes part.
    ///
    /// An instance that was handed a private name stays as written: nothing tells who else would have been handed it. So does one that
    /// takes more agents than are declared.
    pub fn new(
        program: &Program,
        store: &TermStore,
        proc: ProcId,
        (def, args): Call,
        values: Vec<TermId>,
        span: Span,
    ) -> Option<Self> {
        let params = &program.definitions[def.index()].body.params;
        let signature = &program.signature;
        let declared = |t: &TermId| signature.agents.contains(t) || signature.spies.contains(t);
        let open: Vec<bool> = (params.iter().zip(&values))
            .map(|(p, t)| program.vars[*p as usize].ty == Type::Agent || declared(t))
            .collect();
        if !open.contains(&true) {
            return None;
        }
        let mut agents: Vec<TermId> = Vec::new();
        let mut handed = false;
        for (t, open) in values.iter().zip(&open) {
            if !open {
                handed |= is_handed_secret(store, *t);
            } else if !agents.contains(t) {
                agents.push(*t);
            }
        }
        Some(Self {
            proc,
            def,
            span,
            args,
            open,
            fixed: handed || agents.len() > signature.agents.len() + signature.spies.len(),
            singular: !agents.iter().all(declared),
            values,
        })
    }

    /// How many agents are chosen.
    pub fn choices(&self) -> usize {
        if self.fixed {
            return 0;
        }
        self.open.iter().filter(|o| **o).count()
    }

    /// What stays as it is written in some instance: agents named there can't be replaced by others.
    pub fn constants(&self, store: &TermStore, note: &mut impl FnMut(TermId)) {
        let as_written = self.fixed || self.singular;
        for (t, open) in self.args.iter().zip(&self.open) {
            if as_written {
                note(*t);
            } else if !open {
                store.visit(*t, &mut |s| {
                    if matches!(store.view(s), View::Name(_)) && self.place(s).is_none() {
                        note(s);
                    }
                    true
                });
            }
        }
    }

    /// The first place of an agent, as it is written.
    fn place(&self, agent: TermId) -> Option<usize> {
        let all = self.args.iter().zip(&self.open);
        let mut open = all.filter(|(_, open)| **open);
        open.position(|(t, _)| *t == agent)
    }

    /// All ways to fill the agent arguments: with different agents, where different ones are written. What the other arguments say of the
    /// written agents they then say of the new ones: `Prover(A, B, L(A, B))` becomes `Prover(B, C, L(B, C))`. What is written is
    /// always among them.
    pub fn instances(&self, store: &TermStore, agents: &[TermId]) -> Vec<Vec<TermId>> {
        let mut found: Vec<Vec<TermId>> = Vec::new();
        if !self.fixed {
            let chosen = self.assignments(agents).into_iter();
            found.extend(chosen.map(|chosen| self.filled(store, &chosen)));
        }
        if self.fixed || self.singular {
            found.push(self.args.clone());
        }
        found
    }

    fn assignments(&self, agents: &[TermId]) -> Vec<Vec<TermId>> {
        let mut found: Vec<Vec<TermId>> = vec![Vec::new()];
        let all = self.values.iter().zip(&self.open);
        let written: Vec<TermId> = all.filter(|(_, o)| **o).map(|(t, _)| *t).collect();
        for here in &written {
            found = (found.into_iter())
                .flat_map(|chosen| {
                    let fits = |agent: &TermId| {
                        let mut before = chosen.iter().zip(&written);
                        before.all(|(other, there)| other != agent || there == here)
                    };
                    let fitting = agents.iter().copied().filter(fits);
                    fitting
                        .map(|agent| chosen.iter().copied().chain([agent]).collect())
                        .collect::<Vec<Vec<TermId>>>()
                })
                .collect();
        }
        found
    }

    fn filled(&self, store: &TermStore, chosen: &[TermId]) -> Vec<TermId> {
        let mut next = chosen.iter().copied();
        let place = |(t, open): (&TermId, &bool)| {
            let agent = if *open { next.next() } else { None };
            agent.unwrap_or_else(|| {
                store.map_atoms(*t, &mut |atom| self.place(atom).map(|i| chosen[i]))
            })
        };
        self.args.iter().zip(&self.open).map(place).collect()
    }
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
