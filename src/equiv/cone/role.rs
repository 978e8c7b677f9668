//! The threads of two simple systems as roles, and which of them are interchangeable.
//!
//! A role is what a thread does on its channel: a tree of actions, in which tests choose the branch.

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
    /// An action on a channel of the thread's.
    Act {
        /// What it is.
        kind: Kind,
        /// The channel.
        channel: TermId,
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

    /// The kind and channel of an action.
    pub fn label(&self, action: u32) -> Option<(Kind, TermId)> {
        match self.item(action) {
            Item::Act { kind, channel, .. } => Some((*kind, *channel)),
            _ => None,
        }
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

/// The threads of some channels, one of each side.
#[derive(Clone, Debug)]
pub struct Thread {
    /// What they do; a side without a thread does nothing.
    pub roles: [Role; 2],
    /// The names that occur in no other thread, in corresponding order within a class: of the left, of the right side. The
    /// channels of both sides are in both.
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
    channels: Vec<TermId>,
    role: Role,
}

impl Cast {
    /// The threads of two systems; `None` unless every thread has public channels of its own, the same on both sides, and does
    /// not fork.
    pub fn new(
        store: &TermStore,
        left: &System,
        right: &System,
        knows: &[TermId],
        symmetry: bool,
    ) -> Option<Self> {
        let mut channels: Vec<TermId> = Vec::new();
        for step in left.steps.iter().chain(&right.steps) {
            if let Action::Output { channel, .. } | Action::Input { channel, .. } = step.action
                && is_name(store, channel)
                && !channels.contains(&channel)
            {
                channels.push(channel);
            }
        }
        let templates = Templates::new(store, left, right, &channels);
        let mut sides: [Vec<Half>; 2] = Default::default();
        for (side, roots) in sides.iter_mut().zip(&templates.roots) {
            let mut taken = FxHashSet::default();
            for (template, values) in roots {
                let (channels, role) = role(store, &templates, *template, values)?;
                // A thread without actions shows nothing.
                if channels.is_empty() {
                    continue;
                }
                let apart = |c: &TermId| is_name(store, *c) && taken.insert(*c);
                if !channels.iter().all(apart) {
                    return None;
                }
                side.push(Half {
                    template: *template,
                    values: values.clone(),
                    channels,
                    role,
                });
            }
        }
        let pairs = paired(&sides)?;
        if pairs.len() >= MOST {
            return None;
        }
        Some(Self::assemble(store, &pairs, &sides, knows, symmetry))
    }

    fn assemble(
        store: &TermStore,
        pairs: &[[Option<usize>; 2]],
        sides: &[Vec<Half>; 2],
        knows: &[TermId],
        symmetry: bool,
    ) -> Self {
        let shared = shared_atoms(store, sides, knows);
        let mut classes: Vec<Vec<u16>> = Vec::new();
        let mut index: FxHashMap<[Option<Guise>; 2], usize> = FxHashMap::default();
        let mut threads = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let half = |side: usize| pair[side].map(|i| &sides[side][i]);
            let mut mask = Mask::default();
            let looks = [0, 1].map(|side| {
                half(side).map(|half| {
                    let values = half.values.iter();
                    let masked = values.map(|v| mask.value(store, *v, side, &shared[side]));
                    (half.template, masked.collect())
                })
            });
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
                roles: [0, 1].map(|side| half(side).map(|h| h.role.clone()).unwrap_or_default()),
                own: mask.own(),
                class,
            });
        }
        Self { threads, classes }
    }
}

fn is_name(store: &TermStore, t: TermId) -> bool {
    matches!(store.view(t), View::Name(n) if store.name_info(n).class == NameClass::Public)
}

/// The threads of both sides that have a channel in common; `None` if one meets two.
fn paired(sides: &[Vec<Half>; 2]) -> Option<Vec<[Option<usize>; 2]>> {
    let [left, right] = sides;
    let mut pairs = Vec::new();
    let mut met = FxHashSet::default();
    for (i, l) in left.iter().enumerate() {
        let shares = |r: &Half| r.channels.iter().any(|c| l.channels.contains(c));
        let others = right.iter().enumerate().filter(|(_, r)| shares(r));
        let others: Vec<usize> = others.map(|(j, _)| j).collect();
        match others[..] {
            [] => pairs.push([Some(i), None]),
            [j] if met.insert(j) => pairs.push([Some(i), Some(j)]),
            _ => return None,
        }
    }
    let rest = (0..right.len()).filter(|j| !met.contains(j));
    pairs.extend(rest.map(|j| [None, Some(j)]));
    Some(pairs)
}

/// A thread with its own names numbered.
type Guise = (TemplateId, Vec<Masked>);

/// A value of a thread's parameter with its own names numbered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Masked {
    /// A channel, by its number among those of both sides.
    Channel(usize),
    /// A restricted name, by its number among those of its side.
    Secret(usize),
    Shared(TermId),
}

/// The own names of a thread, numbered as they are met.
///
/// A restricted name is met by one side only, and each side may be renamed by itself. A channel is seen by the environment,
/// and is the same channel on both sides: an exchange of threads has to rename it in the same way there. So channels have one
/// numbering for both sides, which makes it a part of the look where the sides have a channel in common.
#[derive(Default)]
struct Mask {
    channels: Vec<TermId>,
    secrets: [Vec<TermId>; 2],
}

impl Mask {
    fn value(
        &mut self,
        store: &TermStore,
        value: TermId,
        side: usize,
        shared: &FxHashSet<TermId>,
    ) -> Masked {
        if shared.contains(&value) {
            Masked::Shared(value)
        } else if is_name(store, value) {
            Masked::Channel(number(&mut self.channels, value))
        } else {
            Masked::Secret(number(&mut self.secrets[side], value))
        }
    }

    /// The own names of each side, in an order that depends on the looks of the thread only.
    fn own(self) -> [Vec<TermId>; 2] {
        let channels = self.channels;
        self.secrets
            .map(|s| channels.iter().copied().chain(s).collect())
    }
}

fn number(names: &mut Vec<TermId>, name: TermId) -> usize {
    let known = names.iter().position(|n| *n == name);
    known.unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    })
}

/// The values on either side that are not a thread's alone: those of more than one thread or of the initial knowledge, and
/// public names other than its channels.
fn shared_atoms(
    store: &TermStore,
    sides: &[Vec<Half>; 2],
    knows: &[TermId],
) -> [FxHashSet<TermId>; 2] {
    let mut common = FxHashSet::default();
    for t in knows {
        store.visit(*t, &mut |s| {
            common.insert(s);
            true
        });
    }
    for half in sides.iter().flatten() {
        let others = half.values.iter().filter(|v| !half.channels.contains(v));
        common.extend(others.filter(|v| is_constant(store, **v)));
    }
    [0, 1].map(|side| {
        let mut once = FxHashSet::default();
        let mut shared = common.clone();
        for half in &sides[side] {
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
    channels: Vec<TermId>,
}

/// The channels and the role of a thread; `None` if it forks or is too large.
fn role(
    store: &TermStore,
    templates: &Templates,
    root: TemplateId,
    values: &Values,
) -> Option<(Vec<TermId>, Role)> {
    let mut builder = Builder {
        store,
        templates,
        role: Role::default(),
        channels: Vec::new(),
    };
    let root = builder.item(root, values)?;
    let Builder {
        mut role, channels, ..
    } = builder;
    role.root = root;
    role.link();
    Some((channels, role))
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
            } => Item::Act {
                kind: Kind::Output,
                channel: self.channel(*channel, values),
                term: Templates::fill(store, *message, values),
                next: self.follower(next, values, &[])?,
            },
            Act::Input { channel, next } => {
                let binder = self.variables(1);
                Item::Act {
                    kind: Kind::Input,
                    channel: self.channel(*channel, values),
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

    fn channel(&mut self, channel: TermId, values: &[TermId]) -> TermId {
        let channel = Templates::fill(self.store, channel, values);
        if !self.channels.contains(&channel) {
            self.channels.push(channel);
        }
        channel
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
