//! Steps of single threads, each computed once.
//!
//! What a thread can do, and what becomes of the environment, depends on the environment and on that thread; the others only
//! have the values of narrowed generics put in. So the steps of a thread are computed alone, with the environment, and
//! kept: states with the same environment and the same thread have the same steps.
//!
//! Left to others: which threads move and what state follows (`quick`), the steps themselves (`step`).

use super::codec::Codec;
use super::piece::PieceId;
use super::pool::index;
use super::step::{Place, Successor, communication, moves_of, specialise};
use crate::equiv::ask::Setup;
use crate::equiv::node::{Node, Thread};
use crate::equiv::template::{Act, TemplateId};
use crate::term::TermId;
use dashmap::DashMap;
use rustc_hash::FxBuildHasher;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Answers that are kept at most; then all are forgotten.
const KEPT: usize = 1 << 18;

/// No second thread.
const ALONE: PieceId = PieceId::MAX;

/// What a step leads to.
#[derive(Debug)]
pub struct Outcome {
    /// The environment, packed.
    pub env: Box<[u32]>,
    /// What the generics of the state have become, those that changed.
    pub narrowing: Box<[(TermId, TermId)]>,
    /// The threads that follow those that moved.
    pub threads: Box<[PieceId]>,
}

/// What a thread can do.
#[derive(Debug)]
pub enum Answer {
    /// A question must be decided first: the specialisations.
    Undecided(Box<[Outcome]>),
    /// Its moves.
    Moves(Box<[Outcome]>),
    /// It waits for a partner.
    Waits,
    /// It is at a test that is decided.
    Decided,
}

/// The steps.
pub struct Memo {
    index: DashMap<[u32; 4], Arc<Answer>, FxBuildHasher>,
    count: AtomicUsize,
    /// The template of the thread that holds the generics.
    idle: TemplateId,
}

impl Memo {
    /// No steps yet; threads of the given template do nothing by themselves.
    pub fn new(idle: TemplateId) -> Self {
        Self {
            index: index(),
            count: AtomicUsize::new(0),
            idle,
        }
    }

    /// What a thread can do in the state of a vector.
    pub fn steps(
        &self,
        setup: &Setup<'_>,
        codec: &Codec,
        vector: &[u32],
        thread: PieceId,
    ) -> Arc<Answer> {
        self.get([vector[0], vector[1], thread, ALONE], || {
            let node = self.scene(setup, codec, vector, &[thread]);
            let undecided = |place: Place| {
                let all = specialise(setup, &node, place)?;
                Some(Answer::Undecided(outcomes(setup, codec, &node, all)))
            };
            let template = node.configs[0].threads[1].template;
            if let Act::Test { .. } = setup.templates.act(template) {
                return undecided(Place::Test(1)).unwrap_or(Answer::Decided);
            }
            match moves_of(setup, &node, 1) {
                Err(_) => undecided(Place::Channel(1)).unwrap_or(Answer::Decided),
                Ok(None) => Answer::Waits,
                Ok(Some(all)) => Answer::Moves(outcomes(setup, codec, &node, all)),
            }
        })
    }

    /// The communication of two threads in the state of a vector.
    pub fn meeting(
        &self,
        setup: &Setup<'_>,
        codec: &Codec,
        vector: &[u32],
        (sender, receiver): (PieceId, PieceId),
    ) -> Arc<Answer> {
        self.get([vector[0], vector[1], sender, receiver], || {
            let node = self.scene(setup, codec, vector, &[sender, receiver]);
            let all = communication(setup, &node, 1, 2).into_iter().collect();
            Answer::Moves(outcomes(setup, codec, &node, all))
        })
    }

    fn get(&self, key: [u32; 4], answer: impl FnOnce() -> Answer) -> Arc<Answer> {
        if let Some(known) = self.index.get(&key) {
            return known.clone();
        }
        let answer = Arc::new(answer());
        if self.count.fetch_add(1, Ordering::Relaxed) >= KEPT {
            self.index.clear();
            self.count.store(0, Ordering::Relaxed);
        }
        self.index.insert(key, answer.clone());
        answer
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
}

/// The states that follow, without the thread that held the generics of the state before.
fn outcomes(
    setup: &Setup<'_>,
    codec: &Codec,
    before: &Node,
    found: Vec<Successor>,
) -> Box<[Outcome]> {
    let generics = &before.configs[0].threads[0].values;
    let outcome = |mut s: Successor| {
        let holder = s.node.configs[0].threads.remove(0);
        let pairs = generics.iter().copied().zip(holder.values);
        let narrowing = pairs.filter(|(old, new)| old != new).collect();
        let (env, threads) = codec.cut(setup, &mut s.node);
        Outcome {
            env: env.pack(),
            narrowing,
            threads: threads.as_slice().into(),
        }
    };
    found.into_iter().map(outcome).collect()
}
