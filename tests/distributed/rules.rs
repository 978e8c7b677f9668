//! Where a search ends, and what it has counted by then: several processes against a plain search that takes a layer chunk by
//! chunk. The processes are threads here, and what they explore is a graph of numbers.

use spi::base::cluster::{
    Child, Cluster, End, Expanded, Explorer, Fingerprint, Halts, HitRule, Identity, Rules, Seen,
    Stop, Totals, connect, explore, hash, indices,
};
use std::collections::HashSet;
use std::time::Duration;

/// A graph made up from a number.
#[derive(Clone, Copy)]
struct Maze {
    seed: u64,
    /// States that hit lead nowhere.
    hits_end: bool,
}

/// What a state leads to: the children, how many more there are that need no looking up, whether it hits.
struct Around {
    children: Vec<(u32, u64)>,
    dropped: u64,
    hit: bool,
}

impl Maze {
    fn random(self, state: u64, salt: u64) -> u64 {
        hash(
            &[
                self.seed.to_be_bytes(),
                state.to_be_bytes(),
                salt.to_be_bytes(),
            ]
            .concat(),
        )
    }

    fn roots() -> (Vec<(u32, u64)>, u64) {
        let roots = [(0, 0), (2, 1), (3, 0), (5, 2)];
        (roots.into(), 2)
    }

    fn around(self, state: u64) -> Around {
        let hit = state > 40 && self.random(state, 99).is_multiple_of(61);
        let mut children = Vec::new();
        let mut dropped = 0;
        if hit && self.hits_end {
            return Around {
                children,
                dropped,
                hit,
            };
        }
        for index in 0..self.random(state, 0) % 5 {
            let target = state + 1 + self.random(state, index + 1) % 40;
            if target % 13 == 5 {
                dropped += 1;
            } else if target < 700 {
                children.push((index as u32, target));
            }
        }
        Around {
            children,
            dropped,
            hit,
        }
    }

    fn width(state: u64) -> u64 {
        state % 7
    }

    fn child(index: u32, state: u64) -> Child {
        let key = state.to_be_bytes().to_vec();
        Child {
            index,
            hash: hash(&key),
            key,
            state: Vec::new(),
            width: Maze::width(state),
        }
    }
}

fn number(state: &[u8]) -> Option<u64> {
    Some(u64::from_be_bytes(state.try_into().ok()?))
}

impl Explorer for Maze {
    fn expand(&self, state: &[u8]) -> Option<Expanded> {
        let around = self.around(number(state)?);
        let child = |(index, state): &(u32, u64)| Maze::child(*index, *state);
        Some(Expanded {
            children: around.children.iter().map(child).collect(),
            dropped: around.dropped,
            hit: around.hit,
            flawed: false,
        })
    }
}

struct Known(HashSet<Vec<u8>>);

impl Seen for Known {
    fn knows(&self, key: &[u8]) -> bool {
        self.0.contains(key)
    }

    fn insert(&mut self, key: &[u8]) -> bool {
        self.0.insert(key.to_vec())
    }
}

struct Never;

impl Halts for Never {
    fn stop(&self) -> Option<Stop> {
        None
    }

    fn progress(&self, _: &Totals, _: u32, _: u64) {}
}

/// How a search ends, what it counts, how deep it gets, and the states that hit.
type Result = (End, Totals, u32, Vec<u64>);

/// The plain search.
struct Plain {
    seen: HashSet<u64>,
    totals: Totals,
    sharing: bool,
}

impl Plain {
    fn merge(&mut self, children: &[(u32, u64)], dropped: u64, next: &mut Vec<u64>) {
        self.totals.dropped += dropped;
        for (_, state) in children {
            self.totals.children += 1;
            if self.seen.insert(*state) || !self.sharing {
                self.totals.fresh += 1;
                self.totals.width += Maze::width(*state);
                self.totals.widest = self.totals.widest.max(Maze::width(*state));
                next.push(*state);
            }
        }
    }

    fn run(maze: Maze, rules: &Rules) -> Result {
        let mut plain = Plain {
            seen: HashSet::new(),
            totals: Totals::default(),
            sharing: rules.sharing,
        };
        let (roots, dropped) = Maze::roots();
        let mut layer = Vec::new();
        plain.merge(&roots, dropped, &mut layer);
        let mut hits = Vec::new();
        let mut depth = 0;
        let full = |plain: &Plain| rules.bound.is_some_and(|b| plain.totals.fresh > b);
        while !layer.is_empty() {
            let mut next = Vec::new();
            for chunk in layer.chunks(rules.chunk) {
                if rules.ahead && full(&plain) {
                    return (End::Bound, plain.totals, depth, hits);
                }
                for state in chunk {
                    let around = maze.around(*state);
                    if around.hit {
                        hits.push(*state);
                        if rules.hit == HitRule::Before {
                            return (End::Hit, plain.totals, depth, hits);
                        }
                    }
                    plain.merge(&around.children, around.dropped, &mut next);
                }
                if rules.hit == HitRule::Through && !hits.is_empty() {
                    return (End::Hit, plain.totals, depth + 1, hits);
                }
                if !rules.ahead && full(&plain) {
                    return (End::Bound, plain.totals, depth, hits);
                }
            }
            depth += 1;
            layer = next;
            if rules.depth.is_some_and(|d| depth >= d) && !layer.is_empty() {
                return (End::Depth, plain.totals, depth, hits);
            }
        }
        (End::Complete, plain.totals, depth, hits)
    }
}

/// The state at the end of a path.
fn walk(maze: Maze, path: &[u8]) -> u64 {
    let mut children = Maze::roots().0;
    let mut state = 0;
    for index in indices(path).expect("a path") {
        let step = children.iter().find(|(i, _)| *i == index);
        state = step.expect("a child of this number").1;
        children = maze.around(state).children;
    }
    state
}

fn shared(cluster: &Cluster, maze: Maze, rules: &Rules) -> Result {
    let (roots, dropped) = Maze::roots();
    let roots = roots.iter().map(|(i, s)| Maze::child(*i, *s)).collect();
    let mut known = Known(HashSet::new());
    let found = explore(cluster, &maze, &mut known, (roots, dropped), rules, &Never);
    let hits = found.hits.iter().map(|p| walk(maze, p)).collect();
    (found.end, found.totals, found.depth, hits)
}

/// Tasks of all kinds, with small chunks.
fn tasks() -> Vec<(Maze, Rules)> {
    let mut tasks = Vec::new();
    for seed in 0..6 {
        for (hit, ahead) in [
            (HitRule::Before, false),
            (HitRule::Through, true),
            (HitRule::GoOn, true),
        ] {
            for bound in [None, Some(1), Some(9), Some(60), Some(200)] {
                let rules = Rules {
                    chunk: 4 + seed as usize,
                    hit,
                    bound,
                    ahead,
                    depth: (seed == 3).then_some(5),
                    sharing: seed != 4,
                    threads: 1,
                };
                let hits_end = hit == HitRule::Before;
                // A tree without a bound would be large.
                if rules.sharing || bound.is_some() {
                    tasks.push((Maze { seed, hits_end }, rules));
                }
            }
        }
    }
    tasks
}

#[test]
fn a_search_ends_where_a_plain_one_ends() {
    let list = crate::together::addresses(3);
    let hosts: Vec<String> = list.lines().map(str::to_owned).collect();
    let fingerprint = Fingerprint::new("rules", &[]);
    let one = |me: usize| {
        let timeout = Duration::from_secs(60);
        let identity = Identity {
            me: me as u32,
            size: hosts.len() as u32,
            fingerprint: fingerprint.clone(),
            key: None,
        };
        let cluster = connect(&hosts, &identity, timeout).expect("the others are there");
        let results: Vec<Result> = tasks()
            .iter()
            .map(|(maze, rules)| shared(&cluster, *maze, rules))
            .collect();
        cluster.leave();
        results
    };
    let all: Vec<Vec<Result>> = std::thread::scope(|scope| {
        let one = &one;
        let threads: Vec<_> = (0..3).map(|me| scope.spawn(move || one(me))).collect();
        let ends = threads.into_iter().map(|t| t.join().expect("it ends"));
        ends.collect()
    });
    let mut ends = HashSet::new();
    for (i, (maze, rules)) in tasks().iter().enumerate() {
        let expected = Plain::run(*maze, rules);
        for results in &all {
            assert_eq!(results[i], expected, "{} {rules:?}", maze.seed);
        }
        ends.insert(format!("{:?}", expected.0));
    }
    assert_eq!(ends.len(), 4, "every end is met: {ends:?}");
}
