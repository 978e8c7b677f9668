//! The sizes of the trees that a state space folds, counted on its transitions.

use super::options::Trees;
use crate::base::limits::StopReason;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// States counted between two checks of the limits.
const LOOK: usize = 4096;

/// The number of paths to a state, saturating.
#[derive(Clone, Copy, Debug, Default)]
struct Paths {
    full: u128,
    reduced: u128,
    longest: u32,
}

impl Paths {
    /// Those to the initial state.
    const START: Self = Self {
        full: 1,
        reduced: 1,
        longest: 0,
    };

    /// Adds the paths to another state.
    fn count(&mut self, paths: Paths) {
        self.full = self.full.saturating_add(paths.full);
        self.reduced = self.reduced.saturating_add(paths.reduced);
        self.longest = self.longest.max(paths.longest);
    }

    /// Adds the paths that come by a transition from another state.
    fn come(&mut self, paths: Paths, weight: u32) {
        let many = paths.full.saturating_mul(u128::from(weight));
        self.full = self.full.saturating_add(many);
        self.reduced = self.reduced.saturating_add(paths.reduced);
        self.longest = self.longest.max(paths.longest + 1);
    }
}

/// The transitions without their labels, row by row.
#[derive(Debug, Default)]
pub(super) struct Transitions {
    /// Where the row of each state ends.
    ends: Vec<u64>,
    targets: Vec<u32>,
    weights: Vec<u32>,
    /// There is a transition to a state that was found before the one that it leaves.
    back: bool,
}

impl Transitions {
    /// Adds a transition to the row of the state whose turn it is.
    pub(super) fn push(&mut self, target: u32, weight: u32) {
        self.back |= target as usize <= self.ends.len();
        self.targets.push(target);
        self.weights.push(weight);
    }

    /// Ends that row; it is the turn of the next state.
    pub(super) fn end_row(&mut self) {
        self.ends.push(self.targets.len() as u64);
    }

    fn row(&self, state: usize) -> impl Iterator<Item = (usize, u32)> + '_ {
        let start = if state == 0 { 0 } else { self.ends[state - 1] };
        let range = start as usize..self.ends[state] as usize;
        let targets = self.targets[range.clone()].iter().map(|t| *t as usize);
        targets.zip(self.weights[range].iter().copied())
    }

    /// The sizes of the trees. Every transition uses something up, so the graph has no cycle; a
    /// node of the tree is a path of the graph, and paths are counted in an order in which a state
    /// comes after all that lead to it. `limit` is polled now and then.
    pub(super) fn trees(
        &self,
        limit: impl Fn() -> Option<StopReason>,
    ) -> Result<Trees, StopReason> {
        let all = if self.back {
            self.in_turn(limit)?
        } else {
            self.by_number(limit)?
        };
        let fits = |n: u128| (n < u128::MAX).then_some(n);
        Ok(Trees {
            full: fits(all.full),
            reduced: fits(all.reduced),
            depth: all.longest,
        })
    }

    /// All paths, where states come after all that lead to them. Kept are the paths to the states
    /// from the one whose turn it is to the last that was met.
    fn by_number(&self, limit: impl Fn() -> Option<StopReason>) -> Result<Paths, StopReason> {
        let mut ahead: VecDeque<Paths> = VecDeque::new();
        ahead.push_back(Paths::START);
        let mut all = Paths::default();
        for state in 0..self.ends.len() {
            look(state, &limit)?;
            let paths = ahead.pop_front().unwrap_or_default();
            all.count(paths);
            for (target, weight) in self.row(state) {
                let at = target - state - 1;
                if at >= ahead.len() {
                    ahead.resize(at + 1, Paths::default());
                }
                ahead[at].come(paths, weight);
            }
        }
        Ok(all)
    }

    /// All paths; the turn of a state comes when all that lead to it have been followed. Kept are
    /// the paths to states between their first and their last predecessor.
    fn in_turn(&self, limit: impl Fn() -> Option<StopReason>) -> Result<Paths, StopReason> {
        let mut incoming = vec![0u32; self.ends.len()];
        for target in &self.targets {
            incoming[*target as usize] += 1;
        }
        let mut begun: FxHashMap<usize, Paths> = FxHashMap::default();
        let mut open = VecDeque::from([(0, Paths::START)]);
        let mut all = Paths::default();
        let mut done = 0;
        while let Some((state, paths)) = open.pop_front() {
            look(done, &limit)?;
            done += 1;
            all.count(paths);
            for (target, weight) in self.row(state) {
                begun.entry(target).or_default().come(paths, weight);
                incoming[target] -= 1;
                if incoming[target] == 0
                    && let Some(paths) = begun.remove(&target)
                {
                    open.push_back((target, paths));
                }
            }
        }
        Ok(all)
    }
}

/// Polls the limits now and then.
fn look(done: usize, limit: &impl Fn() -> Option<StopReason>) -> Result<(), StopReason> {
    let reason = done.is_multiple_of(LOOK).then(limit).flatten();
    reason.map_or(Ok(()), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(transitions: &mut Transitions, row: &[(u32, u32)]) {
        for (target, weight) in row {
            transitions.push(*target, *weight);
        }
        transitions.end_row();
    }

    #[test]
    fn a_diamond_unfolds_into_five_nodes() {
        let mut transitions = Transitions::default();
        row(&mut transitions, &[(1, 1), (2, 1)]);
        row(&mut transitions, &[(3, 1)]);
        row(&mut transitions, &[(3, 1)]);
        row(&mut transitions, &[]);
        let trees = transitions.trees(|| None).expect("no limit");
        assert_eq!(
            (trees.full, trees.reduced, trees.depth),
            (Some(5), Some(5), 2)
        );
    }

    #[test]
    fn weights_count_in_the_full_tree_only() {
        let mut transitions = Transitions::default();
        row(&mut transitions, &[(1, 2)]);
        row(&mut transitions, &[(2, 3)]);
        row(&mut transitions, &[]);
        let trees = transitions.trees(|| None).expect("no limit");
        assert_eq!((trees.full, trees.reduced), (Some(9), Some(3)));
    }

    #[test]
    fn numbers_that_do_not_fit_are_left_out() {
        let mut transitions = Transitions::default();
        for state in 1..=140 {
            row(&mut transitions, &[(state, 2)]);
        }
        row(&mut transitions, &[]);
        let trees = transitions.trees(|| None).expect("no limit");
        assert_eq!(
            (trees.full, trees.reduced, trees.depth),
            (None, Some(141), 140)
        );
    }

    #[test]
    fn counting_keeps_to_the_limits() {
        let mut transitions = Transitions::default();
        row(&mut transitions, &[]);
        let trees = transitions.trees(|| Some(StopReason::Memory(7)));
        assert_eq!(trees, Err(StopReason::Memory(7)));
    }

    #[test]
    fn both_orders_count_the_same() {
        let mut transitions = Transitions::default();
        let mut random = 7u32;
        for state in 0..500u32 {
            let mut targets = vec![(state + 1, 1)];
            for _ in 0..state % 4 {
                random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                targets.push((state + 1 + (random >> 16) % 40, 1 + (random >> 28) % 3));
            }
            targets.retain(|(target, _)| *target < 500);
            row(&mut transitions, &targets);
        }
        let forward = transitions.trees(|| None);
        assert!(!transitions.back);
        transitions.back = true;
        assert_eq!(transitions.trees(|| None), forward);
    }

    #[test]
    fn a_transition_may_lead_back() {
        let mut transitions = Transitions::default();
        row(&mut transitions, &[(1, 1), (2, 1)]);
        row(&mut transitions, &[]);
        row(&mut transitions, &[(1, 2)]);
        assert!(transitions.back);
        let trees = transitions.trees(|| None).expect("no limit");
        assert_eq!(
            (trees.full, trees.reduced, trees.depth),
            (Some(5), Some(4), 2)
        );
    }
}
