//! The threads of two simple systems as roles, and which of them are interchangeable.
//!
//! A role is what a thread does on its channel: a tree of actions, in which tests choose the branch.

use super::super::compress::are_simple;
use super::super::template::{Act, Follower, TemplateId, Templates, Values};
use crate::knowledge::is_constant;
use crate::process::{Action, System};
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most threads, and the most items of a role, that are looked at.
const MOST: usize = 2_000;

/// First number of a role's own variables.
pub const LOCAL: u32 = 1 << 24;

/// What a thread does with its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    Input,
    Output,
}

/// An action or test of a role.
#[derive(Clone, Debug)]
pub enum Item {
    /// Nothing more.
    Done,
    /// An action on the thread's channel.
    Act {
        /// What it is.
        kind: Kind,
        /// The variable that takes the message, or the message.
        term: TermId,
        /// The item that follows.
        next: u32,
    },
    /// A test.
    Test {
        /// The equations; their unbound variables are bound by it.
        equations: Vec<(TermId, TermId)>,
        /// The item that follows success.
        then: u32,
        /// The item that follows failure.
        otherwise: u32,
    },
}

/// What a thread does: a tree of items. Its variables are numbered from [`LOCAL`].
#[derive(Clone, Debug)]
pub struct Role {
    /// All items; the first is `Done`.
    pub items: Vec<Item>,
    /// For each action the one before it on the way.
    before: Vec<Option<u32>>,
    /// The item it begins with.
    pub root: u32,
    /// Number of variables.
    pub vars: u32,
}

impl Default for Role {
    fn default() -> Self {
        Self {
            items: vec![Item::Done],
            before: vec![None],
            root: 0,
            vars: 0,
        }
    }
}

impl Role {
    /// An item.
    pub fn item(&self, i: u32) -> &Item {
        &self.items[i as usize]
    }

    /// The action so many actions before this one.
    pub fn earlier(&self, action: u32, steps: u16) -> Option<u32> {
        (0..steps).try_fold(action, |a, _| self.before[a as usize])
    }

    fn add(&mut self, item: Item) -> u32 {
        self.items.push(item);
        self.before.push(None);
        self.items.len() as u32 - 1
    }

    /// Books for each action which one came before it.
    fn link(&mut self) {
        let mut work = vec![(self.root, None)];
        while let Some((i, last)) = work.pop() {
            match &self.items[i as usize] {
                Item::Done => {}
                Item::Act { next, .. } => {
                    self.before[i as usize] = last;
                    work.push((*next, Some(i)));
                }
                Item::Test {
                    then, otherwise, ..
                } => work.extend([(*then, last), (*otherwise, last)]),
            }
        }
    }
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
    /// The threads of two systems; `None` unless both are simple.
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

/// Builds a role.
struct Builder<'a> {
    store: &'a TermStore,
    templates: &'a Templates,
    role: Role,
    channel: Option<TermId>,
}

/// The channel and the role of a thread; `None` if it forks or is too large.
fn role(
    store: &TermStore,
    templates: &Templates,
    root: TemplateId,
    values: &Values,
) -> Option<(Option<TermId>, Role)> {
    let mut builder = Builder {
        store,
        templates,
        role: Role::default(),
        channel: None,
    };
    let root = builder.item(root, values)?;
    let Builder {
        mut role, channel, ..
    } = builder;
    role.root = root;
    role.link();
    Some((channel, role))
}

impl Builder<'_> {
    fn item(&mut self, template: TemplateId, values: &Values) -> Option<u32> {
        if self.role.items.len() > MOST {
            return None;
        }
        let (store, templates) = (self.store, self.templates);
        let item = match templates.act(template) {
            Act::Output {
                channel,
                message,
                next,
            } => {
                self.channel = Some(Templates::fill(store, *channel, values));
                Item::Act {
                    kind: Kind::Output,
                    term: Templates::fill(store, *message, values),
                    next: self.follower(next, values, &[])?,
                }
            }
            Act::Input { channel, next } => {
                self.channel = Some(Templates::fill(store, *channel, values));
                let binder = self.variables(1);
                Item::Act {
                    kind: Kind::Input,
                    term: binder[0],
                    next: self.follower(next, values, &binder)?,
                }
            }
            Act::Test {
                equations,
                binds,
                then,
                otherwise,
            } => {
                let bound = self.variables(*binds);
                let full = |t| fill_bound(store, Templates::fill(store, t, values), &bound);
                let equations = equations.iter().map(|(a, b)| (full(*a), full(*b)));
                Item::Test {
                    equations: equations.collect(),
                    then: self.follower(then, values, &bound)?,
                    otherwise: self.follower(otherwise, values, &bound)?,
                }
            }
        };
        Some(self.role.add(item))
    }

    fn variables(&mut self, count: u32) -> Vec<TermId> {
        let first = LOCAL + self.role.vars;
        self.role.vars += count;
        (first..first + count).map(|v| self.store.var(v)).collect()
    }

    /// The item that follows: nothing, or the one thread there is.
    fn follower(&mut self, next: &[Follower], values: &[TermId], bound: &[TermId]) -> Option<u32> {
        match next {
            [] => Some(0),
            [one] => self.item(one.template, &Templates::follow(one, values, bound)),
            _ => None,
        }
    }
}

fn fill_bound(store: &TermStore, t: TermId, bound: &[TermId]) -> TermId {
    let first = Templates::bound_var(0);
    store.map_atoms(t, &mut |atom| match store.view(atom) {
        View::Var(v) if (first..LOCAL).contains(&v) => Some(bound[(v - first) as usize]),
        _ => None,
    })
}
