//! Shared by the tests of state spaces: the traces of a graph that `spi lts` has written as JSON.
//!
//! The walk takes all paths and gives everything the environment learns or chooses a name by its place in the run: what is
//! learned in one step in the order in which the label mentions it. Where a graph says that a target calls things
//! otherwise, the walk follows; numbers of messages that a state does not list are free.
#![allow(dead_code)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

pub type Trace = Vec<String>;

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list")
}

fn field<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().expect("a text")
}

/// The local names of a text, with what is between them.
fn pieces(text: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['#', '?']) {
        let digits = rest[at + 1..]
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len() - at - 1);
        let end = at + 1 + digits;
        found.push((&rest[..at], &rest[at..end]));
        rest = &rest[end..];
    }
    found.push((rest, ""));
    found
}

/// What a state's names are in the run.
#[derive(Clone, Default)]
struct Run {
    names: BTreeMap<String, String>,
    heard: usize,
    chosen: usize,
}

impl Run {
    /// The global name of a local one; unknown ones are new.
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
        for (before, local) in pieces(text) {
            out.push_str(before);
            if !local.is_empty() {
                out.push_str(&self.name(local));
            }
        }
        out
    }

    /// Names the elements of a text that have none.
    fn meet(&mut self, text: &str) {
        for (_, local) in pieces(text) {
            if local.starts_with('#') {
                self.name(local);
            }
        }
    }

    /// Names what was learned: by the message, then by what is inside of elements that have a name, the first of these
    /// first.
    fn learn(&mut self, t: &Value) {
        for learned in list(&t["learned"]) {
            // The number may have been used by something that is forgotten.
            self.names.remove(learned.as_str().expect("a name"));
        }
        if t["kind"] == "output" {
            self.meet(field(t, "message"));
        }
        let opened = list(&t["opened"]).iter();
        let opened = opened.map(|o| (field(o, "name"), field(o, "content")));
        let destructed = list(&t["destructed"]).iter();
        let destructed = destructed.map(|d| (field(d, "name"), field(d, "content")));
        let dropped = list(&t["dropped"]).iter();
        let dropped = dropped.map(|d| (field(d, "name"), field(d, "term")));
        let mut left: Vec<(&str, &str)> = opened.chain(destructed).chain(dropped).collect();
        loop {
            let named = left.iter().filter(|(n, _)| self.names.contains_key(*n));
            let Some(next) = named.min_by_key(|(n, _)| self.names.get(*n)).copied() else {
                break;
            };
            self.meet(next.1);
            left.retain(|o| *o != next);
        }
    }

    fn lines(&mut self, items: &Value, fields: &[&str]) -> String {
        let mut line = |item: &Value| {
            let mut part = |f: &&str| self.text(field(item, f));
            fields.iter().map(&mut part).collect::<Vec<_>>().join(": ")
        };
        let mut all: Vec<String> = list(items).iter().map(&mut line).collect();
        all.sort();
        all.join("; ")
    }

    /// What messages turned out to be. Which of equal messages keeps its name does not matter.
    fn narrow(&mut self, t: &Value) -> Vec<String> {
        let mut classes: Vec<BTreeSet<String>> = Vec::new();
        let mut rest = Vec::new();
        for b in list(&t["narrowing"]) {
            let (generic, term) = (field(b, "name"), field(b, "term"));
            if term.starts_with('?') && term[1..].chars().all(|c| c.is_ascii_digit()) {
                let pair = [self.name(generic), self.name(term)];
                let class = classes
                    .iter()
                    .position(|c| pair.iter().any(|p| c.contains(p)));
                let at = class.unwrap_or_else(|| {
                    classes.push(BTreeSet::new());
                    classes.len() - 1
                });
                classes[at].extend(pair);
            } else {
                rest.push((generic, term));
            }
        }
        for class in &classes {
            for name in self.names.values_mut().filter(|n| class.contains(*n)) {
                class.first().expect("a member").clone_into(name);
            }
        }
        rest.sort_by_key(|(generic, _)| self.names.get(*generic).cloned());
        let mut said: Vec<String> = classes
            .iter()
            .map(|c| c.iter().cloned().collect::<Vec<_>>().join(" = "))
            .collect();
        said.sort();
        for (generic, term) in rest {
            said.push(format!("{} := {}", self.name(generic), self.text(term)));
        }
        said
    }

    /// The label of a transition in the names of the run; `None` if nothing is seen.
    fn label(&mut self, t: &Value) -> Option<String> {
        let kind = field(t, "kind");
        if kind == "silent" {
            return None;
        }
        self.learn(t);
        if kind == "input" {
            let chosen = field(t, "message");
            self.names.remove(chosen);
            self.name(chosen);
        }
        let mut said = self.narrow(t);
        let mut forbidden: Vec<String> = list(&t["forbidden"])
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
        for (what, fields) in [
            ("opened", &["name", "kind", "term", "content"][..]),
            ("destructed", &["term", "content"]),
            ("dropped", &["name", "term"]),
            ("partners", &["name", "kind", "term"]),
        ] {
            said.push(format!("{what} {}", self.lines(&t[what], fields)));
        }
        let channel = t["channel"].as_str().map(|c| self.text(c));
        let message = t["message"].as_str().map(|m| self.text(m));
        Some(format!(
            "{kind} {channel:?} {message:?} {}",
            said.join(", ")
        ))
    }

    /// The names after a transition to a state.
    fn follow(&mut self, t: &Value, state: &Value) {
        if let Some(pairs) = t["renaming"].as_array() {
            let old = std::mem::take(&mut self.names);
            for pair in pairs {
                if let Some(name) = old.get(field(pair, "name")) {
                    self.names
                        .insert(field(pair, "there").to_owned(), name.clone());
                }
            }
        }
        let listed: Vec<&str> = list(&state["generics"])
            .iter()
            .map(|g| field(g, "name"))
            .collect();
        self.names
            .retain(|local, _| local.starts_with('#') || listed.contains(&&**local));
    }
}

struct Walk<'a> {
    states: &'a [Value],
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
            let to = t["to"].as_u64().expect("a state");
            run.follow(t, &self.states[to as usize]);
            let shown = label.is_some();
            trace.extend(label);
            self.go(to, &run, trace);
            if shown {
                trace.pop();
            }
        }
    }
}

/// All traces of a graph.
pub fn traces(graph: &Value) -> BTreeSet<Trace> {
    assert_eq!(graph["verdict"], "complete");
    let mut rows: BTreeMap<u64, Vec<&Value>> = BTreeMap::new();
    for t in list(&graph["transitions"]) {
        rows.entry(t["from"].as_u64().expect("a state"))
            .or_default()
            .push(t);
    }
    let mut walk = Walk {
        states: list(&graph["states"]),
        rows,
        traces: BTreeSet::new(),
        steps: 0,
    };
    walk.go(0, &Run::default(), &mut Vec::new());
    walk.traces
}
