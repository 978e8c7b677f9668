//! Rendered lines that are too long, cut at blanks.
//!
//! The renderer sets each remark on one line and draws a long arrow to it. Here the arrow is shortened and the remark goes
//! on below itself, beside the arrows of the other remarks. Quoted source stays as it is: cutting it would misquote it.
//! Colours may be anywhere in a line and count for nothing.

/// Room for a remark that starts far to the right: it is cut no narrower than this.
const ROOM: usize = 16;

/// An arrow that leaves less room than this, and less than its remark needs, has the remark on its other side.
const NARROW: usize = 32;

/// A visible character with the escape sequences before it.
#[derive(Clone, Debug)]
struct Cell {
    escapes: String,
    c: char,
}

/// Cuts one line into lines of at most `width` characters, as far as it has blanks where it may be cut.
pub(super) fn narrow(line: &str, width: usize) -> Vec<String> {
    let (mut cells, tail) = cells(line.trim_end());
    if cells.len() <= width {
        return vec![line.trim_end().to_owned()];
    }
    if let Some(flipped) = flipped(&cells, width) {
        return vec![flipped];
    }
    let Some((text, hang)) = remark(&mut cells, width) else {
        return vec![line.trim_end().to_owned()];
    };
    let room = width.saturating_sub(text).max(ROOM);
    let mut lines = Vec::new();
    let mut start = text;
    for end in cuts(&cells[text..], room) {
        let end = text + end;
        let head = if start == text { &cells[..text] } else { &hang };
        lines.push(written(head) + written(&cells[start..end]).trim_end());
        // The blank at the cut is dropped.
        start = end + 1;
    }
    if let Some(last) = lines.last_mut() {
        last.push_str(&tail);
    }
    lines
}

/// Cuts a title, which has no colour, into lines of at most `width` characters.
pub(super) fn title(text: &str, width: usize) -> Vec<String> {
    const INDENT: usize = 2;
    let (cells, _) = cells(text);
    let mut start = 0;
    let mut lines = Vec::new();
    for end in cuts(&cells, width.saturating_sub(INDENT).max(ROOM)) {
        let indent = if start == 0 { 0 } else { INDENT };
        lines.push(format!("{:indent$}{}", "", written(&cells[start..end])));
        start = end + 1;
    }
    lines
}

/// The remark of an arrow that leaves it little room, set on the other side of the arrow if nothing else is there:
/// `a remark ─╯`.
fn flipped(cells: &[Cell], width: usize) -> Option<String> {
    let margin = cells.iter().position(|c| c.c != ' ')?;
    let arrow = cells.iter().rposition(|c| c.c == '╰')?;
    let end = arrow + cells[arrow..].iter().position(|c| c.c == ' ')?;
    let plain = cells[arrow + 1..end].iter().all(|c| c.c == '─');
    let blank = cells.get(margin + 1..arrow)?.iter().all(|c| c.c == ' ');
    let text: String = cells[end + 1..].iter().map(|c| c.c).collect();
    let size = text.chars().count();
    let narrow = width.saturating_sub(arrow + 4) < size.min(NARROW);
    // A blank after the margin, and `` ─`` before the corner.
    let start = arrow.checked_sub(2 + size).filter(|s| *s > margin + 1)?;
    if cells[margin].c != '│' || !plain || !blank || !narrow || arrow >= width {
        return None;
    }
    let escapes = &cells[arrow].escapes;
    let color = escapes.rfind('\u{1b}').map_or("", |i| &escapes[i..]);
    let reset = if color.is_empty() { "" } else { "\u{1b}[0m" };
    Some(format!(
        "{}{text} {color}─╯{reset}",
        written(&cells[..start])
    ))
}

/// Where the remark of a line starts, and what stands before its further lines; `None` if the line has no remark. The arrow
/// to a remark is shortened as far as needed.
fn remark(cells: &mut Vec<Cell>, width: usize) -> Option<(usize, Vec<Cell>)> {
    let margin = cells
        .iter()
        .position(|c| c.c != ' ' && !c.c.is_ascii_digit())?;
    if cells[margin].c == '[' {
        return Some((find(cells, 0, ": ")?, blanks(4)));
    }
    let inside = if cells[margin].c == '│' {
        margin + 1
    } else {
        0
    };
    let first = inside + cells[inside..].iter().position(|c| c.c != ' ')?;
    if starts(cells, first, "Help") || starts(cells, first, "Note") {
        let text = find(cells, first, ": ")?;
        let mut hang = cells[..inside].to_vec();
        hang.extend(blanks(text - inside));
        return Some((text, hang));
    }
    let arrow = cells.iter().rposition(|c| c.c == '╰')?;
    let end = arrow + cells[arrow..].iter().position(|c| c.c == ' ')?;
    let run = cells[..end].iter().rev().take_while(|c| c.c == '─').count();
    let spare = (cells.len() - width).min(run.saturating_sub(2));
    // Taken from the middle of the run, so that a change of colour at either end stays.
    cells.drain(end - 1 - spare..end - 1);
    let text = end - spare + 1;
    let mut hang = cells[..arrow].to_vec();
    if let Some(first) = cells.get(arrow).filter(|c| c.escapes.contains('m')) {
        // Whatever colour an arrow before this one had ends where this one begins.
        let reset = first.escapes.contains("[0m");
        hang.push(Cell {
            escapes: if reset {
                "\u{1b}[0m".to_owned()
            } else {
                String::new()
            },
            c: ' ',
        });
    }
    hang.extend(blanks(text - hang.len()));
    Some((text, hang))
}

/// The ends of the lines of a remark: blanks, and its own end. What stands between back-ticks is kept together if it fits.
fn cuts(cells: &[Cell], room: usize) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut start = 0;
    while cells.len() - start > room {
        let mut quoted = false;
        let (mut outside, mut inside) = (None, None);
        for (i, cell) in cells.iter().enumerate().skip(start) {
            if i - start > room && (outside.is_some() || inside.is_some()) {
                break;
            }
            match cell.c {
                '`' => quoted = !quoted,
                ' ' if quoted => inside = Some(i),
                ' ' => outside = Some(i),
                _ => {}
            }
        }
        let Some(end) = outside.or(inside) else { break };
        ends.push(end);
        start = end + 1;
    }
    ends.push(cells.len());
    ends
}

fn cells(line: &str) -> (Vec<Cell>, String) {
    let mut cells = Vec::new();
    let mut escapes = String::new();
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            escapes.push(c);
            for c in chars.by_ref() {
                escapes.push(c);
                if c.is_ascii_alphabetic() {
                    break;
                }
            }
        } else {
            let escapes = std::mem::take(&mut escapes);
            cells.push(Cell { escapes, c });
        }
    }
    (cells, escapes)
}

fn written(cells: &[Cell]) -> String {
    cells.iter().fold(String::new(), |mut text, cell| {
        text.push_str(&cell.escapes);
        text.push(cell.c);
        text
    })
}

fn blanks(n: usize) -> Vec<Cell> {
    let blank = Cell {
        escapes: String::new(),
        c: ' ',
    };
    vec![blank; n]
}

fn starts(cells: &[Cell], at: usize, word: &str) -> bool {
    word.chars()
        .enumerate()
        .all(|(i, c)| cells.get(at + i).is_some_and(|cell| cell.c == c))
}

/// The place after the first occurrence of a text.
fn find(cells: &[Cell], from: usize, what: &str) -> Option<usize> {
    let found = (from..cells.len()).find(|i| starts(cells, *i, what))?;
    Some(found + what.chars().count())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str, width: usize) -> Vec<String> {
        narrow(line, width)
    }

    #[test]
    fn help_goes_on_below_itself() {
        assert_eq!(
            cut("   │ Help: write `a b` or something else", 28),
            ["   │ Help: write `a b` or", "   │       something else"]
        );
        assert_eq!(
            cut("   Note: one two three four", 25),
            ["   Note: one two three", "         four"]
        );
    }

    #[test]
    fn arrows_are_shortened_before_remarks_are_cut() {
        assert_eq!(
            cut("   │    │  ╰────────── a remark here", 30),
            ["   │    │  ╰──── a remark here"]
        );
        assert_eq!(
            cut("   │  │  ╰────────── a longer remark stands here", 30),
            ["   │  │  ╰── a longer remark", "   │  │      stands here"]
        );
    }

    #[test]
    fn a_remark_without_room_stands_on_the_other_side() {
        assert_eq!(
            cut("   │                     ╰── a remark here", 30),
            ["   │      a remark here ─╯"]
        );
        assert_eq!(
            cut("   │ │                   ╰── a remark here", 30),
            ["   │ │                   ╰── a remark here"]
        );
    }

    #[test]
    fn source_and_what_cannot_be_cut_stay() {
        let source = " 12 │ net<{Na, a}K(b)+>. net(x). case x of {=Na, nb: Nonce}K(a)- in";
        assert_eq!(cut(source, 30), [source]);
        let name = "[E0601] Error: cannot read";
        let path = format!("`/{}`", "x".repeat(60));
        assert_eq!(
            cut(&format!("{name} {path}"), 40),
            [name.to_owned(), format!("    {path}")]
        );
    }

    #[test]
    fn colours_do_not_count() {
        let line = "\u{1b}[31m[E0101]\u{1b}[0m Error: one two three four five";
        assert_eq!(
            cut(line, 31),
            [
                "\u{1b}[31m[E0101]\u{1b}[0m Error: one two three",
                "    four five"
            ]
        );
    }
}
