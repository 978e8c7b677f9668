//! Assignments that differ by a renaming of honest agents: of these one stands for all.
//!
//! Only agents that nothing in the file tells apart are renamed. Left to others: what is assigned (`sessions`).

use super::template::{Call, Template};
use crate::process::{ClaimKind, Closed, Proc, ProcId, Program, SortId};
use crate::term::{TermId, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};

/// Agents of which all orders are tried.
const ORDERED: usize = 5;

/// Renamings of few agents, of all sorts together, that are tried.
const TRIED: usize = 120;

/// The honest agents that nothing tells apart, in classes: those of one class are of the same sorts, and none is written in a definition, in a
/// claim, in `knows`, in a rule, in a part of the system that is kept, or in a role instance where it stays. Any can take the place of any
/// other of its class in all role instances.
pub(super) fn alike(
    program: &Program,
    store: &TermStore,
    closed: &Closed,
    templates: &[Template],
) -> Vec<Vec<TermId>> {
    let agents = &program.signature.agents;
    let honest: FxHashSet<TermId> = agents.iter().copied().collect();
    let varied: FxHashSet<ProcId> = templates.iter().map(|t| t.proc).collect();
    let mut written: FxHashSet<TermId> = FxHashSet::default();
    let mut note = |t: TermId| {
        store.visit(t, &mut |s| {
            if honest.contains(&s) {
                written.insert(s);
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
            Proc::Call { args, .. } if !varied.contains(&ProcId(i)) => {
                for t in args {
                    note(*t);
                }
            }
            Proc::Call { .. }
            | Proc::Nil
            | Proc::Par(_)
            | Proc::New(..)
            | Proc::Phase { .. }
            | Proc::Replicate { .. } => {}
        }
    }
    program.signature.knows.iter().for_each(|t| note(*t));
    for rule in program.signature.destructors.iter().flat_map(|d| &d.rules) {
        rule.premises.iter().for_each(|t| note(*t));
        note(rule.result);
    }
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
            ClaimKind::SecrecyAfter {
                term,
                event,
                unless,
                ..
            } => {
                note(*term);
                let excuses = unless.iter().flat_map(|e| &e.args);
                event.args.iter().chain(excuses).for_each(|t| note(*t));
            }
            ClaimKind::Reachable { event, .. } => event.args.iter().for_each(|t| note(*t)),
            ClaimKind::Agreement {
                after,
                before,
                unless,
                ..
            } => {
                let excuses = unless.iter().flat_map(|e| &e.args);
                let asked = after.args.iter().chain(&before.args);
                asked.chain(excuses).for_each(|t| note(*t));
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
    let mut classes: Vec<(Vec<SortId>, Vec<TermId>)> = Vec::new();
    for agent in agents.iter().filter(|a| !written.contains(a)) {
        let sorts = program.signature.sorts_of(*agent);
        match classes.iter_mut().find(|(s, _)| *s == sorts) {
            Some((_, class)) => class.push(*agent),
            None => classes.push((sorts, vec![*agent])),
        }
    }
    classes.into_iter().map(|(_, class)| class).collect()
}

/// What each choice becomes when agents are renamed; `None` if it leaves the list.
type Images = Vec<Option<usize>>;

/// A renaming: agents and what they become.
type Renaming = Vec<(TermId, TermId)>;

/// Renamings of agents that nothing tells apart, and what becomes of the choices.
pub(super) struct Renamings {
    /// Of classes with few agents all orders.
    images: Vec<Images>,
    /// Classes with more agents than orders are tried of.
    crowds: Vec<Crowd>,
}

/// A class of many agents.
struct Crowd {
    /// For each order of the first agents, what each choice becomes.
    images: Vec<(usize, Images)>,
    /// For each choice the numbers of such agents in it.
    mentioned: Vec<Vec<usize>>,
}

impl Renamings {
    pub(super) fn new(store: &TermStore, choices: &[Call], classes: &[Vec<TermId>]) -> Self {
        let numbers: FxHashMap<&Call, usize> = choices.iter().zip(0..).collect();
        let (crowds, few): (Vec<_>, Vec<_>) = classes.iter().partition(|c| c.len() > ORDERED);
        let image = |renaming: &Renaming| images(store, choices, &numbers, renaming);
        let crowd = |class: &Vec<TermId>| Crowd {
            images: (2..=ORDERED)
                .flat_map(|size| {
                    let orders = permutations(&class[..size]);
                    let images = orders.iter().map(|order| (size, image(order)));
                    images.collect::<Vec<_>>()
                })
                .collect(),
            mentioned: (choices.iter())
                .map(|call| mentioned(store, call, class))
                .collect(),
        };
        Self {
            images: together(&few).iter().map(image).collect(),
            crowds: crowds.into_iter().map(crowd).collect(),
        }
    }

    /// Of choices that differ by a renaming of agents one stands for all: the least, among those in which the first of each crowd take
    /// part. The least is no greater than any renaming of it, so it is kept whichever are looked at.
    pub(super) fn stands_for_all(&self, chosen: &[usize], other: &mut Vec<usize>) -> bool {
        let least = |images: &Images, other: &mut Vec<usize>| {
            !renamed(images, chosen, other) || **other >= *chosen
        };
        self.images.iter().all(|images| least(images, other))
            && self.crowds.iter().all(|crowd| {
                let mut agents: Vec<usize> = chosen
                    .iter()
                    .flat_map(|i| crowd.mentioned[*i].iter().copied())
                    .collect();
                agents.sort_unstable();
                agents.dedup();
                let part = agents.len();
                if agents.last().is_some_and(|last| *last >= part) {
                    return false;
                }
                let part = part.min(ORDERED);
                let mut orders = crowd.images.iter().filter(|(size, _)| *size == part);
                orders.all(|(_, images)| least(images, other))
            })
    }
}

/// The numbers of the agents of a class that a choice mentions.
fn mentioned(store: &TermStore, call: &Call, class: &[TermId]) -> Vec<usize> {
    let mut found = Vec::new();
    for arg in &call.1 {
        store.visit(*arg, &mut |s| {
            found.extend(class.iter().position(|a| *a == s));
            true
        });
    }
    found
}

/// All orders of each class, those of several classes together as long as they are not too many.
fn together(classes: &[&Vec<TermId>]) -> Vec<Renaming> {
    let mut all: Vec<Renaming> = Vec::new();
    let mut product: Vec<Renaming> = vec![Vec::new()];
    for class in classes {
        let own = permutations(class);
        if product.len() * own.len() > TRIED {
            all.append(&mut product);
            product = own;
            continue;
        }
        product = (product.iter())
            .flat_map(|done| own.iter().map(|more| [done.as_slice(), more].concat()))
            .collect();
    }
    all.append(&mut product);
    all
}

fn permutations(items: &[TermId]) -> Vec<Renaming> {
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

fn images(
    store: &TermStore,
    choices: &[Call],
    numbers: &FxHashMap<&Call, usize>,
    swap: &[(TermId, TermId)],
) -> Images {
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
