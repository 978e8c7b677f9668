//! Systems that are structurally congruent are recognised, and nothing else is.

use crate::pairs;
use crate::reference;
use pairs::Systems;
use reference::process::{Grower, HEADER, P, Style, near_miss};
use reference::random::{Random, seeds};
use reference::shuffle::Shuffle;
use spi::base::limits::Limits;
use spi::base::limits::{Observer, Progress};
use spi::engine::equiv::{Options, Outcome, Semantics, Surroundings, Way, compare};
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};

fn forking(seed: u64) -> Style {
    Style {
        threads: 3,
        length: 3,
        mobile: seed.is_multiple_of(2),
        forks: true,
        ..Style::default()
    }
}

/// A system, and the same written in another way.
fn variants(seed: u64) -> [P; 2] {
    let mut random = Random::new(seed);
    let p = Grower::new(&mut random, forking(seed)).system();
    let q = Shuffle::new(&mut random).process(&p);
    [p, q]
}

fn everywhere() -> impl Iterator<Item = Options> {
    let semantics = [Semantics::Classic, Semantics::Private];
    let ways = semantics.into_iter().flat_map(|s| [(s, false), (s, true)]);
    ways.map(|(semantics, preorder)| Options {
        semantics,
        preorder,
        ..pairs::everything()
    })
}

#[test]
fn a_system_written_in_another_way_takes_no_exploration() {
    for seed in seeds(400) {
        let [p, q] = variants(seed).map(|p| p.to_string());
        let systems = Systems::of(HEADER, &p, &q);
        for options in everywhere() {
            let (answer, stats) = systems.compare(&options);
            assert_eq!(answer, Some(true), "{p}\n{q}");
            assert_eq!(stats.way, Way::Congruence, "{p}\n{q}");
            assert_eq!(stats.nodes, 0, "{p}\n{q}");
        }
    }
}

#[test]
fn the_joint_exploration_recognises_nodes_whose_sides_are_the_same() {
    let mut explored = 0;
    for seed in seeds(400) {
        let [p, q] = variants(seed).map(|p| p.to_string());
        let mut options = pairs::default();
        options.limits.states = Some(300);
        let (answer, stats) = Systems::of(HEADER, &p, &q).compare(&options);
        assert_ne!(answer, Some(false), "{p}\n{q}");
        explored += u32::from(stats.nodes > 0);
    }
    assert!(explored < 20, "{explored}");
}

#[test]
fn the_order_of_configurations_does_not_depend_on_their_side() {
    // Each side is in two configurations before anything is seen: the threads may have talked to each other.
    let p = "new n. new s. ( c(x). c<n> | c<(s, n)> )";
    for subsume in [true, false] {
        let mut options = pairs::default();
        options.reductions.subsume = subsume;
        let (answer, stats) = Systems::of(HEADER, p, p).compare(&options);
        assert_eq!((answer, stats.nodes), (Some(true), 0), "{subsume}");
    }
}

#[test]
fn sides_that_are_within_each_other_are_settled() {
    // Private forms can't tell the names of a short cycle from those of a long one, so the sides of the first node have
    // different ones.
    for (p, q) in [
        ("01 12 20 34 45 56 63", "34 45 56 63 01 12 20"),
        ("01 10 23 34 42", "23 34 42 01 10"),
    ] {
        let [p, q] = [p, q].map(|cycles| {
            let thread = |e: &str| format!("c<{{a}}(n{}, n{})>", &e[..1], &e[1..]);
            let threads: Vec<String> = cycles.split(' ').map(thread).collect();
            let threads = threads.join(" | ");
            format!("new n0. new n1. new n2. new n3. new n4. new n5. new n6. ( {threads} )")
        });
        let (answer, stats) = Systems::of(HEADER, &p, &q).compare(&pairs::default());
        assert_eq!((answer, stats.nodes), (Some(true), 0), "{p}\n{q}");
    }
}

#[test]
fn roles_are_matched_by_shape_before_position() {
    let p = "new k. ( c<{a}k> | c(x). case x of {y}k in c<y> | c(x). c<{x}k> )";
    let q = "new k. ( c(x). c<{x}k> | c<{a}k> | c(x). case x of {y}k in c<y> )";
    let mut options = pairs::default();
    options.reductions.cones = true;
    options.reductions.by_role = true;
    let (answer, stats) = Systems::of(HEADER, p, q).compare(&options);
    assert_eq!(answer, Some(true));
    assert!(stats.by_role && stats.way == Way::Cones, "{stats:?}");
    // Of threads of one shape, those whose names play the same part elsewhere.
    let p = "new k. new l. ( c<{a}k> | c<{b}l> | c(x). case x of {=a}k in c<a> | c(x). case x of {=b}l in c<a> | c<(k, l)> )";
    let q = "new l. new k. ( c(x). case x of {=b}l in c<a> | c<{b}l> | c(x). case x of {=a}k in c<a> | c<{a}k> | c<(k, l)> )";
    let (answer, stats) = Systems::of(HEADER, p, q).compare(&options);
    assert_eq!(answer, Some(true));
    assert!(stats.by_role && stats.way == Way::Cones, "{stats:?}");
}

#[test]
fn near_misses_get_the_verdict_of_the_joint_exploration() {
    let (mut same, mut different, mut congruent, mut open) = (0, 0, 0, 0);
    for seed in seeds(250) {
        let (p, q) = near_miss(seed + 310_000, forking(seed));
        let q = Shuffle::new(&mut Random::new(seed)).process(&q);
        let (p, q) = (p.to_string(), q.to_string());
        let systems = Systems::of(HEADER, &p, &q);
        for mut options in everywhere() {
            options.limits.states = Some(400);
            let (answer, stats) = systems.compare(&options);
            let alone = Options {
                limits: Limits {
                    states: Some(2000),
                    ..Limits::default()
                },
                reductions: pairs::default().reductions,
                ..options
            };
            let (expected, _) = systems.compare(&alone);
            congruent += u32::from(stats.way == Way::Congruence);
            match (answer, expected) {
                (Some(answer), Some(expected)) => {
                    assert_eq!(answer, expected, "{p}\n{q}");
                    let count = if answer { &mut same } else { &mut different };
                    *count += 1;
                }
                _ => open += 1,
            }
        }
    }
    assert!(same > 200 && different > 200, "{same} {different}");
    assert!(congruent > 40 && congruent < same, "{congruent}");
    assert!(open < 100, "{open}");
}

/// Ends every exploration at once: it is patient with the first question only, that for congruence.
#[derive(Default)]
struct Impatient(AtomicBool);

impl Observer for Impatient {
    fn progress(&self, _: &Progress) {}

    fn interrupted(&self) -> bool {
        self.0.swap(true, Ordering::Relaxed)
    }
}

/// Whether two processes are found to be congruent.
fn congruent(declarations: &str, p: &str, q: &str) -> bool {
    let systems = Systems::of(declarations, p, q);
    let (left, right) = (&systems.left, &systems.right);
    let surroundings = Surroundings {
        knows: &systems.knows,
        spies: &systems.spies,
    };
    let options = pairs::everything();
    let outcome = compare(
        &systems.store,
        left,
        right,
        &surroundings,
        &options,
        &Impatient::default(),
    );
    match outcome {
        Outcome::Equivalent(stats) => {
            assert_eq!(stats.way, Way::Congruence, "{p}\n{q}");
            true
        }
        _ => false,
    }
}

#[test]
fn names_that_the_environment_knows_are_not_renamed() {
    let p = "( c<k> | c<{l}k> )";
    let q = "( c<l> | c<{k}l> )";
    assert!(congruent("channel c  private k, l", p, q));
    assert!(!congruent("channel c  private k, l  knows H(k)", p, q));
    assert!(!congruent("channel c  public k, l", p, q));
    assert!(congruent("channel c  private k, l  knows H(c)", p, q));
}

#[test]
fn branches_and_binders_are_told_apart() {
    let differs = |p: &str, q: &str| assert!(!congruent(HEADER, p, q), "{p}\n{q}");
    differs("c(x). [x is a] c<a>", "c(x). [x is a] 0 else c<a>");
    differs("c(x). c(y). c<x>", "c(x). c(y). c<y>");
    differs(
        "c(x). let (y, z) = x in c<y>",
        "c(x). let (y, z) = x in c<z>",
    );
    differs("new n. new m. c<n>. c<m>", "new n. c<n>. c<n>");
    differs("new n. c<n>. c<n>", "new n. new m. c<n>. c<m>");
    differs("c<a>. ( c<a> | c<b> )", "( c<a>. c<a> | c<b> )");
    differs("( c<a> | c<a> )", "c<a>");
    differs("new n. ( c<n> | d<n> )", "new n. new m. ( c<n> | d<m> )");
}

/// Threads that connect names as the edges of a graph.
fn graph(edges: &[(usize, usize)]) -> String {
    let mut text = String::new();
    let names = edges.iter().map(|(a, b)| a.max(b) + 1).max().unwrap_or(0);
    for n in 0..names {
        let _ = write!(text, "new n{n}. ");
    }
    let threads: Vec<String> = (edges.iter())
        .flat_map(|(a, b)| [(a, b), (b, a)])
        .map(|(a, b)| format!("c(x). c<{{x}}(n{a}, n{b})>"))
        .collect();
    format!("{text}( {} )", threads.join(" | "))
}

/// The edges of a graph whose vertices are the pairs of numbers below 4.
fn on_a_torus(joined: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let vertices = || (0..16).map(|v| (v, v / 4, v % 4));
    let mut edges = Vec::new();
    for (v, a, b) in vertices() {
        for (w, c, d) in vertices().filter(|(w, ..)| *w > v) {
            if joined((a + 4 - c) % 4, (b + 4 - d) % 4) {
                edges.push((v, w));
            }
        }
    }
    edges
}

#[test]
fn ties_that_refinement_leaves_are_tried() {
    let cycle = |from: usize, n: usize| (0..n).map(move |i| (from + i, from + (i + 1) % n));
    let two: Vec<_> = cycle(0, 3).chain(cycle(3, 3)).collect();
    let also: Vec<_> = cycle(3, 3)
        .map(|(a, b)| (b, a))
        .chain(cycle(0, 3))
        .collect();
    let one: Vec<_> = cycle(0, 6).collect();
    assert!(congruent(HEADER, &graph(&two), &graph(&also)));
    assert!(!congruent(HEADER, &graph(&two), &graph(&one)));
    // Strongly regular graphs with the same parameters: the rook's graph and Shrikhande's.
    let rook = on_a_torus(|a, b| (a == 0) != (b == 0));
    let shrikhande =
        on_a_torus(|a, b| [(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)].contains(&(a, b)));
    assert_eq!(rook.len(), shrikhande.len());
    let turned: Vec<_> = rook.iter().map(|(a, b)| (15 - a, 15 - b)).collect();
    assert!(congruent(HEADER, &graph(&rook), &graph(&turned)));
    assert!(congruent(HEADER, &graph(&shrikhande), &graph(&shrikhande)));
    assert!(!congruent(HEADER, &graph(&rook), &graph(&shrikhande)));
}

#[test]
fn many_sessions_are_recognised() {
    let p = "new k. !60 ( new n. ( c<{n}k>. c(x). [x is n] c<a> | c(y). case y of {z}k in c<z> ) )";
    let q = "new s. !60 ( new m. ( c(z). case z of {y}s in ( c<y> | 0 ) | c<{m}s>. c(x). [x is m] c<a> ) )";
    assert!(congruent(HEADER, p, q));
    let other = q.replace("c<a>", "c<b>");
    assert!(!congruent(HEADER, p, &other));
}
