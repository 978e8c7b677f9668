//! The long forms of the codes: their examples are true, and the page of the manual is up to date.

use spi::base::source::{Code, Diagnostic, SourceFile, SourceMap, explain, render};
use spi::lang::sema::check_text;
use spi::lang::syntax::format::format;
use spi::process::{Bounds, Closed, Shapes, SystemId, TupleMode, UnfoldError, unfold};
use spi::term::TermStore;
use std::fmt::Write;

fn check(text: &str) -> (SourceFile, Vec<Diagnostic>) {
    let file = SourceFile::anonymous("example.spi", text);
    let store = TermStore::new();
    let checked = check_text(&file, &store, TupleMode::Nested);
    let mut diagnostics = checked.diagnostics.clone();
    for i in 0..checked.program.systems.len() {
        let system = SystemId(i as u32);
        let args = Vec::new();
        let unfolded = unfold(
            &checked.program,
            &store,
            &Closed::new(system, args),
            Bounds::default(),
            &mut Shapes::new(),
        );
        if let Err(UnfoldError::TooLarge { span, .. }) = unfolded {
            diagnostics.push(Diagnostic::new(Code::TooLarge, "too large").at(span, "here"));
        }
    }
    (file, diagnostics)
}

#[test]
fn a_wrong_example_shows_its_mistake_and_nothing_else() {
    let mut failures = String::new();
    for code in Code::ALL.iter().copied() {
        let Some(example) = explain::explain(code).example else {
            continue;
        };
        let (file, diagnostics) = check(example.wrong);
        let codes: Vec<Code> = diagnostics.iter().map(|d| d.code).collect();
        let shown = render::to_string(&SourceMap::from(file), &diagnostics);
        if codes != [code] {
            let _ = writeln!(failures, "{code}\n{}\n{shown}", example.wrong);
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn a_right_example_is_clean_and_formatted() {
    let mut failures = String::new();
    for code in Code::ALL {
        let Some(example) = explain::explain(*code).example else {
            continue;
        };
        let (file, diagnostics) = check(example.right);
        let shown = render::to_string(&SourceMap::from(file.clone()), &diagnostics);
        if !diagnostics.is_empty() {
            let _ = writeln!(failures, "{code}\n{}\n{shown}", example.right);
        }
        let formatted = format(&file);
        if formatted.as_deref() != Ok(example.right) {
            let _ = writeln!(failures, "{code}: {formatted:?}");
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn every_code_of_a_model_has_examples() {
    let without: Vec<&str> = Code::ALL
        .iter()
        .filter(|c| explain::explain(**c).example.is_none())
        .map(|c| c.as_str())
        .collect();
    let expected = [
        "E0006", "E0407", "E0409", "E0410", "E0411", "E0412", "E0413", "E0601", "E0602", "E0603",
        "E0604", "E0605", "E0606", "E0607", "E0608", "E0610", "E0611", "E0612", "E0613", "E0614",
        "W0601", "E0701", "W0702", "E0703", "E0801", "E0802", "E0803", "W0801", "E0901", "E0902",
        "E0903",
    ];
    assert_eq!(without, expected, "codes that no model can show");
}

/// Run with `UPDATE_DOCS=1` to write the page.
#[test]
fn the_page_of_the_manual_is_up_to_date() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/diagnostics.md");
    let page = explain::to_markdown();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).expect("the page can be written");
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        stored == page,
        "docs/diagnostics.md is not up to date: run the tests with UPDATE_DOCS=1"
    );
}
