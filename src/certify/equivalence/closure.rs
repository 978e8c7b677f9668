//! Whether facts and places are closed: whatever can happen next is among them, and is seen by the other side.

use super::EquivalenceError;
use super::certificate::{Place, Recipe, Run};
use super::deduce::{Learned, Making, castings, parts};
use super::exchange::Bundles;
use super::looks::{Look, Looking};
use super::recipe::{Clock, done, join};
use super::run::{Offer, Ready, Side, ready};
use super::solve::{Partial, Solver};
use super::tree::{LOCAL, Node};
use super::values::Values;
use crate::term::{FamilyKind, Op, TermId, View};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A place that its side has got to.
pub(super) struct Placed {
    pub thread: u16,
    pub item: u32,
    node: u32,
    /// The values of the variables on the way.
    values: Values,
    ready: Ready,
}

/// Does what is said of a place.
pub(super) fn placed(
    side: Side<'_>,
    run: &Run,
    thread: u16,
) -> Result<Option<Placed>, EquivalenceError> {
    let Some((mut found, mut state)) = ready(side, run)? else {
        return Ok(None);
    };
    let event = (thread, done(&run.clock, thread));
    let Offer::Action(node) = state.offer(event) else {
        return Ok(None);
    };
    let Node::Act { item, .. } = side.tree.node(node) else {
        return Ok(None);
    };
    found.failed.clone_from(&state.failed);
    Ok(state.values_at(node).map(|values| Placed {
        thread,
        item: *item,
        node,
        values,
        ready: found,
    }))
}

/// The places of a side, by thread and item.
pub(super) struct Places {
    pub all: Vec<Placed>,
    index: FxHashMap<(u16, u32), Vec<usize>>,
}

impl Places {
    /// Does what is said of the places of a certificate.
    pub(super) fn new(
        side: Side<'_>,
        number: usize,
        bundles: &Bundles<'_>,
        places: &[Place],
    ) -> Result<Self, EquivalenceError> {
        let mut found = Self {
            all: Vec::new(),
            index: FxHashMap::default(),
        };
        for place in places {
            let place = placed(side, &place.run, place.thread)?;
            let place = place.ok_or(EquivalenceError::Run { side: number })?;
            let key = (bundles.stands_for(place.thread), place.item);
            let all = found.index.entry(key).or_default();
            all.push(found.all.len());
            found.all.push(place);
        }
        Ok(found)
    }
}

/// One side, with what is said of it.
pub(super) struct Closure<'a> {
    pub side: Side<'a>,
    pub number: usize,
    pub bundles: &'a Bundles<'a>,
    pub facts: &'a [Learned],
    pub places: &'a Places,
    pub solver: &'a Solver<'a>,
    pub looking: &'a Looking<'a>,
}

impl Closure<'_> {
    fn wrong(&self) -> EquivalenceError {
        EquivalenceError::Run { side: self.number }
    }

    /// Looks at everything that is said of the side.
    pub(super) fn check(&self) -> Result<(), EquivalenceError> {
        let (start, _) = ready(self.side, &Run::default())?.ok_or(self.wrong())?;
        for (i, t) in (0u32..).zip(self.side.knows) {
            self.learn(&start, *t, &Arc::new(Recipe::Initial(i)))?;
        }
        let partial = Partial::new(self.side, &start);
        self.arrive(self.side.tree.root, partial, Values::of(LOCAL..u32::MAX))?;
        for place in &self.places.all {
            if let Node::Act { input, channel, .. } = self.side.tree.node(place.node) {
                let look = Look::Offers(place.thread, *input, *channel);
                self.look(&place.ready, &look)?;
            }
            self.advance(place)?;
        }
        for fact in self.facts {
            self.look(&fact.ready, &Look::Computes(fact.recipe.clone()))?;
            self.open(fact)?;
            self.compare(fact)?;
            self.match_parts(fact)?;
        }
        Ok(())
    }

    fn look(&self, run: &Ready, look: &Look) -> Result<(), EquivalenceError> {
        self.looking.look(self.number, run, look)
    }

    /// Does the action of a place.
    fn advance(&self, place: &Placed) -> Result<(), EquivalenceError> {
        let store = self.side.store;
        let Node::Act {
            input, term, next, ..
        } = self.side.tree.node(place.node)
        else {
            return Err(self.wrong());
        };
        let event = (place.thread, done(&place.ready.run.clock, place.thread));
        let mut partial = Partial::new(self.side, &place.ready);
        let mut values = place.values.clone();
        let message = partial.act(self.side, event, place.item, *input);
        match (message, store.view(*term)) {
            (Some(message), View::Var(v)) => values.bind(v, message),
            (Some(_), _) => return Err(self.wrong()),
            (None, _) => {
                let mut run = place.ready.run.clone();
                join(&mut run.clock, &[(event.0, event.1 + 1)]);
                let (told, _) = ready(self.side, &run)?.ok_or(self.wrong())?;
                let message = *told.heard.get(&event).ok_or(self.wrong())?;
                self.learn(&told, message, &Arc::new(Recipe::Heard(event)))?;
            }
        }
        self.arrive(*next, partial, values)
    }

    /// Goes from a node to the next actions, through the tests and forks before them.
    fn arrive(&self, node: u32, partial: Partial, values: Values) -> Result<(), EquivalenceError> {
        let (store, effort, tree) = (self.side.store, self.side.effort, self.side.tree);
        let mut work = vec![(node, partial, values)];
        while let Some((node, mut partial, mut values)) = work.pop() {
            match tree.node(node) {
                Node::Done => {}
                Node::Act { thread, item, .. } => self.settle(*thread, *item, partial)?,
                Node::Fork(parts) => {
                    let parts = parts.iter();
                    work.extend(parts.map(|p| (*p, partial.clone(), values.clone())));
                }
                Node::Test {
                    equations,
                    depth,
                    binds,
                    then,
                    otherwise,
                } => {
                    let full = |values: &Values| -> Vec<(TermId, TermId)> {
                        let full = |t: TermId| values.full(store, effort, t);
                        equations
                            .iter()
                            .map(|(a, b)| (full(*a), full(*b)))
                            .collect()
                    };
                    if *otherwise != super::tree::DONE {
                        let mut with = partial.clone();
                        with.fails(full(&values));
                        work.push((*otherwise, with, values.clone()));
                    }
                    for v in LOCAL + depth..LOCAL + depth + binds {
                        values.bind(v, store.var(partial.variable()));
                    }
                    if partial.equate(self.side, &full(&values)) {
                        work.push((*then, partial, values));
                    }
                }
            }
            effort.going()?;
        }
        Ok(())
    }

    /// A thread gets to an action: in all ways to get there, a place says so.
    fn settle(&self, thread: u16, item: u32, partial: Partial) -> Result<(), EquivalenceError> {
        // Before anything has happened a thread is like any other of its class.
        if partial.is_empty() && self.bundles.stands_for(thread) != thread {
            return Ok(());
        }
        let event = (thread, partial.done(thread));
        for solved in self.solver.solve(partial, &[])? {
            let place = placed(self.side, &solved.run, thread)?;
            let place = place.filter(|p| p.item == item).ok_or(self.wrong())?;
            if !self.is_contained(&place) {
                return Err(EquivalenceError::Place {
                    side: self.number,
                    event,
                });
            }
        }
        Ok(())
    }

    /// Whether a listed place is a part of this one.
    fn is_contained(&self, place: &Placed) -> bool {
        let key = (self.bundles.stands_for(place.thread), place.item);
        let Some(all) = self.places.index.get(&key) else {
            return false;
        };
        let with = |ready: &Ready, thread: u16| -> Clock {
            let mut clock = ready.run.clock.clone();
            join(&mut clock, &[(thread, 0)]);
            clock
        };
        let into = with(&place.ready, place.thread);
        let making = self.making();
        all.iter().any(|i| {
            let known = &self.places.all[*i];
            let of = with(&known.ready, known.thread);
            let all = castings(
                self.bundles,
                self.side.effort,
                self.number,
                &of,
                &into,
                false,
            );
            all.into_iter().any(|renaming| {
                renaming.thread(known.thread) == place.thread
                    && making
                        .embeds(&known.ready, &[], &renaming, &place.ready, &[])
                        .is_some()
            })
        })
    }

    fn making(&self) -> Making<'_> {
        Making {
            side: self.side,
            number: self.number,
            bundles: self.bundles,
            facts: self.facts,
        }
    }

    /// The environment computes a term: the facts tell a way to make it, and the other side sees that it is the same.
    fn learn(&self, run: &Ready, t: TermId, recipe: &Arc<Recipe>) -> Result<(), EquivalenceError> {
        let mut work = vec![(t, recipe.clone())];
        while let Some((t, recipe)) = work.pop() {
            let inner = parts(self.side.store, t, &recipe);
            if !inner.is_empty() {
                work.extend(inner);
                continue;
            }
            let made = self.making().makes(run, t, &mut Vec::new())?;
            let made = made.ok_or(EquivalenceError::Fact { side: self.number })?;
            if made != recipe {
                self.look(run, &Look::Equal(recipe, made))?;
            }
        }
        Ok(())
    }

    /// Opens a fact.
    fn open(&self, fact: &Learned) -> Result<(), EquivalenceError> {
        let store = self.side.store;
        let node = store.node(fact.head);
        let [_, lock] = node.args[..] else {
            return Ok(());
        };
        let mut partial = Partial::new(self.side, &fact.ready);
        let (form, counter) = match node.op {
            Op::Senc => (None, None),
            Op::Aenc => (Some(Op::Pub), Some(Op::Priv)),
            Op::Sign => (Some(Op::Priv), Some(Op::Pub)),
            _ => return Ok(()),
        };
        let key = match form.zip(counter) {
            None => lock,
            Some((form, counter)) => {
                // It may open only if the environment chose the right kind of key.
                let z = store.var(partial.variable());
                let part = |op: Op| store.make(op, [z].into_iter().collect());
                if !partial.equate(self.side, &[(lock, part(form))]) {
                    return Ok(());
                }
                part(counter)
            }
        };
        let key = Arc::new(Recipe::Choice(partial.want(key, Vec::new())));
        let recipe = Arc::new(Recipe::Open(node.op, fact.recipe.clone(), key));
        for solved in self.solver.solve(partial, &[recipe])? {
            let (run, mut state) = ready(self.side, &solved.run)?.ok_or(self.wrong())?;
            let content = state.make(&solved.recipes[0]).ok_or(self.wrong())?;
            self.learn(&run, content, &solved.recipes[0])?;
        }
        Ok(())
    }

    /// Compares a fact with all ways to make it.
    fn compare(&self, fact: &Learned) -> Result<(), EquivalenceError> {
        let mut partial = Partial::new(self.side, &fact.ready);
        let choice = partial.want(fact.head, Vec::new());
        let recipes = [fact.recipe.clone(), Arc::new(Recipe::Choice(choice))];
        for solved in self.solver.solve(partial, &recipes)? {
            let [one, other] = &solved.recipes[..] else {
                return Err(self.wrong());
            };
            if one != other {
                let (run, _) = ready(self.side, &solved.run)?.ok_or(self.wrong())?;
                self.look(&run, &Look::Equal(one.clone(), other.clone()))?;
            }
        }
        Ok(())
    }

    /// Looks whether a part of a key pair, or a member of a family of key pairs, goes with the counterparts that can be made.
    fn match_parts(&self, fact: &Learned) -> Result<(), EquivalenceError> {
        let store = self.side.store;
        let mut partial = Partial::new(self.side, &fact.ready);
        let mut want = |t: TermId| Arc::new(Recipe::Choice(partial.want(t, Vec::new())));
        let node = store.node(fact.head);
        let opens = |public: Arc<Recipe>, private: Arc<Recipe>| {
            let nothing = Arc::new(Recipe::Constant(store.zero()));
            let locked = Arc::new(Recipe::Apply(Op::Aenc, vec![nothing, public]));
            vec![Arc::new(Recipe::Open(Op::Aenc, locked, private))]
        };
        let recipes = match node.view() {
            View::Pub(z) => opens(fact.recipe.clone(), want(store.priv_part(z))),
            View::Priv(z) => opens(want(store.pub_part(z)), fact.recipe.clone()),
            View::Family(f, args) if store.family_info(f).kind == FamilyKind::KeyPair => {
                let args = args.iter().map(|a| want(*a)).collect();
                let member = Arc::new(Recipe::Apply(node.op, args));
                let public = |of| Arc::new(Recipe::Apply(Op::Pub, vec![of]));
                vec![public(fact.recipe.clone()), public(member)]
            }
            _ => return Ok(()),
        };
        for solved in self.solver.solve(partial, &recipes)? {
            let (run, _) = ready(self.side, &solved.run)?.ok_or(self.wrong())?;
            let look = match &solved.recipes[..] {
                [one] => Look::Computes(one.clone()),
                [one, other] => Look::Equal(one.clone(), other.clone()),
                _ => return Err(self.wrong()),
            };
            self.look(&run, &look)?;
        }
        Ok(())
    }
}
