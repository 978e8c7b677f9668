//! Every test that tells two systems apart is written as a process that tells them apart when it is replayed, unless its
//! file says that it need not.

use crate::reference;
use reference::exchange;
use reference::process::{self, Style};
use reference::random::{Random, seeds};
use spi::analysis::{LimitSpec, Operand, Opponent, Settings, compare_systems, replay_test};
use spi::base::limits::Silent;
use spi::base::source::SourceMap;
use spi::lang::sema::{check_attack, check_text};
use spi::present::report::{Contrast, contrast, test_file};
use spi::process::{Closed, TupleMode};
use spi::term::TermStore;

/// How `spi replay` is called, in the files that promise something.
const PROMISE: &str = "Replay it";

/// What became of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    /// No difference was found.
    Nothing,
    /// The replay confirms the difference.
    Confirmed,
    /// The file makes no promise.
    Unwritable,
    /// The replay has too many runs.
    Unknown,
}

/// Compares the systems `P` and `Q` of a file, and replays the test.
fn told(text: &str, preorder: bool) -> Told {
    let store = TermStore::new();
    let mut map = SourceMap::new();
    let file = map.add("pair.spi", text);
    let checked = check_text(&file, &store, TupleMode::Nested);
    assert!(checked.is_sound(), "{:?}\n{text}", checked.diagnostics);
    let program = &checked.program;
    let [left, right] =
        ["P", "Q"].map(|name| Closed::new(program.system_named(name).expect(name), Vec::new()));
    let settings = Settings {
        limits: LimitSpec {
            states: Some(3_000),
            ..LimitSpec::default()
        },
        ..Settings::default()
    };
    let [l, r] = [&left, &right].map(|closed| Operand { program, closed });
    let comparison =
        compare_systems(&store, l, r, preorder, &settings, &Silent).expect("it unfolds");
    let Some(refutation) = comparison.refutation() else {
        return Told::Nothing;
    };
    let programs = [program, program];
    let emitted = test_file(&store, &programs, "P ~ Q", &comparison, refutation, PROMISE);
    if !emitted.contains(PROMISE) {
        return Told::Unwritable;
    }
    let about = || format!("{emitted}\n{text}");
    let attack = map.add("test.spi", &emitted);
    let models = std::slice::from_ref(&file);
    let read = check_attack(&mut map, models, &attack, &store, TupleMode::Nested);
    let faults = &read.checked.diagnostics;
    assert!(faults.is_empty(), "{faults:?}\n{}", about());
    let opponent = Opponent {
        program: &read.checked.program,
        system: read.system.unwrap_or_else(|| panic!("{}", about())),
        own: &read.own,
    };
    let [p, q] = [&left, &right].map(|closed| {
        replay_test(&store, program, closed, opponent, &settings, &Silent)
            .unwrap_or_else(|e| panic!("{e:?}\n{}", about()))
            .0
    });
    match contrast(&[("P", &p), ("Q", &q)]) {
        Contrast::ToldApart => Told::Confirmed,
        Contrast::Unknown => Told::Unknown,
        other => panic!("{other:?}\n{}", about()),
    }
}

fn all_tell(what: &str, count: u64, text: impl Fn(u64) -> String) {
    let mut tally = [0; 4];
    for seed in seeds(count) {
        tally[told(&text(seed), seed % 4 == 3) as usize] += 1;
    }
    let [nothing, confirmed, unwritable, unknown] = tally;
    eprintln!(
        "{what}: {nothing} alike, {confirmed} confirmed, {unwritable} not writable, {unknown} unknown"
    );
    assert!(confirmed > 0, "{what}");
}

#[test]
fn tests_of_random_pairs_replay() {
    all_tell("near misses", 60, |seed| {
        let style = Style {
            mobile: seed % 2 == 1,
            ..Style::default()
        };
        let (p, q) = process::near_miss(seed, style);
        process::pair_file(&p, &q)
    });
}

#[test]
fn tests_of_random_exchanges_replay() {
    all_tell("exchanges", 60, |seed| {
        exchange::some_pair_file(seed, Style::default())
    });
}

/// Two systems that send what has a predecessor and what has none.
fn numbers(seed: u64) -> String {
    let mut random = Random::new(seed);
    let messages = [
        "0",
        "m",
        "n",
        "suc(0)",
        "suc(m)",
        "suc(suc(n))",
        "(m, suc(0))",
        "(0, n)",
        "{m}n",
        "suc({0}n)",
        "a",
        "suc({suc(0)}a)",
        "suc({m}a)",
        "{suc(n)}a",
    ];
    let mut system = |name: &str| {
        let outputs: Vec<String> = (0..=random.below(3))
            .map(|_| format!("c<{}>", random.pick(&messages)))
            .collect();
        format!(
            "partial system {name} = new m, n. ( {} )\n",
            outputs.join(" | ")
        )
    };
    format!("channel c  public a\n{}{}", system("P"), system("Q"))
}

#[test]
fn tests_of_numbers_replay() {
    all_tell("numbers", 100, numbers);
}

#[test]
fn a_test_that_can_be_written_is_preferred() {
    let told = |left: &str, right: &str, preorder: bool| {
        let text = format!("channel c\nsystem P = {left}\nsystem Q = {right}\n");
        told(&text, preorder)
    };
    let names = "new m. new k. (c<m> | c<suc(k)>)";
    let zero = "new k. (c<0> | c<suc(k)>)";
    // The side that has the zero passes the test for it.
    assert_eq!(told(names, zero, false), Told::Confirmed);
    assert_eq!(told(zero, names, false), Told::Confirmed);
    // In the preorder it can't be the other side; a zero can be told from what is no number, but not the reverse.
    assert_eq!(told(zero, names, true), Told::Confirmed);
    assert_eq!(told(names, zero, true), Told::Unwritable);
}
