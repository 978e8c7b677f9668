//! Which parts of both systems are interchangeable.
//!
//! A *bundle* is what some forks start that has threads in common, on both sides: mostly one part of one fork on either side. It has
//! bundles of its own where these parts fork again, so bundles form a tree. A name or thread belongs to the smallest bundle that
//! has all its occurrences. Where a thread goes on in a part, it takes the names of the part to its own bundle: a run may have the
//! thread and nothing else of the part, and the names have to go wherever the thread goes.
//!
//! Two bundles of one parent are interchangeable if they do the same, at the same forks, with names that are theirs in the places of
//! each other's. A restricted name is met by one side only, and each side may be renamed by itself. A channel is seen by the
//! environment, and is the same channel on both sides: an exchange of bundles has to rename it in the same way there. So channels have
//! one numbering for both sides, which makes it a part of the look where the sides have a channel in common.

use super::cast::{Cast, Classes, is_name};
use super::tree::Node;
use crate::engine::joint::template::TemplateId;
use crate::process::CopyPath;
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};

/// A part of both systems that can be exchanged as a whole.
#[derive(Clone, Debug, Default)]
pub(super) struct Bundle {
    /// The bundle that it is a part of.
    pub parent: u32,
    /// The number of its class among those of the parent.
    pub class: u32,
    /// The bundles that are parts of it, by classes of interchangeable ones.
    pub classes: Vec<Vec<u32>>,
    /// For each class whether there may be any number of them: copies of a `!`.
    pub grows: Vec<bool>,
    /// Its parts begin where it begins: at the same forks.
    pub split: bool,
    /// Its threads, except for those of its parts, in corresponding order within a class.
    pub threads: Vec<u16>,
    /// Its names on the left and on the right, except for those of its parts, in corresponding order within a class. The channels
    /// of both sides are in both.
    pub names: [Vec<TermId>; 2],
}

/// What a bundle consists of, while bundles are made.
#[derive(Clone, Debug, Default)]
struct Members {
    /// On either side the fork and the node that it starts.
    starts: [Vec<(u32, u32)>; 2],
    /// No two of them are parts of one fork.
    single: bool,
    /// It can be exchanged for another one.
    whole: bool,
    /// The `!` of which it is one copy each, if it is nothing else.
    stars: Vec<Star>,
    /// So many `!` around what it starts lie outside of it, or are those that it copies.
    depth: usize,
}

/// A `!` of a system: the side, the fork that starts its copies, and its number there.
type Star = (usize, u32, u32);

/// The start of a process.
#[derive(Clone, Copy, Debug)]
struct Begin {
    side: usize,
    fork: u32,
    node: u32,
}

impl Begin {
    fn path(self, cast: &Cast) -> &[(u32, u32)] {
        let start = &cast.trees[self.side].starts[self.node as usize];
        start.as_ref().map_or(&[], |s| &s.copies)
    }

    /// The `!` at a depth, and the number of the copy.
    fn copy(self, cast: &Cast, depth: usize) -> Option<(Star, u32)> {
        let (star, copy) = *self.path(cast).get(depth)?;
        Some(((self.side, self.fork, star), copy))
    }
}

/// Starts that are to be divided.
struct Rest {
    /// The bundle that has them.
    bundle: u32,
    starts: Vec<Begin>,
    /// So many `!` around them lie outside.
    depth: usize,
}

impl Rest {
    /// What some forks of a bundle start.
    fn of(cast: &Cast, bundle: u32, forks: &[(usize, u32)]) -> Self {
        let starts = forks.iter().flat_map(|(side, fork)| {
            let nodes = cast.trees[*side].nexts(*fork).into_iter();
            nodes.map(|node| Begin {
                side: *side,
                fork: *fork,
                node,
            })
        });
        Self {
            bundle,
            starts: starts.collect(),
            depth: 0,
        }
    }
}

/// The `!` of which some starts are one copy each, if they are nothing else.
fn stars_of(cast: &Cast, starts: &[Begin], depth: usize) -> Option<Vec<Star>> {
    let mut found: FxHashMap<Star, u32> = FxHashMap::default();
    for start in starts {
        let (star, copy) = start.copy(cast, depth)?;
        if *found.entry(star).or_insert(copy) != copy {
            return None;
        }
    }
    let mut stars: Vec<Star> = found.into_keys().collect();
    stars.sort_unstable();
    Some(stars)
}

/// A part of a bundle with its own names numbered: the fork, what it starts, the values, and the copies of `!` within the bundle that
/// begin with it.
type Guise = (u32, TemplateId, Vec<Masked>, CopyPath);

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Masked {
    /// A channel, by its number among those of both sides.
    Channel(usize),
    /// A restricted name, by its number among those of its side.
    Secret(usize),
    Shared(TermId),
}

/// The own names of a bundle, numbered as they are met.
#[derive(Default)]
struct Mask {
    channels: Numbered,
    secrets: [Numbered; 2],
}

#[derive(Default)]
struct Numbered {
    names: Vec<TermId>,
    numbers: FxHashMap<TermId, usize>,
}

/// Finds the bundles of both sides and which of them are interchangeable.
pub(super) fn bundles(store: &TermStore, cast: &mut Cast, knows: &[TermId], symmetry: bool) {
    cast.bundles = vec![Bundle::default()];
    let mut division = Division {
        members: vec![Members::default()],
        parts: vec![Vec::new()],
        home: [0, 1].map(|side| vec![0; cast.trees[side].nodes.len()]),
    };
    let roots = [0, 1].map(|side| (side, cast.trees[side].root));
    let mut work = vec![Rest::of(cast, 0, &roots)];
    while let Some(rest) = work.pop() {
        division.divide(cast, &rest, &mut work);
    }
    let owners = division.owners(store, cast, knows);
    for (thread, owner) in cast.threads.iter_mut().zip(&owners.threads) {
        thread.bundle = owner.unwrap_or(0);
    }
    for (number, owner) in owners.threads.iter().enumerate() {
        let bundle = &mut cast.bundles[owner.unwrap_or(0) as usize];
        bundle.threads.push(number as u16);
    }
    for parent in 0..cast.bundles.len() {
        division.classify(store, cast, parent as u32, &owners, symmetry);
    }
    cast.repeats = division.repeats(cast);
}

struct Division {
    members: Vec<Members>,
    /// The bundles in each bundle, in order.
    parts: Vec<Vec<u32>>,
    /// The smallest bundle that has a node.
    home: [Vec<u32>; 2],
}

/// The smallest bundle that has all occurrences of something.
#[derive(Default)]
struct Owners {
    channels: FxHashMap<TermId, u32>,
    secrets: [FxHashMap<TermId, u32>; 2],
    threads: Vec<Option<u32>>,
}

impl Division {
    /// Divides what is left of a bundle.
    fn divide(&mut self, cast: &mut Cast, rest: &Rest, work: &mut Vec<Rest>) {
        let starts = &rest.starts;
        let mut same = Classes::default();
        let mut least: Vec<u16> = vec![u16::MAX; starts.len()];
        let mut first: FxHashMap<u16, usize> = FxHashMap::default();
        let mut copies: FxHashMap<(Star, u32), usize> = FxHashMap::default();
        for (number, start) in starts.iter().enumerate() {
            same.add();
            let side = start.side;
            walk(cast, side, start.node, &mut |at| {
                if let Node::Act { .. } = cast.trees[side].node(at) {
                    let thread = cast.item_at(side, at).0;
                    least[number] = least[number].min(thread);
                    same.join(number, *first.entry(thread).or_insert(number));
                }
                true
            });
            // What a copy of a `!` begins with stays together.
            if let Some(copy) = start.copy(cast, rest.depth) {
                same.join(number, *copies.entry(copy).or_insert(number));
            }
        }
        let mut together: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for i in 0..starts.len() {
            together.entry(same.of(i)).or_default().push(i);
        }
        let mut together: Vec<Vec<usize>> = together.into_values().collect();
        together.sort_by_key(|all| all.iter().map(|i| least[*i]).min());
        for all in together {
            let all: Vec<Begin> = all.iter().map(|i| starts[*i]).collect();
            self.bundle(cast, rest, all, work);
        }
        let forks: FxHashSet<(usize, u32)> = starts.iter().map(|s| (s.side, s.fork)).collect();
        for (side, fork) in forks {
            let bundle_of = &cast.bundle_of[side];
            if let Node::Fork(parts) = &mut cast.trees[side].nodes[fork as usize] {
                parts.sort_by_key(|p| bundle_of.get(p).copied());
            }
        }
    }

    /// Makes a bundle of what belongs together.
    fn bundle(&mut self, cast: &mut Cast, rest: &Rest, all: Vec<Begin>, work: &mut Vec<Rest>) {
        let new = cast.bundles.len() as u32;
        let stars = stars_of(cast, &all, rest.depth);
        let depth = rest.depth + usize::from(stars.is_some());
        let mut members = Members {
            single: true,
            depth,
            ..Members::default()
        };
        for start in &all {
            members.starts[start.side].push((start.fork, start.node));
            cast.bundle_of[start.side].insert(start.node, new);
        }
        for starts in &mut members.starts {
            starts.sort_unstable();
            members.single &= starts.windows(2).all(|w| w[0].0 != w[1].0);
        }
        let deeper = all.iter().any(|s| s.copy(cast, depth).is_some());
        let split = stars.is_some() && (deeper || !members.single);
        members.whole = members.single || split;
        members.stars = stars.unwrap_or_default();
        cast.bundles.push(Bundle {
            parent: rest.bundle,
            split,
            ..Bundle::default()
        });
        self.parts[rest.bundle as usize].push(new);
        self.parts.push(Vec::new());
        let mut inner = Vec::new();
        for start in &all {
            let side = start.side;
            let home = &mut self.home[side];
            walk(cast, side, start.node, &mut |at| {
                home[at as usize] = new;
                let forks = matches!(cast.trees[side].node(at), Node::Fork(_));
                if forks && members.single && !split {
                    inner.push((side, at));
                }
                !forks || split || !members.single
            });
        }
        inner.sort_unstable();
        self.members.push(members);
        work.push(if split {
            Rest {
                bundle: new,
                starts: all,
                depth,
            }
        } else {
            Rest::of(cast, new, &inner)
        });
    }

    fn owners(&self, store: &TermStore, cast: &Cast, knows: &[TermId]) -> Owners {
        let mut owners = Owners {
            threads: vec![None; cast.threads.len()],
            ..Owners::default()
        };
        let mut channels: FxHashSet<TermId> = FxHashSet::default();
        for side in [0, 1] {
            for (at, node) in cast.trees[side].nodes.iter().enumerate() {
                if let Node::Act { channel, .. } = node {
                    if !store.is_in_rules(*channel) {
                        channels.insert(*channel);
                    }
                    let thread = cast.item_at(side, at as u32).0;
                    let owner = &mut owners.threads[usize::from(thread)];
                    let home = self.home[side][at];
                    *owner = Some(owner.map_or(home, |o| common(cast, o, home)));
                }
            }
        }
        let closed = self.closed(cast, &owners.threads);
        let mut occurs = |t: TermId, side: usize, home: u32| {
            let home = closed[home as usize];
            store.visit(t, &mut |s| {
                let View::Name(n) = store.view(s) else {
                    return true;
                };
                let known = match store.name_info(n).class {
                    NameClass::Restricted => &mut owners.secrets[side],
                    _ if channels.contains(&s) => &mut owners.channels,
                    _ => return true,
                };
                let owner = known.entry(s).or_insert(home);
                *owner = common(cast, *owner, home);
                true
            });
        };
        for side in [0, 1] {
            for at in 0..cast.trees[side].nodes.len() {
                for t in cast.trees[side].terms(at as u32) {
                    occurs(t, side, self.home[side][at]);
                }
            }
            for t in knows {
                occurs(*t, side, 0);
            }
        }
        owners
    }

    /// For each bundle the smallest one around it in which no thread from outside goes on.
    fn closed(&self, cast: &Cast, owners: &[Option<u32>]) -> Vec<u32> {
        let mut closed: Vec<u32> = (0..cast.bundles.len() as u32).collect();
        for side in [0, 1] {
            for (at, node) in cast.trees[side].nodes.iter().enumerate() {
                let Node::Act { .. } = node else {
                    continue;
                };
                let thread = cast.item_at(side, at as u32).0;
                let owner = owners[usize::from(thread)].unwrap_or(0);
                let mut bundle = self.home[side][at];
                while bundle != owner {
                    let parent = cast.bundles[bundle as usize].parent;
                    closed[bundle as usize] = parent;
                    bundle = parent;
                }
            }
        }
        // A bundle comes after the one that it is a part of.
        for bundle in 0..closed.len() {
            closed[bundle] = closed[closed[bundle] as usize];
        }
        closed
    }

    /// Finds out which parts of a bundle are interchangeable.
    fn classify(
        &self,
        store: &TermStore,
        cast: &mut Cast,
        parent: u32,
        owners: &Owners,
        symmetry: bool,
    ) {
        let mut index: FxHashMap<[Vec<Guise>; 2], u32> = FxHashMap::default();
        let mut classes: Vec<Vec<u32>> = Vec::new();
        for bundle in &self.parts[parent as usize] {
            let members = &self.members[*bundle as usize];
            let mut mask = Mask::default();
            let mut numbers: FxHashMap<Star, u32> = FxHashMap::default();
            let looks = [0, 1].map(|side| {
                let starts = members.starts[side].iter().filter_map(|(fork, node)| {
                    let start = cast.trees[side].starts[*node as usize].as_ref()?;
                    let values = start.values.iter();
                    let masked = values
                        .map(|v| mask.value(store, cast, *v, side, *bundle, owners))
                        .collect();
                    let path = start.copies.iter().skip(members.depth);
                    let mut number = |star: u32| {
                        let next = numbers.len() as u32;
                        *numbers.entry((side, *fork, star)).or_insert(next)
                    };
                    let path = path.map(|(star, copy)| (number(*star), *copy));
                    Some((*fork, start.template, masked, path.collect()))
                });
                starts.collect()
            });
            let new = classes.len() as u32;
            let class = if symmetry && members.whole {
                *index.entry(looks).or_insert(new)
            } else {
                new
            };
            if class == new {
                classes.push(Vec::new());
            }
            classes[class as usize].push(*bundle);
            let names = mask.own(*bundle, owners);
            let bundle = &mut cast.bundles[*bundle as usize];
            bundle.class = class;
            bundle.names = names;
        }
        let stars = |b: &u32| !self.members[*b as usize].stars.is_empty();
        let grows = classes.iter().map(|c| c.iter().any(stars)).collect();
        let parent = &mut cast.bundles[parent as usize];
        parent.classes = classes;
        parent.grows = grows;
    }

    /// Whether with each further copy of all `!` there are further bundles of classes that are there: the copies of a `!` are in bundles of
    /// one class, each of which is a copy of the same `!` of both sides and nothing else, and there are two of them at least.
    fn repeats(&self, cast: &Cast) -> bool {
        // For each `!` within a bundle, those that are copied with it, the class, and how many copies there are.
        let mut groups: FxHashMap<(u32, Star), (&[Star], u32, usize)> = FxHashMap::default();
        let mut covered: FxHashMap<(usize, u32), usize> = FxHashMap::default();
        for (members, bundle) in self.members.iter().zip(&cast.bundles) {
            for star in &members.stars {
                let new = (&members.stars[..], bundle.class, 0);
                let group = groups.entry((bundle.parent, *star)).or_insert(new);
                if (group.0, group.1) != (new.0, new.1) {
                    return false;
                }
                group.2 += 1;
            }
            if members.stars.is_empty() {
                continue;
            }
            for side in [0, 1] {
                for (_, node) in &members.starts[side] {
                    *covered.entry((side, *node)).or_insert(0) += 1;
                }
            }
        }
        let all = [0, 1].iter().all(|side| {
            let starts = cast.trees[*side].starts.iter().zip(0..);
            let mut marked = starts.filter_map(|(s, at)| Some((s.as_ref()?.copies.len(), at)));
            marked.all(|(n, at)| n == covered.get(&(*side, at)).copied().unwrap_or(0))
        });
        all && groups.values().all(|(.., copies)| *copies >= 2)
    }
}

impl Owners {
    fn of(&self, name: TermId, side: usize) -> Option<u32> {
        let found = self.channels.get(&name);
        found.or_else(|| self.secrets[side].get(&name)).copied()
    }
}

impl Mask {
    fn value(
        &mut self,
        store: &TermStore,
        cast: &Cast,
        value: TermId,
        side: usize,
        bundle: u32,
        owners: &Owners,
    ) -> Masked {
        let owner = owners.of(value, side);
        if owner.is_none_or(|o| common(cast, o, bundle) != bundle) {
            Masked::Shared(value)
        } else if is_name(store, value) {
            Masked::Channel(self.channels.number(value))
        } else {
            Masked::Secret(self.secrets[side].number(value))
        }
    }

    /// The names of each side that are the bundle's and not a part's, in an order that depends on the looks of the bundle only.
    fn own(&self, bundle: u32, owners: &Owners) -> [Vec<TermId>; 2] {
        [0, 1].map(|side| {
            let all = self.channels.names.iter().chain(&self.secrets[side].names);
            let own = all.filter(|n| owners.of(**n, side) == Some(bundle));
            own.copied().collect()
        })
    }
}

impl Numbered {
    fn number(&mut self, name: TermId) -> usize {
        let next = self.names.len();
        let number = *self.numbers.entry(name).or_insert(next);
        if number == next {
            self.names.push(name);
        }
        number
    }
}

/// The smallest bundle that contains both.
fn common(cast: &Cast, mut a: u32, mut b: u32) -> u32 {
    // A bundle comes after the one that it is a part of.
    while a != b {
        if a > b {
            a = cast.bundles[a as usize].parent;
        } else {
            b = cast.bundles[b as usize].parent;
        }
    }
    a
}

/// Calls `visit` for a node and what follows it, as long as it says so.
fn walk(cast: &Cast, side: usize, node: u32, visit: &mut impl FnMut(u32) -> bool) {
    let mut work = vec![node];
    while let Some(at) = work.pop() {
        if visit(at) {
            work.extend(cast.trees[side].nexts(at));
        }
    }
}
