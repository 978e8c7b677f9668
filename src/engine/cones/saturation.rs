//! Saturation: all reachable places of all threads and all messages the environment can derive, as most general runs.
//!
//! A *place* ([`super::places`]) is a thread before one of its actions, with a run of which every action is needed to get there. A
//! *fact* ([`super::facts`]) is a term that the environment computes, with a run of which every action is needed for it. Both
//! are built from what was built before until nothing is new: a place and the messages of its next action give the next
//! place, an output is a fact, a ciphertext and its key give the content. Each is looked up on the other side as soon as it
//! is found.
//!
//! Afterwards every fact is compared with all other ways to make its head.

use super::Question;
use super::cast::Cast;
use super::closure::is_full;
use super::execute::{Look, execute};
use super::facts::Fact;
use super::goal::{Report, Solved, Solver};
use super::partial::{Frozen, Partial};
use super::places::Place;
use super::refine::may_hold;
use super::run::{Run, Shape};
use crate::engine::joint::trail::Recipe;
use crate::term::{TermId, TermStore};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::Cell;
use std::sync::Arc;

/// A look that the running side passes and the other does not.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// The run.
    pub run: Run,
    /// What is looked at.
    pub look: Look,
}

/// Why saturation ended early.
#[derive(Debug)]
pub(super) enum End {
    /// The other side fails a look.
    Failed(Box<Failure>),
    /// It takes too long, or is not a case for this procedure.
    GaveUp,
}

/// The saturation of one side.
pub(super) struct Saturation<'a> {
    pub(super) store: &'a TermStore,
    pub(super) cast: &'a Cast,
    /// The side that runs.
    pub side: usize,
    pub(super) knows: &'a [TermId],
    spies: &'a [TermId],
    /// Leave out what adds nothing.
    pub(super) contained: bool,
    pub(super) branches: usize,
    patience: &'a Cell<u64>,
    crowded: &'a Cell<bool>,
    stopped: &'a dyn Fn() -> bool,
    pub(super) facts: Vec<Fact>,
    pub(super) places: Vec<Place>,
    pub(super) known_facts: FxHashMap<Shape, usize>,
    pub(super) known_places: FxHashSet<(u16, u32, Shape)>,
    /// Looks that the other side passes unless particular choices are made, perhaps.
    pub open: Vec<(Run, Look)>,
    /// Looks taken.
    pub looks: u64,
    /// Actions of the longest run.
    pub longest: u32,
}

impl<'a> Saturation<'a> {
    /// Prepares the saturation of a side.
    pub(super) fn new(
        question: &Question<'a>,
        cast: &'a Cast,
        side: usize,
        patience: &'a Cell<u64>,
        crowded: &'a Cell<bool>,
        stopped: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            store: question.store,
            cast,
            side,
            knows: question.knows,
            spies: question.spies,
            contained: question.contained,
            branches: question.branches,
            patience,
            crowded,
            stopped,
            facts: Vec::new(),
            places: Vec::new(),
            known_facts: FxHashMap::default(),
            known_places: FxHashSet::default(),
            open: Vec::new(),
            looks: 0,
            longest: 0,
        }
    }

    /// Places and facts found.
    pub(super) fn size(&self) -> u64 {
        (self.facts.len() + self.places.len()) as u64
    }

    /// Builds everything and looks at the other side.
    pub(super) fn run(&mut self) -> Result<(), End> {
        let knows = self.knows;
        for (i, t) in knows.iter().enumerate() {
            self.learn(&Run::new(self.side), *t, &Arc::new(Recipe::Initial(i)))?;
        }
        let partial = Partial::new(self.store, &Run::new(self.side));
        let root = self.cast.trees[self.side].root;
        self.arrive(root, partial, Vec::new(), (0, false))?;
        // Those before these numbers have been tried with the facts before that number.
        let (mut places, mut facts, mut old) = (0, 0, 0);
        loop {
            let (place_end, fact_end) = (self.places.len(), self.facts.len());
            if places == place_end && old == fact_end {
                break;
            }
            for i in 0..place_end {
                self.advance(i, (old, i < places))?;
            }
            for i in 0..fact_end {
                self.open(i, (old, i < facts))?;
            }
            (places, facts, old) = (place_end, fact_end, fact_end);
        }
        (0..self.facts.len()).try_for_each(|i| self.compare(i))
    }

    pub(super) fn going(&self) -> Result<(), End> {
        if self.patience.get() == 0 || (self.stopped)() {
            return Err(End::GaveUp);
        }
        Ok(())
    }

    pub(super) fn solver<'s>(&'s self, frozen: Option<&'s Frozen>) -> Solver<'s> {
        Solver {
            store: self.store,
            cast: self.cast,
            side: self.side,
            spies: self.spies,
            facts: &self.facts,
            latest: 0,
            only_fresh: false,
            frozen,
            patience: self.patience,
            stopped: self.stopped,
            looked: Cell::new(0),
            held: Cell::new(0),
            crowded: self.crowded,
        }
    }

    pub(super) fn solve(
        &self,
        partial: Partial,
        report: &Report,
        (latest, only_fresh): (usize, bool),
    ) -> Result<Vec<Solved>, End> {
        let solver = Solver {
            latest,
            only_fresh,
            ..self.solver(None)
        };
        let found = solver.solve(partial, report);
        self.going()?;
        Ok(found)
    }

    /// Looks at the other side.
    pub(super) fn look(&mut self, run: &Run, look: Look) -> Result<(), End> {
        self.looks += 1;
        let actions = run.clock.iter().map(|(_, n)| u32::from(*n)).sum();
        self.longest = self.longest.max(actions);
        let (store, cast, knows) = (self.store, self.cast, self.knows);
        if is_full(cast, &run.clock) {
            self.crowded.set(true);
        }
        debug_assert!(
            execute(store, cast, self.side, knows, run, &look).passes,
            "what was built can be done: {look:?} {run:?}"
        );
        let done = execute(store, cast, 1 - self.side, knows, run, &look);
        if done.too_large {
            return Err(End::GaveUp);
        }
        if !done.passes {
            let run = run.clone();
            return Err(End::Failed(Box::new(Failure { run, look })));
        }
        if done.failed.iter().any(|f| may_hold(store, &f.against)) {
            self.open.push((run.clone(), look));
        }
        Ok(())
    }
}
