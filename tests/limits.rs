//! What a limit kept from being looked at is not spoken of as if it had been.

use crate::support;
use assert_cmd::Command;
use serde_json::Value;
use spi::analysis::{LimitSpec, Settings, Verdict, honest_run};
use spi::certify::proof::{ProofError, check};

use spi::base::limits::{Observer, Progress, Silent, StopReason};
use spi::base::source::SourceFile;
use spi::engine::prove::{Options, prove};
use spi::engine::search::Goal;
use spi::lang::sema::check_text;
use spi::process::{Bounds, Shapes, TupleMode, unfold};
use spi::term::TermStore;
use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use support::{observed, word, words};

/// Interrupts when it is asked for the so many-th time, counted from 0: only then, or from then on.
struct Interrupt {
    at: usize,
    once: bool,
    asked: AtomicUsize,
}

impl Interrupt {
    fn once(at: usize) -> Self {
        Self {
            at,
            once: true,
            asked: AtomicUsize::new(0),
        }
    }

    fn from(at: usize) -> Self {
        Self {
            once: false,
            ..Self::once(at)
        }
    }
}

impl Observer for Interrupt {
    fn progress(&self, _: &Progress) {}

    fn interrupted(&self) -> bool {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        asked == self.at || asked > self.at && !self.once
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
        let found = observed(&TermStore::new(), &text, &settings, &Interrupt::once(0));
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

/// A system of a hundred role instances that takes a while to be proved.
fn lowe() -> String {
    let instances: Vec<String> = (0..50)
        .map(|i| (i / 7, i % 7))
        .map(|(i, k)| (i, if k < i { k } else { k + 1 }))
        .map(|(a, b)| format!("Init(A{a}, A{b}) | Resp(A{b}, A{a})"))
        .collect();
    format!(
        "{}  spy C  channel net  keypair K(Agent)
         def Init(a: Agent, b: Agent) =
           new Na: Nonce. event Running(a, b, Na). net<{{Na, a}}K(b)+>.
           net(x). case x of {{=Na, nb: Nonce, =b}}K(a)- in net<{{nb}}K(b)+>
         def Resp(b: Agent, a: Agent) =
           net(x). case x of {{na: Nonce, =a}}K(b)- in new Nb: Nonce. net<{{na, Nb, b}}K(a)+>.
           net(y). case y of {{=Nb}}K(b)- in event Done(b, a, na)
         partial system S = {} | Init(A0, C)
         injective agreement Done(b, a, n) => Running(a, b, n) in S",
        told_apart(9),
        instances.join(" | ")
    )
}

/// 0, 1, 2, 3, 5, 8 ...
fn more_and_more() -> impl Iterator<Item = usize> {
    std::iter::successors(Some((0, 1)), |(a, b)| Some((*b, (a + b).max(2)))).map(|(a, _)| a)
}

/// However late somebody interrupts: the claim holds, or nothing is known.
#[test]
fn a_proof_can_be_interrupted() {
    let text = lowe();
    let mut stopped = 0;
    for at in more_and_more() {
        let found = observed(
            &TermStore::new(),
            &text,
            &Settings::default(),
            &Interrupt::from(at),
        );
        let [Ok(result)] = found.as_slice() else {
            panic!("{at}: {found:?}");
        };
        match result.verdict {
            Verdict::Holds { run: None } => {
                assert!(result.proof.is_some(), "{at}");
                break;
            }
            Verdict::Inconclusive(StopReason::Interrupted) => stopped += 1,
            _ => panic!("{at}: {}", word(&result.verdict)),
        }
    }
    // When it begins, while clauses are made, while they are saturated, while that is checked.
    assert!(stopped > 3, "{stopped}");
}

/// The time is looked at as well. There was a day when a proof took as long as it liked.
#[test]
fn a_proof_ends_when_the_time_is_up() {
    let limits = LimitSpec {
        timeout: Some(Duration::ZERO),
        ..LimitSpec::default()
    };
    let settings = Settings {
        limits,
        ..Settings::default()
    };
    let found = observed(&TermStore::new(), &lowe(), &settings, &Silent);
    let [Ok(result)] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert!(matches!(
        result.verdict,
        Verdict::Inconclusive(StopReason::Time)
    ));
}

/// What was not checked to the end is not believed, even if all that was looked at was right.
#[test]
fn a_check_that_was_stopped_is_none() {
    let store = TermStore::new();
    let file = SourceFile::anonymous("test.spi", &lowe());
    let program = check_text(&file, &store, TupleMode::Nested).program;
    let claim = &program.claims[0].kind;
    let closed = claim.system().expect("about one system");
    let bounds = Bounds::default();
    let system = unfold(&program, &store, closed, bounds, &mut Shapes::new()).expect("unfolds");
    let goal = Goal::new(&store, &system, claim).expect("a goal");
    let signature = &program.signature;
    let options = Options::default();
    let asked = Cell::new(0);
    let stop_at = |at: usize| {
        asked.set(0);
        let asked = &asked;
        move || asked.replace(asked.get() + 1) >= at
    };
    let never = stop_at(usize::MAX);
    let proof = prove(&store, signature, &system, &goal, options, &never);
    let (_, certificate) = proof.expect("it holds");
    let looks = asked.get();
    assert!(looks > 2, "{looks}");
    for at in more_and_more()
        .take_while(|at| *at < looks)
        .chain([looks - 1])
    {
        let stop = stop_at(at);
        assert!(
            prove(&store, signature, &system, &goal, options, &stop).is_err(),
            "{at}"
        );
    }
    let check = |at| {
        let stop = stop_at(at);
        check(&store, signature, &system, claim, &certificate, &stop)
    };
    assert_eq!(check(usize::MAX), Ok(()));
    let looks = asked.get();
    assert!(looks > 2, "{looks}");
    for at in more_and_more()
        .take_while(|at| *at < looks)
        .chain([looks - 1])
    {
        assert_eq!(check(at), Err(ProofError::Stopped), "{at}");
    }
}

/// Threads that all answer each other; everything is settled before the attacker makes its first choice.
fn many_threads(copies: &str) -> String {
    format!(
        "channel c
         partial system S = new k. new s. ( {copies} (new n. c<{{n}}k>. c(x). case x of {{y}}k in c<y>) | c<{{s}}k> )
         secrecy k in S"
    )
}

/// The first state of such a system was settled without a question, and took minutes.
#[test]
fn a_search_over_many_threads_asks_at_each_of_them_and_ends_when_it_is_to() {
    let settings = Settings {
        proofs: false,
        ..Settings::default()
    };
    let text = many_threads("!20 !20");
    for at in [0, 1, 100, 300, 1_000] {
        let interrupt = Interrupt::from(at);
        let found = observed(&TermStore::new(), &text, &settings, &interrupt);
        let [Ok(result)] = found.as_slice() else {
            panic!("{found:?}");
        };
        let stopped = Verdict::Inconclusive(StopReason::Interrupted);
        assert_eq!(word(&result.verdict), word(&stopped), "{at}");
        assert_eq!(result.stats.states, 0, "{at}: nothing was settled");
        let asked = interrupt.asked.into_inner();
        assert!(asked <= at + 20, "{at}: asked {asked} times");
    }
}

/// Replays asked nobody.
#[test]
fn a_replay_over_many_threads_ends_when_it_is_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let [model, attack] = ["m.spi", "a.spi"].map(|name| folder.path().join(name));
    std::fs::write(&model, many_threads("!3 !3")).expect("the model is written");
    let text = "channel leak  system Attack = c(w1). c(w2). c(w3). leak<{w1}w2>";
    std::fs::write(&attack, text).expect("the attack is written");
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .arg("replay")
        .args([&model, &attack])
        .args(["--timeout", "0s"])
        .output()
        .expect("it runs");
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(
        said.contains("not all runs of attack and system were tried"),
        "{said}"
    );
    assert_eq!(output.status.code(), Some(3), "{said}");
}

/// Each of a million repeated names had a diagnostic of its own.
#[test]
fn a_file_of_mistakes_has_a_thousand_of_them() {
    let file = SourceFile::anonymous("test.spi", &format!("agent A{}", ", B".repeat(50_000)));
    let checked = check_text(&file, &TermStore::new(), TupleMode::Nested);
    assert_eq!(checked.diagnostics.len(), 1_001);
    assert_eq!(checked.diagnostics[0].code.as_str(), "W0601");
}

#[test]
fn a_file_of_more_than_four_mebibytes_is_refused() {
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(["check", "-"])
        .write_stdin("(".repeat((4 << 20) + 1))
        .output()
        .expect("it runs");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(said.contains("E0605") && said.contains("4 MiB"), "{said}");
    assert_eq!(output.status.code(), Some(2));
}

/// The threads of the workers had small stacks, and a wide tuple, which is a deep term, overflowed them.
#[test]
fn a_wide_tuple_has_room_in_a_state_space() {
    let folder = tempfile::tempdir().expect("a folder");
    let model = folder.path().join("m.spi");
    let variables: Vec<String> = (0..1_000).map(|i| format!("y{i}")).collect();
    let text = format!(
        "channel c  partial system S = new s. new k. ( c<{{({})}}k> | c(x). case x of {{{}}}k in c<{{y0}}k> )",
        vec!["s"; 1_000].join(", "),
        variables.join(", ")
    );
    std::fs::write(&model, text).expect("the model is written");
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .args([
            "lts",
            "--max-states",
            "3",
            "--threads",
            "1",
            "--system",
            "S",
        ])
        .arg(&model)
        .output()
        .expect("it runs");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(matches!(output.status.code(), Some(0 | 3)), "{said}");
}

/// Each of those that were given up on was tried all the same, and why it is stuck was looked into.
#[test]
fn nobody_is_looked_into_when_honest_runs_are_stopped() {
    let store = TermStore::new();
    let file = SourceFile::anonymous("test.spi", &many_threads("!20 !20"));
    let program = check_text(&file, &store, TupleMode::Nested).program;
    let closed = program.claims[0].kind.system().expect("about one system");
    let interrupt = Interrupt::from(0);
    let settings = Settings::default();
    let gate = honest_run(&store, &program, closed, &settings, &interrupt).expect("unfolds");
    assert!(gate.limited && gate.runs.is_empty());
    let asked = interrupt.asked.into_inner();
    assert!(asked <= 20, "asked {asked} times");
}
