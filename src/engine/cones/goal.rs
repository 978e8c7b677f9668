//! Solving: runs in which the environment can make given terms.
//!
//! A search over goals "the environment has this term before these inputs". A goal that is a variable stays: the environment
//! chooses. A goal that is a tuple or a successor is made from its parts, since facts never have such heads. Any other goal is
//! composed, or is an instance of a fact, whose run then becomes part of the run ([`super::merge`]).

use super::cast::Cast;
use super::facts::Fact;
use super::partial::{Frozen, Goal, Partial, compose, public_part};
use super::renaming::{Renaming, Vars};
use super::run::{Deadlines, Run};
use super::tree::LOCAL;
use crate::attacker::knowledge::{Composition, composition, is_constant, member_of, parts};
use crate::engine::joint::trail::Recipe;
use crate::term::{Args, Op, TermId, TermStore, View};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::sync::Arc;

/// Facts used on one way through the search; a sensible search never comes near.
const DEEPEST: u32 = 200;

/// Operators and names of the largest message.
pub(super) const LARGEST: u32 = 1 << 10;

/// What may be held at a time of runs that wait to be tried, in things of a few words: about a hundred megabytes.
const HELD: usize = 4_000_000;

/// The weight of a run from which on a step with it counts twice, and so on.
const HEAVY: usize = 256;

/// Operators looked at between two questions whether to stop.
const STRIDE: u64 = 1 << 20;

/// A solved run: what became of the terms and recipes that were asked for.
#[derive(Clone, Debug)]
pub(super) struct Solved {
    /// The run.
    pub run: Run,
    /// The terms.
    pub terms: Vec<TermId>,
    /// The recipes.
    pub recipes: Vec<Arc<Recipe>>,
}

/// What to report of a solution.
#[derive(Clone, Debug, Default)]
pub(super) struct Report {
    /// Terms.
    pub terms: Vec<TermId>,
    /// Recipes.
    pub recipes: Vec<Arc<Recipe>>,
}

/// A search for solutions.
pub(super) struct Solver<'a> {
    /// The terms.
    pub store: &'a TermStore,
    /// The threads.
    pub cast: &'a Cast,
    /// The side that runs.
    pub side: usize,
    /// The agents that the environment plays.
    pub spies: &'a [TermId],
    /// What the environment can have heard.
    pub facts: &'a [Fact],
    /// Facts from this number on are the latest.
    pub latest: usize,
    /// Only solutions that use one of the latest facts.
    pub only_fresh: bool,
    /// The run that has to stay as it is, if it has to.
    pub frozen: Option<&'a Frozen>,
    /// Steps that may still be done.
    pub patience: &'a Cell<u64>,
    /// Whether to stop.
    pub stopped: &'a dyn Fn() -> bool,
    /// Operators looked at since that was asked.
    pub looked: Cell<u64>,
    /// The weight of the runs that wait to be tried.
    pub held: Cell<usize>,
    /// Set where one more copy of a `!` could have taken a place.
    pub crowded: &'a Cell<bool>,
}

/// What is left to be tried.
enum Task {
    /// A run.
    Run(Partial),
    /// The run with a goal that is an instance of one of some facts, the last one first.
    Facts {
        partial: Partial,
        goal: Goal,
        term: TermId,
        facts: Vec<usize>,
    },
}

impl Solver<'_> {
    /// All solutions of a run with goals, each in its most general form.
    pub(super) fn solve(&self, partial: Partial, report: &Report) -> Vec<Solved> {
        let mut found = Vec::new();
        self.run(partial, report, &mut found);
        found
    }

    /// How a run that has to stay as it is makes a term, if it does.
    pub(super) fn makes(&self, run: &Run, term: TermId) -> Option<Arc<Recipe>> {
        let mut partial = Partial::frozen(self.store, run);
        let choice = partial.want(term, Deadlines::new());
        let report = Report {
            terms: Vec::new(),
            recipes: vec![Arc::new(Recipe::Choice(choice))],
        };
        let found = self.solve(partial, &report);
        found
            .into_iter()
            .next()
            .and_then(|s| s.recipes.into_iter().next())
    }

    /// Books a step with a run: one, and more for a large run.
    pub(super) fn spend(&self, weight: usize) {
        let steps = 1 + (weight / HEAVY) as u64;
        self.patience.set(self.patience.get().saturating_sub(steps));
        self.look(4096);
    }

    /// Books that so much was looked at; asks whether to stop now and then.
    fn look(&self, size: u32) {
        let looked = self.looked.get() + u64::from(size);
        self.looked.set(looked % STRIDE);
        if looked >= STRIDE && (self.stopped)() {
            self.give_up();
        }
    }

    fn give_up(&self) {
        self.patience.set(0);
    }

    /// Whether the search gave up.
    pub(super) fn gave_up(&self) -> bool {
        self.patience.get() == 0
    }

    /// Books a run that has to wait.
    pub(super) fn hold(&self, partial: &Partial) {
        self.held.set(self.held.get() + partial.weight());
        if self.held.get() > HELD {
            self.give_up();
        }
    }

    fn release(&self, partial: &Partial) {
        let held = self.held.get();
        self.held.set(held.saturating_sub(partial.weight()));
    }

    fn run(&self, partial: Partial, report: &Report, found: &mut Vec<Solved>) {
        self.held.set(0);
        self.hold(&partial);
        // A list instead of recursion: a term of many operators is composed in as many steps.
        let mut work = vec![Task::Run(partial)];
        while let Some(task) = work.pop() {
            if self.gave_up() || self.frozen.is_some() && !found.is_empty() {
                return;
            }
            match task {
                Task::Run(partial) => {
                    self.release(&partial);
                    self.step(partial, report, found, &mut work);
                }
                Task::Facts {
                    partial,
                    goal,
                    term,
                    mut facts,
                } => {
                    let Some(fact) = facts.pop() else {
                        self.release(&partial);
                        continue;
                    };
                    let ways = self.by_fact(&partial, &goal, term, fact);
                    work.push(Task::Facts {
                        partial,
                        goal,
                        term,
                        facts,
                    });
                    work.extend(ways.into_iter().rev().map(Task::Run));
                }
            }
        }
    }

    /// Takes a run as far as there is one way to go, then leaves the ways as tasks, the first one last.
    fn step(&self, mut p: Partial, report: &Report, found: &mut Vec<Solved>, work: &mut Vec<Task>) {
        let store = self.store;
        if p.depth > DEEPEST {
            self.give_up();
        }
        self.spend(p.weight());
        // The goal with the fewest facts to try goes first.
        let mut best: Option<(usize, TermId, Vec<usize>)> = None;
        let mut i = 0;
        while i < p.goals.len() {
            if self.gave_up() {
                return;
            }
            if let View::Var(v) = store.view(p.subst.walk(p.goals[i].term)) {
                if let Some(frozen) = self.frozen
                    && v < p.fixed
                    && !frozen.chosen(v, &p.goals[i].before)
                {
                    return;
                }
                self.look(1);
                i += 1;
                continue;
            }
            let term = p.subst.resolve(store, p.goals[i].term);
            let size = store.facts(term).size;
            self.look(size);
            if size > LARGEST {
                self.give_up();
                return;
            }
            if is_constant(store, term) {
                let goal = p.goals.swap_remove(i);
                p.made.push((goal.choice, Arc::new(Recipe::Constant(term))));
                continue;
            }
            if let Some(args) = parts(store, term) {
                let goal = p.goals.swap_remove(i);
                compose(&mut p, &goal, store.node(term).op, &args);
                continue;
            }
            let candidates = self.candidates(term);
            if candidates.is_empty() {
                match self.only_composition(term) {
                    Some(args) => {
                        self.spend(0);
                        let goal = p.goals.swap_remove(i);
                        compose(&mut p, &goal, store.node(term).op, &args);
                        continue;
                    }
                    None if !self.composable(term) => return,
                    None => {}
                }
            }
            if best
                .as_ref()
                .is_none_or(|(_, _, b)| candidates.len() < b.len())
            {
                best = Some((i, term, candidates));
            }
            i += 1;
        }
        let Some((at, term, mut facts)) = best else {
            return self.record(p, report, found);
        };
        let goal = p.goals.swap_remove(at);
        let ways = self.by_composition(&p, &goal, term);
        facts.reverse();
        if !facts.is_empty() {
            self.hold(&p);
            work.push(Task::Facts {
                partial: p,
                goal,
                term,
                facts,
            });
        }
        work.extend(ways.into_iter().rev().map(Task::Run));
    }

    /// The arguments of a term that is composed in one way only, if it is at all.
    fn only_composition(&self, term: TermId) -> Option<Args> {
        let store = self.store;
        match composition(store, term) {
            // There may be a member of a family behind it.
            Composition::From(_) if matches!(store.view(term), View::Pub(_)) => None,
            Composition::From(args) => Some(args.into()),
            _ => None,
        }
    }

    fn record(&self, mut p: Partial, report: &Report, found: &mut Vec<Solved>) {
        let store = self.store;
        if self.only_fresh && !p.fresh || p.is_violated(store) {
            return;
        }
        let Some((mut run, vars)) = p.close(store) else {
            return self.give_up();
        };
        let mut terms: Vec<TermId> = report.terms.iter().map(|t| p.term(store, *t)).collect();
        let mut now = p.recipes();
        let recipes: Option<Vec<_>> = report.recipes.iter().map(|r| now.now(r)).collect();
        let Some(mut recipes) = recipes else {
            return self.give_up();
        };
        let tests = run.against.iter().flat_map(|a| &a.equations);
        let tests = tests.flat_map(|(a, b)| [*a, *b]);
        let all = run.sent.iter().map(|s| s.term).chain(tests);
        if all
            .chain(terms.iter().copied())
            .any(|t| store.facts(t).size > LARGEST)
        {
            return self.give_up();
        }
        let table: FxHashMap<u32, u32> = vars.iter().copied().zip(0u32..).collect();
        let sent = run.sent.iter().map(|s| s.term);
        if !sent
            .chain(terms.iter().copied())
            .all(|t| only(store, t, &table))
        {
            // A variable that nobody chooses: not a case for this procedure.
            return self.give_up();
        }
        let renaming = Renaming {
            vars: Vars::Table(table),
            ..Renaming::default()
        };
        for s in &mut run.sent {
            s.term = renaming.term(store, s.term);
            s.recipe = renaming.recipe(&s.recipe);
        }
        for a in &mut run.against {
            *a = renaming.against(store, a);
        }
        for t in &mut terms {
            *t = renaming.term(store, *t);
        }
        for r in &mut recipes {
            *r = renaming.recipe(r);
        }
        found.push(Solved {
            run,
            terms,
            recipes,
        });
    }

    /// The facts whose heads may become the term, by number.
    fn candidates(&self, term: TermId) -> Vec<usize> {
        let possible = |f: &Fact| match self.store.view(term) {
            // Own names differ from thread to thread.
            View::Name(_) => matches!(self.store.view(f.head), View::Name(_)),
            _ => self.store.node(term).op == self.store.node(f.head).op,
        };
        let facts = self.facts.iter().enumerate();
        facts.filter(|(_, f)| possible(f)).map(|(i, _)| i).collect()
    }

    fn composable(&self, term: TermId) -> bool {
        let store = self.store;
        match composition(store, term) {
            Composition::Never => false,
            Composition::Constant | Composition::From(_) | Composition::FromEither(_) => true,
            Composition::FromIfSpy(args) => args
                .iter()
                .any(|a| store.is_spy(*a) || matches!(store.view(*a), View::Var(_))),
        }
    }

    /// The ways to compose a goal.
    fn by_composition(&self, p: &Partial, goal: &Goal, term: TermId) -> Vec<Partial> {
        let store = self.store;
        let op = store.node(term).op;
        let mut ways = Vec::new();
        let mut take = |with: Partial| {
            self.hold(&with);
            ways.push(with);
        };
        if let View::Pub(z) = store.view(term)
            && matches!(store.view(z), View::Var(_))
        {
            // The public part of something open may be that of a member of a family.
            for (family, arity) in store.key_pair_families() {
                let mut with = p.clone();
                let args: Args = (0..arity).map(|_| store.var(with.variable())).collect();
                for mut with in with.equated(store, &[(z, store.family(family, &args))]) {
                    public_part(&mut with, goal, Op::Family(family), &args);
                    take(with);
                }
            }
        }
        match composition(store, term) {
            Composition::From(args) => {
                if let Some(member) = member_of(store, term) {
                    let mut with = p.clone();
                    public_part(&mut with, goal, store.node(member).op, args);
                    take(with);
                    let mut with = p.clone();
                    compose(&mut with, goal, op, &[member]);
                    take(with);
                } else {
                    let mut with = p.clone();
                    compose(&mut with, goal, op, args);
                    take(with);
                }
            }
            Composition::FromIfSpy(args) => {
                if args.iter().any(|a| store.is_spy(*a)) {
                    let mut with = p.clone();
                    compose(&mut with, goal, op, args);
                    take(with);
                    return ways;
                }
                for a in args {
                    if !matches!(store.view(*a), View::Var(_)) {
                        continue;
                    }
                    for spy in self.spies {
                        for mut with in p.clone().equated(store, &[(*a, *spy)]) {
                            compose(&mut with, goal, op, args);
                            take(with);
                        }
                    }
                }
            }
            Composition::FromEither(both) => {
                for args in both {
                    let mut with = p.clone();
                    compose(&mut with, goal, op, &args);
                    take(with);
                }
            }
            Composition::Constant | Composition::Never => {}
        }
        ways
    }
}

/// Whether a term has only these variables.
fn only(store: &TermStore, t: TermId, vars: &FxHashMap<u32, u32>) -> bool {
    let mut all = true;
    store.visit(t, &mut |s| {
        if let View::Var(v) = store.view(s) {
            all &= v < LOCAL && vars.contains_key(&v);
        }
        store.facts(s).has_var
    });
    all
}
