//! The library keeps its promises: every file says what it is, where it comes from and why its verdict is what it is,
//! and the index in `protocols/README.md` is what the files say. `UPDATE=1 cargo test --test all library::` writes the index.

use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const START: &str = "<!-- index: written by `UPDATE=1 cargo test --test all library::` -->";
const END: &str = "<!-- end of the index -->";

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

/// The comment at the head of a file, its paragraphs joined into lines.
struct Header {
    title: String,
    paragraphs: Vec<String>,
    narrated: bool,
}

fn header(text: &str) -> Header {
    let lines: Vec<&str> = text
        .lines()
        .map_while(|l| l.strip_prefix("//"))
        .map(|l| l.strip_prefix(' ').unwrap_or(l))
        .collect();
    let paragraphs: Vec<String> = lines
        .split(|l| l.trim().is_empty())
        .filter(|p| !p.is_empty())
        .map(|p| p.join(" "))
        .collect();
    Header {
        title: paragraphs
            .first()
            .map_or_else(String::new, |t| t.trim_end_matches('.').to_owned()),
        narrated: lines
            .iter()
            .any(|l| l.starts_with("  ") && l.contains("->")),
        paragraphs,
    }
}

impl Header {
    fn paragraph(&self, word: &str) -> Option<&str> {
        self.paragraphs.iter().find_map(|p| p.strip_prefix(word))
    }
}

fn list(value: &Value) -> Vec<String> {
    let items = value.as_array().map_or(&[][..], Vec::as_slice);
    items
        .iter()
        .map(|v| v.as_str().unwrap_or_default().to_owned())
        .collect()
}

fn short(verdict: &Value) -> &str {
    match verdict.as_str().unwrap_or_default() {
        "equivalent for these runs only" => "holds for these runs only",
        "not equivalent" | "does not hold" | "unreachable" => "attack",
        other => other,
    }
}

/// A file of the library, with its verdicts.
struct Entry {
    /// Its path within the library.
    path: String,
    title: String,
    sources: Vec<String>,
    /// The first year that its sources name.
    year: Option<String>,
    /// Each claim with its verdicts, untyped and typed.
    claims: Vec<[String; 3]>,
    sessions: Vec<String>,
    kinds: Vec<String>,
}

impl Entry {
    fn new(file: &Value, typed: &Value) -> Entry {
        let path = file["file"].as_str().expect("a path");
        let head = header(&fs::read_to_string(root().join(path)).expect("a text"));
        let source = head.paragraph("Source: ").unwrap_or_default();
        let mut entry = Entry {
            path: path
                .strip_prefix("protocols/")
                .expect("in the library")
                .to_owned(),
            sources: cited(source.trim_end_matches('.')),
            year: years(source).into_iter().min(),
            title: head.title,
            claims: Vec::new(),
            sessions: Vec::new(),
            kinds: Vec::new(),
        };
        let add = |list: &mut Vec<String>, item: String| {
            if !list.contains(&item) {
                list.push(item);
            }
        };
        let again = typed["claims"].as_array().expect("claims");
        for (claim, typed) in file["claims"].as_array().expect("claims").iter().zip(again) {
            let keeps_types = typed["scope"]["typed"].as_bool() == Some(true);
            entry.claims.push([
                claim["claim"].as_str().unwrap_or_default().to_owned(),
                short(&claim["verdict"]).to_owned(),
                if keeps_types {
                    short(&typed["verdict"])
                } else {
                    "-"
                }
                .to_owned(),
            ]);
            let instances = list(&claim["scope"]["instances"]);
            if !instances.is_empty() {
                let system = list(&claim["scope"]["systems"]).join(" ");
                add(
                    &mut entry.sessions,
                    format!("`{system}`: {}", instances.join(", ")),
                );
            }
            for kind in list(&claim["runs"][0]["kinds"]) {
                add(&mut entry.kinds, kind);
            }
            if !claim["test"].is_null() {
                add(&mut entry.kinds, "distinguishing test".to_owned());
            }
        }
        entry
    }

    fn link(&self) -> String {
        format!("[{}]({})", self.path, self.path)
    }

    /// `2 attack, 1 holds`
    fn counts(&self, column: usize) -> String {
        let mut counts: Vec<(&str, usize)> = Vec::new();
        for claim in self.claims.iter().filter(|c| c[column] != "-") {
            match counts.iter_mut().find(|(word, _)| *word == claim[column]) {
                Some((_, n)) => *n += 1,
                None => counts.push((&claim[column], 1)),
            }
        }
        let parts: Vec<String> = counts
            .iter()
            .map(|(word, n)| format!("{n} {word}"))
            .collect();
        if parts.is_empty() {
            return "-".to_owned();
        }
        parts.join(", ")
    }
}

/// The works that a source line names: what stands between semicolons, without the word for what they are cited for.
fn cited(source: &str) -> Vec<String> {
    let parts = source.split(';').map(str::trim);
    let works = parts.map(|p| p.split_once(": ").map_or(p, |(_, work)| work).trim());
    works.filter(|w| !w.is_empty()).map(str::to_owned).collect()
}

fn years(text: &str) -> Vec<String> {
    let words = text.split(|c: char| !c.is_ascii_digit());
    let years = words.filter(|w| w.len() == 4 && (w.starts_with("19") || w.starts_with("20")));
    years.map(str::to_owned).collect()
}

/// The index: by protocol, by attack, by year, every claim, and the works that are cited.
fn index(entries: &[Entry]) -> String {
    let mut page = String::from(
        "## By protocol\n\n| protocol | file | year | untyped | typed | attack |\n|---|---|---|---|---|---|\n",
    );
    for e in entries {
        let kinds = if e.kinds.is_empty() {
            "-".to_owned()
        } else {
            e.kinds.join(", ")
        };
        let _ = writeln!(
            page,
            "| {} | {} | {} | {} | {} | {kinds} |",
            e.title,
            e.link(),
            e.year.as_deref().unwrap_or("-"),
            e.counts(1),
            e.counts(2)
        );
    }
    let grouped = |keys: &dyn Fn(&Entry) -> Vec<String>| {
        let mut groups: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for e in entries {
            for key in keys(e) {
                groups.entry(key).or_default().push(e.link());
            }
        }
        groups
            .into_iter()
            .fold(String::new(), |mut text, (key, links)| {
                let _ = writeln!(text, "- **{key}**: {}", links.join(", "));
                text
            })
    };
    let attacks = grouped(&|e| e.kinds.clone());
    let by_year = grouped(&|e| e.year.iter().cloned().collect());
    let works = grouped(&|e| e.sources.clone());
    let _ = write!(
        page,
        "\n## By attack\n\n{attacks}\n## By year\n\nThe year of the oldest work that the file cites.\n\n{by_year}\n## Claims\n"
    );
    for e in entries {
        let _ = writeln!(page, "\n### {}\n\n{}\n", e.link(), e.title);
        for [claim, untyped, typed] in &e.claims {
            let _ = writeln!(page, "- `{claim}`: {untyped}; typed: {typed}");
        }
        for session in &e.sessions {
            let _ = writeln!(page, "- {session}");
        }
    }
    let _ = write!(page, "\n## Bibliography\n\n{works}");
    page
}

#[test]
fn the_index_says_what_the_files_say() {
    let untyped = verdicts(&[]);
    let typed = verdicts(&["--typed"]);
    let files = untyped["files"].as_array().expect("files");
    let again = typed["files"].as_array().expect("files");
    assert!(files.len() >= 45, "{} files", files.len());
    let both = files.iter().zip(again);
    let entries: Vec<Entry> = both.map(|(file, typed)| Entry::new(file, typed)).collect();
    let table = index(&entries);
    let path = root().join("protocols/README.md");
    let text = fs::read_to_string(&path).expect("the index");
    let start = text.find(START).expect("the start of the index") + START.len();
    let end = text.find(END).expect("the end of the index");
    let wanted = format!("{}\n\n{table}\n{}", &text[..start], &text[end..]);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&path, wanted).expect("written");
        return;
    }
    if text != wanted {
        let mut message = String::from("the index is not up to date; UPDATE=1 writes it\n");
        let differing = text.lines().zip(wanted.lines()).filter(|(a, b)| a != b);
        for (old, new) in differing.take(3) {
            let _ = writeln!(message, "- {old}\n+ {new}");
        }
        panic!("{message}");
    }
}

#[test]
fn every_file_opens_with_narration_source_and_reason() {
    let document = verdicts(&[]);
    let mut missing = String::new();
    for file in document["files"].as_array().expect("files") {
        let path = file["file"].as_str().expect("a path");
        let head = header(&fs::read_to_string(root().join(path)).expect("a text"));
        let compares = path.contains("/equivalence/");
        let wanted = [
            ("a title", !head.title.is_empty()),
            ("a narration", head.narrated || compares),
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
