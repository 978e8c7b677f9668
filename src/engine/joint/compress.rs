//! Compression for simple systems (after Baelde, Delaune and Hirschi, Partial order reduction for
//! security protocols, CONCUR 2015) [Sem 5.4].
//!
//! A system is *simple* if its threads do not fork and each uses one public channel of its own for
//! everything it does. This is checked on the templates of both sides, never assumed. Then no two
//! threads can talk to each other, an action on channel c can only be that of the thread of c, an
//! input is taken whenever it is offered, and each side has exactly one configuration after a given
//! run. Two facts make most interleavings superfluous; P and Q are the sides of a node.
//!
//! 1. *Outputs first.* If both sides offer an output on c, P ~ Q if and only if P' ~ Q' after it.
//!    Let t be a run of P. If t uses c at all, its first action there is that output, t = u.
//!    out(c). v, and what comes before does not touch c; so P also has out(c). u. v, which P' ~ Q'
//!    makes a run of Q, and since u does not touch c in Q either, Q has t. If t does not use c, P'
//!    has it, so Q' has it, and Q has it. The messages heard are the same up to their order, or are
//!    fewer, so they stay statically equivalent.
//! 2. *Inputs in blocks.* At a node without outputs consider a run that begins with an input on c
//!    after which the thread of c waits for input again, or is done. That input adds nothing to
//!    what the environment knows, so it can be done later: right before the next action on c, or at
//!    the end if there is none. So after an input on c that leads to another input only that one
//!    has to be followed (the node is *focused* on c), and after one that leads to nothing the node
//!    need not be followed at all: its other actions are followed without that input. Unfinished
//!    blocks at the end of a run are inputs of different threads, which do not depend on each
//!    other; each of them is looked at from the node itself.
//!
//! In every node all labels are compared before anything is left out, so a side that offers what
//! the other does not is noticed at once; in particular both threads of c lead to the same kind of
//! action, or the node refutes.
//!
//! Only for equivalence; a preorder is explored in full.

use super::node::{Config, Node};
use super::setup::Setup;
use super::template::{Act, TemplateId, Templates};
use crate::attacker::knowledge::is_constant;
use crate::term::{TermId, TermStore};
use rustc_hash::FxHashSet;

/// Whether both systems are simple; the templates must have their public names in them.
pub(crate) fn are_simple(store: &TermStore, templates: &Templates) -> bool {
    templates.roots.iter().all(|roots| {
        let mut taken = FxHashSet::default();
        roots.iter().all(|(root, _)| {
            let mut channels = FxHashSet::default();
            walk(templates, *root, &mut channels, &mut FxHashSet::default())
                && channels.len() <= 1
                && channels
                    .iter()
                    .all(|c| is_constant(store, *c) && taken.insert(*c))
        })
    })
}

/// Collects the channels of a thread; no if it forks.
fn walk(
    templates: &Templates,
    at: TemplateId,
    channels: &mut FxHashSet<TermId>,
    seen: &mut FxHashSet<TemplateId>,
) -> bool {
    if !seen.insert(at) {
        return true;
    }
    let nexts = match templates.act(at) {
        Act::Output { channel, next, .. } | Act::Input { channel, next } => {
            channels.insert(*channel);
            vec![next]
        }
        Act::Test {
            then, otherwise, ..
        } => vec![then, otherwise],
    };
    nexts.into_iter().all(|next| {
        next.len() <= 1
            && next
                .iter()
                .all(|f| walk(templates, f.template, channels, seen))
    })
}

/// What the thread of a channel does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Done,
    Input,
    Output,
}

fn kind(setup: &Setup<'_>, config: &Config, channel: TermId) -> Kind {
    for thread in &config.threads {
        let (c, kind) = match setup.templates.act(thread.template) {
            Act::Output { channel, .. } => (*channel, Kind::Output),
            Act::Input { channel, .. } => (*channel, Kind::Input),
            Act::Test { .. } => continue,
        };
        if Templates::fill(setup.store, c, &thread.values) == channel {
            return kind;
        }
    }
    Kind::Done
}

/// What has to be followed of a settled node that an input on a channel led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Follow {
    /// Nothing.
    Nothing,
    /// The channel only.
    Only(TermId),
    /// Everything.
    All,
}

/// What has to be followed after an input on a channel.
pub(crate) fn after_input(setup: &Setup<'_>, node: &Node, channel: TermId) -> Follow {
    let mut kinds = node.configs.iter().map(|c| kind(setup, c, channel));
    let Some(first) = kinds.next() else {
        return Follow::Nothing;
    };
    if kinds.any(|k| k != first) {
        return Follow::All;
    }
    match first {
        Kind::Done => Follow::Nothing,
        Kind::Input => Follow::Only(channel),
        Kind::Output => Follow::All,
    }
}
