//! A run executed action by action by either side, the choices left open.
//!
//! An open choice is equal to nothing but itself, as a name of the environment's own would be. So a test that succeeds does
//! so whatever is chosen; one that fails may succeed for particular choices, and is reported.

use super::cast::Cast;
use super::goal::LARGEST;
use super::partial::holds;
use super::run::{Against, Event, Last, Run, book, done, heard, last_of, linear};
use super::tree::{Kind, Node};
use crate::attacker::knowledge::{Opening, openings};
use crate::engine::joint::trail::Recipe;
use crate::term::{Args, DestructorId, Op, POWER, Subst, TermId, TermStore, View};
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
    /// It could not compute something that it may be able to compute for particular choices, or an action waits for another one.
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
    pub failed: Vec<Failed>,
}

/// A test that failed.
#[derive(Clone, Debug)]
pub struct Failed {
    /// The node of the test.
    pub test: u32,
    /// The test.
    pub against: Against,
}

/// A run on a side.
struct Execution<'a> {
    store: &'a TermStore,
    cast: &'a Cast,
    side: usize,
    knows: &'a [TermId],
    heard: FxHashMap<usize, TermId>,
    /// The nodes reached, with the values of variables there; without them if the process has gone on. A fork stays where it is
    /// for the parts that have not begun.
    reached: FxHashMap<u32, Option<Subst>>,
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
        reached: FxHashMap::from_iter([(cast.trees[side].root, Some(Subst::new()))]),
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
    let events = linear(&run.clock, &run.sent, &run.forks);
    let did = |e: &mut Execution<'_>| events?.into_iter().try_for_each(|event| e.act(run, event));
    execution.done.passes = did(&mut execution).is_some() && execution.sees(run, look);
    execution.done
}

impl Execution<'_> {
    /// The next action of a thread, after the tests and forks before it, as an item; `None` if it has none, or not yet.
    fn offer(&mut self, event: Event) -> Option<u32> {
        let role = self.cast.role(self.side, event.0);
        let ahead = role.after(last_of(&self.done.last, event.0));
        'again: loop {
            for item in ahead {
                let node = role.item(*item).node;
                let (at, below) = self.nearest(node);
                let Some(Some(values)) = self.reached.get(&at) else {
                    // The branch was not taken.
                    continue;
                };
                match self.cast.trees[self.side].node(at) {
                    Node::Done => return None,
                    Node::Act { .. } if at == node => return Some(*item),
                    Node::Act { .. } => {
                        self.done.undecided = true;
                        return None;
                    }
                    Node::Fork(_) => {
                        let values = values.clone();
                        self.reached.insert(below, Some(values));
                    }
                    Node::Test { .. } => self.test(at, event)?,
                }
                continue 'again;
            }
            return None;
        }
    }

    /// The last node on the way to a node that was reached, and the one after it.
    fn nearest(&self, node: u32) -> (u32, u32) {
        let tree = &self.cast.trees[self.side];
        let (mut at, mut below) = (node, node);
        while at != tree.root && !self.reached.contains_key(&at) {
            below = at;
            at = tree.parent[at as usize];
        }
        (at, below)
    }

    /// Takes a branch of a test on the way to an action; `None` if a message has become too large.
    fn test(&mut self, at: u32, event: Event) -> Option<()> {
        let store = self.store;
        let Node::Test {
            equations,
            then,
            otherwise,
            ..
        } = self.cast.trees[self.side].node(at)
        else {
            return None;
        };
        let mut values = self.reached.insert(at, None)??;
        let known = values.len();
        let full = |values: &Subst, t: TermId| values.resolve(store, t);
        if holds(store, equations, &mut values) {
            let bound = values.iter().skip(known).map(|(v, _)| full(&values, v));
            if bound.into_iter().any(|t| store.facts(t).size > LARGEST) {
                self.done.too_large = true;
                return None;
            }
            self.reached.insert(*then, Some(values));
            return Some(());
        }
        let equations = equations.iter();
        self.done.failed.push(Failed {
            test: at,
            against: Against {
                event,
                equations: equations
                    .map(|(a, b)| (full(&values, *a), full(&values, *b)))
                    .collect(),
            },
        });
        self.reached.insert(*otherwise, Some(values));
        Some(())
    }

    fn act(&mut self, run: &Run, event: Event) -> Option<()> {
        let number = self.offer(event)?;
        let item = self.cast.role(self.side, event.0).item(number);
        if run.label(self.cast, event) != Some((item.kind, item.channel)) {
            return None;
        }
        let sent = run.sent.binary_search_by_key(&event, |s| s.event);
        let message = match (item.kind, sent) {
            (Kind::Input, Ok(i)) => {
                let message = self.make(&run.sent[i].recipe)?;
                self.done.sent[i] = message;
                Some(message)
            }
            (Kind::Output, Err(_)) => None,
            _ => return None,
        };
        let store = self.store;
        let mut values = self.reached.insert(item.node, None)??;
        if let Some(message) = message {
            values.bind(item.term, message);
        } else {
            let message = values.resolve(store, item.term);
            self.heard.insert(heard(event), message);
        }
        self.reached.insert(item.next, Some(values));
        book(&mut self.done.last, event.0, number);
        Some(())
    }

    fn sees(&mut self, run: &Run, look: &Look) -> bool {
        match look {
            Look::Offers(thread, kind, channel) => {
                let at = done(&run.clock, *thread);
                let offer = self.offer((*thread, at));
                self.done.offered = offer;
                let role = self.cast.role(self.side, *thread);
                let offer = offer.map(|i| role.item(i));
                offer.is_some_and(|o| (o.kind, o.channel) == (*kind, *channel))
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
                let args: Option<Args> = args.iter().map(|a| self.make(a)).collect();
                if *op == Op::Joint {
                    // A tester computes a power: what is a share on the one side may be anything on the other.
                    return self.apply(store.destructor_id(POWER), &args?);
                }
                Some(store.make(*op, args?))
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
                let by_key = |o: &Opening| o.rule.is_none() && o.equations.is_empty();
                let opening = openings(store, of).into_iter().find(by_key);
                let fits = store.node(of).op == *how;
                match opening {
                    Some(o) if fits && o.sides[0] == key => Some(o.content),
                    _ => {
                        let open = |t| store.facts(t).has_var;
                        self.fails(open(of) || open(key))
                    }
                }
            }
            Recipe::Destruct(d, args) => {
                let args: Option<Args> = args.iter().map(|a| self.make(a)).collect();
                self.apply(*d, &args?)
            }
        }
    }

    /// What a destructor gives.
    fn apply(&mut self, destructor: DestructorId, args: &[TermId]) -> Option<TermId> {
        let store = self.store;
        let given = store.rules_of(destructor).find_map(|rule| {
            let pairs = rule.premises.iter().copied().zip(args.iter().copied());
            let mut values = Subst::new();
            let fits = holds(store, &pairs.collect::<Vec<_>>(), &mut values);
            fits.then(|| values.resolve(store, rule.result))
        });
        let open = |t: &TermId| store.facts(*t).has_var;
        given.or_else(|| self.fails(args.iter().any(open)))
    }
}
