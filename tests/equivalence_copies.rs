//! Copies of a thread with two channels each, some of them changed: threads are exchanged only where both sides are.

use crate::pairs;
use crate::reference;
use pairs::Systems;
use reference::process::{Style, near_miss};
use reference::random::{Random, seeds};
use spi::engine::equiv::{Options, Way};

const NAMES: &str = "channel c, d, e1, e2, e3, e4, e5, e6  public a, b, ok";

/// The text with some identifiers replaced.
fn renamed(text: &str, names: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        if c.is_alphanumeric() {
            word.push(c);
            continue;
        }
        let new = names.iter().find(|(old, _)| *old == word);
        out.push_str(new.map_or(&*word, |(_, new)| new));
        word.clear();
        out.push(c);
    }
    out
}

/// Asserts that everything on says what the joint exploration says.
fn confirmed(p: &str, q: &str, preorder: bool) -> (Option<bool>, Way, bool) {
    let systems = Systems::of(NAMES, p, q);
    let with = |options: Options| {
        systems.compare(&Options {
            preorder,
            ..options
        })
    };
    let (expected, _) = with(pairs::default());
    let (answer, stats) = with(pairs::explored());
    assert_eq!(answer, expected, "{p}\n{q}");
    (expected, stats.way, stats.by_role)
}

/// Two systems of some copies of a thread on channels `c` and `d`. Each copy of the right one, and sometimes of the left one,
/// may have its channels exchanged, or differ in one place; `placed` puts a copy on its channels.
fn copies(seed: u64, count: usize, placed: impl Fn(&str, usize) -> String) -> [String; 2] {
    let style = Style {
        threads: 1,
        length: 3,
        depth: 1,
        ..Style::default()
    };
    let (p, q) = near_miss(seed + 57_000, style);
    let names = "new k. new n. new s. ";
    // Each copy with names of its own.
    let apart = seed.is_multiple_of(2);
    let alone = |text: String| {
        let process = text.strip_prefix(names).unwrap_or(&text).to_owned();
        // The channel in a message.
        let process = match seed % 3 {
            0 => renamed(&process, &[("a", "c")]),
            _ => process,
        };
        if apart {
            format!("{names}{process}")
        } else {
            process
        }
    };
    let (p, q) = (alone(p.to_string()), alone(q.to_string()));
    let exchanged = renamed(&p, &[("c", "d"), ("d", "c")]);
    let mut random = Random::new(seed);
    let mut system = |changes: bool| {
        let parts = (0..count).map(|i| {
            let one = match random.below(6) {
                0 if changes => &q,
                1 | 2 if changes => &exchanged,
                _ => &p,
            };
            format!("( {} )", placed(one, i))
        });
        let parts: Vec<String> = parts.collect();
        let before = if apart { "" } else { names };
        format!("{before}( {} )", parts.join(" | "))
    };
    [system(seed.is_multiple_of(5)), system(true)]
}

#[test]
fn copies_on_channels_of_their_own_are_changed_one_by_one() {
    let (mut same, mut different, mut by_cones) = (0, 0, 0);
    for seed in seeds(400) {
        let place = |process: &str, i: usize| {
            let own = [format!("e{}", 2 * i + 1), format!("e{}", 2 * i + 2)];
            renamed(process, &[("c", &own[0]), ("d", &own[1])])
        };
        let [p, q] = copies(seed, 2 + usize::from(seed % 4 == 0), place);
        let (answer, way, _) = confirmed(&p, &q, seed % 7 == 0);
        by_cones += u32::from(way == Way::Cones);
        match answer {
            Some(true) => same += 1,
            _ => different += 1,
        }
    }
    assert!(same > 80 && different > 80, "{same} {different}");
    assert!(by_cones > 300, "{by_cones}");
}

#[test]
fn copies_on_common_channels_are_changed_one_by_one() {
    let (mut same, mut different, mut by_role) = (0, 0, 0);
    for seed in seeds(250) {
        let [p, q] = copies(seed + 1_000, 2, |process, _| process.to_owned());
        let (answer, _, role) = confirmed(&p, &q, seed % 7 == 0);
        by_role += u32::from(role);
        match answer {
            Some(true) => same += 1,
            _ => different += 1,
        }
    }
    assert!(same > 40 && different > 40, "{same} {different}");
    assert!(by_role > 20, "{by_role}");
}

/// Asserts that everything on, and the joint exploration, tell the processes apart.
fn told_apart(p: &str, q: &str) {
    for (p, q) in [(p, q), (q, p)] {
        assert_eq!(confirmed(p, q, false).0, Some(false), "{p}\n{q}");
    }
}

#[test]
fn a_channel_is_the_same_on_both_sides() {
    told_apart(
        "( e1(x). e2<a> | e3(x). e4<a> )",
        "( e1(x). e2<a> | e4(x). e3<a> )",
    );
    told_apart(
        "( e1<0>. e2<0> | e3<0>. e4<0> )",
        "( e1<0>. e2<0> | e4<0>. e3<0> )",
    );
    // In one branch only.
    told_apart(
        "( e1(x). ([x is a] e1<a> else e2<b>) | e3(x). ([x is a] e3<a> else e4<b>) )",
        "( e1(x). ([x is a] e1<a> else e2<b>) | e4(x). ([x is a] e4<a> else e3<b>) )",
    );
    let confirms = |p: &str, q: &str| assert_eq!(confirmed(p, q, true).0, Some(false));
    confirms(
        "( e1(x). e2<a> | e3(x). e4<a> )",
        "( e1(x). e2<a> | e4(x). e3<a> )",
    );
}

#[test]
fn a_channel_that_one_side_never_gets_to_counts() {
    // The right threads have one channel each, which is the first one of the left thread or the second.
    told_apart(
        "new n. ( e1(x). [x is n] e2<0> | e3(x). [x is n] e4<0> )",
        "( e1(x) | e4(x) )",
    );
}

#[test]
fn a_channel_of_a_role_is_the_same_on_both_sides() {
    told_apart("( c(x). d<a> | c(x). d<a> )", "( c(x). d<a> | d(x). c<a> )");
    let server = "c(x). new n. d<{n}k>";
    let wrong = "d(x). new n. c<{n}k>";
    told_apart(
        &format!("new k. ( {server} | {server} )"),
        &format!("new k. ( {server} | {wrong} )"),
    );
}

#[test]
fn threads_that_differ_in_corresponding_channels_are_still_exchanged() {
    let threads = |count: usize, message: &str| {
        let one = |i: usize| format!("e{}(x). e{}<{{{message}, x}}k>", 2 * i + 1, 2 * i + 2);
        let parts: Vec<String> = (0..count).map(one).collect();
        format!("new k. ( {} )", parts.join(" | "))
    };
    let nodes = |count: usize| {
        let (p, q) = (threads(count, "a"), threads(count, "b"));
        let (answer, stats) = Systems::of(NAMES, &p, &q).compare(&pairs::explored());
        assert_eq!((answer, stats.way), (Some(true), Way::Cones));
        stats.nodes
    };
    assert_eq!(nodes(2), nodes(3));
}
