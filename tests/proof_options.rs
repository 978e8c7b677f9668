//! What a proof may use ([`spi::engine::prove::Options`]), switched off one by one: with each setting, what is proved is not attacked, neither
//! as it is written nor with every role instance of the system there twice.

use crate::reference;
use crate::support::is_large;
use reference::random::seeds;
use reference::{bare, locks, planted, process, protocol};
use spi::analysis::{Kept, LimitSpec, Settings, Subject, Verdict, check_claim};
use spi::base::limits::Silent;
use spi::base::source::SourceFile;
use spi::certify::proof::{ProofError, check};
use spi::engine::prove::{Cut, Options, prove};
use spi::engine::search;
use spi::lang::sema::check_text;
use spi::process::{Bounds, ClaimKind, Proc, ProcId, Program, Shapes, TupleMode, unfold};
use spi::term::TermStore;
use std::path::Path;

/// All settings that are compared; the first is what is used.
fn settings() -> Vec<(&'static str, Options)> {
    let all = Options::default();
    let second = Options {
        plain: false,
        ..all
    };
    let once = Options {
        once: false,
        ..second
    };
    let strangers = Options {
        strangers: false,
        ..second
    };
    let near = |depth| Options {
        cut: Cut::Below(depth),
        received: false,
        ..all
    };
    vec![
        ("all", all),
        ("the second attempt alone", second),
        (
            "the first attempt alone",
            Options {
                received: false,
                ..all
            },
        ),
        ("messages that differ", once),
        ("strangers", strangers),
        (
            "messages that differ, strangers",
            Options {
                strangers: false,
                ..once
            },
        ),
        (
            "all earlier events",
            Options {
                relevant: false,
                ..all
            },
        ),
        ("no comparisons", Options { tries: 0, ..all }),
        ("one comparison", Options { tries: 1, ..second }),
        (
            "comparisons without bound",
            Options {
                tries: u32::MAX,
                ..second
            },
        ),
        (
            "no cuts",
            Options {
                cut: Cut::Never,
                received: false,
                ..all
            },
        ),
        ("cuts near the top", near(1)),
        ("cuts further down", near(2)),
    ]
}

/// A process with each instance at its top twice.
fn twice(program: &mut Program, root: ProcId) -> ProcId {
    let doubled = match program.proc(root).clone() {
        Proc::Par(parts) => Proc::Par(parts.into_iter().map(|p| twice(program, p)).collect()),
        Proc::New(sites, then) => Proc::New(sites, twice(program, then)),
        Proc::Replicate { copies, body, span } => Proc::Replicate {
            copies,
            body: twice(program, body),
            span,
        },
        Proc::Call { .. } => Proc::Par(vec![root; 2]),
        _ => return root,
    };
    program.add(doubled)
}

fn doubled(program: &Program) -> Program {
    let mut doubled = program.clone();
    for i in 0..doubled.systems.len() {
        let root = doubled.systems[i].body.root;
        doubled.systems[i].body.root = twice(&mut doubled, root);
        doubled.systems[i].partial = true;
    }
    doubled
}

/// How many claims were proved with each setting, and how many were attacked.
struct Counts {
    proved: Vec<usize>,
    attacked: usize,
}

impl Counts {
    fn new() -> Self {
        Self {
            proved: vec![0; settings().len()],
            attacked: 0,
        }
    }

    /// Tries all claims of a text with all settings.
    fn add(&mut self, text: &str, from: &str, states: u64) {
        let store = TermStore::new();
        let file = SourceFile::anonymous("test.spi", text);
        let lowered = |tuples| check_text(&file, &store, tuples).program;
        let (nested, flat) = (lowered(TupleMode::Nested), lowered(TupleMode::Flat));
        let search = Settings {
            proofs: false,
            compare_typed: false,
            search: search::Options {
                workers: 1,
                ..search::Options::default()
            },
            limits: LimitSpec {
                states: Some(states),
                ..LimitSpec::default()
            },
            ..Settings::default()
        };
        let bounds = Bounds {
            trim: true,
            ..search.bounds
        };
        for (i, claim) in nested.claims.iter().enumerate() {
            let Some(closed) = claim.kind.system() else {
                continue;
            };
            if matches!(claim.kind, ClaimKind::Reachable { .. }) {
                continue;
            }
            let system =
                unfold(&nested, &store, closed, bounds, &mut Shapes::new()).expect("it is small");
            let goal = search::Goal::new(&store, &system, &claim.kind).expect("it is about one");
            let proved: Vec<&str> = settings()
                .into_iter()
                .enumerate()
                .filter(|(_, (name, o))| {
                    let signature = &nested.signature;
                    let found = prove(&store, signature, &system, &goal, *o, &|| false);
                    found.is_ok_and(|(_, certificate)| {
                        let checked = check(
                            &store,
                            signature,
                            &system,
                            &claim.kind,
                            &certificate,
                            &|| false,
                        );
                        // What is received at one place is made equal there, and conditions then fall apart.
                        let refused = |e: &ProofError| o.once && *e != ProofError::GaveUp;
                        let checked = checked.err().filter(refused);
                        assert_eq!(checked, None, "{from}: `{}`, {name}", claim.text);
                        true
                    })
                })
                .map(|(n, (name, _))| {
                    self.proved[n] += 1;
                    name
                })
                .collect();
            let attacked = |nested: &Program, flat: &Program| {
                let subject = Subject {
                    store: &store,
                    nested,
                    flat,
                    kept: &Kept::new(),
                };
                let (n, f) = (&nested.claims[i], &flat.claims[i]);
                let found = check_claim(&subject, n, f, &search, &Silent).expect("it unfolds");
                matches!(found.verdict, Verdict::Attack(_))
            };
            if proved.is_empty() {
                self.attacked += usize::from(attacked(&nested, &flat));
                continue;
            }
            for (nested, flat) in [
                (nested.clone(), flat.clone()),
                (doubled(&nested), doubled(&flat)),
            ] {
                let text = &claim.text;
                assert!(
                    !attacked(&nested, &flat),
                    "{from}: `{text}` is attacked, proved with: {proved:?}"
                );
            }
        }
    }
}

#[test]
fn the_library_is_proved_rightly_with_all_settings() {
    fn visit(folder: &Path, counts: &mut Counts) {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                visit(&path, counts);
            } else if path.extension().is_some_and(|e| e == "spi") && !is_large(&path) {
                let text = std::fs::read_to_string(&path).expect("the file can be read");
                counts.add(&text, &path.display().to_string(), 60);
            }
        }
    }
    let mut counts = Counts::new();
    visit(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols"),
        &mut counts,
    );
    let proved = &counts.proved;
    assert!(proved[0] > 200, "{proved:?}");
    // Each attempt proves what the other does not, and so does what is received once.
    assert!(proved[0] > proved[1].max(proved[2]), "{proved:?}");
    assert!(proved[1] > proved[3], "{proved:?}");
    // Cuts prove more, unless they are made too near the top.
    let [without, near, far] = [10, 11, 12].map(|i| proved[i]);
    assert!(proved[2] > without, "{proved:?}");
    assert!(near < far && far < proved[2], "{proved:?}");
    assert!(counts.attacked > 50, "{}", counts.attacked);
}

#[test]
fn random_claims_are_proved_rightly_with_all_settings() {
    let mut counts = Counts::new();
    for seed in seeds(60) {
        let from = format!("seed {seed}");
        counts.add(&protocol::file(seed), &from, 200);
        counts.add(&locks::file(seed), &from, 200);
        counts.add(&planted::file(seed, planted::Length::Short), &from, 200);
        let style = process::Style {
            mobile: seed % 4 == 0,
            ..process::Style::default()
        };
        counts.add(&process::claims_file(seed, style), &from, 200);
    }
    assert!(counts.proved[0] > 50, "{:?}", counts.proved);
    assert!(counts.attacked > 50, "{}", counts.attacked);
}

#[test]
fn claims_about_events_without_arguments_are_proved_rightly_with_all_settings() {
    let mut counts = Counts::new();
    for seed in seeds(120) {
        counts.add(&bare::file(seed), &format!("seed {seed}"), 400);
    }
    assert!(counts.proved[0] > 50, "{:?}", counts.proved);
    assert!(counts.attacked > 50, "{}", counts.attacked);
}
