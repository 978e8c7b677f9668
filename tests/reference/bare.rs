//! Random systems about events that tell nothing: they have no arguments, so that only when and how often they happen counts.
//!
//! Roles mark such events, and now and then one with an argument, between messages that another role can open; all kinds of
//! claims about two of them.

use super::random::Random;
use std::fmt::Write;

const HEADER: &str = "agent A, B\nchannel c\nprivate k: Sym, l: Sym\n";

/// The events, as they are marked where `x` is a variable at hand.
const EVENTS: [&str; 4] = ["E", "F", "F", "G"];

/// Some steps of a role; `held` are its variables and names.
fn steps(random: &mut Random, held: &mut Vec<String>, left: usize) -> String {
    if left == 0 {
        return "0".to_owned();
    }
    let fresh = format!("v{}", held.len());
    let one = |random: &mut Random, held: &[String]| random.pick(held).clone();
    let key = |random: &mut Random| *random.pick(&["k", "k", "l"]);
    let first = match random.below(12) {
        0..=2 => format!("event {}", random.pick(&EVENTS)),
        3 => format!("event V({})", one(random, held)),
        4 | 5 => format!("c<{{{}}}{}>", one(random, held), key(random)),
        6 => format!("c<{}>", one(random, held)),
        7 => {
            let made = format!("new {fresh}");
            held.push(fresh);
            made
        }
        8 | 9 => {
            held.push(fresh.clone());
            let opened = format!("v{}", held.len());
            let key = key(random);
            held.push(opened.clone());
            let then = steps(random, held, left - 1);
            return format!("c({fresh}). case {fresh} of {{{opened}}}{key} in {then}");
        }
        10 if held.len() > 1 => {
            let (x, y) = (one(random, held), one(random, held));
            let then = steps(random, held, left - 1);
            return format!("[{x} is {y}] {then}");
        }
        _ => {
            let received = format!("c({fresh})");
            held.push(fresh);
            received
        }
    };
    format!("{first}. {}", steps(random, held, left - 1))
}

/// A file with a system `S` and claims about its events.
pub fn file(seed: u64) -> String {
    let random = &mut Random::new(seed ^ 0x00ba_5e00);
    let mut text = HEADER.to_owned();
    let roles = 1 + random.below(3);
    for role in 0..roles {
        let length = 2 + random.below(4);
        let body = steps(random, &mut vec!["a".to_owned()], length);
        let _ = writeln!(text, "def R{role}(a: Agent) = {body}");
    }
    // All events may happen, the earlier ones often before a message that the later one needs.
    let (marks, answer) = ("event F. event G. event V(n)", "c(x). c<{(n, x)}k>");
    let body = match random.below(4) {
        0 => format!("{answer}. {marks}"),
        1 => format!("({answer} | {marks})"),
        _ => format!("{marks}. {answer}"),
    };
    let _ = writeln!(text, "def P(a: Agent) = new n. {body}");
    text.push_str("def Q(a: Agent) = c(y). case y of {z}k in event E. event V(z)\n");
    let mut instances = vec!["P(A)".to_owned(), "Q(B)".to_owned()];
    for role in 0..roles {
        for _ in 0..random.below(3).min(4 - instances.len()) {
            instances.push(format!("R{role}({})", random.pick(&["A", "B"])));
        }
    }
    let _ = writeln!(text, "partial system S = {}", instances.join(" | "));
    let pairs = [
        ("E", "F"),
        ("E", "V(_)"),
        ("V(x)", "F"),
        ("F", "G"),
        ("V(x)", "V(x)"),
        ("E", "E"),
    ];
    let (after, before) = *random.pick(&pairs);
    for strength in [
        "injective agreement",
        "agreement",
        "weak agreement",
        "aliveness",
    ] {
        let _ = writeln!(text, "{strength} {after} => {before} in S");
    }
    text.push_str("secrecy k after E in S\n");
    text.push_str("reachable E in S\n");
    text
}
