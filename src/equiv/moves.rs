//! The visible moves of a settled node: inputs and outputs on channels that the environment derives [Sem 5.2].
//!
//! First every configuration finds the recipes of its channels; then labels that differ but unify are made equal or
//! different for good. Only then are the configurations sent to the children. A child that only one side reaches
//! refutes the equivalence.

use super::ask::{Setup, Split};
use super::distinction::Reason;
use super::node::{Config, Node, Side, Thread};
use super::saturate;
use super::settle::{followers, settle};
use super::template::Act;
use super::trail;
use crate::term::{TermId, TermStore};

/// A visible action that a thread is ready for.
#[derive(Clone, Copy, Debug)]
struct Offer {
    config: usize,
    thread: usize,
    /// The channel's recipe.
    recipe: TermId,
    /// The channel's term in the first configuration: equal recipes have equal terms there.
    channel: TermId,
    /// The message of an output.
    message: Option<TermId>,
}

/// Why two sides can be told apart.
#[derive(Clone, Debug)]
pub struct Refutation {
    /// The side that can do what the other can't.
    pub side: Side,
    /// What is special about it.
    pub reason: Reason,
    /// The run, if the node carried one.
    pub trail: Option<Box<trail::Trail>>,
}

/// What a node leads to.
#[derive(Debug, Default)]
pub struct Expansion {
    /// The settled nodes one action later.
    pub children: Vec<Node>,
    /// The first refutation met.
    pub refutation: Option<Refutation>,
}

/// All moves of a node.
pub fn expand(setup: &Setup<'_>, node: Node) -> Expansion {
    let mut expansion = Expansion::default();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        if setup.halt.stopped() {
            return expansion;
        }
        match offers(setup, &node) {
            Err(question) => {
                let [yes, no] = setup.split(&node, &question);
                open.extend(no);
                open.extend(yes);
            }
            Ok(offers) => {
                for label in labels(setup.store, &offers) {
                    take(setup, &node, &label, &mut expansion);
                    if expansion.refutation.is_some() {
                        return expansion;
                    }
                }
            }
        }
    }
    expansion
}

/// The visible actions of all configurations, labels compared.
fn offers(setup: &Setup<'_>, node: &Node) -> Result<Vec<Offer>, Split> {
    let store = setup.store;
    let mut found: Vec<Offer> = Vec::new();
    for (c, config) in node.configs.iter().enumerate() {
        let elements = config.elements(store, &node.lives);
        for (t, thread) in config.threads.iter().enumerate() {
            let Some((channel, message)) = Config::offer(store, &setup.templates, thread) else {
                continue;
            };
            if let Some(recipe) = setup.recipe(node, &elements, channel, node.level)? {
                found.push(Offer {
                    config: c,
                    thread: t,
                    recipe,
                    channel: node.configs[0].interpret(store, recipe),
                    message,
                });
            }
        }
    }
    let mut channels: Vec<(bool, TermId)> = Vec::new();
    for offer in &found {
        let label = (offer.message.is_some(), offer.channel);
        if !channels.contains(&label) {
            channels.push(label);
        }
    }
    for (i, (out, a)) in channels.iter().enumerate() {
        for (also_out, b) in &channels[..i] {
            if out == also_out {
                setup.equal(node, &node.configs[0], *a, *b)?;
            }
        }
    }
    Ok(found)
}

/// The offers by label: inputs first, channels in the order of their terms.
fn labels(store: &TermStore, offers: &[Offer]) -> Vec<Vec<Offer>> {
    let mut groups: Vec<Vec<Offer>> = Vec::new();
    for offer in offers {
        let same = |g: &&mut Vec<Offer>| {
            g[0].channel == offer.channel && g[0].message.is_some() == offer.message.is_some()
        };
        match groups.iter_mut().find(same) {
            Some(g) => g.push(*offer),
            None => groups.push(vec![*offer]),
        }
    }
    groups.sort_by(|a, b| {
        let outputs = a[0].message.is_some().cmp(&b[0].message.is_some());
        outputs.then_with(|| store.compare(a[0].channel, b[0].channel))
    });
    groups
}

/// Takes one label in all ways.
fn take(setup: &Setup<'_>, node: &Node, label: &[Offer], expansion: &mut Expansion) {
    let store = setup.store;
    let input = label[0].message.is_none();
    let mut child = Node {
        configs: Vec::with_capacity(label.len()),
        level: node.level,
        lives: node.lives.clone(),
        generics: node.generics.clone(),
        lambda: node.lambda.clone(),
        trail: node.trail.clone(),
    };
    let mut bound = None;
    if input {
        bound = Some(store.generic(child.fresh_generic()));
    }
    if let Some(trail) = &mut child.trail {
        if input {
            trail.choose();
            trail.send(store, label[0].recipe);
        } else {
            trail.hear(store, label[0].recipe);
        }
    }
    let mut messages = Vec::new();
    for offer in label {
        child.configs.push(moved(
            setup,
            &node.configs[offer.config],
            offer.thread,
            bound,
        ));
        messages.extend(offer.message);
    }
    if refutes(setup, &child, Reason::Action, expansion) {
        return;
    }
    if pruned(setup, &child) {
        return;
    }
    if input {
        settle(setup, child, &mut expansion.children);
        return;
    }
    let mut heard = Vec::new();
    saturate::hear(setup, child, &messages, &mut heard);
    for next in &heard {
        if refutes(setup, next, Reason::Message, expansion) {
            return;
        }
    }
    for next in heard {
        if !pruned(setup, &next) {
            settle(setup, next, &mut expansion.children);
        }
    }
}

/// The configuration after one of its threads has moved; an input binds the given message.
pub fn moved(setup: &Setup<'_>, config: &Config, thread: usize, bound: Option<TermId>) -> Config {
    let mover = &config.threads[thread];
    let mut threads: Vec<Thread> = Vec::with_capacity(config.threads.len() + 2);
    threads.extend(config.threads[..thread].iter().cloned());
    threads.extend(config.threads[thread + 1..].iter().cloned());
    match (setup.templates.act(mover.template), bound) {
        (Act::Output { next, .. }, None) => threads.extend(followers(next, &mover.values, &[])),
        (Act::Input { next, .. }, Some(message)) => {
            threads.extend(followers(next, &mover.values, &[message]));
        }
        _ => unreachable!("the thread offered this action"),
    }
    Config {
        side: config.side,
        threads,
        terms: config.terms.clone(),
    }
}

/// Whether only one side is left, and that matters.
fn refutes(setup: &Setup<'_>, node: &Node, reason: Reason, expansion: &mut Expansion) -> bool {
    let side = match (node.has(Side::Left), node.has(Side::Right)) {
        (true, false) => Side::Left,
        (false, true) if !setup.options.preorder => Side::Right,
        _ => return false,
    };
    expansion.refutation = Some(Refutation {
        side,
        reason,
        trail: node.trail.clone(),
    });
    true
}

/// For a preorder, what only the larger side can do needs no answer.
fn pruned(setup: &Setup<'_>, node: &Node) -> bool {
    setup.options.preorder && !node.has(Side::Left)
}
