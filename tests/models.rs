//! Every model under `protocols` parses and checks without a single remark.

use spi::process::TupleMode;
use spi::sema;
use spi::source::{SourceMap, render};
use spi::term::TermStore;
use std::path::{Path, PathBuf};

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            models(&path, found);
        } else if path.extension().is_some_and(|e| e == "spi") {
            found.push(path);
        }
    }
    found.sort();
}

#[test]
fn models_check_cleanly_with_nested_and_with_flat_tuples() {
    let mut found = Vec::new();
    models(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols"),
        &mut found,
    );
    assert!(found.len() >= 5, "the seed models are there");
    let mut failures = String::new();
    for path in found {
        for tuples in [TupleMode::Nested, TupleMode::Flat] {
            let mut map = SourceMap::new();
            let store = TermStore::new();
            let checked = sema::load(&mut map, &path, &store, tuples).expect("a text");
            let shown = render::to_string(&map, &checked.diagnostics);
            failures.push_str(&shown);
            assert!(
                !checked.program.claims.is_empty(),
                "{} claims nothing",
                path.display()
            );
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
