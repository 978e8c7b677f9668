//! The hunt for a repair: every addition alone, then those that run together, fewest first.
//!
//! An addition that leaves the protocol unable to run is not tried again. Of several additions those come first that, alone, repair what
//! the others do not. The hunt ends with the number of additions at which a repair was found, with that of the plan, or with the limit on
//! what is tried; which of these it was is told. What is tried, and in which order, depends neither on the clock nor on threads.

use rayon::prelude::*;

/// How far a hunt goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// At most this many additions together.
    pub together: usize,
    /// At most this many texts.
    pub limit: usize,
    /// It may end when it has this many repairs.
    pub wanted: usize,
}

/// What came of a text with additions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Tried<R> {
    /// It can't be read as a model, or does not run.
    Idle,
    /// It runs. These claims are not repaired, by number.
    Broken(Vec<usize>),
    /// All claims hold as they are written.
    Repaired {
        /// Something breaks one of them beyond what is written.
        beyond: bool,
        /// How many of them are not proved.
        unproved: usize,
        /// What the caller wants to know of it.
        report: R,
    },
}

/// Additions that repair a model.
#[derive(Clone, Debug)]
pub(crate) struct Proposal<R> {
    /// Their numbers.
    pub additions: Vec<usize>,
    /// How much they add.
    pub parts: usize,
    /// Something breaks a claim beyond what is written.
    pub beyond: bool,
    /// How many claims are not proved.
    pub unproved: usize,
    /// What the caller wants to know of it.
    pub report: R,
}

/// What a hunt has found.
#[derive(Debug)]
pub(crate) struct Hunt<R> {
    /// The repairs, the best first.
    pub proposals: Vec<Proposal<R>>,
    /// How many texts were tried.
    pub tried: usize,
    /// How many of them do not run.
    pub idle: usize,
    /// How many more there were that the limit left out.
    pub left_out: usize,
    /// With how many additions at most.
    pub together: usize,
}

/// Several additions that run together, and what they leave broken.
struct Partial {
    additions: Vec<usize>,
    broken: Vec<usize>,
}

/// How many texts are tried before it is looked whether there are enough repairs.
const BATCH: usize = 64;

/// Tries additions, given by how much each adds; those of one `group` say the same and do not go together. `broken` are the claims to repair, `stop` says whether to go no further.
pub(crate) fn hunt<R: Send + Clone>(
    parts: &[usize],
    group: &[usize],
    broken: &[usize],
    plan: Plan,
    attempt: impl Fn(&[usize]) -> Tried<R> + Sync,
    stop: impl Fn() -> bool,
) -> Hunt<R> {
    let mut hunt = Hunt {
        proposals: Vec::new(),
        tried: 0,
        idle: 0,
        left_out: 0,
        together: 0,
    };
    let mut singles: Vec<Partial> = Vec::new();
    let mut level: Vec<Partial> = vec![Partial {
        additions: Vec::new(),
        broken: broken.to_vec(),
    }];
    for together in 1..=plan.together {
        let candidates = if together == 1 {
            (0..parts.len()).map(|i| vec![i]).collect()
        } else {
            joined(&level, &singles, parts, group)
        };
        if candidates.is_empty() {
            break;
        }
        hunt.together = together;
        let mut next = Vec::new();
        for batch in candidates.chunks(BATCH) {
            let room = plan.limit.saturating_sub(hunt.tried).min(batch.len());
            let enough = together > 1 && hunt.clean() >= plan.wanted;
            if enough {
                break;
            }
            hunt.left_out += batch.len() - room;
            if stop() {
                hunt.left_out += room;
                continue;
            }
            let found: Vec<Tried<R>> = batch[..room].par_iter().map(|c| attempt(c)).collect();
            hunt.tried += room;
            for (additions, tried) in batch.iter().zip(found) {
                match tried {
                    Tried::Idle => hunt.idle += 1,
                    Tried::Broken(broken) => next.push(Partial {
                        additions: additions.clone(),
                        broken,
                    }),
                    Tried::Repaired {
                        beyond,
                        unproved,
                        report,
                    } => hunt.proposals.push(Proposal {
                        additions: additions.clone(),
                        parts: additions.iter().map(|i| parts[*i]).sum(),
                        beyond,
                        unproved,
                        report,
                    }),
                }
            }
        }
        if hunt.clean() > 0 || hunt.left_out > 0 {
            break;
        }
        // What is broken beyond what is written may be mended by one more.
        next.extend(hunt.proposals.iter().map(|p| Partial {
            additions: p.additions.clone(),
            broken: Vec::new(),
        }));
        if together == 1 {
            singles = next.iter().map(Partial::again).collect();
        }
        level = next;
    }
    hunt.proposals
        .sort_by_key(|p| (p.beyond, p.parts, p.unproved, p.additions.clone()));
    hunt
}

impl<R> Hunt<R> {
    /// How many repairs nothing breaks, as far as was looked.
    fn clean(&self) -> usize {
        self.proposals.iter().filter(|p| !p.beyond).count()
    }
}

impl Partial {
    fn again(&self) -> Partial {
        Partial {
            additions: self.additions.clone(),
            broken: self.broken.clone(),
        }
    }
}

/// One addition more for each of these, each set once; those first that alone repair most of what is broken, with the fewest parts.
fn joined(
    level: &[Partial],
    singles: &[Partial],
    parts: &[usize],
    group: &[usize],
) -> Vec<Vec<usize>> {
    let mut found: Vec<(usize, usize, Vec<usize>)> = Vec::new();
    for partial in level {
        for single in singles {
            let (Some(last), [new]) = (partial.additions.last(), &single.additions[..]) else {
                continue;
            };
            let twice = |i: &usize| group[*i] == group[*new];
            if new <= last || partial.additions.iter().any(twice) {
                continue;
            }
            let left = partial.broken.iter().filter(|c| single.broken.contains(c));
            let mut additions = partial.additions.clone();
            additions.push(*new);
            let size = additions.iter().map(|i| parts[*i]).sum();
            found.push((left.count(), size, additions));
        }
    }
    found.sort();
    found
        .into_iter()
        .map(|(_, _, additions)| additions)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAN: Plan = Plan {
        together: 3,
        limit: 1000,
        wanted: 2,
    };

    const APART: [usize; 8] = [0, 1, 2, 3, 4, 5, 6, 7];

    /// Claim i is repaired by addition 2 i; odd additions do not run.
    fn attempt(additions: &[usize], claims: usize) -> Tried<()> {
        if additions.iter().any(|i| i % 2 == 1) {
            return Tried::Idle;
        }
        let broken: Vec<usize> = (0..claims)
            .filter(|c| !additions.contains(&(2 * c)))
            .collect();
        if broken.is_empty() {
            Tried::Repaired {
                beyond: false,
                unproved: 0,
                report: (),
            }
        } else {
            Tried::Broken(broken)
        }
    }

    #[test]
    fn what_repairs_a_claim_each_is_put_together_first() {
        let broken = [0, 1];
        let hunt = hunt(&[1; 8], &APART, &broken, PLAN, |a| attempt(a, 2), || false);
        assert_eq!(hunt.proposals[0].additions, [0, 2]);
        assert_eq!((hunt.together, hunt.idle), (2, 4));
    }

    #[test]
    fn what_says_the_same_does_not_go_together() {
        let together = [0, 1, 0, 3, 4, 5, 6, 7];
        let hunt = hunt(
            &[1; 8],
            &together,
            &[0, 1],
            PLAN,
            |a| attempt(a, 2),
            || false,
        );
        assert!(hunt.proposals.is_empty());
    }

    #[test]
    fn a_limit_says_how_much_it_left_out() {
        let plan = Plan { limit: 3, ..PLAN };
        let hunt = hunt(&[1; 8], &APART, &[0, 1], plan, |a| attempt(a, 2), || false);
        assert_eq!((hunt.tried, hunt.left_out), (3, 5));
        assert!(hunt.proposals.is_empty());
    }

    #[test]
    fn repairs_with_the_fewest_parts_come_first() {
        let all = |_: &[usize]| Tried::Repaired {
            beyond: false,
            unproved: 0,
            report: (),
        };
        let hunt = hunt(&[2, 1, 1], &APART, &[0], PLAN, all, || false);
        let order: Vec<usize> = hunt.proposals.iter().map(|p| p.additions[0]).collect();
        assert_eq!(order, [1, 2, 0]);
    }
}
