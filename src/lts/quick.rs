//! The transitions of a state from the steps of its threads.
//!
//! The same transitions as those of `step`, put together from steps that were computed for one thread at a time (`memo`).
//! Only for tests that are decided first ([`super::step::Mode::late`] is off), and without labels. Where threads have to be
//! looked at together in an unusual way, the state is left to `step`.

use super::codec::{Codec, Threads, Vector};
use super::form::{Former, Room};
use super::memo::{Answer, Memo, Outcome};
use super::piece::PieceId;
use super::state::settled;
use super::symmetry::{Class, Scene};
use crate::equiv::ask::Setup;
use crate::equiv::template::{Act, Templates};
use crate::knowledge::is_constant;
use crate::term::{Subst, TermId};
use smallvec::SmallVec;
use std::sync::Arc;

/// What a thread is ready for, as far as its template tells.
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

/// Finds transitions.
pub struct Quick<'a, 'b> {
    setup: &'a Setup<'b>,
    former: Former<'a>,
    memo: Memo,
    kinds: Vec<Kind>,
    /// Of related threads one moves.
    symmetry: bool,
}

/// A transition: the state it leads to, and the number of transitions that it stands for.
pub type Transition = (Vector, u32);

/// The channels of the threads that wait for a communication.
type Channels = SmallVec<[Option<TermId>; 10]>;

impl<'a, 'b> Quick<'a, 'b> {
    /// For the states of a system.
    pub fn new(setup: &'a Setup<'b>, former: Former<'a>, memo: Memo, symmetry: bool) -> Self {
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
            former,
            memo,
            kinds: setup.templates.acts().map(kind).collect(),
            symmetry,
        }
    }

    fn codec(&self) -> &Codec {
        self.former.codec
    }

    fn kind(&self, thread: PieceId) -> Kind {
        self.kinds[self.codec().pieces.get(thread).template().0 as usize]
    }

    fn steps(&self, vector: &[u32], thread: PieceId) -> Arc<Answer> {
        self.memo.steps(self.setup, self.codec(), vector, thread)
    }

    /// The transitions of a state; `None` if it has to be looked at as a whole.
    pub fn transitions(&self, room: &mut Room, vector: &[u32]) -> Option<Vec<Transition>> {
        let threads = &vector[2..];
        let mut found = Vec::new();
        let mut order: SmallVec<[usize; 10]> = (0..threads.len()).collect();
        order.sort_by_key(|t| self.codec().pieces.get(threads[*t]).template());
        for t in &order {
            if self.kind(threads[*t]) == Kind::Test {
                let answer = self.steps(vector, threads[*t]);
                let Answer::Undecided(all) = &*answer else {
                    return None;
                };
                self.follow(room, threads, &[*t], (all, 1), &mut found);
                return Some(found);
            }
        }
        let mut moves: SmallVec<[Option<Arc<Answer>>; 10]> =
            smallvec::smallvec![None; threads.len()];
        let mut known: SmallVec<[bool; 10]> = SmallVec::new();
        known.resize(threads.len(), true);
        for t in &order {
            if let Kind::Other { .. } = self.kind(threads[*t]) {
                let answer = self.steps(vector, threads[*t]);
                if let Answer::Undecided(all) = &*answer {
                    self.follow(room, threads, &[*t], (all, 1), &mut found);
                    return Some(found);
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
        };
        let able = |t: &usize| known[*t] || meetings.iter().any(|(o, _)| o == t);
        let able = (0..threads.len()).filter(able);
        for class in self.group(scene, able, None) {
            let (t, size) = (class[0], class.len() as u32);
            if known[t] {
                let answer = moves[t].take();
                let answer = answer.unwrap_or_else(|| self.steps(vector, threads[t]));
                if let Answer::Moves(all) = &*answer {
                    self.follow(room, threads, &[t], (all, size), &mut found);
                }
            }
            let partners = meetings.iter().filter(|(o, _)| *o == t);
            for class in self.group(scene, partners.map(|(_, i)| *i), Some(t)) {
                let pair = (threads[t], threads[class[0]]);
                let answer = self.memo.meeting(self.setup, self.codec(), vector, pair);
                if let Answer::Moves(all) = &*answer {
                    let weight = size * class.len() as u32;
                    let pair = [t, class[0]];
                    self.follow(room, threads, &pair, (all, weight), &mut found);
                }
            }
        }
        Some(found)
    }

    /// Pairs of a sender and a receiver that can communicate with each other; `None` if that is a question.
    fn meetings(
        &self,
        threads: &[PieceId],
        order: &[usize],
        known: &[bool],
    ) -> Option<Vec<(usize, usize)>> {
        let private = self.setup.is_private();
        let sends = |t: usize| {
            let kind = self.kind(threads[t]);
            kind == Kind::Public { output: true } || kind == Kind::Other { output: true }
        };
        let mut found = Vec::new();
        let mut senders = order
            .iter()
            .filter(|t| sends(**t) && !(private && known[**t]));
        let Some(first) = senders.next() else {
            return Some(found);
        };
        let channels: Channels = threads.iter().map(|t| self.channel(*t)).collect();
        let store = self.setup.store;
        for o in std::iter::once(first).chain(senders) {
            for i in order.iter().filter(|t| !sends(**t)) {
                let (out, input) = (channels[*o]?, channels[*i]?);
                if out == input {
                    found.push((*o, *i));
                } else if !store.is_ground(out) || !store.is_ground(input) {
                    return None;
                }
            }
        }
        Some(found)
    }

    /// The channel of a thread that is at no test.
    fn channel(&self, thread: PieceId) -> Option<TermId> {
        let piece = self.codec().pieces.get(thread);
        match self.setup.templates.act(piece.template()) {
            Act::Output { channel, .. } | Act::Input { channel, .. } => {
                Some(Templates::fill(self.setup.store, *channel, &piece.values))
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
        room: &mut Room,
        threads: &[PieceId],
        movers: &[usize],
        (outcomes, weight): (&[Outcome], u32),
        found: &mut Vec<Transition>,
    ) {
        let others = threads.iter().enumerate();
        let others = others.filter(|(t, _)| !movers.contains(t));
        let others: Threads = others.map(|(_, p)| *p).collect();
        for outcome in outcomes {
            found.push((self.next(room, &others, outcome), weight));
        }
    }

    /// The state that follows, in canonical form.
    fn next(&self, room: &mut Room, others: &[PieceId], outcome: &Outcome) -> Vector {
        let (store, pieces) = (self.setup.store, &self.codec().pieces);
        let mut threads = Threads::from_slice(&outcome.threads);
        let narrowing: Subst = outcome.narrowing.iter().copied().collect();
        let mut tests = false;
        for p in others {
            tests |= self.kind(*p) == Kind::Test;
            let piece = pieces.get(*p);
            let generic = || piece.atoms.iter().any(|a| a.as_generic().is_some());
            threads.push(if !narrowing.is_empty() && generic() {
                let mut thread = piece.thread();
                for v in &mut thread.values {
                    *v = narrowing.apply(store, *v);
                }
                pieces.thread(store, &thread)
            } else {
                *p
            });
        }
        let mut env = std::mem::take(&mut room.before);
        env.unpack(&outcome.env);
        if tests {
            // Tests of the others may be decided now.
            let all = threads.iter().map(|p| pieces.get(*p).thread());
            let mut node = settled(self.setup, self.codec().join(&env, all));
            (env, threads) = self.codec().cut(self.setup, &mut node);
        }
        let vector = self.former.form(room, &env, &threads);
        room.before = env;
        vector
    }
}
