//! `reachable`: the run that is shown is an honest one if there is one, and if there is none, that is said.

use crate::support;
use spi::analysis::{Attack, ClaimResult, Settings, Verdict};
use spi::certify::MoveKind;
use spi::term::TermStore;
use support::results_in;

fn reached(store: &TermStore, text: &str) -> ClaimResult {
    let mut results = results_in(store, text, &Settings::default());
    results.pop().expect("a claim")
}

fn shown(result: &ClaimResult) -> &Attack {
    let Verdict::Holds { run: Some(run) } = &result.verdict else {
        panic!("it is reached: {:?}", result.verdict);
    };
    run
}

/// The messages that somebody takes and nobody has sent before.
fn made_up(run: &Attack) -> usize {
    let moves = &run.witness.moves;
    let is_made = |at: usize| match moves[at].kind {
        MoveKind::Receive { channel, message } => !moves[..at]
            .iter()
            .any(|m| m.kind == MoveKind::Send { channel, message }),
        _ => false,
    };
    (0..moves.len()).filter(|at| is_made(*at)).count()
}

const ANSWER: &str = "agent A, B
    spy C
    channel net
    def Init(a: Agent) = new n. net<a, n>. net(x). event Done(a, x)
    def Resp(b: Agent) = net(a: Agent, x). event Got(b, a, x). net<x>
    system S = Init(A) | Resp(B)
";

#[test]
fn a_run_in_which_nobody_interferes_is_shown() {
    for (claim, moves) in [("Got(b, a, n)", 3), ("Done(a, n)", 6)] {
        let store = TermStore::new();
        let result = reached(&store, &format!("{ANSWER}reachable {claim} in S"));
        let run = shown(&result);
        assert_eq!(made_up(run), 0, "{claim}");
        // Both send and take, and each marks its event.
        assert_eq!(run.witness.moves.len(), moves, "{claim}");
    }
}

#[test]
fn what_the_event_does_not_need_is_left_out() {
    let text = "agent A, B, C
        channel net
        def Init(a: Agent) = net<a>
        def Resp(b: Agent) = net(a: Agent). event Got(b, a)
        system S = Init(A) | Resp(B) | Init(C) | Resp(C)
        reachable Got(b, a) in S";
    let store = TermStore::new();
    let result = reached(&store, text);
    assert_eq!(shown(&result).witness.moves.len(), 3);
}

#[test]
fn messages_on_private_channels_are_given_from_hand_to_hand() {
    // Whoever sends goes on before anybody has taken the first message.
    let text = "agent A
        channel net
        private pc
        def Send(a: Agent) = new n. pc<n>. pc<a>. net<n>
        def Take(a: Agent) = pc(x). pc(=a). net(=x). event Got(a, x)
        system S = Send(A) | Take(A)
        reachable Got(a, x) in S";
    let store = TermStore::new();
    let result = reached(&store, text);
    let run = shown(&result);
    let handed = |m: &&spi::certify::Move| matches!(m.kind, MoveKind::Communicate { .. });
    assert_eq!(run.witness.moves.iter().filter(handed).count(), 2);
    assert_eq!(made_up(run), 0);
}

#[test]
fn an_event_that_only_the_attacker_brings_about_is_shown_with_it() {
    let text = "agent A, B
        spy C
        channel net
        def Init(a: Agent, b: Agent) = net<a>. net(x). [x is C] event Done(a, b) else 0
        def Resp(b: Agent) = net(a: Agent). net<a>
        system S = Init(A, B) | Resp(B)
        reachable Done(a, b) in S";
    let store = TermStore::new();
    let result = reached(&store, text);
    assert_eq!(made_up(shown(&result)), 1);
    let mut command = assert_cmd::Command::cargo_bin("spi").expect("the binary is built");
    let output = command.args(["check", "-"]).write_stdin(text).output();
    let told = String::from_utf8(output.expect("it runs").stdout).expect("text");
    assert!(
        told.contains("note: the attacker has a part in this run"),
        "{told}"
    );
}
