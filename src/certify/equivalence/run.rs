//! A run done by a side, action by action, with a different name for each choice that is left open.

use super::EquivalenceError;
use super::certificate::{Event, Recipe, Run};
use super::recipe::{Clock, done, join, leaves, within};
use super::tree::{DONE, LOCAL, Node, Tree};
use super::values::{Effort, LARGEST, Values};
use crate::term::{Args, Op, TermId, TermStore, View};
use rustc_hash::FxHashMap;

/// A side with what it runs in.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub store: &'a TermStore,
    pub tree: &'a Tree,
    pub knows: &'a [TermId],
    pub effort: &'a Effort<'a>,
}

/// A test that failed.
#[derive(Clone, Debug)]
pub(super) struct Failed {
    pub node: u32,
    /// The action that was looked for.
    pub event: Event,
    pub equations: Vec<(TermId, TermId)>,
}

/// What a thread does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// The action at this node.
    Action(u32),
    /// Something, after an action of another thread.
    Later,
    /// Nothing, on these branches.
    Nothing,
    /// A message has become too large.
    TooLarge,
}

/// A side in the middle of a run.
pub(super) struct State<'a> {
    side: Side<'a>,
    /// Where processes stand, with the values of their variables.
    active: Vec<(u32, Values)>,
    /// The parts of the root that have begun.
    begun: Vec<u32>,
    pub heard: FxHashMap<Event, TermId>,
    /// The last action of each thread, as an item.
    pub items: Vec<(u16, u32)>,
    pub failed: Vec<Failed>,
    /// Something failed that may succeed for particular choices, or waits for another action.
    pub undecided: bool,
    pub too_large: bool,
}

impl<'a> State<'a> {
    pub(super) fn new(side: Side<'a>) -> Self {
        State {
            side,
            active: Vec::new(),
            begun: Vec::new(),
            heard: FxHashMap::default(),
            items: Vec::new(),
            failed: Vec::new(),
            undecided: false,
            too_large: false,
        }
    }

    /// What a thread does next; the event is the one that is looked for.
    pub(super) fn offer(&mut self, event: Event) -> Offer {
        let tree = self.side.tree;
        let thread = event.0;
        loop {
            let leads = |(node, _): &(u32, Values)| tree.leads_to(*node, thread);
            let Some(at) = self.active.iter().position(leads) else {
                match tree.home.get(&thread) {
                    Some(part) if !self.begun.contains(part) => {
                        self.begun.push(*part);
                        let values = Values::of(LOCAL..u32::MAX);
                        self.active.push((*part, values));
                        continue;
                    }
                    _ => return Offer::Nothing,
                }
            };
            let node = self.active[at].0;
            match tree.node(node) {
                Node::Done => return Offer::Nothing,
                Node::Act { thread: t, .. } if *t == thread => return Offer::Action(node),
                Node::Act { .. } => return Offer::Later,
                Node::Fork(parts) => {
                    let (_, values) = self.active.swap_remove(at);
                    let parts = parts.iter().map(|p| (*p, values.clone()));
                    self.active.extend(parts);
                }
                Node::Test { .. } => {
                    if !self.test(at, event) {
                        self.too_large = true;
                        return Offer::TooLarge;
                    }
                }
            }
        }
    }

    /// Takes a branch of a test; `false` if a message has become too large.
    fn test(&mut self, at: usize, event: Event) -> bool {
        let Side {
            store,
            tree,
            effort,
            ..
        } = self.side;
        let (node, values) = self.active.swap_remove(at);
        let Node::Test {
            equations,
            depth,
            binds,
            then,
            otherwise,
        } = tree.node(node)
        else {
            return false;
        };
        let mut with = values.clone();
        if with.solve(store, effort, equations) {
            let mut known = values;
            for v in LOCAL + depth..LOCAL + depth + binds {
                let Some(value) = with.value(v) else { continue };
                let value = with.full(store, effort, value);
                if store.facts(value).size > LARGEST {
                    return false;
                }
                known.bind(v, value);
            }
            self.active.push((*then, known));
            return true;
        }
        let equations = equations.iter();
        let equations = equations
            .map(|(a, b)| {
                (
                    values.full(store, effort, *a),
                    values.full(store, effort, *b),
                )
            })
            .collect();
        self.failed.push(Failed {
            node,
            event,
            equations,
        });
        self.active.push((*otherwise, values));
        true
    }

    /// Does the action at a node, which is offered, with this message if it is an input.
    pub(super) fn act(&mut self, node: u32, message: Option<TermId>) -> bool {
        let Side {
            store,
            tree,
            effort,
            ..
        } = self.side;
        let Node::Act {
            thread,
            at,
            item,
            term,
            next,
            input,
            ..
        } = tree.node(node)
        else {
            return false;
        };
        let Some(place) = self.active.iter().position(|(n, _)| n == &node) else {
            return false;
        };
        let (_, mut values) = self.active.swap_remove(place);
        match (message, store.view(*term), input) {
            (Some(message), View::Var(v), true) => values.bind(v, message),
            (None, _, false) => {
                let message = values.full(store, effort, *term);
                if store.facts(message).size > LARGEST {
                    self.too_large = true;
                    return false;
                }
                self.heard.insert((*thread, *at), message);
            }
            _ => return false,
        }
        if *next != DONE {
            self.active.push((*next, values));
        }
        match self.items.iter_mut().find(|(t, _)| t == thread) {
            Some((_, i)) => *i = *item,
            None => self.items.push((*thread, *item)),
        }
        true
    }

    /// The values of the variables where a process stands.
    pub(super) fn values_at(&self, node: u32) -> Option<Values> {
        let found = self.active.iter().find(|(n, _)| *n == node);
        found.map(|(_, values)| values.clone())
    }

    fn fails(&mut self, open: bool) -> Option<TermId> {
        self.undecided |= open;
        None
    }

    /// What a recipe makes; `None` if something in it fails.
    pub(super) fn make(&mut self, recipe: &Recipe) -> Option<TermId> {
        let store = self.side.store;
        if !self.side.effort.spend() {
            return None;
        }
        match recipe {
            Recipe::Initial(i) => self.side.knows.get(*i as usize).copied(),
            Recipe::Heard(event) => self.heard.get(event).copied(),
            Recipe::Choice(c) => Some(store.var(*c)),
            Recipe::Constant(t) => Some(*t),
            Recipe::Apply(op, args) => {
                let args: Option<Args> = args.iter().map(|a| self.make(a)).collect();
                let made = store.make(*op, args?);
                if store.facts(made).size > LARGEST {
                    self.too_large = true;
                    return None;
                }
                Some(made)
            }
            Recipe::Part(of, i, n) => {
                let of = self.make(of)?;
                match store.view(of) {
                    View::Tuple(parts) if parts.len() == *n as usize => {
                        parts.get(*i as usize).copied()
                    }
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
                let open = |t| store.facts(t).has_var;
                match opened(store, of) {
                    Some((content, with)) if store.node(of).op == *how && with == key => {
                        Some(content)
                    }
                    _ => self.fails(open(of) || open(key)),
                }
            }
        }
    }
}

/// What a ciphertext or signature has in it, and the key that opens it.
pub(super) fn opened(store: &TermStore, t: TermId) -> Option<(TermId, TermId)> {
    let node = store.node(t);
    let [content, lock] = node.args[..] else {
        return None;
    };
    let key = match (node.op, store.view(lock)) {
        (Op::Senc, _) => lock,
        (Op::Aenc, View::Pub(z)) => store.priv_part(z),
        (Op::Sign, View::Priv(z)) => store.pub_part(z),
        _ => return None,
    };
    Some((content, key))
}

/// A run that its side has done.
#[derive(Clone, Debug)]
pub(super) struct Ready {
    pub run: Run,
    /// The actions in an order in which the side can do them, with what each is.
    pub order: Vec<(Event, (bool, TermId))>,
    /// The messages of the inputs, in the order of the run.
    pub sent: Vec<TermId>,
    /// The messages of the outputs.
    pub heard: FxHashMap<Event, TermId>,
    /// The last action of each thread, as an item.
    pub items: Vec<(u16, u32)>,
    pub failed: Vec<Failed>,
    /// What comes before each input, itself included, in the order of the run.
    pub pasts: Vec<Clock>,
    /// The inputs for which each choice is needed.
    pub deadlines: Vec<Vec<Event>>,
}

impl Ready {
    /// What comes before an input, itself included.
    pub(super) fn past(&self, event: Event) -> &[(u16, u16)] {
        let found = self.run.inputs.binary_search_by_key(&event, |(e, _)| *e);
        found.map_or(&[], |i| &self.pasts[i])
    }
}

/// Does a run on the side that it is said to be of; `None` if that side can't.
pub(super) fn ready<'a>(
    side: Side<'a>,
    run: &Run,
) -> Result<Option<(Ready, State<'a>)>, EquivalenceError> {
    let (ready, state, whole) = attempt(side, run)?;
    Ok(whole.then_some((ready, state)))
}

/// Does a run on a side, in any order in which it can; whether it came to the end.
pub(super) fn attempt<'a>(
    side: Side<'a>,
    run: &Run,
) -> Result<(Ready, State<'a>, bool), EquivalenceError> {
    let mut doing = Doing {
        side,
        run,
        state: State::new(side),
        found: Ready {
            run: run.clone(),
            order: Vec::new(),
            sent: vec![side.store.zero(); run.inputs.len()],
            heard: FxHashMap::default(),
            items: Vec::new(),
            failed: Vec::new(),
            pasts: vec![Clock::new(); run.inputs.len()],
            deadlines: vec![Vec::new(); run.choices as usize],
        },
        now: run.clock.iter().map(|(t, _)| (*t, 0)).collect(),
        pasts: FxHashMap::default(),
    };
    let whole = doing.deadlines() && doing.all()?;
    let Doing {
        state, mut found, ..
    } = doing;
    found.heard.clone_from(&state.heard);
    found.items.clone_from(&state.items);
    found.items.sort_unstable();
    found.failed.clone_from(&state.failed);
    Ok((found, state, whole))
}

/// A run that is being done.
struct Doing<'r, 'a> {
    side: Side<'a>,
    run: &'r Run,
    state: State<'a>,
    found: Ready,
    now: Clock,
    /// What comes before each action, itself included.
    pasts: FxHashMap<Event, Clock>,
}

/// How the next action of a thread went.
enum Step {
    Done,
    Later,
    Fails,
}

impl Doing<'_, '_> {
    /// Notes for which inputs each choice is needed; whether all choices are known.
    fn deadlines(&mut self) -> bool {
        let mut known = true;
        for (event, recipe) in &self.run.inputs {
            leaves(recipe, &mut |leaf| {
                if let Recipe::Choice(c) = leaf {
                    match self.found.deadlines.get_mut(*c as usize) {
                        Some(all) if all.last() == Some(event) => {}
                        Some(all) => all.push(*event),
                        None => known = false,
                    }
                }
            });
        }
        known
    }

    /// Does all actions; whether they could be done.
    fn all(&mut self) -> Result<bool, EquivalenceError> {
        loop {
            let mut moved = false;
            for i in 0..self.run.clock.len() {
                let (thread, count) = self.run.clock[i];
                while self.now[i].1 < count {
                    match self.step((thread, self.now[i].1)) {
                        Step::Done => {}
                        Step::Later => break,
                        Step::Fails => return Ok(false),
                    }
                    self.now[i].1 += 1;
                    moved = true;
                }
            }
            self.side.effort.going()?;
            if self.now == self.run.clock {
                break;
            }
            if !moved {
                self.state.undecided = true;
                return Ok(false);
            }
        }
        // All actions that the run follows are its own, and so are the inputs.
        let whole = self.pasts.values().all(|p| within(p, &self.run.clock));
        let mut inputs = self.run.inputs.iter();
        Ok(whole && inputs.all(|(e, _)| done(&self.run.clock, e.0) > e.1))
    }

    fn step(&mut self, event: Event) -> Step {
        let (thread, number) = event;
        let tree = self.side.tree;
        let sent = self
            .run
            .inputs
            .binary_search_by_key(&event, |(e, _)| *e)
            .ok();
        let mut past = Clock::new();
        let mut missing = false;
        if let Some(s) = sent {
            leaves(&self.run.inputs[s].1, &mut |leaf| {
                if let Recipe::Heard(e) = leaf {
                    missing |= !self.state.heard.contains_key(e);
                    if let Some(before) = self.pasts.get(e) {
                        join(&mut past, before);
                    }
                }
            });
        }
        if missing {
            return Step::Later;
        }
        let node = match self.state.offer(event) {
            Offer::Action(node) => node,
            Offer::Later => return Step::Later,
            Offer::Nothing | Offer::TooLarge => return Step::Fails,
        };
        let message = sent.map(|s| self.state.make(&self.run.inputs[s].1));
        let (message, made) = match message {
            Some(made) => (made, made.is_some()),
            None => (None, true),
        };
        let Node::Act { input, channel, .. } = tree.node(node) else {
            return Step::Fails;
        };
        if !made || !self.state.act(node, message) {
            return Step::Fails;
        }
        self.found.order.push((event, (*input, *channel)));
        let mut follow = |e: &Event| {
            if let Some(before) = self.pasts.get(e) {
                join(&mut past, before);
            }
        };
        if number > 0 {
            follow(&(thread, number - 1));
        }
        if let Some(Node::Act { thread, at, .. }) = tree.prior(node).map(|n| tree.node(n)) {
            follow(&(*thread, *at));
        }
        join(&mut past, &[(thread, number + 1)]);
        if let (Some(s), Some(message)) = (sent, message) {
            self.found.sent[s] = message;
            self.found.pasts[s].clone_from(&past);
        }
        self.pasts.insert(event, past);
        Step::Done
    }
}
