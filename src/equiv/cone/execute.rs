//! A run executed action by action by either side, the choices left open.
//!
//! An open choice is equal to nothing but itself, as a name of the environment's own would be. So a test that succeeds does
//! so whatever is chosen; one that fails may succeed for particular choices, and is reported.

use super::super::trail::{Opener, Recipe};
use super::goal::LARGEST;
use super::partial::holds;
use super::role::{Cast, Item, Kind};
use super::run::{Against, Event, Last, Run, book, done, heard, linear};
use crate::knowledge::opening;
use crate::term::{Op, Subst, TermId, TermStore, View};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is looked at when a run is over.
#[derive(Clone, Debug)]
pub enum Look {
    /// The thread can do this next on a channel.
    Offers(u16, Kind, TermId),
    /// Something can be computed.
    Computes(Arc<Recipe>),
    /// Two things can be computed and are equal.
    Equal(Arc<Recipe>, Arc<Recipe>),
}

impl Look {
    /// The recipes looked at.
    pub fn recipes(&self) -> Vec<Arc<Recipe>> {
        match self {
            Look::Offers(..) => Vec::new(),
            Look::Computes(r) => vec![r.clone()],
            Look::Equal(r, s) => vec![r.clone(), s.clone()],
        }
    }

    /// The same with other recipes.
    #[must_use]
    pub fn with(&self, recipes: &[Arc<Recipe>]) -> Look {
        match (self, recipes) {
            (Look::Computes(_), [r]) => Look::Computes(r.clone()),
            (Look::Equal(..), [r, s]) => Look::Equal(r.clone(), s.clone()),
            _ => self.clone(),
        }
    }
}

/// What a side did of a run.
#[derive(Clone, Debug)]
pub struct Done {
    /// It did all of it and sees what is looked at.
    pub passes: bool,
    /// It could not compute something that it may be able to compute for particular choices.
    pub undecided: bool,
    /// A message has become too large.
    pub too_large: bool,
    /// The messages of the inputs, in their order.
    pub sent: Vec<TermId>,
    /// The last action of each thread, and the one offered next by the thread that was looked at.
    pub last: Last,
    /// The item that the thread looked at offers.
    pub offered: Option<u32>,
    /// The tests that failed on the way.
    pub failed: Vec<Against>,
}

/// The next action of a thread.
struct Offer {
    item: u32,
    label: (Kind, TermId),
    term: TermId,
    next: u32,
}

/// A run on a side.
struct Execution<'a> {
    store: &'a TermStore,
    cast: &'a Cast,
    side: usize,
    knows: &'a [TermId],
    heard: FxHashMap<usize, TermId>,
    /// Where each thread that has begun stands, and the values of its variables.
    threads: FxHashMap<u16, (u32, Subst)>,
    done: Done,
}

/// Does the run on a side, as far as it goes.
pub fn execute(
    store: &TermStore,
    cast: &Cast,
    side: usize,
    knows: &[TermId],
    run: &Run,
    look: &Look,
) -> Done {
    let mut execution = Execution {
        store,
        cast,
        side,
        knows,
        heard: FxHashMap::default(),
        threads: FxHashMap::default(),
        done: Done {
            passes: false,
            undecided: false,
            too_large: false,
            sent: vec![store.zero(); run.sent.len()],
            last: Last::new(),
            offered: None,
            failed: Vec::new(),
        },
    };
    let events = linear(&run.clock, &run.sent);
    let did = |e: &mut Execution<'_>| events?.into_iter().try_for_each(|event| e.act(run, event));
    execution.done.passes = did(&mut execution).is_some() && execution.sees(run, look);
    execution.done
}

impl Execution<'_> {
    /// The next action of a thread, after the tests before it.
    fn offer(&mut self, event: Event) -> Option<Offer> {
        let store = self.store;
        let role = &self.cast.threads[usize::from(event.0)].roles[self.side];
        let begin = || (role.root, Subst::new());
        let (at, values) = self.threads.entry(event.0).or_insert_with(begin);
        loop {
            match role.item(*at) {
                Item::Done => return None,
                Item::Act {
                    kind,
                    channel,
                    term,
                    next,
                } => {
                    return Some(Offer {
                        item: *at,
                        label: (*kind, *channel),
                        term: *term,
                        next: *next,
                    });
                }
                Item::Test {
                    equations,
                    then,
                    otherwise,
                } => {
                    let known = values.len();
                    let full = |values: &Subst, t: TermId| values.resolve(store, t);
                    if holds(store, equations, values) {
                        let bound = values.iter().skip(known).map(|(v, _)| full(values, v));
                        if bound.into_iter().any(|t| store.facts(t).size > LARGEST) {
                            self.done.too_large = true;
                            return None;
                        }
                        *at = *then;
                        continue;
                    }
                    self.done.failed.push(Against {
                        event,
                        equations: equations
                            .iter()
                            .map(|(a, b)| (full(values, *a), full(values, *b)))
                            .collect(),
                    });
                    *at = *otherwise;
                }
            }
        }
    }

    fn act(&mut self, run: &Run, event: Event) -> Option<()> {
        let Offer {
            item,
            label,
            term,
            next,
        } = self.offer(event)?;
        if run.label(self.cast, event) != Some(label) {
            return None;
        }
        let sent = run.sent.binary_search_by_key(&event, |s| s.event);
        let message = match (label.0, sent) {
            (Kind::Input, Ok(i)) => {
                let message = self.make(&run.sent[i].recipe)?;
                self.done.sent[i] = message;
                Some(message)
            }
            (Kind::Output, Err(_)) => None,
            _ => return None,
        };
        let store = self.store;
        let (at, values) = self.threads.get_mut(&event.0)?;
        *at = next;
        if let Some(message) = message {
            values.bind(term, message);
        } else {
            self.heard.insert(heard(event), values.resolve(store, term));
        }
        book(&mut self.done.last, event.0, item);
        Some(())
    }

    fn sees(&mut self, run: &Run, look: &Look) -> bool {
        match look {
            Look::Offers(thread, kind, channel) => {
                let at = done(&run.clock, *thread);
                let offer = self.offer((*thread, at));
                self.done.offered = offer.as_ref().map(|o| o.item);
                offer.is_some_and(|o| o.label == (*kind, *channel))
            }
            Look::Computes(r) => self.make(r).is_some(),
            Look::Equal(r, s) => {
                let (a, b) = (self.make(r), self.make(s));
                a.is_some() && a == b
            }
        }
    }

    /// A destructor fails, perhaps not for all choices.
    fn fails(&mut self, undecided: bool) -> Option<TermId> {
        self.done.undecided |= undecided;
        None
    }

    /// What a recipe makes; `None` if a destructor fails.
    fn make(&mut self, recipe: &Recipe) -> Option<TermId> {
        let store = self.store;
        match recipe {
            Recipe::Initial(i) => self.knows.get(*i).copied(),
            Recipe::Heard(h) => self.heard.get(h).copied(),
            Recipe::Choice(c) => Some(store.var(*c)),
            Recipe::Constant(t) => Some(*t),
            Recipe::Apply(op, args) => {
                let args: Option<_> = args.iter().map(|a| self.make(a)).collect();
                args.map(|args| store.make(*op, args))
            }
            Recipe::Part(of, i, n) => {
                let of = self.make(of)?;
                match store.view(of) {
                    View::Tuple(parts) if parts.len() == *n => parts.get(*i).copied(),
                    view => self.fails(matches!(view, View::Var(_))),
                }
            }
            Recipe::Predecessor(of) => {
                let of = self.make(of)?;
                match store.view(of) {
                    View::Suc(t) => Some(t),
                    view => self.fails(matches!(view, View::Var(_))),
                }
            }
            Recipe::Open(how, of, key) => {
                let (of, key) = (self.make(of)?, self.make(key)?);
                let fits = matches!(
                    (how, store.node(of).op),
                    (Opener::Senc, Op::Senc) | (Opener::Aenc, Op::Aenc) | (Opener::Sign, Op::Sign)
                );
                match opening(store, of) {
                    Some(o) if fits && o.key == Some(key) => Some(o.content),
                    _ => {
                        let open = |t| store.facts(t).has_var;
                        self.fails(open(of) || open(key))
                    }
                }
            }
        }
    }
}
