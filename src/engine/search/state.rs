//! A symbolic state of the attacker search: threads, knowledge, generics, forbidden equalities.
//!
//! Generics are numbered along the path and never renumbered, so a path is explained by its list of narrowings;
//! canonical keys ([`super::key`]) are computed aside. A state is *settled* when every thread waits: at an input, at
//! an output on a channel the attacker lacks (at any, if outputs are not taken eagerly), or at an event whose timing matters.

use super::Setup;
use super::{learn, opening};
use crate::attacker::knowledge::{Element, Level};
use crate::attacker::solver::overgrown::is_overgrown;
use crate::attacker::solver::{Context, Generics, Question, Solution, TooLarge, solve};
use crate::process::{Env, EventId, StepId};
use crate::term::{Rank, Subst, TermId, TermStore, View, unifiers};
use smallvec::SmallVec;
use std::sync::Arc;

/// A running thread: where it stands and the values of its live variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Thread {
    pub step: StepId,
    pub env: Env,
    /// Something observable (an output or an event) has happened since the last input.
    pub acted: bool,
}

/// An event that has happened, if the goal looks at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Happened {
    pub event: EventId,
    pub args: SmallVec<[TermId; 4]>,
    pub actors: SmallVec<[TermId; 2]>,
}

/// Terms that must not all be equal, for any value of the process variables in them [Sem 2.3]. In terms rather than
/// recipes: a test fails because two terms differ, however they were made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Disequation {
    pub equations: Vec<(TermId, TermId)>,
}

/// How a state was reached: a list that shares its tail with the states it came from.
#[derive(Debug)]
pub(super) struct Trace {
    pub before: Option<Arc<Trace>>,
    pub entry: Entry,
}

/// A link of a trace.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    /// The step received this term from the attacker.
    Receive(StepId, TermId),
    /// The step sent its message to the attacker.
    Send(StepId),
    /// The first step sent its message to the second, unseen.
    Communicate(StepId, StepId),
    /// The step marked its event.
    Event(StepId),
    /// A phase began.
    Phase(u8),
    /// Generics were narrowed.
    Narrow(Subst),
}

/// A symbolic state.
#[derive(Clone, Debug)]
pub(super) struct State {
    pub threads: SmallVec<[Thread; 8]>,
    pub elements: Vec<Element>,
    pub level: Level,
    pub generics: Generics,
    pub lambda: Vec<Disequation>,
    pub events: Vec<Happened>,
    /// The phase of the run.
    pub phase: u8,
    /// The goal is reached, but not everybody has gone on as far as possible [Sem 4.5].
    pub won: bool,
    pub trace: Option<Arc<Trace>>,
}

/// The largest message, in operators, that the search follows. Terms share their parts, so a few tests can double a
/// message again and again; a state with a larger one is given up, and the verdict says so.
pub const MESSAGE_SIZE: u32 = crate::attacker::solver::overgrown::LARGEST;

/// Whether a message is beyond the limit.
pub(super) fn is_oversized(store: &TermStore, t: TermId) -> bool {
    store.facts(t).size > MESSAGE_SIZE
}

/// What a disequation has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It can't be violated any more.
    Satisfied,
    /// It may or may not be violated.
    Open,
    /// It is violated.
    Violated,
}

impl Disequation {
    pub fn standing(&self, store: &TermStore) -> Result<Standing, TooLarge> {
        let ways = self.solved(store)?;
        Ok(if ways.is_empty() {
            Standing::Satisfied
        } else if ways.iter().any(Vec::is_empty) {
            Standing::Violated
        } else {
            Standing::Open
        })
    }

    /// What generics would have to be for the entry to be violated: all of one list together. Of two lists there is one more only where joint
    /// keys are compared.
    pub fn solved(
        &self,
        store: &TermStore,
    ) -> Result<SmallVec<[Vec<(TermId, TermId)>; 1]>, TooLarge> {
        let rank = |t: TermId| -> Rank {
            Some(match store.view(t) {
                View::Var(_) => 2,
                _ => 1,
            })
        };
        let all = unifiers(store, &self.equations, &rank, &Subst::new());
        let bindings = |subst: &Subst| {
            let bound = subst
                .iter()
                .filter(|(a, _)| matches!(store.view(*a), View::Generic(_)));
            let value = |(a, t)| {
                let term = subst.resolve(store, t);
                let fits = !is_overgrown(store, term);
                fits.then_some((a, term)).ok_or(TooLarge)
            };
            bound.map(value).collect()
        };
        all.iter().map(bindings).collect()
    }
}

impl State {
    /// The first state of a system.
    pub fn initial(setup: &Setup<'_>) -> Result<Self, TooLarge> {
        let mut state = State {
            threads: SmallVec::new(),
            elements: Vec::new(),
            level: 0,
            generics: Generics::new(),
            lambda: Vec::new(),
            events: Vec::new(),
            won: false,
            phase: 0,
            trace: None,
        };
        for t in setup.knows {
            learn::learn_at(setup, &mut state, *t, 0);
        }
        learn::saturate(setup, &mut state)?;
        state.threads.push(Thread {
            step: setup.system.root,
            env: Env::new(),
            acted: true,
        });
        Ok(state)
    }

    /// The context in which the state's questions are asked.
    pub fn context<'a>(&'a self, setup: &Setup<'a>) -> Context<'a> {
        Context {
            store: setup.store,
            generics: &self.generics,
            elements: &self.elements,
            spies: setup.spies,
            typing: setup.typing,
        }
    }

    /// Whether a thread holds a message beyond the limit.
    pub fn is_oversized(&self, store: &TermStore) -> bool {
        let values = self.threads.iter().flat_map(|t| &t.env);
        values
            .chain(self.elements.iter().map(|e| &e.term))
            .any(|t| is_oversized(store, *t))
    }

    /// Adds a link to the trace.
    pub fn log(&mut self, entry: Entry) {
        self.trace = Some(Arc::new(Trace {
            before: self.trace.take(),
            entry,
        }));
    }

    /// Narrows the state; `None` if that violates a disequation.
    pub fn narrow(
        &self,
        setup: &Setup<'_>,
        solution: &Solution,
    ) -> Result<Option<State>, TooLarge> {
        let store = setup.store;
        let mut next = self.clone();
        next.generics.extend(&solution.fresh);
        if solution.is_identity() {
            return Ok(Some(next));
        }
        let subst = solution.on_terms(store);
        for d in &mut next.lambda {
            for (a, b) in &mut d.equations {
                *a = subst.apply(store, *a);
                *b = subst.apply(store, *b);
            }
        }
        if !next.prune_lambda(store)? {
            return Ok(None);
        }
        for thread in &mut next.threads {
            for t in &mut thread.env {
                *t = subst.apply(store, *t);
            }
        }
        for e in &mut next.elements {
            e.term = subst.apply(store, e.term);
        }
        for h in &mut next.events {
            for t in h.args.iter_mut().chain(&mut h.actors) {
                *t = subst.apply(store, *t);
            }
        }
        next.log(Entry::Narrow(subst));
        learn::saturate(setup, &mut next)?;
        Ok(Some(next))
    }

    /// Drops satisfied disequations; `false` if one is violated.
    fn prune_lambda(&mut self, store: &TermStore) -> Result<bool, TooLarge> {
        let mut open = Vec::with_capacity(self.lambda.len());
        for d in self.lambda.drain(..) {
            match d.standing(store)? {
                Standing::Satisfied => {}
                Standing::Open => open.push(d),
                Standing::Violated => return Ok(false),
            }
        }
        self.lambda = open;
        Ok(true)
    }

    /// Adds a disequation; `false` if it is violated.
    pub fn forbid(
        &mut self,
        store: &TermStore,
        equations: Vec<(TermId, TermId)>,
    ) -> Result<bool, TooLarge> {
        let d = Disequation { equations };
        Ok(match d.standing(store)? {
            Standing::Satisfied => true,
            Standing::Open => {
                self.lambda.push(d);
                true
            }
            Standing::Violated => false,
        })
    }

    /// All ways in which the question can be answered "yes". Ciphertexts whose key depends on generics are opened
    /// here, when it may help [Sem 4.2].
    pub fn ask(&self, setup: &Setup<'_>, question: &Question) -> Result<Answers, TooLarge> {
        let mut answers = Answers {
            certain: false,
            list: Vec::new(),
        };
        answers.certain = self.ask_into(setup, question, self.layers(setup), &mut answers.list)?;
        Ok(answers)
    }

    /// More than the number of terms that could ever be opened, each in all its ways: one opening after another ends before.
    fn layers(&self, setup: &Setup<'_>) -> usize {
        let sizes = self.elements.iter();
        let sizes = sizes.map(|e| setup.store.facts(e.term).size as usize);
        sizes.sum::<usize>() * (1 + setup.store.openings().count())
    }

    fn ask_into(
        &self,
        setup: &Setup<'_>,
        question: &Question,
        openings: usize,
        answers: &mut Vec<(State, Values)>,
    ) -> Result<bool, TooLarge> {
        let store = setup.store;
        let solutions = solve(&self.context(setup), question)?;
        let certain = solutions.first().is_some_and(Solution::is_identity);
        let mut seen: Vec<(Subst, _)> = Vec::new();
        for s in solutions {
            if setup.is_halted() {
                return Ok(certain);
            }
            // The same narrowing with another recipe is the same state, if what is left open is left open as far.
            let narrowing = (s.on_terms(store), s.fresh.clone());
            if !seen.contains(&narrowing) {
                if let Some(next) = self.narrow(setup, &s)? {
                    answers.push((next, s.vars));
                }
                seen.push(narrowing);
            }
        }
        if certain || openings == 0 || self.generics.is_empty() || setup.is_halted() {
            return Ok(certain);
        }
        for (narrowed, subst) in opening::conditional_openings(setup, self, question)? {
            let question = Question {
                equations: question
                    .equations
                    .iter()
                    .map(|(a, b)| (subst.apply(store, *a), subst.apply(store, *b)))
                    .collect(),
                goals: question
                    .goals
                    .iter()
                    .map(|(t, l)| (subst.apply(store, *t), *l))
                    .collect(),
            };
            narrowed.ask_into(setup, &question, openings - 1, answers)?;
        }
        Ok(certain)
    }
}

/// Values of a question's pattern variables.
pub(super) type Values = Vec<(u32, TermId)>;

/// The answers to a question.
pub(super) struct Answers {
    /// The one answer holds whatever the generics stand for.
    pub certain: bool,
    /// Narrowed states with the values of the pattern variables.
    pub list: Vec<(State, Values)>,
}
