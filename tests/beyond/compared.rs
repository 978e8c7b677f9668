//! Comparisons of systems in which nobody gets anywhere: that is said, in every form of output.

use super::told;
use spi::analysis::{Decision, Outcome, Settings};
use spi::term::TermStore;
use std::path::PathBuf;

/// A tally that takes the parts of a vote the wrong way round, under a key that only voters have.
const VOTE: &str = "agent V, T
channel net
key K(Agent, Agent)
public yes: Data, no: Data

def Voter(v: Agent, t: Agent, m: Data) =
  net<{v, m}K(v, t)>

def Tally(t: Agent, v: Agent) =
  net(x). case x of {m: Data, =v}K(v, t) in
  net<m>

system Poll(m: Data) = Voter(V, T, m) | Tally(T, V)

Poll(yes) ~ Poll(no)
";

fn outcomes(text: &str) -> Vec<Outcome> {
    let decided = super::decisions(&TermStore::new(), text, &Settings::default());
    decided.iter().map(Decision::outcome).collect()
}

fn written(folder: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("m.spi");
    std::fs::write(&path, text).expect("written");
    path
}

#[test]
fn systems_in_which_nobody_gets_anywhere_are_not_called_equivalent() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, VOTE);
    let path = path.to_str().expect("a path");
    let (text, code) = told(&["check", path]);
    assert!(
        text.starts_with("Poll(yes) ~ Poll(no): not executable\n"),
        "{text}"
    );
    assert!(
        text.contains("Tally(T, V) never finishes") && text.contains("accepts nothing that is"),
        "{text}"
    );
    assert_eq!(
        text.matches("never finishes,").count(),
        1,
        "told once: {text}"
    );
    assert_eq!(code, 4);
    let (text, code) = told(&["check", "-q", path]);
    assert_eq!(text, "Poll(yes) ~ Poll(no): not executable\n");
    assert_eq!(code, 4);
    let sides = [format!("{path}:Poll(yes)"), format!("{path}:Poll(no)")];
    let (text, code) = told(&["equiv", &sides[0], &sides[1]]);
    assert!(
        text.contains("Poll(yes) ~ Poll(no): not executable"),
        "{text}"
    );
    assert_eq!(code, 4);
    let (text, _) = told(&["check", "--format", "json", path]);
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let claim = &json["files"][0]["claims"][0];
    assert_eq!(claim["verdict"], "not executable");
    assert_eq!(claim["unfinished"][0], "Tally(T, V) in Poll(yes)");
    assert_eq!(claim["unfinished"][1], "Tally(T, V) in Poll(no)");
    let (text, code) = told(&["check", "--format", "github", path]);
    assert!(text.starts_with("::error ") && code == 4, "{text}");
    let (text, _) = told(&["check", "--format", "sarif", path]);
    assert!(text.contains("\"not-executable\""), "{text}");

    let path = written(&folder, &format!("{} expect holds\n", VOTE.trim_end()));
    let path = path.to_str().expect("a path");
    for args in [
        &["test", path][..],
        &["test", "--format", "junit", path],
        &["test", "--format", "json", path],
    ] {
        let (text, code) = told(args);
        assert!(text.contains("not executable"), "{args:?}: {text}");
        assert_eq!(code, 1, "{args:?}");
    }
    let (text, _) = told(&["mutate", "--limit", "1", path]);
    assert!(text.contains("not executable"), "{text}");
}

#[test]
fn a_model_that_runs_is_compared_as_it_is_written() {
    let right = VOTE.replace("{m: Data, =v}K", "{=v, m: Data}K");
    let folder = tempfile::tempdir().expect("a folder");
    let path = written(&folder, &right);
    let (text, code) = told(&["check", path.to_str().expect("a path")]);
    assert!(
        text.starts_with("Poll(yes) ~ Poll(no): not equivalent\n"),
        "{text}"
    );
    assert!(!text.contains("never finish"), "{text}");
    assert_eq!(code, 1);
    let quiet = right.replace("net<m>", "event Counted(v, m)");
    let path = written(&folder, &quiet);
    let (text, code) = told(&["check", path.to_str().expect("a path")]);
    let head = "Poll(yes) ~ Poll(no): equivalent for these runs only\n";
    assert!(text.starts_with(head), "{text}");
    assert_eq!(code, 0);
}

/// The environment may take any part, so what it can bring to an end is no reason for doubt; what it can't is, if it is so on both sides.
#[test]
fn only_who_nobody_brings_to_an_end_is_blamed() {
    let with = |more: &str| outcomes(&format!("agent A spy C channel net private k, l\n{more}"))[0];
    // The partner is left out, and the environment is one.
    let tag = "def Tag(k: Sym) = net(n: Nonce). net<{n}k>\n";
    assert_eq!(
        with(&format!("{tag}system S = Tag(k)\nsystem T = Tag(l)\nS ~ T")),
        Outcome::Equivalent
    );
    // Whoever waits for a message under `k` waits for ever, on one side only.
    let waits = "def Waits(k: Sym) = net({n: Nonce}k). net<n>\n";
    assert_eq!(
        with(&format!(
            "{waits}system S = Waits(k)\nsystem T = net<A> | net(x)\nS <= T"
        )),
        Outcome::NotExecutable,
        "what S can't show, T need not show"
    );
    assert_eq!(
        with(&format!(
            "{waits}system S = net(x)\nsystem T = net(x) | Waits(k)\nS ~ T"
        )),
        Outcome::Different
    );
    assert_eq!(
        with(&format!(
            "{waits}system S = Waits(k)\nsystem T = Waits(l)\nS ~ T"
        )),
        Outcome::NotExecutable
    );
    assert_eq!(
        with(&format!(
            "{waits}system S = Waits(k)\nsystem T = net(x)\nS ~ T"
        )),
        Outcome::Equivalent,
        "somebody is stuck on the left side only"
    );
    // It is meant so.
    assert_eq!(
        with(&format!(
            "{waits}partial system S = Waits(k)\nsystem T = Waits(l)\nS ~ T"
        )),
        Outcome::Equivalent
    );
    // The second copy of a bare `!` need not begin.
    assert_eq!(
        with("system S = !net<{A}k>\nsystem T = !net<{A}l>\nS ~ T"),
        Outcome::EquivalentForAny
    );
}

/// Strong secrecy is about all messages: who does not get on with one message may with another.
#[test]
fn strong_secrecy_is_asked_with_all_messages() {
    let with = |process: &str| {
        outcomes(&format!(
            "agent A channel net private k\nsystem S(m) = {process}\nstrong secrecy m in S"
        ))[0]
    };
    assert_eq!(with("net<{m}k> | net({x}k)"), Outcome::Equivalent);
    assert_eq!(with("net<{m, A}k> | net({=A, x}k)"), Outcome::Equivalent);
    assert_eq!(
        with("net<{A, m}k> | net({=m, =k}k)"),
        Outcome::NotExecutable
    );
}
