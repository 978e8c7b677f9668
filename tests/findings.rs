//! What build servers show: findings of `check` and `test`, as annotations and as SARIF, with the same exit codes.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const MODEL: &str = "agent A, B
channel c

def P(a: Agent) = new n: Nonce. c<n>

system S = P(A)

secrecy n in S
";

struct Ran {
    code: Option<i32>,
    out: String,
    err: String,
}

fn spi(folder: &Path, args: &[&str]) -> Ran {
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .current_dir(folder)
        .args(args)
        .output()
        .expect("it runs");
    Ran {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().expect("a folder");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn sarif(ran: &Ran) -> Value {
    let log: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().expect("rules");
    for result in run["results"].as_array().expect("results") {
        let rule = result["ruleIndex"].as_u64().expect("an index") as usize;
        assert_eq!(rules[rule]["id"], result["ruleId"]);
    }
    run["results"].clone()
}

#[test]
fn an_attack_is_marked_at_its_claim() {
    let folder = folder(&[("m.spi", MODEL)]);
    let ran = spi(folder.path(), &["check", "m.spi", "--format", "github"]);
    assert_eq!(ran.code, Some(1));
    assert_eq!(ran.out.lines().count(), 1, "{}", ran.out);
    assert!(
        ran.out
            .starts_with("::error file=m.spi,line=8,col=1,title=secrecy n in S%3A attack"),
        "{}",
        ran.out
    );
    assert!(
        ran.out.contains("%0A  1. A -> "),
        "the narration: {}",
        ran.out
    );
    let ran = spi(folder.path(), &["check", "m.spi", "--format", "sarif"]);
    assert_eq!(ran.code, Some(1));
    let results = sarif(&ran);
    assert_eq!(results[0]["ruleId"], "attack");
    assert_eq!(results[0]["level"], "error");
    let at = &results[0]["locations"][0]["physicalLocation"];
    assert_eq!(at["artifactLocation"]["uri"], "m.spi");
    assert_eq!(at["region"]["startLine"], 8);
}

#[test]
fn what_holds_is_no_finding() {
    let folder = folder(&[("m.spi", &MODEL.replace("c<n>", "c<H(n)>"))]);
    for format in ["github", "sarif"] {
        let ran = spi(folder.path(), &["check", "m.spi", "--format", format]);
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
        if format == "sarif" {
            assert_eq!(sarif(&ran).as_array().map(Vec::len), Some(0));
        } else {
            assert_eq!(ran.out, "");
        }
    }
}

#[test]
fn mistakes_are_findings_and_the_rest_goes_on() {
    let folder = folder(&[("a.spi", &MODEL.replace("c<n>", "c<m>")), ("b.spi", MODEL)]);
    for command in ["check", "test"] {
        let ran = spi(
            folder.path(),
            &[command, "a.spi", "b.spi", "--format", "github"],
        );
        assert_eq!(ran.code, Some(2));
        assert!(
            ran.out.contains("::error file=a.spi,line=4,col=35,title="),
            "{}",
            ran.out
        );
        assert!(ran.out.contains("b.spi"), "{}", ran.out);
        assert!(
            ran.err.contains("E0201"),
            "people are told as always: {}",
            ran.err
        );
        let ran = spi(
            folder.path(),
            &[command, "a.spi", "b.spi", "--format", "sarif"],
        );
        assert_eq!(sarif(&ran)[0]["ruleId"], "E0201");
    }
}

#[test]
fn a_test_marks_what_was_not_expected() {
    let text = |word: &str| MODEL.replace("in S\n", &format!("in S expect {word}\n"));
    let folder = folder(&[("good.spi", &text("attack")), ("bad.spi", &text("holds"))]);
    let ran = spi(folder.path(), &["test", "good.spi", "--format", "github"]);
    assert_eq!((ran.code, &*ran.out), (Some(0), ""));
    let ran = spi(folder.path(), &["test", ".", "--format", "github"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.out.contains("bad.spi,line=8,col=1,"), "{}", ran.out);
    assert!(
        ran.out.contains("expected holds%2C found attack"),
        "{}",
        ran.out
    );
    let results = sarif(&spi(folder.path(), &["test", ".", "--format", "sarif"]));
    assert_eq!(results.as_array().map(Vec::len), Some(1));
    assert_eq!(results[0]["ruleId"], "unexpected");
}

#[test]
fn the_rung_that_breaks_is_a_finding() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let words = [
        "check",
        "protocols/ns.spi",
        "--ladder",
        "Init",
        "Resp",
        "--format",
        "sarif",
    ];
    let ran = spi(top, &words);
    assert_eq!(ran.code, Some(1));
    assert_eq!(sarif(&ran)[0]["ruleId"], "attack");
}

/// Released programs say their commit; others say no more than their version, so that a commit compiles nothing anew.
#[test]
fn the_version_may_have_a_commit() {
    let ran = spi(Path::new("."), &["--version"]);
    let rest = ran.out.trim().strip_prefix("spi ").expect("the name first");
    let (version, commit) = rest.split_once(" (").unwrap_or((rest, ")"));
    assert_eq!(version, env!("CARGO_PKG_VERSION"));
    let commit = commit.trim_end_matches(')');
    assert!(
        commit.chars().all(|c| c.is_ascii_alphanumeric()),
        "{}",
        ran.out
    );
}
