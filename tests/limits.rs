//! What a limit kept from being looked at is not spoken of as if it had been.

mod support;

use assert_cmd::Command;
use serde_json::Value;
use spi::analysis::{Settings, Verdict};
use spi::search::{Observer, Stats, StopReason};
use spi::term::TermStore;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{observed, word, words};

/// Interrupts the first time that it is asked, and never again.
#[derive(Default)]
struct Once(AtomicUsize);

impl Observer for Once {
    fn progress(&self, _: &Stats, _: usize) {}

    fn interrupted(&self) -> bool {
        self.0.fetch_add(1, Ordering::Relaxed) == 0
    }
}

/// Agents that a file tells apart, so that no system stands for another: their declaration.
fn told_apart(agents: usize) -> String {
    let agents: Vec<String> = (0..agents).map(|i| format!("A{i}")).collect();
    let marks: Vec<String> = agents.iter().map(|a| format!("H({a})")).collect();
    format!("agent {}  knows {}", agents.join(", "), marks.join(", "))
}

/// Generation was stopped when a thousand systems were there, all of them were searched, and the claim was said to hold. A claim about an instance that is in
/// none of the thousand was even said to be a mistake.
#[test]
fn nothing_is_said_of_systems_that_were_not_generated() {
    let settings = Settings {
        sessions: Some(1),
        proofs: false,
        ..Settings::default()
    };
    for (claim, verdict) in [
        ("secrecy n", "attack"),
        ("secrecy Role(A33, A32).n", "attack"),
        ("reachable Late(x, y)", "holds"),
    ] {
        // It is the last of all pairs that makes the difference.
        let text = format!(
            "{}  channel net
             def Role(a: Agent, b: Agent) = new n. [(a, b) is (A33, A32)] event Late(a, b). net<n>
             partial system S = Role(A33, A32)
             {claim} in S",
            told_apart(34)
        );
        assert_eq!(words(&text, &settings), [verdict], "{claim}");
        let found = observed(&TermStore::new(), &text, &settings, &Once::default());
        let [Ok(result)] = found.as_slice() else {
            panic!("{claim}: {found:?}");
        };
        let Verdict::Inconclusive(reason) = result.verdict else {
            panic!("{claim}: {}", word(&result.verdict));
        };
        assert_eq!(reason, StopReason::Interrupted, "{claim}");
        let generated = result.scope.generated.expect("systems");
        assert!(
            !generated.complete && generated.systems < 34 * 33,
            "{claim}"
        );
        assert_eq!(result.scope.finished, Some(generated.systems), "{claim}");
    }
}

/// Runs `spi check` with twelve agents that are told apart, who can fill six instances in more ways than anybody waits for.
fn endless(arguments: &[&str]) -> String {
    let text = format!(
        "{}  channel net
         def Role(a: Agent, b: Agent) = new n. [a is b] net<n>
         partial system S = Role(A0, A1)
         secrecy n in S",
        told_apart(12)
    );
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(["check", "-", "--sessions", "6", "--timeout", "50ms"])
        .args(["--no-reduction", "proofs"])
        .args(arguments)
        .write_stdin(text)
        .output()
        .expect("it runs");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn a_report_says_that_not_all_systems_were_generated() {
    let report = endless(&[]);
    let said = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("inconclusive"), "{report}");
    assert!(
        said.contains("the time was up (--timeout), in the first "),
        "{report}"
    );
    assert!(said.contains(" systems of 6 role instances"), "{report}");
    assert!(said.contains("covered: 0 of these "), "{report}");
    assert!(said.contains("not all systems were generated"), "{report}");
    assert!(!said.contains("in all"), "{report}");
    let json: Value = serde_json::from_str(&endless(&["--format", "json"])).expect("JSON");
    let claim = &json["files"][0]["claims"][0];
    assert_eq!(claim["verdict"], "inconclusive");
    assert_eq!(claim["scope"]["generated_complete"], false);
    assert_eq!(claim["scope"]["generated_finished"], 0);
}
