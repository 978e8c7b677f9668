//! What lies beyond a system as it is written: what breaks there is told without being asked for, and what is told is true.

mod compared;

use crate::reference;
use crate::support;
use assert_cmd::Command;
use reference::random::seeds;
use reference::roles::Stage;
use spi::analysis::{Decision, Outcome, Settings, Verdict};
use spi::base::source::SourceMap;
use spi::lang::sema::check_text;
use spi::present::report::{self, Context};
use spi::term::TermStore;
use std::fmt::Write as _;
use std::process::Output;
use support::{decisions, results};

fn spi(args: &[&str]) -> Output {
    let mut command = Command::cargo_bin("spi").expect("the binary is built");
    command.args(args).output().expect("it runs")
}

fn told(args: &[&str]) -> (String, i32) {
    let output = spi(args);
    let text = String::from_utf8(output.stdout).expect("text");
    (text, output.status.code().expect("it ends by itself"))
}

/// The scenarios that people miss, with what is added to what they wrote.
const SCENARIOS: &[(&str, &str, &str)] = &[
    (
        "key-transport",
        "holds for these runs only",
        "a second Bob(B, A)",
    ),
    (
        "no-counter",
        "holds for these runs only",
        "a second Receiver(B, A)",
    ),
    (
        "declared-aead",
        "holds for these runs only",
        "a second Receiver(B, A)",
    ),
    ("login", "holds for these runs only", "a second User(U, S)"),
    (
        "mix-up",
        "proved for these agents only",
        "RelyingParty(R, U, E)",
    ),
];

#[test]
fn what_one_more_run_or_another_agent_breaks_is_told_without_an_option() {
    for (name, word, added) in SCENARIOS {
        let path = format!("tests/beyond/{name}.spi");
        let beyond = format!("beyond what is written: attack with {added}");
        let (text, code) = told(&["check", &path]);
        assert!(text.contains(word), "{text}");
        assert!(text.replace('\n', " ").contains(&beyond), "{text}");
        assert!(text.contains("\n    system "), "the line to write: {text}");
        assert_eq!(code, 0, "what lies beyond does not change the exit code");
        let (text, _) = told(&["check", "-q", &path]);
        assert!(text.contains(&format!("{word}; {beyond}")), "{text}");
        assert_eq!(told(&["check", "--strict", &path]).1, 1);
        let (text, code) = told(&["check", "--as-written", &path]);
        assert!(!text.contains("beyond"), "{text}");
        assert_eq!(code, 0);
    }
}

#[test]
fn every_form_of_output_tells_what_lies_beyond() {
    let beyond = "beyond what is written: attack with a second Bob(B, A)";
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("m.spi");
    let text = include_str!("key-transport.spi").trim_end().to_owned();
    std::fs::write(&model, format!("{text} expect holds\n")).expect("written");
    let path = model.to_str().expect("a path");
    for args in [
        &["test", path][..],
        &["test", "--format", "junit", path],
        &["mutate", "--limit", "1", path],
        &["mutate", "--limit", "1", "--format", "json", path],
    ] {
        let (text, code) = told(args);
        assert!(text.contains(beyond), "{args:?}: {text}");
        assert_eq!(code, 0, "{args:?}");
    }
    for args in [
        &["check", "--format", "json", path][..],
        &["test", "--format", "json", path],
    ] {
        let (text, _) = told(args);
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let claim = &json["files"][0]["claims"][0];
        assert_eq!(claim["verdict"], "holds for these runs only");
        let attack = &claim["beyond"]["attack"];
        assert_eq!(attack["added"][0], "Bob(B, A)");
        assert_eq!(attack["sessions"], 3);
        assert!(
            attack["system"]
                .as_str()
                .expect("a line")
                .starts_with("system S =")
        );
        assert_eq!(attack["run"]["kinds"][0], "replay");
    }
    let (text, code) = told(&["test", "--strict", path]);
    assert!(text.contains("FAIL") && code == 1, "{text}");
    let (text, code) = told(&["test", "--require-proof", path]);
    assert!(text.contains("FAIL") && code == 1, "{text}");
    assert_eq!(told(&["check", "--require-proof", path]).1, 3);
}

#[test]
fn a_proof_is_asked_for_by_the_file_or_by_an_option() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("m.spi");
    let path = model.to_str().expect("a path");
    for (name, met) in [("key-transport", false), ("mix-up", true)] {
        let text = std::fs::read_to_string(format!("tests/beyond/{name}.spi")).expect("read");
        std::fs::write(&model, format!("{} expect proof\n", text.trim_end())).expect("written");
        let (text, code) = told(&["test", path]);
        assert_eq!(code, i32::from(!met), "{text}");
        assert_eq!(
            told(&["fmt", "--check", path]).1,
            0,
            "the formatter knows the word"
        );
    }
}

/// The text with another declaration of its system.
fn with_system(text: &str, line: &str) -> String {
    let start = text
        .find("partial system S")
        .or_else(|| text.find("system S"));
    let start = start.expect("there is a system");
    let rest = &text[start..];
    let end = [
        "\nsecrecy",
        "\nagreement",
        "\ninjective",
        "\nweak",
        "\naliveness",
        "\nreachable",
        "\nunsendable",
    ]
    .iter()
    .filter_map(|word| rest.find(word))
    .min()
    .expect("claims follow");
    format!("{}{line}{}", &text[..start], &rest[end..])
}

/// What is found beyond what is written is found in what is proposed to be written, and in nothing that was written before.
fn is_true(text: &str, settings: &Settings) -> [usize; 2] {
    let store = TermStore::new();
    let mut map = SourceMap::new();
    let file = map.add("test.spi", text);
    let program = check_text(&file, &store, spi::process::TupleMode::Nested).program;
    let mut counts = [0, 0];
    for (i, decision) in decisions(&store, text, settings).iter().enumerate() {
        let Decision::One(result) = decision else {
            continue;
        };
        counts[0] += usize::from(result.wider.is_some());
        let Some(beyond) = result.beyond() else {
            continue;
        };
        counts[1] += 1;
        assert!(result.outcome().holds(), "{text}");
        assert!(
            result.outcome() != Outcome::Proved,
            "proved, and broken: {text}"
        );
        assert!(!beyond.added.is_empty(), "nothing more is needed: {text}");
        let ctx = Context {
            store: &store,
            program: &program,
            map: &map,
        };
        let line = report::system_line(ctx, result, beyond)
            .unwrap_or_else(|| panic!("no line: {:?}\n{text}", report::added(&store, beyond)));
        let wider = with_system(text, &line);
        let again = &results(&wider, settings)[i];
        assert!(
            matches!(again.verdict, Verdict::Attack(_)),
            "{line}\n{:?}\n{wider}",
            again.verdict
        );
    }
    counts
}

#[test]
fn the_line_to_write_has_the_attack() {
    let settings = Settings::default();
    let mut counts = [0, 0];
    for seed in seeds(40) {
        let found = is_true(&Stage::new(seed).written(), &settings);
        counts = [counts[0] + found[0], counts[1] + found[1]];
    }
    assert!(counts[0] > 10 && counts[1] > 2, "too few looks: {counts:?}");
}

/// The system does nothing in its own name, so that its role instances can run any number of times.
fn roles_only(text: &str) -> String {
    let inline = "(never(e). new n0, n1, n2. event E(t, t). event F(t, t))";
    assert!(text.contains(inline), "{text}");
    let named = text.replace(inline, "Never");
    named.replacen("def ", &format!("def Never = {inline}\ndef "), 1)
}

/// `Proved` is said of every assignment of agents: none that is written down by hand has an attack.
#[test]
fn what_is_proved_for_all_agents_has_no_attack_with_any() {
    let mut compared = 0;
    for seed in seeds(80) {
        let stage = Stage::new(seed);
        let text = roles_only(&stage.written());
        let decided = decisions(&TermStore::new(), &text, &Settings::default());
        let proved = |d: &Decision| d.outcome() == Outcome::Proved;
        if !decided.iter().any(proved) {
            continue;
        }
        let Some(systems) = stage.assigned(2, 180) else {
            continue;
        };
        let settings = Settings {
            proofs: false,
            compare_typed: false,
            ..Settings::default()
        };
        for system in systems {
            for (decision, result) in decided.iter().zip(results(&system, &settings)) {
                if proved(decision) {
                    compared += 1;
                    assert!(
                        !matches!(result.verdict, Verdict::Attack(_)),
                        "{}\n{text}\n{system}",
                        result.claim.text
                    );
                }
            }
        }
    }
    assert!(compared > 20, "too few: {compared}");
}

/// A name, the declarations, what is claimed, and why that says nothing.
const VACUOUS: &[(&str, &str, &str)] = &[
    (
        "no honest instance makes it",
        "system S = I(A, C) | R(C, A)\nsecrecy Na in S",
        "only I(A, C) does, with a spy",
    ),
    (
        "no honest instance marks it",
        "system S = I(C, A) | R(A, C)\nagreement Commit(b, a) => Run(a, b) in S",
        "only R(A, C) does, with a spy",
    ),
    (
        "nobody mentions it",
        "private k\nsystem S = I(A, B) | R(B, A)\nsecrecy k in S",
        "nothing in the system uses `k`",
    ),
    (
        "nobody gets there",
        "system S = I(A, B) | R(B, A) | (net(x). [A is B] event Never(A) else 0)\nsecrecy A after Never(A) in S",
        "no run gets to `Never`",
    ),
    (
        "nobody uses it",
        "def M(a: Agent) = new Nm. event Made(a, Nm). net<a>\nsystem S = I(A, B) | R(B, A) | M(A)\nsecrecy Nm in S",
        "`Nm` is made, but nothing that is sent, opened or tested has it",
    ),
    (
        "an agreement with oneself",
        "def T(a: Agent) = new Nt. event Begin(a, Nt). net<a, Nt>. event End(a, Nt)\n\
         system S = I(A, B) | R(B, A) | T(A)\nagreement End(a, n) => Begin(a, n) in S",
        "whoever marks `End` has itself marked `Begin` before",
    ),
    (
        "nobody gets there, in however many copies",
        "private k\ndef W = net(x). case x of {=A}k in event Never(A) else 0\nsystem S = I(A, B) | R(B, A) | !W\nsecrecy A after Never(A) in S",
        "no run gets to `Never`",
    ),
    (
        "the same system",
        "system S(m) = net<m>\nS(A) ~ S(A)",
        "compared with itself",
    ),
    (
        "an unused parameter",
        "system S(_m) = net<A>\nstrong secrecy _m in S",
        "does not use `_m`",
    ),
];

const ROLES: &str = "agent A, B\nspy C\nchannel net\nkeypair K(Agent)\n\
    def I(a: Agent, b: Agent) = new Na. event Run(a, b). net<{Na, a}K(b)+>\n\
    def R(b: Agent, a: Agent) = net(x). case x of {n, =a}K(b)- in event Commit(b, a)\n";

#[test]
fn a_claim_that_says_nothing_is_vacuous() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("m.spi");
    let path = model.to_str().expect("a path");
    for (name, claimed, reason) in VACUOUS {
        std::fs::write(&model, format!("{ROLES}{claimed}\n")).expect("written");
        let (text, code) = told(&["check", path]);
        assert!(text.contains("vacuous"), "{name}: {text}");
        assert!(text.replace("\n  ", " ").contains(reason), "{name}: {text}");
        assert_eq!(code, 4, "{name}");
        std::fs::write(&model, format!("{ROLES}{claimed} expect holds\n")).expect("written");
        assert_eq!(
            told(&["test", path]).1,
            1,
            "{name}: a vacuous claim does not hold"
        );
        let (text, _) = told(&["check", "--format", "json", path]);
        assert!(text.contains("\"verdict\": \"vacuous\""), "{name}: {text}");
    }
}

#[test]
fn a_claim_that_says_something_is_not_vacuous() {
    for claimed in [
        "system S = I(A, B) | R(B, A)\nsecrecy Na in S",
        "system S = I(A, C) | R(B, A)\nsecrecy I(A, C).Na in S",
        // That nobody gets there is the point.
        "partial system S = R(B, A) | I(B, A)\nagreement Commit(b, a) => Run(a, b) in S",
        "private k\nsystem S = I(A, B) | R(B, A) | net<H(k)>\nsecrecy k in S",
        "system S = I(A, B) | R(B, A) | (net(x). [x is A] event Late(A) else 0)\nsecrecy K(A)- after Late(A) in S",
        // The earlier event is another's, although the role marks one of that name: the agents are the other way round.
        "def Peer(a: Agent, b: Agent) = new N. event Begin(a, b). net<{a, N}K(b)+>. net(x). case x of {=b, m}K(a)- in event End(a, b)\n\
         system S = Peer(A, B) | Peer(B, A)\nagreement End(a, b) => Begin(b, a) in S",
        // Not in every branch.
        "def Maybe(a: Agent) = net(x). [x is a] event Begin(a). event End(a) else event End(a)\n\
         system S = I(A, B) | R(B, A) | Maybe(A)\nagreement End(a) => Begin(a) in S",
        // That nobody gets there is the point: nobody has the key.
        "private k\ndef Locked(a: Agent) = net({=a}k). event Late(a)\npartial system S = I(A, B) | Locked(B)\nagreement Late(a) => Run(a, _) in S",
        // What a role marks itself is another event, or has other arguments.
        "key L(Agent, Agent)\ndef P(a: Agent, b: Agent) = new n. event Sent(a, b, n). net<{n}L(a, b)>\n\
         def Q(b: Agent, a: Agent) = net({n}L(a, b)). event Mine(a, b, n). event Got(b, a, n)\n\
         system S = P(A, B) | Q(B, A)\nagreement Got(b, a, n) => Sent(a, b, n) in S",
        "key L(Agent, Agent)\ndef P(a: Agent, b: Agent) = event Beg(a, b). net<{a}L(a, b)>. net({=b}L(b, a)). event Fin(a, b)\n\
         system S = P(A, B) | P(B, A)\nagreement Fin(a, b) => Beg(b, a) in S",
        // Two copies of a bare `!` do not get there, a third one does.
        "private k, l\nsystem S = I(A, B) | R(B, A) | net<{0}k> | event Begin(A). net<l>\n\
         | !(net(x). case x of {=0}k in net<{1}k> else case x of {=1}k in net<{2}k> else case x of {=2}k in event Never(A) else 0)\n\
         agreement Never(a) => Begin(a) in S",
    ] {
        let claimed = claimed.replace("secrecy K(A)-", "secrecy A");
        let text = format!("{ROLES}{claimed}\n");
        for decision in decisions(&TermStore::new(), &text, &Settings::default()) {
            assert!(decision.outcome() != Outcome::Vacuous, "{text}");
        }
    }
}

/// Another event of the honest run is not the one that nobody gets to.
#[test]
fn an_event_that_nobody_gets_to_is_vacuous_whatever_else_happens() {
    let text = format!(
        "{ROLES}private k\ndef Maybe(a: Agent) = net(x). case x of {{=a}}k in event Never(a) else 0\n\
         system S = I(A, B) | R(B, A) | Maybe(A)\nagreement Never(a) => Run(a, _) in S"
    );
    let decided = decisions(&TermStore::new(), &text, &Settings::default());
    assert_eq!(decided[0].outcome(), Outcome::Vacuous);
}

/// No assignment of agents has a second run of a role that takes none.
#[test]
fn a_role_without_agents_is_looked_at_twice() {
    let text = "channel net private k
        def I = new n. event Sent(n). net<{n}k>
        def R = net({n}k). event Got(n)
        system S = I | R
        injective agreement Got(n) => Sent(n) in S";
    let decided = decisions(&TermStore::new(), text, &Settings::default());
    assert_eq!(decided[0].outcome(), Outcome::Holds);
    assert!(decided[0].breaks_beyond());
}

/// Many instances, one of them more than is written: what is told stays short.
#[test]
fn a_look_is_bounded_by_states_whatever_the_system() {
    let mut text = format!("{ROLES}system S = I(A, B)");
    for _ in 0..40 {
        let _ = write!(text, " | R(B, A) | I(B, A)");
    }
    text.push_str("\ninjective agreement Commit(b, a) => Run(a, b) in S\n");
    for decision in decisions(&TermStore::new(), &text, &Settings::default()) {
        if let Decision::One(result) = decision
            && let Some(wider) = &result.wider
        {
            assert!(wider.states <= 6_000 + 64, "{}", wider.states);
        }
    }
}

/// A role instance that was handed a secret of the system keeps its agents: nothing tells who else would have been handed it. Another
/// agent in its role may break what is proved of these.
#[test]
fn a_proof_for_all_agents_is_not_claimed_of_those_that_stay_as_written() {
    let model = |system: &str| {
        format!(
            "agent A, B spy C channel net
            def P(a: Agent, b: Agent, k: Sym) = new n: Nonce. net<n>. net({{=n}}k). event D(a, b, n)
            def Q(b: Agent, a: Agent, k: Sym) = net(n). event R(b, a, n). net<{{n}}k>
            system S = {system}
            agreement D(a, b, n) => R(b, a, n) in S"
        )
    };
    let outcome = |system: &str| {
        let decided = decisions(&TermStore::new(), &model(system), &Settings::default());
        decided[0].outcome()
    };
    let written = "new k: Sym. (P(A, B, k) | Q(B, A, k))";
    assert_eq!(outcome(written), Outcome::ProvedForAgents);
    let other = "new k: Sym. (P(A, B, k) | Q(B, A, k) | Q(A, B, k))";
    assert_eq!(outcome(other), Outcome::Attack);
    let copies = "!new k: Sym. (P(A, B, k) | Q(B, A, k))";
    assert!(outcome(copies) != Outcome::Proved);
}
