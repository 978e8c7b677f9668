//! The state space on several processes: each owns the states whose bytes have one of its hashes.
//!
//! The statistics do not depend on the order in which states are found, so there is no order.
//! Owners store where transitions come from, not where they lead. The trees are counted afterwards,
//! against the direction of the transitions ([`trees`]).
//!
//! Left to others: transport and rounds (`cluster`); graphs, which have to be in one place anyway
//! (`explore`).

mod trees;

use super::canonical_form::{Canonicaliser, Scratch};
use super::codec::Codec;
use super::options::{Options, Space, Stats};
use super::successors::{Mode, Successor, successors};
use crate::base::cluster::{Cluster, Loss, Reader, Session, Stop, Writer, hash};
use crate::base::limits::{Observer, Progress, StopReason};
use crate::engine::joint::bytes;
use crate::engine::joint::node::Node;
use crate::engine::joint::setup::Setup;
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::time::Instant;
use trees::Edge;

/// States expanded between two checks of the limits and of what has arrived.
const BATCH: usize = 256;

/// Explores the state space from its initial state, unless that was refused.
pub(super) fn explore(
    cluster: &Cluster,
    setup: &Setup<'_>,
    options: &Options,
    observer: &dyn Observer,
    root: Node,
    refused: Option<StopReason>,
) -> Space {
    let started = Instant::now();
    let codec = Codec::default();
    let mut shared = Shared {
        setup,
        canonicaliser: Canonicaliser {
            store: setup.store,
            pool: &setup.pool,
            codec: &codec,
            renamed: setup.options.reductions.common_renaming,
        },
        options,
        observer,
        started,
        stats: Stats::default(),
        own: Own::default(),
    };
    let run = || {
        let end = shared.run(cluster, root, refused);
        let (stopped, trees) = match end {
            Ok((stopped, trees)) => (stopped, trees),
            Err(loss) => (Some(loss.into()), Ok(None)),
        };
        shared.stats.time = started.elapsed();
        let uncounted = trees.err();
        // A tree that is only counted is known by its count.
        let asked = !options.sharing;
        Space {
            stopped: stopped.or_else(|| uncounted.filter(|_| asked)),
            stats: shared.stats,
            trees: trees.ok().flatten(),
            uncounted,
            graph: None,
        }
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .stack_size(64 << 20)
        .build();
    match pool {
        Ok(pool) => pool.install(run),
        Err(_) => run(),
    }
}

/// The states that this process owns.
#[derive(Default)]
struct Own {
    index: FxHashMap<Arc<[u8]>, u32>,
    /// Transitions of each state.
    leaving: Vec<u32>,
    /// Transitions to the states, from states of any owner.
    incoming: Vec<Edge>,
    bytes: u64,
}

impl Own {
    /// The number of a state, and the state if it is new.
    fn number(&mut self, state: &[u8]) -> (u32, Option<Arc<[u8]>>) {
        if let Some(id) = self.index.get(state) {
            return (*id, None);
        }
        let id = self.index.len() as u32;
        let state: Arc<[u8]> = state.into();
        self.index.insert(state.clone(), id);
        self.leaving.push(0);
        self.bytes += state.len() as u64;
        (id, Some(state))
    }

    /// Takes a transition: where it comes from, how many it stands for, where it leads.
    fn take(&mut self, from: usize, record: &[u8], next: &mut Vec<Frontier>) -> Option<()> {
        let mut r = Reader::new(record);
        let (source, weight) = (r.word()?, r.word()?);
        let (target, new) = self.number(r.rest());
        self.incoming.push(Edge {
            target,
            process: from as u32,
            source,
            weight,
        });
        next.extend(new.map(|state| Frontier { id: target, state }));
        Some(())
    }
}

/// How many transitions one stands for, and where it leads.
type Step = (u32, Vec<u8>);

/// A state that is to be expanded.
struct Frontier {
    id: u32,
    state: Arc<[u8]>,
}

/// The counts of one process, or of all, in a round.
#[derive(Default)]
struct Tally {
    stop: Option<Stop>,
    fresh: u64,
    transitions: u64,
    pruned: u64,
    ends: u64,
    bytes: u64,
}

impl Tally {
    fn to_bytes(&self) -> Vec<u8> {
        let mut out = Writer::new();
        let (code, value) = self.stop.unwrap_or_default();
        out.byte(u8::from(self.stop.is_some()));
        out.byte(code);
        for n in [
            value,
            self.fresh,
            self.transitions,
            self.pruned,
            self.ends,
            self.bytes,
        ] {
            out.number(n);
        }
        out.into_bytes()
    }

    /// Adds the counts of another process.
    fn add(&mut self, bytes: &[u8]) -> Option<()> {
        let mut r = Reader::new(bytes);
        let (stops, code, value) = (r.byte()? != 0, r.byte()?, r.number()?);
        self.stop = self.stop.or(stops.then_some((code, value)));
        let sums = [
            &mut self.fresh,
            &mut self.transitions,
            &mut self.pruned,
            &mut self.ends,
            &mut self.bytes,
        ];
        for sum in sums {
            *sum += r.number()?;
        }
        Some(())
    }

    /// The sum over all processes.
    fn shared(&self, session: &mut Session<'_>) -> Result<Tally, Loss> {
        let mut sum = Tally::default();
        for (process, bytes) in session.share(&self.to_bytes())?.iter().enumerate() {
            sum.add(bytes).ok_or_else(|| session.lose(process))?;
        }
        Ok(sum)
    }
}

/// Why the exploration ended early; the trees, or why they were not counted.
type Ended = (Option<StopReason>, Result<Option<super::Trees>, StopReason>);

struct Shared<'a, 'b> {
    setup: &'a Setup<'b>,
    canonicaliser: Canonicaliser<'a>,
    options: &'a Options,
    observer: &'a dyn Observer,
    started: Instant,
    /// Of all processes.
    stats: Stats,
    own: Own,
}

impl Shared<'_, '_> {
    fn run(
        &mut self,
        cluster: &Cluster,
        root: Node,
        refused: Option<StopReason>,
    ) -> Result<Ended, Loss> {
        let root = self.write(&mut Scratch::default(), root);
        self.stats.states = 1;
        self.stats.widest = 1;
        let mut session = cluster.session()?;
        session.agree(hash(&root) ^ hash(&self.task()))?;
        let mut layer = Vec::new();
        let mut first = None;
        if session.owner(hash(&root)) == cluster.me() {
            let (id, new) = self.own.number(&root);
            first = Some(id);
            layer.extend(new.map(|state| Frontier { id, state }));
        }
        if refused.is_some() {
            return Ok((refused, Ok(None)));
        }
        for depth in 1.. {
            let (tally, next) = self.round(&mut session, &layer)?;
            let sum = tally.shared(&mut session)?;
            self.stats.states += sum.fresh;
            self.stats.transitions += sum.transitions;
            self.stats.pruned += sum.pruned;
            self.stats.ends += sum.ends;
            self.stats.bytes = sum.bytes;
            self.stats.matched = self.stats.transitions + 1 - self.stats.states;
            self.stats.widest = self.stats.widest.max(sum.fresh);
            if sum.fresh > 0 {
                self.stats.depth = depth;
            }
            self.report(sum.fresh);
            if let Some(stop) = sum.stop {
                return Ok((Some(StopReason::heard(stop)), Ok(None)));
            }
            if let Some(limit) = self.options.limits.states
                && self.stats.states > limit
            {
                return Ok((Some(StopReason::States(limit)), Ok(None)));
            }
            if sum.fresh == 0 {
                break;
            }
            layer = next;
        }
        self.own.index = FxHashMap::default();
        let own = std::mem::take(&mut self.own);
        let trees = trees::count(&mut session, own.leaving, own.incoming, first, &|| {
            self.limit()
        })?;
        Ok((None, trees.map(Some)))
    }

    /// The task, compared with those of the other processes.
    fn task(&self) -> Vec<u8> {
        let o = self.options;
        format!("{:?} {} {}", o.semantics, o.symmetry, o.late).into_bytes()
    }

    /// Expands this process's part of a layer, and takes what the others send.
    fn round(
        &mut self,
        session: &mut Session<'_>,
        layer: &[Frontier],
    ) -> Result<(Tally, Vec<Frontier>), Loss> {
        let mut tally = Tally::default();
        let mut next = Vec::new();
        for batch in layer.chunks(BATCH) {
            let expanded: Vec<Option<Vec<Step>>> =
                batch.par_iter().map(|w| self.expand(&w.state)).collect();
            tally.stop = self.limit().map(StopReason::told);
            if tally.stop.is_some() {
                // What was found is not all, and not used.
                break;
            }
            for (waiting, found) in batch.iter().zip(expanded) {
                let Some(found) = found else {
                    return Err(session.lose(session.cluster().me()));
                };
                tally.ends += u64::from(found.is_empty());
                tally.transitions += found.len() as u64;
                self.own.leaving[waiting.id as usize] = found.len() as u32;
                for (weight, state) in found {
                    tally.pruned += u64::from(weight) - 1;
                    let mut record = Writer::new();
                    record.number(u64::from(waiting.id));
                    record.number(u64::from(weight));
                    record.raw(&state);
                    session.send(session.owner(hash(&state)), record.bytes());
                }
            }
            session.arrived(&mut |from, r| self.own.take(from, r, &mut next))?;
            self.report(next.len() as u64);
        }
        session.finish(&mut |from, r| self.own.take(from, r, &mut next))?;
        tally.fresh = next.len() as u64;
        tally.bytes = self.own.bytes;
        if self.own.index.len() >= (u32::MAX >> 1) as usize {
            // Numbers of states are 32 bits wide.
            tally.stop = Some(StopReason::States(self.own.index.len() as u64).told());
        }
        Ok((tally, next))
    }

    /// The transitions of a state: how many each stands for, and where it leads. `None` if the
    /// bytes are no state.
    fn expand(&self, state: &[u8]) -> Option<Vec<Step>> {
        let (node, _) = bytes::read(self.setup.store, &self.setup.templates, state)?;
        let mode = Mode {
            symmetry: self.options.symmetry,
            late: self.options.late,
        };
        let scratch = &mut Scratch::default();
        let found = successors(self.setup, self.canonicaliser.codec, mode, &node).into_iter();
        let step = |s: Successor| (s.weight, self.write(scratch, s.node));
        Some(found.map(step).collect())
    }

    /// The bytes of a state in canonical form. Content alone decides on the form, so it is the same
    /// in all processes.
    fn write(&self, scratch: &mut Scratch, mut node: Node) -> Vec<u8> {
        let codec = self.canonicaliser.codec;
        let (env, threads) = codec.cut(self.setup, &mut node);
        self.canonicaliser.form(scratch, &env, &threads);
        bytes::write(self.setup.store, &codec.decode(&scratch.vector), None)
    }

    fn report(&mut self, waiting: u64) {
        self.stats.time = self.started.elapsed();
        self.observer.progress(&Progress {
            states: self.stats.states,
            depth: self.stats.depth,
            waiting: waiting as usize,
            time: self.stats.time,
        });
    }

    fn limit(&self) -> Option<StopReason> {
        self.setup.halt.poll();
        self.setup.halt.reason()
    }
}
