//! Nothing of a model, a comment or a file name gets out of the place where it is shown.

use assert_cmd::Command;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const COMMENT: &str = "</script><b onclick=\"x()\">'bold'</b>]]>--><!-- &amp; <svg/onload=x()>";
const NAME: &str = "a\"b'<i>&;$(x).spi";

/// A model with everything hostile that the language lets through: comments, and names with quotes.
fn model() -> String {
    format!(
        "// {COMMENT}\n/* {COMMENT} */\nagent A', B'\nspy C'\nchannel net'\nkeypair K'(Agent)\n\
         def P'(a: Agent, b: Agent) = new N''a. event E'(a, N''a). net'<{{N''a, a}}K'(b)+>. net'(x). net'<x>\n\
         system S' = P'(A', B') | P'(A', C')\npartial system T' = P'(A', B')\n\
         secrecy N''a in S'\nagreement E'(a, n) => F'(n, a) in S'\nS' ~ T'\n"
    )
    .replace("E'(a, n) => F'(n, a)", "E'(a, n) => E'(_, _)")
}

fn run(folder: &Path, args: &[&str]) -> String {
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .current_dir(folder)
        .args(args)
        .output()
        .expect("spi runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn folder() -> TempDir {
    let dir = TempDir::new().expect("a folder");
    fs::write(dir.path().join(NAME), model()).expect("the model is written");
    dir
}

fn written(folder: &Path, extension: &str) -> Vec<String> {
    let mut found: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|e| e.expect("an entry").path())
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .collect();
    found.sort();
    found
        .iter()
        .map(|p| fs::read_to_string(p).expect("it is text"))
        .collect()
}

/// The tags of a document, and a check that every `<` starts one of ours and that they are balanced.
fn tags(text: &str, void: &[&str]) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        if rest.starts_with(['!', '?']) {
            rest = &rest[rest.find('>').expect("it ends")..];
            continue;
        }
        let end = rest.find('>').expect("a tag ends");
        let tag = &rest[..end];
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect();
        assert!(!name.is_empty(), "{tag}");
        if tag.starts_with('/') {
            assert_eq!(open.pop().as_deref(), Some(&*name), "{tag}");
        } else if !tag.ends_with('/') && !void.contains(&&*name) {
            open.push(name.clone());
        }
        all.push(name.clone());
        // What stands in a script or style sheet is no markup.
        if !tag.starts_with('/') && matches!(&*name, "script" | "style") {
            let close = format!("</{name}>");
            rest = &rest[rest.find(&close).expect("it is closed")..];
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
    all
}

#[test]
fn pages_hold_what_they_show() {
    let dir = folder();
    run(dir.path(), &["check", NAME, "--chart", "out'\"<b>.html"]);
    let pages = written(dir.path(), "html");
    assert!(pages.len() >= 2, "{}", pages.len());
    for page in pages {
        let tags = tags(&page, &["meta", "input"]);
        let count = |name: &str| tags.iter().filter(|t| *t == name).count();
        assert_eq!(
            (count("script"), count("b"), count("i"), count("img")),
            (2, 0, 0, 0)
        );
        assert!(page.contains("&lt;/script&gt;&lt;b onclick=&quot;x()&quot;&gt;"));
        assert!(page.contains("a&quot;b&#39;&lt;i&gt;&amp;;$(x).spi"));
        assert!(
            !page.contains("http://") || page.matches("http://").count() == 1,
            "the name space of SVG"
        );
        assert!(!page.contains("https://") && !page.contains(" src=") && !page.contains("url("));
    }
}

#[test]
fn charts_are_well_formed() {
    let dir = folder();
    run(dir.path(), &["check", NAME, "--chart", "out.svg"]);
    run(dir.path(), &["run", NAME, "--chart", "run.svg"]);
    let charts = written(dir.path(), "svg");
    assert!(charts.len() >= 3, "{}", charts.len());
    for chart in charts {
        let tags = tags(&chart, &[]);
        let ours = [
            "svg", "title", "desc", "style", "rect", "text", "g", "line", "circle", "polygon",
            "polyline",
        ];
        assert!(tags.iter().all(|t| ours.contains(&&**t)), "{tags:?}");
        for entity in chart.split('&').skip(1) {
            let known = ["amp;", "lt;", "gt;", "quot;", "#39;"];
            assert!(known.iter().any(|e| entity.starts_with(e)), "&{entity:.10}");
        }
    }
}

#[test]
fn json_and_attack_files_survive() {
    let dir = folder();
    let text = run(
        dir.path(),
        &[
            "check",
            NAME,
            "--format",
            "json",
            "--emit-attack",
            "a'\"b.spi",
        ],
    );
    let json: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(json["files"][0]["file"], NAME);
    let attack = fs::read_to_string(dir.path().join("a'\"b.spi")).expect("it was written");
    assert!(attack.contains("system Attack"), "{attack}");
    let told = run(dir.path(), &["replay", NAME, "a'\"b.spi", "-q"]);
    assert!(told.contains("in S': broken"), "{told}");
    let told = run(
        dir.path(),
        &["replay", NAME, "a'\"b.spi", "--format", "json"],
    );
    let json: serde_json::Value = serde_json::from_str(&told).expect("it is JSON");
    assert_eq!(json["file"], NAME);
}

/// In DOT a quoted string ends at the next quote that has no backslash before it.
#[test]
fn graphs_stay_quoted() {
    let dir = folder();
    let dot = run(
        dir.path(),
        &["lts", NAME, "--system", "T'", "--format", "dot"],
    );
    assert!(dot.starts_with("digraph"), "{dot}");
    for line in dot.lines().filter(|l| !l.contains("<TABLE")) {
        let quotes = line
            .replace("\\\\", "")
            .replace("\\\"", "")
            .matches('"')
            .count();
        assert_eq!(quotes % 2, 0, "{line}");
    }
    assert!(!dot.contains("</script>"));
}

#[test]
fn a_chart_needs_a_known_extension() {
    let dir = folder();
    let output = Command::cargo_bin("spi")
        .expect("the binary is built")
        .current_dir(dir.path())
        .args(["check", NAME, "--chart", "out.png"])
        .output()
        .expect("spi runs");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains(".svg"));
}
