//! The figures of a state space, in the manner of SPIN.

use super::{Subject, bounds, end, grouped, least, states, stopped};
use crate::engine::equiv::Semantics;
use crate::present::report::Style;
use crate::present::report::paper::{Ink, Paper};
use crate::present::report::summary;
use std::io;

/// Writes the figures.
pub fn write_stats(out: &mut dyn io::Write, subject: Subject<'_>, style: Style) -> io::Result<()> {
    let mut paper = Paper::new(out, style.look);
    let found = subject.found;
    let (space, options) = (&found.space, &found.options);
    let stats = &space.stats;
    let (word, ink) = match space.stopped {
        None => ("complete", Ink::Good),
        Some(_) => ("inconclusive", Ink::Doubt),
    };
    let word = paper.paint(word, ink);
    let size = match (options.sharing, space.trees) {
        (false, Some(trees)) => {
            let full = if options.symmetry {
                trees.reduced
            } else {
                trees.full
            };
            format!("{} nodes", big(full))
        }
        _ => states(least(found)),
    };
    let at_least = if space.stopped.is_some() {
        "at least "
    } else {
        ""
    };
    paper.line(&format!("{}: {word}, {at_least}{size}", subject.system))?;
    if style.brief {
        return Ok(());
    }
    if let Some(reason) = space.stopped {
        paper.paragraph(2, &end(found, reason), Ink::Plain)?;
    }
    if let (None, Some(reason)) = (space.stopped, space.uncounted) {
        let said = format!("the trees were not counted: {}", stopped(reason));
        paper.paragraph(2, &said, Ink::Plain)?;
    }
    for line in scope(subject) {
        paper.paragraph(2, &line, Ink::Plain)?;
    }
    let row = |name: &str, value: &str| format!("  {name:<22}{value:>20}");
    let mut lines: Vec<(&str, String)> = vec![
        ("states stored", grouped(u128::from(stats.states))),
        ("states matched", grouped(u128::from(stats.matched))),
        ("transitions", grouped(u128::from(stats.transitions))),
    ];
    if options.symmetry {
        lines.push(("pruned by symmetry", grouped(u128::from(stats.pruned))));
    }
    lines.push(("end states", grouped(u128::from(stats.ends))));
    lines.push(("depth", grouped(u128::from(stats.depth))));
    lines.push(("widest layer", grouped(u128::from(stats.widest))));
    if let Some(trees) = space.trees {
        lines.push(("longest path", grouped(u128::from(trees.depth))));
        lines.push(("tree", big(trees.full)));
        if options.symmetry {
            lines.push(("tree with symmetry", big(trees.reduced)));
        }
    }
    if stats.states > 0 && stats.bytes > 0 {
        let each = stats.bytes as f64 / stats.states as f64;
        lines.push(("bytes per state", format!("{each:.1}")));
    }
    paper.gap()?;
    for (name, value) in lines {
        paper.line(&row(name, &value))?;
    }
    if style.timed {
        let seconds = stats.time.as_secs_f64();
        let rate = stats.states as f64 / seconds.max(1e-6);
        let rate = format!("{rate:.0}").parse().unwrap_or(0);
        paper.line(&row("time", &summary::duration(stats.time)))?;
        paper.line(&row("states per second", &grouped(rate)))?;
    }
    Ok(())
}

/// What the figures are about.
fn scope(subject: Subject<'_>) -> Vec<String> {
    let found = subject.found;
    let options = &found.options;
    let mut said = vec![
        match (options.sharing, options.symmetry) {
            (true, true) => {
                "graph: states equal up to renaming are one, and of related threads one moves"
            }
            (true, false) => "graph: equal states are one (--no-symmetry)",
            (false, true) => "tree: nothing is shared (--no-sharing); of related threads one moves",
            (false, false) => "tree: nothing is shared (--no-sharing, --no-symmetry)",
        }
        .to_owned(),
        match options.semantics {
            Semantics::Private => {
                "internal communication on public channels is left out (--semantics private)"
            }
            Semantics::Classic => "internal communication on all channels (--semantics classic)",
        }
        .to_owned(),
    ];
    if options.late {
        said.push("undecided tests wait while other threads move (--late)".to_owned());
    }
    if !options.sharing && !options.graph {
        said.push(
            "the tree is counted, not built: its nodes are the paths of the graph that the figures below are about"
                .to_owned(),
        );
    }
    said.extend(bounds(found));
    said
}

/// A number that may have been too large to count.
fn big(n: Option<u128>) -> String {
    n.map_or_else(|| "more than 3.4e38".to_owned(), grouped)
}
