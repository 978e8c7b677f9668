//! The secret keys that role instances use, and whom they belong to.

use super::company::Company;
use crate::process::{Action, DefId, InstanceId, Proc, ProcId, Program};
use crate::term::{FamilyId, FamilyKind, TermId, TermStore, View};

/// A secret key of a family.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    /// The family.
    pub family: FamilyId,
    /// The private part of a key pair; otherwise a symmetric key.
    pub private: bool,
    /// Whom it belongs to: nobody in particular, if the family has no parameters.
    pub owners: Vec<TermId>,
}

impl Key {
    /// Whether it belongs to somebody.
    pub fn is_of_agents(&self) -> bool {
        !self.owners.is_empty()
    }
}

/// The secret keys that an instance uses: private parts of key pairs, symmetric keys of agents.
///
/// Only what is written counts, not what a variable or an argument stands for: who forwards a ticket does not have
/// its key. A key that is an argument is one that the instance has.
pub(super) fn held(company: &Company<'_>, role: InstanceId) -> Vec<Key> {
    let store = company.store;
    let mut found = Vec::new();
    let given: Vec<TermId> = company
        .system
        .instance(role)
        .args
        .iter()
        .copied()
        .filter(|a| {
            let view = store.view(*a);
            !matches!(view, View::Family(..) | View::Pub(_) | View::Priv(_))
        })
        .collect();
    // Arguments are in the terms already: what was handed in as a whole is left out as a whole.
    let sealing = |t: TermId, found: &mut Vec<Key>| sealing(store, t, &given, found);
    for step in company.steps(role) {
        match &step.action {
            Action::Output {
                channel, message, ..
            } => {
                sealing(*channel, &mut found);
                sealing(*message, &mut found);
            }
            Action::Input { channel, .. } => sealing(*channel, &mut found),
            Action::Test { test, .. } => {
                for (subject, pattern) in &test.equations {
                    sealing(*subject, &mut found);
                    opening(store, *pattern, &given, &mut found);
                }
            }
            _ => {}
        }
    }
    // A key of somebody that the run has told it of is a partner's.
    let told = company.variables(role);
    let is_told =
        |t: &TermId| matches!(store.view(*t), View::Var(v) if told.binary_search(&v).is_ok());
    let mut keys: Vec<Key> = Vec::new();
    for mut key in found {
        if key.is_of_agents() && key.owners.iter().all(is_told) {
            continue;
        }
        for owner in &mut key.owners {
            *owner = company.values.of(store, *owner);
        }
        let is_agent = |t: &TermId| matches!(store.view(*t), View::Var(_)) || company.is_agent(*t);
        if key.owners.iter().all(is_agent) && !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
}

/// The keys among the arguments of an instance.
pub(super) fn handed(company: &Company<'_>, role: InstanceId) -> Vec<Key> {
    let store = company.store;
    let args = &company.system.instance(role).args;
    let mut found: Vec<Key> = args
        .iter()
        .filter_map(|arg| match store.view(*arg) {
            View::Priv(pair) => member(store, pair, FamilyKind::KeyPair),
            _ => member(store, *arg, FamilyKind::Symmetric)
                .or_else(|| member(store, *arg, FamilyKind::KeyPair)),
        })
        .collect();
    for owner in found.iter_mut().flat_map(|key| &mut key.owners) {
        *owner = company.values.of(store, *owner);
    }
    found
}

/// Whether a symmetric family is a matter between two definitions, of which one is given: wherever that is in a system, it
/// and one other use it. Systems that `--sessions` makes may have fewer roles than those of the file, which count.
pub(super) fn are_two(store: &TermStore, program: &Program, def: DefId, family: FamilyId) -> bool {
    let count = |root: ProcId| {
        let mut users: Vec<DefId> = Vec::new();
        let mut seen: Vec<DefId> = Vec::new();
        let mut todo = vec![(None, root)];
        while let Some((within, p)) = todo.pop() {
            let proc = program.proc(p);
            if let Proc::Call { def, args, .. } = proc {
                users.extend(
                    args.iter()
                        .any(|a| mentions(store, *a, family))
                        .then_some(*def),
                );
                if !seen.contains(def) {
                    seen.push(*def);
                    todo.push((Some(*def), program.definitions[def.index()].body.root));
                }
            }
            let (terms, next) = parts(proc);
            let uses = terms.into_iter().any(|t| mentions(store, t, family));
            users.extend(within.filter(|_| uses));
            todo.extend(next.into_iter().map(|p| (within, p)));
        }
        users.sort_unstable();
        users.dedup();
        (seen.contains(&def), users.len())
    };
    let counts = program.systems.iter().map(|s| count(s.body.root));
    counts.filter(|(has, _)| *has).map(|(_, n)| n).max() == Some(2)
}

fn mentions(store: &TermStore, term: TermId, family: FamilyId) -> bool {
    let mut found = false;
    store.visit(term, &mut |t| {
        found |= matches!(store.view(t), View::Family(f, _) if f == family);
        !found
    });
    found
}

/// The terms of a process that are sent, used as channels or compared, and what follows.
fn parts(proc: &Proc) -> (Vec<TermId>, Vec<ProcId>) {
    match proc {
        Proc::Nil | Proc::Call { .. } => (Vec::new(), Vec::new()),
        Proc::Par(parts) => (Vec::new(), parts.clone()),
        Proc::New(_, then)
        | Proc::Event { then, .. }
        | Proc::Phase { then, .. }
        | Proc::Replicate { body: then, .. } => (Vec::new(), vec![*then]),
        Proc::Output {
            channel,
            message,
            then,
            ..
        } => (vec![*channel, *message], vec![*then]),
        Proc::Input { channel, then, .. } => (vec![*channel], vec![*then]),
        Proc::Test(test, then, otherwise) => {
            let sides = test.equations.iter().flat_map(|(s, t)| [*s, *t]);
            (sides.collect(), vec![*then, *otherwise])
        }
    }
}

/// The keys that are needed to build a term from what is given.
fn sealing(store: &TermStore, term: TermId, given: &[TermId], found: &mut Vec<Key>) {
    store.visit(term, &mut |t| {
        if given.contains(&t) {
            return false;
        }
        match store.view(t) {
            // The public part is everybody's.
            View::Pub(_) => return false,
            View::Priv(k) => {
                found.extend(member(store, k, FamilyKind::KeyPair));
                return false;
            }
            _ => found.extend(member(store, t, FamilyKind::Symmetric)),
        }
        true
    });
}

/// The keys that are needed to match a pattern: the same, but a public-key encryption needs the private
/// part and a signature the public one.
fn opening(store: &TermStore, pattern: TermId, given: &[TermId], found: &mut Vec<Key>) {
    match store.view(pattern) {
        View::Aenc(m, k) => {
            if let View::Pub(pair) = store.view(k) {
                found.extend(member(store, pair, FamilyKind::KeyPair));
            }
            opening(store, m, given, found);
        }
        View::Sign(m, _) | View::Suc(m) => opening(store, m, given, found),
        View::Senc(m, k) => {
            sealing(store, k, given, found);
            opening(store, m, given, found);
        }
        View::Tuple(parts) => parts.iter().for_each(|p| opening(store, *p, given, found)),
        _ => sealing(store, pattern, given, found),
    }
}

/// A member of a family as a key.
fn member(store: &TermStore, member: TermId, kind: FamilyKind) -> Option<Key> {
    match store.view(member) {
        View::Family(family, owners) if store.family_info(family).kind == kind => Some(Key {
            family,
            private: kind == FamilyKind::KeyPair,
            owners: owners.to_vec(),
        }),
        _ => None,
    }
}
