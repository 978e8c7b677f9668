//! Whatever the text, checking ends in a value and diagnostics that can be rendered.

use proptest::prelude::*;
use spi::base::source::{SourceFile, SourceMap, render};
use spi::lang::sema::check_text;
use spi::process::{Bounds, Closed, Shapes, SystemId, TupleMode, unfold};
use spi::term::TermStore;
use std::fmt::Write;

/// Checks a text in both modes, renders what is said about it, and unfolds it if nothing is wrong.
fn survives(text: &str) -> bool {
    let file = SourceFile::anonymous("t.spi", text);
    let store = TermStore::new();
    let mut sound = true;
    for tuples in [TupleMode::Nested, TupleMode::Flat] {
        let checked = check_text(&file, &store, tuples);
        let map = SourceMap::from(file.clone());
        assert_eq!(
            render::to_string(&map, &checked.diagnostics).is_empty(),
            checked.diagnostics.is_empty()
        );
        sound = checked.is_sound();
        if !sound {
            continue;
        }
        for i in 0..checked.program.systems.len() {
            let params = checked.program.systems[i].body.params.len();
            let closed = Closed::new(SystemId(i as u32), vec![store.zero(); params]);
            let bounds = Bounds {
                steps: 2000,
                ..Bounds::default()
            };
            let _ = unfold(
                &checked.program,
                &store,
                &closed,
                bounds,
                &mut Shapes::new(),
            );
        }
    }
    sound
}

const PRELUDE: &str =
    "agent A, B spy C channel c, d public m private s keypair K(Agent) key S(Agent)
def P(x, y: Nonce) = c<x, y> def Q = c(x). P(x, x)\n";

const WORDS: &[&str] = &[
    "agent",
    "channel",
    "private",
    "keypair",
    "key",
    "knows",
    "def",
    "system",
    "partial",
    "secrecy",
    "agreement",
    "injective",
    "weak",
    "aliveness",
    "reachable",
    "unsendable",
    "strong",
    "forward",
    "given",
    "unless",
    "in",
    "after",
    "expect",
    "holds",
    "attack",
    "new",
    "let",
    "case",
    "of",
    "is",
    "else",
    "event",
    "phase",
    "suc",
    "H",
    "0",
    "1",
    "7",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "{[",
    "]}",
    "[{",
    "}]",
    "<",
    ">",
    ".",
    ",",
    "|",
    "!",
    "=",
    "=>",
    "~",
    "<=",
    "+",
    "-",
    ":",
    "_",
    "A",
    "B",
    "C",
    "c",
    "d",
    "m",
    "s",
    "K",
    "S",
    "P",
    "Q",
    "x",
    "y",
    "n",
    "Nonce",
    "Agent",
    "Pub",
    "Priv",
];

/// A tree of random processes, well formed but with random names.
fn process() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "A", "C", "c", "d", "m", "s", "x", "y", "n", "k", "K", "K(A)", "S(x)", "P", "Q", "0", "3",
    ]);
    let term = name
        .prop_map(str::to_owned)
        .prop_recursive(3, 12, 3, |inner| {
            prop_oneof![
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}, {b})")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{{a}}}{b}")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{{[{a}]}}({b})")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("[{{{a}}}]({b})")),
                inner.clone().prop_map(|a| format!("({a})+")),
                inner.clone().prop_map(|a| format!("({a})-")),
                inner.clone().prop_map(|a| format!("H({a})")),
                inner.prop_map(|a| format!("suc({a})")),
            ]
        });
    let pattern = prop_oneof![
        prop::sample::select(vec!["x", "y", "z: Nonce", "_", "k: Pub", "k: Priv"])
            .prop_map(str::to_owned),
        term.clone().prop_map(|t| format!("=({t})")),
        (term.clone()).prop_map(|t| format!("{{x, y}}({t})")),
        (term.clone()).prop_map(|t| format!("{{[w]}}({t})")),
        (term.clone()).prop_map(|t| format!("[{{w, _}}]({t})")),
    ];
    let leaf = prop_oneof![
        Just("0".to_owned()),
        Just("Q".to_owned()),
        term.clone().prop_map(|t| format!("P({t}, m)")),
    ];
    leaf.prop_recursive(5, 24, 2, move |inner| {
        prop_oneof![
            (term.clone(), inner.clone()).prop_map(|(t, p)| format!("c<{t}>. {p}")),
            (pattern.clone(), pattern.clone(), inner.clone())
                .prop_map(|(q, r, p)| format!("c({q}, {r}). {p}")),
            (pattern.clone(), inner.clone()).prop_map(|(q, p)| format!("x({q}). {p}")),
            inner.clone().prop_map(|p| format!("new n, k: Sym. {p}")),
            (term.clone(), term.clone(), inner.clone(), inner.clone())
                .prop_map(|(s, t, p, q)| format!("[{s} is {t}] ({p}) else ({q})")),
            (pattern.clone(), term.clone(), inner.clone())
                .prop_map(|(q, t, p)| format!("let {q} = {t} in {p}")),
            (term.clone(), term.clone(), inner.clone())
                .prop_map(|(s, t, p)| format!("case {s} of {{x, _}}({t}) in {p}")),
            (term.clone(), inner.clone(), inner.clone())
                .prop_map(|(t, p, q)| format!("case {t} of 0: ({p}) suc(y): ({q})")),
            (term.clone(), inner.clone()).prop_map(|(t, p)| format!("event e({t}). {p}")),
            (inner.clone(), inner.clone()).prop_map(|(p, q)| format!("({p} | {q})")),
            inner.prop_map(|p| format!("!2 {p}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn token_soup(words in prop::collection::vec(prop::sample::select(WORDS), 0..60)) {
        survives(&format!("{PRELUDE}{}", words.join(" ")));
    }

    #[test]
    fn random_processes(body in process(), claim in prop::sample::select(vec![
        "secrecy n in T", "secrecy (n, s) in T", "reachable e(_) in T", "T ~ T",
        "secrecy x after e(x) in T", "agreement e(x) => e(x) in T", "unsendable c<n> in T",
    ])) {
        survives(&format!("{PRELUDE}system T = {body}\n{claim}\n"));
    }
}

#[test]
fn random_processes_are_often_sound() {
    // Otherwise the property above would only test error paths.
    assert!(survives(&format!(
        "{PRELUDE}system T = c(x, y). new n. case x of {{z: Nonce, =n}}S(A) in P(n, z) secrecy n in T"
    )));
}

/// Texts that are large in one direction, on a stack as the program has it.
#[test]
fn large_texts_end_in_a_value() {
    let stack = std::thread::Builder::new().stack_size(256 << 20);
    let worker = stack.spawn(large_texts).expect("there is room for it");
    worker.join().expect("it ends in a value");
}

fn large_texts() {
    let repeat = |n: usize, part: &dyn Fn(usize) -> String| {
        let mut out = String::new();
        for i in 0..n {
            let _ = writeln!(out, "{}", part(i));
        }
        out
    };
    let wide = vec!["m"; 5000].join(", ");
    let deep: String = (0..200).fold("m".into(), |t, _| {
        format!("({}, {t})", vec!["m"; 30].join(", "))
    });
    let chain = "c<m>. ".repeat(5000);
    let nested_else = format!("{}0", "[m is c] 0 else ".repeat(5000));
    for text in [
        format!("channel c public m system T = c<{wide}>"),
        format!("channel c public m system T = c<{deep}>"),
        format!("channel c public m system T = {chain} 0"),
        format!("channel c public m system T = {nested_else}"),
        format!("channel c public m system T = {}0", "c(x). ".repeat(1900)),
        format!(
            "channel c {}",
            repeat(2000, &|i| format!("def P{i} = c<c>. P{}", i + 1))
        ),
        format!(
            "channel c {} {}",
            repeat(2000, &|i| format!("def P{i} = c<c>. P{}", (i + 1) % 2000)),
            repeat(2000, &|i| format!("system S{i} = P{i} reachable e in S{i}"))
        ),
        format!(
            "channel c system T = {} c<c> {}",
            repeat(1500, &|i| format!("new n{i}. c<n{i}>.")),
            repeat(2000, &|i| format!("secrecy n{i} in T"))
        ),
        repeat(3000, &|i| format!("channel c{i} system S{i} = d{i}<x{i}>")),
    ] {
        survives(&text);
    }
}
