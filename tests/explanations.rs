//! The long forms of the codes: their examples are true, and the page of the manual is up to date.

use spi::source::{Code, Diagnostic, SourceFile, SourceMap, explain, render};
use spi::syntax::{format::format, parse};

fn check(text: &str) -> (SourceFile, Vec<Diagnostic>) {
    let file = SourceFile::anonymous("example.spi", text);
    let (_, diagnostics) = parse(&file);
    (file, diagnostics)
}

/// Codes of the phases that are checked here.
fn is_syntax(code: Code) -> bool {
    matches!(&code.as_str()[1..3], "00" | "01")
}

#[test]
fn a_wrong_example_shows_its_mistake_and_nothing_else() {
    for code in Code::ALL.iter().copied().filter(|c| is_syntax(*c)) {
        let Some(example) = explain::explain(code).example else {
            continue;
        };
        let (file, diagnostics) = check(example.wrong);
        let codes: Vec<Code> = diagnostics.iter().map(|d| d.code).collect();
        let shown = render::to_string(&SourceMap::from(file), &diagnostics);
        assert_eq!(codes, [code], "{}\n{shown}", example.wrong);
    }
}

#[test]
fn a_right_example_is_clean_and_formatted() {
    for code in Code::ALL {
        let Some(example) = explain::explain(*code).example else {
            continue;
        };
        let (file, diagnostics) = check(example.right);
        let shown = render::to_string(&SourceMap::from(file.clone()), &diagnostics);
        assert!(diagnostics.is_empty(), "{code}\n{}\n{shown}", example.right);
        assert_eq!(format(&file).as_deref(), Ok(example.right), "{code}");
    }
}

#[test]
fn every_code_of_a_model_has_examples() {
    let without: Vec<&str> = Code::ALL
        .iter()
        .filter(|c| explain::explain(**c).example.is_none())
        .map(|c| c.as_str())
        .collect();
    let expected = [
        "E0006", "E0407", "E0601", "E0602", "E0603", "E0604", "E0605", "E0606",
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
