//! A chart as SVG.
//!
//! Colours are variables, set for light and dark surroundings and for print. Differences that
//! matter are differences of form as well. The groups of the rows carry their step, so that a page
//! can show a chart step by step.

use super::chart::{Chart, Form, LaneKind, NoteKind, Row, Tone};
use super::escape::escape;
use super::layout::{
    HEAD, KEY, LINE, Layout, MARGIN, NOTE_LINE, PlacedArrow, PlacedNote, key_columns, key_height,
    layout,
};
use std::fmt::Write;

/// The style sheet of a chart.
const STYLE: &str = include_str!("chart.css");

/// The chart as an SVG document.
pub fn svg(chart: &Chart) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    write(&mut out, chart, true);
    out
}

/// The chart as an element of a page, which brings the style sheet.
pub(super) fn element(chart: &Chart) -> String {
    let mut out = String::new();
    write(&mut out, chart, false);
    out
}

/// The style sheet, for a page.
pub(super) fn style() -> &'static str {
    STYLE
}

/// A number without needless digits.
fn n(x: f64) -> String {
    let text = format!("{x:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

fn write(out: &mut String, chart: &Chart, alone: bool) {
    let places = layout(chart);
    let Layout { width, height, .. } = places;
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"msc\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
         role=\"img\" aria-labelledby=\"msc-title msc-desc\">",
        w = n(width),
        h = n(height)
    );
    let title = format!("{}: {}", chart.title, chart.verdict);
    let _ = writeln!(out, "<title id=\"msc-title\">{}</title>", escape(&title));
    let _ = writeln!(out, "<desc id=\"msc-desc\">{}</desc>", escape(&told(chart)));
    if alone {
        let _ = writeln!(out, "<style>{STYLE}</style>");
    }
    let _ = writeln!(
        out,
        "<rect class=\"ground\" width=\"{}\" height=\"{}\"/>",
        n(width),
        n(height)
    );
    let tone = match chart.tone {
        Tone::Good => "good",
        Tone::Bad => "bad",
        Tone::Plain => "plain",
    };
    for (i, line) in places.title.iter().enumerate() {
        let y = MARGIN + 14.0 + i as f64 * 20.0;
        text(out, &format!("title {tone}"), MARGIN, y, "start", line);
    }
    lanes(out, chart, &places);
    for row in &places.rows {
        let class = if row.marked.is_some() {
            "row flagged"
        } else {
            "row"
        };
        let _ = writeln!(out, "<g class=\"{class}\" data-step=\"{}\">", row.step);
        if let Some(words) = row.marked {
            let _ = writeln!(
                out,
                "<rect class=\"marked\" x=\"4\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>",
                n(row.top),
                n(width - 8.0),
                n(row.bottom - row.top)
            );
            let y = row.top + 12.0;
            text(out, "mark", width / 2.0, y, "middle", words);
        } else {
            let _ = writeln!(
                out,
                "<rect class=\"band\" x=\"4\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"4\"/>",
                n(row.top),
                n(width - 8.0),
                n(row.bottom - row.top)
            );
        }
        if let Some((words, y)) = row.phase {
            line(out, "end", [4.0, y, width - 4.0, y]);
            text(out, "mark", width - 8.0, y - 4.0, "end", words);
        }
        for arrow in &row.arrows {
            write_arrow(out, arrow, &places.lanes);
        }
        for note in &row.notes {
            write_note(out, note);
        }
        out.push_str("</g>\n");
    }
    foot(out, chart, &places);
    out.push_str("</svg>\n");
}

/// The chart in words, for those who can't see it.
fn told(chart: &Chart) -> String {
    let mut said = Vec::new();
    for row in &chart.rows {
        said.extend(row.phase.iter().map(|p| format!("{p} begins.")));
        told_arrows(chart, row, &mut said);
    }
    said.extend(chart.ending.iter().cloned());
    said.join(" ")
}

fn told_arrows(chart: &Chart, row: &Row, said: &mut Vec<String>) {
    for arrow in &row.arrows {
        let name = |lane: usize| match &arrow.mask {
            Some((at, mask)) if *at == lane => mask.clone(),
            _ => chart.lanes[lane].name.clone(),
        };
        let to = arrow.to.map_or_else(|| "nobody".to_owned(), name);
        let number = arrow.number.map_or(String::new(), |n| format!("{n}. "));
        said.push(format!(
            "{number}{} to {to}, {}: {}.",
            name(arrow.from),
            arrow.form.label(),
            arrow.label
        ));
    }
}

fn text(out: &mut String, class: &str, x: f64, y: f64, anchor: &str, words: &str) {
    let _ = writeln!(
        out,
        "<text class=\"{class}\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}</text>",
        n(x),
        n(y),
        escape(words)
    );
}

fn line(out: &mut String, class: &str, [x1, y1, x2, y2]: [f64; 4]) {
    let _ = writeln!(
        out,
        "<line class=\"{class}\" x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\"/>",
        n(x1),
        n(y1),
        n(x2),
        n(y2)
    );
}

fn lanes(out: &mut String, chart: &Chart, places: &Layout<'_>) {
    for (i, lane) in chart.lanes.iter().enumerate() {
        let (x, w) = (places.lanes[i], places.heads[i]);
        let class = match lane.kind {
            LaneKind::Honest => "honest",
            LaneKind::Spy => "spy",
            LaneKind::Environment => "environment",
        };
        let _ = writeln!(out, "<g class=\"lane {class}\">");
        let from = places.top + HEAD - 6.0;
        line(out, "life", [x, from, x, places.bottom]);
        let _ = writeln!(
            out,
            "<rect class=\"head\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
            n(x - w / 2.0),
            n(places.top),
            n(w),
            n(HEAD - 6.0),
            if lane.kind == LaneKind::Honest {
                "4"
            } else {
                "18"
            }
        );
        let y = places.top + if lane.detail.is_empty() { 25.0 } else { 17.0 };
        text(out, "name", x, y, "middle", &lane.name);
        if !lane.detail.is_empty() {
            text(out, "detail", x, y + 15.0, "middle", &lane.detail);
        }
        line(
            out,
            "end",
            [x - 10.0, places.bottom, x + 10.0, places.bottom],
        );
        out.push_str("</g>\n");
    }
}

fn write_arrow(out: &mut String, placed: &PlacedArrow<'_>, lanes: &[f64]) {
    let PlacedArrow {
        arrow,
        x1,
        x2,
        y,
        lines,
    } = placed;
    let (mut x1, mut x2, y) = (*x1, *x2, *y);
    let way = if x2 > x1 { 1.0 } else { -1.0 };
    // The arrow ends at the edge of the name that the spy uses.
    let chip = |mask: &str| mask.chars().count() as f64 * 7.4 + 10.0;
    if let Some((lane, mask)) = &arrow.mask {
        let edge = chip(mask) / 2.0;
        if arrow.to == Some(*lane) {
            x2 -= way * edge;
        } else {
            x1 += way * edge;
        }
    }
    let _ = writeln!(out, "<g class=\"arrow {}\">", arrow.form.class());
    let own = arrow.to == Some(arrow.from);
    if own {
        let turn = format!(
            "{0},{1} {2},{1} {2},{3} {4},{3}",
            n(x1 + 2.0),
            n(y - 10.0),
            n(x2),
            n(y),
            n(x1 + 10.0)
        );
        let _ = writeln!(out, "<polyline class=\"shaft\" points=\"{turn}\"/>");
        let tip = x1 + 2.0;
        let points = [(tip, y), (tip + 10.0, y - 5.0), (tip + 10.0, y + 5.0)];
        polygon(out, "head", &points);
    } else {
        shape(out, arrow.form, [x1, x2], y, way, arrow.to.is_some());
    }
    if let Some(spy) = arrow.overheard {
        let _ = writeln!(
            out,
            "<circle class=\"ear\" cx=\"{}\" cy=\"{}\" r=\"4\"/>",
            n(lanes[spy]),
            n(y)
        );
    }
    let middle = f64::midpoint(x1, x2);
    for (i, words) in lines.iter().enumerate() {
        let up = (lines.len() - 1 - i) as f64 * LINE;
        if own {
            text(out, "message", x1 + 8.0, y - 16.0 - up, "start", words);
        } else {
            text(out, "message", middle, y - 7.0 - up, "middle", words);
        }
    }
    if let Some((lane, mask)) = &arrow.mask {
        let x = lanes[*lane];
        let w = chip(mask);
        let _ = writeln!(
            out,
            "<rect class=\"chip\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"18\" rx=\"9\"/>",
            n(x - w / 2.0),
            n(y - 9.0),
            n(w)
        );
        text(out, "mask", x, y + 4.0, "middle", mask);
    }
    out.push_str("</g>\n");
}

/// The line of an arrow with its ends.
fn shape(out: &mut String, form: Form, [x1, x2]: [f64; 2], y: f64, way: f64, taken: bool) {
    let tip = x2 - way * 2.0;
    let (start, end) = match form {
        Form::Forged => (x1 + way * 12.0, tip - way * 8.0),
        Form::Intercepted => (x1 + way * 2.0, tip - way * 10.0),
        _ => (x1 + way * 2.0, tip - way * 8.0),
    };
    line(out, "shaft", [start, y, end, y]);
    match form {
        Form::Intercepted => {
            let _ = writeln!(
                out,
                "<circle class=\"ring\" cx=\"{}\" cy=\"{}\" r=\"5\"/>",
                n(tip - way * 5.0),
                n(y)
            );
        }
        Form::Missing => {
            // Beside the label, which stands in the middle.
            let x = x2 - way * 26.0;
            line(out, "cross", [x - 6.0, y - 6.0, x + 6.0, y + 6.0]);
            line(out, "cross", [x - 6.0, y + 6.0, x + 6.0, y - 6.0]);
        }
        _ => {}
    }
    if form == Form::Forged {
        let x = x1 + way * 2.0;
        let points = [
            (x, y),
            (x + way * 6.0, y - 5.0),
            (x + way * 12.0, y),
            (x + way * 6.0, y + 5.0),
        ];
        polygon(out, "head", &points);
    }
    if !matches!(form, Form::Intercepted) {
        let class = if taken { "head" } else { "head open" };
        let points = [
            (tip, y),
            (tip - way * 10.0, y - 5.0),
            (tip - way * 10.0, y + 5.0),
        ];
        polygon(out, class, &points);
    }
}

fn polygon(out: &mut String, class: &str, points: &[(f64, f64)]) {
    let points: Vec<String> = points
        .iter()
        .map(|(x, y)| format!("{},{}", n(*x), n(*y)))
        .collect();
    let _ = writeln!(
        out,
        "<polygon class=\"{class}\" points=\"{}\"/>",
        points.join(" ")
    );
}

fn write_note(out: &mut String, placed: &PlacedNote<'_>) {
    let class = match placed.note.kind {
        NoteKind::Made => "made",
        NoteKind::Passed => "passed",
        NoteKind::Failed => "failed",
        NoteKind::Learned => "learned",
        NoteKind::Leaked => "leaked",
        NoteKind::Event => "event",
        NoteKind::Remark => "remark",
    };
    let _ = writeln!(out, "<g class=\"note {class}\">");
    let _ = writeln!(
        out,
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"{}\"/>",
        n(placed.x),
        n(placed.y),
        n(placed.width),
        n(placed.lines.len() as f64 * NOTE_LINE + 5.0),
        if placed.note.kind == NoteKind::Event {
            "10"
        } else {
            "3"
        }
    );
    for (i, words) in placed.lines.iter().enumerate() {
        let x = placed.x + placed.width / 2.0;
        let y = placed.y + 13.0 + i as f64 * NOTE_LINE;
        text(out, "words", x, y, "middle", words);
    }
    out.push_str("</g>\n");
}

/// The key to the forms, what the run shows, and the abbreviations.
fn foot(out: &mut String, chart: &Chart, places: &Layout<'_>) {
    let mut y = places.foot;
    let columns = key_columns(places.width);
    let forms = chart.forms();
    if forms.len() > 1 {
        out.push_str("<g class=\"key\">\n");
        for (i, form) in forms.into_iter().enumerate() {
            let x = MARGIN + (i % columns) as f64 * KEY;
            let at = y + (i / columns) as f64 * LINE;
            let _ = writeln!(out, "<g class=\"arrow {}\">", form.class());
            shape(out, form, [x, x + 44.0], at - 4.0, 1.0, true);
            out.push_str("</g>\n");
            text(out, "words", x + 52.0, at, "start", form.label());
        }
        out.push_str("</g>\n");
    }
    y += key_height(chart, places.width);
    let class = match chart.tone {
        Tone::Bad => "ending bad",
        _ => "ending",
    };
    for words in &places.ending {
        text(out, class, MARGIN, y, "start", words);
        y += LINE;
    }
    if !places.legend.is_empty() {
        y += 8.0;
    }
    for (short, lines) in &places.legend {
        text(out, "message", MARGIN, y, "start", &format!("{short} ="));
        for words in lines {
            text(out, "message", MARGIN + 48.0, y, "start", words);
            y += LINE;
        }
    }
}
