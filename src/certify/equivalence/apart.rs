//! Systems that are others but for channels: what role by role compares [Sem 5.7].

use super::tree::is_public;
use crate::process::{Action, System};
use crate::term::{TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// Whether systems are the given ones with other channels, each new one in the place of one old one, the same on both sides. New channels occur in no message.
pub fn is_apart(store: &TermStore, systems: [&System; 2], apart: [&System; 2]) -> bool {
    let mut old: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut said: Vec<TermId> = Vec::new();
    for (system, other) in systems.into_iter().zip(apart) {
        if system.root != other.root || system.steps.len() != other.steps.len() {
            return false;
        }
        for (a, b) in system.steps.iter().zip(&other.steps) {
            let stands_for = |old: &mut FxHashMap<TermId, TermId>, c: TermId, d: TermId| {
                let public = is_public(store, c) && is_public(store, d);
                public && *old.entry(d).or_insert(c) == c
            };
            let same = match (&a.action, &b.action) {
                (
                    Action::Output {
                        channel: c,
                        message: m,
                        next: n,
                    },
                    Action::Output {
                        channel: d,
                        message: o,
                        next: p,
                    },
                ) => {
                    said.push(*m);
                    m == o && n == p && stands_for(&mut old, *c, *d)
                }
                (
                    Action::Input {
                        channel: c,
                        binder: m,
                        next: n,
                    },
                    Action::Input {
                        channel: d,
                        binder: o,
                        next: p,
                    },
                ) => m == o && n == p && stands_for(&mut old, *c, *d),
                (
                    Action::Test {
                        test: t,
                        then: n,
                        otherwise: p,
                    },
                    Action::Test {
                        test: u,
                        then: o,
                        otherwise: q,
                    },
                ) => {
                    said.extend(t.equations.iter().flat_map(|(a, b)| [*a, *b]));
                    t.equations == u.equations && t.binds == u.binds && n == o && p == q
                }
                (Action::Fork(a), Action::Fork(b)) => a == b,
                (Action::Nil, Action::Nil) => true,
                (Action::Event { next: a, .. }, Action::Event { next: b, .. }) => a == b,
                _ => false,
            };
            if !same {
                return false;
            }
        }
    }
    let mut fresh = true;
    for t in said {
        store.visit(t, &mut |s| {
            fresh &= !matches!(store.view(s), View::Name(_)) || !old.contains_key(&s);
            true
        });
    }
    fresh
}
