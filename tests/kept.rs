//! What is kept from one system or claim for the next changes nothing: systems unfolded in a series are those unfolded
//! alone, and honest runs that are remembered are those that would be found again.

use spi::analysis::{Assignments, Kept, Settings, Subject, assignments, check_claim};
use spi::base::limits::Silent;
use spi::base::source::SourceFile;
use spi::lang::sema;
use spi::process::{Bounds, Closed, Series, Shapes, SystemId, unfold};
use spi::term::TermStore;
use std::fs;
use std::path::{Path, PathBuf};

fn library() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols")
}

/// All models of a folder.
fn models(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(models(&path));
        } else if path.extension().is_some_and(|e| e == "spi") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn read(path: &Path, store: &TermStore) -> sema::Lowered {
    let text = fs::read_to_string(path).expect("a model");
    sema::Lowered::from_text(&SourceFile::anonymous("model.spi", &text), store)
}

/// Unfolds generated systems in a series and alone. Every seventh is not given back.
fn compare(store: &TermStore, generated: &Assignments, numbers: &[usize], bounds: Bounds) {
    let closed = |system| Closed::new(system, Vec::new());
    let mut series = Series::new(&generated.program, store, bounds);
    let mut extended = generated.program.clone();
    let mut held = Vec::new();
    for (i, number) in numbers.iter().enumerate() {
        let next = series.unfold(&closed(generated.common), &generated.threads(*number));
        let system = closed(generated.add(&mut extended, *number));
        let alone = unfold(&extended, store, &system, bounds, &mut Shapes::new());
        match (next, alone) {
            (Ok(next), Ok(alone)) => {
                assert_eq!(format!("{next:?}"), format!("{alone:?}"));
                if i % 7 == 3 {
                    held.push(next.clone());
                }
                series.give_back(next);
            }
            (next, alone) => assert_eq!(next.err(), alone.err()),
        }
    }
}

#[test]
fn systems_in_a_series_are_those_unfolded_alone() {
    for path in models(&library()) {
        let store = TermStore::new();
        let model = read(&path, &store);
        for program in [&model.nested.program, &model.flat.program] {
            for (i, decl) in program.systems.iter().enumerate() {
                let closed = Closed::new(SystemId(i as u32), Vec::new());
                if !decl.body.params.is_empty() {
                    continue;
                }
                let Some(generated) = assignments(program, &store, &closed, 2, true, &|| None)
                else {
                    continue;
                };
                let numbers: Vec<usize> = (0..generated.len().min(60)).collect();
                for trim in [true, false] {
                    let bounds = Bounds {
                        copies: 2,
                        trim,
                        ..Bounds::default()
                    };
                    compare(&store, &generated, &numbers, bounds);
                }
                // In any order: what two neighbours have in common is looked at, not assumed.
                let there = numbers.iter().step_by(5);
                let back = numbers.iter().rev().step_by(3);
                let mixed: Vec<usize> = there.chain(back).copied().collect();
                compare(&store, &generated, &mixed, Bounds::default());
            }
        }
    }
}

/// Agents that nothing tells apart: no more of them matter than can take part, and with which names does not matter either. There was a
/// time when six agents made more systems than five.
#[test]
fn agents_that_can_not_all_take_part_make_no_further_systems() {
    let text = fs::read_to_string(library().join("nsl.spi")).expect("a model");
    let systems = |agents: usize, n: u32| {
        let others: Vec<String> = (2..agents).map(|i| format!("D{i}")).collect();
        let declared = format!("agent A, B, {}", others.join(", "));
        let text = text.replace("agent A, B", &declared);
        let store = TermStore::new();
        let file = SourceFile::anonymous("model.spi", &text);
        let model = sema::Lowered::from_text(&file, &store);
        let closed = Closed::new(SystemId(0), Vec::new());
        let program = &model.nested.program;
        let all = assignments(program, &store, &closed, n, false, &|| None);
        all.expect("roles").len()
    };
    assert!([3, 4, 5, 6, 9, 40].iter().all(|k| systems(*k, 1) == 4));
    assert!([4, 5, 6, 9, 40].iter().all(|k| systems(*k, 2) == 37));
    assert!(systems(3, 3) < systems(5, 3) && systems(6, 3) == systems(12, 3));
}

#[test]
fn a_system_that_is_too_large_does_not_spoil_the_next() {
    let store = TermStore::new();
    let model = read(&library().join("nsl.spi"), &store);
    let closed = Closed::new(SystemId(0), Vec::new());
    let generated = assignments(&model.nested.program, &store, &closed, 2, true, &|| None);
    let bounds = Bounds {
        steps: 3,
        ..Bounds::default()
    };
    compare(&store, &generated.expect("roles"), &[0, 0, 1], bounds);
}

#[test]
fn honest_runs_that_are_kept_are_those_found_again() {
    let files = [
        "yahalom/yahalom.spi",
        "woo-lam/mutual.spi",
        "otway-rees/otway-rees.spi",
        "wide-mouthed-frog/wmf.spi",
        "symmetric/kerberos.spi",
        "ns.spi",
    ];
    for file in files {
        let store = TermStore::new();
        let sema::Lowered { nested, flat, .. } = read(&library().join(file), &store);
        let (nested, flat) = (&nested.program, &flat.program);
        let common = Kept::new();
        for typed in [false, true] {
            let settings = Settings {
                typed,
                ..Settings::default()
            };
            for (n, f) in nested.claims.iter().zip(&flat.claims) {
                if n.kind.system().is_none() {
                    continue;
                }
                let [kept, found] = [&common, &Kept::new()].map(|kept| {
                    let subject = Subject {
                        store: &store,
                        nested,
                        flat,
                        kept,
                    };
                    let result = check_claim(&subject, n, f, &settings, &Silent);
                    result.expect("the system unfolds")
                });
                let told = |r: &spi::analysis::ClaimResult| format!("{:?} {:?}", r.verdict, r.gate);
                assert_eq!(told(&kept), told(&found), "{file}: {}", n.text);
            }
        }
    }
}
