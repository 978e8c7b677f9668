//! All ways in which the environment can make given terms, as most general runs of a side.
//!
//! A goal says that the environment has a term before some inputs. A goal that is a variable stays: it is a choice. One that is a tuple or successor is made from its parts.
//! Any other one is composed, or is an instance of a fact, in whatever places for its threads, and what was done for the fact joins the run. Which goal comes
//! first does not matter: each has all its ways.

use super::EquivalenceError;
use super::certificate::{Event, Recipe, Run};
use super::deduce::{Learned, Whole, castings, compositions, is_constant, parts, public_part};
use super::exchange::Bundles;
use super::recipe::{Clock, Renaming, done, join, replaced, within};
use super::run::{Ready, Side};
use super::tree::LOCAL;
use super::values::{LARGEST, Values};
use crate::term::{FamilyKind, Op, TermId, View};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Facts used on one way.
const DEEPEST: u32 = 200;

/// Runs that wait at a time.
const WAITING: usize = 200_000;

/// A term that the environment must have.
#[derive(Clone, Debug)]
struct Goal {
    term: TermId,
    /// The number that stands for its recipe.
    choice: u32,
    /// The inputs before which it must be had.
    before: Vec<Event>,
}

/// An input of a run with goals.
#[derive(Clone, Debug)]
struct Sent {
    event: Event,
    term: TermId,
    recipe: Arc<Recipe>,
    /// What was done before, as far as is known.
    needs: Clock,
}

/// A run with goals.
#[derive(Clone)]
pub(super) struct Partial {
    values: Values,
    clock: Clock,
    sent: Vec<Sent>,
    /// The last action of each thread, as an item.
    items: Vec<(u16, u32)>,
    /// Tests that fail.
    against: Vec<Vec<(TermId, TermId)>>,
    goals: Vec<Goal>,
    made: Vec<(u32, Arc<Recipe>)>,
    next: u32,
    depth: u32,
}

/// A solution: the run, and what became of recipes.
#[derive(Debug)]
pub(super) struct Solved {
    pub run: Run,
    pub recipes: Vec<Arc<Recipe>>,
}

impl Partial {
    /// A run that was done, its choices being goals.
    pub(super) fn new(side: Side<'_>, run: &Ready) -> Self {
        let store = side.store;
        let inputs = run.run.inputs.iter().zip(&run.sent).zip(&run.pasts);
        let sent = inputs.map(|(((event, recipe), term), past)| Sent {
            event: *event,
            term: *term,
            recipe: recipe.clone(),
            needs: before(past, *event),
        });
        let goals = (0u32..).zip(&run.deadlines).map(|(choice, before)| Goal {
            term: store.var(choice),
            choice,
            before: before.clone(),
        });
        let failed = run.failed.iter().map(|f| f.equations.clone());
        Self {
            values: Values::of(0..LOCAL),
            clock: run.run.clock.clone(),
            sent: sent.collect(),
            items: run.items.clone(),
            against: failed.collect(),
            goals: goals.collect(),
            made: Vec::new(),
            next: run.run.choices,
            depth: 0,
        }
    }

    /// A new variable.
    pub(super) fn variable(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Asks for a term; the number stands for its recipe.
    pub(super) fn want(&mut self, term: TermId, before: Vec<Event>) -> u32 {
        let choice = self.variable();
        self.goals.push(Goal {
            term,
            choice,
            before,
        });
        choice
    }

    /// The goal is made of others.
    fn compose(&mut self, goal: &Goal, op: Op, args: &[TermId], whole: Whole) {
        let parts = args
            .iter()
            .map(|a| Arc::new(Recipe::Choice(self.want(*a, goal.before.clone()))));
        let recipe = whole(op, parts.collect());
        self.made.push((goal.choice, Arc::new(recipe)));
    }

    /// Does one more action of a thread; for an input the variable that is taken.
    pub(super) fn act(
        &mut self,
        side: Side<'_>,
        event: Event,
        item: u32,
        input: bool,
    ) -> Option<TermId> {
        join(&mut self.clock, &[(event.0, event.1 + 1)]);
        self.last(event.0, item);
        if !input {
            return None;
        }
        let message = side.store.var(self.variable());
        let choice = self.want(message, vec![event]);
        let at = self.sent.partition_point(|s| s.event < event);
        let sent = Sent {
            event,
            term: message,
            recipe: Arc::new(Recipe::Choice(choice)),
            needs: Clock::new(),
        };
        self.sent.insert(at, sent);
        Some(message)
    }

    fn last(&mut self, thread: u16, item: u32) {
        match self.items.binary_search_by_key(&thread, |(t, _)| *t) {
            Ok(i) => self.items[i].1 = item,
            Err(i) => self.items.insert(i, (thread, item)),
        }
    }

    /// How far a thread has gone.
    pub(super) fn done(&self, thread: u16) -> u16 {
        done(&self.clock, thread)
    }

    /// Whether nothing has happened.
    pub(super) fn is_empty(&self) -> bool {
        self.clock.is_empty()
    }

    /// A test that must fail.
    pub(super) fn fails(&mut self, equations: Vec<(TermId, TermId)>) {
        self.against.push(equations);
    }

    /// Makes terms equal; whether that can be.
    pub(super) fn equate(&mut self, side: Side<'_>, equations: &[(TermId, TermId)]) -> bool {
        self.values.solve(side.store, side.effort, equations)
    }

    /// A term as it is now.
    pub(super) fn full(&self, side: Side<'_>, t: TermId) -> TermId {
        self.values.full(side.store, side.effort, t)
    }
}

/// What comes before an input.
fn before(past: &[(u16, u16)], event: Event) -> Clock {
    let mut past = past.to_vec();
    if let Ok(i) = past.binary_search_by_key(&event.0, |(t, _)| *t) {
        past[i].1 = past[i].1.min(event.1);
    }
    past.retain(|(_, n)| *n > 0);
    past
}

/// Looks for solutions with the facts of a side.
pub(super) struct Solver<'a> {
    pub side: Side<'a>,
    pub number: usize,
    pub bundles: &'a Bundles<'a>,
    pub facts: &'a [Learned],
    pub spies: &'a [TermId],
    /// The families of key pairs.
    pub families: Vec<(crate::term::FamilyId, u32)>,
}

impl Solver<'_> {
    /// All solutions of a run with goals, with what became of recipes.
    pub(super) fn solve(
        &self,
        partial: Partial,
        recipes: &[Arc<Recipe>],
    ) -> Result<Vec<Solved>, EquivalenceError> {
        let mut found = Vec::new();
        let mut work = vec![partial];
        while let Some(p) = work.pop() {
            self.side.effort.spend();
            self.side.effort.going()?;
            if p.depth > DEEPEST || work.len() > WAITING {
                return Err(EquivalenceError::GaveUp);
            }
            self.step(p, recipes, &mut found, &mut work)?;
        }
        Ok(found)
    }

    fn step(
        &self,
        mut p: Partial,
        recipes: &[Arc<Recipe>],
        found: &mut Vec<Solved>,
        work: &mut Vec<Partial>,
    ) -> Result<(), EquivalenceError> {
        let store = self.side.store;
        let mut best: Option<(usize, TermId, Vec<usize>)> = None;
        let mut i = 0;
        while i < p.goals.len() {
            let term = p.values.walk(store, p.goals[i].term);
            if let View::Var(_) = store.view(term) {
                i += 1;
                continue;
            }
            let term = p.full(self.side, term);
            if store.facts(term).size > LARGEST {
                return Err(EquivalenceError::GaveUp);
            }
            if is_constant(store, term) {
                let goal = p.goals.swap_remove(i);
                p.made.push((goal.choice, Arc::new(Recipe::Constant(term))));
                continue;
            }
            let op = store.node(term).op;
            if !parts(store, term, &Arc::new(Recipe::Choice(0))).is_empty() {
                let goal = p.goals.swap_remove(i);
                let args = store.node(term).args.to_vec();
                p.compose(&goal, op, &args, super::deduce::apply);
                continue;
            }
            let facts = (0..).zip(self.facts);
            let fits = facts.filter(|(_, f)| alike(store.node(f.head).op, op));
            let fits: Vec<usize> = fits.map(|(i, _)| i).collect();
            if best.as_ref().is_none_or(|(_, _, b)| fits.len() < b.len()) {
                best = Some((i, term, fits));
            }
            i += 1;
        }
        let Some((at, term, facts)) = best else {
            return self.record(p, recipes, found);
        };
        let goal = p.goals.swap_remove(at);
        self.by_composition(&p, &goal, term, work);
        for fact in facts {
            self.by_fact(&p, &goal, term, &self.facts[fact], work);
        }
        Ok(())
    }

    fn by_composition(&self, p: &Partial, goal: &Goal, term: TermId, work: &mut Vec<Partial>) {
        let store = self.side.store;
        for (op, args, whole) in compositions(store, term) {
            let mut with = p.clone();
            with.compose(goal, op, &args, whole);
            work.push(with);
        }
        match store.view(term) {
            // The public part of something open may be that of a member of a family.
            View::Pub(z) if matches!(store.view(z), View::Var(_)) => {
                for (family, arity) in &self.families {
                    let mut with = p.clone();
                    let args: Vec<TermId> =
                        (0..*arity).map(|_| store.var(with.variable())).collect();
                    let member = store.family(*family, &args);
                    if with.equate(self.side, &[(z, member)]) {
                        let op = Op::Family(*family);
                        with.compose(goal, op, &args, public_part);
                        work.push(with);
                    }
                }
            }
            View::Family(_, args) if !args.iter().any(|a| store.is_spy(*a)) => {
                let open = args
                    .iter()
                    .filter(|a| matches!(store.view(**a), View::Var(_)));
                for a in open {
                    for spy in self.spies {
                        let mut with = p.clone();
                        if with.equate(self.side, &[(*a, *spy)]) {
                            let args: Vec<TermId> =
                                args.iter().map(|a| with.full(self.side, *a)).collect();
                            let op = store.node(term).op;
                            with.compose(goal, op, &args, super::deduce::apply);
                            work.push(with);
                        }
                    }
                }
            }
            _ => {}
        }
    }

    fn by_fact(
        &self,
        p: &Partial,
        goal: &Goal,
        term: TermId,
        fact: &Learned,
        work: &mut Vec<Partial>,
    ) {
        let of = &fact.ready.run.clock;
        for renaming in castings(
            self.bundles,
            self.side.effort,
            self.number,
            of,
            &p.clock,
            true,
        ) {
            work.extend(self.merged(p, goal, term, fact, &renaming));
        }
    }

    /// The run with what was done for a fact, the goal being its head; `None` if that can't be.
    fn merged(
        &self,
        p: &Partial,
        goal: &Goal,
        term: TermId,
        fact: &Learned,
        renaming: &Renaming,
    ) -> Option<Partial> {
        let (store, first) = (self.side.store, p.next);
        if !self.side.effort.spend() {
            return None;
        }
        let clock = renaming.clock(&fact.ready.run.clock);
        // Nobody can use what comes after it.
        if goal.before.iter().any(|(t, at)| done(&clock, *t) > *at) {
            return None;
        }
        let mut with = p.clone();
        for (thread, item) in &fact.ready.items {
            let (count, thread) = (
                done(&fact.ready.run.clock, *thread),
                renaming.thread(*thread),
            );
            let mine = p.done(thread);
            let tree = self.side.tree;
            let known = p.items.binary_search_by_key(&thread, |(t, _)| *t).ok();
            match known.map(|i| p.items[i].1) {
                None => with.last(thread, *item),
                Some(other) if count > mine => {
                    (tree.earlier(thread, *item, count - mine)? == other).then_some(())?;
                    with.last(thread, *item);
                }
                Some(other) => {
                    (tree.earlier(thread, other, mine - count)? == *item).then_some(())?;
                }
            }
        }
        let shifted = |t: TermId| {
            store.map_atoms(t, &mut |atom| match store.view(atom) {
                View::Var(v) if v < LOCAL => Some(store.var(v + first)),
                View::Name(_) => renaming.name(atom),
                _ => None,
            })
        };
        let mut choice = |c: u32| Arc::new(Recipe::Choice(c + first));
        let mut equations = vec![(term, shifted(fact.head))];
        let inputs = fact.ready.run.inputs.iter();
        for (((event, recipe), term), past) in inputs.zip(&fact.ready.sent).zip(&fact.ready.pasts) {
            let needs = renaming.clock(&before(past, *event));
            let (event, term) = (renaming.event(*event), shifted(*term));
            match with.sent.binary_search_by_key(&event, |s| s.event) {
                Ok(i) => equations.push((with.sent[i].term, term)),
                Err(i) => with.sent.insert(
                    i,
                    Sent {
                        event,
                        term,
                        recipe: renaming.recipe(recipe, &mut choice)?,
                        needs,
                    },
                ),
            }
        }
        for failed in &fact.ready.failed {
            let equations = failed.equations.iter();
            let equations = equations.map(|(a, b)| (shifted(*a), shifted(*b)));
            with.against.push(equations.collect());
        }
        if !with.equate(self.side, &equations) {
            return None;
        }
        join(&mut with.clock, &clock);
        for event in &goal.before {
            if let Ok(i) = with.sent.binary_search_by_key(event, |s| s.event) {
                join(&mut with.sent[i].needs, &clock);
            }
        }
        self.is_ordered(&with).then_some(())?;
        with.next += fact.ready.run.choices;
        for (c, deadlines) in (0u32..).zip(&fact.ready.deadlines) {
            let mut before: Vec<Event> = deadlines.iter().map(|e| renaming.event(*e)).collect();
            if before.is_empty() {
                before.clone_from(&goal.before);
            }
            with.goals.push(Goal {
                term: store.var(first + c),
                choice: first + c,
                before,
            });
        }
        let recipe = renaming.recipe(&fact.recipe, &mut choice)?;
        with.made.push((goal.choice, recipe));
        with.depth += 1;
        Some(with)
    }

    /// Whether there is an order in which every input comes after what it needs.
    fn is_ordered(&self, p: &Partial) -> bool {
        let tree = self.side.tree;
        let mut now: Clock = p.clock.iter().map(|(t, _)| (*t, 0)).collect();
        loop {
            let mut moved = false;
            for i in 0..now.len() {
                let (thread, count) = p.clock[i];
                while now[i].1 < count {
                    let event = (thread, now[i].1);
                    let found = p.items.binary_search_by_key(&thread, |(t, _)| *t).ok();
                    let item =
                        found.and_then(|f| tree.earlier(thread, p.items[f].1, count - event.1 - 1));
                    let Some(item) = item else { return false };
                    let node = tree.items[usize::from(thread)][item as usize];
                    let prior = tree.prior(node).map(|n| tree.node(n));
                    if let Some(super::tree::Node::Act { thread: t, at, .. }) = prior
                        && done(&now, *t) <= *at
                    {
                        break;
                    }
                    if let Ok(s) = p.sent.binary_search_by_key(&event, |s| s.event)
                        && !within(&p.sent[s].needs, &now)
                    {
                        break;
                    }
                    now[i].1 += 1;
                    moved = true;
                }
            }
            if now == p.clock {
                return true;
            }
            if !moved {
                return false;
            }
        }
    }

    /// Writes a solution down, unless a test that must fail succeeds whatever is chosen.
    fn record(
        &self,
        p: Partial,
        recipes: &[Arc<Recipe>],
        found: &mut Vec<Solved>,
    ) -> Result<(), EquivalenceError> {
        let (store, effort) = (self.side.store, self.side.effort);
        for test in &p.against {
            let full: Vec<(TermId, TermId)> = test
                .iter()
                .map(|(a, b)| (p.full(self.side, *a), p.full(self.side, *b)))
                .collect();
            if Values::of(LOCAL..u32::MAX).solve(store, effort, &full) {
                return Ok(());
            }
        }
        let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
        let mut made: FxHashMap<u32, Arc<Recipe>> = FxHashMap::default();
        for goal in &p.goals {
            let View::Var(v) = store.view(p.values.walk(store, goal.term)) else {
                return Err(EquivalenceError::GaveUp);
            };
            let next = numbers.len() as u32;
            let number = *numbers.entry(v).or_insert(next);
            made.insert(goal.choice, Arc::new(Recipe::Choice(number)));
        }
        for (choice, recipe) in p.made.iter().rev() {
            // What it is made of was wanted later, and is known.
            let recipe = written(recipe, &made).ok_or(EquivalenceError::GaveUp)?;
            made.insert(*choice, recipe);
        }
        let now = |r| written(r, &made).ok_or(EquivalenceError::GaveUp);
        let mut inputs = Vec::with_capacity(p.sent.len());
        for s in &p.sent {
            inputs.push((s.event, now(&s.recipe)?));
        }
        let recipes = recipes.iter().map(now).collect::<Result<Vec<_>, _>>()?;
        found.push(Solved {
            run: Run {
                clock: p.clock,
                inputs,
                choices: numbers.len() as u32,
            },
            recipes,
        });
        Ok(())
    }
}

/// A recipe with what became of its choices; `None` if one is missing, or it is too large.
fn written(recipe: &Arc<Recipe>, made: &FxHashMap<u32, Arc<Recipe>>) -> Option<Arc<Recipe>> {
    let mut missing = false;
    let new = replaced(recipe, &mut |leaf| match leaf {
        Recipe::Choice(c) => {
            let found = made.get(c).cloned();
            missing |= found.is_none();
            found
        }
        _ => None,
    });
    new.filter(|_| !missing)
}

/// Whether terms with these operators may be equal. Restricted names differ from thread to thread.
pub(super) fn alike(a: Op, b: Op) -> bool {
    a == b || matches!((a, b), (Op::Name(_), Op::Name(_)))
}

/// The families of key pairs of a store, and how many arguments each has.
pub(super) fn key_pairs(store: &crate::term::TermStore) -> Vec<(crate::term::FamilyId, u32)> {
    let all = store.key_pair_families().into_iter();
    all.filter(|(f, _)| store.family_info(*f).kind == FamilyKind::KeyPair)
        .collect()
}
