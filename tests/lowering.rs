//! From text to a program: every construct, and every process with a known verdict.

use spi::process::{Proc, Program, TupleMode};
use spi::sema::{Checked, check_text, system_from_process};
use spi::source::{SourceFile, SourceMap, render};
use spi::term::TermStore;

fn rendered(text: &str, checked: &Checked) -> String {
    let map = SourceMap::from(SourceFile::anonymous("t.spi", text));
    render::to_string(&map, &checked.diagnostics)
}

fn lower(text: &str) -> (Program, TermStore) {
    let store = TermStore::new();
    let checked = check_text(
        &SourceFile::anonymous("t.spi", text),
        &store,
        TupleMode::Nested,
    );
    assert!(
        checked.diagnostics.is_empty(),
        "{}",
        rendered(text, &checked)
    );
    (checked.program, store)
}

/// The rows of a table under `tests/data`.
fn rows(table: &str) -> Vec<Vec<String>> {
    let path = format!("{}/tests/data/{table}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect(&path);
    text.lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .map(|l| l.split('\t').map(str::to_owned).collect())
        .collect()
}

fn all_lower(declarations: &str, processes: impl Iterator<Item = String>) -> usize {
    let store = TermStore::new();
    let mut count = 0;
    for process in processes {
        for tuples in [TupleMode::Nested, TupleMode::Flat] {
            if let Err(diagnostics) = system_from_process(declarations, &process, &store, tuples) {
                panic!("{process}\n{diagnostics:#?}");
            }
        }
        count += 1;
    }
    count
}

#[test]
fn the_labelled_random_pairs_lower() {
    let pairs = rows("random-pairs.tsv").into_iter();
    let processes = pairs.flat_map(|row| row[1..3].to_vec());
    assert_eq!(all_lower("channel c, d  public a, b, ok", processes), 1000);
}

#[test]
fn the_named_pairs_lower() {
    let pairs = rows("equivalences.tsv").into_iter();
    let processes = pairs.flat_map(|row| row[2..4].to_vec());
    let count = all_lower("channel a, b, c, d, e, f  public m1, m2, ok, ko", processes);
    assert_eq!(count, 2 * 72);
}

#[test]
fn the_file_of_the_manual_lowers() {
    let path = format!("{}/tests/grammar/nsl.spi", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect(&path);
    let (program, _) = lower(&text);
    assert_eq!(program.definitions.len(), 2);
    assert_eq!(program.systems.len(), 1);
    assert_eq!(program.claims.len(), 2);
    let outputs = program
        .procs
        .iter()
        .filter(|p| matches!(p, Proc::Output { .. }))
        .count();
    assert_eq!(outputs, 3);
}
