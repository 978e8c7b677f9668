//! The course as a student meets it: every solution passes, and each of the usual wrong attempts gets the right verdict
//! and a hint that helps.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

mod attack;
mod claim;
mod class;
mod equivalence;
mod fix;
mod variants;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("protocols/course")
}

fn text(file: &str) -> String {
    fs::read_to_string(folder().join(file)).expect("a text")
}

/// Grades a text; the exit code and the document.
fn grade(exercise: &str, submission: &str) -> (Option<i32>, Value) {
    let place = TempDir::new().expect("a folder");
    let path = place.path().join("submission.spi");
    fs::write(&path, submission).expect("written");
    grade_files(&folder().join(format!("{exercise}.exercise")), &path)
}

/// Grades a file; the exit code and the document.
fn grade_files(exercise: &Path, submission: &Path) -> (Option<i32>, Value) {
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(["grade", "--format", "json", "--hint", "3"])
        .args([exercise, submission])
        .output()
        .expect("it runs");
    let document = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    (output.status.code(), document)
}

/// The first check that fails, with its detail.
fn fault(document: &Value) -> String {
    let checks = document["checks"].as_array().expect("checks");
    let first = checks.iter().find(|c| c["ok"] != true);
    let first = first.unwrap_or_else(|| panic!("no fault: {document:#}"));
    format!("{} | {}", first["check"], first["detail"])
}

/// Submissions that do not pass: exercise, text, words of the first fault, words of the hints.
fn wrong(list: &[(&str, &str, &str, &str)]) {
    for (exercise, own, expected, hint) in list {
        let (code, document) = grade(exercise, own);
        assert_eq!(code, Some(1), "{own}: {document:#}");
        let found = fault(&document);
        assert!(found.contains(expected), "{found}\n{own}: {document:#}");
        let hints = document["hints"].to_string();
        assert!(hints.contains(hint), "{own}: {document:#}");
    }
}

/// Submissions that pass.
fn right(list: &[(&str, &str)]) {
    for (exercise, own) in list {
        let (code, document) = grade(exercise, own);
        assert_eq!(code, Some(0), "{own}: {document:#}");
    }
}

#[test]
fn every_solution_passes() {
    let mut seen = 0;
    for entry in fs::read_dir(folder().join("solutions")).expect("solutions") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "md") {
            continue;
        }
        let name = path
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let (code, document) = grade(&name, &fs::read_to_string(&path).expect("a text"));
        assert_eq!(document["verdict"], "passed", "{name}: {document:#}");
        assert_eq!(code, Some(0));
        seen += 1;
    }
    let exercises = fs::read_dir(folder())
        .expect("the course")
        .filter(|e| {
            let path = e.as_ref().expect("an entry").path();
            path.extension().is_some_and(|x| x == "exercise")
        })
        .count();
    assert_eq!(seen, exercises, "every exercise has its solution");
}

#[test]
fn what_cannot_be_read_is_a_mistake() {
    let (code, document) = grade("ns-repair", "agent A, B\ndef Init(");
    assert_eq!(code, Some(2));
    assert_eq!(document["verdict"], "unreadable");
    let (code, _) = grade("ns-claim", "agreement Nothing(a) => Running(a, b, n) in S");
    assert_eq!(code, Some(2));
}

#[test]
fn a_hint_comes_in_steps() {
    let run = |more: &[&str]| {
        let output = Command::cargo_bin("spi")
            .expect("the binary is built")
            .current_dir(folder())
            .args(["grade", "ns-repair.exercise", "ns-repair.spi"])
            .args(more)
            .output()
            .expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let plain = run(&[]);
    assert!(
        plain.contains("not passed") && plain.contains("--hint 1 helps"),
        "{plain}"
    );
    assert!(!plain.contains("where"), "{plain}");
    let one = run(&["--hint", "1"]);
    assert!(one.contains("where") && !one.contains("why"), "{one}");
    let three = run(&["--hint", "3"]);
    assert!(
        three.contains("where") && three.contains("why") && three.contains("repair "),
        "{three}"
    );
}

#[test]
fn what_is_partial_is_not_advised_to_be() {
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .current_dir(folder())
        .args(["run", "ns-repair.spi"])
        .output()
        .expect("it runs");
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("BothRoles"), "{shown}");
    assert!(!shown.contains("declare the system as"), "{shown}");
}

/// Every narration that `spi check` prints of an attack of the library's smaller models is one that `spi grade` accepts.
#[test]
fn narrations_of_spi_itself_are_true() {
    let place = TempDir::new().expect("a folder");
    let exercise = place.path().join("a.exercise");
    let attack = place.path().join("a.attack");
    let spi = |args: &[&std::ffi::OsStr]| {
        Command::cargo_bin("spi")
            .expect("the binary is built")
            .args(args)
            .output()
            .expect("it runs")
    };
    let mut seen = 0;
    for file in [
        "ns.spi",
        "course/or-repair.spi",
        "course/ns-first.spi",
        "iso/two-pass-mutual.spi",
        "symmetric/handshake.spi",
        "public-key/x509-3.spi",
        "neuman-stubblebine/repeated.spi",
        "wide-mouthed-frog/wmf-lowe.spi",
    ] {
        let model = folder().join("..").join(file);
        let checked = spi(&["check".as_ref(), "--as-written".as_ref(), model.as_os_str()]);
        let text = String::from_utf8_lossy(&checked.stdout).into_owned();
        // A claim starts at the margin; its story ends at the excerpt of the source.
        let mut claim = String::new();
        let mut story = String::new();
        let mut stories: Vec<(String, String)> = Vec::new();
        let mut heading = false;
        for line in text.lines().chain(["end"]) {
            if !line.starts_with(' ') && !line.is_empty() {
                stories.push((std::mem::take(&mut claim), std::mem::take(&mut story)));
                claim = line.to_owned();
                heading = true;
            } else if heading && !line.starts_with("  in ") {
                claim = format!("{claim} {}", line.trim());
            } else {
                heading = false;
                story.push_str(line);
                story.push('\n');
            }
        }
        for (claim, story) in stories {
            let Some((claim, _)) = claim.split_once(": attack") else {
                continue;
            };
            let told = story.split('╭').next().unwrap_or_default();
            let told = told.split(" believes ").next().unwrap_or_default();
            fs::write(
                &exercise,
                format!(
                    "title: it\nkind: attack\nmodel: {}\nclaim: {claim}\n",
                    model.display()
                ),
            )
            .expect("written");
            fs::write(&attack, told).expect("written");
            let graded = spi(&["grade".as_ref(), exercise.as_os_str(), attack.as_os_str()]);
            let shown = String::from_utf8_lossy(&graded.stdout);
            let errors = String::from_utf8_lossy(&graded.stderr);
            assert_eq!(
                graded.status.code(),
                Some(0),
                "{file}, {claim}: {shown}{errors}\n{told}"
            );
            seen += 1;
        }
    }
    assert!(seen >= 12, "{seen} attacks");
}
