//! A chart as `TikZ`, for papers: `\input` it in a document that loads `tikz`.
//!
//! The layout is that of the SVG, in points that shrink with the picture. As there, differences
//! that matter are differences of form as well as colour.

use super::chart::{Chart, Form, LaneKind};
use super::layout::{HEAD, LINE, Layout, PlacedArrow, PlacedNote, layout};
use std::fmt::Write;

/// Points of a pixel: five lanes fill a page.
const SCALE: f64 = 0.6;

/// The chart as a `tikzpicture`.
pub fn tikz(chart: &Chart) -> String {
    let places = layout(chart);
    let mut out = String::from(
        "% In the preamble: \\usepackage{tikz, textcomp} \\usetikzlibrary{arrows.meta}\n",
    );
    let _ = writeln!(
        out,
        "\\begin{{tikzpicture}}[x={SCALE}pt, y=-{SCALE}pt, font=\\scriptsize, >=latex,\n  \
         message/.style={{font=\\scriptsize\\ttfamily, fill=white, inner sep=1pt, align=center, above}},\n  \
         role/.style={{draw, fill=white, align=center, inner sep=3pt}},\n  \
         remark/.style={{font=\\tiny, fill=white, inner sep=1pt, align=left, anchor=north west}}]"
    );
    lanes(&mut out, chart, &places);
    for row in &places.rows {
        if let Some((words, y)) = row.phase {
            let (right, y) = (n(places.width), n(y));
            let _ = writeln!(
                out,
                "  \\draw[dashed] (0,{y}) -- ({right},{y}) node[remark, anchor=south east] {{{}}};",
                escaped(words)
            );
        }
        for arrow in &row.arrows {
            message(&mut out, arrow);
        }
        for note in &row.notes {
            remark(&mut out, note);
        }
    }
    for (i, line) in places.ending.iter().enumerate() {
        let y = places.bottom + 12.0 + i as f64 * LINE;
        let _ = writeln!(
            out,
            "  \\node[remark] at (0,{}) {{{}}};",
            n(y),
            escaped(line)
        );
    }
    out.push_str("\\end{tikzpicture}\n");
    out
}

fn n(x: f64) -> String {
    format!("{x:.0}")
}

fn lanes(out: &mut String, chart: &Chart, places: &Layout<'_>) {
    for (lane, x) in chart.lanes.iter().zip(&places.lanes) {
        let shape = match lane.kind {
            LaneKind::Honest => "",
            LaneKind::Spy => ", thick, rounded corners",
            LaneKind::Environment => ", rounded corners",
        };
        let dashes = match lane.kind {
            LaneKind::Spy => "[densely dotted]",
            LaneKind::Honest | LaneKind::Environment => "[gray]",
        };
        let (top, bottom) = (n(places.top + HEAD / 2.0), n(places.bottom));
        let x = n(*x);
        let _ = writeln!(out, "  \\draw{dashes} ({x},{top}) -- ({x},{bottom});");
        let mut head = format!("\\textbf{{{}}}", escaped(&lane.name));
        if !lane.detail.is_empty() {
            let _ = write!(head, "\\\\{{\\tiny {}}}", escaped(&lane.detail));
        }
        let _ = writeln!(out, "  \\node[role{shape}] at ({x},{top}) {{{head}}};");
    }
}

fn message(out: &mut String, placed: &PlacedArrow<'_>) {
    let style = match placed.arrow.form {
        Form::Direct => "->",
        Form::Intercepted => "-o",
        Form::Forwarded => "->, dashed",
        Form::Forged => "->, very thick",
        Form::Missing => "->, dotted",
    };
    let lines: Vec<String> = placed.lines.iter().map(|l| escaped(l)).collect();
    let label = lines.join("\\\\");
    let (x1, x2, y) = (n(placed.x1), n(placed.x2), n(placed.y));
    let style = style.replace("-o", "-{Circle[open]}");
    let _ = writeln!(
        out,
        "  \\draw[{style}] ({x1},{y}) -- node[message] {{{label}}} ({x2},{y});"
    );
    if let Some((_, mask)) = &placed.arrow.mask {
        let _ = writeln!(
            out,
            "  \\node[font=\\tiny\\bfseries, fill=white, inner sep=1pt] at ({x1},{y}) {{{}}};",
            escaped(mask)
        );
    }
}

fn remark(out: &mut String, placed: &PlacedNote<'_>) {
    let lines: Vec<String> = placed.lines.iter().map(|l| escaped(l)).collect();
    let _ = writeln!(
        out,
        "  \\node[remark] at ({},{}) {{{}}};",
        n(placed.x),
        n(placed.y),
        lines.join("\\\\")
    );
}

/// Text that TeX sets as it is, whatever a file or a name holds.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '{' | '}' | '#' | '$' | '%' | '&' | '_' => out.extend(['\\', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '\'' => out.push_str("\\textquotesingle{}"),
            '\u{a0}' => out.push('~'),
            '→' => out.push_str("$\\to$"),
            '∉' => out.push_str("$\\notin$"),
            '≠' => out.push_str("$\\neq$"),
            '✓' => out.push_str("$\\surd$"),
            '✗' | '×' => out.push_str("$\\times$"),
            c if c.is_ascii_graphic() || c == ' ' => out.push(c),
            c if c.is_alphanumeric() => out.push(c),
            _ => out.push('?'),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn nothing_of_a_file_is_read_as_tex() {
        let hostile = "\\input{x}%$#&_^~{}<>\u{1b}\n";
        let safe = escaped(hostile);
        assert!(!safe.contains("\\input") && !safe.contains('\n') && !safe.contains('\u{1b}'));
        assert_eq!(escaped("{Na, A}K(C)+"), "\\{Na, A\\}K(C)+");
    }
}
