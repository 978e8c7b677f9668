//! The layout of a chart, in pixels.
//!
//! The distance of lanes depends on their labels, within limits. Longer labels are wrapped. Text is
//! measured by counting characters: messages are set in a fixed-width font, notes in a proportional
//! one with a known mean width.

use super::chart::{Arrow, Chart, Note, NoteKind};
use super::wrap::{pieces, wrap};

/// Width of a character of a message.
pub const CELL: f64 = 7.9;
/// Mean width of a character of a note.
pub const NOTE_CELL: f64 = 6.5;
/// Height of a line of a message.
pub const LINE: f64 = 17.0;
/// Height of a line of a note.
pub const NOTE_LINE: f64 = 15.0;
/// Longest line of a message between neighbouring lanes.
const LONGEST: usize = 40;
/// Least distance of two lanes.
const LEAST: f64 = 128.0;
/// Room at the sides.
pub const MARGIN: f64 = 20.0;
/// Height of the lane heads.
pub const HEAD: f64 = 46.0;

/// An arrow with its place.
pub struct PlacedArrow<'a> {
    pub arrow: &'a Arrow,
    pub x1: f64,
    pub x2: f64,
    pub y: f64,
    /// The lines of the label above it.
    pub lines: Vec<String>,
}

/// A note with its place: the left edge and the top.
pub struct PlacedNote<'a> {
    pub note: &'a Note,
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub lines: Vec<String>,
}

/// A row with its place.
pub struct PlacedRow<'a> {
    pub step: usize,
    pub top: f64,
    pub bottom: f64,
    pub marked: Option<&'a str>,
    /// A line across all lanes: its words and its height.
    pub phase: Option<(&'a str, f64)>,
    pub arrows: Vec<PlacedArrow<'a>>,
    pub notes: Vec<PlacedNote<'a>>,
}

/// A chart with all its places.
pub struct Layout<'a> {
    pub width: f64,
    pub height: f64,
    /// The middle of each lane.
    pub lanes: Vec<f64>,
    /// Width of each lane's head.
    pub heads: Vec<f64>,
    pub title: Vec<String>,
    /// Where the heads start, and where the lanes end.
    pub top: f64,
    pub bottom: f64,
    pub rows: Vec<PlacedRow<'a>>,
    pub ending: Vec<String>,
    pub legend: Vec<(String, Vec<String>)>,
    /// Where the key, the ending and the legend start.
    pub foot: f64,
}

/// The text of an arrow.
fn label(arrow: &Arrow) -> String {
    let message = pieces(&arrow.label);
    match arrow.number {
        Some(n) => format!("{n}.\u{a0}{message}"),
        None => message,
    }
}

fn size(text: &str) -> f64 {
    text.chars().count() as f64
}

fn longest(lines: &[String]) -> f64 {
    lines.iter().map(|l| size(l)).fold(0.0, f64::max)
}

/// Places a chart.
pub fn layout(chart: &Chart) -> Layout<'_> {
    let heads: Vec<f64> = chart
        .lanes
        .iter()
        .map(|l| (size(&l.name) * 9.8).max(size(&l.detail) * 6.8).max(40.0) + 20.0)
        .collect();
    let mut gaps = gaps(chart, &heads);
    let first = heads.first().copied().unwrap_or(0.0) / 2.0;
    let left_note = side_room(chart, 0);
    let start = MARGIN + first.max(left_note);
    let mut lanes = vec![start];
    for gap in &mut gaps {
        let last = lanes.last().copied().unwrap_or(start);
        lanes.push(last + *gap);
    }
    lanes.truncate(chart.lanes.len());
    let last = chart.lanes.len().saturating_sub(1);
    let right = heads.last().copied().unwrap_or(0.0) / 2.0;
    let right = right.max(side_room(chart, last));
    let width = lanes.last().copied().unwrap_or(0.0) + right + MARGIN;
    let width = width.max(360.0);
    let columns = fitting(width - 2.0 * MARGIN, 8.2);
    let title = wrap(&format!("{}: {}", chart.title, chart.verdict), columns);
    let top = MARGIN + title.len() as f64 * 20.0 + 6.0;
    let mut y = top + HEAD + 14.0;
    let mut rows = Vec::new();
    for row in &chart.rows {
        let begin = y;
        let mut notes = Vec::new();
        if row.marked.is_some() {
            y += NOTE_LINE;
        }
        let phase = row.phase.as_deref().map(|words| {
            y += NOTE_LINE;
            (words, y)
        });
        y = place_notes(&row.before, &lanes, width, y, &mut notes);
        let mut arrows = Vec::new();
        let mut above: f64 = 0.0;
        for arrow in &row.arrows {
            let x1 = lanes[arrow.from];
            let own = arrow.to == Some(arrow.from);
            let x2 = arrow.to.map_or_else(
                || {
                    if arrow.from == last && last > 0 {
                        x1 - 90.0
                    } else {
                        x1 + 90.0
                    }
                },
                |to| lanes[to] + if own { LOOP } else { 0.0 },
            );
            let mask = arrow
                .mask
                .as_ref()
                .map_or(0.0, |(_, m)| size(m) * 3.7 + 5.0);
            let room = if own {
                LOOP_LABEL
            } else {
                (x2 - x1).abs() - 26.0 - mask
            };
            let room = room.max(60.0);
            let lines = wrap(&label(arrow), fitting(room, CELL).max(8));
            let lift = if own { 10.0 } else { 0.0 };
            above = above.max(lines.len() as f64 * LINE + lift);
            arrows.push(PlacedArrow {
                arrow,
                x1,
                x2,
                y: 0.0,
                lines,
            });
        }
        if !arrows.is_empty() {
            y += above + 8.0;
            for arrow in &mut arrows {
                arrow.y = y;
            }
            y += 10.0;
        }
        y = place_notes(&row.after, &lanes, width, y, &mut notes);
        y += 10.0;
        rows.push(PlacedRow {
            step: row.step,
            top: begin,
            bottom: y - 4.0,
            marked: row.marked.as_deref(),
            phase,
            arrows,
            notes,
        });
    }
    let bottom = y + 6.0;
    let foot = bottom + 20.0;
    let columns = fitting(width - 2.0 * MARGIN, NOTE_CELL);
    let ending: Vec<String> = chart.ending.iter().flat_map(|s| wrap(s, columns)).collect();
    let legend: Vec<(String, Vec<String>)> = chart
        .legend
        .iter()
        .map(|(short, full)| {
            let room = fitting(width - 2.0 * MARGIN, CELL);
            (short.clone(), wrap(full, room.saturating_sub(6).max(12)))
        })
        .collect();
    let legend_lines: usize = legend.iter().map(|(_, l)| l.len()).sum();
    let height = foot
        + key_height(chart, width)
        + ending.len() as f64 * LINE
        + legend_lines as f64 * LINE
        + if legend_lines > 0 { 10.0 } else { 0.0 }
        + MARGIN;
    Layout {
        width,
        height,
        lanes,
        heads,
        title,
        top,
        bottom,
        rows,
        ending,
        legend,
        foot,
    }
}

/// Width of an entry of the key.
pub const KEY: f64 = 190.0;

/// How many entries of the key fit into a line.
pub fn key_columns(width: f64) -> usize {
    fitting(width - 2.0 * MARGIN, KEY).max(1)
}

/// How many things of this size fit into some room.
fn fitting(room: f64, each: f64) -> usize {
    // Rooms are a few thousand pixels at most.
    #[allow(clippy::cast_sign_loss)]
    let count = (room / each).max(0.0) as usize;
    count
}

/// Height of the key: as many entries in a line as fit.
pub fn key_height(chart: &Chart, width: f64) -> f64 {
    let forms = chart.forms().len();
    if forms < 2 {
        return 0.0;
    }
    let columns = key_columns(width);
    forms.div_ceil(columns) as f64 * LINE + 8.0
}

/// The distances between neighbouring lanes.
fn gaps(chart: &Chart, heads: &[f64]) -> Vec<f64> {
    let mut gaps: Vec<f64> = heads
        .windows(2)
        .map(|w| (f64::midpoint(w[0], w[1]) + 14.0).max(LEAST))
        .collect();
    for arrow in chart.rows.iter().flat_map(|r| &r.arrows) {
        let Some(to) = arrow.to else { continue };
        let (a, b) = (arrow.from.min(to), arrow.from.max(to));
        if a == b {
            // A loop needs room on the right of its lane.
            if let Some(gap) = gaps.get_mut(a) {
                *gap = gap.max(LOOP_LABEL + LOOP);
            }
            continue;
        }
        let mask = arrow
            .mask
            .as_ref()
            .map_or(0.0, |(_, m)| size(m) * 7.4 + 10.0);
        let need = longest(&wrap(&label(arrow), LONGEST)) * CELL + 34.0 + mask / 2.0;
        let have: f64 = gaps[a..b].iter().sum();
        if need > have {
            let more = (need - have) / (b - a) as f64;
            for gap in &mut gaps[a..b] {
                *gap += more;
            }
        }
    }
    gaps
}

/// How far a message to oneself goes out.
pub const LOOP: f64 = 34.0;
/// Room for its label.
const LOOP_LABEL: f64 = 170.0;

/// Room beside an outer lane for the notes that are centred on it.
fn side_room(chart: &Chart, lane: usize) -> f64 {
    let to_itself = |a: &Arrow| a.from == lane && a.to == Some(lane);
    let last = lane + 1 == chart.lanes.len();
    let loops = chart.rows.iter().flat_map(|r| &r.arrows).any(to_itself) && last;
    let least = if loops { LOOP_LABEL + 10.0 } else { 0.0 };
    let notes = chart
        .rows
        .iter()
        .flat_map(|r| r.before.iter().chain(&r.after));
    notes
        .filter(|n| n.lane == lane)
        .map(|n| longest(&wrap(&text(n), NOTE_WIDTH)) * NOTE_CELL / 2.0 + 8.0)
        .fold(least, f64::max)
}

/// Longest line of a note.
const NOTE_WIDTH: usize = 30;

/// A note with its sign: what it is does not depend on colour.
pub fn text(note: &Note) -> String {
    let sign = match note.kind {
        NoteKind::Made => "new ",
        NoteKind::Passed => "\u{2713} ",
        NoteKind::Failed => "\u{2717} ",
        NoteKind::Leaked => "! ",
        NoteKind::Learned | NoteKind::Event | NoteKind::Remark => "",
    };
    format!("{sign}{}", note.text)
}

/// Places notes centred on their lanes, those of one lane below each other; returns where they end.
fn place_notes<'a>(
    notes: &'a [Note],
    lanes: &[f64],
    width: f64,
    top: f64,
    out: &mut Vec<PlacedNote<'a>>,
) -> f64 {
    let mut end = top;
    let first = out.len();
    for note in notes {
        let lines = wrap(&text(note), NOTE_WIDTH);
        let w = longest(&lines) * NOTE_CELL + 16.0;
        let x = (lanes[note.lane] - w / 2.0).clamp(4.0, (width - w - 4.0).max(4.0));
        // What would overlap stands below.
        let y = out[first..]
            .iter()
            .filter(|p| p.x < x + w + 6.0 && x < p.x + p.width + 6.0)
            .map(|p| p.y + p.lines.len() as f64 * NOTE_LINE + 10.0)
            .fold(top, f64::max);
        end = end.max(y + lines.len() as f64 * NOTE_LINE + 10.0);
        out.push(PlacedNote {
            note,
            x,
            y,
            width: w,
            lines,
        });
    }
    end
}
