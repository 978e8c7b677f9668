//! The graph for Graphviz. A state is a box: what the environment knows above, what the process still does below.

use super::{Subject, bounds, quoted};
use crate::engine::lts::{Described, Show, Vertex};
use std::fmt::Write as _;
use std::io;

/// Longest line in a box; a picture is for the eye.
const WIDTH: usize = 64;

/// Writes the graph.
pub fn write_dot(out: &mut dyn io::Write, subject: Subject<'_>) -> io::Result<()> {
    let Some(graph) = &subject.found.space.graph else {
        return Ok(());
    };
    let show = Show::new(subject.store, graph);
    writeln!(out, "digraph \"{}\" {{", quoted(subject.system))?;
    writeln!(out, "  label=\"{}\";", quoted(&title(subject)))?;
    writeln!(out, "  labelloc=t; rankdir=TB; nodesep=0.3; ranksep=0.5;")?;
    writeln!(
        out,
        "  node [shape=plain, fontname=\"Helvetica\", fontsize=10];"
    )?;
    writeln!(
        out,
        "  edge [fontname=\"Helvetica\", fontsize=10, arrowsize=0.7];"
    )?;
    for (number, vertex) in graph.vertices.iter().enumerate() {
        let described = show.state(vertex);
        writeln!(
            out,
            "  {number} [label=<{}>];",
            table(number, vertex, &described)
        )?;
    }
    for (from, vertex) in graph.vertices.iter().enumerate() {
        for edge in vertex.edges.iter().flatten() {
            let label = quoted(&show.label(&edge.label));
            let width = if edge.weight > 1 { ", penwidth=2" } else { "" };
            writeln!(
                out,
                "  {from} -> {} [label=\"{label}\"{width}];",
                edge.target
            )?;
        }
    }
    writeln!(out, "}}")
}

fn title(subject: Subject<'_>) -> String {
    let mut title = format!("{}: {}", subject.file, subject.system);
    if subject.found.space.stopped.is_some() {
        title.push_str(" (a part)");
    }
    for bound in bounds(subject.found) {
        let _ = write!(title, " ({bound})");
    }
    title
}

/// The box of a state.
fn table(number: usize, vertex: &Vertex, described: &Described) -> String {
    let mut above: Vec<String> = Vec::new();
    for known in described.knowledge.iter().filter(|k| !k.dropped) {
        let opened = if known.opened { " (opened)" } else { "" };
        above.push(format!("{} = {}{opened}", known.name, known.term));
    }
    for generic in &described.generics {
        above.push(format!(
            "{} from {{{}}}",
            generic.name,
            generic.from.join(", ")
        ));
    }
    above.extend(described.forbidden.iter().cloned());
    let mut below = described.threads.clone();
    if below.is_empty() {
        below.push("0".to_owned());
    }
    let lines = |lines: &[String]| -> String {
        let cell = |line: &String| format!("{}<BR ALIGN=\"LEFT\"/>", html(&shortened(line)));
        lines.iter().map(cell).collect()
    };
    let color = if vertex.edges.is_none() {
        " BGCOLOR=\"gray90\""
    } else {
        ""
    };
    let mut rows = format!("<TR><TD{color} ALIGN=\"LEFT\"><B>{number}</B></TD></TR>");
    for part in [above, below].iter().filter(|part| !part.is_empty()) {
        let cell = format!(
            "<TR><TD ALIGN=\"LEFT\" BALIGN=\"LEFT\">{}</TD></TR>",
            lines(part)
        );
        rows.push_str(&cell);
    }
    format!(
        "<TABLE BORDER=\"0\" CELLBORDER=\"1\" CELLSPACING=\"0\" CELLPADDING=\"4\">{rows}</TABLE>"
    )
}

fn shortened(line: &str) -> String {
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    let mut short: String = line.chars().take(WIDTH - 2).collect();
    short.push_str(" …");
    short
}

fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_texts_stay_inside_their_quotes() {
        assert_eq!(html("<b>&\"\n"), "&lt;b&gt;&amp;&quot; ");
        assert_eq!(quoted("a\"];\\\n"), "a\\\"];\\\\ ");
    }
}
