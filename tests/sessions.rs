//! `--sessions N` leaves assignments of agents out; none of them may be missed.

use crate::reference;
use crate::support;
use reference::random::seeds;
use reference::roles::Stage;
use spi::analysis::{Settings, Verdict};
use spi::base::limits::{Silent, StopReason};
use spi::engine::search::Options;
use spi::process::UnfoldError;
use spi::term::TermStore;
use std::fmt::Write as _;
use support::{observed, words};

/// Whether each claim is reached: by an attack, or by a run if that is what is asked for. `None` if that was not found out.
fn reached(text: &str, settings: &Settings) -> Vec<Option<bool>> {
    (observed(&TermStore::new(), text, settings, &Silent).into_iter())
        .map(|result| match result {
            // Nobody there whose secret it would be.
            Err(UnfoldError::NothingPicked { .. }) => Some(false),
            Err(error) => panic!("{error:?}\n{text}"),
            Ok(result) => match result.verdict {
                Verdict::Attack(_) | Verdict::Holds { run: Some(_) } => Some(true),
                Verdict::Holds { run: None } | Verdict::Unreachable => Some(false),
                Verdict::Inconclusive(StopReason::States(_) | StopReason::Size(_)) => None,
                other => panic!("{other:?}\n{text}"),
            },
        })
        .collect()
}

/// What every assignment comes to, each written down as a system of its own and searched, against what is generated. Says how many
/// claims were compared, and how many of them are reached.
fn compare(
    stage: &Stage,
    text: &str,
    n: usize,
    most: usize,
    settings: &Settings,
    proofs: bool,
) -> [usize; 2] {
    let Some(systems) = stage.assigned(n, most) else {
        return [0, 0];
    };
    let mut all = vec![Some(false); stage.claims()];
    for system in &systems {
        if all.iter().all(|r| *r == Some(true)) {
            break;
        }
        for (all, one) in all.iter_mut().zip(reached(system, settings)) {
            *all = match (*all, one) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
        }
    }
    let generated = Settings {
        sessions: Some(n as u32),
        proofs,
        ..*settings
    };
    let found = reached(text, &generated);
    let known = |r: &Option<bool>| r.is_some();
    for (claim, (all, one)) in all.iter().zip(&found).enumerate() {
        if known(all) && known(one) {
            assert_eq!(
                one, all,
                "claim {claim} with {n} instances, {settings:?}\n{text}"
            );
        }
    }
    let reached = |r: &&Option<bool>| **r == Some(true);
    [
        all.iter().filter(|r| known(r)).count(),
        all.iter().filter(reached).count(),
    ]
}

fn searched() -> Settings {
    Settings {
        compare_typed: false,
        proofs: false,
        search: Options {
            workers: 1,
            ..Options::default()
        },
        ..Settings::default()
    }
}

/// Compares random files, each written down in one of these ways.
fn compare_many(stage: fn(u64) -> Stage, written: fn(&Stage) -> String) {
    let mut sum = [0, 0];
    for seed in seeds(300) {
        let stage = stage(seed);
        let settings = Settings {
            typed: seed % 5 == 0,
            search: Options {
                transparent: seed % 7 == 0,
                ..searched().search
            },
            ..searched()
        };
        let n = [1, 1, 2, 3][(seed % 4) as usize];
        let found = compare(&stage, &written(&stage), n, 180, &settings, seed % 2 == 0);
        sum = [sum[0] + found[0], sum[1] + found[1]];
    }
    // Some are broken and some are not, or nothing is compared.
    assert!(sum[0] > 2 * sum[1] && 5 * sum[1] > sum[0], "{sum:?}");
}

#[test]
fn no_assignment_that_is_left_out_is_missed() {
    compare_many(Stage::new, Stage::written);
}

/// Each assignment that the sorts allow is written down, in a file without sorts.
#[test]
fn sorts_allow_the_assignments_that_they_say_and_no_others() {
    compare_many(Stage::with_sorts, Stage::written_with_sorts);
}

/// Who talks to whom in three instances: each agent by its number, a new one by the next.
fn patterns() -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for place in 0..6 {
        all = (all.iter())
            .flat_map(|p| {
                let new = p.iter().max().map_or(0, |m| m + 1);
                let partner = p.last().copied().filter(|_| place % 2 == 1);
                (0..=new)
                    .filter(move |i| Some(*i) != partner)
                    .map(|i| [p.clone(), vec![i]].concat())
            })
            .collect();
    }
    all
}

/// Of more agents than have all their orders tried, those that take part are the first. Each instance tells who it is and whom it talks to, and somebody waits for one
/// pattern: every one must come.
#[test]
fn of_many_agents_the_first_stand_for_all() {
    let all = patterns();
    for pattern in &all {
        let mut wait = String::new();
        let mut seen = 0;
        for (place, agent) in pattern.iter().enumerate() {
            if place % 2 == 0 {
                let _ = write!(wait, "net({{x{place}, x{}}}k). ", place + 1);
            }
            let first = |agent: usize| pattern.iter().position(|a| *a == agent);
            if *agent < seen {
                let before = first(*agent).expect("it was there");
                let _ = write!(wait, "[x{place} is x{before}] ");
                continue;
            }
            for other in (0..seen).filter_map(first) {
                let _ = write!(wait, "[x{place} is x{other}] 0 else ");
            }
            seen += 1;
        }
        let text = format!(
            "agent A, B, D, E, F, G, I  channel net  private k: Sym
             def Role(a: Agent, b: Agent) = net<{{a, b}}k>
             partial system S = new s. (Role(A, B) | {wait}net<s>)
             secrecy s in S"
        );
        assert_eq!(generated(&text, 3), ["attack"], "{pattern:?}");
    }
    assert_eq!(all.len(), 87);
}

/// The verdicts of all systems of `n` role instances, found with and without proofs.
fn generated(text: &str, n: u32) -> Vec<&'static str> {
    let settings = Settings {
        sessions: Some(n),
        ..searched()
    };
    let proofs = Settings {
        proofs: true,
        ..settings
    };
    let found = words(text, &settings);
    assert_eq!(found, words(text, &proofs), "{text}");
    found
}

/// A file with agents of which nothing but this tells one from the others. Each time there is something that only D can do, or that A alone can't.
fn about(definitions: &str, system: &str, claim: &str) -> String {
    format!(
        "agent A, B, U, V, D  channel net  public m  private k: Sym, pa: Agent
         {definitions}
         partial system {system}
         {claim}"
    )
}

#[test]
fn an_agent_that_is_named_anywhere_is_not_left_out() {
    let open = "def Role(a: Agent) = new n. net({=a}k). net<n>";
    let tells = "def Role(a: Agent) = net<{a}k>";
    let marks = "def Role(a: Agent) = new n. event F(m, a). event E(a, n). net<n>";
    for (definitions, system, claim) in [
        // In a definition.
        (
            "def Role(a: Agent) = new n. [a is D] net<n>",
            "S = Role(A)",
            "secrecy n",
        ),
        (
            "def Role(a: Agent) = new n. [H(a) is H(A)] 0 else net<n>",
            "S = Role(A)",
            "secrecy n",
        ),
        (
            "def Role(a: Agent) = new n. net<{D}k>. net({=a}k). net<n>",
            "S = Role(A)",
            "secrecy n",
        ),
        (
            "def Role(a: Agent) = event E(D, a)",
            "S = Role(A)",
            "reachable E(x, x)",
        ),
        (
            "def Role(a: Agent) = new n. Sub(a, D, n)  def Sub(p, q, n) = [p is q] net<n>",
            "S = Role(A)",
            "secrecy n",
        ),
        // In what the attacker knows, and in the rest of the system.
        (&format!("{open} knows {{D}}k"), "S = Role(A)", "secrecy n"),
        (open, "S = Role(A) | net<{D}k>", "secrecy n"),
        (open, "S = Role(A) | !new r. net<{D}k>", "secrecy n"),
        (
            open,
            "S = Role(A) | Other({D}k)  def Other(x) = net<x>",
            "secrecy n",
        ),
        // In claims.
        (marks, "S = Role(D)", "secrecy Role(D).n"),
        (marks, "S = Role(A)", "secrecy y after E(D, y)"),
        (marks, "S = Role(A)", "agreement E(D, y) => F(D, y)"),
        (marks, "S = Role(A)", "agreement E(x, y) => F(m, A)"),
        (marks, "S = Role(A)", "reachable E(D, y)"),
        (tells, "S = Role(A)", "secrecy ({D}k)"),
        (tells, "S = Role(A)", "unsendable net<{D}k>"),
    ] {
        let text = about(definitions, system, &format!("{claim} in S"));
        let broken = if claim.starts_with("reachable") {
            "holds"
        } else {
            "attack"
        };
        assert_eq!(generated(&text, 1), [broken], "{text}");
    }
    let text = about(
        open,
        "S(q: Agent) = Role(A) | net<{q}k>",
        "secrecy n in S(D)",
    );
    assert_eq!(generated(&text, 1), ["attack"]);
}

/// With two instances of one agent each, two agents of five seemed enough, whichever. But the key was handed to D, so that it is D whom `Open` must
/// be for. So it is if D was to talk to a private agent.
#[test]
fn an_agent_in_an_instance_that_stays_as_written_is_not_left_out() {
    for (send, instance) in [
        ("def Send(a: Agent, j: Sym) = net<{a}j>", "Send(D, k)"),
        (
            "def Send(a: Agent, j: Agent) = [j is pa] net<{a}k>",
            "Send(D, pa)",
        ),
    ] {
        let definitions = format!("{send}  def Open(b: Agent) = new n. net({{=b}}k). net<n>");
        let text = about(
            &definitions,
            &format!("S = {instance} | Open(A)"),
            "secrecy n in S",
        );
        assert_eq!(generated(&text, 1), ["holds"], "{text}");
        assert_eq!(generated(&text, 2), ["attack"], "{text}");
    }
}

/// D was left out as one of too many, and then was not known for an agent any more where it is written: `Send(D)` stayed as it is.
#[test]
fn an_agent_at_a_parameter_of_any_type_is_replaced_by_all() {
    let definitions = "def Send(a) = net<{a}k>  def Open(b: Agent) = new n. net({=b}k). net<n>";
    let text = about(definitions, "S = Send(D) | Open(A)", "secrecy n in S");
    assert_eq!(generated(&text, 2), ["attack"]);
}

/// One agent seemed enough for one instance, but the other argument stays as it is written, and B is named there.
#[test]
fn an_agent_inside_another_argument_is_not_left_out() {
    for mark in ["H(B)", "(B, net)", "K(B)+"] {
        let definitions = format!(
            "keypair K(Agent)  def Role(a: Agent, mark) = new n. [mark is {}] net<n>",
            mark.replace('B', "a")
        );
        let text = about(
            &definitions,
            &format!("S = Role(A, {mark})"),
            "secrecy n in S",
        );
        assert_eq!(generated(&text, 1), ["attack"], "{mark}");
    }
}

/// What the attacker can play itself is left out. Whether it can was once decided wrongly for the first of these: the public part of a key pair is
/// for everybody, but to make it, one must know whose it is.
#[test]
fn a_role_of_a_spy_that_needs_a_secret_is_not_left_out() {
    let ask = |key: &str| format!("def Ask(a: Agent) = new n. net({{=C}}{key}). net<n>");
    let show = |lock: &str| format!("def Ask(a: Agent) = new n. net<{{n}}{lock}>");
    for (tell, ask) in [
        ("net<{a}K(s)+>", ask("K(s)-")),
        ("net<{a}s>", ask("s")),
        ("net<{a}L(A)>", ask("L(A)")),
        ("net<{a}L((s, C))>", ask("L((s, C))")),
        ("Sub(a)  def Sub(a) = net<{a}s>", ask("s")),
        (
            "s<a>",
            "def Ask(a: Agent) = new n. s(=C). net<n>".to_owned(),
        ),
        (
            "s(x). [a is C] net<x>",
            "def Ask(a: Agent) = new n. s<n>".to_owned(),
        ),
        ("net({x}s). [a is C] net<x>", show("s")),
        ("net({x}K(A)-). [a is C] net<x>", show("K(A)+")),
        (
            "net<f(a)>",
            "def Ask(a: Agent) = new n. net(=f(C)). net<n>".to_owned(),
        ),
    ] {
        let text = format!(
            "agent A  spy C  channel net  private s  keypair K(Msg)  key L(Msg)  private function f(Msg)
             def Tell(a: Agent) = {tell}
             {ask}
             partial system S = Tell(A) | Ask(A)
             secrecy n in S"
        );
        assert_eq!(generated(&text, 1), ["holds"], "{text}");
        assert_eq!(generated(&text, 2), ["attack"], "{text}");
    }
}

/// What a role of honest agents makes is theirs, even if the attacker could say the same.
#[test]
fn a_role_of_honest_agents_is_not_left_out() {
    let text = "agent A, B  spy C  channel net  key L(Agent)
        def Tell(a: Agent, b: Agent) = new n. net<n>
        def Keep(a: Agent) = new m. net<{m}L(a)>
        partial system S = Tell(A, B) | Keep(A)
        secrecy n in S";
    assert_eq!(generated(text, 1), ["attack"]);
}

/// Events of the attacker's own roles are events, and a claim may pick such a role.
#[test]
fn a_role_of_a_spy_that_a_claim_asks_for_is_not_left_out() {
    let text = "agent A  spy C  channel net  key L(Agent)
        def Tell(a: Agent) = new n. event E(a). net<n>
        def Keep(a: Agent) = new m. net<{m}L(a)>
        partial system S = Tell(A) | Tell(C) | Keep(A)
        reachable E(C) in S
        secrecy Tell(C).n in S";
    assert_eq!(generated(text, 1), ["holds", "attack"]);
}

/// Declared agents take the places of agents, so what was written there otherwise was not looked at.
#[test]
fn what_is_written_is_always_looked_at() {
    let text = |declared: &str, body: &str, instance: &str| {
        format!(
            "agent A, B  channel net  public m  {declared}
             def Role(a: Agent, b: Agent) = new n. {body} net<n>
             partial system S = new r: Agent. {instance}
             secrecy n in S"
        )
    };
    for (body, instance) in [
        ("[b is s]", "Role(A, s)"),
        ("[b is m]", "Role(A, m)"),
        ("[b is A] 0 else [b is B] 0 else", "Role(A, r)"),
        ("[a is b]", "Role(A, A)"),
        // Others may talk to themselves then as well.
        ("[a is b] [a is A] 0 else", "Role(A, A)"),
    ] {
        let text = text("private s: Agent", body, instance);
        assert_eq!(generated(&text, 1), ["attack"], "{body} {instance}");
    }
    let text = text("", "[a is b]", "Role(A, B)");
    assert_eq!(generated(&text, 2), ["holds"]);
}

/// The argument of a system is as good as written there.
#[test]
fn an_agent_that_a_system_is_given_is_replaced_too() {
    let text = "
        agent A, B, D  channel net  key L(Agent, Agent)
        def Role(a, b: Agent, k) = new n. [a is D] [b is B] [k is L(D, B)] net<n>
        partial system S(q: Agent) = Role(q, A, L(q, A))
        secrecy n in S(A)";
    assert_eq!(generated(text, 1), ["attack"]);
}

/// What the attacker can play itself is left out, since another instance may be there in its place and do nothing. One that is stuck from the start
/// can't be, if nobody may be left stuck.
#[test]
fn a_transparent_attacker_needs_the_roles_of_spies() {
    let text = "
        agent A, B  spy C  channel net
        def Only(a: Agent) = [a is C] net<a>
        partial system S = new s. (Only(A) | net<s>)
        secrecy s in S";
    let settings = Settings {
        sessions: Some(2),
        search: Options {
            transparent: true,
            ..searched().search
        },
        ..searched()
    };
    assert_eq!(words(text, &settings), ["attack"]);
}
