//! A bounded decision procedure for trace equivalence, classical semantics.
//!
//! All configurations of both sides that the tester can't tell apart after the same actions are kept together, as
//! plain lists of ground configurations; nothing is shared between different histories. A difference is reported as an
//! experiment, with the conditions met on the way.

use super::concrete::{Config, Offer};
use super::messages::{Vocabulary, Width};
use super::statics::{Frame, analyse, distinguish, make, recipe};
use spi::certify::{Condition, Deduction, Experiment, Probe, Recipe, Side, Source};
use spi::process::System;
use spi::term::{TermId, TermStore};
use std::sync::Arc;

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The messages for each input.
    pub width: Width,
    /// Largest number of nodes.
    pub nodes: usize,
    /// Largest number of configurations in a node.
    pub configs: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            width: Width {
                own: 1,
                messages: 40,
                size: 12,
            },
            nodes: 3_000,
            configs: 300,
        }
    }
}

/// What was found.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A test that tells the sides apart.
    Different(Box<Experiment>),
    /// No test of the bounded kind does.
    Same,
    /// The limits were met before a difference was found.
    Unknown,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    side: Side,
    config: Config,
    heard: Vec<TermId>,
}

struct Search<'a> {
    store: &'a TermStore,
    left: &'a System,
    right: &'a System,
    initial: &'a [TermId],
    vocabulary: Vocabulary,
    limits: Limits,
    nodes: usize,
    cut: bool,
    actions: Vec<Probe>,
    conditions: Vec<Condition>,
}

/// Compares two systems with the same initial knowledge.
pub fn compare(
    store: &TermStore,
    left: &System,
    right: &System,
    initial: &[TermId],
    limits: Limits,
) -> Answer {
    let mut search = Search {
        store,
        left,
        right,
        initial,
        vocabulary: Vocabulary::new(store, &[left, right], initial, limits.width),
        limits,
        nodes: 0,
        cut: false,
        actions: Vec::new(),
        conditions: Vec::new(),
    };
    let first = [(Side::Left, left), (Side::Right, right)].map(|(side, system)| Member {
        side,
        config: Config::start(store, system),
        heard: Vec::new(),
    });
    match search.node(first.to_vec()) {
        Some(experiment) => Answer::Different(Box::new(experiment)),
        None if search.cut => Answer::Unknown,
        None => Answer::Same,
    }
}

impl Search<'_> {
    fn system(&self, side: Side) -> &System {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }

    /// A difference between these members or between what they can do.
    fn node(&mut self, members: Vec<Member>) -> Option<Experiment> {
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            self.cut = true;
            return None;
        }
        let first = members.first()?.side;
        if members.iter().all(|m| m.side == first) {
            return Some(Experiment {
                actions: self.actions.clone(),
                conditions: self.conditions.clone(),
                passes: first,
            });
        }
        let members = self.close(members);
        let mut children = self.outputs(&members);
        children.extend(self.inputs(&members));
        // Differences at once first.
        children.sort_by_key(|(_, _, next)| next.iter().any(|m| m.side != next[0].side));
        for (action, conditions, next) in children {
            self.actions.push(action);
            let kept = self.conditions.len();
            self.conditions.extend(conditions);
            let found = self.node(next);
            self.conditions.truncate(kept);
            self.actions.pop();
            if found.is_some() {
                return found;
            }
            if self.cut && self.nodes > self.limits.nodes {
                return None;
            }
        }
        None
    }

    /// Adds what the members reach silently: communications and events.
    fn close(&mut self, mut members: Vec<Member>) -> Vec<Member> {
        let store = self.store;
        let mut i = 0;
        while i < members.len() {
            let m = members[i].clone();
            i += 1;
            let system = self.system(m.side);
            let offers: Vec<_> = m
                .config
                .ready
                .iter()
                .map(|s| (*s, m.config.offer(store, system, *s)))
                .collect();
            let mut new = Vec::new();
            for (step, offer) in &offers {
                match offer {
                    Offer::Event { .. } => new.push(m.config.after(store, system, *step, None)),
                    Offer::Output { channel, message } => {
                        for (taker, other) in &offers {
                            if *other == (Offer::Input { channel: *channel }) {
                                let sent = m.config.after(store, system, *step, None);
                                new.push(sent.after(store, system, *taker, Some(*message)));
                            }
                        }
                    }
                    Offer::Input { .. } | Offer::Phase(_) => {}
                }
            }
            for config in new {
                let next = Member {
                    config,
                    ..m.clone()
                };
                if members.contains(&next) {
                    continue;
                }
                if members.len() >= self.limits.configs {
                    self.cut = true;
                    return members;
                }
                members.push(next);
            }
        }
        members
    }

    fn frame<'m>(&'m self, member: &'m Member) -> Frame<'m> {
        Frame {
            initial: self.initial,
            heard: &member.heard,
        }
    }

    /// The recipes of the channels on which some member offers an output (or an input), one for each channel.
    fn channels(&self, members: &[Member], outputs: bool) -> Vec<Arc<Recipe>> {
        let mut found: Vec<(TermId, Arc<Recipe>)> = Vec::new();
        let witness = self.frame(&members[0]);
        for m in members {
            let entries = analyse(self.store, self.frame(m));
            for step in &m.config.ready {
                let channel = match m.config.offer(self.store, self.system(m.side), *step) {
                    Offer::Output { channel, .. } if outputs => channel,
                    Offer::Input { channel } if !outputs => channel,
                    _ => continue,
                };
                let Some(r) = recipe(self.store, &entries, channel) else {
                    continue;
                };
                // Members of a node are statically equivalent: equal in one of them is equal in all.
                let Some(value) = make(self.store, witness, &r) else {
                    continue;
                };
                if !found.iter().any(|(t, _)| *t == value) {
                    found.push((value, r));
                }
            }
        }
        found.into_iter().map(|(_, r)| r).collect()
    }

    /// After each output, one child for each class of members that can't be told apart.
    fn outputs(&self, members: &[Member]) -> Vec<(Probe, Vec<Condition>, Vec<Member>)> {
        let store = self.store;
        let mut children = Vec::new();
        for channel in self.channels(members, true) {
            let mut classes: Vec<Vec<Member>> = Vec::new();
            for m in members {
                let here = make(store, self.frame(m), &channel);
                for step in &m.config.ready {
                    let offer = m.config.offer(store, self.system(m.side), *step);
                    let Offer::Output { channel, message } = offer else {
                        continue;
                    };
                    if here != Some(channel) {
                        continue;
                    }
                    let mut next = m.clone();
                    next.config = m.config.after(store, self.system(m.side), *step, None);
                    next.heard.push(message);
                    let same = classes.iter_mut().find(|class| {
                        distinguish(store, self.frame(&class[0]), self.frame(&next)).is_none()
                    });
                    match same {
                        Some(class) if class.contains(&next) => {}
                        Some(class) => class.push(next),
                        None => classes.push(vec![next]),
                    }
                }
            }
            for (i, class) in classes.iter().enumerate() {
                let conditions = classes
                    .iter()
                    .enumerate()
                    .filter(|(j, _)| *j != i)
                    .filter_map(|(_, c)| {
                        distinguish(store, self.frame(&class[0]), self.frame(&c[0]))
                    })
                    .collect();
                let probe = Probe::Hear {
                    channel: channel.clone(),
                };
                children.push((probe, conditions, class.clone()));
            }
        }
        children
    }

    /// One child for each channel and message tried.
    fn inputs(&self, members: &[Member]) -> Vec<(Probe, Vec<Condition>, Vec<Member>)> {
        let store = self.store;
        let mut children = Vec::new();
        let channels = self.channels(members, false);
        if channels.is_empty() {
            return children;
        }
        let messages = self.messages(members);
        for channel in channels {
            // Messages that leave the same members behind have the same future.
            let mut outcomes: Vec<Vec<Member>> = Vec::new();
            for message in &messages {
                let mut next: Vec<Member> = Vec::new();
                for m in members {
                    let frame = self.frame(m);
                    let here = make(store, frame, &channel);
                    let Some(sent) = make(store, frame, message) else {
                        continue;
                    };
                    for step in &m.config.ready {
                        let offer = m.config.offer(store, self.system(m.side), *step);
                        let Offer::Input { channel } = offer else {
                            continue;
                        };
                        if here != Some(channel) {
                            continue;
                        }
                        let taken = Member {
                            config: m
                                .config
                                .after(store, self.system(m.side), *step, Some(sent)),
                            ..m.clone()
                        };
                        if !next.contains(&taken) {
                            next.push(taken);
                        }
                    }
                }
                if next.is_empty() || outcomes.contains(&next) {
                    continue;
                }
                outcomes.push(next.clone());
                let probe = Probe::Send {
                    channel: channel.clone(),
                    message: message.clone(),
                };
                children.push((probe, vec![], next));
            }
        }
        children
    }

    /// The messages tried: those that come to mind for some member, as recipes, one for each message.
    fn messages(&self, members: &[Member]) -> Vec<Arc<Recipe>> {
        let store = self.store;
        let mut found: Vec<(TermId, Arc<Recipe>)> = Vec::new();
        let mut frames: Vec<&[TermId]> = Vec::new();
        let witness = self.frame(&members[0]);
        for m in members {
            if frames.contains(&&m.heard[..]) {
                continue;
            }
            frames.push(&m.heard);
            let mut knowledge = Deduction::with_initial(store, self.initial);
            for (k, t) in m.heard.iter().enumerate() {
                knowledge.learn(Source::Sent(k), *t);
            }
            let entries = analyse(store, self.frame(m));
            for t in self
                .vocabulary
                .candidates(store, &knowledge, self.limits.width)
            {
                let r = recipe(store, &entries, t).expect("both deductions agree");
                let value =
                    make(store, witness, &r).expect("equivalent frames make the same recipes");
                if !found.iter().any(|(u, _)| *u == value) {
                    found.push((value, r));
                }
            }
        }
        found.into_iter().map(|(_, r)| r).collect()
    }
}
