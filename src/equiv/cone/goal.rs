//! Solving: runs in which the environment can make given terms.
//!
//! A search over goals "the environment has this term before these inputs". A goal that is a variable stays: the environment
//! chooses. A goal that is a tuple or a successor is made from its parts, since facts never have such heads. Any other goal is
//! composed, or is an instance of a fact, whose run then becomes part of the run.
//!
//! Where the run and the fact's run have an input in common, its messages must be equal, and the run's recipe is kept.
//! Of the threads of a class that the run does not have yet the first ones are taken.

use super::super::trail::Recipe;
use super::facts::Fact;
use super::role::{Cast, LOCAL};
use super::run::{
    Against, Clock, Deadlines, Event, Last, Renaming, Run, Sent, Vars, book, done, join, last_of,
    linear, pasts, within,
};
use crate::knowledge::{Composition, composition, is_constant, member_of, parts};
use crate::symbolic::may_be_equal;
use crate::term::{Args, Op, Rank, Subst, TermId, TermStore, View, unify};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Facts used on one way through the search; a sensible search never comes near.
const DEEPEST: u32 = 200;

/// Operators and names of the largest message.
const LARGEST: u32 = 1 << 12;

/// A term that the environment must have.
#[derive(Clone, Debug)]
struct Goal {
    term: TermId,
    /// The number that stands for its recipe.
    choice: u32,
    /// The inputs before which it must be had.
    before: Deadlines,
}

/// A run with open goals.
#[derive(Clone, Debug)]
pub struct Partial {
    side: usize,
    subst: Subst,
    /// How far each thread has gone.
    pub clock: Clock,
    /// The inputs, by event; terms and recipes are not resolved.
    pub sent: Vec<Sent>,
    /// The last action of each thread.
    pub last: Last,
    /// The tests that must fail.
    pub against: Vec<Against>,
    goals: Vec<Goal>,
    made: Vec<(u32, Arc<Recipe>)>,
    /// The next unused variable and choice.
    next: u32,
    /// Variables before this one are not bound.
    fixed: u32,
    /// One of the latest facts has been used.
    fresh: bool,
    depth: u32,
}

/// A run that has to stay as it is: only what it has may be used, and its choices stay open.
#[derive(Debug)]
pub struct Frozen {
    choices: Vec<Deadlines>,
    /// The inputs with everything that comes before them.
    pasts: Vec<(Event, Clock)>,
}

impl Frozen {
    /// The run as it is.
    pub fn new(run: &Run) -> Self {
        let events = run.sent.iter().map(|s| s.event);
        Self {
            choices: run.choices.clone(),
            pasts: events.zip(pasts(run)).collect(),
        }
    }

    fn past(&self, event: Event) -> &[(u16, u16)] {
        let found = self.pasts.binary_search_by_key(&event, |(e, _)| *e);
        found.map_or(&[], |i| &self.pasts[i].1)
    }

    /// Whether a choice was made before some inputs.
    fn chosen(&self, choice: u32, before: &[Event]) -> bool {
        let Some(deadlines) = self.choices.get(choice as usize) else {
            return false;
        };
        before.iter().all(|b| {
            let past = self.past(*b);
            let earlier = |(t, at): &Event| (*t, *at) == *b || done(past, *t) > *at;
            deadlines.iter().any(earlier)
        })
    }
}

impl Partial {
    /// A run as it is.
    pub fn new(store: &TermStore, run: &Run) -> Self {
        let choices = (0u32..).zip(&run.choices);
        let goals = choices.map(|(choice, before)| Goal {
            term: store.var(choice),
            choice,
            before: before.clone(),
        });
        Self {
            side: run.side,
            subst: Subst::new(),
            clock: run.clock.clone(),
            sent: run.sent.clone(),
            last: run.last.clone(),
            against: run.against.clone(),
            goals: goals.collect(),
            made: Vec::new(),
            next: run.choices.len() as u32,
            fixed: 0,
            fresh: false,
            depth: 0,
        }
    }

    /// A run that has to stay as it is.
    pub fn frozen(store: &TermStore, run: &Run) -> Self {
        let mut partial = Self::new(store, run);
        partial.fixed = partial.next;
        partial
    }

    /// A new variable that is no choice.
    pub fn variable(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Asks for a term before some inputs; the number stands for its recipe.
    pub fn want(&mut self, term: TermId, before: Deadlines) -> u32 {
        let choice = self.variable();
        self.goals.push(Goal {
            term,
            choice,
            before,
        });
        choice
    }

    /// Makes terms equal; whether they can be.
    pub fn equate(&mut self, store: &TermStore, pairs: &[(TermId, TermId)]) -> bool {
        let fixed = self.fixed;
        let rank = |t: TermId| -> Rank {
            match store.view(t) {
                View::Var(v) if v < fixed => None,
                _ => Some(0),
            }
        };
        unify(store, pairs, &rank, &mut self.subst)
    }

    /// A term as it is now.
    pub fn term(&self, store: &TermStore, t: TermId) -> TermId {
        self.subst.resolve(store, t)
    }

    /// A recipe as it is now.
    pub fn recipe(&self, recipe: &Arc<Recipe>) -> Arc<Recipe> {
        let all = |args: &[Arc<Recipe>]| args.iter().map(|a| self.recipe(a)).collect();
        match &**recipe {
            Recipe::Choice(c) => match self.made.iter().find(|(g, _)| g == c) {
                Some((_, made)) => self.recipe(made),
                None => recipe.clone(),
            },
            Recipe::Initial(_) | Recipe::Heard(_) | Recipe::Constant(_) => recipe.clone(),
            Recipe::Apply(op, args) => Arc::new(Recipe::Apply(*op, all(args))),
            Recipe::Part(of, i, n) => Arc::new(Recipe::Part(self.recipe(of), *i, *n)),
            Recipe::Predecessor(of) => Arc::new(Recipe::Predecessor(self.recipe(of))),
            Recipe::Open(how, of, key) => {
                Arc::new(Recipe::Open(*how, self.recipe(of), self.recipe(key)))
            }
        }
    }

    fn both(&self, store: &TermStore, pairs: &[(TermId, TermId)]) -> Vec<(TermId, TermId)> {
        let pairs = pairs.iter();
        pairs
            .map(|(a, b)| (self.term(store, *a), self.term(store, *b)))
            .collect()
    }

    /// Whether a test that must fail succeeds whatever is chosen.
    fn is_violated(&self, store: &TermStore) -> bool {
        self.against
            .iter()
            .any(|a| holds(store, &self.both(store, &a.equations), &mut Subst::new()))
    }

    /// The run, all goals being variables, and the variables that are its choices, in order. Goals with the same variable
    /// are one choice.
    fn close(&mut self, store: &TermStore) -> (Run, Vec<u32>) {
        let mut vars: Vec<u32> = Vec::new();
        let mut choices: Vec<Deadlines> = Vec::new();
        for goal in std::mem::take(&mut self.goals) {
            let View::Var(v) = store.view(self.subst.walk(goal.term)) else {
                unreachable!("only variables are left");
            };
            let at = vars.iter().position(|w| *w == v).unwrap_or_else(|| {
                vars.push(v);
                choices.push(Deadlines::new());
                vars.len() - 1
            });
            choices[at].extend(goal.before);
            choices[at].sort_unstable();
            choices[at].dedup();
            if goal.choice != v {
                self.made.push((goal.choice, Arc::new(Recipe::Choice(v))));
            }
        }
        // A choice that is now another variable's must not be taken for that variable's own.
        let sent = self.sent.iter().map(|s| Sent {
            event: s.event,
            term: self.term(store, s.term),
            recipe: self.recipe(&s.recipe),
            needs: s.needs.clone(),
        });
        let against = self.against.iter().map(|a| Against {
            event: a.event,
            equations: self.both(store, &a.equations),
        });
        let run = Run {
            side: self.side,
            clock: self.clock.clone(),
            sent: sent.collect(),
            choices,
            last: self.last.clone(),
            against: against.collect(),
        };
        (run, vars)
    }
}

/// Whether equations hold whatever is chosen, and for which values of the variables that they bind.
pub fn holds(store: &TermStore, equations: &[(TermId, TermId)], values: &mut Subst) -> bool {
    let rank = |t: TermId| -> Rank {
        match store.view(t) {
            View::Var(v) if v >= LOCAL => Some(0),
            _ => None,
        }
    };
    unify(store, equations, &rank, values)
}

/// A solved run: what became of the terms and recipes that were asked for.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The run.
    pub run: Run,
    /// The terms.
    pub terms: Vec<TermId>,
    /// The recipes.
    pub recipes: Vec<Arc<Recipe>>,
}

/// What to report of a solution.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Terms.
    pub terms: Vec<TermId>,
    /// Recipes.
    pub recipes: Vec<Arc<Recipe>>,
}

/// A search for solutions.
pub struct Solver<'a> {
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
    /// Goals that may still be tried.
    pub patience: &'a std::cell::Cell<u64>,
}

impl Solver<'_> {
    /// All solutions of a run with goals, each in its most general form.
    pub fn solve(&self, partial: Partial, report: &Report) -> Vec<Solved> {
        let mut found = Vec::new();
        self.run(partial, report, &mut found);
        found
    }

    /// How a run that has to stay as it is makes a term, if it does.
    pub fn makes(&self, run: &Run, term: TermId) -> Option<Arc<Recipe>> {
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

    /// Whether a run that has to stay as it is contains that of a fact, with the term as its head and a thread in its place.
    pub fn contains(&self, run: &Run, term: TermId, fact: &Fact, thread: u16) -> bool {
        let partial = Partial::frozen(self.store, run);
        let goal = Goal {
            term,
            choice: partial.next,
            before: Deadlines::new(),
        };
        let mut renaming = Renaming {
            vars: Vars::Shift(partial.next + 1),
            ..Renaming::default()
        };
        let mut found = Vec::new();
        let mut base = partial.clone();
        base.next += 1;
        self.cast_fact(
            &partial,
            fact,
            &mut renaming,
            &mut Vec::new(),
            &mut |renaming: &Renaming| {
                let head = renaming.term(self.store, fact.head);
                if !found.is_empty()
                    || renaming.event((thread, 0)).0 != thread
                    || !may_be_equal(self.store, head, term)
                {
                    return;
                }
                if let Some(with) = self.merged(&base, &goal, term, fact, head, renaming) {
                    self.run(with, &Report::default(), &mut found);
                }
            },
        );
        !found.is_empty()
    }

    fn spend(&self) {
        self.patience.set(self.patience.get().saturating_sub(1));
    }

    /// Whether the search gave up.
    fn gave_up(&self) -> bool {
        self.patience.get() == 0
    }

    fn run(&self, mut p: Partial, report: &Report, found: &mut Vec<Solved>) {
        let store = self.store;
        if self.frozen.is_some() && !found.is_empty() {
            return;
        }
        if p.depth > DEEPEST {
            self.patience.set(0);
        }
        self.spend();
        if self.gave_up() {
            return;
        }
        // The goal with the fewest facts to try goes first.
        let mut best: Option<(usize, TermId, Vec<usize>)> = None;
        let mut i = 0;
        while i < p.goals.len() {
            if let View::Var(v) = store.view(p.subst.walk(p.goals[i].term)) {
                if let Some(frozen) = self.frozen
                    && v < p.fixed
                    && !frozen.chosen(v, &p.goals[i].before)
                {
                    return;
                }
                i += 1;
                continue;
            }
            let term = p.subst.resolve(store, p.goals[i].term);
            if store.facts(term).size > LARGEST {
                self.patience.set(0);
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
            if candidates.is_empty() && !self.composable(term) {
                return;
            }
            if best
                .as_ref()
                .is_none_or(|(_, _, b)| candidates.len() < b.len())
            {
                best = Some((i, term, candidates));
            }
            i += 1;
        }
        let Some((at, term, candidates)) = best else {
            return self.record(p, report, found);
        };
        let goal = p.goals.swap_remove(at);
        self.by_composition(&p, &goal, term, report, found);
        for f in candidates {
            self.by_fact(&p, &goal, term, f, report, found);
        }
    }

    fn record(&self, mut p: Partial, report: &Report, found: &mut Vec<Solved>) {
        let store = self.store;
        if self.only_fresh && !p.fresh || p.is_violated(store) {
            return;
        }
        let (mut run, vars) = p.close(store);
        let mut terms: Vec<TermId> = report.terms.iter().map(|t| p.term(store, *t)).collect();
        let mut recipes: Vec<_> = report.recipes.iter().map(|r| p.recipe(r)).collect();
        let table: FxHashMap<u32, u32> = vars.iter().copied().zip(0u32..).collect();
        let sent = run.sent.iter().map(|s| s.term);
        if !sent
            .chain(terms.iter().copied())
            .all(|t| only(store, t, &table))
        {
            // A variable that nobody chooses: not a case for this procedure.
            self.patience.set(0);
            return;
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
            Composition::Constant | Composition::From(_) => true,
            Composition::FromIfSpy(args) => args
                .iter()
                .any(|a| store.is_spy(*a) || matches!(store.view(*a), View::Var(_))),
        }
    }

    fn by_composition(
        &self,
        p: &Partial,
        goal: &Goal,
        term: TermId,
        report: &Report,
        found: &mut Vec<Solved>,
    ) {
        let store = self.store;
        let op = store.node(term).op;
        if let View::Pub(z) = store.view(term)
            && matches!(store.view(z), View::Var(_))
        {
            // The public part of something open may be that of a member of a family.
            for (family, arity) in store.key_pair_families() {
                let mut with = p.clone();
                let args: Args = (0..arity).map(|_| store.var(with.variable())).collect();
                if with.equate(store, &[(z, store.family(family, &args))]) {
                    public_part(&mut with, goal, Op::Family(family), &args);
                    self.run(with, report, found);
                }
            }
        }
        match composition(store, term) {
            Composition::From(args) => {
                if let Some(member) = member_of(store, term) {
                    let mut with = p.clone();
                    public_part(&mut with, goal, store.node(member).op, &args);
                    self.run(with, report, found);
                    let mut with = p.clone();
                    compose(&mut with, goal, op, &[member]);
                    self.run(with, report, found);
                } else {
                    let mut with = p.clone();
                    compose(&mut with, goal, op, &args);
                    self.run(with, report, found);
                }
            }
            Composition::FromIfSpy(args) => {
                if args.iter().any(|a| store.is_spy(*a)) {
                    let mut with = p.clone();
                    compose(&mut with, goal, op, &args);
                    self.run(with, report, found);
                    return;
                }
                for a in &args {
                    if !matches!(store.view(*a), View::Var(_)) {
                        continue;
                    }
                    for spy in self.spies {
                        let mut with = p.clone();
                        if with.equate(store, &[(*a, *spy)]) {
                            compose(&mut with, goal, op, &args);
                            self.run(with, report, found);
                        }
                    }
                }
            }
            Composition::Constant | Composition::Never => {}
        }
    }

    /// The goal is an instance of a fact's head, with any of the run's threads or new ones in the place of the fact's.
    fn by_fact(
        &self,
        p: &Partial,
        goal: &Goal,
        term: TermId,
        number: usize,
        report: &Report,
        found: &mut Vec<Solved>,
    ) {
        let fact = &self.facts[number];
        let mut renaming = Renaming {
            vars: Vars::Shift(p.next),
            ..Renaming::default()
        };
        let mut chosen = Vec::new();
        self.cast_fact(
            p,
            fact,
            &mut renaming,
            &mut chosen,
            &mut |renaming: &Renaming| {
                let head = renaming.term(self.store, fact.head);
                if !may_be_equal(self.store, head, term) {
                    return;
                }
                if let Some(mut with) = self.merged(p, goal, term, fact, head, renaming) {
                    with.fresh |= number >= self.latest;
                    self.run(with, report, found);
                }
            },
        );
    }

    /// Goes through the ways to give the fact's threads their places.
    fn cast_fact(
        &self,
        p: &Partial,
        fact: &Fact,
        renaming: &mut Renaming,
        chosen: &mut Vec<u16>,
        take: &mut dyn FnMut(&Renaming),
    ) {
        let Some((thread, _)) = fact.run.clock.get(chosen.len()) else {
            self.spend();
            take(renaming);
            return;
        };
        if self.gave_up() {
            return;
        }
        let class = self.cast.threads[usize::from(*thread)].class;
        let mut fresh = true;
        for place in &self.cast.classes[class] {
            if chosen.contains(place) {
                continue;
            }
            if done(&p.clock, *place) == 0 {
                // Threads that the run does not have are alike.
                if !std::mem::take(&mut fresh) {
                    continue;
                }
            }
            let (threads, names) = (renaming.threads.len(), renaming.names.len());
            renaming.thread(self.cast, self.side, *thread, *place);
            chosen.push(*place);
            self.cast_fact(p, fact, renaming, chosen, take);
            chosen.pop();
            renaming.threads.truncate(threads);
            renaming.names.truncate(names);
        }
    }

    /// Takes the later of two last actions of a thread; `None` if they lie on different branches.
    fn follow(
        &self,
        p: &Partial,
        with: &mut Partial,
        clock: &[(u16, u16)],
        thread: u16,
        item: u32,
    ) -> Option<()> {
        let Some(other) = last_of(&p.last, thread) else {
            book(&mut with.last, thread, item);
            return Some(());
        };
        let role = &self.cast.threads[usize::from(thread)].roles[self.side];
        let (mine, its) = (done(&p.clock, thread), done(clock, thread));
        if its > mine {
            book(&mut with.last, thread, item);
            (role.earlier(item, its - mine)? == other).then_some(())
        } else {
            (role.earlier(other, mine - its)? == item).then_some(())
        }
    }

    /// The run with the fact's run, the goal being the fact's head.
    fn merged(
        &self,
        p: &Partial,
        goal: &Goal,
        term: TermId,
        fact: &Fact,
        head: TermId,
        renaming: &Renaming,
    ) -> Option<Partial> {
        let store = self.store;
        let clock = renaming.clock(&fact.run.clock);
        if let Some(frozen) = self.frozen {
            let used = goal.before.iter().all(|b| within(&clock, frozen.past(*b)));
            let sent = fact.run.sent.iter();
            let mut sent = sent.map(|s| (renaming.event(s.event), renaming.clock(&s.needs)));
            let ordered = |(e, needs): (Event, Clock)| within(&needs, frozen.past(e));
            if !used || !within(&clock, &p.clock) || !sent.all(ordered) {
                return None;
            }
        }
        // Nobody can use what comes after it.
        if goal.before.iter().any(|(t, at)| done(&clock, *t) > *at) {
            return None;
        }
        let mut equations = vec![(term, head)];
        let mut with = p.clone();
        for (thread, item) in renaming.last(&fact.run.last) {
            self.follow(p, &mut with, &clock, thread, item)?;
        }
        for a in &fact.run.against {
            let (thread, at) = renaming.event(a.event);
            if at >= done(&p.clock, thread) {
                with.against.push(renaming.against(store, a));
            }
        }
        for s in &fact.run.sent {
            let event = renaming.event(s.event);
            let term = renaming.term(store, s.term);
            match with.sent.binary_search_by_key(&event, |s| s.event) {
                Ok(i) => equations.push((with.sent[i].term, term)),
                Err(i) => with.sent.insert(
                    i,
                    Sent {
                        event,
                        term,
                        recipe: renaming.recipe(&s.recipe),
                        needs: renaming.clock(&s.needs),
                    },
                ),
            }
        }
        if !with.equate(store, &equations) {
            return None;
        }
        join(&mut with.clock, &clock);
        for event in &goal.before {
            if let Ok(i) = with.sent.binary_search_by_key(event, |s| s.event) {
                join(&mut with.sent[i].needs, &clock);
            }
        }
        linear(&with.clock, &with.sent)?;
        let first = p.next;
        with.next += fact.run.choices.len() as u32;
        for (i, before) in fact.run.choices.iter().enumerate() {
            let mut before = renaming.deadlines(before);
            if before.is_empty() {
                before.clone_from(&goal.before);
            }
            let choice = first + i as u32;
            with.goals.push(Goal {
                term: store.var(choice),
                choice,
                before,
            });
        }
        with.made.push((goal.choice, renaming.recipe(&fact.recipe)));
        with.depth += 1;
        Some(with)
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

/// The goal is made by an operator from its arguments, which become goals.
fn compose(p: &mut Partial, goal: &Goal, op: Op, args: &[TermId]) {
    let parts = wanted(p, goal, args);
    p.made
        .push((goal.choice, Arc::new(Recipe::Apply(op, parts))));
}

/// The goal is the public part of a member of a family and made from the member's arguments.
fn public_part(p: &mut Partial, goal: &Goal, family: Op, args: &[TermId]) {
    let parts = wanted(p, goal, args);
    let member = Arc::new(Recipe::Apply(family, parts));
    p.made
        .push((goal.choice, Arc::new(Recipe::Apply(Op::Pub, vec![member]))));
}

fn wanted(p: &mut Partial, goal: &Goal, args: &[TermId]) -> Vec<Arc<Recipe>> {
    args.iter()
        .map(|a| Arc::new(Recipe::Choice(p.want(*a, goal.before.clone()))))
        .collect()
}
