//! Equivalence against brute force on random pairs, and every reduction against none.
//!
//! A difference that the engine finds is replayed by the certifier; an equivalence that it claims must not be refuted
//! by the bounded reference procedure. `SPI_SEEDS` asks for more pairs.

use crate::history;
use crate::pairs;
use crate::reference;
use pairs::{Pair, Systems, all_ways};
use reference::process::{HEADER, Style, near_miss};
use reference::random::seeds;
use reference::trace;
use std::fmt::Display;

/// Compares a pair in all ways and with the reference; counts equivalences and differences.
fn check(
    seed: u64,
    declarations: &str,
    left: &impl Display,
    right: &impl Display,
    tally: &mut [u32; 3],
) {
    let (left, right) = (left.to_string(), right.to_string());
    let systems = Systems::of(declarations, &left, &right);
    let mut answers = Vec::new();
    for options in all_ways() {
        answers.push(systems.compare(&options).0);
    }
    let told = format!("seed {seed}\n  {left}\n  {right}\n{answers:?}");
    assert!(
        answers.iter().all(|a| a.is_some() && *a == answers[0]),
        "{told}"
    );
    let limits = trace::Limits {
        nodes: 400,
        configs: 60,
        ..trace::Limits::default()
    };
    let reference = trace::compare(
        &systems.store,
        &systems.left,
        &systems.right,
        &systems.knows,
        limits,
    );
    match (answers[0], &reference) {
        (Some(true), trace::Answer::Different(e)) => {
            panic!("{told}\n{}", e.test_process(&systems.store, &[]));
        }
        (Some(true), _) => tally[0] += 1,
        (_, trace::Answer::Different(_)) => tally[1] += 1,
        _ => tally[2] += 1,
    }
}

fn report(what: &str, [equal, different, missed]: [u32; 3]) {
    eprintln!(
        "{what}: {equal} equivalent, {different} different, {missed} more that brute force missed"
    );
    assert!(equal > 0 && different > 0, "the pairs are all alike");
}

#[test]
fn near_misses_agree_with_brute_force() {
    let mut tally = [0; 3];
    for seed in seeds(150) {
        let (p, q) = near_miss(seed, Style::default());
        check(seed, HEADER, &p, &q, &mut tally);
    }
    report("near misses", tally);
}

#[test]
fn near_misses_with_mobile_channels_agree_with_brute_force() {
    let mut tally = [0; 3];
    let style = Style {
        length: 3,
        threads: 3,
        mobile: true,
        ..Style::default()
    };
    for seed in seeds(100) {
        let (p, q) = near_miss(seed + 1_000_000, style);
        check(seed, HEADER, &p, &q, &mut tally);
    }
    report("mobile near misses", tally);
}

#[test]
fn histories_agree_with_brute_force() {
    let mut tally = [0; 3];
    for seed in seeds(300) {
        let (p, q) = history::pair(seed);
        check(seed, history::HEADER, &p, &q, &mut tally);
    }
    report("histories", tally);
}

#[test]
fn a_pair_is_what_it_is_from_both_sides_and_in_the_preorder() {
    for seed in seeds(60) {
        let (p, q) = near_miss(seed + 2_000_000, Style::default());
        let (p, q) = (p.to_string(), q.to_string());
        let there = Systems::of(HEADER, &p, &q);
        let back = Systems::of(HEADER, &q, &p);
        let options = pairs::default();
        let preorder = spi::engine::equiv::Options {
            preorder: true,
            ..options.clone()
        };
        let both = there.compare(&options).0;
        assert_eq!(both, back.compare(&options).0, "{p}\n{q}");
        let (below, above) = (there.compare(&preorder).0, back.compare(&preorder).0);
        assert_eq!(
            both,
            Some(below == Some(true) && above == Some(true)),
            "{p}\n{q}"
        );
    }
}

#[test]
fn the_table_of_pairs_can_be_read() {
    let all = pairs::rows("equivalences.tsv");
    let first = Pair::new("", &all[0][0], &all[0][1], &all[0][2], &all[0][3]);
    assert!(first.equivalent);
}
