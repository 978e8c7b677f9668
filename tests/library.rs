//! The library keeps its promises: every file says what it is, where it comes from and why its verdict is what it is,
//! and the index in `protocols/README.md` is what the files say. `UPDATE=1 cargo test --test library` writes the index.

use assert_cmd::Command;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const START: &str = "<!-- index: written by `UPDATE=1 cargo test --test library` -->";
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
        "equivalent" => "holds",
        "not equivalent" | "does not hold" | "unreachable" => "attack",
        other => other,
    }
}

/// The row of a file.
fn row(file: &Value, typed: &Value) -> String {
    let path = file["file"].as_str().expect("a path");
    let inner = path.strip_prefix("protocols/").expect("in the library");
    let text = fs::read_to_string(root().join(path)).expect("a text");
    let head = header(&text);
    let source = head
        .paragraph("Source: ")
        .unwrap_or("")
        .trim_end_matches('.');
    let claims = file["claims"].as_array().expect("claims");
    let mut sessions: Vec<String> = Vec::new();
    let mut kinds: Vec<String> = Vec::new();
    for claim in claims {
        let system = &claim["scope"]["systems"];
        let instances = list(&claim["scope"]["instances"]);
        if !instances.is_empty() {
            let text = format!("{}: {}", list(system).join(" "), instances.join(", "));
            if !sessions.contains(&text) {
                sessions.push(text);
            }
        }
        let mut found = list(&claim["runs"][0]["kinds"]);
        if !claim["test"].is_null() {
            found.push("distinguishing test".to_owned());
        }
        for kind in found {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
    }
    if kinds.is_empty() {
        kinds.push("-".to_owned());
    }
    let cell = |items: Vec<String>| items.join("; ").replace('|', "\\|");
    format!(
        "| [{inner}]({inner}) | {} | {source} | {} | {} | {} | {} | {} |\n",
        head.title,
        cell(
            claims
                .iter()
                .map(|c| format!("`{}`", c["claim"].as_str().unwrap_or_default()))
                .collect()
        ),
        cell(
            claims
                .iter()
                .map(|c| short(&c["verdict"]).to_owned())
                .collect()
        ),
        cell(
            typed["claims"]
                .as_array()
                .expect("claims")
                .iter()
                .map(|c| match c["scope"]["typed"].as_bool() {
                    Some(true) => short(&c["verdict"]).to_owned(),
                    _ => "-".to_owned(),
                })
                .collect()
        ),
        cell(sessions),
        kinds.join(", ")
    )
}

#[test]
fn the_index_says_what_the_files_say() {
    let untyped = verdicts(&[]);
    let typed = verdicts(&["--typed"]);
    let mut table = String::from(
        "| file | protocol | source | claims | untyped | typed | sessions | attack kind |\n|---|---|---|---|---|---|---|---|\n",
    );
    let files = untyped["files"].as_array().expect("files");
    let again = typed["files"].as_array().expect("files");
    assert!(files.len() >= 45, "{} files", files.len());
    for (file, typed) in files.iter().zip(again) {
        table.push_str(&row(file, typed));
    }
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
