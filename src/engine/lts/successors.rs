//! The transitions of a state [Sem 3], in the three forms of the S3A paper.
//!
//! A question about the environment's messages is decided first. Each of its solutions is a
//! specialisation, and so is the case that none holds. Specialisations are silent and commute with
//! everything else, so a state with an undecided question has no other transition. Otherwise the
//! threads move: inputs, outputs (one transition for each way in which the knowledge may change),
//! communication between two threads.
//!
//! In the paper an undecided test does not block other threads: its specialisations are transitions
//! like others, and its failure needs no transition unless something follows. That is
//! [`Mode::late`].

use super::codec::Codec;
use super::state::settled;
use super::strip::{Stripper, mentioned};
use super::symmetry::Scene;
use crate::attacker::solver::Question;
use crate::engine::joint::moves::moved;
use crate::engine::joint::node::{Config, Node};
use crate::engine::joint::question::{Answer, Split};
use crate::engine::joint::saturate;
use crate::engine::joint::settle::{communicate, run_test, test};
use crate::engine::joint::setup::Setup;
use crate::engine::joint::template::Act;
use crate::term::TermId;
use smallvec::smallvec;

/// What happens in a transition, in the terms of the state that it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// Nothing that the environment sees; it may have to choose its earlier messages accordingly.
    Silent,
    /// An input.
    Input {
        /// The channel's recipe.
        channel: TermId,
        /// The number of the new generic.
        generic: u32,
    },
    /// An output.
    Output {
        /// The channel's recipe.
        channel: TermId,
        /// The message, before any narrowing.
        message: TermId,
    },
}

/// A transition.
#[derive(Debug)]
pub(super) struct Successor {
    /// What happens.
    pub event: Event,
    /// The state that follows; its trail, if any, is that of the transition.
    pub node: Node,
    /// Number of transitions that this one stands for.
    pub weight: u32,
}

/// Which transitions a state has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    /// Of related threads one moves.
    pub symmetry: bool,
    /// Undecided tests wait while other threads move.
    pub late: bool,
}

/// Where a question comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A test of a thread.
    Test(usize),
    /// The channel of a thread.
    Channel(usize),
    /// The channels of a sender and a receiver.
    Meeting(usize, usize),
}

/// What the threads of a state are ready for.
struct Ready {
    /// The recipe of each thread's channel, if the environment derives it.
    recipes: Vec<Option<TermId>>,
    /// The channel and, of an output, the message of each thread.
    offers: Vec<Option<(TermId, Option<TermId>)>>,
    /// Pairs of a sender and a receiver.
    meetings: Vec<(usize, usize)>,
}

/// The transitions of a state. Incomplete only if the exploration was stopped.
pub(super) fn successors(
    setup: &Setup<'_>,
    codec: &Codec,
    mode: Mode,
    node: &Node,
) -> Vec<Successor> {
    match ready(setup, mode, node) {
        Err(place) => specialise(setup, node, place).unwrap_or_default(),
        Ok(ready) => moves(setup, codec, mode, node, &ready),
    }
}

/// What the threads are ready for, or where the first question is.
fn ready(setup: &Setup<'_>, mode: Mode, node: &Node) -> Result<Ready, Place> {
    let store = setup.store;
    let config = &node.configs[0];
    let count = config.threads.len();
    // In the order of the templates, which does not depend on how the threads are stored.
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|t| config.threads[*t].template);
    for t in order.iter().filter(|_| !mode.late) {
        run_test(setup, node, config, *t).map_err(|_| Place::Test(*t))?;
    }
    let offers: Vec<_> = config
        .threads
        .iter()
        .map(|t| Config::offer(store, &setup.templates, t))
        .collect();
    let mut recipes = vec![None; count];
    for t in &order {
        recipes[*t] = recipe(setup, node, *t).map_err(|_| Place::Channel(*t))?;
    }
    let mut meetings = Vec::new();
    for o in &order {
        let Some((out, Some(_))) = offers[*o] else {
            continue;
        };
        if setup.is_private() && recipes[*o].is_some() {
            continue;
        }
        for i in &order {
            let Some((input, None)) = offers[*i] else {
                continue;
            };
            let meet = setup.equal(node, config, out, input);
            if meet.map_err(|_| Place::Meeting(*o, *i))? {
                meetings.push((*o, *i));
            }
        }
    }
    Ok(Ready {
        recipes,
        offers,
        meetings,
    })
}

/// The recipe of a thread's channel, if it has one and the environment derives it.
fn recipe(setup: &Setup<'_>, node: &Node, thread: usize) -> Result<Option<TermId>, Split> {
    let config = &node.configs[0];
    match Config::offer(setup.store, &setup.templates, &config.threads[thread]) {
        None => Ok(None),
        Some((channel, _)) if crate::attacker::knowledge::is_constant(setup.store, channel) => {
            Ok(Some(channel))
        }
        Some((channel, _)) => {
            let elements = config.elements(setup.store, &node.lives);
            setup.recipe(node, &elements, channel, node.level)
        }
    }
}

/// The question at a place, if there is one.
fn question(setup: &Setup<'_>, node: &Node, place: Place) -> Option<Question> {
    let (store, config) = (setup.store, &node.configs[0]);
    let channel = |t: usize| {
        let offer = Config::offer(store, &setup.templates, &config.threads[t]);
        offer.map(|(channel, _)| channel)
    };
    let (equations, goals) = match place {
        Place::Test(t) => {
            let waiting = &config.threads[t];
            let Act::Test { equations, .. } = setup.templates.act(waiting.template) else {
                return None;
            };
            return Some(test(store, equations, &waiting.values));
        }
        Place::Channel(t) => (Vec::new(), vec![(channel(t)?, node.level)]),
        Place::Meeting(o, i) => (vec![(channel(o)?, channel(i)?)], Vec::new()),
    };
    Some(Question { equations, goals })
}

/// The specialisations that decide the question at a place: its solutions one after the other, then
/// the case that none holds. `None` if it is decided.
pub(super) fn specialise(setup: &Setup<'_>, node: &Node, place: Place) -> Option<Vec<Successor>> {
    let question = question(setup, node, place)?;
    let mut sizes = question.equations.iter().flat_map(|(a, b)| [*a, *b]);
    if sizes.any(|t| setup.halt.refuse(setup.store.facts(t).size)) {
        return None;
    }
    let elements = node.configs[0].elements(setup.store, &node.lives);
    // What is forbidden on the way decides which of the solutions count, and changes none.
    let solutions = setup.solutions(node, &elements, &question);
    let mut found = Vec::new();
    let silent = |node: Node| Successor {
        event: Event::Silent,
        node: settled(setup, node),
        weight: 1,
    };
    let mut rest = node.clone();
    while let Answer::Sometimes(solution) = setup.choose(&rest, &solutions)
        && !setup.halt.stopped()
    {
        let [yes, no] = setup.split(&rest, &solution);
        found.extend(yes.map(silent));
        rest = no?;
    }
    if found.is_empty() {
        return None;
    }
    found.push(silent(rest));
    Some(found)
}

/// The specialisations of a test that waits: all its solutions, and if something follows failure,
/// that none holds.
fn late(setup: &Setup<'_>, node: &Node, thread: usize, weight: u32, found: &mut Vec<Successor>) {
    let (store, config) = (setup.store, &node.configs[0]);
    let waiting = &config.threads[thread];
    let Act::Test {
        equations,
        otherwise,
        ..
    } = setup.templates.act(waiting.template)
    else {
        return;
    };
    let elements = config.elements(store, &node.lives);
    let mut push = |node: Node| {
        found.push(Successor {
            event: Event::Silent,
            node: settled(setup, node),
            weight,
        });
    };
    let mut rest = node.clone();
    let question = test(store, equations, &waiting.values);
    for solution in setup.solutions(node, &elements, &question) {
        if let Some(next) = setup.narrowed(node, &solution) {
            push(next);
            rest = rest.without(store, &solution);
        }
    }
    if !otherwise.is_empty() {
        push(rest);
    }
}

fn moves(
    setup: &Setup<'_>,
    codec: &Codec,
    mode: Mode,
    node: &Node,
    ready: &Ready,
) -> Vec<Successor> {
    let config = &node.configs[0];
    // R looks at what the future depends on.
    let bare = mode.symmetry.then(|| {
        let (env, threads) = codec.cut(setup, &mut node.clone());
        let mut stripper = Stripper::default();
        let threads = codec.pieces.several(&threads);
        let generics = mentioned(env.generics.len(), &threads);
        stripper.strip(codec, &env, &generics);
        let terms = stripper
            .kept
            .elements
            .iter()
            .map(|i| env.terms[*i as usize]);
        (terms.collect::<Vec<_>>(), threads)
    });
    let group = |threads: Vec<usize>, fixed: Option<usize>| match &bare {
        Some((terms, all)) => {
            let scene = Scene {
                pieces: &codec.pieces,
                terms,
                threads: all,
                halt: &setup.halt,
            };
            scene.classes(threads.into_iter(), fixed)
        }
        None => threads.into_iter().map(|t| smallvec![t]).collect(),
    };
    let mut found = Vec::new();
    let able = |t: &usize| {
        ready.offers[*t].is_none()
            || ready.recipes[*t].is_some()
            || ready.meetings.iter().any(|m| m.0 == *t)
    };
    for class in group((0..config.threads.len()).filter(able).collect(), None) {
        let (t, size) = (class[0], class.len() as u32);
        let Some((_, message)) = ready.offers[t] else {
            late(setup, node, t, size, &mut found);
            continue;
        };
        match (ready.recipes[t], message) {
            (Some(channel), None) => found.push(input(setup, node, t, channel, size)),
            (Some(channel), Some(message)) => {
                output(setup, node, t, (channel, message), size, &mut found);
            }
            (None, _) => {}
        }
        let partners = ready.meetings.iter().filter(|m| m.0 == t).map(|m| m.1);
        for partners in group(partners.collect(), Some(t)) {
            let weight = size * partners.len() as u32;
            let met = communication(setup, node, t, partners[0]);
            found.extend(met.map(|s| Successor { weight, ..s }));
        }
    }
    found
}

/// The inputs or outputs of a thread that is at no test; `None` if the environment does not have
/// its channel.
pub(super) fn moves_of(
    setup: &Setup<'_>,
    node: &Node,
    thread: usize,
) -> Result<Option<Vec<Successor>>, Split> {
    let Some(channel) = recipe(setup, node, thread)? else {
        return Ok(None);
    };
    let waiting = &node.configs[0].threads[thread];
    let mut found = Vec::new();
    match Config::offer(setup.store, &setup.templates, waiting) {
        Some((_, Some(message))) => {
            output(setup, node, thread, (channel, message), 1, &mut found);
        }
        _ => found.push(input(setup, node, thread, channel, 1)),
    }
    Ok(Some(found))
}

/// The communication of a sender with a receiver.
pub(super) fn communication(
    setup: &Setup<'_>,
    node: &Node,
    sender: usize,
    receiver: usize,
) -> Option<Successor> {
    let config = &node.configs[0];
    let waiting = &config.threads[sender];
    let (_, message) = Config::offer(setup.store, &setup.templates, waiting)?;
    let mut next = node.clone();
    next.configs[0] = communicate(setup, config, sender, receiver, message?);
    Some(Successor {
        event: Event::Silent,
        node: settled(setup, next),
        weight: 1,
    })
}

fn input(setup: &Setup<'_>, node: &Node, thread: usize, channel: TermId, weight: u32) -> Successor {
    let mut next = node.clone();
    let generic = next.fresh_generic();
    if let Some(trail) = &mut next.trail {
        trail.choose();
    }
    let bound = Some(setup.store.generic(generic));
    next.configs[0] = moved(setup, &node.configs[0], thread, bound);
    Successor {
        event: Event::Input { channel, generic },
        node: settled(setup, next),
        weight,
    }
}

fn output(
    setup: &Setup<'_>,
    node: &Node,
    thread: usize,
    (channel, message): (TermId, TermId),
    weight: u32,
    found: &mut Vec<Successor>,
) {
    let mut next = node.clone();
    next.configs[0] = moved(setup, &node.configs[0], thread, None);
    if let Some(trail) = &mut next.trail {
        trail.hear(setup.store, channel);
    }
    let mut heard = Vec::new();
    saturate::hear(setup, next, &[message], &mut heard);
    found.extend(heard.into_iter().map(|node| Successor {
        event: Event::Output { channel, message },
        node: settled(setup, node),
        weight,
    }));
}
