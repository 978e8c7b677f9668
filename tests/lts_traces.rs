//! Reduced and unreduced state spaces have the same traces.
//!
//! The comparison shares nothing with the exploration but the JSON that `spi lts` writes: it walks all paths of both
//! graphs and gives everything the environment learns or chooses a name by its place in the run. Where a graph says that
//! a target calls things otherwise, the walk follows.

#[path = "support/space.rs"]
mod space;

use serde_json::Value;
use space::graph;
use spi::equiv::Semantics;
use spi::lts::Options;
use std::collections::{BTreeMap, BTreeSet};

type Trace = Vec<String>;

/// What a state's names are in the run.
#[derive(Clone, Default)]
struct Run {
    names: BTreeMap<String, String>,
    heard: usize,
    chosen: usize,
}

impl Run {
    /// The global name of a local one; unknown ones are new messages of the environment.
    fn name(&mut self, local: &str) -> String {
        if let Some(name) = self.names.get(local) {
            return name.clone();
        }
        let new = if local.starts_with('#') {
            self.heard += 1;
            format!("heard{:03}", self.heard)
        } else {
            self.chosen += 1;
            format!("chosen{:03}", self.chosen)
        };
        self.names.insert(local.to_owned(), new.clone());
        new
    }

    /// A text with all local names replaced.
    fn text(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['#', '?']) {
            out.push_str(&rest[..at]);
            let digits = rest[at + 1..]
                .find(|c: char| !c.is_ascii_digit())
                .unwrap_or(rest.len() - at - 1);
            let local = &rest[at..at + 1 + digits];
            out.push_str(&self.name(local));
            rest = &rest[at + 1 + digits..];
        }
        out.push_str(rest);
        out
    }

    fn list(&mut self, items: &Value, item: impl Fn(&mut Self, &Value) -> String) -> String {
        let mut all: Vec<String> = items
            .as_array()
            .expect("a list")
            .iter()
            .map(|i| item(self, i))
            .collect();
        all.sort();
        all.join("; ")
    }

    /// The label of a transition in the names of the run; `None` if nothing is seen.
    fn label(&mut self, t: &Value) -> Option<String> {
        let kind = t["kind"].as_str().expect("a kind");
        if kind == "silent" {
            return None;
        }
        for learned in t["learned"].as_array().expect("a list") {
            let learned = learned.as_str().expect("a name");
            // The number may have been used by something that is forgotten.
            self.names.remove(learned);
            self.name(learned);
        }
        if kind == "input" {
            let chosen = t["message"].as_str().expect("a name");
            self.names.remove(chosen);
            self.name(chosen);
        }
        let mut narrowing: Vec<(String, String)> = t["narrowing"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|b| {
                let text = |f: &str| b[f].as_str().expect("a text").to_owned();
                (text("name"), text("term"))
            })
            .collect();
        // In the order of the run, not of the local numbers.
        narrowing.sort_by_key(|(g, _)| self.names.get(g).cloned());
        let mut said = vec![];
        for (generic, term) in narrowing {
            let bound = self.name(&generic);
            if term.starts_with('?') && term[1..].chars().all(|c| c.is_ascii_digit()) {
                // Which of two equal messages keeps its name does not matter.
                let value = self.name(&term);
                let (low, high) = (bound.clone().min(value.clone()), bound.max(value));
                self.names.insert(term, low.clone());
                said.push(format!("{high} := {low}"));
            } else {
                let value = self.text(&term);
                said.push(format!("{bound} := {value}"));
            }
        }
        let mut forbidden: Vec<String> = t["forbidden"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|f| {
                let text = self.text(f.as_str().expect("a text"));
                match text.split_once(" /= ") {
                    Some((a, b)) if b.starts_with("chosen") && !b.contains(' ') => {
                        format!("{} /= {}", a.min(b), a.max(b))
                    }
                    _ => text,
                }
            })
            .collect();
        forbidden.sort();
        said.append(&mut forbidden);
        let binding = |run: &mut Run, b: &Value| {
            let part = |run: &mut Run, f: &str| run.text(b[f].as_str().expect("a text"));
            format!("{}: {}", part(run, "name"), part(run, "term"))
        };
        said.push(format!("opened {}", self.list(&t["opened"], binding)));
        said.push(format!("dropped {}", self.list(&t["dropped"], binding)));
        let channel = t["channel"].as_str().map(|c| self.text(c));
        let message = t["message"].as_str().map(|m| self.text(m));
        Some(format!(
            "{kind} {channel:?} {message:?} {}",
            said.join(", ")
        ))
    }

    /// The names after a transition.
    fn follow(&mut self, t: &Value) {
        if let Some(pairs) = t["renaming"].as_array() {
            let old = std::mem::take(&mut self.names);
            for pair in pairs {
                let text = |f: &str| pair[f].as_str().expect("a text").to_owned();
                if let Some(name) = old.get(&text("name")) {
                    self.names.insert(text("there"), name.clone());
                }
            }
        }
    }
}

struct Walk<'a> {
    rows: BTreeMap<u64, Vec<&'a Value>>,
    traces: BTreeSet<Trace>,
    steps: usize,
}

impl Walk<'_> {
    fn go(&mut self, state: u64, run: &Run, trace: &mut Trace) {
        self.traces.insert(trace.clone());
        for t in self.rows.get(&state).cloned().unwrap_or_default() {
            self.steps += 1;
            assert!(
                self.steps < 400_000,
                "the system is too large for this test"
            );
            let mut run = run.clone();
            let label = run.label(t);
            run.follow(t);
            let shown = label.is_some();
            trace.extend(label);
            self.go(t["to"].as_u64().expect("a state"), &run, trace);
            if shown {
                trace.pop();
            }
        }
    }
}

/// All traces of a graph.
fn traces(graph: &Value) -> BTreeSet<Trace> {
    assert_eq!(graph["verdict"], "complete");
    let mut rows: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
    for t in graph["transitions"].as_array().expect("a list") {
        rows.entry(t["from"].as_u64().expect("a state"))
            .or_default()
            .push(t);
    }
    let mut walk = Walk {
        rows,
        traces: BTreeSet::new(),
        steps: 0,
    };
    walk.go(0, &Run::default(), &mut Vec::new());
    walk.traces
}

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
";
    for system in [
        "Names", "Nonces", "Equal", "Hidden", "Open", "Parted", "Channels", "Pairs",
    ] {
        all_agree(text, system);
    }
}
