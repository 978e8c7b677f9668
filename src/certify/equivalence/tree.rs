//! A system as a tree of actions, tests and forks, and which thread does what in it.
//!
//! Variables are numbered by their depth on the way from the root, so that equal parts of the tree are literally equal.

use super::EquivalenceError;
use crate::process::{Action, StepId, System};
use crate::term::{NameClass, Op, TermId, TermStore, View, ranges};
use rustc_hash::FxHashMap;

/// First number of a system's own variables.
pub(super) const LOCAL: u32 = ranges::LOCAL.start;

/// The most nodes of a tree, and variables of one way through it.
const MOST: usize = 1 << 18;
const DEEPEST: u32 = 4_000;

/// The node for nothing.
pub(super) const DONE: u32 = 0;

/// A node of the tree.
#[derive(Clone, Debug)]
pub(super) enum Node {
    Done,
    Act {
        /// The environment sends here, or else hears.
        input: bool,
        channel: TermId,
        thread: u16,
        /// The number of the action in its thread.
        at: u16,
        /// Which action of its thread it is, on whatever branch: interchangeable threads number them alike.
        item: u32,
        /// The message, or the variable that takes it.
        term: TermId,
        next: u32,
    },
    Test {
        equations: Vec<(TermId, TermId)>,
        /// The depth, and how many variables are bound.
        depth: u32,
        binds: u32,
        then: u32,
        otherwise: u32,
    },
    Fork(Vec<u32>),
}

/// One side.
#[derive(Debug)]
pub(super) struct Tree {
    pub nodes: Vec<Node>,
    pub parent: Vec<u32>,
    /// For each node the threads that act there or later, in order.
    pub below: Vec<Vec<u16>>,
    /// The actions of each thread, by item.
    pub items: Vec<Vec<u32>>,
    /// The fork that everything begins with.
    pub root: u32,
    /// For each thread the part of the root that it is in.
    pub home: FxHashMap<u16, u32>,
}

/// A step that becomes a node.
struct Job {
    /// What it is: one process, or several.
    steps: Vec<StepId>,
    values: Vec<(u32, TermId)>,
    parent: u32,
    depth: u32,
    /// Which of the parent's places it takes.
    slot: usize,
    /// The last actions on the way: how many of each thread.
    done: Vec<(u16, u16)>,
}

impl Tree {
    /// A side of a comparison, with the threads of the channels.
    pub(super) fn new(
        store: &TermStore,
        system: &System,
        threads: &FxHashMap<TermId, u16>,
        count: usize,
        side: usize,
    ) -> Result<Self, EquivalenceError> {
        let mut tree = Tree {
            nodes: vec![Node::Done, Node::Fork(Vec::new())],
            parent: vec![DONE, DONE],
            below: Vec::new(),
            items: vec![Vec::new(); count],
            root: 1,
            home: FxHashMap::default(),
        };
        let parts = processes(system, system.root)?;
        let mut work: Vec<Job> = Vec::new();
        tree.fork(1, parts, &[], 0, &[], &mut work);
        // The first of several parts is numbered first.
        while let Some(job) = work.pop() {
            tree.place(store, system, threads, job, &mut work)?;
        }
        for at in 0..tree.nodes.len() {
            for t in tree.terms(at as u32) {
                if !is_expressed(store, t) {
                    return Err(EquivalenceError::NotExpressed);
                }
            }
        }
        tree.spread()
            .ok_or(EquivalenceError::NotDeterminate { side })?;
        Ok(tree)
    }

    pub(super) fn node(&self, at: u32) -> &Node {
        &self.nodes[at as usize]
    }

    pub(super) fn nexts(&self, at: u32) -> Vec<u32> {
        let mut nexts = match self.node(at) {
            Node::Done => Vec::new(),
            Node::Act { next, .. } => vec![*next],
            Node::Test {
                then, otherwise, ..
            } => vec![*then, *otherwise],
            Node::Fork(parts) => parts.clone(),
        };
        nexts.retain(|n| *n != DONE);
        nexts
    }

    /// The terms of a node.
    pub(super) fn terms(&self, at: u32) -> Vec<TermId> {
        match self.node(at) {
            Node::Done | Node::Fork(_) => Vec::new(),
            Node::Act { channel, term, .. } => vec![*channel, *term],
            Node::Test { equations, .. } => equations.iter().flat_map(|(a, b)| [*a, *b]).collect(),
        }
    }

    /// The action before this one on the way from the root.
    pub(super) fn prior(&self, at: u32) -> Option<u32> {
        let mut at = self.parent[at as usize];
        while at != DONE {
            if let Node::Act { .. } = self.node(at) {
                return Some(at);
            }
            at = self.parent[at as usize];
        }
        None
    }

    /// The action so many actions of the thread before this one, as an item.
    pub(super) fn earlier(&self, thread: u16, item: u32, steps: u16) -> Option<u32> {
        let mut node = *self.items.get(usize::from(thread))?.get(item as usize)?;
        let mut left = steps;
        while left > 0 {
            node = self.prior(node)?;
            if let Node::Act { thread: t, .. } = self.node(node)
                && *t == thread
            {
                left -= 1;
            }
        }
        match self.node(node) {
            Node::Act { item, .. } => Some(*item),
            _ => None,
        }
    }

    fn add(&mut self, parent: u32) -> Result<u32, EquivalenceError> {
        let new = self.nodes.len();
        if new >= MOST {
            return Err(EquivalenceError::GaveUp);
        }
        self.nodes.push(Node::Done);
        self.parent.push(parent);
        Ok(new as u32)
    }

    fn fork(
        &mut self,
        at: u32,
        parts: Vec<StepId>,
        values: &[(u32, TermId)],
        depth: u32,
        done: &[(u16, u16)],
        work: &mut Vec<Job>,
    ) {
        self.nodes[at as usize] = Node::Fork(vec![DONE; parts.len()]);
        for (slot, step) in parts.into_iter().enumerate().rev() {
            work.push(Job {
                steps: vec![step],
                values: values.to_vec(),
                parent: at,
                depth,
                slot,
                done: done.to_vec(),
            });
        }
    }

    fn hang(&mut self, job: &Job, new: u32) {
        match &mut self.nodes[job.parent as usize] {
            Node::Done => {}
            Node::Act { next, .. } => *next = new,
            Node::Test {
                then, otherwise, ..
            } => *(if job.slot == 0 { then } else { otherwise }) = new,
            Node::Fork(parts) => parts[job.slot] = new,
        }
    }

    fn place(
        &mut self,
        store: &TermStore,
        system: &System,
        threads: &FxHashMap<TermId, u16>,
        mut job: Job,
        work: &mut Vec<Job>,
    ) -> Result<(), EquivalenceError> {
        if job.depth > DEEPEST {
            return Err(EquivalenceError::GaveUp);
        }
        let step = match job.steps[..] {
            [] => return Ok(()),
            [step] => step,
            _ => {
                let new = self.add(job.parent)?;
                self.hang(&job, new);
                let parts = std::mem::take(&mut job.steps);
                self.fork(new, parts, &job.values, job.depth, &job.done, work);
                return Ok(());
            }
        };
        let new = self.add(job.parent)?;
        self.hang(&job, new);
        let full = |t: TermId, values: &[(u32, TermId)]| {
            store.map_atoms(t, &mut |atom| match store.view(atom) {
                View::Var(v) => values.iter().rev().find(|(w, _)| *w == v).map(|(_, t)| *t),
                _ => None,
            })
        };
        let (action, mut depth) = (&system.step(step).action, job.depth);
        match action {
            Action::Output { channel, .. } | Action::Input { channel, .. } => {
                let thread = *threads.get(channel).ok_or(EquivalenceError::NotExpressed)?;
                let known = job.done.iter_mut().find(|(t, _)| *t == thread);
                let at = if let Some((_, n)) = known {
                    *n = n.checked_add(1).ok_or(EquivalenceError::GaveUp)?;
                    *n - 1
                } else {
                    job.done.push((thread, 1));
                    0
                };
                let items = &mut self.items[usize::from(thread)];
                items.push(new);
                let item = items.len() as u32 - 1;
                let (input, term, next) = match action {
                    Action::Input { binder, next, .. } => {
                        let variable = store.var(LOCAL + depth);
                        depth += 1;
                        job.values.push((*binder, variable));
                        (true, variable, *next)
                    }
                    Action::Output { message, next, .. } => {
                        (false, full(*message, &job.values), *next)
                    }
                    _ => return Err(EquivalenceError::NotExpressed),
                };
                self.nodes[new as usize] = Node::Act {
                    input,
                    channel: *channel,
                    thread,
                    at,
                    item,
                    term,
                    next: DONE,
                };
                work.push(Job {
                    steps: processes(system, next)?,
                    values: job.values,
                    parent: new,
                    depth,
                    slot: 0,
                    done: job.done,
                });
            }
            Action::Test {
                test,
                then,
                otherwise,
            } => {
                let mut values = job.values.clone();
                for binder in &test.binds {
                    values.push((*binder, store.var(LOCAL + depth)));
                    depth += 1;
                }
                let equations = test.equations.iter();
                let equations = equations.map(|(a, b)| (full(*a, &values), full(*b, &values)));
                self.nodes[new as usize] = Node::Test {
                    equations: equations.collect(),
                    depth: job.depth,
                    binds: depth - job.depth,
                    then: DONE,
                    otherwise: DONE,
                };
                work.push(Job {
                    steps: processes(system, *otherwise)?,
                    values: job.values,
                    parent: new,
                    depth: job.depth,
                    slot: 1,
                    done: job.done.clone(),
                });
                work.push(Job {
                    steps: processes(system, *then)?,
                    values,
                    parent: new,
                    depth,
                    slot: 0,
                    done: job.done,
                });
            }
            Action::Nil | Action::Fork(_) | Action::Event { .. } | Action::Phase { .. } => {
                return Err(EquivalenceError::NotExpressed);
            }
        }
        Ok(())
    }

    /// Finds the threads below each node; `None` if two parts of a fork have one in common.
    fn spread(&mut self) -> Option<()> {
        self.below = vec![Vec::new(); self.nodes.len()];
        // What follows a node comes after it.
        for at in (1..self.nodes.len()).rev() {
            let mut all: Vec<u16> = Vec::new();
            let mut count = 0;
            for next in self.nexts(at as u32) {
                let below = &self.below[next as usize];
                count += below.len();
                all.extend(below);
            }
            all.sort_unstable();
            all.dedup();
            if matches!(self.nodes[at], Node::Fork(_)) && all.len() != count {
                return None;
            }
            if let Node::Act { thread, .. } = &self.nodes[at]
                && let Err(i) = all.binary_search(thread)
            {
                all.insert(i, *thread);
            }
            self.below[at] = all;
        }
        for part in self.nexts(self.root) {
            for thread in &self.below[part as usize] {
                self.home.insert(*thread, part);
            }
        }
        Some(())
    }

    /// Whether the thread acts at a node or later.
    pub(super) fn leads_to(&self, at: u32, thread: u16) -> bool {
        self.below[at as usize].binary_search(&thread).is_ok()
    }
}

/// The processes that a step stands for.
fn processes(system: &System, step: StepId) -> Result<Vec<StepId>, EquivalenceError> {
    let mut found = Vec::new();
    let mut work = vec![step];
    while let Some(step) = work.pop() {
        match &system.step(step).action {
            Action::Nil => {}
            Action::Fork(parts) => work.extend(parts.iter().rev()),
            Action::Event { next, .. } => work.push(*next),
            Action::Output { .. } | Action::Input { .. } | Action::Test { .. } => found.push(step),
            Action::Phase { .. } => return Err(EquivalenceError::NotExpressed),
        }
    }
    Ok(found)
}

/// Whether a term is made of operators that certificates are about.
fn is_expressed(store: &TermStore, t: TermId) -> bool {
    let mut all = true;
    store.visit(t, &mut |s| {
        all &= matches!(
            store.node(s).op,
            Op::Name(_)
                | Op::Var(_)
                | Op::Zero
                | Op::Suc
                | Op::Tuple
                | Op::Hash
                | Op::Senc
                | Op::Pub
                | Op::Priv
                | Op::Aenc
                | Op::Sign
                | Op::Family(_)
                | Op::Function(_)
        );
        true
    });
    all
}

/// Whether a term is a public name.
pub(super) fn is_public(store: &TermStore, t: TermId) -> bool {
    matches!(store.view(t), View::Name(n) if store.name_info(n).class == NameClass::Public)
}
