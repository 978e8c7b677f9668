//! What the attacker is after: a claim compiled against one unfolded system.
//!
//! Every goal is stated as something to be *reached*; whether reaching it is bad news (an attack) or good news
//! (`reachable`) is decided by the pipeline.

use crate::process::{
    ClaimKind, EventId, EventPattern, InstanceId, SecrecyTarget, Strength, System,
};
use crate::term::{TermId, TermStore, View, ranges};

/// A term to be derived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The term, ground.
    pub term: TermId,
    /// Which target of the claim it is an instance of.
    pub target: usize,
    /// The copies that stand for the target's restricted names.
    pub names: Vec<TermId>,
    /// Restricted names in it whose makers are known only at run time: they count once the maker turns out honest.
    pub pending: Vec<TermId>,
}

/// An event with patterns over the goal's own variables.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Which event.
    pub event: EventId,
    /// Patterns of its arguments.
    pub args: Vec<TermId>,
}

/// What to reach.
#[derive(Clone, Debug)]
pub enum Goal {
    /// One of the secrets is derivable.
    Leak(Vec<Secret>),
    /// The term is derivable after an event of an honest instance.
    LeakAfter {
        /// The term, over the pattern's variables.
        term: TermId,
        /// The event.
        event: Pattern,
        /// Events that excuse it if they came before.
        unless: Vec<Pattern>,
    },
    /// An `after` event of an honest instance without its own `before` event.
    Disagreement {
        /// The event that must be preceded.
        after: Pattern,
        /// The event that must precede.
        before: Pattern,
        /// Distinct earlier events are required.
        injective: bool,
        /// Events that excuse it if they came before.
        unless: Vec<Pattern>,
    },
    /// The event happens.
    Event(Pattern),
    /// The channel and one of the messages are derivable.
    Send {
        /// The channel.
        channel: TermId,
        /// The messages.
        messages: Vec<Secret>,
    },
    /// Every thread of the instance has come to its end.
    Finish(InstanceId),
}

/// How the search treats an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Watch {
    /// It changes nothing.
    Ignore,
    /// It may reach the goal: take it as early as possible.
    Early,
    /// It may prevent the goal: its timing is the attacker's choice [Sem 4.1].
    Late,
}

impl Goal {
    /// Compiles a reachability claim; `None` for claims that compare systems.
    pub fn new(store: &TermStore, system: &System, claim: &ClaimKind) -> Option<Goal> {
        Some(match claim {
            ClaimKind::Secrecy { targets, .. } => Goal::Leak(
                targets
                    .iter()
                    .enumerate()
                    .flat_map(|(i, t)| secrets(store, system, i, t))
                    .collect(),
            ),
            ClaimKind::SecrecyAfter {
                term,
                event,
                unless,
                ..
            } => Goal::LeakAfter {
                term: own(store, *term),
                event: pattern(store, event),
                unless: unless.iter().map(|e| pattern(store, e)).collect(),
            },
            ClaimKind::Agreement {
                strength,
                after,
                before,
                unless,
                ..
            } => Goal::Disagreement {
                after: pattern(store, after),
                before: pattern(store, before),
                injective: *strength == Strength::Injective,
                unless: unless.iter().map(|e| pattern(store, e)).collect(),
            },
            ClaimKind::Reachable { event, .. } => Goal::Event(pattern(store, event)),
            ClaimKind::Unsendable {
                channel, target, ..
            } => Goal::Send {
                channel: *channel,
                messages: secrets(store, system, 0, target),
            },
            ClaimKind::StrongSecrecy { .. }
            | ClaimKind::Equivalence(..)
            | ClaimKind::Preorder(..) => return None,
        })
    }

    /// The event of a role instance of honest agents: it disagrees with what never happens.
    pub fn honest_event(store: &TermStore, event: &EventPattern) -> Goal {
        Goal::Disagreement {
            after: pattern(store, event),
            before: Pattern {
                event: EventId::NEVER,
                args: Vec::new(),
            },
            injective: false,
            unless: Vec::new(),
        }
    }

    /// The events that excuse what comes after them.
    pub(super) fn unless(&self) -> &[Pattern] {
        match self {
            Goal::LeakAfter { unless, .. } | Goal::Disagreement { unless, .. } => unless,
            _ => &[],
        }
    }

    /// How an event is treated.
    pub(super) fn watch(&self, event: EventId) -> Watch {
        if self.unless().iter().any(|p| p.event == event) {
            return Watch::Late;
        }
        match self {
            Goal::Disagreement { before, .. } if before.event == event => Watch::Late,
            Goal::Disagreement { after, .. } if after.event == event => Watch::Early,
            Goal::LeakAfter { event: p, .. } | Goal::Event(p) if p.event == event => Watch::Early,
            Goal::Leak(secrets)
            | Goal::Send {
                messages: secrets, ..
            } if event == EventId::CREATED && secrets.iter().any(|s| !s.pending.is_empty()) => {
                Watch::Early
            }
            _ => Watch::Ignore,
        }
    }

    /// The terms to be derived, for goals that have some.
    pub(super) fn secrets(&self) -> &[Secret] {
        match self {
            Goal::Leak(s) | Goal::Send { messages: s, .. } => s,
            _ => &[],
        }
    }
}

fn own(store: &TermStore, t: TermId) -> TermId {
    store.map_atoms(t, &mut |atom| match store.view(atom) {
        View::Var(v) => Some(store.var(ranges::CLAIMS.start + v)),
        _ => None,
    })
}

fn pattern(store: &TermStore, event: &EventPattern) -> Pattern {
    Pattern {
        event: event.event,
        args: event.args.iter().map(|t| own(store, *t)).collect(),
    }
}

/// All instances of a target: one for each choice of copies made by honest instances.
fn secrets(
    store: &TermStore,
    system: &System,
    number: usize,
    target: &SecrecyTarget,
) -> Vec<Secret> {
    let mut found = vec![Secret {
        term: target.term,
        target: number,
        names: Vec::new(),
        pending: Vec::new(),
    }];
    for name in &target.names {
        let copies: Vec<_> = system
            .names
            .iter()
            .filter(|o| name.sites.contains(&o.site))
            .filter(|o| {
                name.instance.as_ref().is_none_or(|(def, args)| {
                    // The maker, or an instance that it belongs to or continues.
                    let mut at = Some(o.instance);
                    std::iter::from_fn(|| {
                        let instance = system.instance(at?);
                        at = instance.parent;
                        Some(instance)
                    })
                    .any(|i| i.def == Some(*def) && i.args == *args)
                })
            })
            .filter_map(|o| {
                // A picked instance counts whoever its agents are: the user asked for it by name.
                let honest = if name.instance.is_some() {
                    Some(true)
                } else {
                    system.is_honest(store, o.instance)
                };
                (honest != Some(false)).then_some((o.term, honest.is_none()))
            })
            .collect();
        let var = store.var(name.var);
        found = found
            .into_iter()
            .flat_map(|secret| {
                copies.iter().map(move |(copy, pending)| {
                    let mut secret = secret.clone();
                    secret.term =
                        store.map_atoms(secret.term, &mut |atom| (atom == var).then_some(*copy));
                    secret.names.push(*copy);
                    if *pending {
                        secret.pending.push(*copy);
                    }
                    secret
                })
            })
            .collect();
    }
    found
}
