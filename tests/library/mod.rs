//! The library keeps its promises: every file says what it is, where it comes from and why its verdict is what it is, and the
//! page about it, `docs/protocols.md` with one page for each family, is what the files say.
//!
//! `UPDATE=1 cargo test --test all library::` writes the pages. Nothing has to be told about a new model but in its own header;
//! `families.txt` has the titles of families, `works.txt` what is cited in full.

mod entry;
mod family;
mod header;
mod index;
mod markdown;
mod works;

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use entry::Entry;
use family::Family;
use header::Header;
use works::Works;

const START: &str = "<!-- written by `UPDATE=1 cargo test --test all library::` from here on -->";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All verdicts of the library.
fn verdicts(more: &[&str]) -> Value {
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .current_dir(root())
        .args(["test", "--format", "json", "protocols"])
        .args(more)
        .output()
        .expect("it runs");
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The verdicts of plain `spi test`, for all tests.
fn untyped() -> &'static Value {
    static VERDICTS: OnceLock<Value> = OnceLock::new();
    VERDICTS.get_or_init(|| verdicts(&[]))
}

/// The pages, by their paths.
fn pages() -> BTreeMap<String, String> {
    let untyped = untyped();
    let typed = verdicts(&["--typed"]);
    let files = untyped["files"].as_array().expect("files");
    let again = typed["files"].as_array().expect("files");
    assert!(files.len() >= 45, "{} files", files.len());
    let works = Works::read();
    let entries: Vec<Entry> = (files.iter().zip(again))
        .filter(|(file, _)| !Entry::is_solution(file))
        .map(|(file, typed)| Entry::new(file, typed, &works))
        .collect();
    let families = Family::all(&entries);
    let path = "docs/protocols.md";
    let text = fs::read_to_string(root().join(path)).expect("the page");
    let written = text.find(START).expect("the start of what is written") + START.len();
    let index = index::page(&families, &works);
    let mut pages = BTreeMap::from([(path.to_owned(), format!("{}\n\n{index}", &text[..written]))]);
    for family in &families {
        pages.insert(format!("docs/protocols/{}.md", family.name), family.page());
    }
    pages
}

#[test]
fn the_pages_say_what_the_files_say() {
    let pages = pages();
    let folder = root().join("docs/protocols");
    let update = std::env::var_os("UPDATE").is_some();
    let mut message = String::new();
    for file in fs::read_dir(&folder).into_iter().flatten().flatten() {
        let path = format!("docs/protocols/{}", file.file_name().to_string_lossy());
        if pages.contains_key(&path) {
            continue;
        }
        if update {
            fs::remove_file(file.path()).expect("removed");
        } else {
            let _ = writeln!(message, "{path} is about nothing");
        }
    }
    for (path, wanted) in &pages {
        let file = root().join(path);
        if update {
            fs::create_dir_all(&folder).expect("the folder");
            fs::write(&file, wanted).expect("written");
            continue;
        }
        let text = fs::read_to_string(&file).unwrap_or_default();
        if text != *wanted {
            let _ = writeln!(message, "{path}:");
            let differing = text.lines().zip(wanted.lines()).find(|(a, b)| a != b);
            if let Some((old, new)) = differing {
                let _ = writeln!(message, "- {old}\n+ {new}");
            }
        }
    }
    assert!(
        message.is_empty(),
        "the pages are not up to date; UPDATE=1 writes them\n{message}"
    );
    let broken = broken_links(&pages);
    assert!(broken.is_empty(), "links lead nowhere:\n{broken}");
}

/// The links that do not lead to a file, and to a place in it.
fn broken_links(pages: &BTreeMap<String, String>) -> String {
    let mut broken = String::new();
    for (path, text) in pages {
        let path = Path::new(path);
        for link in markdown::links(text).filter(|l| !l.contains("://")) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() {
                path.to_owned()
            } else {
                markdown::resolved(&path.with_file_name(file))
            };
            let page = pages.get(&*target.to_string_lossy());
            let there = match page {
                Some(text) => place.is_empty() || markdown::has_place(text, place),
                None => place.is_empty() && root().join(&target).exists(),
            };
            if !there {
                let _ = writeln!(broken, "{}: {link}", path.display());
            }
        }
    }
    broken
}

#[test]
fn every_file_opens_with_narration_source_and_reason() {
    let document = untyped();
    let mut missing = String::new();
    for file in document["files"].as_array().expect("files") {
        let path = file["file"].as_str().expect("a path");
        let head = Header::read(&fs::read_to_string(root().join(path)).expect("a text"));
        let compares = path.contains("/equivalence/");
        let wanted = [
            ("a title", !head.title.is_empty()),
            ("a narration", head.is_narrated() || compares),
            ("a source", head.paragraph("Source: ").is_some()),
            ("a verdict", head.paragraph("Verdict: ").is_some()),
        ];
        for (what, there) in wanted {
            if !there {
                let _ = writeln!(missing, "{path} has no {what}");
            }
        }
        for claim in file["claims"].as_array().expect("claims") {
            if claim["met"] != true {
                let _ = writeln!(missing, "{path}: {} is not met", claim["claim"]);
            }
        }
    }
    assert!(missing.is_empty(), "{missing}");
}
