//! Declared destructors in all engines: against the built-in operators, against brute force, and one engine against another.
//!
//! `SPI_SEEDS` asks for more systems.

use crate::pairs;
use crate::reference;
use pairs::{Systems, all_ways};
use reference::process::{self, Grower, Style, near_miss};
use reference::random::{Random, seeds};
use reference::{load, rewritten};
use spi::analysis::{Kept, Settings, Subject, Verdict, check_claim};
use spi::base::limits::Silent;
use spi::engine::search::Options;
use spi::process::{Program, TupleMode};
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

    /// The verdict on a claim in a word, and the states looked at.
    fn verdict(&self, claim: usize, proofs: bool) -> (String, usize) {
        let subject = Subject {
            store: &self.store,
            nested: &self.nested,
            flat: &self.flat,
            kept: &Kept::new(),
        };
        let settings = Settings {
            search: Options {
                workers: 1,
                ..Options::default()
            },
            proofs,
            ..Settings::default()
        };
        let (nested, flat) = (&self.nested.claims[claim], &self.flat.claims[claim]);
        let result = check_claim(&subject, nested, flat, &settings, &Silent).expect("it is small");
        let word = match &result.verdict {
            Verdict::Attack(_) => "attack",
            Verdict::Holds { .. } => "holds",
            Verdict::Unreachable => "unreachable",
            Verdict::Inconclusive(_) => "inconclusive",
            other => panic!("{}\n{other:?}\n{}", nested.text, self.text),
        };
        (word.to_owned(), 0)
    }
}

/// Whoever writes `enc(m, k)` and declares what opens it gets the verdicts of `{m}k`.
#[test]
fn declared_encryption_is_like_the_built_in_one() {
    let mut words = std::collections::BTreeMap::<String, u32>::new();
    for seed in seeds(150) {
        let style = Style {
            events: true,
            mobile: seed % 4 == 0,
            ..Style::default()
        };
        let built_in = process::claims_file(seed, style);
        let p = Grower::new(&mut Random::new(seed), style).system();
        let claims = built_in
            .split_once("partial system")
            .expect("there is one")
            .1;
        let claims = claims.split_once('\n').expect("claims follow").1;
        let own = format!(
            "{}partial system S = {}\n{claims}",
            rewritten::HEADER,
            rewritten::process(&p)
        );
        let (built_in, own) = (Case::new(built_in), Case::new(own));
        for claim in 0..built_in.nested.claims.len() {
            for proofs in [false, true] {
                let (one, other) = (built_in.verdict(claim, proofs), own.verdict(claim, proofs));
                assert_eq!(
                    one, other,
                    "seed {seed}, claim {claim}, {proofs}\n{}",
                    own.text
                );
                *words.entry(one.0).or_default() += 1;
            }
        }
    }
    eprintln!("{words:?}");
    assert!(words.len() > 1, "the systems are all alike");
}

/// The same for equivalence, in all ways to decide it.
#[test]
fn declared_encryption_is_compared_like_the_built_in_one() {
    let mut tally = [0; 2];
    for seed in seeds(150) {
        let (p, q) = near_miss(seed, Style::default());
        let built_in = Systems::of(process::HEADER, &p.to_string(), &q.to_string());
        let own = Systems::of(
            rewritten::HEADER,
            &rewritten::process(&p),
            &rewritten::process(&q),
        );
        for options in all_ways() {
            let (one, other) = (built_in.compare(&options).0, own.compare(&options).0);
            assert!(
                one.is_some() && one == other,
                "seed {seed}: {one:?} {other:?}\n  {}\n  {}",
                rewritten::process(&p),
                rewritten::process(&q)
            );
            tally[usize::from(one == Some(true))] += 1;
        }
    }
    eprintln!("{tally:?}");
    assert!(tally.iter().all(|n| *n > 0), "the pairs are all alike");
}
