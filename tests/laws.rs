//! Laws of the attacker search on random protocols: what must not change a verdict, and what may change it in one
//! direction only.

use crate::reference;
use crate::support;
use reference::process::{Style, claims_file};
use reference::protocol;
use reference::random::seeds;
use spi::analysis::{Settings, Verdict};
use spi::engine::search::Options;
use support::{results, word};

fn settings() -> Settings {
    Settings {
        compare_typed: false,
        search: Options {
            workers: 1,
            ..Options::default()
        },
        ..Settings::default()
    }
}

/// Whether each claim is reached; a claim about something that never runs counts as not reached.
fn reached(text: &str, settings: &Settings) -> Vec<bool> {
    results(text, settings)
        .iter()
        .map(|r| match &r.verdict {
            Verdict::Attack(_) | Verdict::Holds { run: Some(_) } => true,
            Verdict::Holds { run: None } | Verdict::Unreachable | Verdict::NotExecutable => false,
            other => panic!("{}: {}\n{text}", r.claim.text, word(other)),
        })
        .collect()
}

/// Every claim reached in the first text is reached in the second.
fn implies(less: &str, more: &str, settings: &Settings, law: &str) {
    for (i, (a, b)) in reached(less, settings)
        .iter()
        .zip(reached(more, settings))
        .enumerate()
    {
        assert!(!a || b, "{law}: claim {i} is lost\n{less}\n-----\n{more}");
    }
}

fn texts() -> impl Iterator<Item = String> {
    let processes = seeds(60).map(|seed| claims_file(seed, Style::default()));
    seeds(40).map(protocol::file).chain(processes)
}

#[test]
fn more_knowledge_never_removes_an_attack() {
    for text in texts() {
        let more = format!("{text}\npublic extra1, extra2\nknows H(extra1), {{extra1}}extra2\n");
        implies(&text, &more, &settings(), "more knowledge");
    }
}

#[test]
fn another_session_never_removes_an_attack() {
    for seed in seeds(60) {
        let text = protocol::file(seed);
        let Some(more) = with_session(&text) else {
            continue;
        };
        // Agreement may be repaired by a second run of the partner; secrecy may not.
        let few = results(&text, &settings());
        let many = results(&more, &settings());
        for (a, b) in few.iter().zip(&many) {
            if a.claim.text.starts_with("secrecy") && matches!(a.verdict, Verdict::Attack(_)) {
                assert!(
                    matches!(b.verdict, Verdict::Attack(_)),
                    "{}\n{more}",
                    a.claim.text
                );
            }
        }
    }
}

/// The file with one more responder in its system.
fn with_session(text: &str) -> Option<String> {
    let at = text.find("system S = ")? + "system S = ".len();
    Some(format!("{}Resp(B, A) | {}", &text[..at], &text[at..]))
}

#[test]
fn types_only_take_attacks_away() {
    for seed in seeds(80) {
        let text = protocol::file(seed);
        let typed = Settings {
            typed: true,
            ..settings()
        };
        for (i, (t, u)) in reached(&text, &typed)
            .iter()
            .zip(reached(&text, &settings()))
            .enumerate()
        {
            assert!(!t || u, "claim {i}: attack only with types\n{text}");
        }
    }
}

#[test]
fn a_transparent_attacker_is_an_attacker() {
    for text in texts() {
        let search = Options {
            transparent: true,
            ..settings().search
        };
        let transparent = Settings {
            search,
            ..settings()
        };
        for (i, (t, a)) in reached(&text, &transparent)
            .iter()
            .zip(reached(&text, &settings()))
            .enumerate()
        {
            assert!(
                !t || a,
                "claim {i}: only the transparent attacker succeeds\n{text}"
            );
        }
    }
}

#[test]
fn a_pair_sent_whole_or_in_two_messages_is_the_same() {
    for (m, n) in [
        ("s", "{s}k"),
        ("{s}k", "k"),
        ("H(s)", "s"),
        ("{k}H(s)", "{s}k"),
        ("s", "k"),
    ] {
        let whole = format!("net<{m}, {n}>. net(x). [x is s] net<{{k}}s>");
        let split = format!("net<{m}>. net<{n}>. net(x). [x is s] net<{{k}}s>");
        let text = |p: &str| {
            format!(
                "channel net private s, k\npartial system S = {p}\n\
                 secrecy s in S secrecy k in S secrecy ({{k}}s) in S"
            )
        };
        let both = [&whole, &split].map(|p| reached(&text(p), &settings()));
        assert_eq!(both[0], both[1], "{m} {n}");
    }
}

#[test]
fn the_number_of_workers_changes_nothing() {
    for text in texts().take(60) {
        let one = results(&text, &settings());
        let search = Options {
            workers: 3,
            ..Options::default()
        };
        let many = results(
            &text,
            &Settings {
                search,
                ..settings()
            },
        );
        for (a, b) in one.iter().zip(&many) {
            assert_eq!(
                word(&a.verdict),
                word(&b.verdict),
                "{}\n{text}",
                a.claim.text
            );
            assert_eq!(a.stats.states, b.stats.states, "{}\n{text}", a.claim.text);
            if let (Verdict::Attack(x), Verdict::Attack(y)) = (&a.verdict, &b.verdict) {
                let length = |v: &[spi::analysis::Attack]| v[0].witness.moves.len();
                assert_eq!(length(x), length(y));
            }
        }
    }
}

#[test]
fn generated_sessions_find_what_a_written_scenario_hides() {
    let text = "
agent A, B  spy C  channel net  keypair K(Agent)
def Init(a: Agent, b: Agent) =
  new Na: Nonce. net<{Na, a}K(b)+>. net(x). case x of {=Na, nb: Nonce}K(a)- in net<{nb}K(b)+>
def Resp(b: Agent, a: Agent) =
  net(x). case x of {na: Nonce, =a}K(b)- in new Nb: Nonce. net<{na, Nb}K(a)+>.
  net(y). case y of {=Nb}K(b)- in event Done(b, a)
system NS = Init(A, B) | Resp(B, A)
secrecy Nb in NS";
    assert_eq!(reached(text, &settings()), [false]);
    for (n, found) in [(1, false), (2, true), (3, true)] {
        let generated = Settings {
            sessions: Some(n),
            ..settings()
        };
        assert_eq!(reached(text, &generated), [found], "{n} instances");
    }
    let lowe = text
        .replace("{=Na, nb: Nonce}", "{=Na, nb: Nonce, =b}")
        .replace("{na, Nb}", "{na, Nb, b}");
    for n in 1..=3 {
        let generated = Settings {
            sessions: Some(n),
            ..settings()
        };
        assert_eq!(reached(&lowe, &generated), [false], "{n} instances");
    }
}

#[test]
fn generated_sessions_hand_out_keys_with_the_agents() {
    let text = "
agent A, B  spy C  channel net  key L(Agent, Agent)
def Prover(a: Agent, b: Agent, k: Sym) =
  net(rb: Nonce). new Ra: Nonce. event Running(a, b, Ra, rb). net<{Ra, rb, b}k>.
  net({=rb, =Ra}k). event Commit(a, b, Ra, rb)
def Verifier(b: Agent, a: Agent, k: Sym) =
  new Rb: Nonce. net<Rb>. net({ra: Nonce, =Rb, =b}k).
  event Answered(b, a, ra, Rb). net<{Rb, ra}k>. event Done(b, a, ra, Rb)
system Session = Prover(A, B, L(A, B)) | Verifier(B, A, L(A, B))
injective agreement Done(b, a, n, m) => Running(a, b, n, m) in Session";
    for n in 1..=3 {
        let generated = Settings {
            sessions: Some(n),
            ..settings()
        };
        assert_eq!(reached(text, &generated), [false], "{n} instances");
    }
}
