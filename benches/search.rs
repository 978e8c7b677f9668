//! The attacker search: verdict and number of states are asserted, then timed.

use criterion::{Criterion, criterion_group, criterion_main};
use spi::analysis::{Kept, Settings, Subject, Verdict, check_claim};
use spi::base::limits::Silent;
use spi::base::source::SourceFile;
use spi::lang::sema::check_text;
use spi::process::{Program, TupleMode};
use spi::term::TermStore;

const NS: &str = include_str!("../protocols/ns.spi");
const NSL: &str = include_str!("../protocols/nsl.spi");

struct Model {
    store: TermStore,
    nested: Program,
    flat: Program,
}

impl Model {
    fn new(text: &str) -> Self {
        let store = TermStore::new();
        let file = SourceFile::anonymous("bench.spi", text);
        let nested = check_text(&file, &store, TupleMode::Nested).program;
        let flat = check_text(&file, &store, TupleMode::Flat).program;
        Self {
            store,
            nested,
            flat,
        }
    }

    /// Whether the first claim holds, and the number of states.
    fn run(&self, settings: &Settings) -> (bool, u64) {
        let subject = Subject {
            store: &self.store,
            nested: &self.nested,
            flat: &self.flat,
            kept: &Kept::new(),
        };
        let (n, f) = (&self.nested.claims[0], &self.flat.claims[0]);
        let result = check_claim(&subject, n, f, settings, &Silent).expect("the system unfolds");
        (
            matches!(result.verdict, Verdict::Holds { .. }),
            result.stats.states,
        )
    }
}

/// The file's definitions with another system and one secrecy claim.
fn scaled(text: &str, initiators: usize, responders: usize) -> String {
    let end = text.find("\nsystem ").expect("the file has a system");
    let inits = ["Init(A, B)", "Init(A, C)", "Init(B, A)", "Init(B, C)"];
    let resps = ["Resp(B, A)", "Resp(A, B)", "Resp(B, A)", "Resp(A, B)"];
    let parts: Vec<&str> = inits[..initiators]
        .iter()
        .chain(&resps[..responders])
        .copied()
        .collect();
    format!(
        "{}\npartial system Scaled = {}\nsecrecy Na, Nb in Scaled\n",
        &text[..end],
        parts.join(" | ")
    )
}

fn bench(c: &mut Criterion) {
    // The search itself: nothing is proved beforehand.
    let settings = Settings {
        proofs: false,
        ..Settings::default()
    };
    let mut group = c.benchmark_group("search");
    for (n, expected) in [(1, 4), (2, 24), (3, 198), (4, 2276)] {
        let model = Model::new(&scaled(NSL, n, n));
        assert_eq!(
            model.run(&settings),
            (true, expected),
            "Lowe's protocol with {n}+{n}"
        );
        group.bench_function(format!("nsl-{n}+{n}"), |b| b.iter(|| model.run(&settings)));
    }
    let model = Model::new(&scaled(NS, 2, 2));
    assert!(!model.run(&settings).0, "Lowe's attack is found");
    group.bench_function("ns-2+2-attack", |b| b.iter(|| model.run(&settings)));
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
