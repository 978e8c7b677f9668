//! Assignments that differ by a renaming of honest agents: of these one stands for all.
//!
//! Only agents that nothing in the file tells apart are renamed. Left to others: what is assigned (`sessions`).

use super::template::{Call, Template};
use crate::process::{ClaimKind, Closed, Proc, ProcId, Program};
use crate::term::{TermId, TermStore};
use rustc_hash::FxHashMap;

/// Agents of which all orders are tried.
const ORDERED: usize = 5;

/// The honest agents that nothing tells apart: none is written in a definition, in a claim, in `knows`, in a part of the system that
/// is kept, or in a role instance where it stays. Any can take the place of any other in all role instances.
pub(super) fn free(
    program: &Program,
    store: &TermStore,
    closed: &Closed,
    templates: &[Template],
) -> Vec<TermId> {
    let agents = &program.signature.agents;
    let mut written: Vec<TermId> = Vec::new();
    let mut note = |t: TermId| {
        store.visit(t, &mut |s| {
            if agents.contains(&s) && !written.contains(&s) {
                written.push(s);
            }
            true
        });
    };
    closed.args.iter().for_each(|t| note(*t));
    for template in templates {
        template.constants(store, &mut note);
    }
    for (i, proc) in (0u32..).zip(&program.procs) {
        match proc {
            Proc::Output {
                channel, message, ..
            } => {
                note(*channel);
                note(*message);
            }
            Proc::Input { channel, .. } => note(*channel),
            Proc::Test(test, ..) => test.equations.iter().for_each(|(a, b)| {
                note(*a);
                note(*b);
            }),
            Proc::Event { args, .. } => args.iter().for_each(|t| note(*t)),
            // The arguments of the instances at the top are what is varied.
            Proc::Call { args, .. } if !templates.iter().any(|t| t.proc == ProcId(i)) => {
                for t in args {
                    note(*t);
                }
            }
            Proc::Call { .. }
            | Proc::Nil
            | Proc::Par(_)
            | Proc::New(..)
            | Proc::Replicate { .. } => {}
        }
    }
    program.signature.knows.iter().for_each(|t| note(*t));
    for claim in &program.claims {
        match &claim.kind {
            ClaimKind::Secrecy { targets, .. } => targets.iter().for_each(|t| {
                note(t.term);
                t.names
                    .iter()
                    .flat_map(|n| &n.instance)
                    .for_each(|(_, args)| {
                        for a in args {
                            note(*a);
                        }
                    });
            }),
            ClaimKind::SecrecyAfter { term, event, .. } => {
                note(*term);
                event.args.iter().for_each(|t| note(*t));
            }
            ClaimKind::Reachable { event, .. } => event.args.iter().for_each(|t| note(*t)),
            ClaimKind::Agreement { after, before, .. } => {
                after.args.iter().chain(&before.args).for_each(|t| note(*t));
            }
            ClaimKind::Unsendable {
                channel, target, ..
            } => {
                note(*channel);
                note(target.term);
                for (_, args) in target.names.iter().flat_map(|n| &n.instance) {
                    for a in args {
                        note(*a);
                    }
                }
            }
            _ => {}
        }
    }
    agents
        .iter()
        .copied()
        .filter(|a| !written.contains(a))
        .collect()
}

/// Renamings of agents that nothing tells apart, and what becomes of the choices.
pub(super) struct Renamings {
    /// For each order of the first agents, what each choice becomes.
    images: Vec<(usize, Vec<Option<usize>>)>,
    /// For each choice the numbers of such agents in it.
    mentioned: Vec<Vec<usize>>,
    /// Whether there are more agents than orders are tried of.
    many: bool,
}

impl Renamings {
    pub fn new(store: &TermStore, choices: &[Call], free: &[TermId]) -> Self {
        let numbers: FxHashMap<&Call, usize> = choices.iter().zip(0..).collect();
        let many = free.len() > ORDERED;
        let sizes = if many {
            2..=ORDERED
        } else {
            free.len()..=free.len()
        };
        let images = sizes.flat_map(|size| {
            let orders = permutations(&free[..size]);
            let numbers = &numbers;
            orders
                .into_iter()
                .map(move |order| (size, images(store, choices, numbers, &order)))
        });
        let mentions = |call: &Call| {
            let mut found = Vec::new();
            for arg in &call.1 {
                store.visit(*arg, &mut |s| {
                    found.extend(free.iter().position(|a| *a == s));
                    true
                });
            }
            found
        };
        Self {
            images: images.collect(),
            mentioned: choices.iter().map(mentions).collect(),
            many,
        }
    }

    /// Of choices that differ by a renaming of agents one stands for all. With many agents those that take part are the first, and
    /// only renamings among them are looked at, of which the least is taken; with few the least of all.
    pub fn stands_for_all(&self, chosen: &[usize], other: &mut Vec<usize>) -> bool {
        let mut part = 0;
        if self.many {
            let mut agents: Vec<usize> = chosen
                .iter()
                .flat_map(|i| self.mentioned[*i].iter().copied())
                .collect();
            agents.sort_unstable();
            agents.dedup();
            part = agents.len();
            if agents.last().is_some_and(|last| *last >= part) {
                return false;
            }
        }
        let part = part.min(ORDERED);
        let mut orders = self.images.iter();
        orders.all(|(size, images)| {
            self.many && *size != part || !renamed(images, chosen, other) || **other >= *chosen
        })
    }
}

fn permutations(items: &[TermId]) -> Vec<Vec<(TermId, TermId)>> {
    let mut orders: Vec<Vec<TermId>> = vec![Vec::new()];
    for _ in items {
        orders = orders
            .into_iter()
            .flat_map(|order| {
                items
                    .iter()
                    .copied()
                    .filter(|x| !order.contains(x))
                    .map(|x| order.iter().copied().chain([x]).collect())
                    .collect::<Vec<_>>()
            })
            .collect();
    }
    orders
        .into_iter()
        .map(|o| items.iter().copied().zip(o).collect())
        .collect()
}

/// What each choice becomes when agents are renamed; `None` if it leaves the list.
fn images(
    store: &TermStore,
    choices: &[Call],
    numbers: &FxHashMap<&Call, usize>,
    swap: &[(TermId, TermId)],
) -> Vec<Option<usize>> {
    let image = |t: TermId| {
        store.map_atoms(t, &mut |a| {
            swap.iter().find(|(x, _)| *x == a).map(|(_, y)| *y)
        })
    };
    choices
        .iter()
        .map(|(def, args)| {
            let args: Vec<TermId> = args.iter().map(|a| image(*a)).collect();
            numbers.get(&(*def, args)).copied()
        })
        .collect()
}

/// The choices with agents renamed, as a sorted multiset in `out`; `false` if one leaves the list.
fn renamed(images: &[Option<usize>], chosen: &[usize], out: &mut Vec<usize>) -> bool {
    out.clear();
    out.extend(chosen.iter().map_while(|i| images[*i]));
    out.sort_unstable();
    out.len() == chosen.len()
}
