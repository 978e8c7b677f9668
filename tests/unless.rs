//! `unless L(a), ..`: a violation counts only if no such event came before it [Sem 4.1].

use crate::reference::random::seeds;
use crate::reference::{attack, phases, process};
use crate::search_reference::agree;
use spi::analysis::{Decision, Model, Outcome, Settings, Verdict};
use spi::base::limits::Silent;
use spi::engine::search::Options;

/// A random system with claims that excuse.
fn excused(text: &str) -> String {
    let claim = |l: &&str| {
        ["secrecy", "reachable", "agreement", "injective"]
            .iter()
            .any(|w| l.starts_with(w))
    };
    let mut own: String = text
        .lines()
        .filter(|l| !claim(l))
        .collect::<Vec<_>>()
        .join("\n");
    let (e, f) = (own.contains("event E("), own.contains("event F("));
    own.push('\n');
    if e {
        own += "secrecy x after E(x) in S unless E(_)\n";
    }
    if e && f {
        own += "secrecy x after E(x) in S unless F(x)\nsecrecy x after E(x) in S unless F(_)\nsecrecy x after F(x) in S unless E(x), F(_)\n\
            agreement E(x) => F(x) in S unless F(_)\nagreement F(x) => E(x) in S unless E(_)\n";
    }
    own
}

#[test]
fn random_systems_with_excuses() {
    let limits = attack::Limits {
        states: 300,
        ..attack::Limits::default()
    };
    agree(seeds(80), limits, |seed| excused(&phases::system(seed)));
    let style = process::Style {
        events: true,
        ..process::Style::default()
    };
    agree(seeds(80), limits, |seed| {
        excused(&process::claims_file(seed, style))
    });
}

const LOSSES: &str = "agent A, B\nspy C\nchannel net\nkeypair K(Agent)
def Init(a: Agent, b: Agent) = new k: Sym. event Made(a, b, k). net<{k, a}K(b)+>
def Resp(b: Agent, a: Agent) = net(x). case x of {k: Sym, =a}K(b)- in event Got(b, a, k)
def Loses(a: Agent) = event Lost(a). net<K(a)->
partial system S = Init(A, B) | Resp(B, A) | Loses(A) | Loses(B)
";

fn decided(claim: &str, transparent: bool) -> Option<(Outcome, usize)> {
    let model = Model::from_text(&format!("{LOSSES}{claim}\n")).expect("the model is sound");
    let settings = Settings {
        search: Options {
            transparent,
            ..Options::default()
        },
        ..Settings::default()
    };
    let decision = model.decide(0, &settings, &Silent).ok()?;
    let moves = match &decision {
        Decision::One(result) => match &result.verdict {
            Verdict::Attack(attacks) => attacks[0].witness.moves.len(),
            _ => 0,
        },
        Decision::Compared(_) => 0,
    };
    Some((decision.outcome(), moves))
}

#[test]
fn a_key_that_was_lost_before_excuses_a_leak() {
    let outcome = |claim: &str| decided(claim, false).expect("it is decided").0;
    let leak = "secrecy k after Made(a, b, k) in S";
    assert_eq!(outcome(leak), Outcome::Attack);
    assert!(outcome(&format!("{leak} unless Lost(b)")).holds());
    assert_eq!(outcome(&format!("{leak} unless Lost(a)")), Outcome::Attack);
    assert!(outcome(&format!("{leak} unless Lost(a), Lost(b)")).holds());
    assert!(outcome(&format!("{leak} unless Lost(_)")).holds());
    // Whose key is given away from the start has not lost it by an event.
    let given = "secrecy k after Made(A, B, k) in S given K(B)- unless Lost(B)";
    assert_eq!(outcome(given), Outcome::Attack);
}

/// Anybody can write to B: the excuse would have to come first, and the attacker does not let it happen.
#[test]
fn an_excuse_waits_until_the_attacker_lets_it_happen() {
    let outcome = |claim: &str| decided(claim, false).expect("it is decided").0;
    let sent = "agreement Got(b, a, k) => Made(a, b, k) in S";
    assert_eq!(outcome(sent), Outcome::Attack);
    assert_eq!(outcome(&format!("{sent} unless Lost(a)")), Outcome::Attack);
    assert!(outcome(&format!("{sent} unless Got(b, _, _), Made(_, _, _)")) == Outcome::Attack);
}

#[test]
fn transparent_attackers_know_no_excuse() {
    let claim = "secrecy k after Made(a, b, k) in S";
    assert!(decided(claim, true).is_some());
    assert!(decided(&format!("{claim} unless Lost(b)"), true).is_none());
}
