//! `spi test` from outside: what differs is shown, in words, JSON and XML, and the exit code says it.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::process::Output;
use tempfile::TempDir;

const HOLDS: &str = "agent A, B
channel c
key K(Agent, Agent)

def P(a: Agent, b: Agent) =
  new m: Data.
  event Sent(a, b, m).
  c<{m}K(a, b)>

def Q(b: Agent, a: Agent) = c({m: Data}K(a, b)). event Got(b, a, m)

system S = P(A, B) | Q(B, A)

";

/// The receiver waits for a pair that nobody sends.
fn stuck() -> String {
    HOLDS.replace("c({m: Data}K(a, b))", "c({m: Data, =b}K(a, b))")
}

/// A claim that was only left open is not one that was found to be wrong.
#[test]
fn an_open_claim_is_inconclusive() {
    let claims = |more: &str| format!("{HOLDS}secrecy m in S expect holds\n{more}");
    let few = &["--max-states", "1", "--no-reduction", "proofs"];
    assert_eq!(test(&claims(""), &[]).0.status.code(), Some(0));
    assert_eq!(test(&claims(""), few).0.status.code(), Some(3));
    let broken = claims("reachable Sent(A, B, _) in S expect attack\n");
    let (output, text) = test(&broken, &[]);
    assert_eq!(output.status.code(), Some(1), "{text}");
}

fn test(model: &str, more: &[&str]) -> (Output, String) {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("a<&>\"b.spi");
    fs::write(&path, model).expect("a file");
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .arg("test")
        .arg(&path)
        .args(more)
        .output()
        .expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output, text)
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

#[test]
fn each_claim_has_a_line_with_time_and_states() {
    for (more, word, cost) in [
        (&[][..], "proved", "clause"),
        (
            &["--no-reduction", "proofs"][..],
            "holds for these runs only",
            "state",
        ),
    ] {
        let (output, text) = test(&format!("{HOLDS}secrecy m in S expect holds\n"), more);
        assert_eq!(code(&output), Some(0), "{text}");
        let line = text.lines().next().expect("a line");
        assert!(
            line.starts_with("ok ") && line.contains(&format!(":14: secrecy m in S: {word}  ("))
        );
        assert!(line.contains(cost) && line.ends_with("s)"), "{line}");
        assert!(text.contains("1 claim in 1 file: 1 as expected"));
    }
}

#[test]
fn a_difference_is_shown_and_ends_in_1() {
    let (output, text) = test(&format!("{HOLDS}secrecy m in S expect attack\n"), &[]);
    assert_eq!(code(&output), Some(1), "{text}");
    assert!(text.contains("FAIL"), "{text}");
    assert!(
        text.contains("- expected attack\n     + found    proved\n"),
        "{text}"
    );
}

#[test]
fn nothing_to_check_ends_in_2() {
    for claims in ["", "secrecy m in S\n"] {
        for format in ["human", "json", "junit"] {
            let (output, _) = test(&format!("{HOLDS}{claims}"), &["--format", format]);
            assert_eq!(code(&output), Some(2));
        }
    }
}

#[test]
fn a_system_that_does_not_run_fails_whatever_is_expected() {
    for claim in [
        "secrecy m in S expect holds",
        "secrecy m in S expect attack",
        "reachable Sent(a, b, m) in S expect holds",
    ] {
        let (output, text) = test(&format!("{}{claim}\n", stuck()), &[]);
        assert_eq!(code(&output), Some(1), "{claim}: {text}");
        assert!(text.contains("FAIL"), "{text}");
    }
    // An attack on what does not run is no result either.
    let open = stuck().replace("c<{m}K(a, b)>", "c<m>");
    let (output, text) = test(&format!("{open}secrecy m in S expect attack\n"), &[]);
    assert_eq!(code(&output), Some(1), "{text}");
    assert!(
        text.contains("the system does not run: Q(B, A) never finishes"),
        "{text}"
    );
    // Unless it is declared so.
    let open = open.replace("system S", "partial system S");
    let (output, text) = test(&format!("{open}secrecy m in S expect attack\n"), &[]);
    assert_eq!(code(&output), Some(0), "{text}");
}

#[test]
fn json_says_what_was_met() {
    let claims = "secrecy m in S expect attack\nreachable Got(b, a, m) in S expect holds\nsecrecy (m, m) in S\n";
    let (output, text) = test(&format!("{HOLDS}{claims}"), &["--format", "json"]);
    assert_eq!(code(&output), Some(1));
    let document: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["schema"], "spi/3");
    assert_eq!(document["summary"]["met"], 1);
    assert_eq!(document["summary"]["missed"], 1);
    assert_eq!(document["summary"]["without_expectation"], 1);
    let claims = &document["files"][0]["claims"];
    assert_eq!(claims[0]["met"], false);
    assert_eq!(claims[0]["difference"][0], "- expected attack");
    assert_eq!(claims[0]["verdict"], "proved");
    assert_eq!(claims[1]["met"], true);
    assert_eq!(claims[2]["met"], Value::Null);
}

#[test]
fn json_and_junit_have_files_that_cannot_be_read() {
    let (output, text) = test("agent A agent A", &["--format", "json"]);
    assert_eq!(code(&output), Some(2));
    let document: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["summary"]["unusable_files"], 1);
    assert!(document["files"][0]["problems"][0]["code"].is_string());
    let (output, text) = test("agent A agent A", &["--format", "junit"]);
    assert_eq!(code(&output), Some(2));
    assert!(text.contains("<error message="), "{text}");
}

#[test]
fn junit_is_escaped() {
    let claims = "agreement Got(b, a, m) => Sent(a, b, m) in S expect attack\n";
    let (output, text) = test(&format!("{HOLDS}{claims}"), &["--format", "junit"]);
    assert_eq!(code(&output), Some(1));
    assert!(text.contains("a&lt;&amp;&gt;&quot;b.spi\""), "{text}");
    assert!(text.contains("=&gt; Sent(a, b, m) in S\""), "{text}");
    assert!(
        text.contains("<failure message=\"- expected attack; + found    proved\""),
        "{text}"
    );
    // What is left of angle brackets is tags: each opens and closes.
    let opened = text.matches("<testcase").count();
    assert_eq!(opened, text.matches("</testcase>").count());
}
