//! The visible moves of a settled node: inputs and outputs on channels that the environment derives
//! [Sem 5.2].
//!
//! First every configuration finds the recipes of its channels. Then the node is split until labels
//! that unify are equal or never equal. Only then are the configurations sent to the children. A
//! child that only one side reaches refutes the equivalence.

use super::compress::{self, Follow};
use super::distinction::Reason;
use super::node::{Config, Node, Side, Thread};
use super::question::Split;
use super::saturate;
use super::settle::{followers, settle};
use super::setup::Setup;
use super::symmetry;
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
pub(crate) struct Refutation {
    /// The side that can do what the other can't.
    pub side: Side,
    /// What is special about it.
    pub reason: Reason,
    /// The run, if the node carried one.
    pub trail: Option<Box<trail::Trail>>,
}

/// A settled node one action later.
#[derive(Debug)]
pub(crate) struct Next {
    /// The node.
    pub node: Node,
    /// If set, only actions on this channel are followed.
    pub focus: Option<TermId>,
}

/// What a node leads to.
#[derive(Debug, Default)]
pub(crate) struct Expansion {
    /// The settled nodes one action later.
    pub children: Vec<Next>,
    /// The first refutation met.
    pub refutation: Option<Refutation>,
}

/// All moves of a node that have to be followed; with a focus, those on that channel.
pub(crate) fn expand(setup: &Setup<'_>, node: Node, focus: Option<TermId>) -> Expansion {
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
                let labels = labels(setup.store, &offers);
                let labels = followed(setup, &node, labels, focus);
                for (i, label) in labels.iter().enumerate() {
                    if mirrors(setup, &node, &labels[..i], label) {
                        continue;
                    }
                    take(setup, &node, label, &mut expansion);
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

/// The labels that have to be followed: all of them, unless runs are compressed.
fn followed(
    setup: &Setup<'_>,
    node: &Node,
    mut labels: Vec<Vec<Offer>>,
    focus: Option<TermId>,
) -> Vec<Vec<Offer>> {
    if !setup.compressed {
        return labels;
    }
    let both = |l: &Vec<Offer>| {
        let of = |side| l.iter().any(|o| node.configs[o.config].side == side);
        of(Side::Left) && of(Side::Right)
    };
    if !labels.iter().all(both) {
        labels.retain(|l| !both(l));
    } else if let Some(channel) = focus {
        labels.retain(|l| l[0].channel == channel);
    } else if let Some(first) = labels.iter().position(|l| l[0].message.is_some()) {
        labels = vec![labels.swap_remove(first)];
    }
    labels
}

/// Whether a label need not be taken, because an exchange of channels that maps the node to itself
/// turns an earlier one into it.
fn mirrors(setup: &Setup<'_>, node: &Node, earlier: &[Vec<Offer>], label: &[Offer]) -> bool {
    if setup.public_names.is_empty() {
        return false;
    }
    let at = |label: &[Offer]| -> Vec<(usize, usize)> {
        label.iter().map(|o| (o.config, o.thread)).collect()
    };
    let here = at(label);
    earlier.iter().any(|e| {
        e[0].message.is_some() == label[0].message.is_some()
            && e.len() == label.len()
            && symmetry::interchangeable(
                setup,
                node,
                (e[0].channel, &at(e)),
                (label[0].channel, &here),
            )
    })
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
    let mut moved_by: Vec<usize> = Vec::new();
    for (i, offer) in label.iter().enumerate() {
        if i > 0 && label[i - 1].config != offer.config {
            moved_by.clear();
        }
        if setup.halt.stopped() {
            return;
        }
        let config = &node.configs[offer.config];
        if symmetry::follows(setup, config, &moved_by, offer.thread) {
            continue;
        }
        moved_by.push(offer.thread);
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
    let mut settled = Vec::new();
    if input {
        settle(setup, child, &mut settled);
        for node in settled {
            let follow = if setup.compressed {
                compress::after_input(setup, &node, label[0].channel)
            } else {
                Follow::All
            };
            let focus = match follow {
                Follow::Nothing => continue,
                Follow::Only(channel) => Some(channel),
                Follow::All => None,
            };
            expansion.children.push(Next { node, focus });
        }
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
            settle(setup, next, &mut settled);
        }
    }
    let all = settled.into_iter().map(|node| Next { node, focus: None });
    expansion.children.extend(all);
}

/// The configuration after one of its threads has moved; an input binds the given message.
pub(crate) fn moved(
    setup: &Setup<'_>,
    config: &Config,
    thread: usize,
    bound: Option<TermId>,
) -> Config {
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
