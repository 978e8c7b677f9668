//! The transitions of a state [Sem 3], in the three forms of the S3A paper.
//!
//! A question that depends on the environment's messages is decided first: each of its solutions is a specialisation,
//! and so is the case that none holds. They are silent and commute with everything else, so a state with an open question
//! has no other transition. Otherwise the threads move: inputs, outputs (one transition for each way in which the
//! knowledge may change), communication between two threads.
//!
//! In the paper a test that waits holds nobody up: its specialisations are transitions like others, and that it may fail
//! needs no transition unless something follows. That is [`Mode::late`].

use super::state::settled;
use super::symmetry::classes;
use crate::equiv::ask::{Setup, Split};
use crate::equiv::moves::moved;
use crate::equiv::node::{Config, Node};
use crate::equiv::saturate;
use crate::equiv::settle::{communicate, run_test, test};
use crate::equiv::strip::strip;
use crate::equiv::template::Act;
use crate::symbolic::{Context, solve};
use crate::term::TermId;

/// What happens in a transition, in the terms of the state that it leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
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
pub struct Successor {
    /// What happens.
    pub event: Event,
    /// The state that follows; its trail, if any, is that of the transition.
    pub node: Node,
    /// Number of transitions that this one stands for.
    pub weight: u32,
}

/// Which transitions a state has.
#[derive(Clone, Copy, Debug)]
pub struct Mode {
    /// Of related threads one moves.
    pub symmetry: bool,
    /// Undecided tests wait while other threads move.
    pub late: bool,
}

/// Where a question comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Test(usize),
    Channel(usize),
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
pub fn successors(setup: &Setup<'_>, mode: Mode, node: &Node) -> Vec<Successor> {
    match ready(setup, mode, node) {
        Err((place, question)) => specialise(setup, node, place, question),
        Ok(ready) => moves(setup, mode, node, &ready),
    }
}

fn ready(setup: &Setup<'_>, mode: Mode, node: &Node) -> Result<Ready, (Place, Split)> {
    let store = setup.store;
    let config = &node.configs[0];
    let count = config.threads.len();
    // In the order of the templates, which does not depend on how the threads are stored.
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by_key(|t| config.threads[*t].template);
    for t in order.iter().filter(|_| !mode.late) {
        run_test(setup, node, config, *t).map_err(|q| (Place::Test(*t), q))?;
    }
    let offers: Vec<_> = config
        .threads
        .iter()
        .map(|t| Config::offer(store, &setup.templates, t))
        .collect();
    let mut recipes = vec![None; count];
    for t in &order {
        recipes[*t] = recipe(setup, node, *t).map_err(|q| (Place::Channel(*t), q))?;
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
            if meet.map_err(|q| (Place::Meeting(*o, *i), q))? {
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
        Some((channel, _)) if crate::knowledge::is_constant(setup.store, channel) => {
            Ok(Some(channel))
        }
        Some((channel, _)) => {
            let elements = config.elements(setup.store, &node.lives);
            setup.recipe(node, &elements, channel, node.level)
        }
    }
}

/// Asks again at a place.
fn ask(setup: &Setup<'_>, node: &Node, place: Place) -> Result<(), Split> {
    let config = &node.configs[0];
    match place {
        Place::Test(t) => run_test(setup, node, config, t).map(|_| ()),
        Place::Channel(t) => recipe(setup, node, t).map(|_| ()),
        Place::Meeting(o, i) => {
            let channel = |t: usize| {
                Config::offer(setup.store, &setup.templates, &config.threads[t]).map(|(c, _)| c)
            };
            match (channel(o), channel(i)) {
                (Some(a), Some(b)) => setup.equal(node, config, a, b).map(|_| ()),
                _ => Ok(()),
            }
        }
    }
}

/// The specialisations that decide a question: its solutions one after the other, then the case that none holds.
fn specialise(setup: &Setup<'_>, node: &Node, place: Place, mut question: Split) -> Vec<Successor> {
    let mut found = Vec::new();
    let silent = |node: Node| Successor {
        event: Event::Silent,
        node: settled(setup, node),
        weight: 1,
    };
    let mut rest = node.clone();
    while !setup.halt.stopped() {
        let [yes, no] = setup.split(&rest, &question);
        found.extend(yes.map(silent));
        let Some(no) = no else { break };
        rest = no;
        if let Err(next) = ask(setup, &rest, place) {
            question = next;
        } else {
            found.push(silent(rest));
            break;
        }
    }
    found
}

/// The specialisations of a test that waits: all its solutions, and if something follows failure, that none holds.
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
    let cx = Context {
        store,
        generics: &node.generics,
        elements: &elements,
        spies: setup.spies,
        typing: None,
    };
    let mut push = |node: Node| {
        found.push(Successor {
            event: Event::Silent,
            node: settled(setup, node),
            weight,
        });
    };
    let mut rest = node.clone();
    for solution in solve(&cx, &test(store, equations, &waiting.values)) {
        if let Some(next) = node.narrowed(store, setup.spies, &solution) {
            push(next);
            rest = rest.without(store, &solution);
        }
    }
    if !otherwise.is_empty() {
        push(rest);
    }
}

fn moves(setup: &Setup<'_>, mode: Mode, node: &Node, ready: &Ready) -> Vec<Successor> {
    let store = setup.store;
    let config = &node.configs[0];
    // R looks at what the future depends on.
    let bare = mode.symmetry.then(|| {
        let mut bare = node.clone();
        bare.trail = None;
        strip(setup, &mut bare);
        bare
    });
    let group = |threads: Vec<usize>, fixed: Option<usize>| match &bare {
        Some(bare) => classes(store, &bare.configs[0], threads.into_iter(), fixed),
        None => threads.into_iter().map(|t| vec![t]).collect(),
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
        let Some(message) = message else { continue };
        let partners = ready.meetings.iter().filter(|m| m.0 == t).map(|m| m.1);
        for partners in group(partners.collect(), Some(t)) {
            let mut next = node.clone();
            next.configs[0] = communicate(setup, config, t, partners[0], message);
            found.push(Successor {
                event: Event::Silent,
                node: settled(setup, next),
                weight: size * partners.len() as u32,
            });
        }
    }
    found
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
