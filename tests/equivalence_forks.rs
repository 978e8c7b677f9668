//! Systems with prefixes and late forks: cones and role by role say what the joint exploration says, and what brute force sees.

use crate::pairs;
use crate::reference;
use pairs::Systems;
use reference::places::{copied, late_forks, placed};
use reference::random::seeds;
use reference::trace;
use spi::analysis::{ComparisonVerdict, Settings, compare_claim};
use spi::base::limits::Silent;
use spi::base::source::SourceFile;
use spi::engine::equiv::{Options, Way};
use spi::lang::sema::check_text;
use spi::process::TupleMode;
use spi::term::TermStore;

/// The joint exploration, as far as it is affordable.
fn joint() -> Options {
    let mut options = pairs::default();
    options.limits.states = Some(3_000);
    options
}

/// The cones in all ways.
fn by_cones() -> Vec<Options> {
    let mut all = Vec::new();
    for symmetry in [true, false] {
        for contained in [true, false] {
            let mut options = pairs::default();
            options.reductions.cones = true;
            options.reductions.symmetry = symmetry;
            options.reductions.contained = contained;
            options.limits.states = Some(3_000);
            all.push(options);
        }
    }
    all
}

#[test]
fn cones_follow_forks_as_the_joint_exploration_does() {
    let (mut same, mut different, mut cones) = (0, 0, 0);
    for seed in seeds(200) {
        let (header, p, q) = placed(seed + 10_000_000);
        let (p, q) = (p.to_string(), q.to_string());
        let systems = Systems::of(&header, &p, &q);
        let (expected, _) = systems.compare(&joint());
        for options in by_cones() {
            let (answer, stats) = systems.compare(&options);
            let Some(answer) = answer else {
                continue;
            };
            cones += u32::from(stats.way == Way::Cones);
            if let Some(expected) = expected {
                assert_eq!(answer, expected, "seed {seed}\n{header}\n{p}\n{q}");
            }
        }
        match expected {
            Some(true) => same += 1,
            Some(false) => different += 1,
            None => {}
        }
    }
    eprintln!("{same} {different} {cones}");
    assert!(same > 30 && different > 30, "{same} {different}");
    assert!(cones > 500, "{cones}");
}

#[test]
fn copies_are_exchanged_with_all_that_is_theirs() {
    let (mut same, mut different, mut fewer) = (0, 0, 0);
    for seed in seeds(200) {
        let (header, p, q) = copied(seed + 50_000_000);
        let (p, q) = (p.to_string(), q.to_string());
        let systems = Systems::of(&header, &p, &q);
        let mut options = joint();
        options.limits.states = Some(300);
        let (mut expected, _) = systems.compare(&options);
        let mut sizes = Vec::new();
        for options in by_cones() {
            let (answer, stats) = systems.compare(&options);
            if let (Some(answer), Some(expected)) = (answer, expected) {
                assert_eq!(answer, expected, "seed {seed}\n{header}\n{p}\n{q}");
            }
            expected = expected.or(answer);
            sizes.push(stats.nodes);
        }
        // Those without symmetry come last.
        fewer += u32::from(sizes[0] < sizes[2]);
        match expected {
            Some(true) => same += 1,
            Some(false) => different += 1,
            None => {}
        }
    }
    eprintln!("{same} {different} {fewer}");
    assert!(same > 30 && different > 30, "{same} {different}");
    assert!(fewer > 50, "{fewer}");
}

#[test]
fn cones_of_forks_agree_with_brute_force() {
    let mut equivalent = 0;
    for seed in seeds(60) {
        let (header, p, q) = placed(seed + 20_000_000);
        let (p, q) = (p.to_string(), q.to_string());
        let systems = Systems::of(&header, &p, &q);
        let (answer, stats) = systems.compare(&by_cones()[0]);
        if answer != Some(true) || stats.way != Way::Cones {
            // A difference is replayed by `compare`.
            continue;
        }
        let limits = trace::Limits {
            nodes: 400,
            configs: 60,
            ..trace::Limits::default()
        };
        let (left, right) = (&systems.left, &systems.right);
        let reference = trace::compare(&systems.store, left, right, &systems.knows, limits);
        if let trace::Answer::Different(e) = reference {
            let test = e.test_process(&systems.store, &[]);
            panic!("seed {seed}\n{header}\n{p}\n{q}\n{test}");
        }
        equivalent += 1;
    }
    assert!(equivalent > 10, "{equivalent}");
}

#[test]
fn role_by_role_with_forks_never_confirms_too_much() {
    let (mut same, mut different, mut by_role) = (0, 0, 0);
    for seed in seeds(100) {
        let (p, q) = late_forks(seed + 30_000_000);
        let (p, q) = (p.to_string(), q.to_string());
        let systems = Systems::of("channel c, d\npublic a, b, ok\n", &p, &q);
        let (expected, _) = systems.compare(&joint());
        let mut options = pairs::explored();
        options.limits.states = Some(3_000);
        let (answer, stats) = systems.compare(&options);
        if let (Some(answer), Some(expected)) = (answer, expected) {
            assert_eq!(answer, expected, "seed {seed}\n{p}\n{q}");
        }
        by_role += u32::from(stats.by_role);
        match expected {
            Some(true) => same += 1,
            Some(false) => different += 1,
            None => {}
        }
    }
    eprintln!("{same} {different} {by_role}");
    assert!(same > 15 && different > 15, "{same} {different}");
    assert!(by_role > 5, "{by_role}");
}

/// Compares with the joint exploration, and with the cones alone if they are to decide.
fn decided(channels: &str, p: &str, q: &str, expected: bool, by_cones: bool) {
    let systems = Systems::of(&format!("channel {channels}\npublic a, b, ok\n"), p, q);
    let (answer, _) = systems.compare(&pairs::default());
    assert_eq!(answer, Some(expected), "{p}\n{q}");
    let mut options = pairs::default();
    options.reductions.cones = true;
    let (answer, stats) = systems.compare(&options);
    assert_eq!(answer, Some(expected), "{p}\n{q}");
    assert_eq!(stats.way == Way::Cones, by_cones, "{p}\n{q}");
}

#[test]
fn what_comes_before_a_composition_is_no_obstacle() {
    // A fresh message hides whose key it is; its owner's answer does not.
    let system = |k: &str, l: &str| {
        format!(
            "new k. new l. new m. e<k+>. e<l+>. \
             ( e1<{{[m]}}{k}+> | e2(x). case x of {{[y]}}{l}- in e2<ok> else e2<b> )"
        )
    };
    let channels = "e, e1, e2";
    decided(channels, &system("k", "l"), &system("k", "k"), false, true);
    let asked = |k: &str| system(k, "k").replace("[y]", "[(y, =a)]");
    decided(channels, &asked("k"), &asked("l"), true, true);
    // A test and its branches.
    decided(
        "e, e1, e2",
        "new k. e(x). [x is a] ( e1<k> | e2<H(k)> ) else ( e1<k> | e2<k> )",
        "new k. e(x). [x is a] ( e1<k> | e2<H(k)> ) else ( e1<k> | e2<H(k)> )",
        false,
        true,
    );
    decided(
        "e, e1, e2",
        "new k. new l. e(x). [x is a] ( e1<k> | e2<l> ) else ( e1<H(k)> | e2<l> )",
        "new k. new l. e(x). [x is b] ( e1<l> | e2<k> ) else ( e1<H(l)> | e2<k> )",
        true,
        true,
    );
    // The answer comes before what the question started.
    decided(
        "e, e1, e2",
        "e(x). ( e1<a> | e2<a> )",
        "( e(x). e1<a> | e2<a> )",
        false,
        true,
    );
}

#[test]
fn processes_that_are_active_together_have_different_channels() {
    decided(
        "e, e1",
        "e<a>. ( e1<a>. e1<b> | e1<b> )",
        "e<a>. ( e1<b>. e1<a> | e1<b> )",
        false,
        false,
    );
    decided(
        "e, e1",
        "e<a>. ( e1<a> | e1<b> )",
        "e<a>. ( e1<b> | e1<a> )",
        true,
        false,
    );
    // One part may go on with the channel, and branches may have the same.
    decided(
        "e, e1",
        "new k. e<a>. ( e<k> | e1(x). [x is a] e1<b> else e1<ok> )",
        "new k. e<a>. ( e<H(k)> | e1(x). [x is a] e1<b> else e1<ok> )",
        true,
        true,
    );
}

#[test]
fn a_name_of_two_parts_is_nobodys_own() {
    for prefix in ["", "e<a>. "] {
        decided(
            "e, e1, e2",
            &format!("new k. new l. {prefix}( e1<k>. e1<l> | e2<l>. e2<k> )"),
            &format!("new k. new l. {prefix}( e1<k>. e1<l> | e2<k>. e2<l> )"),
            false,
            true,
        );
    }
}

#[test]
fn parts_go_where_the_whole_goes() {
    let copy = |i: usize, k: &str| {
        format!("e{i}<a>. ( d{i}<{{a}}{k}> | f{i}(x). case x of {{y}}{k} in f{i}<ok> )")
    };
    let (channels, one) = ("e1, e2, d1, d2, f1, f2", [copy(1, "k"), copy(2, "k")]);
    let own = [1, 2].map(|i| format!("new k{i}. {}", copy(i, &format!("k{i}"))));
    let (one, own) = (format!("new k. ( {} )", one.join(" | ")), own.join(" | "));
    decided(channels, &one, &format!("( {own} )"), false, true);
    let other = own.replace("{a}", "{(a, a)}");
    decided(
        channels,
        &format!("( {own} )"),
        &format!("( {other} )"),
        true,
        true,
    );
}

#[test]
fn names_go_where_the_thread_goes_on() {
    // The last action of a copy is in a part of it, on the channel that it began with.
    let copy = |i: usize, message: &str| format!("e{i}<a>. ( e{i}<{message}> | d{i}<a> )");
    let own = |message: &str| {
        let copies = [1, 2].map(|i| {
            let message = message.replace('k', &format!("k{i}"));
            format!("new k{i}. {}", copy(i, &message))
        });
        format!("( {} )", copies.join(" | "))
    };
    let channels = "e1, e2, d1, d2";
    decided(channels, &own("k"), &own("H(k)"), true, true);
    let one = format!("new k. ( {} | {} )", copy(1, "k"), copy(2, "k"));
    decided(channels, &own("k"), &one, false, true);
    // The same with a test in the part that a message of the other copy passes.
    let session = |content: &str| {
        let copies = [1, 2].map(|i| {
            let content = content.replace('n', &format!("n{i}"));
            format!(
                "new n{i}. e{i}<{{{content}}}k>. \
                 ( e{i}(x). case x of {{y}}k in e{i}<n{i}> | d{i}<a> )"
            )
        });
        format!("new k. ( {} )", copies.join(" | "))
    };
    decided(channels, &session("n"), &session("H(n)"), true, true);
    decided(channels, &session("n"), &session("a"), false, true);
}

#[test]
fn the_number_of_copies_does_not_matter() {
    let sessions = |n: usize, secret: &str| {
        let copies: Vec<String> = (1..=n)
            .map(|i| {
                format!(
                    "new k{i}. new s{i}. e{i}<{{{secret}{i}}}k{i}>. ( d{i}<H(s{i})> | f{i}(x). \
                     case x of {{=s{i}}}k{i} in f{i}<a> else f{i}<b> )"
                )
            })
            .collect();
        format!("new k. e<k+>. ( {} )", copies.join(" | "))
    };
    let mut found = Vec::new();
    for n in [3, 6, 12] {
        let names: Vec<String> = (1..=n).map(|i| format!("e{i}, d{i}, f{i}")).collect();
        let header = format!("channel e, {}\npublic a, b", names.join(", "));
        let systems = Systems::of(&header, &sessions(n, "s"), &sessions(n, "k"));
        let (answer, stats) = systems.compare(&pairs::everything());
        assert_eq!(stats.way, Way::Cones);
        found.push((answer, stats.nodes, stats.configurations));
    }
    assert_eq!(found[0].0, Some(false));
    assert!(found.windows(2).all(|w| w[0] == w[1]), "{found:?}");
}

#[test]
fn whoever_decides_the_verdict_is_the_same() {
    let (mut by_cones, mut explored) = (0, 0);
    for seed in seeds(60) {
        let (header, p, q) = placed(seed + 40_000_000);
        let (p, q) = (p.to_string(), q.to_string());
        let systems = Systems::of(&header, &p, &q);
        let (expected, _) = systems.compare(&joint());
        for steps in [0, 10, 1_000] {
            let mut options = joint();
            options.reductions.cones = true;
            options.steps = Some(steps);
            let (answer, stats) = systems.compare(&options);
            if let (Some(answer), Some(expected)) = (answer, expected) {
                assert_eq!(answer, expected, "seed {seed}\n{header}\n{p}\n{q}");
            }
            // What did not decide is told.
            match stats.gave_up {
                None => by_cones += u32::from(stats.way == Way::Cones),
                Some(n) => {
                    assert_eq!((n, stats.way), (steps, Way::Joint));
                    explored += 1;
                }
            }
        }
    }
    assert!(by_cones > 40 && explored > 40, "{by_cones} {explored}");
}

#[test]
fn systems_as_people_write_them_are_decided_for_any_number_of_copies() {
    let store = TermStore::new();
    let text = include_str!("../benches/models/published.spi");
    let file = SourceFile::anonymous("published.spi", text);
    let program = check_text(&file, &store, TupleMode::Nested).program;
    for claim in &program.claims {
        let found = compare_claim(&store, &program, &claim.kind, &Settings::default(), &Silent)
            .expect("the claim compares")
            .expect("the systems unfold");
        let text = &claim.text;
        let equivalent = matches!(found.verdict, ComparisonVerdict::Equivalent);
        assert!(equivalent && found.stats.by_role, "{text}");
        let cones = match &text[..3] {
            "Low" => 40,
            "Pri" => 32,
            _ => 22,
        };
        assert_eq!(
            (found.stats.way, found.stats.nodes),
            (Way::Cones, cones),
            "{text}"
        );
    }
}
