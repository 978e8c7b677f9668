//! Annotations: lines that a GitHub workflow obeys, `::error file=ns.spi,line=3::text`.
//!
//! Whatever a file holds must stay inside its own annotation: ends of lines and the signs that part the fields are escaped.

use std::io::{self, Write};

use super::{Finding, Level};
use crate::base::source::visible::visible_lines;

/// Writes an annotation for each finding.
pub(super) fn write(out: &mut dyn Write, findings: &[Finding]) -> io::Result<()> {
    for finding in findings {
        let command = match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
        };
        let mut fields = Vec::new();
        if let Some(place) = &finding.place {
            fields.push(format!("file={}", field(&place.file)));
            fields.push(format!("line={}", place.line));
            fields.push(format!("col={}", place.column));
        }
        fields.push(format!("title={}", field(&finding.title)));
        let text = data(&finding.text);
        writeln!(out, "::{command} {}::{text}", fields.join(","))?;
    }
    Ok(())
}

/// Text after the fields.
fn data(text: &str) -> String {
    visible_lines(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a field.
fn field(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::super::Finding;
    use super::*;
    use crate::present::report::json::Place;

    #[test]
    fn a_hostile_file_can_not_speak_for_itself() {
        let finding = Finding {
            level: Level::Error,
            rule: "attack".to_owned(),
            about: "",
            title: "a, b: c\n::stop-commands::x".to_owned(),
            text: "100%\n::set-env name=X::y\r\n\u{1b}[31m".to_owned(),
            place: Some(Place {
                file: "a,line=9::b\n::error::.spi".to_owned(),
                line: 3,
                column: 1,
            }),
        };
        let mut out = Vec::new();
        write(&mut out, &[finding]).expect("memory");
        let text = String::from_utf8(out).expect("text");
        assert_eq!(text.lines().count(), 1, "{text}");
        assert!(
            text.starts_with("::error file=a%2Cline=9%3A%3Ab%0A"),
            "{text}"
        );
        assert!(text.contains("::100%25%0A::set-env"), "{text}");
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
