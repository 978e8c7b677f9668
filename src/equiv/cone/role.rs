//! The threads of two simple systems as straight roles, and which of them are interchangeable.
//!
//! A role is what a thread does on its channel, action by action, with the equations that must hold before each action.
//! Only threads that stop when a test fails are roles: a thread that goes on otherwise is left to the joint exploration.

use super::super::compress::are_simple;
use super::super::template::{Act, Follower, TemplateId, Templates, Values};
use crate::knowledge::is_constant;
use crate::process::{Action, System};
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most threads and actions of a thread that are numbered.
const MOST: usize = 1 << 15;

/// What a thread does with its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Input,
    Output,
}

/// An action of a role.
#[derive(Clone, Debug)]
pub struct Stage {
    /// What it is.
    pub kind: Kind,
    /// The variable that takes the message, or the message.
    pub term: TermId,
    /// The equations that must hold before it.
    pub tests: Vec<(TermId, TermId)>,
}

/// What a thread does; its variables are numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Role {
    /// The actions in order.
    pub stages: Vec<Stage>,
    /// Number of variables.
    pub vars: u32,
}

/// The threads of one channel, one of each side.
#[derive(Clone, Debug)]
pub struct Thread {
    /// The channel.
    pub channel: TermId,
    /// What they do; a side without a thread does nothing.
    pub roles: [Role; 2],
    /// The names that occur in no other thread, in corresponding order within a class: of the left, of the right side.
    pub own: [Vec<TermId>; 2],
    /// The class of interchangeable threads.
    pub class: usize,
}

/// All threads of both sides.
#[derive(Clone, Debug)]
pub struct Cast {
    /// By number.
    pub threads: Vec<Thread>,
    /// The numbers of the threads of each class.
    pub classes: Vec<Vec<u16>>,
}

/// A thread of one side, before it meets the other's.
struct Half {
    template: TemplateId,
    values: Values,
    role: Role,
}

impl Cast {
    /// The threads of two systems; `None` unless both are simple and all their tests stop the thread when they fail.
    pub fn new(
        store: &TermStore,
        left: &System,
        right: &System,
        knows: &[TermId],
        symmetry: bool,
    ) -> Option<Self> {
        if !are_simple(store, &Templates::new(store, left, right, &[])) {
            return None;
        }
        let mut channels: Vec<TermId> = Vec::new();
        for system in [left, right] {
            for step in &system.steps {
                if let Action::Output { channel, .. } | Action::Input { channel, .. } = step.action
                    && matches!(store.view(channel), View::Name(n) if store.name_info(n).class == NameClass::Public)
                    && !channels.contains(&channel)
                {
                    channels.push(channel);
                }
            }
        }
        let templates = Templates::new(store, left, right, &channels);
        let mut order: Vec<TermId> = Vec::new();
        let mut sides: [FxHashMap<TermId, Half>; 2] = Default::default();
        for (side, roots) in sides.iter_mut().zip(&templates.roots) {
            for (template, values) in roots {
                let (channel, role) = role(store, &templates, *template, values)?;
                // A thread without actions shows nothing.
                let Some(channel) = channel else { continue };
                if role.stages.len() >= MOST {
                    return None;
                }
                let half = Half {
                    template: *template,
                    values: values.clone(),
                    role,
                };
                if !order.contains(&channel) {
                    order.push(channel);
                }
                side.insert(channel, half);
            }
        }
        if order.len() >= MOST {
            return None;
        }
        Some(Self::assemble(store, &order, &sides, knows, symmetry))
    }

    fn assemble(
        store: &TermStore,
        order: &[TermId],
        sides: &[FxHashMap<TermId, Half>; 2],
        knows: &[TermId],
        symmetry: bool,
    ) -> Self {
        let shared = shared_atoms(store, sides, knows);
        let mut classes: Vec<Vec<u16>> = Vec::new();
        let mut index: FxHashMap<Vec<Option<(TemplateId, Vec<Masked>)>>, usize> =
            FxHashMap::default();
        let mut threads = Vec::with_capacity(order.len());
        for channel in order {
            let mut own = [Vec::new(), Vec::new()];
            let mut looks = Vec::new();
            for side in [0, 1] {
                looks.push(sides[side].get(channel).map(|half| {
                    let masked = half.values.iter();
                    let masked = masked.map(|v| mask(*v, &shared[side], &mut own[side]));
                    (half.template, masked.collect())
                }));
            }
            let new = classes.len();
            let class = if symmetry {
                *index.entry(looks).or_insert(new)
            } else {
                new
            };
            if class == new {
                classes.push(Vec::new());
            }
            classes[class].push(threads.len() as u16);
            threads.push(Thread {
                channel: *channel,
                roles: [0, 1].map(|side| {
                    let half = sides[side].get(channel);
                    half.map(|h| h.role.clone()).unwrap_or_default()
                }),
                own,
                class,
            });
        }
        Self { threads, classes }
    }
}

/// A value of a thread's parameter with its own names numbered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Masked {
    Own(usize),
    Shared(TermId),
}

fn mask(value: TermId, shared: &FxHashSet<TermId>, own: &mut Vec<TermId>) -> Masked {
    if shared.contains(&value) {
        return Masked::Shared(value);
    }
    let known = own.iter().position(|o| *o == value);
    Masked::Own(known.unwrap_or_else(|| {
        own.push(value);
        own.len() - 1
    }))
}

/// The values on either side that are not a thread's alone: those of more than one thread or of the initial knowledge, and
/// public names other than its channel.
fn shared_atoms(
    store: &TermStore,
    sides: &[FxHashMap<TermId, Half>; 2],
    knows: &[TermId],
) -> [FxHashSet<TermId>; 2] {
    let mut common = FxHashSet::default();
    for t in knows {
        store.visit(*t, &mut |s| {
            common.insert(s);
            true
        });
    }
    for (channel, half) in sides.iter().flatten() {
        let others = half.values.iter().filter(|v| *v != channel);
        common.extend(others.filter(|v| is_constant(store, **v)));
    }
    [0, 1].map(|side| {
        let mut once = FxHashSet::default();
        let mut shared = common.clone();
        for half in sides[side].values() {
            let mine: FxHashSet<TermId> = half.values.iter().copied().collect();
            shared.extend(mine.into_iter().filter(|v| !once.insert(*v)));
        }
        shared
    })
}

/// The channel and the role of a thread; `None` if it does something when a test fails.
fn role(
    store: &TermStore,
    templates: &Templates,
    root: TemplateId,
    values: &Values,
) -> Option<(Option<TermId>, Role)> {
    let mut role = Role::default();
    let mut channel = None;
    let mut tests = Vec::new();
    let mut at = Some((root, values.clone()));
    while let Some((template, values)) = at {
        match templates.act(template) {
            Act::Output {
                channel: c,
                message,
                next,
            } => {
                channel = Some(Templates::fill(store, *c, &values));
                role.stages.push(Stage {
                    kind: Kind::Output,
                    term: Templates::fill(store, *message, &values),
                    tests: std::mem::take(&mut tests),
                });
                at = follower(next, &values, &[])?;
            }
            Act::Input { channel: c, next } => {
                channel = Some(Templates::fill(store, *c, &values));
                let binder = store.var(role.vars);
                role.vars += 1;
                role.stages.push(Stage {
                    kind: Kind::Input,
                    term: binder,
                    tests: std::mem::take(&mut tests),
                });
                at = follower(next, &values, &[binder])?;
            }
            Act::Test {
                equations,
                binds,
                then,
                otherwise,
            } => {
                if !otherwise.is_empty() {
                    return None;
                }
                let bound: Vec<TermId> = (0..*binds).map(|i| store.var(role.vars + i)).collect();
                role.vars += binds;
                for (a, b) in equations {
                    let full = |t| fill_bound(store, Templates::fill(store, t, &values), &bound);
                    tests.push((full(*a), full(*b)));
                }
                at = follower(then, &values, &bound)?;
            }
        }
    }
    Some((channel, role))
}

/// The one thread that follows, if any; `None` if there are several.
#[allow(clippy::option_option)]
fn follower(
    next: &[Follower],
    values: &[TermId],
    bound: &[TermId],
) -> Option<Option<(TemplateId, Values)>> {
    match next {
        [] => Some(None),
        [one] => Some(Some((one.template, Templates::follow(one, values, bound)))),
        _ => None,
    }
}

fn fill_bound(store: &TermStore, t: TermId, bound: &[TermId]) -> TermId {
    let first = Templates::bound_var(0);
    store.map_atoms(t, &mut |atom| match store.view(atom) {
        View::Var(v) if v >= first => Some(bound[(v - first) as usize]),
        _ => None,
    })
}
