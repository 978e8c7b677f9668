//! The one renderer: diagnostics to text, by ariadne.
//!
//! Spans are byte offsets, so ariadne is told to count bytes (it counts characters otherwise, and
//! marks drift after the first non-ASCII character). Lines are shown without their surroundings;
//! colour and width are the caller's decision.

use ariadne::{CharSet, Color, Config, IndexType, Label, Report, ReportKind};
use std::io::{self, Write};

use super::code::Severity;
use super::diagnostic::{Diagnostic, LabelKind};
use super::file::{FileId, SourceMap, Span};
use super::lines;
use super::narrow::{narrow, title};
use super::quote::Quotes;
use super::visible::visible;

/// Columns where nothing else is known.
pub const WIDTH: usize = 80;

/// How text for people looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Whether it is coloured.
    pub color: bool,
    /// Columns of a line.
    pub width: usize,
}

impl Default for Look {
    fn default() -> Look {
        Look {
            color: false,
            width: WIDTH,
        }
    }
}

/// At most this many diagnostics are shown; the rest is counted. A screenful of mistakes is enough
/// to work on, and a binary file has millions.
pub const SHOWN: usize = 50;

/// Lines longer than this are not quoted: ariadne would print the whole line.
const QUOTED_LINE: usize = 4096;

impl ariadne::Span for Span {
    type SourceId = FileId;

    fn source(&self) -> &FileId {
        &self.file
    }

    fn start(&self) -> usize {
        self.start as usize
    }

    fn end(&self) -> usize {
        self.end as usize
    }
}

/// Lines of a file with remarks, outside any diagnostic: where an attack happens, where a role waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// What it is about; may be empty.
    pub title: String,
    /// The places, the most important one first.
    pub labels: Vec<super::Label>,
    /// Reasons and facts.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Vec<String>,
}

/// Writes diagnostics in the given order, at most [`SHOWN`] of them, then a count of the rest. If not
/// all can be shown, errors come before warnings.
pub fn write(
    out: &mut dyn Write,
    map: &SourceMap,
    diagnostics: &[Diagnostic],
    look: Look,
) -> io::Result<()> {
    let mut quotes = Quotes::new(map);
    let errors = diagnostics.iter().filter(|d| d.is_error()).count();
    // How many of each kind are still to be shown.
    let mut left = [errors.min(SHOWN), SHOWN.saturating_sub(errors)];
    for diagnostic in diagnostics {
        let room = &mut left[usize::from(!diagnostic.is_error())];
        if *room > 0 {
            *room -= 1;
            write_one(out, &mut quotes, diagnostic, look)?;
        }
    }
    let rest = diagnostics.len().saturating_sub(SHOWN);
    if rest > 0 {
        writeln!(out, "... and {rest} more; mend these first")?;
    }
    Ok(())
}

/// The rendering as a string, without colour: for tests and snapshots.
pub fn to_string(map: &SourceMap, diagnostics: &[Diagnostic]) -> String {
    let mut out = Vec::new();
    write(&mut out, map, diagnostics, Look::default()).expect("writing to memory cannot fail");
    String::from_utf8_lossy(&out).into_owned()
}

/// Writes an excerpt, if its lines can be quoted.
pub fn write_excerpt(
    out: &mut dyn Write,
    map: &SourceMap,
    excerpt: &Excerpt,
    look: Look,
) -> io::Result<()> {
    let mut quotes = Quotes::new(map);
    let all = || excerpt.labels.iter();
    let Some(place) = all().next().map(|l| l.span) else {
        return Ok(());
    };
    if !all().all(|l| quotable(map, l.span)) {
        return write_places(
            out,
            map,
            &excerpt.labels,
            &excerpt.notes,
            &excerpt.help,
            look,
        );
    }
    let kind = ReportKind::Custom("", Color::Primary);
    let heading = visible(&excerpt.title);
    let mut report = Report::build(kind, quotes.place(place))
        .with_config(config(look.color))
        .with_message(&heading);
    // In the order of the text: any other order makes ariadne start over again and again.
    let mut labels: Vec<&super::Label> = all().collect();
    labels.sort_by_key(|l| l.span);
    for label in labels {
        let tint = if label.kind == LabelKind::Primary {
            Color::Red
        } else {
            Color::Blue
        };
        let shown = Label::new(quotes.place(label.span)).with_color(tint);
        report = report.with_label(shown.with_message(visible(&label.message)));
    }
    for note in &excerpt.notes {
        report.add_note(visible(note));
    }
    for help in &excerpt.help {
        report.add_help(visible(help));
    }
    let mut text = Vec::new();
    report.finish().write(&mut quotes, &mut text)?;
    // The first line is a heading: the title, without the colon of a kind that is not there.
    for (i, line) in String::from_utf8_lossy(&text).lines().enumerate() {
        let lines = match i {
            0 if excerpt.title.is_empty() => Vec::new(),
            0 => title(&heading, look.width),
            _ => narrow(line, look.width),
        };
        write_lines(out, &lines)?;
    }
    Ok(())
}

fn config(color: bool) -> Config {
    Config::default()
        .with_index_type(IndexType::Byte)
        .with_color(color)
        .with_char_set(CharSet::Unicode)
        .with_tab_width(4)
}

fn write_one(
    out: &mut dyn Write,
    quotes: &mut Quotes<'_>,
    diagnostic: &Diagnostic,
    look: Look,
) -> io::Result<()> {
    let quotable = diagnostic.primary().is_some()
        && diagnostic
            .labels
            .iter()
            .all(|l| quotable(quotes.map, l.span));
    let Some(place) = diagnostic.primary().filter(|_| quotable) else {
        return write_plain(out, quotes.map, diagnostic, look);
    };
    let (kind, main) = match diagnostic.severity() {
        Severity::Error => (ReportKind::Error, Color::Red),
        Severity::Warning => (ReportKind::Warning, Color::Yellow),
    };
    let mut report = Report::build(kind, quotes.place(place))
        .with_config(config(look.color))
        .with_code(diagnostic.code.as_str())
        .with_message(visible(&diagnostic.message));
    for (order, label) in (0..).zip(&diagnostic.labels) {
        let tint = if label.kind == LabelKind::Primary {
            main
        } else {
            Color::Blue
        };
        let mut shown = Label::new(quotes.place(label.span))
            .with_color(tint)
            .with_order(order);
        if !label.message.is_empty() {
            shown = shown.with_message(visible(&label.message));
        }
        report = report.with_label(shown);
    }
    for note in &diagnostic.notes {
        report.add_note(visible(note));
    }
    for help in &diagnostic.help {
        report.add_help(visible(help));
    }
    let mut text = Vec::new();
    report.finish().write(&mut *quotes, &mut text)?;
    // Ariadne pads some lines with blanks; trailing ones only upset readers of snapshots. It begins a new frame where a label stands above the
    // one before, and says of each that it is where the first is.
    let mut frames = frames(quotes.map, diagnostic).into_iter();
    for line in String::from_utf8_lossy(&text).lines() {
        let begins = line.trim_start().starts_with("├─[ ");
        let placed = match (
            begins.then(|| frames.next()).flatten(),
            line.split_once("─[ "),
        ) {
            (Some(place), Some((head, _))) => format!("{head}─[ {place} ]"),
            _ => line.to_owned(),
        };
        write_lines(out, &narrow(&placed, look.width))?;
    }
    Ok(())
}

/// The places of all frames but the first.
fn frames(map: &SourceMap, diagnostic: &Diagnostic) -> Vec<String> {
    let mut found = Vec::new();
    let mut last: Option<(FileId, usize)> = None;
    for label in &diagnostic.labels {
        let Some(file) = map.get(label.span.file) else {
            continue;
        };
        let end = label.span.end.saturating_sub(1).max(label.span.start);
        let end = file.line_column(end).0;
        if last.is_some_and(|(id, line)| id != label.span.file || line > end) {
            let (line, column) = file.line_column(label.span.start);
            found.push(format!("{}:{line}:{column}", visible(&file.name)));
        }
        last = Some((label.span.file, end));
    }
    found
}

fn write_lines(out: &mut dyn Write, lines: &[String]) -> io::Result<()> {
    for line in lines {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Whether the line under a span is short enough to be quoted.
fn quotable(map: &SourceMap, span: Span) -> bool {
    let Some(file) = map.get(span.file) else {
        return false;
    };
    let (start, end) = (span.start as usize, span.end as usize);
    if end > file.text.len() || start > end {
        return false;
    }
    let bytes = file.text.as_bytes();
    let back = bytes[..start]
        .iter()
        .rev()
        .take(QUOTED_LINE)
        .take_while(|&&b| !lines::ENDS.contains(&char::from(b)))
        .count();
    let on = bytes[end..]
        .iter()
        .take(QUOTED_LINE)
        .take_while(|&&b| !lines::ENDS.contains(&char::from(b)))
        .count();
    back + (end - start) + on < QUOTED_LINE
}

/// The form for diagnostics without a place, or whose place cannot be quoted.
fn write_plain(
    out: &mut dyn Write,
    map: &SourceMap,
    diagnostic: &Diagnostic,
    look: Look,
) -> io::Result<()> {
    let kind = match diagnostic.severity() {
        Severity::Error => "Error",
        Severity::Warning => "Warning",
    };
    let head = format!(
        "[{}] {kind}: {}",
        diagnostic.code.as_str(),
        visible(&diagnostic.message)
    );
    write_lines(out, &narrow(&head, look.width))?;
    write_places(
        out,
        map,
        &diagnostic.labels,
        &diagnostic.notes,
        &diagnostic.help,
        look,
    )
}

fn write_places(
    out: &mut dyn Write,
    map: &SourceMap,
    labels: &[super::Label],
    notes: &[String],
    help: &[String],
    look: Look,
) -> io::Result<()> {
    for label in labels {
        let Some(file) = map.get(label.span.file) else {
            continue;
        };
        let (line, column) = file.line_column(label.span.start);
        writeln!(
            out,
            "   at {}:{line}:{column}: {}",
            visible(&file.name),
            visible(&label.message)
        )?;
    }
    let remarks = help.iter().map(|h| ("Help", h));
    for (word, remark) in remarks.chain(notes.iter().map(|n| ("Note", n))) {
        let line = format!("   {word}: {}", visible(remark));
        write_lines(out, &narrow(&line, look.width))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::code::Code;
    use super::super::file::SourceFile;
    use super::*;

    #[test]
    fn marks_do_not_drift_after_a_character_of_several_bytes() {
        let file = SourceFile::anonymous("t.spi", "ννν x\n");
        let span = Span::new(file.id, 7..8);
        let d = Diagnostic::new(Code::UnknownName, "unknown name `x`").at(span, "not declared");
        let text = to_string(&SourceMap::from(file), &[d]);
        let lines: Vec<&str> = text.lines().collect();
        let quoted = lines
            .iter()
            .position(|l| l.contains("ννν x"))
            .expect("the line is quoted");
        let column = |l: &str, c: char| l.chars().position(|d| d == c);
        assert_eq!(
            column(lines[quoted], 'x'),
            column(lines[quoted + 1], '┬'),
            "{text}"
        );
    }

    #[test]
    fn what_is_hidden_has_a_mark_and_the_caret_stays_right() {
        let text = "\u{feff}\u{1b}[2J \u{202e}\u{9b}\u{e0041}\t x\r\u{c} y\n";
        let file = SourceFile::anonymous("a\u{1b}c\nd.spi", text);
        let map = SourceMap::from(file.clone());
        for (what, line) in [('x', 1), ('y', 2)] {
            let at = text.find(what).expect("it is there");
            let span = Span::new(file.id, at..at + 1);
            let d = Diagnostic::new(Code::UnknownName, "a\u{8}b\nc").at(span, "\u{7f}");
            let shown = to_string(&map, &[d]);
            assert!(
                shown.chars().all(|c| c == '\n' || !c.is_control()),
                "{shown:?}"
            );
            assert!(
                shown.contains("a␈b␊c") && shown.contains("╰── ␡"),
                "{shown}"
            );
            assert!(shown.contains(&format!("[ a␛c␊d.spi:{line}:")), "{shown}");
            let lines: Vec<&str> = shown.lines().collect();
            let quoted = lines.iter().position(|l| l.contains(what)).expect("quoted");
            let column = |l: &str, c: char| l.chars().position(|d| d == c);
            assert_eq!(column(lines[quoted], what), column(lines[quoted + 1], '┬'));
            assert_eq!(lines[quoted].contains("␛[2J ���  "), what == 'x', "{shown}");
        }
    }

    #[test]
    fn every_frame_says_where_it_is() {
        let file = SourceFile::anonymous("t.spi", "a\n b\n  c\n");
        let at = |start: usize| Span::new(file.id, start..start + 1);
        let d = Diagnostic::new(Code::UnknownName, "x")
            .at(at(7), "third")
            .and(at(3), "second")
            .and(at(0), "first");
        let text = to_string(&SourceMap::from(file), &[d]);
        for place in ["╭─[ t.spi:3:3 ]", "├─[ t.spi:2:2 ]", "├─[ t.spi:1:1 ]"] {
            assert!(text.contains(place), "{text}");
        }
    }

    #[test]
    fn an_error_is_not_crowded_out_by_warnings() {
        let file = SourceFile::anonymous("t.spi", "x");
        let span = Span::new(file.id, 0..1);
        let mut all = vec![Diagnostic::new(Code::Shadowing, "doubt").at(span, ""); 2 * SHOWN];
        all.push(Diagnostic::new(Code::UnknownName, "mistake").at(span, ""));
        let text = to_string(&SourceMap::from(file), &all);
        assert_eq!(text.matches("mistake").count(), 1);
        assert_eq!(text.matches("doubt").count(), SHOWN - 1);
        assert!(text.ends_with("... and 51 more; mend these first\n"));
    }

    #[test]
    fn a_very_long_line_is_not_quoted() {
        let file = SourceFile::anonymous("t.spi", &"(".repeat(100_000));
        let d = Diagnostic::new(Code::TooDeep, "too deep").at(Span::new(file.id, 500..501), "here");
        let text = to_string(&SourceMap::from(file), &[d]);
        assert_eq!(text, "[E0104] Error: too deep\n   at t.spi:1:501: here\n");
    }
}
