//! Exercises of kind `claim`.

use super::grade;
use serde_json::Value;

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
