//! Reduced and unreduced state spaces have the same traces.
//!
//! The comparison shares nothing with the exploration but the JSON that `spi lts` writes (`support/walk.rs`).

use crate::reference;
use crate::support::space;
use crate::support::walk;
use reference::mixture::{self, Style};
use reference::random::seeds;
use space::graph;
use spi::base::limits::Limits;
use spi::base::source::SourceFile;
use spi::engine::equiv::Semantics;
use spi::engine::lts::Options;
use spi::lang::sema::check_text;
use spi::process::TupleMode;
use spi::term::TermStore;
use walk::traces;

fn all_agree(text: &str, system: &str) {
    agree(
        text,
        system,
        &[
            (Semantics::Private, false),
            (Semantics::Classic, false),
            (Semantics::Private, true),
        ],
    );
}

/// Compares the tree with the reduced graphs; `true` lets tests wait.
fn agree(text: &str, system: &str, modes: &[(Semantics, bool)]) {
    for &(semantics, late) in modes {
        let options = |sharing: bool, symmetry: bool| Options {
            semantics,
            sharing,
            symmetry,
            late,
            ..Options::default()
        };
        let tree = graph(text, system, options(false, false));
        let expected = traces(&tree);
        assert!(expected.len() > 3, "{system} does something");
        for (sharing, symmetry) in [(true, false), (true, true), (false, true)] {
            let reduced = graph(text, system, options(sharing, symmetry));
            let found = traces(&reduced);
            let missing = expected.difference(&found).next();
            let extra = found.difference(&expected).next();
            assert!(
                missing.is_none() && extra.is_none(),
                "{system}, {semantics:?}, late {late}, sharing {sharing}, symmetry {symmetry}:\nmissing {missing:#?}\nextra {extra:#?}"
            );
            // The tree that the graph folds has as many nodes as the tree that was walked.
            let nodes = tree["stats"]["states"].to_string();
            if !symmetry || sharing {
                assert_eq!(reduced["trees"]["full"].as_str(), Some(&*nodes), "{system}");
            }
            if !sharing && symmetry {
                let folded = graph(text, system, options(true, true));
                let nodes = reduced["stats"]["states"].to_string();
                assert_eq!(
                    folded["trees"]["reduced"].as_str(),
                    Some(&*nodes),
                    "{system}"
                );
            }
        }
    }
}

#[test]
fn the_example_of_the_paper() {
    let text = include_str!("../protocols/papers/s3a-fig1.spi");
    let modes = [(Semantics::Private, false), (Semantics::Classic, false)];
    agree(text, "Fig1", &modes);
}

#[test]
fn needham_schroeder() {
    let text = include_str!("../protocols/papers/s3a-ns.spi");
    all_agree(text, "NS11");
    agree(text, "NS12", &[(Semantics::Private, false)]);
}

#[test]
fn wide_mouthed_frog() {
    let text = include_str!("../protocols/papers/s3a-wmf.spi");
    all_agree(text, "WMF11");
    agree(text, "WMF22", &[(Semantics::Private, false)]);
}

#[test]
fn random_systems() {
    let mut walked = 0;
    for seed in seeds(150) {
        let style = [Style::Open, Style::Shared][(seed % 2) as usize];
        let (header, [system, _]) = mixture::pair(seed + 5_000_000, style);
        let text = format!("{header}partial system S = {system}\n");
        let file = SourceFile::anonymous("test.spi", text.as_str());
        if !check_text(&file, &TermStore::new(), TupleMode::Nested).is_sound() {
            continue;
        }
        let tree = Options {
            sharing: false,
            symmetry: false,
            limits: Limits {
                states: Some(400),
                ..Limits::default()
            },
            ..Options::default()
        };
        let found = graph(&text, "S", tree);
        // What is small enough to be walked, and does something.
        if found["verdict"] == "complete" && traces(&found).len() > 3 {
            agree(
                &text,
                "S",
                &[(Semantics::Private, false), (Semantics::Classic, false)],
            );
            walked += 1;
        }
    }
    assert!(walked > 20, "{walked}");
}

#[test]
fn small_systems() {
    let text = "
channel c, d
public m

system Names = new a, b, k. (c<a> | c<b> | c<{a, b}k> | c(x). [x is a] c<k>)

system Nonces = !3 (new n. c<n>. c(x). [x is n] d<x>)

system Equal = c(x). c(y). ([x is y] d<x> else d<m>) | c(z). d<z>

system Hidden = new p, q. (p<m> | p<q> | !2 p(x). c<x>)

system Open = new k, s. (c<{[s]}k+>. c<k->. c<s> | c<{s}k>. c<k>)

system Parted = new k. (c(x). ([x is m] d<x> | [x is {m}k] d<k>) | c<{m}k>)

system Channels = new k. (c(x). x<k> | d(y). c<y> | k(z). c<z>)

system Pairs = !2 (new n. c(x, y). [x is n] d<y> | new n. c<n, n>)

system Same = new k. !2 (c(x). c<{x}k>)

system Signed = new k. (c<k+> | !2 (new n. c<[{n, m}]k->))

system Key = new k, s, t. (c<{[s, m]}k+> | c<{[t]}k+>. c<k-> | c<k+>)

partial system Dead = new n. c<H(n)>. c(x). c<n>. c(y). [x is H(n)] d<m> else d<y>

partial system Forgotten = c(y). let (u, v) = y in c(z). let (r, s) = z in c<r>
";
    for system in [
        "Names",
        "Nonces",
        "Equal",
        "Hidden",
        "Open",
        "Parted",
        "Channels",
        "Pairs",
        "Same",
        "Signed",
        "Key",
        "Dead",
        "Forgotten",
    ] {
        all_agree(text, system);
    }
}
