//! Causal cones and role by role: the same verdicts as the joint exploration.

use crate::pairs;
use crate::reference;
use pairs::Systems;
use reference::process::{Check, P, Style, T, near_miss};
use reference::random::{Random, seeds};
use spi::engine::equiv::Way;
use std::fmt::Write as _;

const CHANNELS: &str = "channel c, d, e1, e2, e3, e4  public a, b, ok";
const PROTOCOL: &str = "channel c, d, e1, e2, e3, e4, e5, e6  public a, b, m1, m2  agent A, B  spy C  \
                        keypair K(Agent)  key S(Agent, Agent)";

/// The process with one channel for everything that it does, and without forks.
fn on(channel: &str, p: &P) -> P {
    let c = || T::Atom(channel.to_owned());
    let next = |p: &P| Box::new(on(channel, p));
    match p {
        P::Nil => P::Nil,
        P::Par(parts) => parts.first().map_or(P::Nil, |p| on(channel, p)),
        P::New(n, p) => P::New(n.clone(), next(p)),
        P::Out(_, m, p) => P::Out(c(), m.clone(), next(p)),
        P::In(_, x, p) => P::In(c(), x.clone(), next(p)),
        P::Test(check, p, q) => P::Test(check.clone(), next(p), q.as_ref().map(|q| next(q))),
        P::Integer(t, p, x, q) => P::Integer(t.clone(), next(p), x.clone(), next(q)),
        P::Event(e, t, p) => P::Event(e.clone(), t.clone(), next(p)),
        P::Phase(n, p) => P::Phase(*n, next(p)),
    }
}

/// The system with a channel for each of its threads, the first thread twice.
fn simple(p: &P) -> P {
    match p {
        P::New(n, p) => P::New(n.clone(), Box::new(simple(p))),
        P::Par(parts) => {
            let again = parts.first().into_iter();
            let parts = parts.iter().take(3).chain(again).enumerate();
            P::Par(parts.map(|(i, p)| on(&format!("e{}", i + 1), p)).collect())
        }
        other => on("e1", other),
    }
}

#[test]
fn cones_tell_as_much_as_the_joint_exploration() {
    let (mut same, mut different, mut by_cones) = (0, 0, 0);
    for seed in seeds(300) {
        let style = Style {
            threads: 2 + (seed % 2) as usize,
            length: 3 + usize::from(seed % 3 == 0),
            ..Style::default()
        };
        let (p, q) = near_miss(seed + 83_000, style);
        let (p, q) = (simple(&p).to_string(), simple(&q).to_string());
        let systems = Systems::of(CHANNELS, &p, &q);
        let (expected, _) = systems.compare(&pairs::default());
        for symmetry in [true, false] {
            let mut options = pairs::explored();
            options.reductions.symmetry = symmetry;
            let (answer, stats) = systems.compare(&options);
            assert_eq!(answer, expected, "{p}\n{q}");
            by_cones += u32::from(stats.way == Way::Cones);
        }
        match expected {
            Some(true) => same += 1,
            _ => different += 1,
        }
    }
    assert!(same > 40 && different > 40, "{same} {different}");
    assert!(by_cones > 500, "{by_cones}");
}

/// Some shape of interaction in which places and facts contain others: what two oracles answer, with the key or without it.
fn oracles(seed: u64) -> [String; 2] {
    let mut random = Random::new(seed + 64_000);
    let keys = ["k", "k", "l", "H(k)"];
    let secrets = ["n", "m", "(n, m)", "H(n)", "a"];
    let mut role = |i: usize| {
        let (k, l) = (*random.pick(&keys), *random.pick(&keys));
        let (s, t) = (*random.pick(&secrets), *random.pick(&secrets));
        match random.below(8) {
            0 => format!("e{i}<{{{s}}}{k}>. e{i}<{t}>"),
            1 => format!("e{i}<{{{s}}}{k}>. e{i}<{l}>"),
            2 => format!("e{i}(x). e{i}<{{x}}{k}>"),
            3 => format!("e{i}(x). case x of {{y}}{k} in e{i}<y>"),
            4 => format!("e{i}(x). case x of {{y}}{k} in e{i}<{{y}}{l}> else e{i}<{s}>"),
            5 => format!("e{i}(x). e{i}<{{{s}, x}}{k}>"),
            6 => format!("e{i}(x). e{i}(y). [x is {{y}}{k}] e{i}<{s}> else e{i}<{t}>"),
            _ => format!("e{i}(x). [x is {s}] e{i}<{t}>"),
        }
    };
    let roles: Vec<String> = (1..=3).map(&mut role).collect();
    let at = (seed % 3) as usize;
    let mut others = roles.clone();
    others[at] = role(at + 1);
    [roles, others].map(|r| format!("new k. new l. new n. new m. ( {} )", r.join(" | ")))
}

#[test]
fn what_others_contain_may_be_left_out() {
    let (mut same, mut different, mut fewer) = (0, 0, 0);
    let mut agree = |p: &str, q: &str| {
        let systems = Systems::of(CHANNELS, p, q);
        let (answer, stats) = systems.compare(&pairs::explored());
        let mut options = pairs::explored();
        options.reductions.contained = false;
        let (expected, all) = systems.compare(&options);
        assert_eq!(answer, expected, "{p}\n{q}");
        match expected {
            Some(true) => same += 1,
            _ => different += 1,
        }
        let by_cones = [stats.way, all.way] == [Way::Cones; 2];
        fewer += u32::from(by_cones && stats.nodes < all.nodes);
    };
    for seed in seeds(300) {
        let style = Style {
            threads: 3,
            ..Style::default()
        };
        let (p, q) = near_miss(seed + 71_000, style);
        agree(&simple(&p).to_string(), &simple(&q).to_string());
        let [p, q] = oracles(seed);
        agree(&p, &q);
    }
    assert!(same > 60 && different > 60, "{same} {different}");
    assert!(fewer > 30, "{fewer}");
}

#[test]
fn role_by_role_never_confirms_too_much() {
    let (mut same, mut different, mut by_role) = (0, 0, 0);
    for seed in seeds(150) {
        let style = Style {
            threads: 2,
            length: 3,
            ..Style::default()
        };
        let (p, q) = near_miss(seed + 91_000, style);
        let (p, q) = (p.to_string(), q.to_string());
        let systems = Systems::of(CHANNELS, &p, &q);
        let (expected, _) = systems.compare(&pairs::default());
        let (answer, stats) = systems.compare(&pairs::explored());
        assert_eq!(answer, expected, "{p}\n{q}");
        by_role += u32::from(stats.by_role);
        match expected {
            Some(true) => same += 1,
            _ => different += 1,
        }
    }
    assert!(same > 15 && different > 15, "{same} {different}");
    assert!(by_role > 5, "{by_role}");
}

/// Asserts the verdict both ways, and that the cones gave one of them.
fn decided(p: &str, q: &str, expected: bool) {
    let systems = Systems::of(PROTOCOL, p, q);
    assert_eq!(
        systems.compare(&pairs::default()).0,
        Some(expected),
        "{p}\n{q}"
    );
    let (answer, stats) = systems.compare(&pairs::explored());
    assert_eq!(answer, Some(expected), "{p}\n{q}");
    assert_eq!(stats.way, Way::Cones, "{p}\n{q}");
}

#[test]
fn what_two_sides_test_together_is_looked_at() {
    // Neither side alone sends a pair of both: only for (a, b) the right one is silent where the left one speaks.
    decided(
        "e1(x). let (y, =b) = x in e1<a>",
        "e1(x). let (=a, z) = x in 0 else let (y, =b) = x in e1<a>",
        false,
    );
    // The same with an answer in both branches.
    decided(
        "e1(x). let (y, =b) = x in e1<a>",
        "e1(x). let (=a, =b) = x in e1<a> else let (y, =b) = x in e1<a>",
        true,
    );
    // A branch that needs a message from another thread.
    decided(
        "new k. ( e1<{a}k> | e2(x). e2<b> )",
        "new k. ( e1<{a}k> | e2(x). case x of {y}k in e2<y> else e2<b> )",
        false,
    );
    decided(
        "new k. ( e1<{a}k> | e2(x). e2<b> )",
        "new k. ( e1<{a}k> | e2(x). case x of {=b}k in e2<a> else e2<b> )",
        true,
    );
}

#[test]
fn equal_terms_by_different_ways_are_compared() {
    decided(
        "new n. ( e1<H(n)> | e2<n> )",
        "new n. new m. ( e1<H(m)> | e2<n> )",
        false,
    );
    decided(
        "new n. ( e1<n> | e2<n> )",
        "new n. new m. ( e1<n> | e2<m> )",
        false,
    );
    decided(
        "new n. ( e1<H(n)> | e2<H(n)> )",
        "new n. new m. ( e1<H(n)> | e2<H(m)> )",
        false,
    );
    decided(
        "new k. new n. ( e1<{n}k> | e2<{n}k> )",
        "new k. new n. new m. ( e1<{n}k> | e2<{m}k> )",
        false,
    );
    decided(
        "new k. new n. new r. ( e1<{(n, r)}k> | e2<{n}k> )",
        "new k. new n. new m. ( e1<{n}k> | e2<{m}k> )",
        true,
    );
    // A ciphertext that can be rebuilt once the key is out.
    decided(
        "new k. new n. ( e1<{n}k>. e1<k> | e2(x). case x of {y}k in e2<{y}k> )",
        "new k. new n. ( e1<{n}k>. e1<k> | e2(x). case x of {y}k in e2<{n}k> )",
        false,
    );
    decided(
        "e1(x). e1<{x}K(C)+>",
        "e1(x). new n. e1<{(x, n)}K(C)+>",
        false,
    );
    decided("e1(x). e1<{a}x>", "e1(x). new n. e1<{n}x>", false);
}

#[test]
fn parts_of_key_pairs_are_matched() {
    decided(
        "new k. ( e1<k+> | e2<k-> )",
        "new k. new l. ( e1<k+> | e2<l-> )",
        false,
    );
    decided("e1<K(A)>", "e1<K(B)>", false);
    decided("e1<K(A)->", "new n. e1<n->", false);
    decided("new k. e1<k+>", "new k. e1<H(k)>", true);
}

#[test]
fn a_received_key_may_be_a_part_of_a_member_that_nobody_has() {
    // The signature opens with the public part, which everybody can make; the member itself is not needed.
    let system = |last: &str| {
        format!("e1<K(A)-> | new m, n, r. e2(v). e2<[{{m, r}}]v>. [v is K(A)-] e2<{last}>")
    };
    decided(&system("m"), &system("n"), false);
    decided(&system("n"), &system("n"), true);
}

#[test]
fn a_spy_may_be_any_argument_of_a_shared_key() {
    let system =
        |last: &str| format!("new m, n, r. e1(x). e1(y). e1<{{m, r}}S(x, y)>. [x is A] e1<{last}>");
    decided(&system("m"), &system("n"), false);
    decided(&system("r"), &system("r"), true);
}

#[test]
fn every_test_of_the_other_side_may_turn_out_otherwise() {
    // For b alone the right side does not send the same again; that is seen on the way of the left side only.
    let same = "e1<n>. e1<n>";
    decided(
        &format!("new n, m. e1(x). {same}"),
        &format!("new n, m. e1(x). [x is a] {same} else [x is b] e1<n>. e1<m> else {same}"),
        false,
    );
}

#[test]
fn what_the_environment_knows_tells_threads_apart() {
    let header = "channel e1, e2  public a, b  private k  knows {e2}k";
    let system = |last: &str| {
        let thread = |c: &str| format!("{c}(x). case x of {{y}}k in [y is {c}] {c}<{last}>");
        format!("{} | {}", thread("e1"), thread("e2"))
    };
    let systems = Systems::of(header, &system("a"), &system("b"));
    let (answer, stats) = systems.compare(&pairs::explored());
    assert_eq!((answer, stats.way), (Some(false), Way::Cones));
    assert_eq!(systems.compare(&pairs::default()).0, Some(false));
}

#[test]
fn a_thread_may_have_several_channels() {
    decided("e1(x). e2<a> | e3<b>", "e1(x). e2<b> | e3<b>", false);
    decided("e1(x). e2<a>", "e2(x). e1<a>", false);
    let wmf = |m: &str| {
        format!(
            "new ka. new kb. ( (new k. e1<{{k}}ka>. e2<{{{m}}}k>) \
             | (e3({{x}}ka). e4<{{x}}kb>) | (e5({{x}}kb). e6({{y}}x)) )"
        )
    };
    let randomised = |m: &str| wmf(m).replace(&format!("{{{m}}}k"), &format!("{{{m}, ka}}k"));
    decided(&randomised("m1"), &randomised("m2"), true);
}

#[test]
fn order_matters_where_it_does() {
    // What is learned afterwards can't be sent before.
    decided(
        "new n. e1(x). e1<n>. [x is n] e1<a>",
        "new n. e1(x). e1<n>. [x is n] e1<b>",
        true,
    );
    decided(
        "new n. ( e1(x). e1<n>. e1(y). [y is n] e1<a> )",
        "new n. ( e1(x). e1<n>. e1(y). [y is n] e1<b> )",
        false,
    );
    // Two threads that would each have to wait for the other.
    decided(
        "new n. new m. ( e1(x). [x is m] e1<n> | e2(y). [y is n] e2<m>. e2<a> )",
        "new n. new m. ( e1(x). [x is m] e1<n> | e2(y). [y is n] e2<m>. e2<b> )",
        true,
    );
}

#[test]
fn the_number_of_sessions_does_not_matter() {
    let session = |c: &str, d: &str, m: &str| {
        format!(
            "( new n. new r. {c}<{{n, A}}K(B)+>. {c}({{=n, x, =B, _}}K(A)-). {c}<{{x, r}}K(B)+> ) \
             | ( {d}({{y, =A}}K(B)-). new r. {d}<{{y, {m}, B, r}}K(A)+>. {d}({{={m}, _}}K(B)-) )"
        )
    };
    let nodes = |count: usize| {
        let channels = [("e1", "e2"), ("e3", "e4"), ("e5", "e6")];
        let all = |m: &str| {
            let parts = channels.iter().take(count);
            let parts: Vec<String> = parts.map(|(c, d)| session(c, d, m)).collect();
            format!("( {} )", parts.join(" | "))
        };
        let (answer, stats) =
            Systems::of(PROTOCOL, &all("m1"), &all("m2")).compare(&pairs::explored());
        assert_eq!(answer, Some(true));
        assert_eq!(stats.way, Way::Cones);
        stats.nodes
    };
    assert_eq!(nodes(2), nodes(3));
}

#[test]
fn a_part_may_be_taken_by_another_thread() {
    // Role by role these differ, as systems they do not.
    let systems = Systems::of(PROTOCOL, "( c<a>. c<a> | c<a> )", "( c<a> | c<a> | c<a> )");
    let (answer, stats) = systems.compare(&pairs::explored());
    assert_eq!(answer, Some(true));
    assert!(!stats.by_role);
    // A thread that talks to itself in the private semantics can't in the classical one.
    let systems = Systems::of(
        PROTOCOL,
        "new k. ( c<{a}k> | c(x). case x of {y}k in d<a> )",
        "new k. c<{a}k>. c(x). case x of {y}k in d<a>",
    );
    let (expected, _) = systems.compare(&pairs::default());
    assert_eq!(systems.compare(&pairs::explored()).0, expected);
}

/// Asserts the verdict with everything on.
fn answered(p: &str, q: &str, expected: bool) {
    for (p, q) in [(p, q), (q, p)] {
        let systems = Systems::of(PROTOCOL, p, q);
        assert_eq!(
            systems.compare(&pairs::default()).0,
            Some(expected),
            "{p}\n{q}"
        );
        assert_eq!(
            systems.compare(&pairs::explored()).0,
            Some(expected),
            "{p}\n{q}"
        );
    }
}

#[test]
fn branches_of_threads_that_come_with_a_choice_are_not_forgotten() {
    // The right side's test needs e2's message; with a particular request the left side's e2 answers otherwise.
    answered(
        "new n1. new n2. ( e2(d). ( [d is a] e2<n1> else e2<n2> ) | e1(c). [c is n2] 0 else e1<a> )",
        "new w. ( e2(d). e2<w> | e1(c). [c is w] 0 else e1<a> )",
        false,
    );
    answered(
        "new n1. new n2. ( e2(d). ( [d is a] e2<n1> else e2<n2> ) | e1(c). [c is n2] e1<b> else e1<b>. e1<a> )",
        "new w. ( e2(d). e2<w> | e1(c). [c is w] e1<b> else e1<b>. e1<a> )",
        false,
    );
    answered(
        "new n1. new n2. new k. ( e2(d). ( [d is a] e2<n1> else e2<n2> ) | e1(c). [c is n2] e1<k> else e1<a> )",
        "new w. new k. ( e2(d). e2<w> | e1(c). [c is w] e1<k> else e1<a> )",
        false,
    );
}

#[test]
fn what_takes_too_long_is_left_to_the_exploration() {
    let oracle = |i: usize, m: &str| {
        format!("e{i}(x). case x of {{y}}k in e{i}<{{y, {m}}}k> else e{i}<{{x}}k>")
    };
    let all = |m: &str| {
        let names = ["m1", "m2", "A", "B", "C"];
        let rest = (2..=6).map(|i| oracle(i, names[i - 2]));
        let parts: Vec<String> = std::iter::once(oracle(1, m)).chain(rest).collect();
        format!("new k. ( {} )", parts.join(" | "))
    };
    answered(&all("a"), &all("b"), false);
    // Twelve tests that double a message.
    let mut doubling = "e1(x0). ".to_owned();
    for i in 0..12 {
        write!(doubling, "let x{} = (x{i}, x{i}) in ", i + 1).expect("a string takes all");
    }
    let systems = Systems::of(
        PROTOCOL,
        &format!("{doubling} e1<x12>"),
        &format!("{doubling} e1<x11>"),
    );
    let answers = [pairs::default(), pairs::explored()].map(|o| systems.compare(&o).0);
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn checks_of_every_kind_are_grown() {
    // The random processes above are about tests; a generator without them would prove little.
    let mut seen = [false; 4];
    for seed in seeds(60) {
        let (p, _) = near_miss(seed + 83_000, Style::default());
        let mut work = vec![&p];
        while let Some(p) = work.pop() {
            match p {
                P::Test(check, p, q) => {
                    let at = match check {
                        Check::Match(..) => 0,
                        Check::Split(..) => 1,
                        Check::Decrypt(..) => 2,
                        Check::DecryptPrivate(..) | Check::Verify(..) => 3,
                        Check::Destruct(..) => panic!("nothing is declared"),
                    };
                    seen[at] = true;
                    work.push(p);
                    work.extend(q.as_deref());
                }
                P::Par(parts) => work.extend(parts),
                P::New(_, p)
                | P::Out(_, _, p)
                | P::In(_, _, p)
                | P::Event(_, _, p)
                | P::Phase(_, p) => work.push(p),
                P::Integer(_, p, _, q) => work.extend([&**p, &**q]),
                P::Nil => {}
            }
        }
    }
    assert_eq!(seen, [true; 4]);
}
