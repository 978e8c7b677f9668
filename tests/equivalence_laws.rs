//! Laws of equivalence on random processes.

use crate::pairs;
use crate::reference;
use pairs::Systems;
use reference::process::{Grower, HEADER, P, Style, near_miss};
use reference::random::{Random, seeds};
use spi::base::limits::Limits;
use spi::engine::equiv::{Options, Semantics};
use std::fmt::Write;
use std::time::Instant;

fn equivalent(p: &str, q: &str) -> bool {
    let systems = Systems::of(HEADER, p, q);
    systems.compare(&pairs::default()).0.expect("no limits")
}

/// A process and two mutants of it.
fn triple(seed: u64) -> [P; 3] {
    let mut random = Random::new(seed);
    let style = Style {
        length: 3,
        mobile: seed.is_multiple_of(2),
        ..Style::default()
    };
    let mut grower = Grower::new(&mut random, style);
    let p = grower.system();
    let q = grower.mutate(&p);
    let r = grower.mutate(&q);
    [p, q, r]
}

/// A process whose names can't clash with those of the others.
fn companion(seed: u64) -> P {
    let style = Style {
        length: 2,
        threads: 1,
        mobile: true,
        ..Style::default()
    };
    Grower::new(&mut Random::new(seed ^ 0xc0de), style).system()
}

/// The restricted names of a text renamed.
fn renamed(text: &str) -> String {
    let mut out = String::new();
    let mut word = String::new();
    for ch in text.chars().chain([' ']) {
        if ch.is_alphanumeric() {
            word.push(ch);
            continue;
        }
        out.push_str(match word.as_str() {
            "k" => "first",
            "n" => "k",
            "s" => "nonce",
            other => other,
        });
        word.clear();
        out.push(ch);
    }
    out
}

fn reordered(p: &P) -> P {
    match p {
        P::New(n, inner) => P::New(n.clone(), Box::new(reordered(inner))),
        P::Par(parts) => P::Par(parts.iter().rev().cloned().collect()),
        other => other.clone(),
    }
}

#[test]
fn a_process_is_like_itself_renamed_and_reordered() {
    for seed in seeds(80) {
        let p = triple(seed)[0].clone();
        let text = p.to_string();
        assert!(equivalent(&text, &text), "{text}");
        assert!(equivalent(&text, &renamed(&text)), "{text}");
        assert!(equivalent(&reordered(&p).to_string(), &text), "{text}");
        assert!(equivalent(&text, &format!("new unused. {text}")), "{text}");
    }
}

#[test]
fn equivalence_is_symmetric_and_transitive() {
    let mut chains = 0;
    for seed in seeds(120) {
        let [p, q, r] = triple(seed).map(|p| p.to_string());
        let (pq, qr, pr) = (equivalent(&p, &q), equivalent(&q, &r), equivalent(&p, &r));
        assert_eq!(pq, equivalent(&q, &p), "{p}\n{q}");
        // Two of the three decide the third, unless both are different.
        assert_ne!(
            u8::from(pq) + u8::from(qr) + u8::from(pr),
            2,
            "{p}\n{q}\n{r}"
        );
        chains += u32::from(pq && qr);
    }
    assert!(chains > 0, "no chain of equivalent processes was tried");
}

#[test]
fn equivalence_is_a_congruence_for_composition_and_restriction() {
    let mut tried = 0;
    for seed in seeds(120) {
        let (p, q) = near_miss(seed + 77_000, Style::default());
        let (p, q) = (p.to_string(), q.to_string());
        if !equivalent(&p, &q) {
            continue;
        }
        tried += 1;
        let r = companion(seed);
        let with = |p: &str| format!("( ( {p} ) | ( {r} ) )");
        assert!(
            equivalent(&with(&p), &with(&q)),
            "{}\n{}",
            with(&p),
            with(&q)
        );
        for name in ["b", "d", "ok"] {
            let hidden = |p: &str| format!("new {name}. {p}");
            assert!(
                equivalent(&hidden(&p), &hidden(&q)),
                "new {name}.\n{p}\n{q}"
            );
        }
    }
    assert!(tried > 20, "too few equivalent pairs");
}

#[test]
fn the_answer_does_not_depend_on_the_number_of_threads() {
    for seed in seeds(40) {
        let (p, q) = near_miss(seed + 99_000, Style::default());
        let systems = Systems::of(HEADER, &p.to_string(), &q.to_string());
        let told = |threads| {
            let options = Options {
                threads,
                ..Options::default()
            };
            systems.told(&options)
        };
        assert_eq!(told(1), told(4));
    }
}

#[test]
fn the_private_semantics_leaves_out_public_communication_only() {
    let pairs = [
        // Equivalent only if nobody but the environment uses c (after Babel, Cheval and Kremer).
        (
            "new s1. new s2. ( c<s1>. c(x). ( [x is s1] d<s2> | [x is s2] e<x> ) | c(y). [y is s1] d<s2> )",
            "new s1. new s2. ( c<s1>. c(x). [x is s1] d<s2> | c(y). ( [y is s1] d<s2> | [y is s2] e<y> ) )",
            false,
            true,
        ),
        // A channel that was sent out can be used by the environment.
        ("new p. c<p>. p(x). d<x>", "new p. c<p>. p(x)", false, false),
        // Communication on a private channel is always there.
        ("new p. ( p<ok> | p(x). c<x> )", "c<ok>", true, true),
        // On a channel that becomes known it stops being silent.
        (
            "new p. ( p<ok> | p(x). c<x> | d<p> )",
            "( c<ok> | new p. d<p> )",
            false,
            false,
        ),
    ];
    for (p, q, classic, private) in pairs {
        let systems = Systems::of("channel c, d, e  public ok", p, q);
        for (semantics, expected) in [(Semantics::Classic, classic), (Semantics::Private, private)]
        {
            let options = Options {
                semantics,
                ..pairs::default()
            };
            assert_eq!(
                systems.compare(&options).0,
                Some(expected),
                "{semantics:?}\n{p}\n{q}"
            );
        }
    }
}

#[test]
fn a_comparison_that_has_no_time_is_inconclusive() {
    let systems = Systems::of(
        "channel c, d  public ok, ko",
        "c<ok>. d<ok>",
        "c<ok>. d<ko>",
    );
    let options = Options {
        limits: Limits {
            deadline: Some(Instant::now()),
            ..Limits::default()
        },
        ..pairs::default()
    };
    assert_eq!(systems.compare(&options).0, None);
}

#[test]
fn a_message_that_tests_blow_up_ends_the_comparison() {
    let mut doubled = "c(x0). ".to_owned();
    for i in 0..26 {
        write!(doubled, "let x{} = (x{i}, x{i}) in ", i + 1).expect("it is a string");
    }
    let mut deep = "new n. c(x0). c<n>. c(y0). ".to_owned();
    for i in 0..12 {
        let (open, close) = ("H(".repeat(100), ")".repeat(100));
        write!(deep, "let y{} = {open}y{i}{close} in ", i + 1).expect("it is a string");
    }
    let pairs = [
        (
            format!("{doubled} c<x26>. d<ok>"),
            format!("{doubled} c<x26>"),
            None,
        ),
        (
            format!("{deep} [x0 is y12] d<ok>"),
            format!("{deep} [x0 is y12] 0 else d<ok>"),
            Some(false),
        ),
    ];
    for (p, q, expected) in pairs {
        let systems = Systems::of("channel c, d  public ok", &p, &q);
        assert_eq!(systems.compare(&Options::default()).0, expected);
    }
}

#[test]
fn many_equal_threads_do_not_burden_the_replay() {
    // Silent steps that leave nothing, and silent steps that leave threads.
    for crowd in ["!12 c<ok> | !12 c(x)", "!12 c<ok>. a<ok> | !12 c(x). b<x>"] {
        let systems = Systems::of(
            "channel a, b, c, d  public ok, ko",
            &format!("( {crowd} | d<ok> )"),
            &format!("( {crowd} | d<ko> )"),
        );
        assert_eq!(systems.compare(&pairs::default()).0, Some(false));
    }
}
