//! A system as a tree: actions in sequence, tests that choose a branch, and forks.
//!
//! A *place* is a part of the tree without forks: what one process does before it ends or splits. The first action of a place
//! follows the last one of the place it was split from; the root is a fork of the processes that the system starts with.
//!
//! Variables are numbered by their depth on the way from the root, so that equal parts of the tree are literally equal.

use crate::engine::joint::template::{Act, Follower, TemplateId, Templates, Values};
use crate::process::CopyPath;
use crate::term::{TermId, TermStore, View, ranges};

/// First number of a system's own variables.
pub(super) const LOCAL: u32 = ranges::LOCAL.start;

/// The most nodes of a tree, and of one way through it.
const MOST: usize = 1 << 18;
const LONGEST: u32 = 4_000;

/// What a process does with its channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(super) enum Kind {
    Input,
    Output,
}

/// The node for nothing.
pub(super) const DONE: u32 = 0;

/// A node of the tree.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// Nothing more.
    Done,
    /// An action.
    Act {
        /// What it is.
        kind: Kind,
        /// The channel.
        channel: TermId,
        /// The variable that takes the message, or the message.
        term: TermId,
        /// The node that follows.
        next: u32,
    },
    /// A test.
    Test {
        /// The equations; the variables that it binds are the next ones.
        equations: Vec<(TermId, TermId)>,
        /// Number of variables that it binds.
        binds: u32,
        /// The node that follows success.
        then: u32,
        /// The node that follows failure.
        otherwise: u32,
    },
    /// Several processes from here on.
    Fork(Vec<u32>),
}

/// What a fork starts: equal templates do the same with their values.
#[derive(Clone, Debug)]
pub(super) struct Start {
    /// The template.
    pub template: TemplateId,
    /// The values of its parameters.
    pub values: Values,
    /// The copies of `!` that begin with it, if they are marked.
    pub copies: CopyPath,
}

/// A system as a tree. The first node is the one for nothing.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// All nodes; a node comes before what follows it.
    pub nodes: Vec<Node>,
    /// For each node the one it follows.
    pub parent: Vec<u32>,
    /// For each node that a fork starts what it is.
    pub starts: Vec<Option<Start>>,
    /// The fork that everything begins with.
    pub root: u32,
}

impl Tree {
    /// One side of two systems; `None` if it is too large.
    pub(super) fn new(store: &TermStore, templates: &Templates, side: usize) -> Option<Self> {
        let tree = Self {
            nodes: vec![Node::Done],
            parent: vec![DONE],
            starts: vec![None],
            root: 1,
        };
        let mut builder = Builder {
            store,
            templates,
            tree,
            nested: 0,
        };
        let starts = templates.roots[side].iter();
        let starts = starts.zip(&templates.root_copies[side]);
        let starts = starts.map(|((template, values), copies)| Start {
            template: *template,
            values: values.clone(),
            copies: copies.clone(),
        });
        builder.fork(starts.collect(), DONE, 0)?;
        Some(builder.tree)
    }

    /// A node.
    pub(super) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// The nodes that may follow a node.
    pub(super) fn nexts(&self, node: u32) -> Vec<u32> {
        let mut nexts = match self.node(node) {
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
    pub(super) fn terms(&self, node: u32) -> Vec<TermId> {
        match self.node(node) {
            Node::Done | Node::Fork(_) => Vec::new(),
            Node::Act { channel, term, .. } => vec![*channel, *term],
            Node::Test { equations, .. } => equations.iter().flat_map(|(a, b)| [*a, *b]).collect(),
        }
    }
}

struct Builder<'a> {
    store: &'a TermStore,
    templates: &'a Templates,
    tree: Tree,
    /// Nodes above the one that is built.
    nested: u32,
}

impl Builder<'_> {
    fn add(&mut self, parent: u32) -> Option<u32> {
        let new = self.tree.nodes.len();
        self.tree.nodes.push(Node::Done);
        self.tree.parent.push(parent);
        self.tree.starts.push(None);
        (new < MOST).then_some(new as u32)
    }

    fn fork(&mut self, starts: Vec<Start>, parent: u32, depth: u32) -> Option<u32> {
        let new = self.add(parent)?;
        let mut parts = Vec::with_capacity(starts.len());
        for start in starts {
            let part = self.process(start.template, &start.values, new, depth)?;
            self.tree.starts[part as usize] = Some(start);
            parts.push(part);
        }
        self.tree.nodes[new as usize] = Node::Fork(parts);
        Some(new)
    }

    fn process(
        &mut self,
        template: TemplateId,
        values: &Values,
        parent: u32,
        depth: u32,
    ) -> Option<u32> {
        self.nested += 1;
        if self.nested > LONGEST {
            return None;
        }
        let (store, templates) = (self.store, self.templates);
        let new = self.add(parent)?;
        let node = match templates.act(template) {
            Act::Output {
                channel,
                message,
                next,
            } => Node::Act {
                kind: Kind::Output,
                channel: Templates::fill(store, *channel, values),
                term: Templates::fill(store, *message, values),
                next: self.follow(next, values, &[], new, depth)?,
            },
            Act::Input { channel, next } => {
                let bound = self.variables(depth, 1);
                Node::Act {
                    kind: Kind::Input,
                    channel: Templates::fill(store, *channel, values),
                    term: bound[0],
                    next: self.follow(next, values, &bound, new, depth + 1)?,
                }
            }
            Act::Test {
                equations,
                binds,
                then,
                otherwise,
            } => {
                let bound = self.variables(depth, *binds);
                let full = |t| fill_bound(store, Templates::fill(store, t, values), &bound);
                let equations = equations.iter().map(|(a, b)| (full(*a), full(*b)));
                Node::Test {
                    equations: equations.collect(),
                    binds: *binds,
                    then: self.follow(then, values, &bound, new, depth + binds)?,
                    otherwise: self.follow(otherwise, values, &bound, new, depth)?,
                }
            }
        };
        self.tree.nodes[new as usize] = node;
        self.nested -= 1;
        Some(new)
    }

    fn variables(&self, depth: u32, count: u32) -> Vec<TermId> {
        let first = LOCAL + depth;
        (first..first + count).map(|v| self.store.var(v)).collect()
    }

    /// What follows a node: nothing, one process that goes on, or several.
    fn follow(
        &mut self,
        next: &[Follower],
        values: &[TermId],
        bound: &[TermId],
        parent: u32,
        depth: u32,
    ) -> Option<u32> {
        let start = |f: &Follower| Start {
            template: f.template,
            values: Templates::follow(f, values, bound),
            copies: f.copies.clone(),
        };
        match next {
            [] => Some(DONE),
            [one] => {
                let Start {
                    template, values, ..
                } = start(one);
                self.process(template, &values, parent, depth)
            }
            several => self.fork(several.iter().map(start).collect(), parent, depth),
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
