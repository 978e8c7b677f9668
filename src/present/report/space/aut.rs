//! The Aldebaran format: `des (first, transitions, states)`, then one line for each transition.

use super::{Subject, quoted};
use crate::engine::lts::Show;
use std::io;

/// Writes the graph. Labels are quoted; a quotation mark or a backslash inside gets a backslash in front.
pub fn write_aut(out: &mut dyn io::Write, subject: Subject<'_>) -> io::Result<()> {
    let Some(graph) = &subject.found.space.graph else {
        return Ok(());
    };
    let show = Show::new(subject.store, graph);
    let (states, transitions) = (graph.vertices.len(), graph.transitions());
    writeln!(out, "des (0, {transitions}, {states})")?;
    for (from, vertex) in graph.vertices.iter().enumerate() {
        for edge in vertex.edges.iter().flatten() {
            let label = quoted(&show.label(&edge.label));
            writeln!(out, "({from}, \"{label}\", {})", edge.target)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_stay_on_their_line() {
        assert_eq!(quoted("a\"b\\c\nd"), "a\\\"b\\\\c d");
    }
}
