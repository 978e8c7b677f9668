//! A parallel map whose results are consumed in order.
//!
//! Parts come in groups. Of each group a worker makes the part with its own number; when there are
//! none left it helps the others. Complete groups are consumed in order by the worker that
//! completes one, while the others go on. So no worker waits before the last part is made.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The state of the map.
struct Work<T> {
    /// The number of parts, and the size of a group; the last may be smaller.
    parts: usize,
    group: usize,
    /// Parts that were made and not yet consumed.
    made: Vec<Mutex<Option<T>>>,
    /// The number of parts made of each group.
    counts: Vec<AtomicUsize>,
    /// The consumer wants no more.
    ended: AtomicBool,
}

/// The consumer of the groups.
struct Consumer<F> {
    take: F,
    /// The number of groups consumed.
    taken: usize,
}

impl<T> Work<T> {
    fn size(&self, group: usize) -> usize {
        self.group.min(self.parts - group * self.group)
    }

    /// Stores a part. Returns whether its group is complete.
    fn store(&self, part: usize, value: T) -> bool {
        let slot = self.made[part].lock();
        *slot.unwrap_or_else(PoisonError::into_inner) = Some(value);
        let group = part / self.group;
        let before = self.counts[group].fetch_add(1, Ordering::AcqRel);
        before + 1 == self.size(group)
    }

    /// Consumes the next groups, as long as they are complete.
    fn consume<F: FnMut(Vec<T>) -> ControlFlow<()>>(&self, consumer: &mut Consumer<F>) {
        while consumer.taken < self.counts.len() && !self.ended.load(Ordering::Relaxed) {
            let (group, size) = (consumer.taken, self.size(consumer.taken));
            if self.counts[group].load(Ordering::Acquire) < size {
                return;
            }
            let parts = self.made[group * self.group..][..size].iter();
            let parts = parts.filter_map(|slot| {
                let slot = slot.lock();
                slot.unwrap_or_else(PoisonError::into_inner).take()
            });
            consumer.taken += 1;
            if (consumer.take)(parts.collect()).is_break() {
                self.ended.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Makes the parts on all workers of the pool and hands them to `take` in order, in groups of the
/// given size. Parts with the same place in their group are made by the same worker, as far as
/// possible. Ends when all groups are taken, or when `take` says so. Returns the number of groups
/// taken.
pub(super) fn in_order<T: Send>(
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
    // For each place in a group, the next group whose part is not taken.
    let next: Vec<AtomicUsize> = (0..group).map(|_| AtomicUsize::new(0)).collect();
    let consumer = Mutex::new(Consumer { take, taken: 0 });
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
            let complete = work.store(part, make(part));
            // If the consumer is busy, it finds this group itself, or the next worker does.
            if complete && let Ok(mut consumer) = consumer.try_lock() {
                work.consume(&mut consumer);
            }
        }
    };
    if parts < 2 {
        worker(0);
    } else {
        rayon::broadcast(|context| worker(context.index()));
    }
    let mut consumer = consumer
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    work.consume(&mut consumer);
    consumer.taken
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
