//! Test results as `JUnit` XML: a suite for each file, a case for each claim.
//!
//! A missed expectation is a `failure`, a file that can't be tested an `error`, a claim that expects nothing is
//! `skipped`. Characters that XML 1.0 does not allow are replaced, whatever a file's name or text holds.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::Totals;
use super::tested::{FileTested, Mark, Tested, cost};
use crate::base::source::visible::mark;
use crate::present::draw::escape_by;

/// Writes the document.
pub fn write(files: &[FileTested], totals: &Totals, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<testsuites name=\"spi\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.6}\">",
        totals.claims() + totals.unusable,
        totals.missed,
        totals.unusable,
        totals.open,
        totals.time.as_secs_f64()
    )?;
    for file in files {
        suite(file, out)?;
    }
    writeln!(out, "</testsuites>")
}

fn suite(file: &FileTested, out: &mut dyn Write) -> io::Result<()> {
    let count = |mark| file.claims.iter().filter(|t| t.mark == mark).count();
    let errors = usize::from(file.problem.is_some());
    let seconds: f64 = file.claims.iter().map(|t| t.entry.stats.seconds).sum();
    let name = escape(&file.name);
    writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{errors}\" skipped=\"{}\" time=\"{seconds:.6}\">",
        file.claims.len() + errors,
        count(Mark::Missed),
        count(Mark::Open),
    )?;
    for t in &file.claims {
        case(&name, t, out)?;
    }
    if let Some(problem) = &file.problem {
        let first = problem
            .diagnostics
            .first()
            .map_or("", |d| d.message.as_str());
        let all: Vec<String> = problem
            .diagnostics
            .iter()
            .map(|d| format!("{}: {}", d.code, d.message))
            .collect();
        writeln!(
            out,
            "    <testcase classname=\"{name}\" name=\"file\" time=\"0\">"
        )?;
        writeln!(
            out,
            "      <error message=\"{}\">{}</error>",
            escape(first),
            escape(&all.join("\n"))
        )?;
        writeln!(out, "    </testcase>")?;
    }
    writeln!(out, "  </testsuite>")
}

fn case(class: &str, t: &Tested, out: &mut dyn Write) -> io::Result<()> {
    let line = t.entry.place.as_ref().map_or(0, |p| p.line);
    write!(
        out,
        "    <testcase classname=\"{class}\" name=\"{}\" line=\"{line}\" time=\"{:.6}\"",
        escape(&t.entry.claim),
        t.entry.stats.seconds
    )?;
    match t.mark {
        Mark::Met => {
            writeln!(out, ">")?;
            let said = format!("{} ({})", t.found(), cost(&t.entry));
            writeln!(out, "      <system-out>{}</system-out>", escape(&said))?;
        }
        Mark::Open => {
            writeln!(out, ">")?;
            writeln!(out, "      <skipped message=\"no expectation\"/>")?;
        }
        Mark::Missed => {
            let difference = t.difference();
            let message = difference.join("; ");
            let report = String::from_utf8_lossy(&t.report);
            let text = format!("{}\n\n{report}", difference.join("\n"));
            writeln!(out, ">")?;
            writeln!(
                out,
                "      <failure message=\"{}\" type=\"{}\">{}</failure>",
                escape(&message),
                escape(t.entry.verdict),
                escape(&text)
            )?;
        }
    }
    writeln!(out, "    </testcase>")
}

/// Text as it may stand in an attribute or between tags. XML keeps a line break in an attribute only as a number, and has no control
/// characters but some, and no non-characters.
fn escape(text: &str) -> String {
    escape_by(text, |c, out| match mark(c) {
        None => out.push(c),
        Some(_) if matches!(c, '\t' | '\n' | '\r' | '\u{7f}'..='\u{fffd}' | '\u{10000}'..) => {
            let _ = write!(out, "&#{};", u32::from(c));
        }
        Some(mark) => out.push(mark),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_forbidden_characters_are_escaped() {
        assert_eq!(
            escape("a<b> & \"c\" 'd'\u{1b}[0m\0\n\u{9b}\u{fffe}"),
            "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;␛[0m␀&#10;&#155;\u{fffd}"
        );
    }
}
