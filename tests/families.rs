//! Theories with key families, agents and roles: search against brute force, proofs against search with more role instances, and generated
//! sessions against those that are written.
//!
//! `SPI_SEEDS` asks for more files.

use crate::reference;
use crate::support;
use reference::families::Parties;
use reference::random::seeds;
use reference::{attack, load};
use spi::analysis::{Settings, Verdict};
use spi::base::limits::Silent;
use spi::engine::search::Options;
use spi::process::ClaimKind;
use spi::term::TermStore;
use support::observed;

/// Whether a run is found for each claim, and whether that was proved for any number of runs; `None` if it was not found out.
fn found(text: &str, settings: &Settings) -> Vec<Option<(bool, bool)>> {
    let results = observed(&TermStore::new(), text, settings, &Silent).into_iter();
    let answer = results.map(|result| {
        let result = result.ok()?;
        let found = match result.verdict {
            Verdict::Attack(_) | Verdict::Holds { run: Some(_) } => true,
            Verdict::Holds { run: None } | Verdict::Unreachable => false,
            Verdict::Inconclusive(_) => return None,
            other => panic!("{other:?}\n{text}"),
        };
        Some((found, !found && result.stats.states == 0))
    });
    answer.collect()
}

fn settings(search: Options, proofs: bool) -> Settings {
    let mut settings = Settings {
        search: Options {
            workers: 1,
            ..search
        },
        proofs,
        compare_typed: false,
        ..Settings::default()
    };
    settings.limits.states = Some(3_000);
    settings
}

#[test]
fn random_parties_agree_with_brute_force_and_with_proofs() {
    let all = Options::default();
    let without = [
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
    let limits = attack::Limits {
        states: 200,
        ..attack::Limits::default()
    };
    let (mut attacks, mut none, mut proved, mut brute_force) = (0, 0, 0, 0);
    for seed in seeds(60) {
        let Some(parties) = Parties::new(seed) else {
            continue;
        };
        let text = parties.written(1);
        let store = TermStore::new();
        let program = load::program(&store, &text);
        let system = load::system(&store, &program, "S");
        let searched = found(&text, &settings(all, false));
        for (name, options) in without {
            let other = found(&text, &settings(options, false));
            for (i, (one, other)) in searched.iter().zip(&other).enumerate() {
                if let (Some(one), Some(other)) = (one, other) {
                    assert_eq!(
                        one.0, other.0,
                        "seed {seed}, claim {i}, without {name}\n{text}"
                    );
                }
            }
        }
        for (i, claim) in program.claims.iter().enumerate() {
            let knows = &program.signature.knows;
            let brute = attack::find(&store, &system, knows, &claim.kind, limits);
            let missed = matches!(brute, attack::Answer::Found(_));
            let reachable = matches!(claim.kind, ClaimKind::Reachable { .. });
            brute_force += usize::from(missed && !reachable);
            let told = || format!("seed {seed}, `{}`: {brute:#?}\n{text}", claim.text);
            match searched[i] {
                Some((false, _)) if missed => panic!("{}", told()),
                Some((true, _)) => attacks += 1,
                Some((false, _)) => none += 1,
                None => {}
            }
        }
        // What is proved holds with proofs left out, and with every role instance there twice.
        let proofs = found(&text, &settings(all, true));
        let twice = found(&parties.written(2), &settings(all, false));
        for i in 0..proofs.len() {
            if let (Some(one), Some(other)) = (proofs[i], searched[i]) {
                assert_eq!(one.0, other.0, "seed {seed}, claim {i}\n{text}");
            }
            if proofs[i].is_some_and(|p| p.1) {
                proved += 1;
                assert!(
                    twice[i].is_none_or(|t| !t.0),
                    "seed {seed}, claim {i}: proved, and broken by more\n{text}"
                );
            }
        }
        // What is written is among the sessions that are generated.
        let mut sessions = settings(all, false);
        sessions.sessions = Some(parties.size() as u32);
        for (i, generated) in found(&text, &sessions).iter().enumerate() {
            if let (Some(written), Some(generated)) = (searched[i], generated) {
                assert!(
                    !written.0 || generated.0,
                    "seed {seed}, claim {i}: lost among the sessions\n{text}"
                );
            }
        }
    }
    eprintln!(
        "{attacks} attacks, {brute_force} found by brute force, {none} none, {proved} proved"
    );
    assert!(attacks > 0 && brute_force > 0 && none > 0 && proved > 0);
}
