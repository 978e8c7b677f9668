//! Saturation: all reachable places of all threads and all messages the environment can derive, as most general runs.
//!
//! A *place* is a thread before one of its actions, with a run of which every action is needed to get there. A *fact* is a
//! term that the environment computes, with a run of which every action is needed for it. Both are built from what was built
//! before until nothing is new: a place and the messages of its next action give the next place, an output is a fact, a
//! ciphertext and its key give the content. Each is looked up on the other side as soon as it is found.
//!
//! Afterwards every fact is compared with all other ways to make its head.

use super::super::trail::{Opener, Recipe};
use super::Question;
use super::execute::{Look, execute};
use super::goal::{LARGEST, Report, Solved, Solver};
use super::partial::{Frozen, Partial};
use super::refine::may_hold;
use super::role::{Cast, Item, Kind, LOCAL};
use super::run::{Against, Deadlines, Run, Sent, Shape, book, done, heard, join};
use crate::knowledge::{Composition, composition, is_constant, opening, parts};
use crate::term::{FamilyKind, Op, TermId, TermStore, View};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::smallvec;
use std::cell::Cell;
use std::sync::Arc;

/// A term that the environment can compute.
#[derive(Clone, Debug)]
pub struct Fact {
    /// The term: no variable, constant, tuple or successor.
    pub head: TermId,
    /// How it is computed.
    pub recipe: Arc<Recipe>,
    /// What was done for it.
    pub run: Run,
}

/// A thread before one of its actions.
#[derive(Clone, Debug)]
struct Place {
    thread: u16,
    /// The action, as an item of the role.
    item: u32,
    /// The values of the role's variables, as far as they have any.
    values: Vec<Option<TermId>>,
    /// The run, with the values as head.
    fact: Fact,
}

/// A look that the running side passes and the other does not.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The run.
    pub run: Run,
    /// What is looked at.
    pub look: Look,
}

/// Why saturation ended early.
#[derive(Debug)]
pub enum End {
    /// The other side fails a look.
    Failed(Box<Failure>),
    /// It takes too long, or is not a case for this procedure.
    GaveUp,
}

/// The saturation of one side.
pub struct Saturation<'a> {
    pub(super) store: &'a TermStore,
    pub(super) cast: &'a Cast,
    /// The side that runs.
    pub side: usize,
    pub(super) knows: &'a [TermId],
    spies: &'a [TermId],
    /// Leave out what adds nothing.
    contained: bool,
    patience: &'a Cell<u64>,
    stopped: &'a dyn Fn() -> bool,
    facts: Vec<Fact>,
    places: Vec<Place>,
    known_facts: FxHashMap<Shape, usize>,
    known_places: FxHashSet<(u16, u32, Shape)>,
    /// Looks that the other side passes unless particular choices are made, perhaps.
    pub open: Vec<(Run, Look)>,
    /// Looks taken.
    pub looks: u64,
    /// Actions of the longest run.
    pub longest: u32,
}

impl<'a> Saturation<'a> {
    /// Prepares the saturation of a side.
    pub fn new(
        question: &Question<'a>,
        cast: &'a Cast,
        side: usize,
        patience: &'a Cell<u64>,
        stopped: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            store: question.store,
            cast,
            side,
            knows: question.knows,
            spies: question.spies,
            contained: question.contained,
            patience,
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
    pub fn size(&self) -> u64 {
        (self.facts.len() + self.places.len()) as u64
    }

    /// Builds everything and looks at the other side.
    pub fn run(&mut self) -> Result<(), End> {
        let knows = self.knows;
        for (i, t) in knows.iter().enumerate() {
            self.learn(&Run::new(self.side), *t, &Arc::new(Recipe::Initial(i)))?;
        }
        let cast = self.cast;
        for class in &cast.classes {
            let Some(thread) = class.first() else {
                continue;
            };
            let role = &cast.threads[usize::from(*thread)].roles[self.side];
            let partial = Partial::new(self.store, &Run::new(self.side));
            let values = vec![None; role.vars as usize];
            self.arrive(*thread, role.root, partial, values, (0, false))?;
        }
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

    fn going(&self) -> Result<(), End> {
        if self.patience.get() == 0 || (self.stopped)() {
            return Err(End::GaveUp);
        }
        Ok(())
    }

    fn solver<'s>(&'s self, frozen: Option<&'s Frozen>) -> Solver<'s> {
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
    fn look(&mut self, run: &Run, look: Look) -> Result<(), End> {
        self.looks += 1;
        let actions = run.clock.iter().map(|(_, n)| u32::from(*n)).sum();
        self.longest = self.longest.max(actions);
        let (store, cast, knows) = (self.store, self.cast, self.knows);
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
        if done.failed.iter().any(|test| may_hold(store, test)) {
            self.open.push((run.clone(), look));
        }
        Ok(())
    }

    /// Does the action of a place.
    fn advance(&mut self, number: usize, scope: (usize, bool)) -> Result<(), End> {
        let place = self.places[number].clone();
        let (cast, store, thread) = (self.cast, self.store, place.thread);
        let role = &cast.threads[usize::from(thread)].roles[self.side];
        let Item::Act {
            kind, term, next, ..
        } = role.item(place.item)
        else {
            return Ok(());
        };
        let run = &place.fact.run;
        let event = (thread, done(&run.clock, thread));
        let mut partial = Partial::new(store, run);
        let mut values = place.values;
        join(&mut partial.clock, &[(thread, event.1 + 1)]);
        book(&mut partial.last, thread, place.item);
        match kind {
            Kind::Output => {
                if !scope.1 {
                    let mut run = run.clone();
                    run.clock.clone_from(&partial.clock);
                    run.last.clone_from(&partial.last);
                    let message = instance(store, *term, &values);
                    let recipe = Arc::new(Recipe::Heard(heard(event)));
                    self.learn(&run, message, &recipe)?;
                }
            }
            Kind::Input => {
                let before: Deadlines = smallvec![event];
                let message = store.var(partial.variable());
                let choice = partial.want(message, before);
                let at = partial.sent.partition_point(|s| s.event < event);
                partial.sent.insert(
                    at,
                    Sent {
                        event,
                        term: message,
                        recipe: Arc::new(Recipe::Choice(choice)),
                        needs: smallvec![],
                    },
                );
                if let View::Var(v) = store.view(*term) {
                    values[(v - LOCAL) as usize] = Some(message);
                }
            }
        }
        self.arrive(thread, *next, partial, values, scope)
    }

    /// Goes from an item of a thread to the next actions, through the tests before them.
    fn arrive(
        &mut self,
        thread: u16,
        item: u32,
        partial: Partial,
        values: Vec<Option<TermId>>,
        scope: (usize, bool),
    ) -> Result<(), End> {
        let (cast, store) = (self.cast, self.store);
        let role = &cast.threads[usize::from(thread)].roles[self.side];
        let mut work = vec![(item, partial, values)];
        while let Some((item, mut partial, mut values)) = work.pop() {
            match role.item(item) {
                Item::Done => {}
                Item::Act { kind, channel, .. } => {
                    let look = Look::Offers(thread, *kind, *channel);
                    self.settle(thread, item, &look, partial, &values, scope)?;
                }
                Item::Test {
                    equations,
                    then,
                    otherwise,
                } => {
                    if !matches!(role.item(*otherwise), Item::Done) {
                        let mut partial = partial.clone();
                        partial.against.push(Against {
                            event: (thread, done(&partial.clock, thread)),
                            equations: instances(store, equations, &values),
                        });
                        work.push((*otherwise, partial, values.clone()));
                    }
                    for t in equations.iter().flat_map(|(a, b)| [*a, *b]) {
                        store.visit(t, &mut |s| {
                            if let View::Var(v) = store.view(s) {
                                let value = &mut values[(v - LOCAL) as usize];
                                value.get_or_insert_with(|| store.var(partial.variable()));
                            }
                            true
                        });
                    }
                    if partial.equate(store, &instances(store, equations, &values)) {
                        // Tests can double a message again and again.
                        for value in values.iter_mut().flatten() {
                            *value = partial.term(store, *value);
                            if store.facts(*value).size > LARGEST {
                                return Err(End::GaveUp);
                            }
                        }
                        work.push((*then, partial, values));
                    }
                }
            }
        }
        Ok(())
    }

    /// A thread before an action, in all ways to get there.
    fn settle(
        &mut self,
        thread: u16,
        item: u32,
        look: &Look,
        partial: Partial,
        values: &[Option<TermId>],
        scope: (usize, bool),
    ) -> Result<(), End> {
        let (cast, store) = (self.cast, self.store);
        let report = Report {
            terms: values.iter().flatten().copied().collect(),
            recipes: Vec::new(),
        };
        for solved in self.solve(partial, &report, scope)? {
            let renaming =
                solved
                    .run
                    .canonical(store, cast, self.side, Some(thread), None, &solved.terms);
            let run = solved.run.renamed(store, &renaming);
            let terms: Vec<TermId> = solved
                .terms
                .iter()
                .map(|t| renaming.term(store, *t))
                .collect();
            let shape = run.shape(terms.clone());
            if !self.known_places.insert((thread, item, shape)) {
                continue;
            }
            self.look(&run, look.clone())?;
            let head = store.flat(&terms);
            if self.contained {
                let contained = self.is_contained(thread, item, &run, head);
                self.going()?;
                if contained {
                    continue;
                }
            }
            let mut terms = terms.into_iter();
            let values = values.iter().map(|v| v.and_then(|_| terms.next()));
            self.places.push(Place {
                thread,
                item,
                values: values.collect(),
                fact: Fact {
                    head,
                    recipe: Arc::new(Recipe::Constant(store.zero())),
                    run,
                },
            });
        }
        Ok(())
    }

    /// Whether a place adds nothing to one that was found with fewer actions or more choices.
    fn is_contained(&self, thread: u16, item: u32, run: &Run, head: TermId) -> bool {
        let frozen = Frozen::new(run);
        let solver = self.solver(Some(&frozen));
        let same = self
            .places
            .iter()
            .filter(|p| p.thread == thread && p.item == item);
        same.into_iter()
            .any(|p| solver.contains(run, head, &p.fact, thread))
    }

    /// Takes a term that the environment computes apart as far as that needs no key, and keeps what is new.
    fn learn(&mut self, run: &Run, term: TermId, recipe: &Arc<Recipe>) -> Result<(), End> {
        let store = self.store;
        if store.facts(term).size > LARGEST {
            return Err(End::GaveUp);
        }
        if let Some(args) = parts(store, term) {
            let successor = matches!(store.view(term), View::Suc(_));
            for (i, a) in args.iter().enumerate() {
                let part = if successor {
                    Recipe::Predecessor(recipe.clone())
                } else {
                    Recipe::Part(recipe.clone(), i, args.len())
                };
                self.learn(run, *a, &Arc::new(part))?;
            }
            return Ok(());
        }
        if let Some(made) = self.at_once(term) {
            return self.look(run, Look::Equal(recipe.clone(), made));
        }
        let renaming = run.canonical(store, self.cast, self.side, None, Some(&**recipe), &[term]);
        let run = run.renamed(store, &renaming);
        let head = renaming.term(store, term);
        let recipe = renaming.recipe(recipe);
        let shape = run.shape(vec![head]);
        if let Some(known) = self.known_facts.get(&shape) {
            let same = self.facts[*known].recipe.clone();
            return self.look(&run, Look::Equal(recipe, same));
        }
        if self.contained {
            let frozen = Frozen::new(&run);
            let made = self.solver(Some(&frozen)).makes(&run, head);
            self.going()?;
            if let Some(made) = made {
                return self.look(&run, Look::Equal(recipe, made));
            }
        }
        self.look(&run, Look::Computes(recipe.clone()))?;
        self.known_facts.insert(shape, self.facts.len());
        self.facts.push(Fact { head, recipe, run });
        Ok(())
    }

    /// How the environment makes a term from constants and its choices alone.
    fn at_once(&self, term: TermId) -> Option<Arc<Recipe>> {
        let store = self.store;
        if is_constant(store, term) {
            return Some(Arc::new(Recipe::Constant(term)));
        }
        let node = store.node(term);
        let args = match node.view() {
            View::Var(v) => return Some(Arc::new(Recipe::Choice(v))),
            View::Pub(k) => match store.view(k) {
                View::Family(..) => match composition(store, term) {
                    Composition::From(args) if *args != *node.args => {
                        let all: Option<Vec<_>> = args.iter().map(|a| self.at_once(*a)).collect();
                        let member = Arc::new(Recipe::Apply(store.node(k).op, all?));
                        return Some(Arc::new(Recipe::Apply(Op::Pub, vec![member])));
                    }
                    _ => &node.args[..],
                },
                _ => &node.args[..],
            },
            _ => match composition(store, term) {
                Composition::From(args) => args,
                Composition::FromIfSpy(args) if args.iter().any(|a| store.is_spy(*a)) => args,
                _ => return None,
            },
        };
        let all: Option<Vec<_>> = args.iter().map(|a| self.at_once(*a)).collect();
        Some(Arc::new(Recipe::Apply(node.op, all?)))
    }

    /// Opens a ciphertext or signature in all ways.
    fn open(&mut self, number: usize, scope: (usize, bool)) -> Result<(), End> {
        let store = self.store;
        let fact = self.facts[number].clone();
        let Some(opening) = opening(store, fact.head) else {
            return Ok(());
        };
        let mut partial = Partial::new(store, &fact.run);
        let how = match store.view(fact.head) {
            View::Senc(..) => Opener::Senc,
            View::Aenc(..) => Opener::Aenc,
            _ => Opener::Sign,
        };
        let key = match opening.key {
            Some(key) => key,
            None if matches!(store.view(opening.lock), View::Var(_)) => {
                // It opens if the environment chose the right kind of key.
                let z = store.var(partial.variable());
                let (lock, key) = match how {
                    Opener::Sign => (store.priv_part(z), store.pub_part(z)),
                    _ => (store.pub_part(z), store.priv_part(z)),
                };
                if !partial.equate(store, &[(opening.lock, lock)]) {
                    return Ok(());
                }
                key
            }
            None => return Ok(()),
        };
        let choice = partial.want(key, Deadlines::new());
        let report = Report {
            terms: vec![opening.content],
            recipes: vec![Arc::new(Recipe::Open(
                how,
                fact.recipe.clone(),
                Arc::new(Recipe::Choice(choice)),
            ))],
        };
        for solved in self.solve(partial, &report, scope)? {
            self.learn(&solved.run, solved.terms[0], &solved.recipes[0])?;
        }
        Ok(())
    }

    /// Compares a fact with all ways to make its head.
    fn compare(&mut self, number: usize) -> Result<(), End> {
        let fact = self.facts[number].clone();
        let mut partial = Partial::new(self.store, &fact.run);
        let choice = partial.want(fact.head, Deadlines::new());
        let report = Report {
            terms: Vec::new(),
            recipes: vec![fact.recipe, Arc::new(Recipe::Choice(choice))],
        };
        for solved in self.solve(partial, &report, (0, false))? {
            let [one, other] = &solved.recipes[..] else {
                continue;
            };
            if one != other {
                self.look(&solved.run, Look::Equal(one.clone(), other.clone()))?;
            }
        }
        self.match_parts(number)
    }

    /// Looks whether a part of a key pair, or a member of a family of key pairs, goes with the counterparts that can be made.
    fn match_parts(&mut self, number: usize) -> Result<(), End> {
        let store = self.store;
        let fact = self.facts[number].clone();
        let mut partial = Partial::new(store, &fact.run);
        let mut want = |t: TermId| Arc::new(Recipe::Choice(partial.want(t, Deadlines::new())));
        let opens = |public: Arc<Recipe>, private: Arc<Recipe>| {
            let nothing = Arc::new(Recipe::Constant(store.zero()));
            let locked = Arc::new(Recipe::Apply(Op::Aenc, vec![nothing, public]));
            Look::Computes(Arc::new(Recipe::Open(Opener::Aenc, locked, private)))
        };
        let node = store.node(fact.head);
        let look = match node.view() {
            View::Pub(z) => opens(fact.recipe, want(store.priv_part(z))),
            View::Priv(z) => opens(want(store.pub_part(z)), fact.recipe),
            View::Family(f, args) if store.family_info(f).kind == FamilyKind::KeyPair => {
                let args = args.iter().map(|a| want(*a)).collect();
                let member = Arc::new(Recipe::Apply(node.op, args));
                let public = |of| Arc::new(Recipe::Apply(Op::Pub, vec![of]));
                Look::Equal(public(fact.recipe), public(member))
            }
            _ => return Ok(()),
        };
        let report = Report {
            terms: Vec::new(),
            recipes: look.recipes(),
        };
        for solved in self.solve(partial, &report, (0, false))? {
            self.look(&solved.run, look.with(&solved.recipes))?;
        }
        Ok(())
    }
}

fn instance(store: &TermStore, t: TermId, values: &[Option<TermId>]) -> TermId {
    store.map_atoms(t, &mut |atom| match store.view(atom) {
        View::Var(v) => values[(v - LOCAL) as usize],
        _ => None,
    })
}

fn instances(
    store: &TermStore,
    equations: &[(TermId, TermId)],
    values: &[Option<TermId>],
) -> Vec<(TermId, TermId)> {
    let full = |t| instance(store, t, values);
    equations
        .iter()
        .map(|(a, b)| (full(*a), full(*b)))
        .collect()
}
