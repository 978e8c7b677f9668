//! Labels of state spaces determine what the environment sees, and different things have different names.

use crate::pairs;
use crate::support::space;
use crate::support::walk;
use pairs::{Pair, rows};
use serde_json::Value;
use space::graph;
use spi::engine::equiv::Semantics;
use spi::engine::lts::Options;
use walk::traces;

fn classic() -> Options {
    Options {
        semantics: Semantics::Classic,
        ..Options::default()
    }
}

fn labels(graph: &Value) -> Vec<&str> {
    let all = graph["transitions"].as_array().expect("a list");
    let label = |t: &Value| t["label"].is_string();
    assert!(all.iter().all(label));
    all.iter().filter_map(|t| t["label"].as_str()).collect()
}

/// Pairs that are not testing equivalent; only the labels tell.
const DIFFERENT: &str = "
channel c
public a, b
agent A, B
keypair K(Agent)

// What is inside of a signature, of a ciphertext.
partial system S1 = new k. c<k+>. c<[{a}]k->
partial system T1 = new k. c<k+>. c<[{b}]k->
partial system S2 = new k, m. c<k->. c<{m, a}k+>
partial system T2 = new k, m. c<k->. c<{a, m}k+>
// Which private part belongs to which public part, learned first or last.
partial system S3 = new k. c<k+>. c<k->
partial system T3 = new k, j. c<k+>. c<j->
partial system S4 = new k, j. c<k->. c<j->. c<k+>
partial system T4 = new k, j. c<k->. c<j->. c<j+>
partial system S5 = c<K(A)->
partial system T5 = c<K(B)->
// Symmetric encryption under a key part, and encryption with it.
partial system S6 = new k. c<k>. c(x). [x is k+] c<{a}x>
partial system T6 = new k. c<k>. c(x). [x is k+] c<{a}k+>
// A signature and a ciphertext that stay closed otherwise.
partial system S7 = new k. c<k+>. c<[{a}]k->
partial system T7 = new k. c<k->. c<{[a]}k+>
// Old elements that a new key opens.
partial system S8 = new k, m, n. c<{[m]}k+>. c<{[m, n]}k+>. c<k->
partial system T8 = new k, m, n. c<{[n]}k+>. c<{[m, n]}k+>. c<k->
";

#[test]
fn labels_tell_systems_apart() {
    for i in 1..=8 {
        let of = |side: char| graph(DIFFERENT, &format!("{side}{i}"), classic());
        let (left, right) = (of('S'), of('T'));
        assert_ne!(labels(&left), labels(&right), "S{i}, T{i}");
        assert_ne!(traces(&left), traces(&right), "S{i}, T{i}");
    }
}

#[test]
fn contents_and_partners_are_spelt_out() {
    let of = |system: &str| graph(DIFFERENT, system, classic());
    assert_eq!(
        labels(&of("S1")),
        ["c<#0>", "c<#1> [#1 verifies with #0 as a]"]
    );
    assert_eq!(
        labels(&of("S2")),
        ["c<#0>", "c<#1> [#1 opens with #0 to (#2, a)]"]
    );
    assert_eq!(labels(&of("S3")), ["c<#0>", "c<#1> [#1 belongs to #0]"]);
    assert_eq!(
        labels(&of("S4")),
        ["c<#0>", "c<#1>", "c<#2> [#0 belongs to #2]"]
    );
    assert_eq!(labels(&of("S5")), ["c<#0> [#0 belongs to K(A)+]"]);
    assert!(labels(&of("S6")).contains(&"c<{|a|}#0+>"));
    assert!(labels(&of("T6")).contains(&"c<{a}#0+>"));
    let json = of("S2");
    let opened = &json["transitions"][1]["opened"][0];
    for (field, text) in [
        ("name", "#1"),
        ("kind", "ciphertext"),
        ("term", "#0"),
        ("content", "(#2, a)"),
    ] {
        assert_eq!(opened[field], text, "{opened}");
    }
}

#[test]
fn equal_messages_have_no_order() {
    let text = "
channel c
partial system S = new k. !2 (c(x). c<{x}k>)
partial system T = c(x). c(y). ([x is y] c<x> else c<y, x>)
";
    for system in ["S", "T"] {
        let json = graph(text, system, classic());
        let all = labels(&json).join("\n");
        assert!(all.contains("[?0 = ?1]"), "{all}");
        assert!(all.contains("[?0 /= ?1]"), "{all}");
        assert!(!all.contains(":= ?"), "{all}");
    }
}

#[test]
fn different_things_have_different_names() {
    let text = "
channel c
public _1
private q
knows q
partial system S = new k. (new k'1. c<k'1, k> | new k. c<k>)
partial system X = new x1. c(y). c<x1, y>
partial system Q = new q. c<q>
partial system U = new k. (c<k> | c(x). case x of {y}k in c<y> else c<_1>)
";
    let states = |system: &str| graph(text, system, classic())["states"].clone();
    let last = |system: &str| {
        let all = states(system);
        all.as_array().and_then(|a| a.last().cloned()).expect("one")
    };
    let known = |state: &Value| -> Vec<String> {
        let all = state["knowledge"].as_array().expect("a list").iter();
        all.map(|k| k["term"].to_string()).collect()
    };
    let mut names = known(&last("S"));
    names.sort();
    names.dedup();
    assert_eq!(names.len(), 4, "{names:?}");
    assert_eq!(states("X")[0]["threads"][0], "c(x_1). c<x1, x_1>");
    let both = known(&last("Q"));
    assert_ne!(both[0], both[1]);
    let all = graph(text, "U", classic()).to_string();
    assert!(all.contains("__1}#"), "{all}");
}

/// Where no transition is silent and no test is left to the environment's choice, equivalence is equality of traces.
#[test]
fn equivalent_pairs_have_equal_traces() {
    let named = "channel a, b, c, d, e, f  public m1, m2, ok, ko";
    let random = "channel c, d  public a, b, ok";
    let mut all: Vec<Pair> = rows("equivalences.tsv")
        .iter()
        .map(|r| Pair::new(named, &r[0], &r[1], &r[2], &r[3]))
        .collect();
    all.extend(
        rows("random-pairs.tsv")
            .iter()
            .enumerate()
            .map(|(i, r)| Pair::new(random, &format!("R{}", i + 1), &r[0], &r[1], &r[2])),
    );
    let (mut equal, mut different) = (0, 0);
    for pair in all {
        let of = |process: &str| {
            let text = format!("{}\npartial system P = {process}\n", pair.declarations);
            graph(&text, "P", classic())
        };
        let (left, right) = (of(&pair.left), of(&pair.right));
        let visible = |g: &Value| {
            let all = g["transitions"].as_array().expect("a list");
            let seen = |t: &Value| t["kind"] == "input" || t["kind"] == "output";
            all.len() < 60 && all.iter().all(seen)
        };
        if !visible(&left) || !visible(&right) {
            continue;
        }
        let (left, right) = (traces(&left), traces(&right));
        let name = &pair.name;
        if pair.equivalent {
            assert_eq!(left, right, "{name}");
            equal += 1;
        } else {
            assert_ne!(left, right, "{name}");
            different += 1;
        }
    }
    assert!(equal > 15 && different > 15, "{equal} and {different}");
}
