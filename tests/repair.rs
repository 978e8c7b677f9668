//! `spi repair`: what a protocol lacks.

use assert_cmd::Command;
use rayon::prelude::*;
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Output;
use tempfile::TempDir;

fn spi_in(folder: &Path, args: &[&str]) -> Output {
    Command::cargo_bin("spi")
        .expect("the binary is built")
        .current_dir(folder)
        .args(args)
        .output()
        .expect("it runs")
}

fn spi(args: &[&str]) -> Output {
    spi_in(Path::new(env!("CARGO_MANIFEST_DIR")), args)
}

fn repairs(file: &str, more: &[&str]) -> Value {
    let output = spi(&[&["repair", "--format", "json", file], more].concat());
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn first(document: &Value) -> Vec<&str> {
    let additions = document["repairs"][0]["additions"].as_array();
    additions
        .map(|all| all.iter().filter_map(|a| a["what"].as_str()).collect())
        .unwrap_or_default()
}

#[test]
fn lowe_s_repair_comes_first() {
    for (file, what) in [
        (
            "protocols/narration/ns.spi",
            "message 2, {Na, Nb}K(A)+: add identity B",
        ),
        (
            "protocols/ns.spi",
            "message 2, {na, Nb}K(a)+: add identity b",
        ),
    ] {
        let document = repairs(file, &[]);
        assert_eq!(first(&document), [what], "{file}");
        assert_eq!(document["together"], 1);
        let claims = document["repairs"][0]["claims"].as_array().expect("claims");
        assert!(
            claims.iter().all(|c| c["verdict"] == "proved"),
            "{claims:?}"
        );
    }
}

/// The file with the repair is a model like any other, decided by another run of the program.
#[test]
fn what_is_written_holds_when_it_is_checked() {
    for (file, more) in [
        ("protocols/ns.spi", &[][..]),
        ("protocols/narration/ns.spi", &["--pick", "1"]),
        ("protocols/otway-rees/simplified.spi", &["--limit", "400"]),
        (
            "protocols/modern/webauthn-no-origin.spi",
            &["--limit", "400"],
        ),
    ] {
        let folder = TempDir::new().expect("a folder");
        let fixed = folder.path().join("fixed.spi");
        let path = fixed.to_str().expect("a path");
        let output = spi(&[&["repair", file, "-o", path], more].concat());
        if !fixed.exists() {
            assert_ne!(output.status.code(), Some(0), "{file}");
            continue;
        }
        assert_eq!(output.status.code(), Some(0), "{file}");
        let checked = spi(&["check", "--strict", path]);
        assert_eq!(
            checked.status.code(),
            Some(0),
            "{file}: {}",
            String::from_utf8_lossy(&checked.stdout)
        );
        // Every line but those that were changed is as it was.
        let (before, after) = (
            fs::read_to_string(file).expect("the model"),
            fs::read_to_string(&fixed).expect("the repaired one"),
        );
        let same = before.lines().filter(|l| after.lines().any(|m| m == *l));
        assert!(same.count() + 4 >= before.lines().count(), "{file}");
    }
}

const SHARED: &str =
    "key K(Agent, Agent)\n\nprotocol P(A, B)\n  1. A -> B: A, {M, A}K(A, B)\ngoals\n";

/// Nothing in one message keeps it from being sent twice; a challenge needs an answer.
#[test]
fn a_replay_needs_more_than_a_name() {
    let folder = TempDir::new().expect("a folder");
    let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
    put("replay.spi", &format!("{SHARED}  B authenticates A on M\n"));
    let output = spi_in(folder.path(), &["repair", "replay.spi"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains("No repair was found"), "{said}");
    // B speaks first: its challenge comes back.
    let asks = "key K(Agent, Agent)\n\nprotocol P(A, B)\n  1. B -> A: B\n  2. A -> B: {M, A}K(A, B)\ngoals\n";
    put("asks.spi", &format!("{asks}  B authenticates A on M\n"));
    let output = spi_in(folder.path(), &["repair", "asks.spi"]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("B adds a challenge N1"), "{said}");
}

#[test]
fn what_needs_no_repair_or_can_have_none_is_told() {
    let folder = TempDir::new().expect("a folder");
    let run = |text: &str, more: &[&str]| {
        fs::write(folder.path().join("m.spi"), text).expect("written");
        let output = spi_in(folder.path(), &[&["repair", "m.spi"], more].concat());
        let said = [output.stdout, output.stderr].concat();
        (
            output.status.code(),
            String::from_utf8_lossy(&said).into_owned(),
        )
    };
    let whole = format!("{SHARED}  secrecy M between A, B\n");
    let (code, said) = run(&whole, &[]);
    assert!(
        code == Some(0) && said.contains("nothing to repair"),
        "{said}"
    );
    let (code, said) = run(&whole, &["--claim", "liveness"]);
    assert!(
        code == Some(2) && said.contains("no claim has `liveness`"),
        "{said}"
    );
    let (code, said) = run("agent A\n", &[]);
    assert!(
        code == Some(2) && said.contains("nothing to check"),
        "{said}"
    );
    let (code, said) = run(
        "agent A, B\nchannel c\nprivate k\nsystem S = c(x). [x is k] c<k>\nsecrecy k in S\n",
        &[],
    );
    assert!(code == Some(4) && said.contains("does not run"), "{said}");
    let broken = format!("{SHARED}  B authenticates A on M\n");
    let (code, said) = run(&broken, &["--limit", "2"]);
    assert!(code == Some(3) && said.contains("left out"), "{said}");
    // An input is never written over, and nobody waits for what will not be written.
    let (code, said) = run(&broken, &["-o", "m.spi"]);
    assert!(code == Some(2) && said.contains("is an input"), "{said}");
}

/// Threads play no part in what is found.
#[test]
fn one_thread_finds_what_many_find() {
    let files = ["protocols/ns.spi", "protocols/narration/ns.spi"];
    files.par_iter().for_each(|file| {
        let document = repairs(file, &["--threads", "1"]);
        assert_eq!(document, repairs(file, &["--threads", "2"]), "{file}");
    });
}
