//! State spaces: pinned counts, the relation R, limits, and the same output for any number of threads.

use crate::reference;
use crate::support::space;
use reference::process::{HEADER, Style, near_miss};
use reference::random::seeds;
use serde_json::Value;
use space::{explore, explore_under, graph, json};
use spi::base::limits::Limits;
use spi::base::limits::{Observer, Progress, StopReason};
use spi::engine::equiv::Semantics;
use spi::engine::lts::Options;
use spi::term::TermStore;
use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// The transitions of a state with their weights.
fn moves(graph: &Value, state: u64) -> Vec<(String, u64)> {
    let all = graph["transitions"].as_array().expect("a list");
    all.iter()
        .filter(|t| t["from"] == state)
        .map(|t| {
            let label = t["label"].as_str().expect("a label").to_owned();
            (label, t["weight"].as_u64().expect("a weight"))
        })
        .collect()
}

fn private() -> Options {
    Options {
        semantics: Semantics::Private,
        ..Options::default()
    }
}

fn labels(moves: &[(String, u64)]) -> Vec<(&str, u64)> {
    moves.iter().map(|(l, w)| (&**l, *w)).collect()
}

/// The four examples of section 4 of the S3A paper.
#[test]
fn the_relation_of_equation_16() {
    let text = "
channel c

system Alike =
  c(x). c(y). c(z). [x is z] c<y> | c(t). c(w). c(u). [t is u] c<w>

system Different =
  c(x). c(y). c(z). [x is z] c<y> | c(t). c(w). c(u). [w is u] c<w>

system Exchanged = new M, N. (c(x). c<M> | c(y). c<N>)

system Third = new M, N. (c(x). c<M> | c(y). c<N> | c<M>)

system Context = new M, N. c<M>. (c(x). c<M> | c(y). c<N>)
";
    let first = |system: &str| moves(&graph(text, system, private()), 0);
    assert_eq!(labels(&first("Alike")), [("c(?0)", 2)]);
    assert_eq!(labels(&first("Different")), [("c(?0)", 1), ("c(?0)", 1)]);
    assert_eq!(labels(&first("Exchanged")), [("c(?0)", 2)]);
    // The third process tells M from N.
    let mut third = first("Third");
    third.sort();
    assert_eq!(labels(&third), [("c(?0)", 1), ("c(?0)", 1), ("c<#0>", 1)]);
    // So does the environment, once it has M.
    let context = graph(text, "Context", private());
    assert_eq!(labels(&moves(&context, 0)), [("c<#0>", 1)]);
    assert_eq!(labels(&moves(&context, 1)), [("c(?0)", 1), ("c(?0)", 1)]);
}

#[test]
fn partners_of_a_communication_are_related_too() {
    let text = "
channel c
system S = new p, m. (!3 p<m> | !2 p(x). c<x>)
";
    let g = graph(text, "S", private());
    assert_eq!(labels(&moves(&g, 0)), [("tau", 6)]);
    let plain = Options {
        symmetry: false,
        ..private()
    };
    assert_eq!(moves(&graph(text, "S", plain), 0).len(), 6);
}

/// File, system, then states of the graph with symmetry and without, and nodes of the tree and of the tree with symmetry.
/// A change of a number is a decision: the commit that makes it says why.
const PINNED: &[(&str, &str, [u128; 4])] = &[
    ("papers/s3a-fig1.spi", "Fig1", [68, 68, 6639, 992]),
    ("papers/s3a-ns.spi", "NS11", [36, 40, 64, 64]),
    ("papers/s3a-ns.spi", "NS12", [294, 896, 6687, 2498]),
    (
        "papers/s3a-ns.spi",
        "NS22",
        [1207, 14_962, 663_907, 116_814],
    ),
    ("papers/s3a-wmf.spi", "WMF11", [14, 14, 28, 28]),
    ("papers/s3a-wmf.spi", "WMF22", [96, 279, 28_209, 3213]),
    (
        "papers/s3a-wmf.spi",
        "WMF33",
        [436, 9004, 414_328_510, 1_402_855],
    ),
    (
        "public-key/ns-honest.spi",
        "Both",
        [2836, 9284, 304_021, 229_035],
    ),
    ("ns.spi", "NS", [323, 668, 4756, 4756]),
    ("nsl.spi", "NSL", [311, 640, 4543, 4543]),
    (
        "wide-mouthed-frog/wmf-brutus.spi",
        "Replay",
        [21, 21, 124, 66],
    ),
    (
        "wide-mouthed-frog/wmf-brutus.spi",
        "Session",
        [96, 168, 1436, 1436],
    ),
    ("symmetric/handshake.spi", "Session", [12, 12, 18, 18]),
    ("andrew/andrew.spi", "Andrew", [28, 28, 46, 46]),
    (
        "yahalom/yahalom.spi",
        "Yahalom",
        [3743, 10_212, 1_194_735, 836_606],
    ),
];

#[test]
fn a_message_of_then_may_be_what_can_be_made_now() {
    // x was sent when H(n) was heard and n was not, so H(n) is not forgotten when n is heard: both branches are open.
    let text = "channel c  public a\n\
                partial system S = new n. c<H(n)>. c(x). c<n>. c(y). [x is H(n)] c<a> else c<y>";
    let branches = |text: &str| explore(&TermStore::new(), text, "S", private()).space;
    let (found, without) = (branches(text), branches(&text.replace("x is", "n is")));
    assert_eq!(found.stats.states, without.stats.states + 2);
}

#[test]
fn counts_are_pinned() {
    let mut wrong = String::new();
    for (file, system, expected) in PINNED {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols");
        let text = std::fs::read_to_string(path.join(file)).expect("the model is there");
        let store = TermStore::new();
        let reduced = explore(&store, &text, system, private()).space;
        let plain = Options {
            symmetry: false,
            ..private()
        };
        let plain = explore(&store, &text, system, plain).space;
        let trees = reduced.trees.expect("the space is complete");
        let same = plain.trees.expect("the space is complete");
        assert_eq!(
            trees.full, same.full,
            "{file} {system}: one tree, two graphs"
        );
        assert_eq!(same.full, same.reduced, "{file} {system}");
        let found = [
            u128::from(reduced.stats.states),
            u128::from(plain.stats.states),
            trees.full.unwrap_or(0),
            trees.reduced.unwrap_or(0),
        ];
        if found != *expected {
            let _ = writeln!(wrong, "    (\"{file}\", \"{system}\", {found:?}),");
        }
    }
    assert!(wrong.is_empty(), "these are the counts now:\n{wrong}");
}

#[test]
fn classic_counts_are_pinned() {
    let count = |text: &str, system: &str| {
        let store = TermStore::new();
        let options = Options {
            semantics: Semantics::Classic,
            ..Options::default()
        };
        let space = explore(&store, text, system, options).space;
        (space.stats.states, space.trees.and_then(|t| t.full))
    };
    let fig1 = include_str!("../protocols/papers/s3a-fig1.spi");
    assert_eq!(count(fig1, "Fig1"), (97, Some(16_539)));
    let ns = include_str!("../protocols/papers/s3a-ns.spi");
    assert_eq!(count(ns, "NS22"), (2_980, Some(1_943_627)));
}

/// Everything but the time.
fn without_time(json: &str) -> String {
    json.lines()
        .filter(|l| !l.contains("\"seconds\""))
        .collect::<Vec<_>>()
        .join("\n")
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let text = include_str!("../protocols/papers/s3a-ns.spi");
    for symmetry in [true, false] {
        let with = |threads: usize| {
            let options = Options {
                threads,
                symmetry,
                ..private()
            };
            let store = TermStore::new();
            let mut stats = explore(&store, text, "NS22", options.clone()).space.stats;
            stats.time = Duration::ZERO;
            (without_time(&json(text, "NS12", options)), stats)
        };
        let one = with(1);
        assert_eq!(one, with(2));
        assert_eq!(one, with(5));
    }
}

#[test]
fn limits_end_in_a_lower_bound() {
    let text = include_str!("../protocols/papers/s3a-ns.spi");
    let store = TermStore::new();
    let limited = |limits: Limits| {
        let options = Options {
            limits,
            ..private()
        };
        explore(&store, text, "NS23", options).space
    };
    let few = limited(Limits {
        states: Some(500),
        ..Limits::default()
    });
    assert_eq!(few.stopped, Some(StopReason::States(500)));
    assert!(few.stats.states > 400 && few.stats.states <= 500 && few.trees.is_none());
    assert!(few.stats.depth > 2 && few.stats.widest > 100);
    let one = limited(Limits {
        states: Some(1),
        ..Limits::default()
    });
    assert_eq!((one.stats.states, one.stats.depth), (1, 0));
    let late = limited(Limits {
        deadline: Some(Instant::now()),
        ..Limits::default()
    });
    assert_eq!(late.stopped, Some(StopReason::Time));
    assert_eq!(late.stats.states, 1, "the initial state is there");
}

/// A message that doubles each time it is passed on, and that nobody looks at.
#[test]
fn messages_are_bounded_where_they_are_only_passed_on() {
    let text = "
channel c
public a
partial system Inside = new p. (p<a> | !40 (p(x). p<(x, x)>))
partial system Outside = new p, s. (p<s> | !40 (p(x). p<(x, x)>) | p(y). c<H(y)>)
";
    for system in ["Inside", "Outside"] {
        let store = TermStore::new();
        let space = explore(&store, text, system, private()).space;
        assert_eq!(space.stopped, Some(StopReason::Size(1 << 14)), "{system}");
        assert!(space.stats.states > 10);
    }
}

/// A message is refused while other workers are at other states of the same layer. What they find meanwhile is lost; what is
/// counted must not depend on how far they were.
#[test]
fn a_refused_message_ends_the_count_at_the_same_state() {
    let alone = ["a", "b", "d", "e"].map(|n| [format!("c<{n}>").as_str(); 8].join(". "));
    let text = format!(
        "
channel c
public a, b, d, e
partial system Wide = new p. (p<a> | !16 (p(x). p<(x, x)>)) | {}
",
        alone.join(" | ")
    );
    for threads in [1, 2, 5] {
        let options = Options {
            threads,
            symmetry: false,
            ..private()
        };
        let space = explore(&TermStore::new(), &text, "Wide", options).space;
        assert_eq!(space.stopped, Some(StopReason::Size(1 << 14)));
        let stats = space.stats;
        assert_eq!(
            (stats.states, stats.widest, stats.depth),
            (11_980, 2556, 15)
        );
    }
}

#[test]
fn an_empty_system_has_one_state() {
    let store = TermStore::new();
    let space = explore(&store, "system S = 0\n", "S", private()).space;
    assert_eq!((space.stats.states, space.stats.transitions), (1, 0));
    assert_eq!(space.trees.and_then(|t| t.full), Some(1));
}

fn model(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols");
    std::fs::read_to_string(path.join(file)).expect("the model is there")
}

/// Lambda has entries with several bindings here; their order means nothing.
#[test]
fn states_that_differ_in_the_order_of_bindings_are_one() {
    let count = |file: &str, system: &str, semantics| {
        let options = Options {
            semantics,
            ..Options::default()
        };
        let store = TermStore::new();
        explore(&store, &model(file), system, options)
            .space
            .stats
            .states
    };
    let repeated = |semantics| count("symmetric/ksl-lowe.spi", "Repeated", semantics);
    assert_eq!(repeated(Semantics::Private), 140);
    assert_eq!(repeated(Semantics::Classic), 229);
    let oracle = |semantics| count("public-key/x509-3.spi", "Oracle", semantics);
    assert_eq!(oracle(Semantics::Private), 147);
    assert_eq!(oracle(Semantics::Classic), 238);
}

/// Says that so much memory is used.
struct Used(u64);

impl Observer for Used {
    fn progress(&self, _: &Progress) {}

    fn interrupted(&self) -> bool {
        false
    }

    fn memory(&self) -> Option<u64> {
        Some(self.0)
    }
}

/// Few steps are kept under a small limit on memory, for a while, and none when it comes near; the space is the same.
#[test]
fn steps_that_are_not_kept_are_computed_again() {
    let text = include_str!("../protocols/papers/s3a-ns.spi");
    for symmetry in [true, false] {
        let figures = |memory: Option<u64>, used: u64| {
            let options = Options {
                symmetry,
                limits: Limits {
                    memory,
                    ..Limits::default()
                },
                ..private()
            };
            let store = TermStore::new();
            let space = explore_under(&store, text, "NS22", options, &Used(used)).space;
            assert_eq!(space.stopped, None);
            let s = space.stats;
            let counts = [s.states, s.matched, s.transitions, s.pruned, s.ends];
            (counts, s.depth, s.widest, space.trees)
        };
        let all = figures(None, 0);
        let small = [0, 40_000, 400_000, 2_000_000].map(|limit| (limit, 0));
        for (limit, used) in small
            .into_iter()
            .chain([(1 << 30, 1 << 30), (40_000, 35_000)])
        {
            assert_eq!(figures(Some(limit), used), all, "{limit} {used} {symmetry}");
        }
    }
}

/// Figures alone are put together from steps of single threads; a graph comes from steps of whole states, which keep their
/// own names. Both must cover the same space.
#[test]
fn figures_and_graphs_agree() {
    let models = [
        ("papers/s3a-fig1.spi", "Fig1"),
        ("papers/s3a-ns.spi", "NS12"),
        ("papers/s3a-ns.spi", "NS22"),
        ("papers/s3a-wmf.spi", "WMF22"),
        ("papers/s3a-wmf.spi", "WMF33"),
        ("ns.spi", "NS"),
        ("wide-mouthed-frog/wmf-brutus.spi", "Session"),
        ("andrew/andrew.spi", "Andrew"),
        ("public-key/x509-3.spi", "Oracle"),
        ("symmetric/ksl-lowe.spi", "Repeated"),
    ];
    for (file, system) in models {
        same_figures(&model(file), system, file);
    }
}

/// Asserts that a count and a graph cover the same space, in either semantics, with symmetry and without.
fn same_figures(text: &str, system: &str, what: &str) {
    for semantics in [Semantics::Private, Semantics::Classic] {
        for symmetry in [true, false] {
            let figures = |graph: bool| {
                let options = Options {
                    semantics,
                    symmetry,
                    graph,
                    ..Options::default()
                };
                let store = TermStore::new();
                let space = explore(&store, text, system, options).space;
                let s = space.stats;
                let counts = [s.states, s.matched, s.transitions, s.pruned, s.ends];
                (counts, s.depth, s.widest, space.trees)
            };
            let what = format!("{what} {system} {semantics:?} {symmetry}");
            assert_eq!(figures(false), figures(true), "{what}");
        }
    }
}

/// The same where threads fork, receive their channels, and test what they received in all ways.
#[test]
fn figures_and_graphs_of_random_processes_agree() {
    for seed in seeds(80) {
        let style = Style {
            length: 3,
            mobile: seed % 2 == 0,
            ..Style::default()
        };
        let (p, _) = near_miss(seed + 12_000, style);
        let text = format!("{HEADER}system S = {p}");
        same_figures(&text, "S", &text);
    }
}
