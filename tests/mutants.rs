//! Broken on purpose: every condition on which a verdict rests has a test that notices when it is gone.
//!
//! `tests/mutants/*.txt` lists changes of the source: a file, a text that is there exactly once, with the part between
//! `⟦` and `⟧` to be replaced, what stands there instead, the test that must fail then, and why. The quick test here
//! looks whether the lists still fit the source. `tests/mutants/run` does the rest: it copies the tree, puts all changes into
//! the copy, each behind a switch, builds once, and runs the test of each change with its switch on.

mod list;
mod scratch;

use list::{Entry, entries};
use scratch::{Fate, Scratch};

#[test]
fn every_broken_line_is_in_the_source_and_its_test_exists() {
    let entries = entries();
    let mut wrong: Vec<String> = entries.iter().filter_map(Entry::misfit).collect();
    for (i, e) in entries.iter().enumerate() {
        let again = |f: &Entry| (&f.file, &f.text, &f.with) == (&e.file, &e.text, &e.with);
        if entries[..i].iter().any(again) {
            wrong.push(format!("{}: listed twice", e.title()));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    assert!(!entries.is_empty());
}

/// Started by `tests/mutants/run`, with a pattern in `SPI_MUTANTS` that chooses among the changes.
#[test]
#[ignore = "builds the package anew: tests/mutants/run"]
fn every_broken_line_is_noticed() {
    let pattern = std::env::var("SPI_MUTANTS").unwrap_or_default();
    let all = entries();
    let chosen: Vec<usize> = (0..all.len()).filter(|i| all[*i].fits(&pattern)).collect();
    assert!(!chosen.is_empty(), "no entry has `{pattern}` in it");
    let scratch = Scratch::build(&all, &chosen);
    let unfit = scratch.failing_unbroken(&all, &chosen);
    assert!(unfit.is_empty(), "fail as it is: {unfit:?}");
    let mut missed = Vec::new();
    for &i in &chosen {
        let fate = scratch.run_broken(i, &all[i]);
        println!("{:<12} {}", fate.word(), all[i].title());
        if fate != Fate::Noticed {
            missed.push(all[i].title());
        }
    }
    println!(
        "{} of {} noticed",
        chosen.len() - missed.len(),
        chosen.len()
    );
    assert!(missed.is_empty(), "not noticed:\n{}", missed.join("\n"));
}
