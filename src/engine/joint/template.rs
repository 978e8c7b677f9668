//! Templates: the steps of both systems with their names and variables as parameters.
//!
//! A thread is a template and the values of its parameters. Restricted names are parameters like
//! variables, and so are the public names that are renamed ([`super::public_names`]). So two role
//! instances with the same future have literally the same template, in one system or in both.
//! Events are left out, since the environment can't see them. Parallel composition has become the
//! list of threads that follow an action. Tests that guard nothing are gone [Sem 3.1].

use crate::process::{Action, CopyPath, StepId, System};
use crate::term::{NameClass, TermId, TermStore, View, ranges};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// First number of the variables bound by a test; parameters are numbered from 0.
const BOUND: u32 = ranges::BOUND.start;

/// The values of a template's parameters.
pub(crate) type Values = SmallVec<[TermId; 6]>;

/// A number in [`Templates`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct TemplateId(pub u32);

/// Where a parameter of a following thread comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// The parameter of this number.
    Slot(u32),
    /// The variable of this number bound by the action.
    Bound(u32),
}

/// A thread that follows an action.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Follower {
    /// Its template.
    pub template: TemplateId,
    /// Its parameters.
    pub sources: Vec<Source>,
    /// The copies of `!` that begin with it, if they are marked; the `!` are numbered as they are met.
    pub copies: CopyPath,
}

/// What a template does first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Act {
    /// Sends.
    Output {
        /// The channel.
        channel: TermId,
        /// The message.
        message: TermId,
        /// What follows.
        next: Vec<Follower>,
    },
    /// Receives.
    Input {
        /// The channel.
        channel: TermId,
        /// What follows; the message is the bound variable 0.
        next: Vec<Follower>,
    },
    /// Tests.
    Test {
        /// The equations; variables from [`Templates::bound_var`] on are bound by them.
        equations: Vec<(TermId, TermId)>,
        /// Number of bound variables.
        binds: u32,
        /// What follows success.
        then: Vec<Follower>,
        /// What follows failure.
        otherwise: Vec<Follower>,
    },
}

/// The templates of two systems.
#[derive(Debug)]
pub(crate) struct Templates {
    acts: Vec<Act>,
    /// The threads each system starts with.
    pub roots: [Vec<(TemplateId, Values)>; 2],
    /// The copies of `!` that begin with each of them.
    pub root_copies: [Vec<CopyPath>; 2],
}

/// A step lowered: the threads it stands for, with the atoms that are their parameters.
type Lowered = Vec<(TemplateId, Vec<TermId>, CopyPath)>;

struct Builder<'a> {
    store: &'a TermStore,
    /// The public names that are parameters.
    public_names: &'a [TermId],
    acts: Vec<Act>,
    index: FxHashMap<Act, TemplateId>,
}

/// The parameters of one template, collected while its terms are rewritten.
struct Scope<'a> {
    store: &'a TermStore,
    public_names: &'a [TermId],
    bound: Vec<TermId>,
    slots: Vec<TermId>,
}

impl Scope<'_> {
    fn source(&mut self, atom: TermId) -> Source {
        if let Some(i) = self.bound.iter().position(|b| *b == atom) {
            return Source::Bound(i as u32);
        }
        let slot = self.slots.iter().position(|s| *s == atom);
        let slot = slot.unwrap_or_else(|| {
            self.slots.push(atom);
            self.slots.len() - 1
        });
        Source::Slot(slot as u32)
    }

    fn term(&mut self, t: TermId) -> TermId {
        let store = self.store;
        store.map_atoms(t, &mut |atom| {
            let parameter = match store.view(atom) {
                View::Var(_) => true,
                View::Name(n) => {
                    store.name_info(n).class == NameClass::Restricted
                        || self.public_names.contains(&atom)
                }
                _ => false,
            };
            parameter.then(|| match self.source(atom) {
                Source::Slot(i) => store.var(i),
                Source::Bound(i) => store.var(BOUND + i),
            })
        })
    }

    fn followers(&mut self, lowered: &Lowered) -> Vec<Follower> {
        let mut stars: Vec<u32> = Vec::new();
        let mut number = |star: u32| {
            let known = stars.iter().position(|s| *s == star);
            known.unwrap_or_else(|| {
                stars.push(star);
                stars.len() - 1
            }) as u32
        };
        lowered
            .iter()
            .map(|(template, atoms, copies)| Follower {
                template: *template,
                sources: atoms.iter().map(|a| self.source(*a)).collect(),
                copies: copies.iter().map(|(s, i)| (number(*s), *i)).collect(),
            })
            .collect()
    }
}

impl Builder<'_> {
    fn intern(&mut self, act: Act) -> TemplateId {
        if let Some(id) = self.index.get(&act) {
            return *id;
        }
        let id = TemplateId(self.acts.len() as u32);
        self.acts.push(act.clone());
        self.index.insert(act, id);
        id
    }

    fn scope(&self, bound: &[u32]) -> Scope<'_> {
        Scope {
            store: self.store,
            public_names: self.public_names,
            bound: bound.iter().map(|v| self.store.var(*v)).collect(),
            slots: Vec::new(),
        }
    }

    /// Lowers all steps of a system; children come before their parents.
    fn lower(&mut self, system: &System) -> (Vec<(TemplateId, Values)>, Vec<CopyPath>) {
        let mut done: Vec<Lowered> = Vec::with_capacity(system.steps.len());
        for (step, at) in system.steps.iter().zip(0..) {
            let lowered = match &step.action {
                // Systems with phases are not compared, so none comes here.
                Action::Nil | Action::Phase { .. } => Vec::new(),
                Action::Fork(parts) => {
                    let mut all: Lowered = parts
                        .iter()
                        .flat_map(|p| done[p.index()].iter().cloned())
                        .collect();
                    // The order of parallel threads means nothing; a fixed one makes more templates
                    // equal.
                    all.sort_by_key(|(t, ..)| *t);
                    all
                }
                Action::Event { next, .. } => done[next.index()].clone(),
                Action::Output {
                    channel,
                    message,
                    next,
                } => {
                    let mut scope = self.scope(&[]);
                    let act = Act::Output {
                        channel: scope.term(*channel),
                        message: scope.term(*message),
                        next: scope.followers(&done[next.index()]),
                    };
                    let slots = scope.slots;
                    vec![(self.intern(act), slots, CopyPath::new())]
                }
                Action::Input {
                    channel,
                    binder,
                    next,
                } => {
                    let mut scope = self.scope(&[*binder]);
                    let act = Act::Input {
                        channel: scope.term(*channel),
                        next: scope.followers(&done[next.index()]),
                    };
                    let slots = scope.slots;
                    vec![(self.intern(act), slots, CopyPath::new())]
                }
                Action::Test {
                    test,
                    then,
                    otherwise,
                } => {
                    let (yes, no) = (&done[then.index()], &done[otherwise.index()]);
                    if yes.is_empty() && no.is_empty() {
                        Vec::new()
                    } else {
                        let mut scope = self.scope(&test.binds);
                        let equations = test
                            .equations
                            .iter()
                            .map(|(a, b)| (scope.term(*a), scope.term(*b)))
                            .collect();
                        let act = Act::Test {
                            equations,
                            binds: test.binds.len() as u32,
                            then: scope.followers(yes),
                            otherwise: scope.followers(no),
                        };
                        let slots = scope.slots;
                        vec![(self.intern(act), slots, CopyPath::new())]
                    }
                }
            };
            let mut lowered = lowered;
            if let Some(path) = system.copies.get(&StepId(at)) {
                for (.., copies) in &mut lowered {
                    copies.insert_from_slice(0, path);
                }
            }
            done.push(lowered);
        }
        let root = done.get(system.root.index()).cloned();
        let root = root.unwrap_or_default().into_iter();
        root.map(|(t, atoms, copies)| ((t, atoms.into_iter().collect()), copies))
            .unzip()
    }
}

impl Templates {
    /// The templates of two systems, with the given public names as parameters.
    pub(crate) fn new(
        store: &TermStore,
        left: &System,
        right: &System,
        public_names: &[TermId],
    ) -> Self {
        let mut builder = Builder {
            store,
            public_names,
            acts: Vec::new(),
            index: FxHashMap::default(),
        };
        let (left, left_copies) = builder.lower(left);
        let (right, right_copies) = builder.lower(right);
        Self {
            acts: builder.acts,
            roots: [left, right],
            root_copies: [left_copies, right_copies],
        }
    }

    /// Whether there is a template of this number.
    #[cfg(feature = "distributed")]
    pub(crate) fn has(&self, t: TemplateId) -> bool {
        (t.0 as usize) < self.acts.len()
    }

    /// What a template does first.
    pub(crate) fn act(&self, t: TemplateId) -> &Act {
        &self.acts[t.0 as usize]
    }

    /// What the templates do first, in the order of their numbers.
    pub(crate) fn acts(&self) -> impl Iterator<Item = &Act> {
        self.acts.iter()
    }

    /// Adds a template that is at no test, for threads that only hold values.
    pub(crate) fn idle(&mut self, store: &TermStore) -> TemplateId {
        self.acts.push(Act::Input {
            channel: store.zero(),
            next: Vec::new(),
        });
        TemplateId(self.acts.len() as u32 - 1)
    }

    /// All terms of all templates.
    pub(crate) fn terms(&self) -> impl Iterator<Item = TermId> + '_ {
        self.acts.iter().flat_map(|act| match act {
            Act::Output {
                channel, message, ..
            } => vec![*channel, *message],
            Act::Input { channel, .. } => vec![*channel],
            Act::Test { equations, .. } => equations.iter().flat_map(|(a, b)| [*a, *b]).collect(),
        })
    }

    /// The variable that a template's test binds.
    pub(crate) fn bound_var(i: u32) -> u32 {
        BOUND + i
    }

    /// A template's term with the parameters replaced by values; variables bound by tests stay.
    pub(crate) fn fill(store: &TermStore, t: TermId, values: &[TermId]) -> TermId {
        if !store.facts(t).has_var {
            return t;
        }
        store.map_atoms(t, &mut |atom| match store.view(atom) {
            View::Var(v) if v < BOUND => Some(values[v as usize]),
            _ => None,
        })
    }

    /// The values of a following thread.
    pub(crate) fn follow(follower: &Follower, values: &[TermId], bound: &[TermId]) -> Values {
        follower
            .sources
            .iter()
            .map(|s| match s {
                Source::Slot(i) => values[*i as usize],
                Source::Bound(i) => bound[*i as usize],
            })
            .collect()
    }
}
