//! A folder of submissions in one command.

use super::{folder, text};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// Names that a table may stumble over.
const ODD: [&str; 6] = [
    "a,b.spi",
    "say \"b\".spi",
    "two\nlines.spi",
    "=1+1.spi",
    "@sum.spi",
    "\tcell.spi",
];

/// Twenty submissions: right, wrong, unreadable, a link to nothing.
fn class() -> TempDir {
    let place = TempDir::new().expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        fs::write(place.path().join(name), bytes).expect("written");
    };
    let (right, wrong) = (text("solutions/ns-repair.spi"), text("ns-repair.spi"));
    for (i, odd) in ODD.into_iter().enumerate() {
        write(&format!("right{i}.spi"), right.as_bytes());
        write(odd, wrong.as_bytes());
    }
    for i in 0..5 {
        let cut = format!("{right}\ndef P{i}(");
        write(&format!("broken{i}.spi"), cut.as_bytes());
    }
    write("binary.spi", &[0xff, 0, 0xfe]);
    write("empty.spi", b"");
    write(".hidden.spi", right.as_bytes());
    #[cfg(unix)]
    std::os::unix::fs::symlink("nowhere", place.path().join("link.spi")).expect("a link");
    #[cfg(not(unix))]
    write("link.spi", b"");
    place
}

fn spi(place: &Path, at: &str, format: &str) -> (Option<i32>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_spi"))
        .env("SPI_PANIC_AT", at)
        .current_dir(place)
        .args(["grade", "--format", format])
        .arg(folder().join("ns-repair.exercise"))
        .arg(".")
        .output()
        .expect("it runs");
    let shown = String::from_utf8(output.stdout).expect("text");
    (output.status.code(), shown)
}

/// The records of a table, read as RFC 4180 says.
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut all, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => cell.extend(chars.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => record.push(std::mem::take(&mut cell)),
            '\r' if !quoted => {
                assert_eq!(chars.next(), Some('\n'));
                record.push(std::mem::take(&mut cell));
                all.push(std::mem::take(&mut record));
            }
            c => cell.push(c),
        }
    }
    assert!(record.is_empty() && cell.is_empty() && !quoted, "{text}");
    all
}

#[test]
fn a_class_is_graded_in_one_command() {
    let place = class();
    let (code, out) = spi(place.path(), "", "json");
    assert_eq!(code, Some(2), "{out}");
    let document: Value = serde_json::from_str(&out).expect("a document");
    let all = document["submissions"].as_array().expect("submissions");
    assert_eq!(all.len(), 20);
    let names: Vec<&str> = all
        .iter()
        .filter_map(|s| s["submission"].as_str())
        .collect();
    assert!(names.is_sorted(), "{names:?}");
    for s in all {
        let name = s["submission"].as_str().expect("a name");
        let (verdict, points) = match name {
            n if n.starts_with("right") => ("passed", 1),
            n if ODD.contains(&n) => ("not passed", 0),
            _ => ("unreadable", 0),
        };
        assert_eq!(s["verdict"], verdict, "{s:#}");
        assert_eq!((&s["points"], &s["out_of"]), (&points.into(), &1.into()));
    }
    let counts = &document["summary"];
    assert_eq!(
        (&counts["passed"], &counts["unreadable"]),
        (&6.into(), &8.into())
    );

    let (code, out) = spi(place.path(), "", "csv");
    assert_eq!(code, Some(2));
    let table = records(&out);
    assert_eq!(table.len(), 21, "{out}");
    assert_eq!(table[0][..4], ["submission", "verdict", "points", "out_of"]);
    for (row, s) in table[1..].iter().zip(all) {
        assert_eq!(row.len(), table[0].len(), "{row:?}");
        let name = s["submission"].as_str().expect("a name");
        let shown = match name {
            "=1+1.spi" | "@sum.spi" => format!("'{name}"),
            "\tcell.spi" => "'␉cell.spi".to_owned(),
            _ => name.to_owned(),
        };
        assert_eq!(row[0], shown);
        assert_eq!(row[1], s["verdict"].as_str().expect("a word"));
        assert!(row.iter().all(|c| !c.starts_with(['=', '+', '-', '@'])));
    }
    let (_, out) = spi(place.path(), "", "human");
    assert!(
        out.contains("20 submissions: 6 passed, 6 not passed, 8 unreadable"),
        "{out}"
    );
}

#[test]
#[cfg_attr(
    not(debug_assertions),
    ignore = "only builds with debug assertions can be made to panic"
)]
fn a_submission_that_is_given_up_leaves_the_others() {
    let place = class();
    let (_, before) = spi(place.path(), "", "csv");
    let (code, after) = spi(place.path(), "./right2.spi", "csv");
    assert_eq!(code, Some(2));
    let (before, after) = (records(&before), records(&after));
    assert_eq!(before.len(), after.len());
    for (old, new) in before.iter().zip(&after) {
        if new[0] == "right2.spi" {
            // Nobody knows what it is worth.
            assert_eq!((&*new[1], &*new[2]), ("internal error", ""));
        } else {
            assert_eq!(old, new);
        }
    }
}

/// The page loads nothing and runs nothing, and what students wrote is text in it.
#[test]
fn the_page_of_a_class_tells_who_failed_where() {
    let place = class();
    let hostile = "<script>alert(1)<&script>.spi";
    fs::write(place.path().join(hostile), text("ns-repair.spi")).expect("written");
    let (code, page) = spi(place.path(), "", "html");
    assert_eq!(code, Some(2));
    assert!(page.starts_with("<!doctype html>") && page.trim_end().ends_with("</html>"));
    for gone in ["<script", "src=", "href=", "http:", "https:"] {
        assert!(!page.contains(gone), "{gone}: {page}");
    }
    assert!(page.contains("default-src 'none'"), "{page}");
    assert_eq!(page.matches("<th scope=\"row\">").count(), 21, "{page}");
    for shown in [
        "<b class=\"good\">6</b> passed",
        "<b class=\"bad\">7</b> not passed",
        "<b class=\"bad\">8</b> unreadable",
        "&lt;script&gt;alert(1)&lt;&amp;script&gt;.spi",
        "Where they failed first",
        "<td class=\"number\">7</td><td>secrecy Nb in NS</td>",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
}
