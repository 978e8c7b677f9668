//! Proofs for any number of runs against the search. A proof that is wrong says `holds` where there is an attack, so most systems
//! here have one, and each would be proved safe if one mechanism of the proof were missing.
//!
//! Random systems and planted attacks go through both in `search_reference.rs`.

use crate::support;
use rayon::prelude::*;
use spi::analysis::{Attack, ClaimResult, LimitSpec, Reach, Settings, Verdict};
use spi::engine::search::Options;
use spi::process::ClaimKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use support::{is_large, results, word};

fn settings(proofs: bool) -> Settings {
    Settings {
        proofs,
        compare_typed: false,
        search: Options {
            workers: 1,
            ..Options::default()
        },
        ..Settings::default()
    }
}

fn files(folder: &str) -> Vec<PathBuf> {
    fn collect(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                collect(&path, into);
            } else if path.extension().is_some_and(|e| e == "spi") && !is_large(&path) {
                into.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join(folder),
        &mut found,
    );
    found.sort();
    found
}

/// Whether a claim is about one system: others are not for this.
fn is_about_one_system(kind: &ClaimKind) -> bool {
    kind.system().is_some()
}

/// The verdicts of all claims of a text that are about one system, with what was proved.
fn verdicts(text: &str, settings: &Settings) -> Vec<(&'static str, Option<Reach>)> {
    let found = results(text, settings);
    found
        .iter()
        .filter(|r| is_about_one_system(&r.claim.kind))
        .map(|r| (word(&r.verdict), r.scope.proved))
        .collect()
}

const DECLARATIONS: &str =
    "agent A, B\nspy C\nchannel c, d\nprivate k: Sym, k2: Sym\nkeypair K(Agent)\nkey S(Agent)\n";

/// The search finds an attack, after the proof was tried.
fn is_attacked(text: &str) {
    let text = format!("{DECLARATIONS}{text}");
    for (verdict, proved) in verdicts(&text, &settings(true)) {
        assert_eq!((verdict, proved), ("attack", None), "{text}");
    }
}

/// The claims hold, but not for more runs: there must be no proof.
fn holds_without_proof(text: &str) {
    let text = format!("{DECLARATIONS}{text}");
    for (verdict, proved) in verdicts(&text, &settings(true)) {
        assert_eq!((verdict, proved), ("holds", None), "{text}");
    }
}

fn is_proved(text: &str, reach: Reach) {
    let text = format!("{DECLARATIONS}{text}");
    for (verdict, proved) in verdicts(&text, &settings(true)) {
        assert_eq!((verdict, proved), ("holds", Some(reach)), "{text}");
    }
}

#[test]
fn the_library_has_the_verdicts_of_the_search() {
    let mut proofs = 0;
    for file in files("protocols") {
        let text = std::fs::read_to_string(&file).expect("the file can be read");
        if text.contains(" ~ ") || text.contains(" <= ") || text.contains("strong secrecy") {
            continue;
        }
        let (with, without) = (
            verdicts(&text, &settings(true)),
            verdicts(&text, &settings(false)),
        );
        proofs += with.iter().filter(|(_, p)| p.is_some()).count();
        let words = |v: &[(&'static str, Option<Reach>)]| -> Vec<_> {
            v.iter().map(|(word, _)| *word).collect()
        };
        assert_eq!(words(&with), words(&without), "{}", file.display());
    }
    assert!(proofs > 200, "{proofs}");
}

/// All that is said of the claims of a text, but how long it took.
fn told(text: &str, settings: &Settings) -> Vec<String> {
    let mut found = results(text, settings);
    for r in &mut found {
        r.stats.time = Duration::ZERO;
    }
    let about = |r: &&ClaimResult| is_about_one_system(&r.claim.kind);
    let tell = |r: &ClaimResult| {
        let attacks = match &r.verdict {
            Verdict::Attack(attacks) => attacks.as_slice(),
            _ => &[],
        };
        let steps = |a: &Attack| a.witness.moves.iter().map(|m| m.step).collect::<Vec<_>>();
        let steps: Vec<_> = attacks.iter().map(steps).collect();
        format!(
            "{} {steps:?} {:?} {:?} {:?} {:?} {:?}",
            word(&r.verdict),
            r.scope,
            r.stats,
            r.proof,
            r.stopped,
            r.also_typed
        )
    };
    found.iter().filter(about).map(tell).collect()
}

#[test]
fn nothing_depends_on_whether_there_was_a_brief_search() {
    files("protocols").par_iter().for_each(|file| {
        let text = std::fs::read_to_string(file).expect("the file can be read");
        if text.contains(" ~ ") || text.contains(" <= ") || text.contains("strong secrecy") {
            return;
        }
        for (sessions, all, states) in [
            (None, false, None),
            (None, true, Some(500)),
            (Some(2), false, Some(500)),
            (Some(2), false, Some(5)),
        ] {
            let settings = |brief| Settings {
                brief,
                sessions,
                all,
                compare_typed: !all,
                limits: LimitSpec {
                    states,
                    ..LimitSpec::default()
                },
                ..settings(true)
            };
            assert_eq!(
                told(&text, &settings(true)),
                told(&text, &settings(false)),
                "{}, {sessions:?}, {all}, {states:?}",
                file.display()
            );
        }
    });
}

#[test]
fn generated_systems_without_the_event_of_a_claim_say_nothing_new() {
    for file in files("protocols") {
        let text = std::fs::read_to_string(&file).expect("the file can be read");
        if text.contains(" ~ ") || text.contains(" <= ") || text.contains("strong secrecy") {
            continue;
        }
        let found = [true, false].map(|pruning| {
            let search = Options {
                pruning,
                ..settings(false).search
            };
            let settings = Settings {
                search,
                sessions: Some(2),
                ..settings(false)
            };
            let found = results(&text, &settings);
            let tell = |r: &ClaimResult| format!("{} {:?}", word(&r.verdict), r.scope);
            found.iter().map(tell).collect::<Vec<_>>()
        });
        assert_eq!(found[0], found[1], "{}", file.display());
    }
}

#[test]
fn generated_systems_have_the_verdicts_of_the_search() {
    let mut proofs = 0;
    for file in files("protocols") {
        let text = std::fs::read_to_string(&file).expect("the file can be read");
        if text.contains(" ~ ") || text.contains(" <= ") || text.contains("strong secrecy") {
            continue;
        }
        let generated = |proofs| Settings {
            sessions: Some(2),
            ..settings(proofs)
        };
        let (with, without) = (
            verdicts(&text, &generated(true)),
            verdicts(&text, &generated(false)),
        );
        for ((with, proved), (without, _)) in with.iter().zip(&without) {
            proofs += usize::from(proved.is_some());
            assert_eq!(with, without, "{}", file.display());
        }
    }
    assert!(proofs > 100, "{proofs}");
}

#[test]
fn verdicts_that_were_wrong_once_are_not_proved() {
    for file in files("tests/soundness") {
        let text = std::fs::read_to_string(&file).expect("the file can be read");
        for typed in [false, true] {
            let with = |proofs| Settings {
                typed,
                limits: LimitSpec {
                    states: Some(60),
                    ..settings(proofs).limits
                },
                ..settings(proofs)
            };
            let found = verdicts(&text, &with(true));
            let searched = verdicts(&text, &with(false));
            for ((word, proved), (other, _)) in found.iter().zip(&searched) {
                // A search that met a limit has nothing to say.
                let open = *other == "inconclusive" && proved.is_some();
                assert!(open || word == other, "{}: {word}, {other}", file.display());
            }
        }
    }
}

#[test]
fn a_second_run_may_do_what_one_can_not() {
    let role =
        "def R(a: Agent) = new s: Nonce. c<{s}k>. c(x). case x of {y}k in [y is s] 0 else c<y>\n";
    holds_without_proof(&format!(
        "{role}partial system One = R(A)\nsecrecy s in One"
    ));
    is_attacked(&format!(
        "{role}partial system Two = R(A) | R(A)\nsecrecy s in Two"
    ));
    is_attacked(&format!(
        "{role}partial system Two = R(A) | R(B)\nsecrecy s in Two"
    ));
}

#[test]
fn an_oracle_may_be_asked_once_by_each_run() {
    let roles = "def Send(a: Agent) = new s: Nonce. c<{{s}k}k>\n\
                 def Peel(a: Agent) = c(x). case x of {y}k in c<y>\n";
    holds_without_proof(&format!(
        "{roles}partial system One = Send(A) | Peel(B)\nsecrecy s in One"
    ));
    is_attacked(&format!(
        "{roles}partial system Two = Send(A) | Peel(B) | Peel(B)\nsecrecy s in Two"
    ));
}

#[test]
fn a_name_of_the_system_is_the_same_in_all_runs() {
    is_attacked(
        "def R(a: Agent, h: Sym) = new s: Nonce. c<{s}h>. c(x). case x of {y}h in [y is s] 0 else c<y>\n\
         partial system T = new h: Sym. (R(A, h) | R(A, h))\n\
         secrecy s in T",
    );
    is_attacked(
        "def Give(a: Agent, h: Sym) = new s: Nonce. c(x). c<{s, x}h>\n\
         def Take(a: Agent, h: Sym) = c(x). case x of {y, z}h in c<y>\n\
         partial system T = new h: Sym. (Give(A, h) | Take(B, h))\n\
         secrecy s in T",
    );
}

#[test]
fn threads_of_a_run_share_names_whatever_each_received() {
    is_attacked(
        "def R(a: Agent) = new s: Nonce, h: Sym. (c(x). c<{s}h> | c(y). case y of {z}h in c<z>)\n\
         partial system T = R(A)\n\
         secrecy s in T",
    );
    is_attacked(
        "def R(a: Agent) = new s: Nonce, h: Sym. c(w). (c(x). c<{s}h> | c(y). c(v). case y of {z}h in c<z>)\n\
         partial system T = R(A)\n\
         secrecy s in T",
    );
}

#[test]
fn messages_pass_on_channels_that_the_attacker_lacks_or_learns() {
    is_attacked(
        "def R(a: Agent) = new s: Nonce, p: Name. (p<s> | p(x). c<x>)\npartial system T = R(A)\nsecrecy s in T",
    );
    is_attacked(
        "def R(a: Agent) = new s: Nonce, p: Name. c<p>. p<s>\npartial system T = R(A)\nsecrecy s in T",
    );
    is_attacked(
        "def R(a: Agent) = new s: Nonce. c(x). x<s>\npartial system T = R(A)\nsecrecy s in T",
    );
    is_attacked(
        "def R(a: Agent) = new s: Nonce, p: Name. (c<{p}k> | p(x). [x is 0] c<s>)\n\
         def Q(a: Agent) = c(x). case x of {y}k in y<0>\n\
         partial system T = R(A) | Q(B)\nsecrecy s in T",
    );
}

#[test]
fn the_attacker_takes_apart_and_puts_together() {
    for leak in [
        "c<(0, s)>",
        "c<suc(suc(s))>",
        "c<{(0, s)}S(C)>",
        "c<{s}K(C)+>",
        "c<{s}K(A)->",
        "c<{[s]}(0, 0)+>",
        "c<{s}H(A, B)>",
        "c(x). case x of {0}K(A)+ in c<s>",
        "c(x). case x of H(H(0)) in c<s>",
        "c(x). let (y, z) = x in c<({s}y, {y}z)>",
        "c<{s}(k, k2)>. c<{k}H(0)>. c<k2>",
        "new h: Sym. c<{s}h+>. c<h->",
        "new h: Sym. c<{s}h->. c<h+>",
    ] {
        // Not every spelling is a pattern: those are written as tests.
        let leak = leak
            .replace("case x of {0}K(A)+ in", "[x is {0}K(A)+]")
            .replace("case x of H(H(0)) in", "[x is H(H(0))]");
        is_attacked(&format!(
            "def R(a: Agent) = new s: Nonce. {leak}\npartial system T = R(A)\nsecrecy s in T"
        ));
    }
    is_attacked(
        "knows {k}S(C)\ndef R(a: Agent) = new s: Nonce. c<{s}k>\npartial system T = R(A)\nsecrecy s in T",
    );
}

#[test]
fn a_branch_else_is_open() {
    is_attacked(
        "def R(a: Agent) = new s: Nonce. c(x). case x of {y}k in 0 else c<s>\npartial system T = R(A)\nsecrecy s in T",
    );
    is_attacked(
        "def R(a: Agent) = new s: Nonce. c(x). let y = x in c<s> else 0\npartial system T = R(A)\nsecrecy s in T",
    );
}

#[test]
fn agents_of_the_run_count() {
    is_attacked(
        "def R(a: Agent) = c(b: Agent). new s: Nonce. c<{s}S(b)>. event E(a, s). c<s>\n\
         partial system T = R(A)\nsecrecy n after E(_, n) in T",
    );
    is_attacked(
        "def R(a: Agent) = c(b: Agent). new s: Nonce. c<{s}S(b)>. event E(a, s)\n\
         partial system T = R(A)\nsecrecy n after E(_, n) in T",
    );
}

/// What the attacker always has is an instance of what a receiver asks for, wherever that comes from.
#[test]
fn what_is_known_from_the_start_may_be_asked_for_with_variables() {
    is_attacked(
        "keypair Ks\n\
         def P(a: Agent) = new p: Name, s: Nonce. (p<Ks> | c(t). p(z). [t is z+] c<s>)\n\
         partial system T = P(A)\nsecrecy s in T",
    );
    is_attacked(
        "key L(Agent, Agent)\n\
         def P(a: Agent) = new s: Nonce. c(x, y). c<{s}L(x, y)>\n\
         partial system T = P(A)\nsecrecy s in T",
    );
    is_attacked(
        "def P(a: Agent) = new p: Name, s: Nonce. (p<S(C)> | c(t). p(z). [t is H(z)] c<s>)\n\
         partial system T = P(A)\nsecrecy s in T",
    );
    // Public parts of members, of agents that the attacker has not chosen.
    for asked in ["K(z)+", "H(K(z)+)", "{K(z)+}K(a)+"] {
        is_attacked(&format!(
            "def P(a: Agent, b: Agent) = new p: Name, s: Nonce. (p<b> | c(t). p(z: Agent). [t is {asked}] c<s>)\n\
             partial system T = P(A, B)\nsecrecy s in T"
        ));
    }
    // That of a member with a secret argument is not had.
    let secret = |asked: &str| {
        format!(
            "keypair J(Msg)\ndef P(a: Agent) = new p: Name, q: Nonce, s: Nonce. (p<q> | c(t). p(z). [t is {asked}] c<s>)\n\
             partial system T = P(A)\nsecrecy s in T"
        )
    };
    is_proved(&secret("J(z)+"), Reach::Repeated);
    is_attacked(&secret("J(a)+"));
}

/// What messages grow to is cut; what lies below the cut is reached all the same, by as many runs as it takes.
#[test]
fn messages_that_grow_reach_what_lies_deep() {
    let grown = |wrap: &str, end: &str, claim: &str, runs: usize| {
        let again = " | W(A)".repeat(runs);
        format!(
            "def V(a: Agent) = new s: Nonce. event Made(s). c<{{s}}k>\n\
             def W(a: Agent) = new n: Nonce. c({{x}}k). c<{{{wrap}}}k>\ndef E(a: Agent) = {end}\n\
             partial system T = V(A) | E(B){again}\n{claim} in T"
        )
    };
    let agreement = "agreement Got(x) => Made(x)";
    for (wrap, end, claim) in [
        ("{x}k2", "c({{{{x}k2}k2}k2}k). c<x>", "secrecy s"),
        (
            "{x, n}k2",
            "c({{{{x, _}k2, _}k2, _}k2}k). c<x>",
            "secrecy s",
        ),
        ("a, x", "c({y, z, u, x}k). c<x>", "secrecy s"),
        (
            "H(x)",
            "new q: Nonce. c<{q}k>. c({=H(H(H(q)))}k). c<q>",
            "secrecy q",
        ),
        ("x, n", "c({((x, y), z), u}k). event Got((x, y))", agreement),
        (
            "H(x)",
            "new q: Nonce. c<{q}k>. c({=H(H(H(q)))}k). event Got(q)",
            agreement,
        ),
    ] {
        holds_without_proof(&grown(wrap, end, claim, 1));
        is_attacked(&grown(wrap, end, claim, 3));
    }
    // What none of them puts there is not found there.
    for (wrap, end, claim) in [
        ("{x}k2", "c({{{{x}k2}k}k2}k). c<x>", "secrecy s"),
        ("a, x", "c({y, =B, x}k). c<x>", "secrecy s"),
        (
            "H(x)",
            "new q: Nonce. c<{q}k>. c({=H(H(k2, q))}k). c<q>",
            "secrecy q",
        ),
    ] {
        is_proved(&grown(wrap, end, claim, 1), Reach::Repeated);
    }
}

/// Many conditions of one form can be placed in each other's places in more ways than can be tried.
#[test]
fn proofs_end_on_conditions_that_are_hard_to_compare() {
    let edges = |n: usize, step: usize| {
        let edge = |i: usize| format!("d(=H(x{i}, x{})). ", (i * step + 1) % n);
        (0..n).map(edge).collect::<Vec<_>>().concat()
    };
    let input = |i: u32| format!("c(x{i}). ");
    let inputs = (0..12).map(input).collect::<Vec<_>>().concat();
    let text = format!(
        "{DECLARATIONS}def P(a: Agent) = new s: Nonce. {inputs}{}c<{{s}}k>\n\
         def Q(a: Agent) = new s: Nonce. {inputs}{}c<{{s}}k>\n\
         partial system T = P(A) | Q(A)\nsecrecy s in T",
        edges(12, 5),
        edges(12, 7)
    );
    let limited = Settings {
        limits: LimitSpec {
            states: Some(20),
            ..settings(true).limits
        },
        ..settings(true)
    };
    assert_eq!(verdicts(&text, &limited).len(), 1);
}

#[test]
fn an_event_must_come_before() {
    let roles = |first: &str| {
        format!(
            "def P(a: Agent) = new n: Nonce. {first}\n\
             def Q(a: Agent) = c(x). case x of {{y}}k in event E(y)\n\
             partial system T = P(A) | Q(B)\nagreement E(n) => F(n) in T"
        )
    };
    is_proved(&roles("event F(n). c<{n}k>"), Reach::Repeated);
    is_attacked(&roles("c<{n}k>. event F(n)"));
    is_attacked(&roles("(event F(n) | c<{n}k>)"));
    is_attacked(&roles("new m: Nonce. event F(m). c<{n}k>"));
    is_attacked(&roles("c(x). event F(x). c<{n}k>"));
}

#[test]
fn agreement_is_about_the_names_of_one_run() {
    // Another run's event has another name.
    is_attacked(
        "def P(a: Agent) = new n: Nonce. c(x). [x is 0] event F(n) else c<{n}k>\n\
         def Q(a: Agent) = c(x). case x of {y}k in event E(y)\n\
         partial system T = P(A) | P(A) | Q(B)\nagreement E(n) => F(n) in T",
    );
}

#[test]
fn one_earlier_event_is_enough_for_one_later_only() {
    let roles = "def P(a: Agent) = new n: Nonce. event F(n). c<{n}k>\n\
                 def Q(a: Agent) = c(x). case x of {y}k in event E(y)\n";
    holds_without_proof(&format!(
        "{roles}partial system One = P(A) | Q(B)\ninjective agreement E(n) => F(n) in One"
    ));
    is_attacked(&format!(
        "{roles}partial system Two = P(A) | Q(B) | Q(B)\ninjective agreement E(n) => F(n) in Two"
    ));
    // Two events of one run are two.
    is_attacked(
        "def P(a: Agent) = new n: Nonce. event F(n). c<{n}k>\n\
         def Q(a: Agent) = c(x). case x of {y}k in event E(y). event E(y)\n\
         partial system T = P(A) | Q(B)\ninjective agreement E(n) => F(n) in T",
    );
    // A challenge makes the answer fresh, one that is forgotten does not.
    let challenge = |test: &str| {
        format!(
            "def P(a: Agent) = c(m). event F(m). c<{{m}}k>\n\
             def Q(a: Agent) = new m: Nonce. c<m>. c(x). case x of {{y}}k in {test}\n\
             partial system T = P(A) | Q(B) | Q(B)\ninjective agreement E(m) => F(m) in T"
        )
    };
    is_proved(&challenge("[y is m] event E(m)"), Reach::Repeated);
    is_attacked(&challenge("event E(y)"));
}

/// An event that tells nothing is matched by any other, and one for two is too few. The proof once looked at the first
/// argument of every condition, and there was none.
#[test]
fn events_may_have_no_arguments() {
    let roles = |first: &str, second: &str| {
        format!(
            "def P = {first}\ndef Q = c(y). case y of {{z}}k in {second}\npartial system T = P | Q\n"
        )
    };
    let once = roles("event F. c(x). c<{x}k>", "event E");
    is_proved(&format!("{once}agreement E => F in T"), Reach::Repeated);
    holds_without_proof(&format!("{once}injective agreement E => F in T"));
    let late = roles("c(x). c<{x}k>. event F", "event E");
    is_attacked(&format!("{late}agreement E => F in T"));
    is_attacked(&format!("{late}injective agreement E => F in T"));
    let twice = roles("event F. c(x). c<{x}k>", "event E. event E");
    is_proved(&format!("{twice}agreement E => F in T"), Reach::Repeated);
    is_attacked(&format!("{twice}injective agreement E => F in T"));
    // Only one of the two tells something.
    let mixed = roles(
        "new n. event F. event G(n). c(x). c<{n}k>",
        "event E. event J(z)",
    );
    is_proved(&format!("{mixed}agreement J(z) => F in T"), Reach::Repeated);
    is_proved(&format!("{mixed}agreement E => G(_) in T"), Reach::Repeated);
}

#[test]
fn what_a_run_received_makes_agreement_injective() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols/nsl.spi"))
            .expect("the library has it");
    for (verdict, proved) in verdicts(&text, &settings(true)) {
        assert_eq!((verdict, proved), ("holds", Some(Reach::Repeated)));
    }
}

#[test]
fn a_proof_says_what_it_is_about() {
    let role = "def R(a: Agent) = new s: Nonce. c<{s}S(a)>\n";
    let claim = "\nsecrecy s in T";
    is_proved(
        &format!("{role}partial system T = R(A){claim}"),
        Reach::Repeated,
    );
    is_proved(
        &format!("{role}partial system T = R(A) | d<0>{claim}"),
        Reach::AsWritten,
    );
    is_proved(
        &format!("{role}def Both(a: Agent) = R(a) | R(a)\npartial system T = Both(A){claim}"),
        Reach::AsWritten,
    );
    let copies = |system: &str| {
        let text = format!("{DECLARATIONS}{role}partial system T = {system}{claim}");
        results(&text, &settings(true))[0].scope.copies
    };
    assert_eq!(copies("!R(A)"), None, "any number of runs");
    assert_eq!(copies("!(new h: Sym. (R(A) | c<{0}h>))"), Some(2));
}

#[test]
fn names_of_the_body_are_made_once_whatever_it_receives() {
    is_attacked(
        "partial system T = new n. (c(x). c<{n}k> | c(y). case y of {z}k in c<z>)\nsecrecy n in T",
    );
    is_attacked(
        "def R(a: Agent, n) = c(x). c<{n, x}k>\n\
         def Q(a: Agent, n) = c(x). c(y). case y of {z, w}k in [z is n] c<n>\n\
         partial system T = new n. c(u). (R(A, n) | Q(B, n))\nsecrecy n in T",
    );
}

#[test]
fn every_spy_owns_every_member_it_is_an_argument_of() {
    for leak in [
        "c<{s}L(a, D)>",
        "c<{s}J(D, a)+>",
        "c(x, y). c<{s}J(x, y)+>",
        "c(x). [x is J(a, B)+] c<s>",
        "c(x). c(y). [y is J(x, a)+] c<s>",
        "c(x). c<{s}L(a, x)>",
    ] {
        is_attacked(&format!(
            "spy D\nkeypair J(Msg, Msg)\nkey L(Msg, Msg)\n\
             def R(a: Agent) = new s. {leak}\npartial system T = R(A)\nsecrecy s in T"
        ));
    }
}

/// One earlier event is not enough for two later ones, wherever these are.
#[test]
fn later_events_of_other_threads_and_roles_count() {
    let asked = "def P(a: Agent) = c(m). event F(m). c<{m}k>\n";
    let claim = "injective agreement E(x) => F(x) in T";
    is_attacked(&format!(
        "{asked}def Q(a: Agent) = new n. c<n>. (c({{=n}}k). event E(n) | c({{=n}}k). event E(n))\n\
         partial system T = P(A) | Q(B)\n{claim}"
    ));
    is_attacked(&format!(
        "{asked}def Q(a: Agent) = new n. c<n>. c({{=n}}k). event E(n). c<{{n}}k2>\n\
         def Q2(a: Agent) = c({{x}}k2). event E(x)\n\
         partial system T = P(A) | Q(B) | Q2(B)\n{claim}"
    ));
    // Names of its own in the later event do not make it another's.
    is_attacked(
        "def P(a: Agent) = new n. event F(n). c<{n}k>\n\
         def Q(a: Agent) = new r. c({x}k). event E(x, r)\n\
         partial system T = P(A) | Q(B) | Q(B)\ninjective agreement E(x, y) => F(x) in T",
    );
    // An event does not precede itself.
    is_attacked(
        "def P(a: Agent) = new n. event E(n). c<n>\npartial system T = P(A)\nagreement E(x) => E(x) in T",
    );
}

/// The roles of a protocol in one, which the attacker chooses from: a single run holds, but not any number of them.
#[test]
fn one_role_may_play_all_parts_in_several_runs() {
    let role = "def M(a: Agent) = c(part). case part of 0: (new s. c<{s, 0}k>) suc(y): (case y of\n\
                0: (c({x, =0}k). c<{x, 1}k>) suc(_): (c({x, =1}k). c<x>))\n";
    holds_without_proof(&format!(
        "{role}partial system T = M(A) | M(A)\nsecrecy s in T"
    ));
    is_attacked(&format!(
        "{role}partial system T = M(A) | M(A) | M(A)\nsecrecy s in T"
    ));
}
