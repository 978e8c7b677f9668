//! A mistake of the program in one file, claim or mutant loses nothing of the others.
//!
//! No file is known that makes the program panic. Builds with debug assertions do so where `SPI_PANIC_AT` says: at a file, a claim or a mutant.

use serde_json::Value;
use std::fs;
use std::process::{Command, Output};
use tempfile::TempDir;

const MODEL: &str = "agent A, B
channel c

def P(a: Agent) =
  new n.
  new m.
  event E(n).
  c<n, H(m)>

partial system S = P(A)

secrecy n in S expect attack
secrecy m in S expect holds
reachable E(_) in S expect holds
";

fn folder() -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for name in ["a.spi", "b.spi", "c.spi"] {
        fs::write(folder.path().join(name), MODEL).expect("written");
    }
    folder
}

/// What a command says if it panics there, or nowhere.
fn spi(folder: &TempDir, at: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_spi"))
        .args(args)
        .current_dir(folder.path())
        .env("SPI_PANIC_AT", at)
        .output()
        .expect("it runs");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|e| panic!("{e}: {text}"))
}

/// The verdicts of each file, as far as there are any.
fn verdicts(document: &Value) -> Vec<(String, Vec<String>)> {
    let files = document["files"].as_array().expect("files");
    let word = |c: &Value| c["verdict"].as_str().expect("a word").to_owned();
    (files.iter())
        .map(|f| {
            let claims = f["claims"].as_array().expect("claims");
            let name = f["file"].as_str().expect("a name").to_owned();
            (name, claims.iter().map(word).collect())
        })
        .collect()
}

#[test]
#[cfg_attr(
    not(debug_assertions),
    ignore = "only builds with debug assertions can be made to panic"
)]
fn a_file_that_is_given_up_leaves_the_others() {
    let folder = folder();
    let (code, whole, said) = spi(&folder, "", &["test", ".", "--format", "json"]);
    assert_eq!(code, Some(0), "{said}");
    let whole = json(&whole);
    let (code, out, said) = spi(&folder, "./b.spi", &["test", ".", "--format", "json"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("E0903") && said.contains("b.spi"), "{said}");
    let out = json(&out);
    assert_eq!(out["files"][1]["problems"][0]["code"], "E0903");
    let mut expected = verdicts(&whole);
    expected[1].1.clear();
    assert_eq!(verdicts(&out), expected);
    assert_eq!(out["summary"]["unusable_files"], 1);
    let (code, out, _) = spi(&folder, "./b.spi", &["test", ".", "--format", "junit"]);
    assert_eq!(code, Some(2));
    assert!(out.trim_end().ends_with("</testsuites>"), "{out}");
    assert_eq!(out.matches("<testsuite ").count(), 3);
    assert_eq!(out.matches("<error message=").count(), 1);
    let (code, out, _) = spi(&folder, "./b.spi", &["test", "."]);
    assert_eq!(code, Some(2));
    assert!(out.contains("6 claims in 3 files: 6 as expected"), "{out}");

    let files = ["check", "--format", "json", "a.spi", "b.spi", "c.spi"];
    let (code, out, said) = spi(&folder, "b.spi", &files);
    assert_eq!(code, Some(2), "{said}");
    let counts = verdicts(&json(&out)).into_iter().map(|f| (f.0, f.1.len()));
    let counts: Vec<(String, usize)> = counts.collect();
    let counts: Vec<(&str, usize)> = counts.iter().map(|(f, n)| (f.as_str(), *n)).collect();
    assert_eq!(counts, [("a.spi", 3), ("b.spi", 0), ("c.spi", 3)]);
    assert_eq!(json(&out)["files"][1]["problems"][0]["code"], "E0903");
    let (code, out, _) = spi(
        &folder,
        "b.spi",
        &["check", "-q", "a.spi", "b.spi", "c.spi"],
    );
    assert_eq!(code, Some(2));
    assert_eq!(out.matches("secrecy n in S: attack").count(), 2, "{out}");
    assert_eq!(
        spi(&folder, "b.spi", &["fmt", "b.spi"]).0,
        Some(0),
        "it is not asked"
    );
}

#[test]
#[cfg_attr(
    not(debug_assertions),
    ignore = "only builds with debug assertions can be made to panic"
)]
fn a_claim_that_is_given_up_leaves_the_others() {
    let folder = folder();
    let at = "secrecy m in S";
    for command in ["test", "check"] {
        let (code, whole, _) = spi(&folder, "", &[command, "a.spi", "--format", "json"]);
        assert_eq!(code, Some(i32::from(command == "check")));
        let mut expected = verdicts(&json(&whole));
        expected[0].1.remove(1);
        let (code, out, said) = spi(&folder, at, &[command, "a.spi", "--format", "json"]);
        assert_eq!(code, Some(2), "{said}");
        assert!(
            said.contains("E0903") && said.contains("a.spi:13"),
            "{said}"
        );
        assert_eq!(verdicts(&json(&out)), expected);
        let (code, out, _) = spi(&folder, at, &[command, "a.spi"]);
        assert_eq!(code, Some(2));
        assert!(
            out.contains("secrecy n in S") && out.contains("reachable E(_) in S"),
            "{out}"
        );
    }
}

#[test]
#[cfg_attr(
    not(debug_assertions),
    ignore = "only builds with debug assertions can be made to panic"
)]
fn a_mutant_or_a_submission_that_is_given_up_is_told() {
    let folder = folder();
    let protocols = concat!(env!("CARGO_MANIFEST_DIR"), "/protocols/nsl.spi");
    let args = ["mutate", "--format", "json", "--limit", "4", protocols];
    let (code, whole, _) = spi(&folder, "", &args);
    assert_eq!(code, Some(0));
    let whole = json(&whole);
    let at = whole["mutants"][1]["mutation"]
        .as_str()
        .expect("a mutation");
    let (code, out, said) = spi(&folder, at, &args);
    assert_eq!(code, Some(2), "{said}");
    let out = json(&out);
    for (i, mutant) in whole["mutants"]
        .as_array()
        .expect("mutants")
        .iter()
        .enumerate()
    {
        if i == 1 {
            assert_eq!(out["mutants"][i]["claims"][0]["verdict"], "internal error");
        } else {
            assert_eq!(&out["mutants"][i], mutant);
        }
    }
    let exercise = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/protocols/course/ns-repair.exercise"
    );
    let (code, out, said) = spi(
        &folder,
        "a.spi",
        &["grade", exercise, "a.spi", "--format", "json"],
    );
    assert_eq!(code, Some(2), "{said}");
    assert_eq!(json(&out)["verdict"], "internal error");
}

#[test]
#[cfg_attr(
    not(debug_assertions),
    ignore = "only builds with debug assertions can be made to panic"
)]
fn what_could_not_be_checked_is_in_the_document() {
    let folder = folder();
    let write =
        |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    write("b.spi", "agent A, A\n");
    write(
        "c.spi",
        &MODEL.replace("= P(A)", "= !100 !100 !100 !100 P(A)"),
    );
    let args = ["check", "a.spi", "b.spi", "c.spi", "--format", "json"];
    let (code, shown, _) = spi(&folder, "secrecy m in S", &args);
    assert_eq!(code, Some(2));
    let found: Value = serde_json::from_str(&shown).expect("JSON");
    let [a, b, c] = [0, 1, 2].map(|i| &found["files"][i]);
    // A claim that was given up: the others are there.
    assert_eq!(a["claims"].as_array().map(Vec::len), Some(2), "{found}");
    assert_eq!(a["problems"][0]["code"], "E0903");
    assert_eq!(a["problems"][0]["place"]["line"], 13);
    // A file with a mistake.
    assert_eq!(b["file"], "b.spi");
    assert_eq!(b["claims"], serde_json::json!([]));
    assert_eq!(b["problems"][0]["place"]["line"], 1, "{found}");
    // A system that is too large, for each claim about it.
    assert_eq!(c["claims"], serde_json::json!([]));
    assert_eq!(c["problems"][0]["code"], "E0502", "{found}");
}
