//! Text for Markdown: what would be markup is escaped, lines are filled.

use std::path::{Component, Path, PathBuf};

const WIDTH: usize = 120;

/// Prose as it is, outside of back-ticks.
pub fn prose(text: &str) -> String {
    let mut shown = String::new();
    for (i, piece) in text.split('`').enumerate() {
        if i > 0 {
            shown.push('`');
        }
        if i % 2 == 1 {
            shown.push_str(piece);
            continue;
        }
        for c in piece.chars() {
            if matches!(c, '<' | '>' | '*' | '_' | '[' | ']' | '|' | '\\') {
                shown.push('\\');
            }
            shown.push(c);
        }
    }
    shown
}

/// With a capital letter first.
pub fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| {
        c.to_uppercase().collect::<String>() + chars.as_str()
    })
}

/// Code within a cell of a table.
pub fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}

/// A paragraph, filled; all lines but the first are set in.
pub fn fill(text: &str, indent: usize) -> String {
    let mut filled = String::new();
    let mut width = 0;
    for word in text.split(' ') {
        let more = word.chars().count();
        if width > 0 && width + 1 + more > WIDTH {
            filled.push('\n');
            filled.push_str(&" ".repeat(indent));
            width = indent;
        } else if width > 0 {
            filled.push(' ');
            width += 1;
        }
        filled.push_str(word);
        width += more;
    }
    filled
}

/// The targets of the links of a page.
pub fn links(text: &str) -> impl Iterator<Item = &str> {
    text.split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
}

/// Has a page this place? It has an anchor of this name, or a heading.
pub fn has_place(text: &str, place: &str) -> bool {
    let heading = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-'));
        kept.map(|c| if c == ' ' { '-' } else { c })
            .collect::<String>()
    };
    text.contains(&format!("<a id=\"{place}\"></a>"))
        || text
            .lines()
            .any(|l| l.starts_with('#') && heading(l) == place)
}

/// A path without steps back.
pub fn resolved(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            out.pop();
        } else {
            out.push(part);
        }
    }
    out
}
