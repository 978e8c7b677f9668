//! Equivalence by joint exploration alone: verdict and number of nodes are asserted, then timed.

use criterion::{Criterion, criterion_group, criterion_main};
use spi::analysis::{ComparisonVerdict, Settings, compare_claim};
use spi::base::limits::Silent;
use spi::base::source::SourceFile;
use spi::lang::sema::check_text;
use spi::process::{Program, TupleMode};
use spi::term::TermStore;

const DENNING_SACCO: &str = include_str!("models/denning-sacco.spi");
const WIDE_MOUTHED_FROG: &str = include_str!("models/wide-mouthed-frog.spi");
const LOWE: &str = include_str!("models/needham-schroeder-lowe.spi");
const OTWAY_REES: &str = include_str!("models/otway-rees.spi");
const YAHALOM: &str = include_str!("models/yahalom.spi");
const PRIVATE_AUTHENTICATION: &str = include_str!("models/private-authentication.spi");
const PASSPORT: &str = include_str!("models/passport.spi");

/// File, left system, number of nodes.
const ROWS: &[(&str, &str, &str, u64)] = &[
    ("denning-sacco", DENNING_SACCO, "Shared1", 30),
    ("denning-sacco", DENNING_SACCO, "Shared2", 803),
    ("denning-sacco", DENNING_SACCO, "Own3", 48),
    ("denning-sacco", DENNING_SACCO, "Own4", 101),
    ("wide-mouthed-frog", WIDE_MOUTHED_FROG, "Shared1", 11),
    ("wide-mouthed-frog", WIDE_MOUTHED_FROG, "Shared2", 64),
    ("wide-mouthed-frog", WIDE_MOUTHED_FROG, "Shared3", 237),
    ("wide-mouthed-frog", WIDE_MOUTHED_FROG, "Own4", 13),
    ("needham-schroeder-lowe", LOWE, "Shared1", 39),
    ("needham-schroeder-lowe", LOWE, "Own1C", 52),
    ("needham-schroeder-lowe", LOWE, "Own2C", 252),
    ("otway-rees", OTWAY_REES, "Shared1", 125),
    ("otway-rees", OTWAY_REES, "Own2", 117),
    ("yahalom", YAHALOM, "Shared1", 398),
    ("yahalom", YAHALOM, "Own2", 424),
    (
        "private-authentication",
        PRIVATE_AUTHENTICATION,
        "Shared1",
        48,
    ),
    (
        "private-authentication",
        PRIVATE_AUTHENTICATION,
        "Own2C",
        303,
    ),
    ("passport", PASSPORT, "BacSame4", 1),
    ("passport", PASSPORT, "Shared2", 92),
    ("passport", PASSPORT, "Own3", 16),
];

struct Model {
    store: TermStore,
    program: Program,
}

impl Model {
    fn new(text: &str) -> Self {
        let store = TermStore::new();
        let file = SourceFile::anonymous("bench.spi", text);
        let program = check_text(&file, &store, TupleMode::Nested).program;
        Self { store, program }
    }

    /// Whether the claim about a system holds, and the number of nodes.
    fn run(&self, system: &str) -> (bool, u64) {
        let starts = format!("{system}(");
        let claim = self
            .program
            .claims
            .iter()
            .find(|c| c.text.starts_with(&starts) || c.text.starts_with(&format!("{system} ")))
            .expect("the file has the claim");
        let settings = Settings {
            cones: false,
            by_role: false,
            congruence: false,
            ..Settings::default()
        };
        let result = compare_claim(&self.store, &self.program, &claim.kind, &settings, &Silent)
            .expect("the claim compares")
            .expect("the systems unfold");
        let equivalent = match result.verdict {
            ComparisonVerdict::Equivalent => true,
            ComparisonVerdict::Distinguished(_) => false,
            other => panic!("{system}: {other:?}"),
        };
        (equivalent, result.stats.nodes)
    }
}

fn bench(c: &mut Criterion) {
    let mut group = c.benchmark_group("equiv");
    group.sample_size(10);
    for (name, text, system, nodes) in ROWS {
        let model = Model::new(text);
        let equivalent = !system.starts_with("Bac");
        assert_eq!(model.run(system), (equivalent, *nodes), "{name} {system}");
        group.bench_function(format!("{name}-{system}"), |b| {
            b.iter(|| model.run(system));
        });
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
