//! Two systems as one graph: steps and names, with an edge for each occurrence of a name in a step and for each step that
//! follows another.

use crate::engine::joint::private_form::{mix, op_hash};
use crate::process::{Action, StepId, System};
use crate::term::{NameClass, TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};

/// Operators and names of the largest term that is looked at; terms are walked as trees.
const LARGEST: u32 = 1 << 14;

/// Operators and names of all terms together.
const ALL: usize = 1 << 22;

/// Where a step stands among those that follow another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Branch {
    /// After an action, or where a test succeeds.
    Then,
    /// Where a test fails.
    Otherwise,
}

/// What a vertex stands for.
#[derive(Clone, Copy)]
enum Vertex {
    Step(StepId, Branch),
    Name(TermId),
}

/// The graph; vertices of the left system come before those of the right one.
pub struct Graph {
    vertices: Vec<Vertex>,
    /// What a vertex is by itself.
    pub colors: Vec<u64>,
    /// The neighbours, each with the kind of the edge.
    pub edges: Vec<Vec<(u32, u64)>>,
    /// The steps that follow a step.
    following: Vec<Vec<u32>>,
    /// The number of the left system's vertices.
    left: u32,
    /// The steps that each system starts with.
    pub roots: [Vec<u32>; 2],
    /// The vertices of the names that are renamed, in order of occurrence.
    pub names: [Vec<(TermId, u32)>; 2],
}

/// The terms of a step, the channel first.
pub fn terms(action: &Action) -> Vec<TermId> {
    match action {
        Action::Output {
            channel, message, ..
        } => vec![*channel, *message],
        Action::Input { channel, .. } => vec![*channel],
        Action::Test { test, .. } => test.equations.iter().flat_map(|(a, b)| [*a, *b]).collect(),
        Action::Nil | Action::Fork(_) | Action::Event { .. } | Action::Phase { .. } => Vec::new(),
    }
}

impl Graph {
    /// The graph of two systems in an environment that knows these terms; `None` if they are too large.
    pub fn new(store: &TermStore, systems: [&System; 2], knows: &[TermId]) -> Option<Self> {
        let mut known = FxHashSet::default();
        for t in knows {
            store.visit(*t, &mut |s| known.insert(s));
        }
        let mut graph = Self {
            vertices: Vec::new(),
            colors: Vec::new(),
            edges: Vec::new(),
            following: Vec::new(),
            left: 0,
            roots: [Vec::new(), Vec::new()],
            names: [Vec::new(), Vec::new()],
        };
        let mut room = ALL;
        for (side, system) in systems.into_iter().enumerate() {
            let mut builder = Builder {
                store,
                system,
                known: &known,
                graph: &mut graph,
                side,
                numbers: FxHashMap::default(),
                binders: FxHashMap::default(),
                room,
            };
            builder.build()?;
            room = builder.room;
            if side == 0 {
                graph.left = graph.vertices.len() as u32;
            }
        }
        Some(graph)
    }

    /// The side that a vertex belongs to.
    pub fn side(&self, v: u32) -> usize {
        usize::from(v >= self.left)
    }

    /// The step of a vertex, if it is one.
    pub fn step_of(&self, v: u32) -> Option<StepId> {
        match self.vertices[v as usize] {
            Vertex::Step(s, _) => Some(s),
            Vertex::Name(_) => None,
        }
    }

    /// The name of a vertex, if it is one.
    pub fn name_of(&self, v: u32) -> Option<TermId> {
        match self.vertices[v as usize] {
            Vertex::Name(n) => Some(n),
            Vertex::Step(..) => None,
        }
    }

    /// The steps that follow a step.
    pub fn children(&self, v: u32, branch: Branch) -> Vec<u32> {
        let on = |c: &u32| matches!(self.vertices[*c as usize], Vertex::Step(_, b) if b == branch);
        let following = self.following[v as usize].iter();
        following.copied().filter(on).collect()
    }

    fn add(&mut self, vertex: Vertex, color: u64) -> u32 {
        self.vertices.push(vertex);
        self.colors.push(color);
        self.edges.push(Vec::new());
        self.following.push(Vec::new());
        self.vertices.len() as u32 - 1
    }

    fn connect(&mut self, a: u32, b: u32, kind: u64) {
        self.edges[a as usize].push((b, mix(61, kind)));
        self.edges[b as usize].push((a, mix(67, kind)));
    }
}

struct Builder<'a> {
    store: &'a TermStore,
    system: &'a System,
    /// What the environment knows, and what is within.
    known: &'a FxHashSet<TermId>,
    graph: &'a mut Graph,
    side: usize,
    /// The vertices of the names met so far.
    numbers: FxHashMap<TermId, u32>,
    /// Where each variable is bound: how many steps from the start, and as which one.
    binders: FxHashMap<u32, (u64, u64)>,
    /// Operators and names that may still be walked over.
    room: usize,
}

/// A step to be added: what it follows, on which branch, and how far it is from the start.
struct Waiting {
    step: StepId,
    parent: Option<u32>,
    branch: Branch,
    depth: u64,
}

impl Builder<'_> {
    fn build(&mut self) -> Option<()> {
        let empty = self.empty();
        let mut work = vec![Waiting {
            step: self.system.root,
            parent: None,
            branch: Branch::Then,
            depth: 0,
        }];
        while let Some(Waiting {
            step,
            parent,
            branch,
            depth,
        }) = work.pop()
        {
            if empty[step.index()] {
                continue;
            }
            let after = |step: &StepId, parent, branch, depth| Waiting {
                step: *step,
                parent,
                branch,
                depth,
            };
            let action = &self.system.step(step).action;
            match action {
                Action::Nil => {}
                Action::Fork(parts) => {
                    let parts = parts.iter().rev();
                    work.extend(parts.map(|p| after(p, parent, branch, depth)));
                }
                Action::Event { next, .. } => work.push(after(next, parent, branch, depth)),
                // Systems with phases are not compared.
                Action::Phase { .. } => return None,
                Action::Output { next, .. } => {
                    let this = self.step(step, parent, branch, depth)?;
                    work.push(after(next, Some(this), Branch::Then, depth + 1));
                }
                Action::Input { binder, next, .. } => {
                    self.bind(*binder, (depth, 0))?;
                    let this = self.step(step, parent, branch, depth)?;
                    work.push(after(next, Some(this), Branch::Then, depth + 1));
                }
                Action::Test {
                    test,
                    then,
                    otherwise,
                } => {
                    for (i, x) in (0..).zip(&test.binds) {
                        self.bind(*x, (depth, i))?;
                    }
                    let this = self.step(step, parent, branch, depth)?;
                    work.push(after(then, Some(this), Branch::Then, depth + 1));
                    work.push(after(otherwise, Some(this), Branch::Otherwise, depth + 1));
                }
            }
        }
        Some(())
    }

    /// Notes where a variable is bound; `None` if it is bound twice, for then it does not tell by itself which one it is.
    fn bind(&mut self, variable: u32, by: (u64, u64)) -> Option<()> {
        self.binders.insert(variable, by).is_none().then_some(())
    }

    /// The steps that nobody sees anything of; children come before their parents.
    fn empty(&self) -> Vec<bool> {
        let mut empty: Vec<bool> = Vec::with_capacity(self.system.steps.len());
        for step in &self.system.steps {
            let is = |s: &StepId| empty[s.index()];
            let this = match &step.action {
                Action::Nil => true,
                Action::Fork(parts) => parts.iter().all(is),
                Action::Event { next, .. } => is(next),
                Action::Test {
                    then, otherwise, ..
                } => is(then) && is(otherwise),
                Action::Output { .. } | Action::Input { .. } | Action::Phase { .. } => false,
            };
            empty.push(this);
        }
        empty
    }

    /// Adds a step with its terms.
    fn step(
        &mut self,
        step: StepId,
        parent: Option<u32>,
        branch: Branch,
        depth: u64,
    ) -> Option<u32> {
        let this = self.graph.add(Vertex::Step(step, branch), 0);
        let action = &self.system.step(step).action;
        let kind = match action {
            Action::Output { .. } => 1,
            Action::Input { .. } => 2,
            _ => 3,
        };
        let mut color = mix(mix(kind, branch as u64), depth);
        let mut place = 0;
        for t in terms(action) {
            let size = self.store.facts(t).size;
            if size > LARGEST {
                return None;
            }
            self.room = self.room.checked_sub(size as usize)?;
            color = mix(color, self.term(this, t, &mut place));
        }
        self.graph.colors[this as usize] = color;
        match parent {
            None => self.graph.roots[self.side].push(this),
            Some(parent) => {
                self.graph.following[parent as usize].push(this);
                self.graph.connect(parent, this, 0);
            }
        }
        Some(this)
    }

    /// A hash of a term in which names that are renamed count only as such; they get their edges.
    fn term(&mut self, step: u32, t: TermId, place: &mut u64) -> u64 {
        let store = self.store;
        let facts = store.facts(t);
        if !facts.has_secret && !facts.has_var {
            return facts.hash;
        }
        match store.view(t) {
            View::Var(x) => match self.binders.get(&x) {
                Some((depth, i)) => mix(mix(5, *depth), *i),
                None => facts.hash,
            },
            View::Name(_) if self.is_renamed(t) => {
                let name = self.name(t);
                *place += 1;
                self.graph.connect(step, name, *place);
                7
            }
            _ => {
                let node = store.node(t);
                if node.args.is_empty() {
                    return facts.hash;
                }
                let start = mix(11, op_hash(store, node.op));
                let args = node.args.iter();
                args.fold(start, |h, a| mix(h, self.term(step, *a, place)))
            }
        }
    }

    fn name(&mut self, t: TermId) -> u32 {
        if let Some(v) = self.numbers.get(&t) {
            return *v;
        }
        let v = self.graph.add(Vertex::Name(t), 0);
        self.numbers.insert(t, v);
        self.graph.names[self.side].push((t, v));
        v
    }

    /// Whether a name means nothing to the environment before it hears it.
    fn is_renamed(&self, t: TermId) -> bool {
        let secret = |class| matches!(class, NameClass::Restricted | NameClass::Private);
        matches!(self.store.view(t), View::Name(n) if secret(self.store.name_info(n).class))
            && !self.known.contains(&t)
    }
}
