//! The attacker search on the protocols of the papers.

use crate::support;
use spi::analysis::Settings;
use spi::engine::search::Options;
use support::{results, words};

const NS: &str = "
agent A, B  spy C  channel net  keypair K(Agent)
def Init(a: Agent, b: Agent) =
  new Na: Nonce. event Running(a, b, Na). net<{Na, a}K(b)+>.
  net(x). case x of {=Na, nb: Nonce}K(a)- in net<{nb}K(b)+>. event Commit(a, b, Na, nb)
def Resp(b: Agent, a: Agent) =
  net(x). case x of {na: Nonce, =a}K(b)- in
  new Nb: Nonce. event Answer(b, a, na, Nb). net<{na, Nb}K(a)+>.
  net(y). case y of {=Nb}K(b)- in event Done(b, a, na)
system NS = Init(A, B) | Init(A, C) | Resp(B, A)
secrecy Na in NS
secrecy Nb in NS
agreement Done(b, a, n) => Running(a, b, n) in NS
injective agreement Commit(a, b, n, m) => Answer(b, a, n, m) in NS
reachable Done(b, a, n) in NS
";

/// The search alone: nothing is proved beforehand.
fn searched() -> Settings {
    Settings {
        proofs: false,
        ..Settings::default()
    }
}

#[test]
fn needham_schroeder_has_lowes_attack() {
    assert_eq!(
        words(NS, &searched()),
        ["holds", "attack", "attack", "holds", "holds"]
    );
}

fn nsl(system: &str) -> String {
    NS.replace("{=Na, nb: Nonce}", "{=Na, nb: Nonce, =b}")
        .replace("{na, Nb}", "{na, Nb, b}")
        .replace("Init(A, B) | Init(A, C) | Resp(B, A)", system)
}

#[test]
fn needham_schroeder_lowe_holds() {
    let text = nsl("Init(A, B) | Init(A, C) | Resp(B, A)");
    assert_eq!(words(&text, &searched()), ["holds"; 5]);
}

#[test]
fn the_search_counts() {
    for (name, text) in [
        ("NS", NS.to_string()),
        ("NSL", nsl("Init(A, B) | Init(A, C) | Resp(B, A)")),
        (
            "NSL 2+2",
            nsl("Init(A, B) | Init(A, C) | Resp(B, A) | Resp(B, A)"),
        ),
    ] {
        for r in results(&text, &searched()) {
            eprintln!(
                "{name}: {} {} {:?}",
                r.claim.text,
                support::word(&r.verdict),
                r.stats
            );
        }
    }
}

#[test]
fn a_branch_that_has_lost_the_goal_ends() {
    // B talks to the spy only, so what B marks is nobody's business.
    let text = nsl("Init(A, B) | Resp(B, C)");
    let pruned = results(&text, &searched());
    let search = Options {
        pruning: false,
        ..Options::default()
    };
    let all = results(
        &text,
        &Settings {
            search,
            ..searched()
        },
    );
    for (pruned, all) in pruned.iter().zip(&all) {
        let claim = &pruned.claim.text;
        let words = [pruned, all].map(|r| support::word(&r.verdict));
        assert_eq!(words[0], words[1], "{claim}");
        assert!(pruned.stats.states <= all.stats.states, "{claim}");
        if claim.starts_with("agreement Done") {
            assert_eq!(pruned.stats.states, 0, "{claim}");
            assert!(all.stats.states > 0, "{claim}");
        }
    }
}

#[test]
fn generated_systems_give_the_same_with_any_number_of_threads() {
    let with = |workers| {
        let settings = Settings {
            sessions: Some(3),
            search: Options {
                workers,
                ..Options::default()
            },
            ..searched()
        };
        let figures = |r: &spi::analysis::ClaimResult| {
            let word = support::word(&r.verdict).to_owned();
            (word, r.stats.states, r.scope.finished, r.scope.generated)
        };
        results(NS, &settings)
            .iter()
            .map(figures)
            .collect::<Vec<_>>()
    };
    assert_eq!(with(1), with(2));
    assert_eq!(with(1), with(3));
}

#[test]
fn one_system_with_too_large_a_message_does_not_hide_the_others() {
    use std::fmt::Write;
    let mut doubling = String::new();
    for i in 0..16 {
        write!(doubling, "let y{} = (y{i}, y{i}) in ", i + 1).expect("a string takes all");
    }
    let text = |roles: &str| {
        format!(
            "agent A, B  spy C  channel net  private kp: Sym
             def Big(a: Agent, b: Agent) = net(y0). {doubling} net({{=y16}}kp). event E(a, b, y0)
             def Leak(a: Agent, b: Agent) = net(x). event E(a, b, x)
             def Other(a: Agent) = event G(a, a, a)
             partial system U = {roles}
             agreement E(a, b, x) => G(a, b, x) in U
             reachable E(a, b, x) in U"
        )
    };
    for roles in [
        "Other(A) | Leak(A, B) | Big(A, B)",
        "Big(A, B) | Leak(A, B) | Other(A)",
    ] {
        for (all, sessions) in [(false, 1), (false, 2), (true, 2)] {
            let settings = Settings {
                all,
                sessions: Some(sessions),
                search: Options {
                    all,
                    ..Options::default()
                },
                ..searched()
            };
            let found = words(&text(roles), &settings);
            assert_eq!(found, ["attack", "holds"], "{roles} {all} {sessions}");
        }
    }
}

#[test]
fn a_partner_named_at_run_time_must_be_an_honest_agent() {
    let text = |sent: &str| {
        format!(
            "agent A, B  spy C  channel net  keypair K(Agent)
             def Init(a: Agent, b: Agent) = new N: Nonce. net<{sent}>
             partial system S = net(x). Init(A, x)
             secrecy N in S"
        )
    };
    assert_eq!(words(&text("{N}K(b)+"), &searched()), ["holds"]);
    assert_eq!(words(&text("N"), &searched()), ["attack"]);
}

#[test]
fn an_instance_picked_by_name_counts_whoever_its_agents_are() {
    let text = NS.replace(
        "secrecy Na in NS",
        "secrecy Init(A, C).Na, Init(A, B).Na in NS",
    );
    assert_eq!(words(&text, &searched())[0], "attack");
    let text = NS.replace("secrecy Na in NS", "secrecy Init(A, B).Na in NS");
    assert_eq!(words(&text, &searched())[0], "holds");
}

#[test]
fn both_groups_of_otway_rees_attacks_are_listed() {
    let text = include_str!("../protocols/papers/spycatcher-otway-rees.spi");
    let settings = Settings {
        typed: true,
        all: true,
        ..searched()
    };
    let all = results(text, &settings);
    let found = all
        .iter()
        .find(|r| r.scope.system == "OR_C")
        .expect("the file has the system");
    let spi::analysis::Verdict::Attack(attacks) = &found.verdict else {
        panic!("{:?}", found.verdict);
    };
    assert_eq!(attacks[0].witness.moves.len(), 7);
    let first_role = |a: &spi::analysis::Attack| {
        let step = a.system.step(a.witness.moves[0].step);
        a.system.instance(step.instance).label.to_string()
    };
    let first: Vec<String> = attacks.iter().map(first_role).collect();
    // Fig. 9: the honest session starts first; Fig. 10: the spy's does.
    assert!(
        first.contains(&"Send".to_string()) && first.contains(&"Recv".to_string()),
        "{first:?}"
    );
}
