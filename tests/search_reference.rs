//! The symbolic attacker search against the brute-force one, on random processes and protocols.

use crate::reference;
use reference::planted::Length;
use reference::random::seeds;
use reference::{attack, bare, load, locks, planted, process, protocol};
use spi::analysis::{Kept, Settings, Subject, Verdict, check_claim};
use spi::base::limits::Silent;
use spi::engine::search::Options;
use spi::process::{ClaimKind, Program, TupleMode};
use spi::term::TermStore;

pub struct Case {
    pub text: String,
    store: TermStore,
    pub nested: Program,
    flat: Program,
}

impl Case {
    pub fn new(text: String) -> Self {
        let store = TermStore::new();
        let nested = load::program(&store, &text);
        let flat = load::program_with(&store, &text, TupleMode::Flat);
        Self {
            text,
            store,
            nested,
            flat,
        }
    }

    /// Whether the engine finds a run for the claim: an attack, or a run that reaches the event.
    pub fn found(&self, claim: usize, (search, proofs): (Options, bool)) -> Option<bool> {
        let subject = Subject {
            store: &self.store,
            nested: &self.nested,
            flat: &self.flat,
            kept: &Kept::new(),
        };
        let settings = Settings {
            search,
            proofs,
            compare_typed: false,
            ..Settings::default()
        };
        let (nested, flat) = (&self.nested.claims[claim], &self.flat.claims[claim]);
        let result =
            check_claim(&subject, nested, flat, &settings, &Silent).expect("the system is small");
        let reachable = matches!(nested.kind, ClaimKind::Reachable { .. });
        match result.verdict {
            Verdict::Attack(_) => Some(true),
            Verdict::Holds { .. } => Some(reachable),
            Verdict::Unreachable => Some(false),
            Verdict::Inconclusive(_) | Verdict::Unconfirmed(_) => None,
            other => panic!("{}\n{other:?}\n{}", nested.text, self.text),
        }
    }
}

/// Each reduction switched off in turn, and then the search after proofs: elsewhere nothing is proved beforehand.
fn variants() -> Vec<(&'static str, (Options, bool))> {
    let all = Options {
        workers: 1,
        ..Options::default()
    };
    let searches = [
        ("all reductions", all),
        (
            "eager",
            Options {
                eager: false,
                ..all
            },
        ),
        (
            "sharing",
            Options {
                sharing: false,
                subsumption: false,
                ..all
            },
        ),
        (
            "subsumption",
            Options {
                subsumption: false,
                ..all
            },
        ),
        (
            "symmetry",
            Options {
                symmetry: false,
                ..all
            },
        ),
        (
            "pruning",
            Options {
                pruning: false,
                ..all
            },
        ),
    ];
    let unproved = searches.map(|(name, options)| (name, (options, false)));
    unproved
        .into_iter()
        .chain([("searching", (all, true))])
        .collect()
}

pub fn agree(seeds: std::ops::Range<u64>, limits: attack::Limits, text: impl Fn(u64) -> String) {
    let (mut attacks, mut proofs) = (0, 0);
    for seed in seeds {
        let case = Case::new(text(seed));
        let system = load::system(&case.store, &case.nested, "S");
        let knows = &case.nested.signature.knows;
        for (i, claim) in case.nested.claims.iter().enumerate() {
            let brute = attack::find(&case.store, &system, knows, &claim.kind, limits);
            for (name, options) in variants() {
                let found = case.found(i, options);
                if let attack::Answer::Found(witness) = &brute {
                    assert_ne!(
                        found,
                        Some(false),
                        "seed {seed}, `{}`, without {name}: missed {witness:#?}\n{}",
                        claim.text,
                        case.text
                    );
                }
                match found {
                    Some(true) => attacks += 1,
                    Some(false) => proofs += 1,
                    None => {}
                }
            }
            let verdicts: Vec<Option<bool>> = variants()
                .into_iter()
                .map(|(_, o)| case.found(i, o))
                .collect();
            assert!(
                verdicts.iter().all(|v| *v == verdicts[0]),
                "seed {seed}, `{}`: {verdicts:?}\n{}",
                claim.text,
                case.text
            );
        }
    }
    eprintln!("{attacks} attacks, {proofs} proofs");
}

#[test]
fn random_protocols() {
    let limits = attack::Limits {
        states: 300,
        ..attack::Limits::default()
    };
    agree(seeds(60), limits, protocol::file);
}

#[test]
fn random_processes() {
    let limits = attack::Limits {
        states: 300,
        ..attack::Limits::default()
    };
    agree(seeds(150), limits, |seed| {
        let style = process::Style {
            mobile: seed % 4 == 0,
            ..process::Style::default()
        };
        process::claims_file(seed, style)
    });
}

#[test]
fn random_locks() {
    let limits = attack::Limits {
        states: 400,
        ..attack::Limits::default()
    };
    agree(seeds(30), limits, locks::file);
}

#[test]
fn random_events_without_arguments() {
    let limits = attack::Limits {
        states: 300,
        ..attack::Limits::default()
    };
    agree(seeds(40), limits, bare::file);
}

/// Whatever the tests ask, the run that a system was written around passes them.
#[test]
fn planted_attacks_are_found() {
    find_planted(seeds(400), Length::Short);
}

#[test]
fn planted_attacks_among_many_ciphertexts_are_found() {
    find_planted(seeds(100), Length::Long);
}

fn find_planted(seeds: std::ops::Range<u64>, length: Length) {
    for seed in seeds {
        let case = Case::new(planted::file(seed, length));
        for (name, options) in variants() {
            let found = case.found(0, options);
            assert_eq!(
                found,
                Some(true),
                "seed {seed}, without {name}\n{}",
                case.text
            );
        }
    }
}
