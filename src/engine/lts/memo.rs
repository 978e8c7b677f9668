//! Steps of single threads, each computed once.
//!
//! What a thread can do, and what becomes of the environment, depends on the environment and on that thread; the others only
//! have the values of narrowed generics put in. So the steps of a thread are computed alone, with the environment, and
//! kept: states with the same environment and the same thread have the same steps.
//!
//! What is kept is bounded, and in two generations. States are explored by depth, so an environment that was not met for a
//! while is seldom met again. Each generation has half of the room. When little is left to the young one it becomes the old
//! one, and the old one is forgotten; an old answer that is asked for becomes young again.
//!
//! Left to others: which threads move and what state follows (`quick`), the steps themselves (`step`).

use super::codec::Codec;
use super::packed::{Packed, Packs};
use super::piece::PieceId;
use super::pool::{Recent, index};
use super::prepared::Prepared;
use super::step::{Place, Successor, communication, moves_of, specialise};
use super::table::owner;
use super::trim::Mentioned;
use crate::engine::joint::ask::Setup;
use crate::engine::joint::node::{Node, Thread};
use crate::engine::joint::template::{Act, TemplateId};
use crate::term::TermId;
use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Bytes that are kept at most in any case, and for each state besides.
const MOST: usize = 256 << 20;
const EACH: usize = 256;

/// The part of the limit on memory that answers may take.
const PART: u64 = 8;

/// No second thread.
const ALONE: PieceId = PieceId::MAX;

/// What a step leads to.
#[derive(Debug)]
pub struct Outcome {
    /// The environment.
    pub env: Arc<Packed>,
    /// What the generics of the state have become, those that changed.
    pub narrowing: SmallVec<[(TermId, TermId); 1]>,
    /// The threads that follow those that moved.
    pub threads: SmallVec<[PieceId; 4]>,
}

/// What a thread can do.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A question must be decided first: the specialisations.
    Undecided(Arc<[Outcome]>),
    /// Its moves.
    Moves(Arc<[Outcome]>),
    /// It waits for a partner.
    Waits,
    /// It is at a test that is decided.
    Decided,
}

impl Answer {
    /// About how many bytes it takes.
    fn bytes(&self) -> usize {
        let (Answer::Undecided(all) | Answer::Moves(all)) = self else {
            return ENTRY;
        };
        let outcome = |o: &Outcome| {
            let lists = size_of_val(&*o.narrowing) + size_of_val(&*o.threads);
            size_of::<Outcome>() + lists
        };
        ENTRY + all.iter().map(outcome).sum::<usize>()
    }
}

/// About how many bytes an entry of a table takes, with what it points to.
const ENTRY: usize = 112;

/// What is asked: the first two numbers of a vector, a thread, and the one that it meets.
type Question = [u32; 4];

/// An answer that is kept.
struct Kept {
    question: Question,
    answer: Answer,
}

/// What was kept in one time.
pub struct Generation {
    /// Where the answers are in the list, a table for each worker: environments have owners, so workers seldom meet in one.
    index: Vec<DashMap<Question, u32, FxBuildHasher>>,
    /// The answers. What is in here stays where it is, so workers find it again without a lock.
    list: boxcar::Vec<Kept>,
    packs: Packs,
    /// Bytes that it takes.
    held: AtomicUsize,
    /// There was something for which there was no room.
    full: AtomicBool,
}

impl Default for Generation {
    fn default() -> Self {
        Self {
            index: (0..rayon::current_num_threads()).map(|_| index()).collect(),
            list: boxcar::Vec::new(),
            packs: Packs::default(),
            held: AtomicUsize::new(0),
            full: AtomicBool::new(false),
        }
    }
}

impl Generation {
    /// The table that the question belongs to.
    fn index(&self, question: &Question) -> &DashMap<Question, u32, FxBuildHasher> {
        let [env, rest, ..] = *question;
        &self.index[owner([env, rest], self.index.len())]
    }

    /// Whether it should make room for the next, when it may take so many bytes.
    fn is_over(&self, most: usize) -> bool {
        self.full.load(Ordering::Relaxed) || self.held.load(Ordering::Relaxed) > most / 8 * 7
    }
}

/// The steps.
pub struct Memo {
    young: Generation,
    old: Generation,
    /// Bytes that the generations may take together, and the limit to that.
    most: usize,
    limit: usize,
    /// The template of the thread that holds the generics.
    idle: TemplateId,
}

impl Memo {
    /// No steps yet; threads of the given template do nothing by themselves. `limit` is that on memory.
    pub fn new(idle: TemplateId, limit: Option<u64>) -> Self {
        let part = limit.and_then(|bytes| usize::try_from(bytes / PART).ok());
        let limit = part.unwrap_or(usize::MAX);
        Self {
            young: Generation::default(),
            old: Generation::default(),
            most: limit.min(MOST),
            limit,
            idle,
        }
    }

    /// What a thread can do in the state of a vector; `recent` is what the worker remembers of answers.
    pub fn steps(
        &self,
        recent: &mut Recent,
        (setup, codec): (&Setup<'_>, &Codec),
        vector: &[u32],
        thread: PieceId,
    ) -> Cow<'_, Answer> {
        self.get(recent, [vector[0], vector[1], thread, ALONE], || {
            let node = self.scene(setup, codec, vector, &[thread]);
            let undecided = |place: Place| {
                let all = specialise(setup, &node, place)?;
                Some(Answer::Undecided(self.outcomes(setup, codec, &node, all)))
            };
            let template = node.configs[0].threads[1].template;
            if let Act::Test { .. } = setup.templates.act(template) {
                return undecided(Place::Test(1)).unwrap_or(Answer::Decided);
            }
            match moves_of(setup, &node, 1) {
                Err(_) => undecided(Place::Channel(1)).unwrap_or(Answer::Decided),
                Ok(None) => Answer::Waits,
                Ok(Some(all)) => Answer::Moves(self.outcomes(setup, codec, &node, all)),
            }
        })
    }

    /// The communication of two threads in the state of a vector; `recent` is what the worker remembers of answers.
    pub fn meeting(
        &self,
        recent: &mut Recent,
        (setup, codec): (&Setup<'_>, &Codec),
        vector: &[u32],
        (sender, receiver): (PieceId, PieceId),
    ) -> Cow<'_, Answer> {
        self.get(recent, [vector[0], vector[1], sender, receiver], || {
            let node = self.scene(setup, codec, vector, &[sender, receiver]);
            let all = communication(setup, &node, 1, 2).into_iter().collect();
            Answer::Moves(self.outcomes(setup, codec, &node, all))
        })
    }

    fn get(
        &self,
        recent: &mut Recent,
        question: Question,
        answer: impl FnOnce() -> Answer,
    ) -> Cow<'_, Answer> {
        let list = &self.young.list;
        // What is remembered may be of a generation that is gone.
        let same = |id: u32| {
            let kept = list.get(id as usize);
            kept.is_some_and(|kept| kept.question == question)
        };
        let mut lost = None;
        let id = recent.get(&question, same, || {
            if let Some(id) = self.young.index(&question).get(&question) {
                return *id;
            }
            let old = self.old.index(&question).get(&question).map(|id| *id);
            let old = old.map(|id| self.old.list[id as usize].answer.clone());
            if let Some(old) = &old {
                self.renew(old);
            }
            let answer = old.unwrap_or_else(answer);
            if !self.take(answer.bytes()) {
                lost = Some(answer);
                return Recent::NONE;
            }
            // The shard stays locked while the answer is appended, so each is kept once.
            let entry = self.young.index(&question).entry(question);
            *entry.or_insert_with(|| list.push(Kept { question, answer }) as u32)
        });
        match lost {
            Some(answer) => Cow::Owned(answer),
            None => Cow::Borrowed(&list[id as usize].answer),
        }
    }

    /// Makes the environments of an old answer young.
    fn renew(&self, answer: &Answer) {
        if let Answer::Undecided(all) | Answer::Moves(all) = answer {
            for outcome in all.iter() {
                let room = |bytes| self.take(bytes);
                self.young.packs.adopt(&outcome.env, room);
            }
        }
    }

    /// Takes room for some bytes; whether there is any.
    fn take(&self, bytes: usize) -> bool {
        let held = self.young.held.fetch_add(bytes, Ordering::Relaxed);
        let fits = held + bytes <= self.most / 2;
        if !fits {
            self.young.held.fetch_sub(bytes, Ordering::Relaxed);
            self.young.full.store(true, Ordering::Relaxed);
        }
        fits
    }

    /// Between the steps of states, of which there are so many now: what is to be forgotten, if the time has come.
    pub fn turn(&mut self, states: u64) -> Option<Generation> {
        if self.keeps_nothing() {
            return None;
        }
        let more = usize::try_from(states).map_or(usize::MAX, |n| n.saturating_mul(EACH));
        self.most = MOST.saturating_add(more).min(self.limit);
        if !self.is_full() {
            return None;
        }
        let young = std::mem::take(&mut self.young);
        Some(std::mem::replace(&mut self.old, young))
    }

    /// Whether the young generation should make room for the next.
    pub fn is_full(&self) -> bool {
        !self.keeps_nothing() && self.young.is_over(self.most / 2)
    }

    /// Forgets all steps.
    pub fn forget(&mut self) {
        self.young = Generation::default();
        self.old = Generation::default();
    }

    /// Forgets all steps, and keeps none any more.
    pub fn keep_nothing(&mut self) {
        self.most = 0;
        self.forget();
    }

    /// Whether no steps are kept any more.
    pub fn keeps_nothing(&self) -> bool {
        self.most == 0
    }

    /// Keeps what was prepared for states with an environment, whose threads mention these generics.
    pub fn prepared(&self, env: &Packed, mentioned: Mentioned, prepared: Prepared) {
        if self.take(prepared.bytes()) {
            env.keep(mentioned, prepared);
        }
    }

    /// The state with some of its threads, and before them one that holds the generics.
    fn scene(&self, setup: &Setup<'_>, codec: &Codec, vector: &[u32], threads: &[PieceId]) -> Node {
        let env = codec.read(vector);
        let generics = 0..env.generics.len() as u32;
        let holder = Thread {
            template: self.idle,
            values: generics.map(|g| setup.store.generic(g)).collect(),
        };
        let threads = threads.iter().map(|t| codec.pieces.get(*t).thread());
        codec.join(&env, std::iter::once(holder).chain(threads))
    }

    /// The states that follow, without the thread that held the generics of the state before.
    fn outcomes(
        &self,
        setup: &Setup<'_>,
        codec: &Codec,
        before: &Node,
        found: Vec<Successor>,
    ) -> Arc<[Outcome]> {
        let generics = &before.configs[0].threads[0].values;
        let outcome = |mut s: Successor| {
            let holder = s.node.configs[0].threads.remove(0);
            let pairs = generics.iter().copied().zip(holder.values);
            let narrowing = pairs.filter(|(old, new)| old != new).collect();
            let (env, threads) = codec.cut(setup, &mut s.node);
            let room = |bytes| self.take(bytes);
            Outcome {
                env: self.young.packs.pack(&env, &self.old.packs, room),
                narrowing,
                threads: SmallVec::from_slice(&threads),
            }
        };
        found.into_iter().map(outcome).collect()
    }
}
