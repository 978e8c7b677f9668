//! A role instance as it is written, and those that can stand in its place.

use crate::base::source::Span;
use crate::process::{DefId, ProcId, Program, Signature, Type};
use crate::term::{TermId, TermStore, View};
use rustc_hash::FxHashSet;

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
    /// Which arguments stand for agents, and the type that these must have.
    open: Vec<Option<Type>>,
    /// It stays as written.
    fixed: bool,
    /// It could not come of others: some argument that stands for an agent is no declared one of the right sort.
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
        everybody: &FxHashSet<TermId>,
        proc: ProcId,
        (def, args): Call,
        values: Vec<TermId>,
        span: Span,
    ) -> Option<Self> {
        let params = &program.definitions[def.index()].body.params;
        let signature = &program.signature;
        let declared = |t: TermId| everybody.contains(&t);
        let open: Vec<Option<Type>> = (params.iter().zip(&values))
            .map(|(p, t)| match program.vars[*p as usize].ty {
                ty if ty.is_agent() => Some(ty),
                _ => declared(*t).then_some(Type::Agent),
            })
            .collect();
        if open.iter().all(Option::is_none) {
            return None;
        }
        let mut agents: Vec<TermId> = Vec::new();
        let mut handed = false;
        let mut singular = false;
        for (t, open) in values.iter().zip(&open) {
            let Some(ty) = open else {
                handed |= is_handed_secret(store, *t);
                continue;
            };
            singular |= !declared(*t) || !signature.may_play(*t, *ty);
            if !agents.contains(t) {
                agents.push(*t);
            }
        }
        Some(Self {
            proc,
            def,
            span,
            args,
            open,
            fixed: handed || agents.len() > everybody.len(),
            singular,
            values,
        })
    }

    /// Whether its agents stay as they are written.
    pub fn is_fixed(&self) -> bool {
        self.fixed
    }

    /// How many agents are chosen.
    pub fn choices(&self) -> usize {
        if self.fixed {
            return 0;
        }
        self.open.iter().flatten().count()
    }

    /// No more instances than this can stand in its place.
    pub fn most_instances(&self, signature: &Signature) -> usize {
        if self.fixed {
            return 1;
        }
        let agents = self.open.iter().flatten().map(|ty| {
            let playing = signature
                .everybody()
                .filter(|a| signature.may_play(*a, *ty));
            playing.count()
        });
        agents.fold(1, usize::saturating_mul)
    }

    /// What stays as it is written in some instance: agents named there can't be replaced by others.
    pub fn constants(&self, store: &TermStore, note: &mut impl FnMut(TermId)) {
        let as_written = self.fixed || self.singular;
        for (t, open) in self.args.iter().zip(&self.open) {
            if as_written {
                note(*t);
            } else if open.is_none() {
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
        let mut open = all.filter(|(_, open)| open.is_some());
        open.position(|(t, _)| *t == agent)
    }

    /// All ways to fill the agent arguments: with agents of the right sorts, and different ones where different ones are written. What the other arguments say of the
    /// written agents they then say of the new ones: `Prover(A, B, L(A, B))` becomes `Prover(B, C, L(B, C))`. What is written is
    /// always among them.
    pub fn instances(
        &self,
        signature: &Signature,
        store: &TermStore,
        agents: &[TermId],
    ) -> Vec<Vec<TermId>> {
        let mut found: Vec<Vec<TermId>> = Vec::new();
        if !self.fixed {
            let chosen = self.assignments(signature, agents).into_iter();
            found.extend(chosen.map(|chosen| self.filled(store, &chosen)));
        }
        if self.fixed || self.singular {
            found.push(self.args.clone());
        }
        found
    }

    fn assignments(&self, signature: &Signature, agents: &[TermId]) -> Vec<Vec<TermId>> {
        let mut found: Vec<Vec<TermId>> = vec![Vec::new()];
        let all = self.values.iter().zip(&self.open);
        let written: Vec<(TermId, Type)> = all.filter_map(|(t, o)| o.map(|ty| (*t, ty))).collect();
        for (here, ty) in &written {
            found = (found.into_iter())
                .flat_map(|chosen| {
                    let fits = |agent: &TermId| {
                        let mut before = chosen.iter().zip(&written);
                        before.all(|(other, (there, _))| other != agent || there == here)
                            && signature.may_play(*agent, *ty)
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
        let place = |(t, open): (&TermId, &Option<Type>)| {
            let agent = open.and_then(|_| next.next());
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
