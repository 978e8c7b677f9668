//! Work that is done in parallel and handed over in order.
//!
//! Parts come in groups, and a worker makes that part of each group which has its own number, as long as there are any; then it helps
//! the others. Groups are handed over one after the other, by whoever completes one, while the others go on making parts;
//! so nobody waits before the last part is made.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Parts that are made, and what becomes of them.
struct Work<T> {
    /// The number of parts, and the size of a group; the last may be smaller.
    parts: usize,
    group: usize,
    /// Parts that were made and not yet handed over.
    made: Vec<Mutex<Option<T>>>,
    /// How many parts of each group were made.
    counts: Vec<AtomicUsize>,
    /// No more is wanted.
    ended: AtomicBool,
}

/// Who takes the groups.
struct Taker<F> {
    take: F,
    /// Groups that were taken.
    taken: usize,
}

impl<T> Work<T> {
    fn size(&self, group: usize) -> usize {
        self.group.min(self.parts - group * self.group)
    }

    /// Notes a part; tells whether its group is complete.
    fn note(&self, part: usize, value: T) -> bool {
        let slot = self.made[part].lock();
        *slot.unwrap_or_else(PoisonError::into_inner) = Some(value);
        let group = part / self.group;
        let before = self.counts[group].fetch_add(1, Ordering::AcqRel);
        before + 1 == self.size(group)
    }

    /// Hands over the groups that are complete, as far as it is their turn.
    fn hand_over<F: FnMut(Vec<T>) -> ControlFlow<()>>(&self, taker: &mut Taker<F>) {
        while taker.taken < self.counts.len() && !self.ended.load(Ordering::Relaxed) {
            let (group, size) = (taker.taken, self.size(taker.taken));
            if self.counts[group].load(Ordering::Acquire) < size {
                return;
            }
            let parts = self.made[group * self.group..][..size].iter();
            let parts = parts.filter_map(|slot| {
                let slot = slot.lock();
                slot.unwrap_or_else(PoisonError::into_inner).take()
            });
            taker.taken += 1;
            if (taker.take)(parts.collect()).is_break() {
                self.ended.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Makes so many parts by all workers of the pool, and has them taken in order by groups of the given size. What has the same place in
/// its group is made by the same worker, as far as possible. Ends when all are taken, or when `take` says so. The number of
/// groups that were taken.
pub fn in_order<T: Send>(
    parts: usize,
    group: usize,
    make: impl Fn(usize) -> T + Sync,
    take: impl FnMut(Vec<T>) -> ControlFlow<()> + Send,
) -> usize {
    let work = Work {
        parts,
        group,
        made: (0..parts).map(|_| Mutex::new(None)).collect(),
        counts: (0..parts.div_ceil(group))
            .map(|_| AtomicUsize::new(0))
            .collect(),
        ended: AtomicBool::new(false),
    };
    // The next group, for each place in it.
    let next: Vec<AtomicUsize> = (0..group).map(|_| AtomicUsize::new(0)).collect();
    let taker = Mutex::new(Taker { take, taken: 0 });
    let worker = |own: usize| {
        let mut places = (0..group).map(|i| (own + i) % group).peekable();
        while let Some(place) = places.peek().copied() {
            if work.ended.load(Ordering::Relaxed) {
                return;
            }
            let part = next[place].fetch_add(1, Ordering::Relaxed) * group + place;
            if part >= parts {
                places.next();
                continue;
            }
            let complete = work.note(part, make(part));
            // Who is at it already, or comes next, takes this group too.
            if complete && let Ok(mut taker) = taker.try_lock() {
                work.hand_over(&mut taker);
            }
        }
    };
    if parts < 2 {
        worker(0);
    } else {
        rayon::broadcast(|context| worker(context.index()));
    }
    let mut taker = taker.into_inner().unwrap_or_else(PoisonError::into_inner);
    work.hand_over(&mut taker);
    taker.taken
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_come_in_order_and_whole() {
        for (parts, group) in [(0, 4), (1, 4), (4, 4), (1000, 7), (999, 1)] {
            let mut all = Vec::new();
            let taken = in_order(
                parts,
                group,
                |n| n * n,
                |some: Vec<usize>| {
                    assert!(some.len() == group || all.len() + some.len() == parts);
                    all.extend(some);
                    ControlFlow::Continue(())
                },
            );
            assert_eq!(taken, parts.div_ceil(group));
            assert!(all.into_iter().eq((0..parts).map(|n| n * n)));
        }
    }

    #[test]
    fn nothing_is_taken_after_the_end() {
        let mut last = 0;
        let taken = in_order(
            1000,
            10,
            |n| n,
            |some| {
                last = some[9];
                if last == 499 {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            },
        );
        assert_eq!((taken, last), (50, 499));
    }
}
