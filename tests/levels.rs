//! The search against the joint exploration of comparisons, which opens ciphertexts eagerly and leaves nothing out by looking at a
//! goal: can a system come to the end of a process that compares early messages with what is learned late?

use crate::pairs;
use crate::reference;
use pairs::{Systems, default};
use reference::levels::{HEADER, process, twins};
use reference::random::seeds;
use spi::analysis::{Kept, LimitSpec, Settings, Subject, Verdict, check_claim};
use spi::base::limits::Silent;
use spi::base::source::SourceFile;
use spi::engine::search::Options;
use spi::lang::sema::check_text;
use spi::process::{Claim, TupleMode};
use spi::term::TermStore;

fn settings(search: Options) -> Settings {
    Settings {
        search: Options {
            workers: 1,
            ..search
        },
        proofs: false,
        compare_typed: false,
        limits: LimitSpec {
            states: Some(2_000),
            ..LimitSpec::default()
        },
        ..Settings::default()
    }
}

/// What the search says about each claim, with its reductions and without.
fn searched(text: &str) -> Vec<Vec<Option<bool>>> {
    let store = TermStore::new();
    let file = SourceFile::anonymous("test.spi", text);
    let checked = check_text(&file, &store, TupleMode::Nested);
    assert!(checked.is_sound(), "{text}");
    let program = checked.program;
    let subject = Subject {
        store: &store,
        nested: &program,
        flat: &program,
        kept: &Kept::new(),
    };
    let off = |change: &dyn Fn(&mut Options)| {
        let mut options = Options::default();
        change(&mut options);
        options
    };
    let ways = [
        off(&|_| {}),
        off(&|o| o.pruning = false),
        off(&|o| (o.sharing, o.subsumption) = (false, false)),
        off(&|o| o.eager = false),
    ];
    let answer = |claim: &Claim, search: Options| {
        let result = check_claim(&subject, claim, claim, &settings(search), &Silent);
        match result.expect("it unfolds").verdict {
            Verdict::Attack(_) => Some(true),
            Verdict::Holds { .. } => Some(false),
            Verdict::Inconclusive(_) | Verdict::Unconfirmed(_) => None,
            other => panic!("{other:?}\n{text}"),
        }
    };
    let claims = program.claims.iter();
    claims
        .map(|claim| ways.iter().map(|way| answer(claim, *way)).collect())
        .collect()
}

/// The one answer of all that give one.
fn agreed(answers: &[Option<bool>], told: &str) -> Option<bool> {
    let mut known: Vec<bool> = answers.iter().copied().flatten().collect();
    known.dedup();
    assert!(known.len() <= 1, "{answers:?}\n{told}");
    known.first().copied()
}

/// Whether the comparison with the same process without its end tells them apart.
fn compared(body: &str) -> Option<bool> {
    let (left, right) = (body.replace('@', "flag<0>"), body.replace('@', "0"));
    let systems = Systems::of(HEADER, &left, &right);
    let mut options = default();
    options.limits.states = Some(4_000);
    options.preorder = true;
    systems.compare(&options).0.map(|same| !same)
}

fn first() -> u64 {
    std::env::var("SPI_FROM")
        .ok()
        .and_then(|s| s.parse().ok())
        .unwrap_or(0)
}

#[test]
fn what_is_learned_late_is_compared_with_early_messages() {
    let mut tally = [0; 3];
    for seed in seeds(150) {
        let seed = seed + first();
        let body = process(seed);
        let end = body.replace('@', "net<top>");
        let text = format!("{HEADER}private top\npartial system S = {end}\nsecrecy top in S\n");
        let mut answers = searched(&text).concat();
        answers.push(compared(&body));
        match agreed(&answers, &format!("seed {seed}\n{text}")) {
            Some(true) => tally[0] += 1,
            Some(false) => tally[1] += 1,
            None => tally[2] += 1,
        }
    }
    eprintln!("reached, not reached, unknown: {tally:?}");
    assert!(tally[0] > 15 && tally[1] > 15, "{tally:?}");
}

#[test]
fn ways_that_differ_in_names_are_told_apart() {
    let mut tally = [0; 3];
    for seed in seeds(100) {
        let seed = seed + first();
        let text = twins(seed);
        for answers in searched(&text) {
            match agreed(&answers, &format!("seed {seed}\n{text}")) {
                Some(true) => tally[0] += 1,
                Some(false) => tally[1] += 1,
                None => tally[2] += 1,
            }
        }
    }
    eprintln!("attacks, holds, unknown: {tally:?}");
    assert!(tally[0] > 15 && tally[1] > 15, "{tally:?}");
}
