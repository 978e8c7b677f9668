//! The graph as text, state by state.

use super::Subject;
use crate::engine::lts::{Edge, Show, Vertex};
use std::io;

/// Writes all states with their transitions.
pub fn write_text(out: &mut dyn io::Write, subject: Subject<'_>) -> io::Result<()> {
    let Some(graph) = &subject.found.space.graph else {
        return Ok(());
    };
    let show = Show::new(subject.store, graph);
    for (number, vertex) in graph.vertices.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        state(out, &show, number, vertex)?;
    }
    Ok(())
}

fn state(
    out: &mut dyn io::Write,
    show: &Show<'_>,
    number: usize,
    vertex: &Vertex,
) -> io::Result<()> {
    let described = show.state(vertex);
    writeln!(out, "state {number}")?;
    for known in &described.knowledge {
        let note = match (known.dropped, known.opened) {
            (true, _) => "  (composed by now)",
            (false, true) => "  (opened)",
            (false, false) => "",
        };
        writeln!(out, "  K        {} = {}{note}", known.name, known.term)?;
    }
    for thread in &described.threads {
        writeln!(out, "  P        {thread}")?;
    }
    if described.threads.is_empty() {
        writeln!(out, "  P        0")?;
    }
    for generic in &described.generics {
        writeln!(
            out,
            "  Upsilon  {} from {{{}}}",
            generic.name,
            generic.from.join(", ")
        )?;
    }
    for entry in &described.forbidden {
        writeln!(out, "  Lambda   {entry}")?;
    }
    match &vertex.edges {
        None => writeln!(out, "  -> not explored"),
        Some(edges) => edges.iter().try_for_each(|e| transition(out, show, e)),
    }
}

fn transition(out: &mut dyn io::Write, show: &Show<'_>, edge: &Edge) -> io::Result<()> {
    write!(out, "  -> {}  {}", edge.target, show.label(&edge.label))?;
    if edge.weight > 1 {
        write!(out, "  x{}", edge.weight)?;
    }
    if let Some(renaming) = &edge.renaming {
        let moved = |pairs: &[(u32, u32)], sign: char| -> Vec<String> {
            pairs
                .iter()
                .filter(|(there, here)| there != here)
                .map(|(there, here)| format!("{sign}{here} is {sign}{there} there"))
                .collect()
        };
        let mut all = moved(&renaming.indices, '#');
        all.extend(moved(&renaming.generics, '?'));
        if !all.is_empty() {
            write!(out, "  ({})", all.join(", "))?;
        }
    }
    writeln!(out)
}
