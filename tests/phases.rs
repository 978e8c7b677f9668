//! Phases: who is gone when one begins, and what a key that is lost late is good for [Sem 3].

use crate::reference::random::seeds;
use crate::reference::{attack, phases};
use crate::search_reference::{Case, agree};
use spi::search::Options;

/// What the search finds for each claim of a file: an attack, or a run that reaches the event.
fn answers(text: &str) -> Vec<Option<bool>> {
    let case = Case::new(text.to_owned());
    let options = Options {
        workers: 1,
        ..Options::default()
    };
    let claims = 0..case.nested.claims.len();
    claims.map(|i| case.found(i, (options, false))).collect()
}

#[test]
fn random_systems_with_phases() {
    let limits = attack::Limits {
        states: 400,
        ..attack::Limits::default()
    };
    agree(seeds(200), limits, phases::system);
}

/// Who takes away what every input needs, and then loses the key, says the same without phases.
#[test]
fn a_key_lost_in_phase_1_is_one_lost_when_nobody_listens_any_more() {
    let mut attacks = 0;
    for seed in seeds(150) {
        let lost = phases::lost(seed);
        let (phase, token) = (answers(&lost.phase), answers(&lost.token));
        attacks += phase.iter().filter(|a| **a == Some(true)).count();
        assert_eq!(phase, token, "seed {seed}\n{}\n{}", lost.phase, lost.token);
    }
    assert!(attacks > 50, "{attacks} attacks");
}

#[test]
fn a_key_that_is_lost_earlier_helps_no_less() {
    let mut fewer = 0;
    for seed in seeds(150) {
        let lost = phases::lost(seed);
        let (phase, start) = (answers(&lost.phase), answers(&lost.start));
        for (late, early) in phase.iter().zip(&start) {
            let less = *late == Some(true) && *early == Some(false);
            assert!(!less, "seed {seed}\n{}", lost.phase);
            fewer += usize::from(*late == Some(false) && *early == Some(true));
        }
    }
    assert!(fewer > 5, "phases made a difference {fewer} times");
}

#[test]
fn who_waits_for_a_phase_to_do_nothing_changes_nothing() {
    for seed in seeds(100) {
        let lost = phases::lost(seed);
        assert_eq!(answers(&lost.phase), answers(&lost.idle), "seed {seed}");
    }
}
