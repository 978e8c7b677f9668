//! What the other side must see of a run, for whatever choices.
//!
//! The other side does the run with names for choices, and must see the same. A test of it that fails so may succeed for some choices. The most general ones are
//! found with its own facts, and it is looked again, as long as the first side stays on its branches: otherwise that is a run of another place.

use super::EquivalenceError;
use super::certificate::{Event, Recipe, Run};
use super::recipe::done;
use super::run::{Failed, Offer, Ready, Side, State, attempt};
use super::solve::{Partial, Solved, Solver};
use super::tree::{LOCAL, Node};
use super::values::Values;
use crate::term::{TermId, View, ranges};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Branches that are taken one after the other.
const BRANCHES: usize = 50;

/// What is looked at when a run is over.
#[derive(Clone, Debug)]
pub(super) enum Look {
    /// The thread sends or receives next, on a channel.
    Offers(u16, bool, TermId),
    /// Something can be computed.
    Computes(Arc<Recipe>),
    /// Two things can be computed and are equal.
    Equal(Arc<Recipe>, Arc<Recipe>),
}

impl Look {
    fn recipes(&self) -> Vec<Arc<Recipe>> {
        match self {
            Look::Offers(..) => Vec::new(),
            Look::Computes(r) => vec![r.clone()],
            Look::Equal(r, s) => vec![r.clone(), s.clone()],
        }
    }

    fn with(&self, recipes: &[Arc<Recipe>]) -> Look {
        match (self, recipes) {
            (Look::Computes(_), [r]) => Look::Computes(r.clone()),
            (Look::Equal(..), [r, s]) => Look::Equal(r.clone(), s.clone()),
            _ => self.clone(),
        }
    }
}

/// What a side did of a run and a look.
struct Done {
    passes: bool,
    undecided: bool,
    too_large: bool,
    sent: Vec<TermId>,
    items: Vec<(u16, u32)>,
    /// The item that the thread looked at offers.
    offered: Option<u32>,
    failed: Vec<Failed>,
}

/// Looks at a run in the middle of which a side stands; `whole` if it came to the end of it.
fn seen(
    side: Side<'_>,
    mut state: State<'_>,
    run: &Run,
    sent: Vec<TermId>,
    whole: bool,
    look: &Look,
) -> Done {
    let mut offered = None;
    let passes = whole
        && match look {
            Look::Offers(thread, input, channel) => {
                let event = (*thread, done(&run.clock, *thread));
                match state.offer(event) {
                    Offer::Action(node) => match side.tree.node(node) {
                        Node::Act {
                            input: i,
                            channel: c,
                            item,
                            ..
                        } => {
                            offered = Some(*item);
                            i == input && c == channel
                        }
                        _ => false,
                    },
                    Offer::Later => {
                        state.undecided = true;
                        false
                    }
                    Offer::Nothing | Offer::TooLarge => false,
                }
            }
            Look::Computes(r) => state.make(r).is_some(),
            Look::Equal(r, s) => {
                let (a, b) = (state.make(r), state.make(s));
                a.is_some() && a == b
            }
        };
    let mut items = state.items.clone();
    items.sort_unstable();
    Done {
        passes,
        undecided: state.undecided,
        too_large: state.too_large,
        sent,
        items,
        offered,
        failed: state.failed,
    }
}

/// Does the run of the other side, in its order, and looks.
fn follow(side: Side<'_>, run: &Ready, look: &Look) -> Done {
    let mut state = State::new(side);
    let mut sent = vec![side.store.zero(); run.run.inputs.len()];
    let mut whole = true;
    for (event, label) in &run.order {
        whole = step(side, &mut state, run, *event, *label, &mut sent);
        if !whole {
            break;
        }
    }
    seen(side, state, &run.run, sent, whole, look)
}

fn step(
    side: Side<'_>,
    state: &mut State<'_>,
    run: &Ready,
    event: Event,
    label: (bool, TermId),
    sent: &mut [TermId],
) -> bool {
    let node = match state.offer(event) {
        Offer::Action(node) => node,
        Offer::Later => {
            state.undecided = true;
            return false;
        }
        Offer::Nothing | Offer::TooLarge => return false,
    };
    let Node::Act { input, channel, .. } = side.tree.node(node) else {
        return false;
    };
    if (*input, *channel) != label {
        return false;
    }
    let at = run.run.inputs.binary_search_by_key(&event, |(e, _)| *e);
    let message = match at {
        Ok(i) => {
            let Some(message) = state.make(&run.run.inputs[i].1) else {
                return false;
            };
            sent[i] = message;
            Some(message)
        }
        Err(_) => None,
    };
    state.act(node, message)
}

/// Whether a test that fails with names for choices may succeed for some.
fn may_hold(side: Side<'_>, failed: &Failed) -> bool {
    Values::of(0..ranges::LOCAL.end).solve(side.store, side.effort, &failed.equations)
}

/// Both sides, to look from one at the other.
pub(super) struct Looking<'a> {
    pub sides: [Side<'a>; 2],
    pub solvers: [&'a Solver<'a>; 2],
}

impl Looking<'_> {
    /// Whether the other side sees what a side sees at the end of a run, for all choices.
    pub(super) fn look(
        &self,
        number: usize,
        run: &Ready,
        look: &Look,
    ) -> Result<(), EquivalenceError> {
        let (side, other) = (self.sides[number], self.sides[1 - number]);
        let refused = EquivalenceError::Look { side: number };
        let mut here: Option<Done> = None;
        let mut work = vec![(run.clone(), look.clone(), BRANCHES, false)];
        while let Some((larger, look, depth, again)) = work.pop() {
            let there = follow(other, &larger, &look);
            side.effort.going()?;
            if there.too_large {
                return Err(EquivalenceError::GaveUp);
            }
            if !there.passes {
                return Err(refused);
            }
            let open: Vec<&Failed> = (there.failed.iter())
                .filter(|f| may_hold(other, f))
                .collect();
            if open.is_empty() {
                continue;
            }
            if depth == 0 {
                return Err(EquivalenceError::GaveUp);
            }
            debug_assert!(again || here.is_none());
            let here = here.get_or_insert_with(|| follow(side, run, &look));
            for test in &open {
                for solved in self.refined(number, &larger, &there, test, &look)? {
                    let look = look.with(&solved.recipes);
                    if let Some(ready) = self.still_looks(number, run, here, &solved.run, &look)? {
                        work.push((ready, look, depth - 1, true));
                    }
                }
            }
        }
        Ok(())
    }

    /// The ways to make a test of the other side succeed.
    fn refined(
        &self,
        number: usize,
        larger: &Ready,
        there: &Done,
        test: &Failed,
        look: &Look,
    ) -> Result<Vec<Solved>, EquivalenceError> {
        let side = self.sides[1 - number];
        let seen = Ready {
            sent: there.sent.clone(),
            items: there.items.clone(),
            failed: Vec::new(),
            ..larger.clone()
        };
        let mut partial = Partial::new(side, &seen);
        let mut bound: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut open = |t: TermId| {
            side.store
                .map_atoms(t, &mut |atom| match side.store.view(atom) {
                    View::Var(v) if v >= LOCAL => Some(
                        *bound
                            .entry(atom)
                            .or_insert_with(|| side.store.var(partial.variable())),
                    ),
                    _ => None,
                })
        };
        let equations: Vec<(TermId, TermId)> = test
            .equations
            .iter()
            .map(|(a, b)| (open(*a), open(*b)))
            .collect();
        if !partial.equate(side, &equations) {
            return Ok(Vec::new());
        }
        self.solvers[1 - number].solve(partial, &look.recipes())
    }

    /// The larger run as the side does it, if it sees what is looked at on the branches of the run. Where it takes another branch that is another
    /// run, with looks of its own; unless this depends on what is still open of the added actions.
    fn still_looks(
        &self,
        number: usize,
        run: &Ready,
        here: &Done,
        larger: &Run,
        look: &Look,
    ) -> Result<Option<Ready>, EquivalenceError> {
        let side = self.sides[number];
        let (ready, state, whole) = attempt(side, larger)?;
        let now = seen(side, state, larger, Vec::new(), whole, look);
        let on_the_way = |(thread, item): &(u16, u32)| {
            let further = done(&larger.clock, *thread).checked_sub(done(&run.run.clock, *thread));
            let last = now.items.iter().find(|(t, _)| t == thread);
            let then = last.zip(further);
            then.and_then(|((_, i), n)| side.tree.earlier(*thread, *i, n)) == Some(*item)
        };
        if now.passes && now.offered == here.offered && here.items.iter().all(on_the_way) {
            return Ok(Some(ready));
        }
        // A test that failed in the run, or that comes before one of its actions or its look, is none of an added action.
        let before = |(thread, at): Event| match look {
            Look::Offers(t, ..) if *t == thread => at <= done(&run.run.clock, thread),
            _ => at < done(&run.run.clock, thread),
        };
        let added = |f: &Failed| !before(f.event) && here.failed.iter().all(|h| h.node != f.node);
        let open = |f: &Failed| added(f) && may_hold(side, f);
        if now.undecided || now.too_large || now.failed.iter().any(open) {
            return Err(EquivalenceError::GaveUp);
        }
        Ok(None)
    }
}
