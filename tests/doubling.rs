//! Messages that double again and again, and terms of many operators: every command ends within its limits, and nothing is
//! confirmed that was not looked at.

use assert_cmd::Command;
use std::fmt::Write as _;
use std::fs;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A debug build on a busy machine may take this long; without limits these would take years, or all memory.
const PATIENCE: Duration = Duration::from_secs(90);

/// What a command says about a model, on both channels.
fn said(model: &str, command: &[&str]) -> String {
    let dir = TempDir::new().expect("a folder");
    let file = dir.path().join("m.spi");
    fs::write(&file, model).expect("the model is written");
    let file = file.to_str().expect("a path that is text");
    let args = command.iter().map(|a| a.replace("FILE", file));
    let started = Instant::now();
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .args(args)
        .args(["--timeout", "5s", "--max-memory", "2GB"])
        .timeout(PATIENCE)
        .output()
        .expect("it runs");
    assert!(started.elapsed() < PATIENCE, "{command:?}");
    assert!(output.status.code().is_some(), "{command:?}");
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    assert!(!text.contains("internal error"), "{command:?}\n{text}");
    text
}

/// `x0` to `x(n)` in a tuple, and a test that each of them is the next one twice.
fn doubling(n: usize, then: &str, otherwise: &str) -> String {
    let all: Vec<String> = (0..=n).map(|i| format!("x{i}")).collect();
    let twice: Vec<String> = all[1..].iter().map(|x| format!("({x}, {x})")).collect();
    format!(
        "c({}). [({}) is ({})] {then} else {otherwise}",
        all.join(", "),
        all[..n].join(", "),
        twice.join(", ")
    )
}

#[test]
fn a_test_that_doubles_ends_inconclusive() {
    let model = format!(
        "channel c\npublic a, b\nsystem S = {}\nsystem T = {}\n",
        doubling(30, "c<a>", "c<b>"),
        doubling(30, "c<a>", "c<a>")
    );
    for options in [&[][..], &["--no-reduction", "cones"], &["--preorder"]] {
        let command = [&["equiv", "FILE:S", "FILE:T"], options].concat();
        let text = said(&model, &command);
        assert!(text.contains("inconclusive"), "{text}");
    }
    said(&model, &["lts", "FILE", "--system", "S"]);
}

#[test]
fn a_secret_behind_a_test_that_doubles_is_not_called_safe() {
    for otherwise in ["0", "c<x0>"] {
        let model = format!(
            "channel c\nsystem S = new s. {}\nsecrecy s in S\n",
            doubling(30, "c<s>", otherwise)
        );
        let text = said(&model, &["check", "FILE"]);
        assert!(!text.contains("holds"), "{text}");
        assert!(text.contains("inconclusive"), "{text}");
    }
}

#[test]
fn a_run_with_a_message_that_has_doubled_is_not_written_out() {
    // Nobody has the first message any more when the secret is sent.
    let mut splits = "c(x0). ".to_owned();
    for i in 0..40 {
        write!(splits, "let (x{}, =x{}) = x{i} in ", i + 1, i + 1).expect("a string takes all");
    }
    let model = |splits: &str| {
        format!("channel c\npublic a\npartial system S = new s. {splits} c<s>\nsecrecy s in S\n")
    };
    let text = said(&model(&splits), &["check", "FILE"]);
    assert!(text.contains("inconclusive"), "{text}");
    let few: String = splits.split_inclusive(" in ").take(5).collect();
    assert!(said(&model(&few), &["check", "FILE"]).contains("attack"));
}

#[test]
fn few_doublings_are_decided() {
    let model = |otherwise: &str| {
        format!(
            "channel c\npublic a, b\nsystem S = {}\nsystem T = {}\n",
            doubling(5, "c<a>", "c<b>"),
            doubling(5, "c<a>", otherwise)
        )
    };
    let compare = ["equiv", "FILE:S", "FILE:T"];
    assert!(said(&model("c<a>"), &compare).contains("not equivalent"));
    let text = said(&model("c<b>"), &compare);
    assert!(text.contains("equivalent") && !text.contains("not equivalent"));
}

/// Many inputs, all of them the last one encrypted many times.
fn encrypted(inputs: usize, times: usize, then: &str) -> String {
    let mut out = String::new();
    for i in 0..inputs {
        write!(out, "e(x{i}). ").expect("a string takes all");
    }
    let all: Vec<String> = (0..inputs).map(|i| format!("x{i}")).collect();
    let same = vec!["y"; inputs];
    format!(
        "{out} e(z). let y = {}z{} in [({}) is ({})] {then}",
        "{".repeat(times),
        "}a".repeat(times),
        all.join(", "),
        same.join(", ")
    )
}

#[test]
fn terms_of_many_operators_are_composed_within_the_limits() {
    let (inputs, times) = (150, 240);
    for beside in ["0", "d<{a}k>"] {
        let system =
            |then: &str| format!("new k. ( {beside} | {} )", encrypted(inputs, times, then));
        let model = format!(
            "channel d, e\npublic a, b\nsystem S = {}\nsystem T = {}\n",
            system("e<a>"),
            system("e<b>")
        );
        let text = said(&model, &["equiv", "FILE:S", "FILE:T"]);
        let wrong = text.contains("equivalent") && !text.contains("not equivalent");
        assert!(!wrong, "{text}");
    }
}

#[test]
fn keys_that_are_used_twice_for_the_next_one_do_not_multiply() {
    let n = 30;
    let names: Vec<String> = (0..=n).map(|i| format!("k{i}")).collect();
    let channels: Vec<String> = (0..=n).map(|i| format!("e{i}")).collect();
    let system = |message: &str| {
        let next = (0..n).map(|i| format!("e{}<{{k{}}}(k{i}, k{i})>", i + 1, i + 1));
        let sent: Vec<String> = std::iter::once("e0<k0>".to_owned()).chain(next).collect();
        format!(
            "new {}. ( {} | c(x). [x is k{n}] d<{message}> )",
            names.join(", "),
            sent.join(" | ")
        )
    };
    let model = format!(
        "channel c, d, {}\npublic a, b\nsystem S = {}\nsystem T = {}\n",
        channels.join(", "),
        system("a"),
        system("b")
    );
    let text = said(&model, &["equiv", "FILE:S", "FILE:T"]);
    let wrong = text.contains("equivalent") && !text.contains("not equivalent");
    assert!(!wrong, "{text}");
}
