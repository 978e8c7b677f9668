//! Places: threads before their actions, and how they get there.

use super::super::trail::Recipe;
use super::execute::Look;
use super::facts::Fact;
use super::goal::{LARGEST, Report};
use super::partial::{Frozen, Partial};
use super::role::{Item, Kind, LOCAL};
use super::run::{Against, Deadlines, Run, Sent, book, done, heard, join};
use super::saturation::{End, Saturation};
use crate::term::{TermId, TermStore, View};
use smallvec::smallvec;
use std::sync::Arc;

/// A thread before one of its actions.
#[derive(Clone, Debug)]
pub struct Place {
    /// The thread.
    thread: u16,
    /// The action, as an item of the role.
    item: u32,
    /// The values of the role's variables, as far as they have any.
    values: Vec<Option<TermId>>,
    /// The run, with the values as head.
    fact: Fact,
}

impl Saturation<'_> {
    /// Does the action of a place.
    pub(super) fn advance(&mut self, number: usize, scope: (usize, bool)) -> Result<(), End> {
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
    pub(super) fn arrive(
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
