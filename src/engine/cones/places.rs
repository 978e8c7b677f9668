//! Places: threads before their actions, and how they get there.

use super::execute::Look;
use super::facts::Fact;
use super::goal::{LARGEST, Report};
use super::partial::{Frozen, Partial};
use super::run::{Against, Deadlines, Run, Sent, book, done, fork, heard, join};
use super::saturation::{End, Saturation};
use super::tree::{DONE, Kind, LOCAL, Node};
use crate::engine::joint::trail::Recipe;
use crate::term::{TermId, TermStore, View};
use smallvec::smallvec;
use std::sync::Arc;

/// A thread before one of its actions.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The thread.
    thread: u16,
    /// The action, as an item of the role.
    item: u32,
    /// The values of the variables on the way, as far as they have any.
    values: Vec<Option<TermId>>,
    /// The run, with the values as head.
    fact: Fact,
}

impl Place {
    /// The thread, and the run that leads there.
    pub(super) fn told(&self) -> (u16, &Run) {
        (self.thread, &self.fact.run)
    }
}

impl Saturation<'_> {
    /// Does the action of a place.
    pub(super) fn advance(&mut self, number: usize, scope: (usize, bool)) -> Result<(), End> {
        let place = self.places[number].clone();
        let (cast, store, thread) = (self.cast, self.store, place.thread);
        let item = cast.role(self.side, thread).item(place.item);
        let run = &place.fact.run;
        let event = (thread, done(&run.clock, thread));
        let mut partial = Partial::new(store, run);
        let mut values = place.values;
        join(&mut partial.clock, &[(thread, event.1 + 1)]);
        book(&mut partial.last, thread, place.item);
        if let Some(of) = item.follows {
            fork(&mut partial.forks, (event, of));
        }
        match item.kind {
            Kind::Output => {
                if !scope.1 {
                    let mut run = run.clone();
                    run.clock.clone_from(&partial.clock);
                    run.forks.clone_from(&partial.forks);
                    run.last.clone_from(&partial.last);
                    let message = instance(store, item.term, &values);
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
                values.push(Some(message));
            }
        }
        self.arrive(item.next, partial, values, scope)
    }

    /// Goes from a node to the next actions, through the tests and forks before them. Of parts that are interchangeable, and that
    /// have done nothing yet, one goes on.
    pub(super) fn arrive(
        &mut self,
        node: u32,
        partial: Partial,
        values: Vec<Option<TermId>>,
        scope: (usize, bool),
    ) -> Result<(), End> {
        let (cast, store) = (self.cast, self.store);
        let tree = &cast.trees[self.side];
        // The tests that failed come before whatever action is next.
        let mut work = vec![(node, partial, values, Vec::new())];
        while let Some((node, mut partial, mut values, failed)) = work.pop() {
            match tree.node(node) {
                Node::Done => {}
                Node::Act { kind, channel, .. } => {
                    let (thread, item) = cast.item_at(self.side, node);
                    let event = (thread, done(&partial.clock, thread));
                    let against = failed.into_iter();
                    let against = against.map(|equations| Against { event, equations });
                    partial.against.extend(against);
                    let look = Look::Offers(thread, *kind, *channel);
                    self.settle(thread, item, &look, partial, &values, scope)?;
                }
                Node::Fork(parts) => {
                    for part in parts.iter().rev().filter(|p| cast.is_first(self.side, **p)) {
                        let failed = failed.clone();
                        work.push((*part, partial.clone(), values.clone(), failed));
                    }
                }
                Node::Test {
                    equations,
                    binds,
                    then,
                    otherwise,
                } => {
                    if *otherwise != DONE {
                        let mut failed = failed.clone();
                        failed.push(instances(store, equations, &values));
                        work.push((*otherwise, partial.clone(), values.clone(), failed));
                    }
                    values.resize(values.len() + *binds as usize, None);
                    for t in equations.iter().flat_map(|(a, b)| [*a, *b]) {
                        store.visit(t, &mut |s| {
                            if let View::Var(v) = store.view(s) {
                                let value = &mut values[(v - LOCAL) as usize];
                                value.get_or_insert_with(|| store.var(partial.variable()));
                            }
                            true
                        });
                    }
                    let ways = partial.equated(store, &instances(store, equations, &values));
                    for partial in ways.into_iter().rev() {
                        let mut values = values.clone();
                        // Tests can double a message again and again.
                        for value in values.iter_mut().flatten() {
                            *value = partial.term(store, *value);
                            if store.facts(*value).size > LARGEST {
                                return Err(End::GaveUp);
                            }
                        }
                        work.push((*then, partial, values, failed.clone()));
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
}

fn instance(store: &TermStore, t: TermId, values: &[Option<TermId>]) -> TermId {
    store.map_atoms(t, &mut |atom| match store.view(atom) {
        View::Var(v) => values.get((v - LOCAL) as usize).copied().flatten(),
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
