//! `spi mutate`: what is left out, and who notices.

use assert_cmd::Command;
use serde_json::Value;
use std::process::Output;

fn spi(args: &[&str]) -> Output {
    Command::cargo_bin("spi")
        .expect("the binary is built")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(args)
        .output()
        .expect("it runs")
}

fn mutants(file: &str) -> Value {
    let output = spi(&["mutate", "--format", "json", file]);
    assert_eq!(output.status.code(), Some(0));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn find<'a>(document: &'a Value, what: &str) -> &'a Value {
    document["mutants"]
        .as_array()
        .expect("mutants")
        .iter()
        .find(|m| m["mutation"] == what)
        .unwrap_or_else(|| panic!("no mutant `{what}`"))
}

#[test]
fn without_b_in_message_2_lowe_s_attack_is_back() {
    let document = mutants("protocols/nsl.spi");
    assert_eq!(document["schema"], "spi/3");
    let mutant = find(&document, "message 2, {na, Nb, b}K(a)+: drop identity b");
    assert_eq!(mutant["not_executable"], Value::Null);
    // The secrets and what the responder believes; the initiator is as sure as before.
    let claims = mutant["claims"].as_array().expect("claims");
    let notices: Vec<bool> = claims.iter().map(|c| c["notices"] == true).collect();
    assert_eq!(notices, [true, true, false]);
    assert_eq!(claims[0]["kinds"][0], "man in the middle");
    assert_eq!(claims[0]["verdict"], "attack");
}

/// A table without an answer in it was once a success.
#[test]
fn nothing_analysed_is_no_success() {
    let code = |args: &[&str]| {
        let output = spi(&[&["mutate"], args].concat());
        output.status.code()
    };
    let few = &["protocols/nsl.spi", "--limit", "3"];
    assert_eq!(code(few), Some(0));
    let states = &["--max-states", "1", "--no-reduction", "proofs"];
    assert_eq!(code(&[&few[..], &states[..]].concat()), Some(3));
    assert_eq!(code(&["protocols/nsl.spi", "--only", "no such"]), Some(2));
}

#[test]
fn a_model_that_does_not_run_has_no_table() {
    let model = "channel net\nprivate k: Sym\ndef P = new n. net<{n}k>. net(x). case x of {=n, _}k in event Done(n)\n\
                 def Q = net(x). case x of {y}k in net<{y}k>\nsystem S = P | Q\nsecrecy n in S\n";
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("m.spi");
    std::fs::write(&file, model).expect("written");
    let file = file.to_str().expect("text");
    let out = spi(&["mutate", file]);
    assert_eq!(out.status.code(), Some(4));
    let shown = String::from_utf8(out.stdout).expect("text");
    assert!(
        shown.contains("No mutant was tried, as the model does not run"),
        "{shown}"
    );
    assert!(!shown.contains("mutation"), "{shown}");
}

#[test]
fn a_change_of_shape_is_made_at_both_ends() {
    let document = mutants("protocols/nsl.spi");
    for what in [
        "message 1, {Na, a}K(b)+: swap Na and a",
        "message 1, {Na, a}K(b)+: drop the encryption",
        "message 2, {na, Nb, b}K(a)+: drop nonce na",
        "message 3, {nb}K(b)+: drop the encryption",
    ] {
        assert_eq!(
            find(&document, what)["not_executable"],
            Value::Null,
            "{what}"
        );
    }
}

#[test]
fn a_mutant_that_cannot_run_is_said_so() {
    let document = mutants("protocols/nsl.spi");
    let mutant = find(&document, "message 1, {Na, a}K(b)+: drop nonce Na");
    assert_eq!(mutant["not_executable"], "Resp has no na");
}

#[test]
fn what_a_server_makes_and_others_hand_on_is_changed_everywhere() {
    let document = mutants("protocols/otway-rees/abadi-needham.spi");
    let changed = document["mutants"].as_array().expect("mutants");
    let named = |m: &&Value| {
        let what = m["mutation"].as_str().expect("text");
        what.contains("{na, a, b, Kab}K(a): drop identity")
    };
    let identities: Vec<&Value> = changed.iter().filter(named).collect();
    assert_eq!(identities.len(), 2, "{changed:#?}");
    for m in identities {
        assert_eq!(m["not_executable"], Value::Null);
    }
    let noticed = |m: &&Value| {
        let claims = m["claims"].as_array().expect("claims");
        claims.iter().any(|c| c["notices"] == true)
    };
    assert!(changed.iter().any(|m| noticed(&m)));
}

#[test]
fn every_protocol_of_the_library_has_mutants_that_run() {
    for file in [
        "protocols/andrew/andrew-lowe.spi",
        "protocols/iso/keyed-hash-two-pass.spi",
        "protocols/symmetric/nssk.spi",
        "protocols/woo-lam/pif.spi",
        "protocols/equivalence/shared-key.spi",
    ] {
        let output = spi(&["mutate", "--limit", "12", "--format", "json", file]);
        let document: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let all = document["mutants"].as_array().expect("mutants");
        assert!(all.iter().any(|m| m["not_executable"].is_null()), "{file}");
    }
}

#[test]
fn the_table_has_a_row_for_each() {
    let output = spi(&["mutate", "protocols/nsl.spi", "--only", "message 2"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        text.contains("c1   secrecy Na, Nb in NSL: proved"),
        "{text}"
    );
    assert!(text.contains("drop identity b"), "{text}");
    assert!(text.contains("X  X  .  man in the middle"), "{text}");
    assert!(!text.contains("message 1"), "{text}");
}

#[test]
fn a_file_with_mistakes_or_without_claims_ends_in_2() {
    let model = "agent A channel c def P(a: Agent) = c<a> system S = P(A)";
    for text in ["agent A agent A", model] {
        let output = Command::cargo_bin("spi")
            .expect("the binary is built")
            .args(["mutate", "-"])
            .write_stdin(text)
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(2), "{text}");
    }
}

/// A key that is written as it was is no mutant.
#[test]
fn a_key_is_not_replaced_by_itself() {
    let model = "agent A, B spy C channel net key L(Agent, Agent)
        def P(a: Agent, b: Agent) = new n: Nonce. net<{n}L(a, b)>. net({=n, _}L(a, b))
        def Q(b: Agent, a: Agent) = net({n: Nonce}L(a, b)). new m: Nonce. net<{n, m}L(a, b)>
        system S = P(A, B) | P(B, A) | Q(B, A) | Q(A, B)
        secrecy m in S";
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(["mutate", "-"])
        .write_stdin(model)
        .output()
        .expect("it runs");
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("drop the encryption"), "{told}");
    assert!(!told.contains("encrypt with L(a, b)"), "{told}");
}

/// Without the nonce the server accepts an old message again; but the system runs the server once, so nothing is seen of it
/// in the runs as written. What is lost is the proof for more of them, and a look beyond finds the run that breaks it.
#[test]
fn a_proof_that_is_lost_is_said() {
    let model = "agent A, B spy C channel net key L(Agent, Agent)
        def P(a: Agent, b: Agent) = net(n: Nonce). new K: Sym. event Start(a, b, K). net<{n, K}L(a, b)>
        def Q(b: Agent, a: Agent) =
          new N: Nonce. net<N>. net({=N, k: Sym}L(a, b)). event Done(b, a, k)
        system S = P(A, B) | Q(B, A)
        injective agreement Done(b, a, k) => Start(a, b, k) in S";
    let run = |format: &str| {
        let output = Command::cargo_bin("spi")
            .expect("the binary is built")
            .args(["mutate", "-", "--typed", "--format", format])
            .write_stdin(model)
            .output()
            .expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let told = run("human");
    assert!(told.contains("drop check =N"), "{told}");
    let row = told.lines().find(|l| l.contains("drop check =N"));
    assert!(row.is_some_and(|row| row.ends_with("  x")), "{told}");
    let row = told.lines().find(|l| l.contains("the same key K"));
    assert!(row.is_some_and(|row| row.ends_with("  o")), "{told}");
    for line in ["x", "o"] {
        let line = format!("\n{line} it does not in the runs as written");
        assert!(told.contains(&line), "{told}");
    }
    assert!(told.contains("broken beyond what is written, "), "{told}");
    assert!(told.contains("without a proof for more runs)"), "{told}");
    let document: Value = serde_json::from_str(&run("json")).expect("JSON");
    let weaker = |m: &Value| m["claims"][0]["weakens"] == true;
    let mutants = document["mutants"].as_array().expect("mutants");
    assert!(mutants.iter().any(weaker) && !mutants.iter().all(weaker));
}
