//! Pairs of processes with an expected verdict, and how to check it.

#![allow(dead_code, missing_docs)]

use spi::base::limits::Silent;
use spi::certify::{Effort, Subject, replay_experiment};
use spi::engine::equiv::{Options, Outcome, Reductions, Stats, Surroundings, compare};
use spi::lang::sema::system_from_process;
use spi::process::{Bounds, Closed, Program, Shapes, System, unfold};
use spi::term::{TermId, TermStore};

/// The rows of a table under `tests/data`.
pub fn rows(table: &str) -> Vec<Vec<String>> {
    let path = format!("{}/tests/data/{table}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect(&path);
    text.lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .map(|l| l.split('\t').map(str::to_owned).collect())
        .collect()
}

/// Two processes and whether they are equivalent.
#[derive(Clone, Debug)]
pub struct Pair {
    pub declarations: String,
    pub name: String,
    pub equivalent: bool,
    pub left: String,
    pub right: String,
}

impl Pair {
    pub fn new(declarations: &str, name: &str, verdict: &str, left: &str, right: &str) -> Self {
        Self {
            declarations: declarations.into(),
            name: name.into(),
            equivalent: verdict == "=",
            left: left.into(),
            right: right.into(),
        }
    }
}

/// Two systems over one store.
pub struct Systems {
    pub store: TermStore,
    pub left: System,
    pub right: System,
    pub knows: Vec<TermId>,
    pub spies: Vec<TermId>,
}

fn unfolded(store: &TermStore, program: &Program, name: &str, shapes: &mut Shapes) -> System {
    let closed = Closed::new(program.system_named(name).expect(name), vec![]);
    unfold(program, store, &closed, Bounds::default(), shapes).expect("it unfolds")
}

impl Systems {
    pub fn of(declarations: &str, left: &str, right: &str) -> Self {
        let store = TermStore::new();
        let mut shapes = Shapes::new();
        let mut knows = Vec::new();
        let mut spies = Vec::new();
        let mut lower = |process: &str| {
            let mode = spi::process::TupleMode::Nested;
            let (program, _) = system_from_process(declarations, process, &store, mode)
                .unwrap_or_else(|d| panic!("{process}\n{d:#?}"));
            knows.clone_from(&program.signature.knows);
            spies.clone_from(&program.signature.spies);
            unfolded(&store, &program, "P", &mut shapes)
        };
        let (left, right) = (lower(left), lower(right));
        Self {
            store,
            left,
            right,
            knows,
            spies,
        }
    }

    /// Everything that a comparison tells, except the time it took.
    pub fn told(&self, options: &Options) -> String {
        let surroundings = Surroundings {
            knows: &self.knows,
            spies: &self.spies,
        };
        let (left, right) = (&self.left, &self.right);
        let mut outcome = compare(&self.store, left, right, &surroundings, options, &Silent);
        match &mut outcome {
            Outcome::Equivalent(s)
            | Outcome::Distinguished(_, s)
            | Outcome::Refused(_, s)
            | Outcome::Inconclusive(_, s)
            | Outcome::Untold(_, s) => s.time = std::time::Duration::ZERO,
        }
        let told = match &outcome {
            Outcome::Distinguished(d, _) => d.experiment.test_process(&self.store, &self.knows),
            _ => String::new(),
        };
        format!("{:?}\n{told}", outcome.stats())
    }

    /// Compares; a refutation is replayed. `None` if the answer is not known.
    pub fn compare(&self, options: &Options) -> (Option<bool>, Stats) {
        let surroundings = Surroundings {
            knows: &self.knows,
            spies: &self.spies,
        };
        let outcome = compare(
            &self.store,
            &self.left,
            &self.right,
            &surroundings,
            options,
            &Silent,
        );
        match outcome {
            Outcome::Equivalent(stats) => (Some(true), stats),
            Outcome::Inconclusive(_, stats) | Outcome::Untold(_, stats) => (None, stats),
            Outcome::Refused(error, _) => panic!("a certificate that is refused: {error}"),
            Outcome::Distinguished(distinction, stats) => {
                let subject = |system| Subject {
                    system,
                    initial: &self.knows,
                };
                let replayed = replay_experiment(
                    &self.store,
                    subject(&self.left),
                    subject(&self.right),
                    &distinction.experiment,
                    options.semantics,
                    Effort::of(1_000_000),
                );
                if let Err(e) = replayed {
                    panic!("the replay failed: {e}\n{:#?}", distinction.experiment);
                }
                (Some(false), stats)
            }
        }
    }
}

/// The default options on one thread.
pub fn everything() -> Options {
    Options {
        threads: 1,
        ..Options::default()
    }
}

/// The same, but systems that are structurally congruent are compared like others.
pub fn explored() -> Options {
    let mut options = everything();
    options.reductions.congruence = false;
    options
}

/// The same for the joint exploration alone.
pub fn default() -> Options {
    let mut options = explored();
    options.reductions.cones = false;
    options.reductions.by_role = false;
    options
}

/// Everything on, the joint exploration alone, the plain tree search, each reduction switched off, and solutions in reverse order.
pub fn all_ways() -> Vec<Options> {
    let with = |change: &dyn Fn(&mut Options)| {
        let mut options = default();
        change(&mut options);
        options
    };
    vec![
        everything(),
        with(&|o| o.reductions.cones = true),
        with(&|o| {
            o.reductions.cones = true;
            o.reductions.contained = false;
        }),
        with(&|o| o.reductions.by_role = true),
        with(&|o| o.reductions.congruence = true),
        with(&|_| {}),
        with(&|o| o.reversed = true),
        with(&|o| o.reductions = Reductions::none()),
        with(&|o| {
            o.reductions = Reductions::none();
            o.reversed = true;
        }),
        with(&|o| o.reductions.share = false),
        with(&|o| o.reductions.merge = false),
        with(&|o| o.reductions.common_renaming = false),
        with(&|o| o.reductions.public_renaming = false),
        with(&|o| o.reductions.drop_generics = false),
        with(&|o| o.reductions.drop_elements = false),
        with(&|o| o.reductions.renumber_levels = false),
        with(&|o| o.reductions.reflexive = false),
        with(&|o| o.reductions.symmetry = false),
        with(&|o| o.reductions.subsume = false),
        with(&|o| o.reductions.compress = false),
        with(&|o| {
            o.reductions.reflexive = false;
            o.reversed = true;
        }),
    ]
}

/// Checks every pair with every set of options; all failures are shown together.
pub fn agree(pairs: impl Iterator<Item = Pair>, all: &[Options]) {
    let mut wrong = Vec::new();
    for pair in pairs {
        let systems = Systems::of(&pair.declarations, &pair.left, &pair.right);
        for options in all {
            let check = std::panic::AssertUnwindSafe(|| systems.compare(options));
            let Ok((answer, _)) = std::panic::catch_unwind(check) else {
                wrong.push(format!("{}: panic with {options:?}", pair.name));
                continue;
            };
            if answer != Some(pair.equivalent) {
                wrong.push(format!(
                    "{}: expected {}, found {answer:?} with {options:?}\n  {}\n  {}",
                    pair.name, pair.equivalent, pair.left, pair.right
                ));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
