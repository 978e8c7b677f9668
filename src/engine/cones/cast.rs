//! The threads of two systems: what is done on channels that go together.
//!
//! All channels of a place go together, and so do channels that go together on either side. A *thread* is everything that is
//! done on such channels, by whichever places, on the left and on the right. The procedure is for systems of which no two
//! processes that can be active together belong to one thread: the parts of every fork have different threads. Then the
//! actions of a thread follow each other in every run, and the number of an action in its thread says which one it is. That
//! is checked here, never assumed.

use super::bundle::{Bundle, bundles};
use super::run::Event;
use super::tree::{DONE, Kind, Node, Tree};
use crate::engine::joint::template::Templates;
use crate::process::{Action, System};
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most threads that are looked at, and the most actions of one in a run.
const MOST: usize = 2_000;

/// An action of a thread, as an item of its role.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Where it stands in the tree.
    pub node: u32,
    /// What it is.
    pub kind: Kind,
    /// The channel.
    pub channel: TermId,
    /// The variable that takes the message, or the message.
    pub term: TermId,
    /// The node that follows.
    pub next: u32,
    /// The action of another thread that it follows, if it is the first one after a fork.
    pub follows: Option<Event>,
    /// The action of this thread before it on the way, as an item.
    before: Option<u32>,
    /// How many they are.
    number: u16,
}

/// What a thread does on one side: its actions, in the order of the tree.
#[derive(Clone, Debug, Default)]
pub(super) struct Role {
    items: Vec<Item>,
    /// The items that may come first, then those that may follow each item.
    nexts: Vec<Vec<u32>>,
}

impl Role {
    /// An action.
    pub(super) fn item(&self, i: u32) -> &Item {
        &self.items[i as usize]
    }

    /// The action so many actions of the thread before this one.
    pub(super) fn earlier(&self, item: u32, steps: u16) -> Option<u32> {
        (0..steps).try_fold(item, |i, _| self.item(i).before)
    }

    /// The actions that may be the next one after the last, by branches.
    pub(super) fn after(&self, last: Option<u32>) -> &[u32] {
        let found = self.nexts.get(last.map_or(0, |i| i as usize + 1));
        found.map_or(&[], Vec::as_slice)
    }

    fn add(&mut self, item: Item) {
        if self.nexts.is_empty() {
            self.nexts.push(Vec::new());
        }
        let last = item.before.map_or(0, |i| i as usize + 1);
        self.nexts[last].push(self.items.len() as u32);
        self.nexts.push(Vec::new());
        self.items.push(item);
    }
}

/// What is done on some channels that go together.
#[derive(Clone, Debug, Default)]
pub(super) struct Thread {
    /// On the left and on the right.
    pub roles: [Role; 2],
    /// The smallest bundle that has all of it.
    pub bundle: u32,
}

/// Both sides, by threads.
#[derive(Clone, Debug)]
pub(super) struct Cast {
    /// The systems.
    pub trees: [Tree; 2],
    /// The threads, by number.
    pub threads: Vec<Thread>,
    /// For each node of the trees, the thread and the item of an action.
    items: [Vec<(u16, u32)>; 2],
    /// What can be exchanged as a whole. The first one is everything.
    pub bundles: Vec<Bundle>,
    /// For each node of the trees that a fork starts, its bundle.
    pub(super) bundle_of: [FxHashMap<u32, u32>; 2],
    /// With more copies of each marked `!` there are more bundles of classes that are there, and nothing else is new.
    pub repeats: bool,
    /// Copies of `!` are marked.
    pub copied: bool,
}

impl Cast {
    /// The threads of two systems; `None` unless all channels are public names and no two processes that can be active together
    /// have a thread in common.
    pub(super) fn new(
        store: &TermStore,
        left: &System,
        right: &System,
        knows: &[TermId],
        symmetry: bool,
    ) -> Option<Self> {
        let names = channels(store, left, right);
        let templates = Templates::new(store, left, right, &names);
        let trees = [
            Tree::new(store, &templates, 0)?,
            Tree::new(store, &templates, 1)?,
        ];
        let threads = threads_of(store, &trees)?;
        let mut cast = Self {
            items: [0, 1].map(|side| vec![(0, 0); trees[side].nodes.len()]),
            trees,
            threads: Vec::new(),
            bundles: Vec::new(),
            bundle_of: Default::default(),
            repeats: true,
            copied: !left.copies.is_empty() || !right.copies.is_empty(),
        };
        let number = threads.values().max().map_or(0, |t| usize::from(*t) + 1);
        cast.threads.resize_with(number, Thread::default);
        for side in [0, 1] {
            cast.cast_side(side, &threads)?;
            is_determinate(&cast, side).then_some(())?;
        }
        bundles(store, &mut cast, knows, symmetry);
        Some(cast)
    }

    /// The threads with the channels of their actions, by thread and item.
    pub(super) fn channels(&self) -> impl Iterator<Item = (u16, TermId)> + '_ {
        let threads = (0u16..).zip(&self.threads);
        threads.flat_map(|(number, thread)| {
            let items = thread.roles.iter().flat_map(|role| &role.items);
            items.map(move |item| (number, item.channel))
        })
    }

    /// What a thread does on a side.
    pub(super) fn role(&self, side: usize, thread: u16) -> &Role {
        &self.threads[usize::from(thread)].roles[side]
    }

    /// The thread and the item of an action.
    pub(super) fn item_at(&self, side: usize, node: u32) -> (u16, u32) {
        self.items[side][node as usize]
    }

    /// Whether of the bundles that are interchangeable with that of a part of a fork it is the first, and so are those around it that begin
    /// with the part.
    pub(super) fn is_first(&self, side: usize, part: u32) -> bool {
        let Some(mut number) = self.bundle_of[side].get(&part).copied() else {
            // Nothing is known of it.
            return true;
        };
        loop {
            let bundle = &self.bundles[number as usize];
            let whole = &self.bundles[bundle.parent as usize];
            if whole.classes[bundle.class as usize].first() != Some(&number) {
                return false;
            }
            if !whole.split {
                return true;
            }
            number = bundle.parent;
        }
    }

    /// The bundles that a thread is in, except for everything, the largest one first.
    pub(super) fn bundles_of(&self, thread: u16) -> Vec<u32> {
        let mut found = Vec::new();
        let mut bundle = self.threads[usize::from(thread)].bundle;
        while bundle != 0 {
            found.push(bundle);
            bundle = self.bundles[bundle as usize].parent;
        }
        found.reverse();
        found
    }

    /// Gives the actions of a side to their threads.
    fn cast_side(&mut self, side: usize, threads: &FxHashMap<TermId, u16>) -> Option<()> {
        let tree = &self.trees[side];
        // The last action on the way to a node.
        let mut above = vec![DONE; tree.nodes.len()];
        for (at, node) in tree.nodes.iter().enumerate() {
            let parent = tree.parent[at];
            above[at] = match tree.node(parent) {
                Node::Act { .. } => parent,
                _ => above[parent as usize],
            };
            let Node::Act {
                kind,
                channel,
                term,
                next,
            } = node
            else {
                continue;
            };
            let thread = threads[channel];
            let last = above[at];
            let items = &self.items[side];
            let role = &self.threads[usize::from(thread)].roles[side];
            let mut mine = if role.items.is_empty() { DONE } else { last };
            while mine != DONE && items[mine as usize].0 != thread {
                mine = above[mine as usize];
            }
            let before = (mine != DONE).then(|| items[mine as usize].1);
            let number = before.map_or(0, |i| role.item(i).number + 1);
            if usize::from(number) > MOST {
                return None;
            }
            let other = (last != DONE).then(|| items[last as usize]);
            let other = other.filter(|(t, _)| *t != thread);
            let follows = other.map(|(t, i)| {
                let role = &self.threads[usize::from(t)].roles[side];
                (t, role.item(i).number)
            });
            let item = Item {
                node: at as u32,
                kind: *kind,
                channel: *channel,
                term: *term,
                next: *next,
                follows,
                before,
                number,
            };
            self.items[side][at] = (thread, role.items.len() as u32);
            self.threads[usize::from(thread)].roles[side].add(item);
        }
        Some(())
    }
}

/// The public names that are channels of the systems.
fn channels(store: &TermStore, left: &System, right: &System) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    for step in left.steps.iter().chain(&right.steps) {
        if let Action::Output { channel, .. } | Action::Input { channel, .. } = step.action
            && is_name(store, channel)
            && seen.insert(channel)
        {
            found.push(channel);
        }
    }
    found
}

/// Whether a term is a public name.
pub(super) fn is_name(store: &TermStore, t: TermId) -> bool {
    matches!(store.view(t), View::Name(n) if store.name_info(n).class == NameClass::Public)
}

/// The thread of each channel, in the order of the trees; `None` if a channel is no public name, or there are too many.
fn threads_of(store: &TermStore, trees: &[Tree; 2]) -> Option<FxHashMap<TermId, u16>> {
    let mut numbers: FxHashMap<TermId, usize> = FxHashMap::default();
    let mut same = Classes::default();
    for tree in trees {
        // The first node of the place of each node, and a channel of the place.
        let mut first = vec![DONE; tree.nodes.len()];
        let mut known: FxHashMap<u32, usize> = FxHashMap::default();
        for (at, node) in tree.nodes.iter().enumerate() {
            let parent = tree.parent[at];
            first[at] = match tree.node(parent) {
                Node::Fork(_) => at as u32,
                _ => first[parent as usize],
            };
            if let Node::Act { channel, .. } = node {
                is_name(store, *channel).then_some(())?;
                let number = *numbers.entry(*channel).or_insert_with(|| same.add());
                let other = *known.entry(first[at]).or_insert(number);
                same.join(number, other);
            }
        }
    }
    let mut order: Vec<(usize, TermId)> = numbers.into_iter().map(|(c, n)| (n, c)).collect();
    order.sort_unstable_by_key(|(n, _)| *n);
    let mut threads: FxHashMap<usize, u16> = FxHashMap::default();
    let mut found = FxHashMap::default();
    for (number, channel) in order {
        let next = threads.len();
        let thread = *threads.entry(same.of(number)).or_insert(next as u16);
        found.insert(channel, thread);
    }
    (threads.len() < MOST).then_some(found)
}

/// Numbers in classes (union-find); the least number stands for its class.
#[derive(Default)]
pub(super) struct Classes {
    up: Vec<usize>,
}

impl Classes {
    /// A new number in a class of its own.
    pub(super) fn add(&mut self) -> usize {
        self.up.push(self.up.len());
        self.up.len() - 1
    }

    /// The least number of the class.
    pub(super) fn of(&mut self, mut i: usize) -> usize {
        while self.up[i] != i {
            self.up[i] = self.up[self.up[i]];
            i = self.up[i];
        }
        i
    }

    /// Makes two classes one.
    pub(super) fn join(&mut self, i: usize, j: usize) {
        let (i, j) = (self.of(i), self.of(j));
        self.up[i.max(j)] = i.min(j);
    }
}

/// Whether the parts of every fork of a side have different threads.
fn is_determinate(cast: &Cast, side: usize) -> bool {
    let tree = &cast.trees[side];
    let mut below: Vec<FxHashSet<u16>> = vec![FxHashSet::default(); tree.nodes.len()];
    // What follows a node comes after it.
    for at in (1..tree.nodes.len()).rev() {
        let node = at as u32;
        let nexts = tree.nexts(node);
        let mut sets = nexts
            .iter()
            .map(|n| std::mem::take(&mut below[*n as usize]));
        let mut all = sets.next().unwrap_or_default();
        for mut set in sets {
            if set.len() > all.len() {
                std::mem::swap(&mut set, &mut all);
            }
            for thread in set {
                if !all.insert(thread) && matches!(tree.nodes[at], Node::Fork(_)) {
                    return false;
                }
            }
        }
        if let Node::Act { .. } = tree.nodes[at] {
            all.insert(cast.item_at(side, node).0);
        }
        below[at] = all;
    }
    true
}
