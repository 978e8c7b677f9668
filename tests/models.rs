//! Every model under `protocols` checks without a single remark, and one slip in it gives few.

use spi::base::source::{Code, SourceFile, SourceMap, render};
use spi::lang::sema;
use spi::lang::syntax::{ast::Type, token::Token};
use spi::process::TupleMode;
use spi::term::TermStore;
use std::path::{Path, PathBuf};

pub fn models(folder: &Path, found: &mut Vec<PathBuf>) {
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

#[test]
fn the_text_of_a_claim_reads_as_that_claim() {
    let mut found = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols");
    models(&folder, &mut found);
    for path in found {
        let text = std::fs::read_to_string(&path).expect("a text");
        // The goals of a narration are claims in the words of the narration.
        if text.contains("\nprotocol ") {
            continue;
        }
        let check = |text: &str| {
            let file = SourceFile::anonymous("t.spi", text);
            sema::check_text(&file, &TermStore::new(), TupleMode::Nested)
        };
        let claims = check(&text).program.claims;
        let lines: Vec<&str> = claims.iter().map(|c| c.text.as_str()).collect();
        let again = lines.join("\n");
        let checked = check(&format!("{text}\n{again}"));
        let codes: Vec<Code> = checked.diagnostics.iter().map(|d| d.code).collect();
        assert_eq!(codes, vec![Code::DuplicateClaim; claims.len()], "{again}");
    }
}

/// The words of a model with their places; comments are left out.
fn words(text: &str) -> Vec<std::ops::Range<usize>> {
    let mut words = Vec::new();
    let mut rest = 0;
    for line in text.split_inclusive('\n') {
        let code = line.split("//").next().unwrap_or_default();
        let mut start = None;
        for (i, c) in code.char_indices() {
            let in_word = c.is_ascii_alphanumeric() || c == '_' || c == '\'';
            match (in_word, start) {
                (true, None) => start = Some(i),
                (false, Some(s)) => {
                    words.push(rest + s..rest + i);
                    start = None;
                }
                _ => {}
            }
            if !in_word && !c.is_whitespace() {
                words.push(rest + i..rest + i + c.len_utf8());
            }
        }
        rest += line.len();
    }
    words
}

/// For every model, the numbers of errors after each replacement of one word.
fn errors_after(replace: impl Fn(&str) -> Option<&'static str>, every: usize) -> Vec<usize> {
    let mut found = Vec::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols");
    models(&folder, &mut found);
    let mut counts = Vec::new();
    for path in found {
        let text = std::fs::read_to_string(&path).expect("a text");
        for word in words(&text).into_iter().step_by(every) {
            let Some(other) = replace(&text[word.clone()]) else {
                continue;
            };
            let changed = format!("{}{other}{}", &text[..word.start], &text[word.end..]);
            let file = SourceFile::anonymous("t.spi", &changed);
            let checked = sema::check_text(&file, &TermStore::new(), TupleMode::Nested);
            let errors = checked.diagnostics.iter().filter(|d| d.is_error());
            counts.push(errors.count());
        }
    }
    counts
}

#[test]
fn one_misspelt_name_is_one_error() {
    let is_name = |word: &str| {
        let keyword = Token::KEYWORDS.iter().any(|(text, _)| *text == word);
        let name = word.starts_with(|c: char| c.is_ascii_alphabetic());
        (name && !keyword && Type::parse(word).is_none()).then_some("zzq")
    };
    let counts = errors_after(is_name, 3);
    assert!(counts.len() > 1000, "{}", counts.len());
    // A name that is gone is missed once where it was used, and once by each claim about it.
    assert!(counts.iter().all(|n| *n <= 5), "{:?}", counts.iter().max());
    let several = counts.iter().filter(|n| **n > 1).count();
    assert!(
        several * 100 < counts.len(),
        "{several} of {}",
        counts.len()
    );
}

#[test]
fn one_missing_word_is_few_errors() {
    let counts = errors_after(|_| Some(" "), 7);
    assert!(counts.len() > 1000, "{}", counts.len());
    assert!(counts.iter().all(|n| *n <= 7), "{:?}", counts.iter().max());
    let several = counts.iter().filter(|n| **n > 2).count();
    assert!(several * 10 < counts.len(), "{several} of {}", counts.len());
}
