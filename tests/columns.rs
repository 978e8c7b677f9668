//! What is written for people fits into 80 columns.
//!
//! Longer are only lines that quote the source, and lines that hold one piece without a blank at which they could be cut.

use assert_cmd::Command;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

const WIDTH: usize = 80;

/// The commands of the program.
const COMMANDS: &[&str] = &[
    "check",
    "equiv",
    "test",
    "mutate",
    "grade",
    "vary",
    "run",
    "lts",
    "replay",
    "verify",
    "fmt",
    "explain",
    "lsp",
    "completions",
    "man",
];

fn spi(args: &[&str]) -> String {
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(args)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .timeout(Duration::from_secs(300))
        .output()
        .expect("it runs");
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).expect("text")
}

/// The lines that are too long without need.
fn too_long(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    // After a line of source that is too long, arrows may start too far to the right.
    let mut excused = false;
    for line in text.lines() {
        let size = line.chars().count();
        let source = quoted(line);
        if source || !line.contains('│') {
            excused = source && size > WIDTH;
        }
        if size > WIDTH && !source && !excused && can_be_cut(line) {
            found.push(format!("{size}: {line}"));
        }
    }
    found
}

/// ` 12 │ source`
fn quoted(line: &str) -> bool {
    let number = line.trim_start().split('│').next().unwrap_or("");
    line.contains('│')
        && number.trim_end().bytes().all(|b| b.is_ascii_digit())
        && !number.is_empty()
}

/// Whether a line has a blank after its margin, with text on both sides.
fn can_be_cut(line: &str) -> bool {
    let text = line.trim_start_matches(|c: char| " │╰─┬┤├╭·".contains(c));
    let text = text
        .trim_start_matches("Help: ")
        .trim_start_matches("Note: ");
    text.trim_end().contains(' ')
}

fn models(folder: &Path, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("a folder")
        .map(|e| e.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            models(&path, into);
        } else if path.extension().is_some_and(|e| e == "spi") {
            into.push(path);
        }
    }
}

fn checked(what: &str, text: &str, failures: &mut String) {
    for line in too_long(text) {
        let _ = writeln!(failures, "{what}: {line}");
    }
}

#[test]
fn help_and_explanations_fit() {
    let mut failures = String::new();
    checked("help", &spi(&["--help"]), &mut failures);
    for command in COMMANDS {
        checked(command, &spi(&[command, "--help"]), &mut failures);
        checked(command, &spi(&[command, "-h"]), &mut failures);
    }
    checked("explain", &spi(&["explain"]), &mut failures);
    for code in spi::base::source::Code::ALL {
        // The examples are source.
        let text = spi(&["explain", code.as_str()]);
        let words: String = text
            .split_inclusive('\n')
            .filter(|l| !l.starts_with("    "))
            .collect();
        checked(code.as_str(), &words, &mut failures);
    }
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn reports_on_the_library_fit() {
    let mut files = Vec::new();
    models(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols"),
        &mut files,
    );
    let mut failures = String::new();
    for path in &files {
        let name = path
            .strip_prefix(env!("CARGO_MANIFEST_DIR"))
            .expect("below the root");
        let name = name.to_str().expect("a plain name");
        // What a claim comes to is tested elsewhere; a search that gives up has a report, too.
        let arguments = ["check", name, "--max-states", "2000", "--timeout", "5s"];
        checked(name, &spi(&arguments), &mut failures);
        checked(
            name,
            &spi(&["run", name, "--max-states", "2000"]),
            &mut failures,
        );
    }
    assert!(files.len() > 50);
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn diagnostics_fit() {
    let mut files = Vec::new();
    models(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes"),
        &mut files,
    );
    let mut failures = String::new();
    for path in &files {
        let name = path
            .strip_prefix(env!("CARGO_MANIFEST_DIR"))
            .expect("below the root");
        let name = name.to_str().expect("a plain name");
        checked(name, &spi(&["fmt", "--check", name]), &mut failures);
        checked(
            name,
            &spi(&["run", name, "--max-states", "1"]),
            &mut failures,
        );
    }
    assert!(files.len() > 50);
    assert!(failures.is_empty(), "{failures}");
}

#[test]
fn long_lines_are_recognised() {
    let long = "x".repeat(90);
    assert_eq!(too_long(&format!(" 12 │ {long} y")), Vec::<String>::new());
    assert_eq!(
        too_long(&format!("    │  ╰── {long}")),
        Vec::<String>::new()
    );
    assert_eq!(too_long(&long), Vec::<String>::new());
    assert_eq!(too_long(&format!("{long} y")).len(), 1);
    assert_eq!(too_long(&format!("    │ Help: {long} y")).len(), 1);
}
