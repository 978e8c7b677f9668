//! The graph for machines: the schema `spi/3`, described in `docs/json.md`.

use super::{Subject, stopped};
use crate::engine::equiv::Semantics;
use crate::engine::lts::{self, Act, Edge, Label, Renaming, Show, Vertex};
use crate::present::report::json::{self, SCHEMA};
use serde::{Serialize, Serializer};
use std::io;

/// Items that are made one at a time, while they are written: a document may be larger than memory.
struct Each<F>(F);

impl<T: Serialize, I: Iterator<Item = T>, F: Fn() -> I> Serialize for Each<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((self.0)())
    }
}

#[derive(Serialize)]
struct Document<'a, S, T> {
    schema: &'static str,
    file: &'a str,
    system: &'a str,
    verdict: &'static str,
    reason: Option<String>,
    options: Options,
    stats: Stats,
    trees: Option<Trees>,
    states: S,
    transitions: T,
}

#[derive(Serialize)]
#[allow(clippy::struct_excessive_bools)]
struct Options {
    sharing: bool,
    symmetry: bool,
    late: bool,
    semantics: &'static str,
    recursion_cut: bool,
    unfold: Option<u32>,
    copies: Option<u32>,
}

#[derive(Serialize)]
struct Stats {
    states: u64,
    matched: u64,
    transitions: u64,
    pruned: u64,
    end_states: u64,
    depth: u32,
    seconds: f64,
}

/// Numbers that do not fit into what most readers take for numbers are text.
#[derive(Serialize)]
struct Trees {
    full: Option<String>,
    reduced: Option<String>,
    longest_path: u32,
}

#[derive(Serialize)]
struct State {
    id: usize,
    depth: u32,
    explored: bool,
    knowledge: Vec<Known>,
    threads: Vec<String>,
    generics: Vec<Chosen>,
    forbidden: Vec<String>,
}

#[derive(Serialize)]
struct Known {
    name: String,
    term: String,
    dropped: bool,
    opened: bool,
}

#[derive(Serialize)]
struct Chosen {
    name: String,
    from: Vec<String>,
}

#[derive(Serialize)]
struct Transition {
    from: usize,
    to: u32,
    label: String,
    kind: &'static str,
    channel: Option<String>,
    message: Option<String>,
    narrowing: Vec<Binding>,
    forbidden: Vec<String>,
    learned: Vec<String>,
    opened: Vec<Opened>,
    destructed: Vec<Destructed>,
    dropped: Vec<Binding>,
    partners: Vec<Partner>,
    weight: u32,
    renaming: Option<Vec<Renamed>>,
}

#[derive(Serialize)]
struct Binding {
    name: String,
    term: String,
}

#[derive(Serialize)]
struct Opened {
    name: String,
    kind: &'static str,
    term: String,
    content: String,
}

#[derive(Serialize)]
struct Destructed {
    name: String,
    term: String,
    content: String,
}

#[derive(Serialize)]
struct Partner {
    name: String,
    kind: &'static str,
    term: String,
}

#[derive(Serialize)]
struct Renamed {
    name: String,
    there: String,
}

/// Writes the graph and its figures.
pub fn write_json(out: &mut dyn io::Write, subject: Subject<'_>) -> io::Result<()> {
    let found = subject.found;
    let space = &found.space;
    let Some(graph) = &space.graph else {
        return Ok(());
    };
    let show = &Show::new(subject.store, graph);
    let vertices = || graph.vertices.iter().enumerate();
    let states = || vertices().map(|(id, vertex)| state(show, id, vertex));
    let transitions = || {
        vertices().flat_map(|(id, vertex)| {
            let edges = vertex.edges.iter().flatten();
            edges.map(move |e| transition(show, id, e))
        })
    };
    let stats = &space.stats;
    let document = Document {
        schema: SCHEMA,
        file: subject.file,
        system: subject.system,
        verdict: match space.stopped {
            None => "complete",
            Some(_) => "inconclusive",
        },
        reason: space.stopped.map(stopped),
        options: Options {
            sharing: found.options.sharing,
            symmetry: found.options.symmetry,
            late: found.options.late,
            semantics: match found.options.semantics {
                Semantics::Classic => "classic",
                Semantics::Private => "private",
            },
            recursion_cut: found.cut().is_some(),
            unfold: found.cut(),
            copies: found.copies(),
        },
        stats: Stats {
            states: stats.states,
            matched: stats.matched,
            transitions: stats.transitions,
            pruned: stats.pruned,
            end_states: stats.ends,
            depth: stats.depth,
            seconds: stats.time.as_secs_f64(),
        },
        trees: space.trees.map(|t| Trees {
            full: t.full.map(|n| n.to_string()),
            reduced: t.reduced.map(|n| n.to_string()),
            longest_path: t.depth,
        }),
        states: Each(states),
        transitions: Each(transitions),
    };
    json::write(out, &document)
}

fn state(show: &Show<'_>, id: usize, vertex: &Vertex) -> State {
    let described = show.state(vertex);
    State {
        id,
        depth: vertex.depth,
        explored: vertex.edges.is_some(),
        knowledge: described
            .knowledge
            .into_iter()
            .map(|k| Known {
                name: k.name,
                term: k.term,
                dropped: k.dropped,
                opened: k.opened,
            })
            .collect(),
        threads: described.threads,
        generics: described
            .generics
            .into_iter()
            .map(|g| Chosen {
                name: g.name,
                from: g.from,
            })
            .collect(),
        forbidden: described.forbidden,
    }
}

fn transition(show: &Show<'_>, from: usize, edge: &Edge) -> Transition {
    let label = &edge.label;
    let (kind, channel, message) = match label.act {
        Act::Tau if is_special(label) => ("specialisation", None, None),
        Act::Tau => ("silent", None, None),
        Act::Input { channel, generic } => (
            "input",
            Some(show.term(channel)),
            Some(format!("?{generic}")),
        ),
        Act::Output { channel, message } => {
            ("output", Some(show.term(channel)), Some(show.term(message)))
        }
    };
    let bindings = |pairs: &[(u32, crate::term::TermId)], sign: char| {
        let binding = |(n, t): &(u32, crate::term::TermId)| Binding {
            name: format!("{sign}{n}"),
            term: show.term(*t),
        };
        pairs.iter().map(binding).collect()
    };
    let opened = |o: &lts::Opening| Opened {
        name: format!("#{}", o.index),
        kind: o.kind(),
        term: show.term(o.key),
        content: show.term(o.content),
    };
    let destructed = |d: &lts::Destructed| Destructed {
        name: format!("#{}", d.index),
        term: show.application(d),
        content: show.term(d.content),
    };
    let partner = |p: &lts::Partner| Partner {
        name: format!("#{}", p.index),
        kind: p.kind(),
        term: show.term(p.public),
    };
    Transition {
        from,
        to: edge.target,
        label: show.label(label),
        kind,
        channel,
        message,
        narrowing: bindings(&label.narrowing, '?'),
        forbidden: label.forbidden.iter().map(|e| show.forbidden(e)).collect(),
        learned: label.learned.iter().map(|i| format!("#{i}")).collect(),
        opened: label.opened.iter().map(opened).collect(),
        destructed: label.destructed.iter().map(destructed).collect(),
        dropped: bindings(&label.dropped, '#'),
        partners: label.partners.iter().map(partner).collect(),
        weight: edge.weight,
        renaming: edge.renaming.as_ref().map(renamed),
    }
}

fn is_special(label: &Label) -> bool {
    !label.narrowing.is_empty() || !label.forbidden.is_empty()
}

fn renamed(renaming: &Renaming) -> Vec<Renamed> {
    let pairs = |pairs: &[(u32, u32)], sign: char| -> Vec<Renamed> {
        let pair = |(there, here): &(u32, u32)| Renamed {
            name: format!("{sign}{here}"),
            there: format!("{sign}{there}"),
        };
        pairs.iter().map(pair).collect()
    };
    let mut all = pairs(&renaming.indices, '#');
    all.extend(pairs(&renaming.generics, '?'));
    all
}
