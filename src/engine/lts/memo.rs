//! Memoised steps of single threads.
//!
//! What a thread can do, and how the environment changes, depends on the environment and on that
//! thread. In the other threads only narrowed generics are replaced. So the steps of a thread are
//! computed with the environment alone and memoised: states with the same environment and the same
//! thread have the same steps.
//!
//! The memo is bounded and has two generations. States are explored by depth, so an environment
//! that has not occurred for a while seldom occurs again. Each generation has half of the memory.
//! When the young one is almost full it becomes the old one, and the old one is dropped. An old
//! answer that is asked for becomes young again.
//!
//! Left to others: which threads move and what state follows (`memoised`), the steps themselves
//! (`successors`).

use super::codec::Codec;
use super::environment_form::EnvironmentForm;
use super::environments::{Environments, PackedEnvironment};
use super::interner::{RecentCache, index};
use super::piece::PieceId;
use super::strip::Mentioned;
use super::successors::{Place, Successor, communication, moves_of, specialise};
use super::table::owner;
use crate::engine::joint::node::{Node, Thread};
use crate::engine::joint::setup::Setup;
use crate::engine::joint::template::{Act, TemplateId};
use crate::term::TermId;
use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The limit on the memo: bytes in any case, and bytes for each state.
const MOST: usize = 256 << 20;
const EACH: usize = 256;

/// The memo takes at most the limit on memory divided by this.
const PART: u64 = 8;

/// No second thread.
const ALONE: PieceId = PieceId::MAX;

/// The result of a step.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The environment.
    pub env: Arc<PackedEnvironment>,
    /// The generics that were narrowed, and to what.
    pub narrowing: SmallVec<[(TermId, TermId); 1]>,
    /// The threads that follow those that moved.
    pub threads: SmallVec<[PieceId; 4]>,
}

/// What a thread can do.
#[derive(Clone, Debug)]
pub(super) enum Answer {
    /// A key must be decided first: the specialisations.
    Undecided(Arc<[Outcome]>),
    /// Its moves.
    Moves(Arc<[Outcome]>),
    /// It waits for a partner.
    Waits,
    /// It is at a test that is decided.
    Decided,
}

impl Answer {
    /// About the bytes that it uses.
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

/// About the bytes of an entry of a table, including what it points to.
const ENTRY: usize = 112;

/// The key of an answer: the first two numbers of a vector, a thread, and the thread that it
/// communicates with.
type Key = [u32; 4];

/// A memoised answer.
struct Kept {
    key: Key,
    answer: Answer,
}

/// The answers of one period.
pub(super) struct Generation {
    /// The positions of the answers in the list, a table for each worker: environments belong to
    /// workers, so they seldom share a table.
    index: Vec<DashMap<Key, u32, FxBuildHasher>>,
    /// The answers. They never move, so workers find them again without a lock.
    list: boxcar::Vec<Kept>,
    environments: Environments,
    /// Bytes used.
    held: AtomicUsize,
    /// Something did not fit.
    full: AtomicBool,
}

impl Default for Generation {
    fn default() -> Self {
        Self {
            index: (0..rayon::current_num_threads()).map(|_| index()).collect(),
            list: boxcar::Vec::new(),
            environments: Environments::default(),
            held: AtomicUsize::new(0),
            full: AtomicBool::new(false),
        }
    }
}

impl Generation {
    /// The table that the key belongs to.
    fn index(&self, key: &Key) -> &DashMap<Key, u32, FxBuildHasher> {
        let [env, rest, ..] = *key;
        &self.index[owner([env, rest], self.index.len())]
    }

    /// Whether the next generation should begin; `most` is the limit of this one.
    fn is_over(&self, most: usize) -> bool {
        self.full.load(Ordering::Relaxed) || self.held.load(Ordering::Relaxed) > most / 8 * 7
    }
}

/// The memoised steps.
pub(super) struct Memo {
    young: Generation,
    old: Generation,
    /// Bytes that both generations may use, and the upper limit to that.
    most: usize,
    limit: usize,
    /// The template of the thread that holds the generics.
    idle: TemplateId,
}

impl Memo {
    /// An empty memo. Threads of the template `idle` do nothing by themselves. `limit` is the limit
    /// on memory.
    pub(super) fn new(idle: TemplateId, limit: Option<u64>) -> Self {
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

    /// What a thread can do in the state of a vector. `recent` is the cache of the worker.
    pub(super) fn steps(
        &self,
        recent: &mut RecentCache,
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

    /// The communication of two threads in the state of a vector. `recent` is the cache of the
    /// worker.
    pub(super) fn meeting(
        &self,
        recent: &mut RecentCache,
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
        recent: &mut RecentCache,
        key: Key,
        answer: impl FnOnce() -> Answer,
    ) -> Cow<'_, Answer> {
        let list = &self.young.list;
        // The cache may point into a generation that is gone.
        let same = |id: u32| {
            let kept = list.get(id as usize);
            kept.is_some_and(|kept| kept.key == key)
        };
        let mut lost = None;
        let id = recent.get(&key, same, || {
            if let Some(id) = self.young.index(&key).get(&key) {
                return *id;
            }
            let old = self.old.index(&key).get(&key).map(|id| *id);
            let old = old.map(|id| self.old.list[id as usize].answer.clone());
            if let Some(old) = &old {
                self.renew(old);
            }
            let answer = old.unwrap_or_else(answer);
            if !self.reserve(answer.bytes()) {
                lost = Some(answer);
                return RecentCache::NONE;
            }
            // The shard stays locked while the answer is appended, so each is stored once.
            let entry = self.young.index(&key).entry(key);
            *entry.or_insert_with(|| list.push(Kept { key, answer }) as u32)
        });
        match lost {
            Some(answer) => Cow::Owned(answer),
            None => Cow::Borrowed(&list[id as usize].answer),
        }
    }

    /// Moves the environments of an old answer to the young generation.
    fn renew(&self, answer: &Answer) {
        if let Answer::Undecided(all) | Answer::Moves(all) = answer {
            for outcome in all.iter() {
                let reserve = |bytes| self.reserve(bytes);
                self.young.environments.adopt(&outcome.env, reserve);
            }
        }
    }

    /// Reserves some bytes. Returns whether they fit.
    fn reserve(&self, bytes: usize) -> bool {
        let held = self.young.held.fetch_add(bytes, Ordering::Relaxed);
        let fits = held + bytes <= self.most / 2;
        if !fits {
            self.young.held.fetch_sub(bytes, Ordering::Relaxed);
            self.young.full.store(true, Ordering::Relaxed);
        }
        fits
    }

    /// To be called between chunks, with the number of states so far. Begins the next generation if
    /// it is time, and returns the one to drop.
    pub(super) fn turn(&mut self, states: u64) -> Option<Generation> {
        if self.is_disabled() {
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

    /// Whether the next generation should begin.
    pub(super) fn is_full(&self) -> bool {
        !self.is_disabled() && self.young.is_over(self.most / 2)
    }

    /// Drops all steps.
    pub(super) fn forget(&mut self) {
        self.young = Generation::default();
        self.old = Generation::default();
    }

    /// Drops all steps and memoises none any more.
    pub(super) fn disable(&mut self) {
        self.most = 0;
        self.forget();
    }

    /// Whether steps are no longer memoised.
    pub(super) fn is_disabled(&self) -> bool {
        self.most == 0
    }

    /// Stores what was prepared for states with an environment whose threads mention these
    /// generics.
    pub(super) fn prepared(
        &self,
        env: &PackedEnvironment,
        mentioned: Mentioned,
        prepared: EnvironmentForm,
    ) {
        if self.reserve(prepared.bytes()) {
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
            let reserve = |bytes| self.reserve(bytes);
            Outcome {
                env: self
                    .young
                    .environments
                    .pack(&env, &self.old.environments, reserve),
                narrowing,
                threads: SmallVec::from_slice(&threads),
            }
        };
        found.into_iter().map(outcome).collect()
    }
}
