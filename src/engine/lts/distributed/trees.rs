//! The sizes of the trees, counted by all processes against the direction of the transitions.
//!
//! The tree below a state is the state and the trees below its successors. An owner knows where the
//! transitions to its states come from; once the trees below a state are counted, it sends the
//! sizes to the owners of its predecessors. Every transition uses something up, so that ends at the
//! initial state.

use crate::base::cluster::{Loss, Reader, Session, Writer};
use crate::base::limits::StopReason;
use crate::engine::lts::Trees;

/// A transition to a state of this process.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Where it leads.
    pub target: u32,
    /// Who owns the state that it comes from.
    pub process: u32,
    /// The number of that state there.
    pub source: u32,
    /// Number of transitions that it stands for.
    pub weight: u32,
}

/// The trees below a state; the largest number stands for all that do not fit.
#[derive(Clone, Copy, Debug)]
struct Below {
    full: u128,
    reduced: u128,
    longest: u32,
    /// Transitions whose targets have not been counted.
    left: u32,
}

impl Below {
    /// Adds the trees below a successor.
    fn add(&mut self, weight: u32, below: &Below) {
        let many = below.full.saturating_mul(u128::from(weight));
        self.full = self.full.saturating_add(many);
        self.reduced = self.reduced.saturating_add(below.reduced);
        self.longest = self.longest.max(below.longest.saturating_add(1));
        self.left = self.left.saturating_sub(1);
    }

    fn write(&self, out: &mut Writer) {
        out.large(self.full);
        out.large(self.reduced);
        out.number(u64::from(self.longest));
    }

    fn read(from: &mut Reader<'_>) -> Option<Below> {
        Some(Below {
            full: from.large()?,
            reduced: from.large()?,
            longest: from.word()?,
            left: 0,
        })
    }
}

/// Counts the trees of all processes together. `leaving` has the transitions of each state of this
/// process, `root` the initial state if this process owns it.
pub(super) fn count(
    session: &mut Session<'_>,
    leaving: Vec<u32>,
    mut incoming: Vec<Edge>,
    root: Option<u32>,
    limit: &dyn Fn() -> Option<StopReason>,
) -> Result<Result<Trees, StopReason>, Loss> {
    let me = session.cluster().me();
    incoming.sort_unstable_by_key(|e| e.target);
    let one = |left| Below {
        full: 1,
        reduced: 1,
        longest: 0,
        left,
    };
    let mut below: Vec<Below> = leaving.into_iter().map(one).collect();
    let counted = |below: &[Below]| -> Vec<u32> {
        let states = (0u32..).zip(below);
        states
            .filter(|(_, b)| b.left == 0)
            .map(|(s, _)| s)
            .collect()
    };
    let mut ready = counted(&below);
    loop {
        let mut done = 0u64;
        while let Some(state) = ready.pop() {
            done += 1;
            let from = incoming.partition_point(|e| e.target < state);
            let edges = incoming[from..].iter().take_while(|e| e.target == state);
            let of = below[state as usize];
            for edge in edges {
                if edge.process as usize == me {
                    let source = &mut below[edge.source as usize];
                    source.add(edge.weight, &of);
                    if source.left == 0 {
                        ready.push(edge.source);
                    }
                } else {
                    let mut record = Writer::new();
                    record.number(u64::from(edge.source));
                    record.number(u64::from(edge.weight));
                    of.write(&mut record);
                    session.send(edge.process as usize, record.bytes());
                }
            }
        }
        session.finish(&mut |_, record| {
            let mut r = Reader::new(record);
            let (state, weight) = (r.word()?, r.word()?);
            let of = Below::read(&mut r)?;
            let source = below.get_mut(state as usize)?;
            source.add(weight, &of);
            if source.left == 0 {
                ready.push(state);
            }
            Some(())
        })?;
        let found = root.map(|r| below[r as usize]).filter(|b| b.left == 0);
        let told = tell(limit().map(StopReason::told), done, found);
        let all = session.share(&told)?;
        let mut stop = None;
        let (mut moved, mut trees) = (0, None);
        for (process, bytes) in all.iter().enumerate() {
            let Some((s, n, f)) = read(bytes) else {
                return Err(session.lose(process));
            };
            stop = stop.or(s);
            moved += n;
            trees = trees.or(f);
        }
        if let Some(stop) = stop {
            return Ok(Err(StopReason::heard(stop)));
        }
        if let Some(all) = trees {
            let fits = |n: u128| (n < u128::MAX).then_some(n);
            return Ok(Ok(Trees {
                full: fits(all.full),
                reduced: fits(all.reduced),
                depth: all.longest,
            }));
        }
        if moved == 0 {
            // There is a cycle, which can't be.
            return Err(session.lose(me));
        }
    }
}

fn tell(stop: Option<(u8, u64)>, done: u64, found: Option<Below>) -> Vec<u8> {
    let mut out = Writer::new();
    let (code, value) = stop.unwrap_or_default();
    out.byte(u8::from(stop.is_some()));
    out.byte(code);
    out.number(value);
    out.number(done);
    out.byte(u8::from(found.is_some()));
    if let Some(below) = found {
        below.write(&mut out);
    }
    out.into_bytes()
}

/// Why to stop, how many states were counted, and the trees below the initial state.
type Told = (Option<(u8, u64)>, u64, Option<Below>);

fn read(bytes: &[u8]) -> Option<Told> {
    let mut r = Reader::new(bytes);
    let (stops, code, value) = (r.byte()? != 0, r.byte()?, r.number()?);
    let done = r.number()?;
    let found = if r.byte()? == 0 {
        None
    } else {
        Some(Below::read(&mut r)?)
    };
    Some((stops.then_some((code, value)), done, found))
}
