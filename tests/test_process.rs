//! Experiments printed as test processes mean what they say: put beside the systems, they show their barb with one
//! and never with the other.

use crate::reference;
use reference::concrete::{Config, Offer};
use reference::random::seeds;
use reference::{load, process, theories, trace};
use spi::certify::{Condition, Experiment, Recipe, Side};
use spi::process::System;
use spi::term::TermStore;

/// Whether the system, left alone, can come to offer an output on `success`.
fn shows_barb(store: &TermStore, system: &System) -> Option<bool> {
    let success = store.public("success");
    let mut configs = vec![Config::start(store, system)];
    let mut i = 0;
    while i < configs.len() {
        let config = configs[i].clone();
        i += 1;
        let offers: Vec<_> = config
            .ready
            .iter()
            .map(|s| (*s, config.offer(store, system, *s)))
            .collect();
        for (sender, offer) in &offers {
            let Offer::Output { channel, message } = offer else {
                continue;
            };
            if *channel == success {
                return Some(true);
            }
            for (receiver, other) in &offers {
                if *other != (Offer::Input { channel: *channel }) {
                    continue;
                }
                let next = config.after(store, system, *sender, None).after(
                    store,
                    system,
                    *receiver,
                    Some(*message),
                );
                if !configs.contains(&next) {
                    configs.push(next);
                }
            }
        }
        if configs.len() > 5_000 {
            return None;
        }
    }
    Some(false)
}

/// The language has no `else` for the integer case: a failing predecessor can't be told exactly.
fn is_writable(experiment: &Experiment) -> bool {
    fn has_predecessor(r: &Recipe) -> bool {
        match r {
            Recipe::Predecessor(_) => true,
            Recipe::Initial(_) | Recipe::Heard(_) | Recipe::Constant(_) => false,
            Recipe::Build(_, args)
            | Recipe::Member(_, args)
            | Recipe::PublicPart(_, args)
            | Recipe::Destruct(_, args) => args.iter().any(|a| has_predecessor(a)),
            Recipe::Part { of, .. } => has_predecessor(of),
            Recipe::Open(_, m, k) => has_predecessor(m) || has_predecessor(k),
        }
    }
    let inexact = |c: &Condition| matches!(c, Condition::Fails(r) if has_predecessor(r));
    !experiment.conditions.iter().any(inexact)
}

/// Compares the pair; if it differs, checks the printed test on both sides.
fn check(declarations: &str, p: &str, q: &str) -> bool {
    let store = TermStore::new();
    let (left, right) = load::pair(&store, declarations, p, q);
    let answer = trace::compare(&store, &left, &right, &[], trace::Limits::default());
    let trace::Answer::Different(experiment) = answer else {
        return false;
    };
    if !is_writable(&experiment) {
        return false;
    }
    let test = experiment.test_process(&store, &[]);
    let declarations = format!("{declarations}\nchannel success");
    let beside = |process: &str| format!("( {process} | {test} )");
    let (left, right) = load::pair(&store, &declarations, &beside(p), &beside(q));
    let (passes, other) = match experiment.passes {
        Side::Left => (&left, &right),
        Side::Right => (&right, &left),
    };
    let shown = (shows_barb(&store, passes), shows_barb(&store, other));
    if shown.0.is_none() || shown.1.is_none() {
        return false;
    }
    assert_eq!(shown, (Some(true), Some(false)), "{p}\n{q}\n{test}");
    true
}

#[test]
fn tests_of_named_pairs_show_their_barb_on_one_side_only() {
    let mut confirmed = 0;
    for row in load::rows("equivalences.tsv") {
        let declarations = "channel a, b, c, d, e, f  public m1, m2, ok, ko";
        confirmed += usize::from(check(declarations, &row[2], &row[3]));
    }
    eprintln!("{confirmed} confirmed");
    assert!(confirmed >= 30);
}

#[test]
fn tests_of_random_pairs_show_their_barb_on_one_side_only() {
    let mut confirmed = 0;
    for seed in seeds(150) {
        let (p, q) = process::near_miss(seed, process::Style::default());
        let (p, q) = (p.to_string(), q.to_string());
        confirmed += usize::from(check(process::HEADER, &p, &q));
    }
    eprintln!("{confirmed} confirmed");
    assert!(confirmed > 25);
}

/// Destructors are applied by the test as they are by anybody, private functions included.
#[test]
fn tests_with_destructors_show_their_barb_on_one_side_only() {
    let mut confirmed = 0;
    for seed in seeds(150) {
        let theory = theories::admitted(seed + 8_000_000, seed % 3 == 0, true);
        let (p, q) = if seed % 2 == 0 {
            theories::tuned::frames(seed, &theory)
        } else {
            process::near_miss_with(seed, process::Style::default(), &theory)
        };
        let declarations = format!("{}{theory}", process::HEADER);
        confirmed += usize::from(check(&declarations, &p.to_string(), &q.to_string()));
    }
    eprintln!("{confirmed} confirmed");
    assert!(confirmed > 50);
}
