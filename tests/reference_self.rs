//! The reference procedures against pairs with known verdicts, and against the replayer.

use crate::reference;
use reference::random::seeds;
use reference::{attack, load, process, protocol, trace};
use spi::certify::{Effort, Semantics, Subject, Violation, replay, replay_experiment};
use spi::term::TermStore;

/// The bounded procedure finds a difference that the replayer confirms (`true`), or none.
fn differs(store: &TermStore, p: &spi::process::System, q: &spi::process::System) -> Option<bool> {
    match trace::compare(store, p, q, &[], trace::Limits::default()) {
        trace::Answer::Different(experiment) => {
            let subject = |system| Subject {
                system,
                initial: &[],
            };
            let told = replay_experiment(
                store,
                subject(p),
                subject(q),
                &experiment,
                Semantics::Classic,
                Effort::of(100_000),
            );
            assert!(
                told.is_ok(),
                "{told:?}\n{}",
                experiment.test_process(store, &[])
            );
            Some(true)
        }
        trace::Answer::Same => Some(false),
        trace::Answer::Unknown => None,
    }
}

#[test]
fn named_pairs_have_their_verdicts() {
    let mut missed = Vec::new();
    for row in load::rows("equivalences.tsv") {
        let store = TermStore::new();
        let (p, q) = load::pair(
            &store,
            "channel a, b, c, d, e, f  public m1, m2, ok, ko",
            &row[2],
            &row[3],
        );
        let found = differs(&store, &p, &q);
        if row[1] == "=" {
            assert_ne!(found, Some(true), "{}", row[0]);
        } else if found != Some(true) {
            missed.push(row[0].clone());
        }
    }
    eprintln!("missed {missed:?}");
    assert!(missed.is_empty(), "differences missed: {missed:?}");
}

#[test]
fn labelled_random_pairs_have_their_verdicts() {
    let (mut found, mut missed, mut unknown) = (0, 0, 0);
    for (i, row) in load::rows("random-pairs.tsv").into_iter().enumerate() {
        let store = TermStore::new();
        let (p, q) = load::pair(&store, "channel c, d  public a, b, ok", &row[1], &row[2]);
        match (differs(&store, &p, &q), &row[0][..]) {
            (Some(true), verdict) => {
                assert_eq!(verdict, "/", "row {i}: {row:?}");
                found += 1;
            }
            (Some(false), "/") => {
                eprintln!("row {i} missed: {row:?}");
                missed += 1;
            }
            (None, _) => unknown += 1,
            _ => {}
        }
    }
    eprintln!("{found} found, {missed} missed, {unknown} unknown");
    assert_eq!(missed, 0);
}

#[test]
fn near_misses_are_told_apart_in_ways_that_the_replayer_confirms() {
    let (mut different, mut same, mut unknown) = (0, 0, 0);
    for seed in seeds(300) {
        let style = process::Style {
            mobile: seed % 3 == 0,
            ..process::Style::default()
        };
        let (p, q) = process::near_miss(seed, style);
        let store = TermStore::new();
        let (p, q) = load::pair(&store, process::HEADER, &p.to_string(), &q.to_string());
        match differs(&store, &p, &q) {
            Some(true) => different += 1,
            Some(false) => same += 1,
            None => unknown += 1,
        }
    }
    eprintln!("{different} different, {same} same, {unknown} unknown");
    assert!(
        different > 50 && same > 50,
        "the generator gives both kinds"
    );
}

#[test]
fn a_process_is_like_itself() {
    for seed in seeds(100) {
        let (p, _) = process::near_miss(seed, process::Style::default());
        let store = TermStore::new();
        let (p, q) = load::pair(&store, process::HEADER, &p.to_string(), &p.to_string());
        assert_ne!(differs(&store, &p, &q), Some(true), "seed {seed}");
    }
}

#[test]
fn attacks_found_by_brute_force_are_confirmed_and_spoilt_ones_are_not() {
    let (mut attacks, mut none, mut unknown) = (0, 0, 0);
    for seed in seeds(80) {
        let text = if seed % 2 == 0 {
            protocol::file(seed)
        } else {
            process::claims_file(seed, process::Style::default())
        };
        let store = TermStore::new();
        let program = load::program(&store, &text);
        let system = load::system(&store, &program, "S");
        let knows = &program.signature.knows;
        for claim in &program.claims {
            let limits = attack::Limits {
                states: 500,
                ..attack::Limits::default()
            };
            let witness = match attack::find(&store, &system, knows, &claim.kind, limits) {
                attack::Answer::Found(witness) => witness,
                attack::Answer::NotFound => {
                    none += 1;
                    continue;
                }
                attack::Answer::Unknown => {
                    unknown += 1;
                    continue;
                }
            };
            attacks += 1;
            if let Err(error) = replay(&store, &system, knows, &claim.kind, &witness) {
                panic!("{error}\n{witness:?}\n{text}");
            }
            // The search is breadth first: without its last move the run shows nothing.
            let mut short = witness.clone();
            if short.moves.pop().is_some() {
                assert!(replay(&store, &system, knows, &claim.kind, &short).is_err());
            }
            let mut other = witness.clone();
            other.violation = Violation::Leak {
                target: 99,
                names: vec![],
            };
            assert!(replay(&store, &system, knows, &claim.kind, &other).is_err());
        }
    }
    eprintln!("{attacks} attacks, {none} none, {unknown} unknown");
    assert!(attacks > 100);
}
