//! The transitions of a state from the memoised steps of its threads.
//!
//! The same transitions as those of `successors`, composed of steps that were computed for one
//! thread at a time (`memo`). They have no labels, and tests are decided first
//! ([`super::successors::Mode::late`] is off). If the threads of a state have to be considered
//! together in an unusual way, the state is left to `successors`.

use super::canonical_form::{Canonicaliser, Scratch};
use super::codec::Codec;
use super::memo::{Answer, Generation, Memo, Outcome};
use super::piece::{Numbered, Several};
use super::state::settled;
use super::strip::mentioned;
use super::symmetry::{Class, Scene};
use crate::attacker::knowledge::is_constant;
use crate::engine::joint::setup::Setup;
use crate::engine::joint::template::{Act, Templates};
use crate::term::{Subst, TermId};
use smallvec::SmallVec;
use std::borrow::Cow;
use std::ops::Range;

/// What a thread is ready for, judging by its template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Test,
    /// An output or input on a channel that everybody has.
    Public {
        output: bool,
    },
    /// An output or input on another channel.
    Other {
        output: bool,
    },
}

/// Finds transitions from memoised steps.
pub struct Memoised<'a, 'b> {
    setup: &'a Setup<'b>,
    canonicaliser: Canonicaliser<'a>,
    memo: Memo,
    kinds: Vec<Kind>,
    /// Of related threads one moves.
    symmetry: bool,
}

/// A consumer of transitions: the vector of the target, and the number of transitions that this one
/// stands for.
pub type Take<'a> = &'a mut dyn FnMut(&[u32], u32);

/// The channels of the threads that wait for a communication.
type Channels = SmallVec<[Option<TermId>; 10]>;

/// Who can communicate with whom in a state.
#[derive(Debug, Default)]
struct Meetings {
    /// For each sender its part of `receivers`; empty if nobody meets anybody.
    of: SmallVec<[Range<usize>; 10]>,
    receivers: Vec<usize>,
}

impl Meetings {
    /// The receivers that a thread can send to.
    fn partners(&self, sender: usize) -> &[usize] {
        let range = self.of.get(sender).cloned();
        range.map_or(&[], |range| &self.receivers[range])
    }
}

impl<'a, 'b> Memoised<'a, 'b> {
    /// For the states of a system.
    pub fn new(
        setup: &'a Setup<'b>,
        canonicaliser: Canonicaliser<'a>,
        memo: Memo,
        symmetry: bool,
    ) -> Self {
        let store = setup.store;
        let public = |channel: &TermId| {
            // Parameters are variables, so this is no parameter.
            is_constant(store, *channel)
        };
        let kind = |act: &Act| match act {
            Act::Test { .. } => Kind::Test,
            Act::Output { channel, .. } if public(channel) => Kind::Public { output: true },
            Act::Input { channel, .. } if public(channel) => Kind::Public { output: false },
            Act::Output { .. } => Kind::Other { output: true },
            Act::Input { .. } => Kind::Other { output: false },
        };
        Self {
            setup,
            canonicaliser,
            memo,
            kinds: setup.templates.acts().map(kind).collect(),
            symmetry,
        }
    }

    /// The memoised steps.
    pub fn into_memo(self) -> Memo {
        self.memo
    }

    /// To be called between chunks: begins the next generation of the memo if it is time, and
    /// returns the one to drop.
    pub fn turn(&mut self, states: u64) -> Option<Generation> {
        self.memo.turn(states)
    }

    /// Whether the memo is full and steps should be dropped.
    pub fn is_full(&self) -> bool {
        self.memo.is_full()
    }

    /// Drops all steps.
    pub fn forget(&mut self) {
        self.memo.forget();
    }

    /// Drops all steps and memoises none any more.
    pub fn disable(&mut self) {
        self.memo.disable();
    }

    /// Whether steps are no longer memoised.
    pub fn is_disabled(&self) -> bool {
        self.memo.is_disabled()
    }

    fn codec(&self) -> &Codec {
        self.canonicaliser.codec
    }

    fn kind(&self, thread: Numbered<'_>) -> Kind {
        self.kinds[thread.template().0 as usize]
    }

    fn steps(
        &self,
        scratch: &mut Scratch,
        vector: &[u32],
        thread: Numbered<'_>,
    ) -> Cow<'_, Answer> {
        let recent = &mut scratch.cache.answers;
        let scene = (self.setup, self.codec());
        self.memo.steps(recent, scene, vector, thread.id)
    }

    /// Hands the transitions of a state to `take`. `None`, and nothing handed out, if the state has
    /// to be considered as a whole. After a halt some are missing.
    pub fn transitions(&self, scratch: &mut Scratch, vector: &[u32], take: Take<'_>) -> Option<()> {
        let threads = &self.codec().pieces.several(&vector[2..])[..];
        let keys = threads.iter().map(|t| t.template().0).enumerate();
        let mut keys: SmallVec<[(u32, usize); 10]> = keys.map(|(t, key)| (key, t)).collect();
        keys.sort_unstable();
        let order: SmallVec<[usize; 10]> = keys.iter().map(|(_, t)| *t).collect();
        for t in &order {
            if self.kind(threads[*t]) == Kind::Test {
                let answer = self.steps(scratch, vector, threads[*t]);
                let Answer::Undecided(all) = &*answer else {
                    return None;
                };
                self.follow(scratch, threads, &[*t], (all, 1), take);
                return Some(());
            }
        }
        let mut moves: SmallVec<[Option<Cow<'_, Answer>>; 10]> =
            smallvec::smallvec![None; threads.len()];
        let mut known: SmallVec<[bool; 10]> = SmallVec::new();
        known.resize(threads.len(), true);
        for t in &order {
            if let Kind::Other { .. } = self.kind(threads[*t]) {
                let answer = self.steps(scratch, vector, threads[*t]);
                if let Answer::Undecided(all) = &*answer {
                    self.follow(scratch, threads, &[*t], (all, 1), take);
                    return Some(());
                }
                known[*t] = matches!(*answer, Answer::Moves(_));
                moves[*t] = Some(answer);
            }
        }
        let meetings = self.meetings(threads, &order, &known)?;
        let scene = Scene {
            pieces: &self.codec().pieces,
            terms: self.codec().terms(vector),
            threads,
            halt: &self.setup.halt,
        };
        let able = |t: &usize| known[*t] || !meetings.partners(*t).is_empty();
        let able = (0..threads.len()).filter(able);
        for class in &self.group(scene, able, None) {
            if self.setup.halt.stopped() {
                break;
            }
            let (t, size) = (class[0], class.len() as u32);
            if known[t] {
                let answer = moves[t].take();
                let answer = answer.unwrap_or_else(|| self.steps(scratch, vector, threads[t]));
                if let Answer::Moves(all) = &*answer {
                    self.follow(scratch, threads, &[t], (all, size), take);
                }
            }
            let partners = meetings.partners(t).iter().copied();
            for class in &self.group(scene, partners, Some(t)) {
                if self.setup.halt.stopped() {
                    break;
                }
                let pair = (threads[t].id, threads[class[0]].id);
                let recent = &mut scratch.cache.answers;
                let scene = (self.setup, self.codec());
                let answer = self.memo.meeting(recent, scene, vector, pair);
                if let Answer::Moves(all) = &*answer {
                    let weight = size * class.len() as u32;
                    let pair = [t, class[0]];
                    self.follow(scratch, threads, &pair, (all, weight), take);
                }
            }
        }
        Some(())
    }

    /// Pairs of a sender and a receiver that can communicate with each other; `None` if that is a
    /// question.
    fn meetings(
        &self,
        threads: &[Numbered<'_>],
        order: &[usize],
        known: &[bool],
    ) -> Option<Meetings> {
        let private = self.setup.is_private();
        let sends = |t: usize| {
            let kind = self.kind(threads[t]);
            kind == Kind::Public { output: true } || kind == Kind::Other { output: true }
        };
        let mut found = Meetings::default();
        let mut senders = order
            .iter()
            .filter(|t| sends(**t) && !(private && known[**t]));
        let Some(first) = senders.next() else {
            return Some(found);
        };
        let channels: Channels = threads.iter().map(|t| self.channel(*t)).collect();
        let store = self.setup.store;
        found.of.resize(threads.len(), 0..0);
        for o in std::iter::once(first).chain(senders) {
            if self.setup.halt.stopped() {
                break;
            }
            let start = found.receivers.len();
            for i in order.iter().filter(|t| !sends(**t)) {
                let (out, input) = (channels[*o]?, channels[*i]?);
                if out == input {
                    found.receivers.push(*i);
                } else if !store.is_ground(out) || !store.is_ground(input) {
                    return None;
                }
            }
            found.of[*o] = start..found.receivers.len();
        }
        Some(found)
    }

    /// The channel of a thread that is at no test.
    fn channel(&self, thread: Numbered<'_>) -> Option<TermId> {
        match self.setup.templates.act(thread.template()) {
            Act::Output { channel, .. } | Act::Input { channel, .. } => {
                Some(Templates::fill(self.setup.store, *channel, &thread.values))
            }
            Act::Test { .. } => None,
        }
    }

    fn group(
        &self,
        scene: Scene<'_>,
        threads: impl Iterator<Item = usize>,
        fixed: Option<usize>,
    ) -> SmallVec<[Class; 6]> {
        if self.symmetry {
            scene.classes(threads, fixed)
        } else {
            threads.map(|t| smallvec::smallvec![t]).collect()
        }
    }

    /// The states after some threads have moved.
    fn follow(
        &self,
        scratch: &mut Scratch,
        threads: &[Numbered<'_>],
        movers: &[usize],
        (outcomes, weight): (&[Outcome], u32),
        take: Take<'_>,
    ) {
        let others = threads.iter().enumerate();
        let others = others.filter(|(t, _)| !movers.contains(t));
        let others: Several<'_> = others.map(|(_, p)| *p).collect();
        let tests = others.iter().any(|p| self.kind(*p) == Kind::Test);
        for outcome in outcomes {
            let threads = self.join(&others, outcome);
            self.form(scratch, &threads, tests, outcome);
            take(&scratch.vector, weight);
        }
    }

    /// The threads of the state that follows.
    fn join<'c>(&'c self, others: &[Numbered<'c>], outcome: &Outcome) -> Several<'c> {
        let (store, pieces) = (self.setup.store, &self.codec().pieces);
        let mut threads = pieces.several(&outcome.threads);
        if outcome.narrowing.is_empty() {
            threads.extend_from_slice(others);
            return threads;
        }
        let narrowing: Subst = outcome.narrowing.iter().copied().collect();
        for p in others {
            if p.atoms.iter().any(|a| a.as_generic().is_some()) {
                let mut thread = p.thread();
                for v in &mut thread.values {
                    *v = narrowing.apply(store, *v);
                }
                threads.push(pieces.numbered(pieces.thread(store, &thread)));
            } else {
                threads.push(*p);
            }
        }
        threads
    }

    /// The canonical form of the state that follows; `tests` if there are any among the threads
    /// that did not move.
    fn form(
        &self,
        scratch: &mut Scratch,
        threads: &[Numbered<'_>],
        tests: bool,
        outcome: &Outcome,
    ) {
        if tests {
            // Tests of those that did not move may be decided now.
            let all = threads.iter().map(|p| p.thread());
            let mut node = settled(self.setup, self.codec().join(&outcome.env.unpack(), all));
            let (env, threads) = self.codec().cut(self.setup, &mut node);
            self.canonicaliser.form(scratch, &env, &threads);
            return;
        }
        let mentioned = mentioned(outcome.env.generics, threads);
        if let Some(prepared) = outcome.env.prepared(&mentioned) {
            self.canonicaliser.complete(scratch, prepared, threads);
            return;
        }
        let env = outcome.env.unpack();
        let prepared = self.canonicaliser.prepare(scratch, &env, &mentioned);
        self.canonicaliser.complete(scratch, &prepared, threads);
        self.memo.prepared(&outcome.env, mentioned, prepared);
    }
}
