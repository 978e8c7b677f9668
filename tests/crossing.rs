//! Comparisons and state spaces of systems with joint keys, whose exponents may meet in two ways.
//!
//! `SPI_SEEDS` asks for more pairs.

use crate::pairs;
use crate::reference;
use crate::support::space;
use pairs::{Systems, all_ways};
use reference::crossing::{HEADER, pair, style};
use reference::load;
use reference::random::seeds;
use reference::trace;
use spi::certify::Semantics;
use spi::engine::equiv::Way;
use spi::term::TermStore;

/// All ways to compare give one answer in either semantics, and brute force none that contradicts it.
#[test]
fn random_pairs_with_joint_keys_agree_with_brute_force() {
    let limits = trace::Limits {
        nodes: 150,
        ..trace::Limits::default()
    };
    let (mut tally, mut found, mut cones, mut given_up) = ([0; 2], 0, [0; 2], 0);
    for seed in seeds(30) {
        let style = style(seed);
        let (p, q) = pair(seed, style);
        if !load::is_sound(&format!(
            "{HEADER}partial system P = {p}\npartial system Q = {q}\nP ~ Q\n"
        )) {
            continue;
        }
        let systems = Systems::of(HEADER, &p, &q);
        let brute = trace::compare(&systems.store, &systems.left, &systems.right, &[], limits);
        let differs = matches!(brute, trace::Answer::Different(_));
        found += u32::from(differs);
        for semantics in [Semantics::Classic, Semantics::Private] {
            let mut first = None;
            for mut options in all_ways() {
                options.semantics = semantics;
                options.limits.states = Some(300);
                let (answer, stats) = systems.compare(&options);
                if stats.way == Way::Cones {
                    cones[usize::from(answer == Some(true))] += 1;
                }
                if answer.is_none() {
                    // Without reductions, mostly.
                    given_up += 1;
                    continue;
                }
                let told = || format!("seed {seed}: {answer:?} {options:?}\n  {p}\n  {q}");
                assert_eq!(*first.get_or_insert(answer), answer, "{}", told());
                let classic = semantics == Semantics::Classic || style.apart;
                assert!(
                    !classic || !differs || answer == Some(false),
                    "{}\n{brute:#?}",
                    told()
                );
            }
            if let Some(Some(answer)) = first {
                tally[usize::from(answer)] += 1;
            }
        }
    }
    eprintln!(
        "{tally:?}, {found} differences found by brute force, {cones:?} by cones, {given_up} given up"
    );
    assert!(tally.iter().chain(&cones).all(|n| *n > 0) && found > 0);
}

fn equivalent(p: &str, q: &str) -> bool {
    equivalent_with(HEADER, p, q)
}

fn equivalent_with(header: &str, p: &str, q: &str) -> bool {
    let systems = Systems::of(header, p, q);
    let mut answers: Vec<Option<bool>> = all_ways().iter().map(|o| systems.compare(o).0).collect();
    answers.dedup();
    assert_eq!(answers.len(), 1, "{p}\n{q}");
    answers[0].expect("small systems are decided")
}

/// What is a share on one side is the base on the other: a tester raises both.
#[test]
fn a_power_may_be_computed_by_another_rule() {
    let differ = [
        (
            "new x. new k. c(v). c<v>",
            "new x. new k. c(v). [v^x is v^x] c<g^k> else c<v>",
        ),
        ("new k. c<g^k>. d<g^k^a>", "new k. c<g>. d<g^a>"),
        ("new k. c<g^k>. d<g^k^a>", "new k. c<one>. d<one>"),
        ("new k. c<g^k>", "new k. c<h^k^a>"),
        // What is made by a power on one side, and is none on the other.
        ("new k. c<g^k^a, g^k>", "new k. c<g^k, g^k^a>"),
        ("new k. c<g^k>. c<g^k^a>", "new k. c<g^k^a>. c<g^k>"),
        ("new k. c<H(g^k^a), g^k>", "new k. c<g^k, H(g^k^a)>"),
    ];
    for (p, q) in differ {
        assert!(!equivalent(p, q), "{p}\n{q}");
    }
    assert!(equivalent(
        "new k. c<g^k>. d<g^k^a>",
        "new k. c<h^k>. d<h^a^k>"
    ));
}

/// Two keys in the places of one variable of a rule are equal in two ways.
#[test]
fn a_rule_fits_keys_that_meet_crosswise() {
    let say = "c<seal(g^p^q, g^r^s)>";
    let p = format!("c(p). c(q). c(r). c(s). {say}");
    let besides = |test: &str, other: &str| {
        format!(
            "new m. new n. c(p). c(q). c(r). c(s). [p is q] {say} else [(p, q) is {test}] c<{other}> else {say}"
        )
    };
    for test in ["(r, s)", "(s, r)"] {
        assert!(!equivalent(&p, &besides(test, "seal(a, b)")));
        // Only that both parts are the same is ever seen.
        let header = "channel c\npublic ok\ngroup g\nprivate function seal(Msg, Msg): Data\ndestructor same(seal(x, x)) = ok\n";
        assert!(!equivalent_with(header, &p, &besides(test, "seal(m, n)")));
    }
}

/// A renaming may put the exponents of a key into the other order: what it turns into each other is one state all the same.
#[test]
fn states_that_differ_by_the_order_of_exponents_are_one() {
    let states = |names: [&str; 3], key: &str| {
        let [x, y, z] = names;
        let text = format!(
            "channel c, d\ngroup g\ndef Role(x, y) = c(v). d<{key}>. c<x>\n\
             system S = new {x}. new {y}. new {z}. (Role(x, y) | Role(y, z) | Role(z, x))\n"
        );
        let options = spi::engine::lts::Options::default();
        let stats = space::explore(&TermStore::new(), &text, "S", options)
            .space
            .stats;
        stats.states
    };
    for key in ["g^x^y", "g^y^x"] {
        for names in [["x", "y", "z"], ["z", "y", "x"], ["y", "z", "x"]] {
            assert_eq!(states(names, key), 155, "{names:?} {key}");
        }
    }
}
