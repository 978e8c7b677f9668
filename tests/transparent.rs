//! The transparent attacker, who leaves nobody stuck, against the brute-force one [Sem 4.5].

use crate::reference;
use reference::random::seeds;
use reference::theories::{admitted, tuned};
use reference::{attack, load, noticing, process, protocol};
use spi::analysis::{Kept, Settings, Subject, Verdict, check_claim};
use spi::base::limits::Silent;
use spi::engine::search::Options;
use spi::process::{ClaimKind, Program, TupleMode};
use spi::term::TermStore;

struct Case {
    text: String,
    store: TermStore,
    nested: Program,
    flat: Program,
}

impl Case {
    fn new(text: String) -> Self {
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

    /// Whether the search finds a run for the claim; `None` if it did not get to its end.
    fn found(&self, claim: usize, search: Options, typed: bool) -> Option<bool> {
        let subject = Subject {
            store: &self.store,
            nested: &self.nested,
            flat: &self.flat,
            kept: &Kept::new(),
        };
        let settings = Settings {
            search,
            typed,
            proofs: false,
            compare_typed: false,
            limits: spi::analysis::LimitSpec {
                states: Some(4_000),
                ..Default::default()
            },
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

/// Each reduction switched off in turn.
fn variants() -> Vec<(&'static str, Options)> {
    let all = Options {
        workers: 1,
        transparent: true,
        ..Options::default()
    };
    let without = |change: fn(&mut Options)| {
        let mut options = all;
        change(&mut options);
        options
    };
    vec![
        ("nothing", all),
        ("eager outputs", without(|o| o.eager = false)),
        (
            "sharing",
            without(|o| (o.sharing, o.subsumption) = (false, false)),
        ),
        ("subsumption", without(|o| o.subsumption = false)),
        ("symmetry", without(|o| o.symmetry = false)),
        ("pruning", without(|o| o.pruning = false)),
    ]
}

fn agree(seeds: std::ops::Range<u64>, text: impl Fn(u64) -> String) {
    let limits = attack::Limits {
        states: 1_000,
        ..attack::Limits::default()
    };
    let (mut attacks, mut none, mut noticed) = (0, 0, 0);
    for seed in seeds {
        let case = Case::new(text(seed));
        let system = load::untrimmed(&case.store, &case.nested, "S");
        let knows = &case.nested.signature.knows;
        for (i, claim) in case.nested.claims.iter().enumerate() {
            let about = format!("seed {seed}, `{}`", claim.text);
            let brute = attack::find_transparent(&case.store, &system, knows, &claim.kind, limits);
            let found: Vec<_> = variants()
                .into_iter()
                .map(|(name, options)| (name, case.found(i, options, false)))
                .collect();
            if let attack::Answer::Found(witness) = &brute {
                for (name, found) in &found {
                    assert_ne!(
                        *found,
                        Some(false),
                        "{about}, without {name}: missed {witness:#?}\n{}",
                        case.text
                    );
                }
            }
            let mut decided = found.iter().filter_map(|(_, f)| *f);
            let first = decided.next();
            assert!(
                decided.all(|f| Some(f) == first),
                "{about}: {found:?}\n{}",
                case.text
            );
            // What keeps to the types, and what leaves nobody stuck, is an attack.
            let plain = case.found(i, Options::default(), false);
            let typed = case.found(i, variants()[0].1, true);
            assert!(
                (plain, first) != (Some(false), Some(true)),
                "{about}: only the transparent attacker succeeds\n{}",
                case.text
            );
            assert!(
                (plain, typed) != (Some(false), Some(true)),
                "{about}: only the typed attacker succeeds\n{}",
                case.text
            );
            match (plain, first) {
                (_, Some(true)) => attacks += 1,
                (Some(true), Some(false)) => noticed += 1,
                _ => none += 1,
            }
        }
    }
    eprintln!("{attacks} attacks, {noticed} that are noticed, {none} times none");
}

#[test]
fn systems_in_which_somebody_may_notice() {
    agree(seeds(150), noticing::file);
}

#[test]
fn random_processes() {
    agree(seeds(60), |seed| {
        let style = process::Style {
            mobile: seed % 2 == 0,
            length: 3,
            ..process::Style::default()
        };
        process::claims_file(seed, style)
    });
}

#[test]
fn random_protocols() {
    agree(seeds(15), protocol::file);
}

/// Whoever applies a destructor that fails is stuck, unless there is an `else`; the rules of one destructor are tried one after the other.
#[test]
fn destructors() {
    agree(seeds(40), |seed| {
        let theory = admitted(seed + 7_000_000, seed % 3 == 0, false);
        if seed % 2 == 0 {
            return tuned::claims(seed, &theory);
        }
        let style = process::Style {
            mobile: seed % 4 == 1,
            ..process::Style::default()
        };
        process::claims_file_with(seed, style, &theory)
    });
}
