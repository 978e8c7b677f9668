//! `spi lts` from the outside: formats, exit codes, limits, hostile names.

use assert_cmd::Command;
use std::fs;
use std::process::Output;
use tempfile::TempDir;

fn spi(args: &[&str]) -> Output {
    Command::cargo_bin("spi")
        .expect("the binary is built")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(args)
        .output()
        .expect("it runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const FIG1: &str = "protocols/papers/s3a-fig1.spi";
const NS: &str = "protocols/papers/s3a-ns.spi";

#[test]
fn figures_are_the_default() {
    let out = spi(&["lts", FIG1, "--semantics", "private"]);
    assert_eq!(out.status.code(), Some(0));
    let shown = text(&out.stdout);
    for line in [
        "Fig1: complete, 68 states",
        "tree                                 6,639",
        "tree with symmetry                     992",
        "bytes per state",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
    let out = spi(&["--quiet", "lts", FIG1, "--no-sharing", "--no-symmetry"]);
    assert_eq!(text(&out.stdout), "Fig1: complete, 16,539 nodes\n");
}

#[test]
fn graphs_have_four_formats() {
    let shown = |format: &str| {
        let out = spi(&["lts", FIG1, "--semantics", "private", "--format", format]);
        assert_eq!(out.status.code(), Some(0), "{format}");
        text(&out.stdout)
    };
    let aut = shown("aut");
    assert!(
        aut.starts_with("des (0, 130, 68)\n(0, \"c<#0>\", 1)\n"),
        "{aut}"
    );
    assert_eq!(aut.lines().count(), 131);
    let dot = shown("dot");
    assert!(dot.starts_with("digraph \"Fig1\" {\n") && dot.ends_with("}\n"));
    assert_eq!(dot.matches(" -> ").count(), 130);
    let plain = shown("text");
    assert!(plain.contains("  Upsilon  ?0 from {#0}\n"), "{plain}");
    assert!(plain.contains("  -> 1  c<#0>  x2\n"), "{plain}");
    let json: serde_json::Value = serde_json::from_str(&shown("json")).expect("JSON");
    assert_eq!(json["schema"], "spi/3");
    assert_eq!(json["states"].as_array().map(Vec::len), Some(68));
    assert_eq!(json["transitions"].as_array().map(Vec::len), Some(130));
}

#[test]
fn limits_are_no_failures() {
    for limit in [
        ["--max-states", "100"],
        ["--timeout", "0s"],
        ["--max-memory", "1K"],
    ] {
        let mut args = vec!["lts", NS, "--system", "NS23"];
        args.extend(limit);
        let out = spi(&args);
        assert_eq!(out.status.code(), Some(3), "{limit:?}");
        let shown = text(&out.stdout);
        assert!(shown.contains("inconclusive, at least"), "{shown}");
        assert!(shown.contains(limit[0]), "{shown}");
    }
    let out = spi(&[
        "lts",
        NS,
        "--system",
        "NS23",
        "--max-states",
        "100",
        "--format",
        "aut",
    ]);
    assert_eq!(out.status.code(), Some(3));
    assert!(text(&out.stdout).starts_with("des (0, "));
    assert!(text(&out.stderr).contains("inconclusive, at least"));
    assert!(text(&out.stderr).contains("stopped at 100 states (--max-states)"));
    let out = spi(&[
        "lts",
        NS,
        "--system",
        "NS11",
        "--timeout",
        "0s",
        "--format",
        "aut",
    ]);
    assert_eq!(text(&out.stdout), "des (0, 0, 1)\n");
}

#[test]
fn bounds_are_said_in_every_format() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("bounds.spi");
    let model =
        "channel c\ndef P(x) = c(y). c<{y}x>. P(y)\nsystem S = (new k. P(k)) | !(new k. c<k>)\n";
    fs::write(&file, model).expect("it can be written");
    let path = file.to_string_lossy();
    for format in ["stats", "text", "dot", "aut", "json"] {
        let out = spi(&["lts", &path, "--format", format, "--copies", "1"]);
        let said = text(&out.stdout) + &text(&out.stderr);
        if format == "json" {
            let json: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
            assert_eq!(json["options"]["copies"], 1);
            assert_eq!(json["options"]["unfold"], 0);
            assert_eq!(json["options"]["recursion_cut"], true);
        } else {
            assert!(said.contains("a bare `!` was taken as 1 copy"), "{said}");
            assert!(said.contains("recursion was cut (--unfold 0)"), "{said}");
        }
    }
}

#[test]
fn what_can_not_be_explored_is_an_error() {
    for args in [
        &["lts", NS, "--system", "Nowhere"][..],
        &["lts", NS, "--format", "dot"],
        &["lts", FIG1, "--system", "One"],
        &["lts", "no/such/file.spi"],
        &["lts", FIG1, "--format", "picture"],
    ] {
        assert_eq!(spi(args).status.code(), Some(2), "{args:?}");
    }
    let folder = TempDir::new().expect("a folder");
    let empty = folder.path().join("empty.spi");
    fs::write(&empty, "").expect("it can be written");
    let path = empty.to_string_lossy();
    assert_eq!(spi(&["lts", &path]).status.code(), Some(2));
}

#[test]
fn hostile_names_stay_inside_their_quotes() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("a\"]; b<c>&\\d.spi");
    let model = "channel x1\npublic x2\n\nsystem node = new x1_. x1(x). [x is x2] x1<x1_, x2>\n";
    fs::write(&file, model).expect("it can be written");
    let path = file.to_string_lossy();
    let dot = text(&spi(&["lts", &path, "--format", "dot"]).stdout);
    assert!(dot.contains("a\\\"]; b<c>&\\\\d.spi: node"), "{dot}");
    // The variables of the process are not taken for the names of the model.
    assert!(dot.contains("x1(x_1). [x_1 is x2]"), "{dot}");
    let json = spi(&["lts", &path, "--format", "json"]).stdout;
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    assert_eq!(json["file"].as_str(), Some(&*path));
}

/// A state whose successors do not fit is not expanded, so fewer states may be stored than are allowed. That they are there is
/// known all the same; the first line used to count only what was stored.
#[test]
fn a_limit_on_states_says_what_was_reached() {
    let ns = concat!(env!("CARGO_MANIFEST_DIR"), "/protocols/ns.spi");
    let shown = |n: &str| text(&spi(&["lts", ns, "--max-states", n]).stdout);
    let three = shown("3");
    assert!(
        three.starts_with(
            "NS: inconclusive, at least 4 states\n  stopped at 3 states (--max-states); 1 stored, what the next one leads to does\n"
        ),
        "{three}"
    );
    let six = shown("6");
    assert!(
        six.starts_with(
            "NS: inconclusive, at least 7 states\n  stopped at 6 states (--max-states)\n"
        ),
        "{six}"
    );
    let out = spi(&["lts", ns, "--max-states", "3", "--format", "aut"]);
    assert_eq!(text(&out.stdout), "des (0, 0, 1)\n");
    assert!(
        text(&out.stderr)
            .contains("at least 4 states: stopped at 3 states (--max-states); 1 stored"),
        "{}",
        text(&out.stderr)
    );
}
