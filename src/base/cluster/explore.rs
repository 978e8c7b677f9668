//! The breadth-first exploration over round, with the results of a single process.
//!
//! A round is a layer. Each process expands the states of the layer that it owns and sends their
//! children to their owners. When the round is over, each owner sorts what has arrived by path and
//! keeps the new states. The path of a state says when a single process would have met it
//! ([`super::path`]). When a hit or the limit on states ends a search, the counts are reduced to
//! what a single process would have reached: it checks at the end of each chunk of a layer, and so
//! do the rules here ([`super::stopping_point`]).

use super::bytes::{Writer, hash};
use super::liveness::Loss;
use super::path::{self, Path};
use super::report::{Report, Stop, Totals};
use super::round::{Arrived, Item, Parent, Round};
use super::session::{Cluster, Session};
use super::stopping_point;
use super::task::{Child, End, Expanded, Explorer, Found, Halts, HitRule, Rules, Seen};
use rayon::prelude::*;

/// States expanded between two checks of the limits and of what has arrived.
const BATCH: usize = 256;

/// Explores from the given roots, which all processes know; `dropped` of them needed no looking up.
pub fn explore<E: Explorer>(
    cluster: &Cluster,
    explorer: &E,
    seen: &mut dyn Seen,
    (roots, dropped): (Vec<Child>, u64),
    rules: &Rules,
    halts: &dyn Halts,
) -> Found {
    let mut found = Found {
        end: End::Complete,
        totals: Totals::default(),
        depth: 0,
        hits: Vec::new(),
        flawed: false,
    };
    let session = match cluster.session() {
        Ok(session) => session,
        Err(loss) => {
            found.end = End::Lost(loss);
            return found;
        }
    };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(rules.threads)
        .stack_size(64 << 20)
        .build();
    let mut search = Search {
        session,
        explorer,
        seen,
        rules,
        halts,
        pool: pool.ok(),
        found,
        waiting: 0,
        stop: None,
        hits: Vec::new(),
    };
    let end = search.run(roots, dropped);
    search.found.end = end.unwrap_or_else(End::Lost);
    search.found
}

/// Makes sure that all processes are about to do the same, unless one has to stop at once.
fn agree(
    session: &mut Session<'_>,
    roots: &[Child],
    rules: &Rules,
    stop: Option<Stop>,
) -> Result<Option<Stop>, Loss> {
    let all = session.share(
        &Report {
            stop,
            ..Report::default()
        }
        .to_bytes(),
    )?;
    let stops = all
        .iter()
        .filter_map(|bytes| Report::from_bytes(bytes)?.stop);
    if let Some(stop) = stops.into_iter().next() {
        return Ok(Some(stop));
    }
    let mut task = Writer::new();
    for root in roots {
        task.number(u64::from(root.index));
        task.string(&root.key);
    }
    let rules = Rules {
        threads: 0,
        ..*rules
    };
    task.string(format!("{rules:?}").as_bytes());
    session.agree(hash(task.bytes()))?;
    Ok(None)
}

struct Search<'a, E> {
    session: Session<'a>,
    explorer: &'a E,
    seen: &'a mut dyn Seen,
    rules: &'a Rules,
    halts: &'a dyn Halts,
    pool: Option<rayon::ThreadPool>,
    /// Of all processes, as far as all have confirmed it.
    found: Found,
    /// States of the next layer, of all processes.
    waiting: u64,
    /// Why a process had to stop.
    stop: Option<Stop>,
    /// The hits of this process, with their depths.
    hits: Vec<(u32, Path)>,
}

impl<E: Explorer> Search<'_, E> {
    fn run(&mut self, roots: Vec<Child>, dropped: u64) -> Result<End, Loss> {
        self.stop = agree(&mut self.session, &roots, self.rules, self.halts.stop())?;
        let mut layer = Vec::new();
        if self.stop.is_none() {
            layer = self.start(roots, dropped)?;
        }
        let mut end = self.end();
        while end.is_none() {
            let (round, next) = self.expand(&layer)?;
            let sum = self.sum(&round)?;
            end = self.conclude(round, &sum)?.or_else(|| self.end());
            layer = next;
        }
        self.found.hits = stopping_point::gather(&mut self.session, &self.hits)?;
        Ok(end.unwrap_or(End::Complete))
    }

    /// Counts the roots; those that this process owns are its first layer.
    fn start(&mut self, roots: Vec<Child>, dropped: u64) -> Result<Vec<Item>, Loss> {
        let me = self.session.cluster().me();
        let mut totals = Totals::default();
        if me == 0 {
            totals.dropped = dropped;
            totals.children = roots.len() as u64;
        }
        let mut layer = Vec::new();
        for root in roots {
            let mine = self.session.owner(root.hash) == me;
            if mine && (!self.rules.sharing || self.seen.insert(&root.key)) {
                totals.fresh += 1;
                totals.width += root.width;
                totals.widest = totals.widest.max(root.width);
                let path = path::child(&[], root.index);
                layer.push(Item::new(path, root.key, root.state));
            }
        }
        let sum = self.share(&Report {
            stop: self.halts.stop(),
            totals,
            ..Report::default()
        })?;
        self.found.totals = sum.totals;
        self.waiting = sum.totals.fresh;
        self.stop = sum.stop;
        Ok(layer)
    }

    /// Whether there is no next round.
    fn end(&self) -> Option<End> {
        if let Some(stop) = self.stop {
            return Some(End::Stopped(stop));
        }
        if self.waiting == 0 {
            return Some(End::Complete);
        }
        if self.rules.ahead
            && self
                .rules
                .bound
                .is_some_and(|b| self.found.totals.fresh > b)
        {
            return Some(End::Bound);
        }
        let deep = self.rules.depth.is_some_and(|d| self.found.depth >= d);
        deep.then_some(End::Depth)
    }

    /// Expands this process's part of a layer, and finds out what is new of what the others have
    /// sent.
    fn expand(&mut self, layer: &[Item]) -> Result<(Round, Vec<Item>), Loss> {
        let mut round = Round::default();
        let mut arrived = Arrived::new(self.rules.sharing);
        for (i, batch) in layer.chunks(BATCH).enumerate() {
            let work = || -> Vec<Option<Expanded>> {
                let states = batch.par_iter();
                states.map(|s| self.explorer.expand(&s.state)).collect()
            };
            let expanded = match (&self.pool, self.rules.threads) {
                (Some(pool), n) if n != 1 => pool.install(work),
                _ => batch
                    .iter()
                    .map(|s| self.explorer.expand(&s.state))
                    .collect(),
            };
            round.stop = self.halts.stop();
            if round.stop.is_some() {
                break;
            }
            for (item, expanded) in batch.iter().zip(expanded) {
                let Some(expanded) = expanded else {
                    let me = self.session.cluster().me();
                    return Err(self.session.lose(me));
                };
                self.send_children(&item.path, expanded, &mut round);
            }
            let seen: &dyn Seen = self.seen;
            self.session.arrived(&mut |_, r| arrived.take(seen, r))?;
            let done = ((i + 1) * BATCH).min(layer.len());
            let mut so_far = self.found.totals;
            so_far.children += round.parents.iter().map(|p| p.children).sum::<u64>();
            self.halts
                .progress(&so_far, self.found.depth, (layer.len() - done) as u64);
        }
        let seen: &dyn Seen = self.seen;
        self.session.finish(&mut |_, r| arrived.take(seen, r))?;
        let mut next = Vec::new();
        for new in arrived.sorted() {
            if !self.rules.sharing || self.seen.insert(&new.key) {
                round.fresh.push((new.path.clone(), new.width));
                next.push(Item::new(new.path, new.key, new.state));
            }
        }
        Ok((round, next))
    }

    /// Sends the children of a state to their owners.
    fn send_children(&mut self, path: &Path, expanded: Expanded, round: &mut Round) {
        round.flawed |= expanded.flawed;
        round.parents.push(Parent {
            path: path.clone(),
            children: expanded.children.len() as u64,
            dropped: expanded.dropped,
            hit: expanded.hit,
        });
        for child in expanded.children {
            let mut record = Writer::new();
            record.string(&path::child(path, child.index));
            record.number(child.width);
            record.string(&child.key);
            record.raw(&child.state);
            let owner = self.session.owner(child.hash);
            self.session.send(owner, record.bytes());
        }
    }

    fn share(&mut self, report: &Report) -> Result<Report, Loss> {
        let all = self.session.share(&report.to_bytes())?;
        let mut reports = Vec::new();
        for (process, bytes) in all.iter().enumerate() {
            match Report::from_bytes(bytes) {
                Some(report) => reports.push(report),
                None => return Err(self.session.lose(process)),
            }
        }
        Ok(Report::together(&reports))
    }

    /// What all processes have to say at the end of a round.
    fn sum(&mut self, round: &Round) -> Result<Report, Loss> {
        let hits = round.parents.iter().filter(|p| p.hit).map(|p| &p.path);
        self.share(&Report {
            stop: round.stop,
            totals: round.totals(None),
            hit: hits.min().cloned(),
            flawed: round.flawed,
        })
    }

    /// Adds a round to the totals, as far as a single process would have come; how the search ends,
    /// if it ends here.
    fn conclude(&mut self, mut round: Round, sum: &Report) -> Result<Option<End>, Loss> {
        self.found.flawed |= sum.flawed;
        self.waiting = sum.totals.fresh;
        if let Some(stop) = sum.stop {
            self.found.totals.add(&sum.totals);
            self.keep_hits(&round, None);
            return Ok(Some(End::Stopped(stop)));
        }
        round.sort();
        let limit = match self.rules.bound {
            Some(bound) if self.found.totals.fresh + sum.totals.fresh > bound => {
                let more = bound.checked_sub(self.found.totals.fresh);
                let at = stopping_point::reaches(&mut self.session, &round, more)?;
                Some(stopping_point::after(
                    &mut self.session,
                    &round,
                    &at,
                    self.rules.chunk,
                )?)
            }
            _ => None,
        };
        // Behind the last chunk of a layer comes the next layer, if there is one.
        let limit = limit.filter(|end| end.is_some() || !self.rules.ahead);
        let within = |hit: &Path| match &limit {
            Some(Some(end)) => hit < end,
            _ => true,
        };
        let hit = sum.hit.clone().filter(|hit| within(hit));
        let (end, before) = match (hit, self.rules.hit) {
            (Some(hit), HitRule::Before) => (End::Hit, Some(hit)),
            (Some(hit), HitRule::Through) => {
                let before =
                    stopping_point::after(&mut self.session, &round, &hit, self.rules.chunk)?;
                self.found.depth += 1;
                (End::Hit, before)
            }
            _ => {
                let Some(before) = limit else {
                    self.found.totals.add(&sum.totals);
                    self.keep_hits(&round, None);
                    self.found.depth += 1;
                    return Ok(None);
                };
                (End::Bound, before)
            }
        };
        let part = self.share(&Report {
            totals: round.totals(before.as_ref()),
            ..Report::default()
        })?;
        self.found.totals.add(&part.totals);
        let first = (end == End::Hit && self.rules.hit == HitRule::Before).then_some(&before);
        match first {
            Some(Some(hit)) => {
                let mine = round.parents.iter().any(|p| p.path == *hit);
                self.hits
                    .extend(mine.then(|| (self.found.depth, hit.clone())));
            }
            _ => self.keep_hits(&round, before.as_ref()),
        }
        Ok(Some(end))
    }

    /// Remembers the hits of a round before a path.
    fn keep_hits(&mut self, round: &Round, before: Option<&Path>) {
        let hits = round.parents.iter().filter(|p| p.hit);
        let counted = hits.filter(|p| before.is_none_or(|end| p.path < *end));
        let depth = self.found.depth;
        self.hits.extend(counted.map(|p| (depth, p.path.clone())));
    }
}
