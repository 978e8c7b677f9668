//! The models in the documents are models: they are checked, and formatted as `spi fmt` would do it.

use spi::base::source::{SourceFile, SourceMap, render};
use spi::lang::sema::check_text;
use spi::lang::syntax::format::format;
use spi::lang::syntax::token::Token;
use spi::process::TupleMode;
use spi::term::TermStore;

/// The blocks between a line that starts with three back-ticks and `spi`, and the next such line.
fn models(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut block: Option<String> = None;
    for line in text.lines() {
        match &mut block {
            None if line == "```spi" => block = Some(String::new()),
            None => {}
            Some(_) if line == "```" => found.extend(block.take()),
            Some(model) => {
                model.push_str(line);
                model.push('\n');
            }
        }
    }
    found
}

#[test]
fn models_in_the_documents_are_right() {
    for (name, text) in [
        ("README.md", include_str!("../README.md")),
        ("docs/language.md", include_str!("../docs/language.md")),
        ("docs/cookbook.md", include_str!("../docs/cookbook.md")),
        (
            "docs/course/handout.md",
            include_str!("../docs/course/handout.md"),
        ),
        (
            "docs/course/slides.md",
            include_str!("../docs/course/slides.md"),
        ),
    ] {
        let models = models(text);
        assert!(!models.is_empty(), "{name} shows a model");
        for model in models {
            let file = SourceFile::anonymous(name, &model);
            let checked = check_text(&file, &TermStore::new(), TupleMode::default());
            let shown = render::to_string(&SourceMap::from(file.clone()), &checked.diagnostics);
            assert!(checked.diagnostics.is_empty(), "{shown}");
            assert_eq!(format(&file).as_deref(), Ok(&*model), "{name}");
        }
    }
}

#[test]
fn the_manual_lists_all_keywords() {
    let manual = include_str!("../docs/language.md");
    let start = manual.find("```text\n").expect("the list of keywords") + "```text\n".len();
    let end = start + manual[start..].find("```").expect("the end of the list");
    let mut listed: Vec<&str> = manual[start..end].split_whitespace().collect();
    let mut keywords: Vec<&str> = Token::KEYWORDS
        .iter()
        .map(|(text, _)| *text)
        .filter(|text| text.is_ascii())
        .collect();
    listed.sort_unstable();
    keywords.sort_unstable();
    assert_eq!(listed, keywords);
}

/// Words of the glossary that only documents and code use; no report has them.
const NOT_IN_REPORTS: &[&str] = &[
    "agent",
    "sort",
    "name",
    "key family",
    "share",
    "joint key",
    "function",
    "destructor",
    "opening rule",
    "library",
    "compose",
    "open",
    "Lambda",
    "Upsilon",
    "static equivalence",
    "unfolding",
    "step",
    "thread",
    "template",
    "settle",
    "saturate",
    "subsumption",
    "symmetry",
    "relation R",
    "canonical form",
    "memoise",
    "joint exploration",
    "claim",
    "budget",
    "trusted core",
    "mutant",
];

#[test]
fn the_words_of_the_glossary_that_reports_use_are_explained() {
    let glossary = include_str!("../docs/glossary.md");
    let entries = glossary.lines().filter_map(|l| l.strip_prefix("**"));
    let words = entries.filter_map(|l| Some(l.split_once("**")?.0.split(", ")));
    let words: Vec<&str> = words.flatten().collect();
    assert!(words.contains(&"level") && words.contains(&"barb"));
    for word in NOT_IN_REPORTS {
        assert!(words.contains(word), "`{word}` is not in the glossary");
    }
    for word in words.iter().filter(|w| !NOT_IN_REPORTS.contains(w)) {
        let told = spi::base::source::explain::word(word, 80);
        assert!(told.is_some(), "`spi explain {word}` says nothing");
    }
}

#[test]
fn the_source_files_that_documents_name_exist() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut missing = Vec::new();
    for name in [
        "CONTRIBUTING.md",
        "docs/architecture.md",
        "docs/distributed.md",
        "docs/lts.md",
        "docs/semantics.md",
    ] {
        let text = std::fs::read_to_string(root.join(name)).expect("a document");
        for path in text.split('`').skip(1).step_by(2) {
            let rust = std::path::Path::new(path).extension() == Some("rs".as_ref());
            let is_file = rust && path.contains('/');
            if is_file && !root.join(path).exists() && !root.join("src").join(path).exists() {
                missing.push(format!("{name}: {path}"));
            }
        }
    }
    assert!(missing.is_empty(), "\n{}", missing.join("\n"));
}
