//! `spi check --ladder`: the four rungs, in both directions.

use assert_cmd::Command;
use serde_json::Value;

fn climb(model: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(["check", "-", "--ladder", "Init", "Resp"])
        .args(more)
        .write_stdin(model)
        .output()
        .expect("it runs");
    (
        output.status.code(),
        String::from_utf8_lossy(&output.stdout).into_owned(),
        String::from_utf8_lossy(&output.stderr).into_owned(),
    )
}

fn library(file: &str) -> String {
    let path = format!("{}/protocols/{file}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a text")
}

/// The rung that each direction reaches, and the one that breaks.
fn rungs(model: &str) -> Vec<(String, Value, Value)> {
    let (_, out, err) = climb(model, &["--format", "json"]);
    let document: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
    let ladders = document["files"][0]["ladders"].as_array().expect("ladders");
    ladders
        .iter()
        .map(|l| {
            let role = l["role"].as_str().expect("a role").to_owned();
            (role, l["reaches"].clone(), l["breaks"].clone())
        })
        .collect()
}

#[test]
fn needham_schroeder_s_responder_is_only_sure_that_somebody_is_there() {
    let found = rungs(&library("ns.spi"));
    assert_eq!(
        found,
        [
            ("Init".to_owned(), "injective agreement".into(), Value::Null),
            (
                "Resp".to_owned(),
                "aliveness".into(),
                "weak agreement".into()
            ),
        ]
    );
    let (code, out, _) = climb(&library("ns.spi"), &[]);
    assert_eq!(code, Some(1));
    assert!(out.contains("Resp about Init"), "{out}");
    // The shortest attack at the first rung that breaks, and no other.
    assert_eq!(out.matches("C(A) is the spy").count(), 1, "{out}");
    assert!(
        out.contains("weak agreement           attack (man in the middle)"),
        "{out}"
    );
}

/// Lowe's two lower rungs are about the partner in any role.
#[test]
fn a_partner_that_starts_a_session_of_its_own_is_alive() {
    // Two initiators take each other's first message for an answer: B has not answered, but it is there, and for A.
    let (_, out, err) = climb(
        &library("iso/two-pass-mutual.spi"),
        &["--format", "json", "--system", "TwoInitiators"],
    );
    let document: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
    let ladder = &document["files"][0]["ladders"][0];
    assert_eq!(ladder["role"], "Init");
    assert_eq!(ladder["reaches"], "weak agreement");
    assert_eq!(ladder["breaks"], "non-injective agreement");
    // In Otway-Rees A learns that B has asked the server, but not what B has made of the answer.
    let found = rungs(&library("course/or-trim.spi"));
    assert_eq!(
        found[0],
        (
            "Init".to_owned(),
            "weak agreement".into(),
            "non-injective agreement".into()
        )
    );
    // B learns nothing about A, who may not be there at all.
    assert_eq!(
        found[1],
        ("Resp".to_owned(), Value::Null, "aliveness".into())
    );
}

#[test]
fn who_runs_with_somebody_else_is_alive_and_no_more() {
    // B answers whoever asks, and does not say whom.
    let model = "agent A, B spy C channel c keypair K(Agent)
        def Init(a: Agent, b: Agent) =
          new N: Nonce. c<N>. c({=N}K(b)+). event Commit(a, b, N)
        def Resp(b: Agent, a: Agent) = c(n: Nonce). event Answered(b, a, n). c<{n}K(b)->
        partial system S = Init(A, B) | Resp(B, C)
        agreement Commit(a, b, n) => Answered(b, a, n) in S";
    let found = rungs(model);
    assert_eq!(
        found[0],
        (
            "Init".to_owned(),
            "aliveness".into(),
            "weak agreement".into()
        )
    );
}

#[test]
fn lowe_s_repair_reaches_the_top() {
    let (code, out, _) = climb(&library("nsl.spi"), &[]);
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(
        out.matches("injective agreement      proved").count(),
        2,
        "{out}"
    );
}

/// Rungs that are proved for any number of runs and rungs that were only searched used to share one line about their
/// scope, that of the highest: a search looked like a proof, or a proof like a search.
#[test]
fn each_rung_says_for_which_runs_it_holds() {
    let model = "agent A, B spy C channel net key S(Agent, Agent)
        def Init(a: Agent, b: Agent) = new N: Nonce. event Running(a, b, N). net<{N}S(a, b)>
        def Resp(b: Agent, a: Agent) = net({n: Nonce}S(a, b)). event Done(b, a, n)
        system Once = Init(A, B) | Resp(B, A)
        system Often = !Init(A, B) | Resp(B, A)
        agreement Done(b, a, n) => Running(a, b, n) in Once
        agreement Done(b, a, n) => Running(a, b, n) in Often";
    let climbed = |more: &[&str]| {
        let (code, out, err) = climb(model, more);
        assert_eq!(code, Some(0), "{out}{err}");
        out
    };
    assert_eq!(
        climbed(&["--system", "Once"]),
        "Resp about Init: Done(b, a, n) => Running(a, b, n) in Once
  aliveness                proved for any number of runs
  weak agreement           proved for any number of runs
  non-injective agreement  proved for any number of runs
  injective agreement      holds for these runs only
                           beyond what is written: attack with a second Resp(B,
                           A)
  against every attacker, in Init(A, B) | Resp(B, A)
"
    );
    assert_eq!(
        climbed(&["--system", "Often", "--typed"]),
        "Resp about Init: Done(b, a, n) => Running(a, b, n) in Often
  aliveness                proved for any number of runs
  weak agreement           proved for any number of runs
  non-injective agreement  proved for any number of runs
  injective agreement      holds for these runs only (2 copies for each `!`)
                           beyond what is written: attack with a second Resp(B,
                           A)
  against attackers that keep to the declared types (--typed), in Init(A, B) |
  Resp(B, A)
"
    );
    let out = climbed(&["--system", "Once", "--sessions", "2"]);
    assert!(
        out.contains("non-injective agreement  proved for any number of runs\n"),
        "{out}"
    );
    assert!(
        out.contains("injective agreement      holds for these runs only (in all 10 systems of 2"),
        "{out}"
    );
    assert!(out.contains("Init(A, B) | Init(B, A)"), "{out}");
}

#[test]
fn a_rung_without_an_answer_says_why() {
    let flags = ["--max-states", "3", "--no-reduction=proofs"];
    let (code, out, _) = climb(&library("andrew/andrew.spi"), &flags);
    assert_eq!(code, Some(3));
    assert!(
        out.contains("aliveness                inconclusive: stopped at 3 states (--max-states)\n"),
        "{out}"
    );
}

#[test]
fn a_replay_breaks_the_last_rung() {
    let model = library("iso/one-pass.spi")
        .replace("Prover", "Init")
        .replace("Verifier", "Resp");
    let (_, out, err) = climb(&model, &["--format", "json", "--system", "Replay"]);
    let document: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
    let ladder = &document["files"][0]["ladders"][0];
    assert_eq!(ladder["reaches"], "non-injective agreement");
    assert_eq!(ladder["breaks"], "injective agreement");
    assert_eq!(ladder["rungs"][3]["runs"][0]["kinds"][0], "replay");
}

/// A model without a single event.
const BARE: &str = "agent A, B
spy C
channel net
keypair K(Agent)

def Init(a: Agent, b: Agent) =
  new Na: Nonce.
  net<{Na, a}K(b)+>.
  net(x). case x of {=Na, nb: Nonce, =b}K(a)- in
  net<{nb}K(b)+>

def Resp(b: Agent, a: Agent) =
  net(x). case x of {na: Nonce, =a}K(b)- in
  new Nb: Nonce.
  net<{na, Nb, b}K(a)+>.
  net(y). case y of {=Nb}K(b)- in 0

system S = Init(A, B) | Init(A, C) | Resp(B, A)
";

#[test]
fn events_are_marked_where_there_are_none() {
    let top = |role: &str| (role.to_owned(), "injective agreement".into(), Value::Null);
    assert_eq!(rungs(BARE), [top("Init"), top("Resp")]);
    let flawed = BARE
        .replace(", =b}K(a)-", "}K(a)-")
        .replace("Nb, b}", "Nb}");
    let found = rungs(&flawed);
    assert_eq!(found[0], top("Init"));
    assert_eq!(found[1].2, "weak agreement");
}

#[test]
fn roles_that_are_not_there_are_a_mistake() {
    let model = BARE.replace("Resp", "Answer");
    let (code, _, err) = climb(&model, &[]);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("no role is called `Resp`") && err.contains("`Answer`"),
        "{err}"
    );
}
