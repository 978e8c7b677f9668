//! Random theories of destructors against brute force, and one engine against another.
//!
//! Every seed has its theory (`reference/theories.rs`) and a system or a near miss over it. Attacks that the engines find are replayed, differences
//! too, and proofs are checked; what they say holds must not be refuted by the bounded reference procedures, which apply the rules as they are
//! declared to all that a tester can put together. `SPI_SEEDS` asks for more.

use crate::pairs;
use crate::reference;
use crate::support::space;
use crate::support::walk;
use pairs::{Systems, all_ways};
use reference::process::{HEADER, Style, claims_file_with, near_miss_with};
use reference::random::seeds;
use reference::theories::{admitted, tuned};
use reference::{attack, load, trace};
use spi::analysis::{Kept, Settings, Subject, Verdict, check_claim};
use spi::base::limits::Silent;
use spi::engine::search::Options;
use spi::process::{ClaimKind, Program, TupleMode};
use spi::term::TermStore;

/// A file in both lowerings.
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

    /// Whether the engine finds a run for the claim: an attack, or a run that reaches the event.
    fn found(&self, claim: usize, search: Options, proofs: bool, typed: bool) -> Option<bool> {
        let subject = Subject {
            store: &self.store,
            nested: &self.nested,
            flat: &self.flat,
            kept: &Kept::new(),
        };
        let settings = Settings {
            search,
            proofs,
            typed,
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
            Verdict::Inconclusive(_) => None,
            other => panic!("{}\n{other:?}\n{}", nested.text, self.text),
        }
    }
}

/// All reductions, each switched off in turn, two threads, and the search after proofs.
fn variants() -> Vec<(&'static str, Options, bool)> {
    let all = Options {
        workers: 1,
        ..Options::default()
    };
    let with = |change: &dyn Fn(&mut Options)| {
        let mut options = all;
        change(&mut options);
        options
    };
    vec![
        ("all reductions", all, false),
        ("two threads", with(&|o| o.workers = 2), false),
        ("eager", with(&|o| o.eager = false), false),
        (
            "sharing",
            with(&|o| {
                o.sharing = false;
                o.subsumption = false;
            }),
            false,
        ),
        ("subsumption", with(&|o| o.subsumption = false), false),
        ("symmetry", with(&|o| o.symmetry = false), false),
        ("pruning", with(&|o| o.pruning = false), false),
        ("searching", all, true),
    ]
}

/// Checks the claims of a file in all ways and with the reference; counts what is found and what holds.
fn agree(seed: u64, text: String, tally: &mut [u32; 3]) {
    let case = Case::new(text);
    let system = load::system(&case.store, &case.nested, "S");
    let knows = &case.nested.signature.knows;
    let limits = attack::Limits {
        states: 200,
        ..attack::Limits::default()
    };
    for (i, claim) in case.nested.claims.iter().enumerate() {
        let brute = attack::find(&case.store, &system, knows, &claim.kind, limits);
        let missed = matches!(brute, attack::Answer::Found(_));
        let mut answers = Vec::new();
        for (name, options, proofs) in variants() {
            let found = case.found(i, options, proofs, false);
            assert!(
                !(missed && found == Some(false)),
                "seed {seed}, `{}`, without {name}: missed {brute:#?}\n{}",
                claim.text,
                case.text
            );
            answers.push(found);
        }
        assert!(
            answers.iter().all(|v| *v == answers[0]),
            "seed {seed}, `{}`: {answers:?}\n{}",
            claim.text,
            case.text
        );
        // Types only leave runs out.
        for proofs in [false, true] {
            let typed = case.found(i, variants()[0].1, proofs, true);
            assert!(
                answers[0] != Some(false) || typed != Some(true),
                "seed {seed}, `{}`: typed {typed:?}\n{}",
                claim.text,
                case.text
            );
        }
        tally[match answers[0] {
            Some(true) => 0,
            Some(false) => 1,
            None => 2,
        }] += 1;
    }
}

#[test]
fn claims_under_random_theories_agree_with_brute_force() {
    let mut tally = [0; 3];
    for seed in seeds(70) {
        let theory = admitted(seed, seed % 3 == 0, false);
        let style = Style {
            mobile: seed % 4 == 0,
            ..Style::default()
        };
        agree(seed, claims_file_with(seed, style, &theory), &mut tally);
    }
    report("claims", tally);
}

/// The system goes along with the rules: it sends what they open, and opens what it gets.
#[test]
fn claims_about_systems_made_for_their_rules_agree_with_brute_force() {
    let mut tally = [0; 3];
    for seed in seeds(70) {
        let theory = admitted(seed + 1_000_000, seed % 3 == 0, false);
        agree(seed, tuned::claims(seed, &theory), &mut tally);
    }
    report("tuned claims", tally);
}

fn report(what: &str, [found, holds, open]: [u32; 3]) {
    eprintln!("{what}: {found} found or different, {holds} hold or equivalent, {open} open");
    assert!(found > 0 && holds > 0, "all alike");
}

/// Compares a pair in all ways and with the reference.
fn compared(seed: u64, declarations: &str, left: &str, right: &str, tally: &mut [u32; 3]) {
    let systems = Systems::of(declarations, left, right);
    let mut ways = all_ways();
    ways.push(spi::engine::equiv::Options {
        threads: 2,
        ..pairs::default()
    });
    let told = |answers: &[Option<bool>]| {
        format!("seed {seed}\n{declarations}\n  {left}\n  {right}\n{answers:?}")
    };
    let answers: Vec<Option<bool>> = ways
        .iter()
        .map(|options| {
            let check = std::panic::AssertUnwindSafe(|| systems.compare(options).0);
            std::panic::catch_unwind(check).unwrap_or_else(|_| panic!("{}", told(&[])))
        })
        .collect();
    assert!(
        answers.iter().all(|a| a.is_some() && *a == answers[0]),
        "{}",
        told(&answers)
    );
    let limits = trace::Limits {
        nodes: 300,
        configs: 60,
        ..trace::Limits::default()
    };
    let (p, q) = (&systems.left, &systems.right);
    let reference = trace::compare(&systems.store, p, q, &systems.knows, limits);
    match (answers[0], &reference) {
        (Some(true), trace::Answer::Different(e)) => {
            panic!(
                "{}\n{}",
                told(&answers),
                e.test_process(&systems.store, &[])
            );
        }
        (Some(true), _) => tally[1] += 1,
        (_, trace::Answer::Different(_)) => tally[0] += 1,
        _ => tally[2] += 1,
    }
}

#[test]
fn near_misses_under_random_theories_agree_with_brute_force() {
    let mut tally = [0; 3];
    for seed in seeds(60) {
        let theory = admitted(seed, seed % 3 == 0, true);
        let style = Style {
            mobile: seed % 4 == 0,
            forks: seed % 5 == 0,
            ..Style::default()
        };
        let (p, q) = near_miss_with(seed, style, &theory);
        let (p, q) = (p.to_string(), q.to_string());
        compared(seed, &format!("{HEADER}{theory}"), &p, &q, &mut tally);
    }
    report("near misses", tally);
}

/// What is heard is what the rules open; the two systems differ in one name.
#[test]
fn frames_under_random_theories_agree_with_brute_force() {
    let mut tally = [0; 3];
    for seed in seeds(100) {
        let theory = admitted(seed + 2_000_000, seed % 3 == 0, true);
        let (p, q) = tuned::frames(seed, &theory);
        let (p, q) = (p.to_string(), q.to_string());
        compared(seed, &format!("{HEADER}{theory}"), &p, &q, &mut tally);
    }
    report("frames", tally);
}

fn classic() -> spi::engine::lts::Options {
    spi::engine::lts::Options {
        semantics: spi::engine::equiv::Semantics::Classic,
        ..spi::engine::lts::Options::default()
    }
}

/// State spaces with and without sharing and symmetry have the same traces.
#[test]
fn reduced_state_spaces_under_random_theories_have_the_same_traces() {
    let mut walked = 0;
    for seed in seeds(60) {
        let theory = admitted(seed + 3_000_000, seed % 3 == 0, true);
        let style = Style {
            length: 3,
            ..Style::default()
        };
        let (p, _) = near_miss_with(seed, style, &theory);
        let text = format!("{HEADER}{theory}partial system S = {p}\n");
        let of = |sharing: bool, symmetry: bool| {
            let options = spi::engine::lts::Options {
                sharing,
                symmetry,
                limits: spi::base::limits::Limits {
                    states: Some(300),
                    ..spi::base::limits::Limits::default()
                },
                ..classic()
            };
            space::graph(&text, "S", options)
        };
        let tree = of(false, false);
        if tree["verdict"] != "complete" {
            continue;
        }
        let expected = walk::traces(&tree);
        for (sharing, symmetry) in [(true, false), (true, true), (false, true)] {
            let found = walk::traces(&of(sharing, symmetry));
            assert_eq!(
                expected, found,
                "seed {seed}, {sharing}, {symmetry}\n{text}"
            );
        }
        walked += usize::from(expected.len() > 3);
    }
    eprintln!("{walked} state spaces");
    assert!(walked > 5, "{walked}");
}

/// Where every transition is seen, systems are equivalent if and only if their state spaces have the same traces.
#[test]
fn labels_under_random_theories_tell_what_is_different() {
    let mut tally = [0; 2];
    for seed in seeds(100) {
        let theory = admitted(seed + 4_000_000, seed % 3 == 0, true);
        let (p, q) = tuned::frames(seed, &theory);
        let (p, q) = (p.to_string(), q.to_string());
        let declarations = format!("{HEADER}{theory}");
        let answer = Systems::of(&declarations, &p, &q)
            .compare(&pairs::everything())
            .0;
        let traces = |p: &str| {
            let text = format!("{declarations}partial system S = {p}\n");
            walk::traces(&space::graph(&text, "S", classic()))
        };
        let same = traces(&p) == traces(&q);
        assert_eq!(answer, Some(same), "seed {seed}\n{declarations}\n{p}\n{q}");
        tally[usize::from(same)] += 1;
    }
    eprintln!("{tally:?}");
    assert!(tally.iter().all(|n| *n > 0), "{tally:?}");
}
