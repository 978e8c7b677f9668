//! Exercises of kind `claim`.

use super::{fault, grade, grade_files};
use serde_json::Value;
use std::fs;
use tempfile::TempDir;

/// A claim that does not do: what is wrong, and a word of the hints.
fn claims(exercise: &str, list: &[(&str, &str, &str)]) {
    for (claim, fault, hint) in list {
        let (code, document) = grade(exercise, claim);
        assert_eq!(code, Some(1), "{claim}: {document:#}");
        let checks = document["checks"].as_array().expect("checks");
        let first = checks.iter().find(|c| c["ok"] != true).expect("a fault");
        let shown = first["check"].as_str().expect("text");
        assert_eq!(shown, *fault, "{claim}: {document:#}");
        let hints = document["hints"].as_array().expect("hints");
        let all: Vec<&str> = hints.iter().filter_map(Value::as_str).collect();
        assert!(all.join("\n").contains(hint), "{claim}: {document:#}");
    }
}

#[test]
fn the_missing_claim_of_needham_schroeder() {
    claims(
        "ns-claim",
        &[
            ("agent A\n", "there is a claim", "has no claim"),
            (
                "secrecy Nb in S",
                "it fails on ns-claim-lax.spi",
                "Think of who believes what",
            ),
            (
                "aliveness Done(b, a, n) => Running(a, b, n) in S",
                "it fails on ns-claim-bad.spi",
                "does not see what is wrong",
            ),
            (
                "agreement Commit(a, b, n, m) => Answered(b, a, n, m) in S",
                "it fails on ns-claim-bad.spi",
                "which event must have happened before",
            ),
            (
                "agreement Commit(a, b, n, m) => Done(b, a, n) in S",
                "it holds on ns-claim-good.spi",
                "Ask for less",
            ),
            (
                "agreement Running(a, b, n) => Done(b, a, n) in S",
                "it holds on ns-claim-good.spi",
                "asks for more than the protocol",
            ),
            (
                "reachable Done(b, a, n) in S",
                "it fails on ns-claim-bad.spi",
                "Start from what B believes",
            ),
        ],
    );
    // A stronger one that still holds is right too.
    for claim in [
        "injective agreement Done(b, a, n) => Running(a, b, n) in S",
        "weak agreement Done(b, a, n) => Running(a, b, n) in S",
    ] {
        let (code, document) = grade("ns-claim", claim);
        assert_eq!(code, Some(0), "{claim}: {document:#}");
    }
}

#[test]
fn the_missing_claim_of_otway_rees() {
    claims(
        "or-claim",
        &[
            (
                "secrecy Kab in S",
                "it fails on or-claim-bad.spi",
                "Think of who believes what",
            ),
            (
                "agreement Commit(a, b, k) => Done(b, a, k) in S",
                "it holds on or-claim-good.spi",
                "Ask for less",
            ),
        ],
    );
    let (code, _) = grade("or-claim", "secrecy k after Commit(a, b, k) in S");
    assert_eq!(code, Some(0));
}

/// One message, replayed to a second receiver: with the one receiver that is written nobody notices.
#[test]
fn a_claim_that_one_more_run_breaks_fails() {
    let model = |message: &str| {
        format!(
            "agent A, B\nchannel c\nkey K(Agent, Agent)\n
def Init(a: Agent, b: Agent) = new m. event Sent(a, b, m). c<{message}>
def Resp(b: Agent, a: Agent) = c({message}). event Got(b, a, m)
system S = Init(A, B) | Resp(B, A)\n"
        )
    };
    let place = TempDir::new().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = place.path().join(name);
        fs::write(&path, text).expect("written");
        path
    };
    write("sealed.spi", &model("{m}K(a, b)"));
    write("clear.spi", &model("m"));
    let exercise = write(
        "e.exercise",
        "title: it\nkind: claim\ngood: sealed.spi\nbad: clear.spi\n",
    );
    let graded = |claim: &str| {
        let own = write("own.claim", claim);
        grade_files(&exercise, &own)
    };
    let (code, document) = graded("agreement Got(b, a, m) => Sent(a, b, m) in S");
    assert_eq!(code, Some(0), "{document:#}");
    let (code, document) = graded("injective agreement Got(b, a, m) => Sent(a, b, m) in S");
    assert_eq!(code, Some(1), "{document:#}");
    let fault = fault(&document);
    assert!(fault.contains("it holds on sealed.spi"), "{fault}");
    assert!(fault.contains("with a second Resp(B, A)"), "{fault}");
}
