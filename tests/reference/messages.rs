//! The messages that a bounded attacker tries: atoms, everything it has taken apart, one constructor on top of these,
//! and instances of the terms that the system itself mentions.

use spi::certify::Deduction;
use spi::process::{Action, System};
use spi::term::{NameClass, Op, TermId, TermStore, View};
use std::collections::HashSet;

/// How many messages are tried.
#[derive(Clone, Copy, Debug)]
pub struct Width {
    /// Names of the attacker's own.
    pub own: u32,
    /// Largest number of messages for one input.
    pub messages: usize,
    /// Largest size of a message, in nodes.
    pub size: u32,
}

/// What the systems mention: the raw material of candidate messages.
#[derive(Clone, Debug)]
pub struct Vocabulary {
    /// Public names, 0 and the attacker's own names.
    pub atoms: Vec<TermId>,
    /// The composed terms of outputs, tests and events, with their variables.
    pub shapes: Vec<TermId>,
    /// The constructors that occur.
    pub ops: Vec<Op>,
}

/// All terms of a system's steps.
fn terms(system: &System) -> Vec<TermId> {
    let mut found = Vec::new();
    for step in &system.steps {
        match &step.action {
            Action::Nil | Action::Fork(_) | Action::Phase { .. } => {}
            Action::Output {
                channel, message, ..
            } => found.extend([*channel, *message]),
            Action::Input { channel, .. } => found.push(*channel),
            Action::Test { test, .. } => {
                found.extend(test.equations.iter().flat_map(|(a, b)| [*a, *b]));
            }
            Action::Event { args, .. } => found.extend(args),
        }
    }
    found
}

impl Vocabulary {
    pub fn new(store: &TermStore, systems: &[&System], extra: &[TermId], width: Width) -> Self {
        let mut all: Vec<TermId> = systems.iter().flat_map(|s| terms(s)).collect();
        all.extend(extra);
        let (mut atoms, mut shapes, mut ops) = (HashSet::new(), HashSet::new(), Vec::new());
        atoms.insert(store.zero());
        atoms.extend((1..=width.own).map(|i| store.name(NameClass::Attacker, "z", i)));
        for t in all {
            store.visit(t, &mut |s| {
                let node = store.node(s);
                match node.view() {
                    View::Name(n) if store.name_info(n).class.is_public() => {
                        atoms.insert(s);
                    }
                    View::Share(base, _) if !matches!(store.view(base), View::Name(_)) => {}
                    _ if !node.args.is_empty() => {
                        shapes.insert(s);
                        if node.op.is_constructor() && !ops.contains(&node.op) {
                            ops.push(node.op);
                        }
                    }
                    _ => {}
                }
                true
            });
        }
        let sorted = |set: HashSet<TermId>| {
            let mut list: Vec<TermId> = set.into_iter().collect();
            store.sort(&mut list);
            list
        };
        Self {
            atoms: sorted(atoms),
            shapes: sorted(shapes),
            ops,
        }
    }

    /// Derivable messages, at most as many as the width allows.
    pub fn candidates(
        &self,
        store: &TermStore,
        knowledge: &Deduction<'_>,
        width: Width,
    ) -> Vec<TermId> {
        let mut base: Vec<TermId> = self.atoms.clone();
        for fact in knowledge.facts() {
            if !base.contains(&fact) {
                base.push(fact);
            }
        }
        // What was learned comes first, then what the system mentions, then everything else.
        let mut tiers: [HashSet<TermId>; 4] = std::array::from_fn(|_| HashSet::new());
        tiers[0].extend(&base);
        for shape in &self.shapes {
            if store.is_ground(*shape) {
                tiers[1].insert(*shape);
            }
            instances(store, *shape, &base, 400, &mut |t| {
                tiers[2].insert(t);
            });
        }
        for op in &self.ops {
            let unary = matches!(op, Op::Suc | Op::Hash | Op::Pub | Op::Priv);
            for x in &base {
                if unary {
                    tiers[3].insert(store.make(*op, [*x].into_iter().collect()));
                    continue;
                }
                let is_base = |t: TermId| store.groups().any(|(base, _)| base == t);
                let is_share = |t: TermId| matches!(store.view(t), View::Share(..));
                if (*op == Op::Share && !is_base(*x)) || (*op == Op::Joint && !is_share(*x)) {
                    continue;
                }
                for y in &base {
                    tiers[3].insert(store.make(*op, [*x, *y].into_iter().collect()));
                }
            }
        }
        let mut chosen: Vec<TermId> = Vec::new();
        for tier in tiers {
            let mut list: Vec<TermId> = tier
                .into_iter()
                .filter(|t| store.facts(*t).size <= width.size && !chosen.contains(t))
                .collect();
            store.sort(&mut list);
            list.retain(|t| knowledge.derivable(*t));
            let room = width.messages - chosen.len();
            if room == 0 {
                break;
            }
            let stride = list.len().div_ceil(room).max(1);
            chosen.extend(list.into_iter().step_by(stride).take(room));
        }
        chosen
    }
}

/// The instances of a term with its variables replaced by base terms, at most `limit`.
fn instances(
    store: &TermStore,
    shape: TermId,
    base: &[TermId],
    limit: usize,
    found: &mut impl FnMut(TermId),
) {
    let mut vars = Vec::new();
    store.visit(shape, &mut |s| {
        if let View::Var(_) = store.view(s)
            && !vars.contains(&s)
        {
            vars.push(s);
        }
        true
    });
    let mut choice = vec![0; vars.len()];
    for _ in 0..limit {
        let mut image = |a| vars.iter().position(|v| *v == a).map(|i| base[choice[i]]);
        found(store.map_atoms(shape, &mut image));
        let Some(i) = choice.iter().position(|c| c + 1 < base.len()) else {
            return;
        };
        choice[i] += 1;
        choice[..i].fill(0);
    }
}
