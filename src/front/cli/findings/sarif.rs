//! Findings as SARIF 2.1.0, the format of the OASIS committee that code hosts and editors show.

use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::{Finding, Level, help};
use crate::present::report::json;

/// Writes the log.
pub(super) fn write(out: &mut dyn Write, findings: &[Finding]) -> io::Result<()> {
    let mut about: BTreeMap<&str, &str> = BTreeMap::new();
    for finding in findings {
        about.entry(&finding.rule).or_insert(finding.about);
    }
    let rules: Vec<&str> = about.keys().copied().collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "spi",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": about.iter().map(|(id, about)| rule(id, about)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": findings.iter().map(|f| result(f, &rules)).collect::<Vec<_>>(),
        }],
    });
    json::write(out, &log)
}

fn rule(id: &str, about: &str) -> Value {
    let mut rule = json!({
        "id": id,
        "shortDescription": { "text": about },
    });
    if let Some(help) = help(id) {
        rule["help"] = json!({ "text": help });
    }
    rule
}

fn result(finding: &Finding, rules: &[&str]) -> Value {
    let mut result = json!({
        "ruleId": finding.rule,
        "ruleIndex": rules.iter().position(|r| *r == finding.rule),
        "level": match finding.level {
            Level::Error => "error",
            Level::Warning => "warning",
        },
        "message": {
            "text": message(finding),
        },
    });
    if let Some(place) = &finding.place {
        result["locations"] = json!([{
            "physicalLocation": {
                "artifactLocation": { "uri": uri(&place.file) },
                "region": { "startLine": place.line, "startColumn": place.column },
            },
        }]);
    }
    result
}

/// The whole text, which may start with its title.
fn message(finding: &Finding) -> String {
    if finding.text.starts_with(&finding.title) {
        return finding.text.clone();
    }
    format!("{}\n\n{}", finding.title, finding.text)
}

/// A path as a URI: relative paths stay so, as hosts resolve them from the top of the repository.
fn uri(path: &str) -> String {
    let path = path.replace('\\', "/");
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    } else if path.get(1..2) == Some(":") {
        uri.push_str("file:///");
    }
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            b':' if uri.starts_with("file:") => uri.push(':'),
            _ => {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("protocols/ns.spi"), "protocols/ns.spi");
        assert_eq!(uri("a b/ν#1.spi"), "a%20b/%CE%BD%231.spi");
        assert_eq!(uri("a:b.spi"), "file:///a:b.spi");
        assert_eq!(uri("/a/b.spi"), "file:///a/b.spi");
        assert_eq!(uri("C:\\a\\b.spi"), "file:///C:/a/b.spi");
    }
}
