//! Runs with open goals, and runs that have to stay as they are.

use super::run::{Against, Clock, Deadlines, Event, Forks, Last, Run, Sent, done, pasts};
use super::tree::LOCAL;
use crate::engine::joint::trail::Recipe;
use crate::term::{Op, Rank, Subst, TermId, TermStore, Unifiers, View, unifiers, unify};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::sync::Arc;

/// Operators of all recipes of a run.
const MOST: u32 = 1 << 16;

/// A term that the environment must have.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    /// The term.
    pub term: TermId,
    /// The number that stands for its recipe.
    pub choice: u32,
    /// The inputs before which it must be had.
    pub before: Deadlines,
}

/// A run with open goals.
#[derive(Clone, Debug)]
pub(super) struct Partial {
    pub(super) side: usize,
    pub(super) subst: Subst,
    /// How far each thread has gone.
    pub clock: Clock,
    /// The inputs, by event; terms and recipes are not resolved.
    pub sent: Vec<Sent>,
    /// The first actions after forks and the ones that they follow.
    pub forks: Forks,
    /// The last action of each thread.
    pub last: Last,
    /// The tests that must fail.
    pub against: Vec<Against>,
    pub(super) goals: Vec<Goal>,
    pub(super) made: Vec<(u32, Arc<Recipe>)>,
    /// The next unused variable and choice.
    pub(super) next: u32,
    /// Variables before this one are not bound.
    pub(super) fixed: u32,
    /// One of the latest facts has been used.
    pub(super) fresh: bool,
    pub(super) depth: u32,
}

/// A run that has to stay as it is: only what it has may be used, and its choices stay open.
#[derive(Debug)]
pub(super) struct Frozen {
    choices: Vec<Deadlines>,
    /// The inputs with everything that comes before them.
    pasts: Vec<(Event, Clock)>,
}

impl Frozen {
    /// The run as it is.
    pub(super) fn new(run: &Run) -> Self {
        let events = run.sent.iter().map(|s| s.event);
        Self {
            choices: run.choices.clone(),
            pasts: events.zip(pasts(run)).collect(),
        }
    }

    pub(super) fn past(&self, event: Event) -> &[(u16, u16)] {
        let found = self.pasts.binary_search_by_key(&event, |(e, _)| *e);
        found.map_or(&[], |i| &self.pasts[i].1)
    }

    /// Whether a choice was made before some inputs.
    pub(super) fn chosen(&self, choice: u32, before: &[Event]) -> bool {
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
    pub(super) fn new(store: &TermStore, run: &Run) -> Self {
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
            forks: run.forks.clone(),
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
    pub(super) fn frozen(store: &TermStore, run: &Run) -> Self {
        let mut partial = Self::new(store, run);
        partial.fixed = partial.next;
        partial
    }

    /// A new variable that is no choice.
    pub(super) fn variable(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Asks for a term before some inputs; the number stands for its recipe.
    pub(super) fn want(&mut self, term: TermId, before: Deadlines) -> u32 {
        let choice = self.variable();
        self.goals.push(Goal {
            term,
            choice,
            before,
        });
        choice
    }

    /// The run with terms made equal, in each way to do so: of none if they can't be, of more than one if there are joint keys.
    pub(super) fn equated(
        self,
        store: &TermStore,
        pairs: &[(TermId, TermId)],
    ) -> SmallVec<[Self; 1]> {
        let all = self.unifiers(store, pairs);
        self.with_each(all)
    }

    /// The ways to make terms equal.
    pub(super) fn unifiers(&self, store: &TermStore, pairs: &[(TermId, TermId)]) -> Unifiers {
        let fixed = self.fixed;
        let rank = |t: TermId| -> Rank {
            match store.view(t) {
                View::Var(v) if v < fixed => None,
                _ => Some(0),
            }
        };
        unifiers(store, pairs, &rank, &self.subst)
    }

    /// The run with each of some substitutions that extend its own.
    pub(super) fn with_each(self, mut all: Unifiers) -> SmallVec<[Self; 1]> {
        let mut ways = SmallVec::new();
        let last = all.pop();
        for subst in all {
            ways.push(Self {
                subst,
                ..self.clone()
            });
        }
        ways.extend(last.map(|subst| Self { subst, ..self }));
        ways
    }

    /// A term as it is now.
    pub(super) fn term(&self, store: &TermStore, t: TermId) -> TermId {
        self.subst.resolve(store, t)
    }

    /// What recipes have become.
    pub(super) fn recipes(&self) -> Recipes<'_> {
        let made = self.made.iter().rev();
        Recipes {
            made: made.map(|(choice, recipe)| (*choice, recipe)).collect(),
            left: MOST,
        }
    }

    /// What the run takes to hold, in things of a few words.
    pub(super) fn weight(&self) -> usize {
        let needs = self.sent.iter().map(|s| 3 + s.needs.len()).sum::<usize>();
        let goals = self.goals.iter().map(|g| 1 + g.before.len()).sum::<usize>();
        let tests = self.against.iter().map(|a| 2 + a.equations.len());
        16 + needs + goals + tests.sum::<usize>() + self.made.len() + self.subst.len()
    }

    fn both(&self, store: &TermStore, pairs: &[(TermId, TermId)]) -> Vec<(TermId, TermId)> {
        let pairs = pairs.iter();
        pairs
            .map(|(a, b)| (self.term(store, *a), self.term(store, *b)))
            .collect()
    }

    /// Whether a test that must fail succeeds whatever is chosen.
    pub(super) fn is_violated(&self, store: &TermStore) -> bool {
        self.against
            .iter()
            .any(|a| holds(store, &self.both(store, &a.equations), &mut Subst::new()))
    }

    /// The run, all goals being variables, and the variables that are its choices, in order. Goals with the same variable
    /// are one choice.
    ///
    /// `None` if its recipes have become too large.
    pub(super) fn close(&mut self, store: &TermStore) -> Option<(Run, Vec<u32>)> {
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
        let mut recipes = self.recipes();
        let mut sent = Vec::with_capacity(self.sent.len());
        for s in &self.sent {
            sent.push(Sent {
                event: s.event,
                term: self.term(store, s.term),
                recipe: recipes.now(&s.recipe)?,
                needs: s.needs.clone(),
            });
        }
        let mut against: Vec<Against> = Vec::with_capacity(self.against.len());
        for a in &self.against {
            let equations = self.both(store, &a.equations);
            // A test before a fork may come from several parts of it.
            if against.iter().all(|b| b.equations != equations) {
                against.push(Against {
                    event: a.event,
                    equations,
                });
            }
        }
        let run = Run {
            side: self.side,
            clock: self.clock.clone(),
            sent,
            choices,
            forks: self.forks.clone(),
            last: self.last.clone(),
            against,
        };
        Some((run, vars))
    }
}

/// What recipes with choices have become.
pub(super) struct Recipes<'a> {
    made: FxHashMap<u32, &'a Arc<Recipe>>,
    /// Operators that may still be written: recipes are trees, and one that is used twice can be made of one that is, and so on.
    left: u32,
}

impl Recipes<'_> {
    /// A recipe as it is now; `None` if that is too large.
    pub(super) fn now(&mut self, recipe: &Arc<Recipe>) -> Option<Arc<Recipe>> {
        self.left = self.left.checked_sub(1)?;
        Some(match &**recipe {
            Recipe::Choice(c) => match self.made.get(c).copied() {
                Some(made) => self.now(made)?,
                None => recipe.clone(),
            },
            Recipe::Initial(_) | Recipe::Heard(_) | Recipe::Constant(_) => recipe.clone(),
            Recipe::Apply(op, args) => {
                let args: Option<_> = args.iter().map(|a| self.now(a)).collect();
                Arc::new(Recipe::Apply(*op, args?))
            }
            Recipe::Destruct(d, args) => {
                let args: Option<_> = args.iter().map(|a| self.now(a)).collect();
                Arc::new(Recipe::Destruct(*d, args?))
            }
            Recipe::Part(of, i, n) => Arc::new(Recipe::Part(self.now(of)?, *i, *n)),
            Recipe::Predecessor(of) => Arc::new(Recipe::Predecessor(self.now(of)?)),
            Recipe::Open(how, of, key) => {
                Arc::new(Recipe::Open(*how, self.now(of)?, self.now(key)?))
            }
        })
    }
}

/// Whether equations hold whatever is chosen, and for which values of the variables that they bind.
pub(super) fn holds(store: &TermStore, equations: &[(TermId, TermId)], values: &mut Subst) -> bool {
    let rank = |t: TermId| -> Rank {
        match store.view(t) {
            View::Var(v) if v >= LOCAL => Some(0),
            _ => None,
        }
    };
    unify(store, equations, &rank, values)
}

/// The goal is made by an operator from its arguments, which become goals.
pub(super) fn compose(p: &mut Partial, goal: &Goal, op: Op, args: &[TermId]) {
    let parts = wanted(p, goal, args);
    p.made
        .push((goal.choice, Arc::new(Recipe::Apply(op, parts))));
}

/// The goal is the public part of a member of a family and made from the member's arguments.
pub(super) fn public_part(p: &mut Partial, goal: &Goal, family: Op, args: &[TermId]) {
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
