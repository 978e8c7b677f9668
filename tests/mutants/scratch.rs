//! A copy of the tree in which every change can be switched on.

use super::list::{Entry, root};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A test that takes longer does not end for all we know.
const PATIENCE: Duration = Duration::from_secs(300);

/// Added to the library of the copy: which change is on.
const SWITCH: &str = r#"
#[doc(hidden)]
#[allow(missing_docs)]
pub mod broken {
    static WHICH: std::sync::OnceLock<Option<usize>> = std::sync::OnceLock::new();
    pub fn is(n: usize) -> bool {
        *WHICH.get_or_init(|| std::env::var("SPI_BROKEN").ok()?.parse().ok()) == Some(n)
    }
}
"#;

/// What became of a change.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The test fails.
    Noticed,
    /// The test passes.
    Unnoticed,
    /// The test does not end.
    Endless,
}

impl Fate {
    pub fn word(self) -> &'static str {
        match self {
            Fate::Noticed => "noticed",
            Fate::Unnoticed => "NOT NOTICED",
            Fate::Endless => "ENDLESS",
        }
    }
}

/// The copy, built.
pub struct Scratch {
    tree: PathBuf,
    /// The executables of the targets.
    tests: BTreeMap<String, PathBuf>,
}

/// The executable that has the tests of a file: the integration tests are one binary, each file a module of it.
fn target(file: &str) -> &'static str {
    if file == "lib" { "lib" } else { "all" }
}

impl Scratch {
    /// Copies the tree with all changes in it, each behind its switch, and builds the targets of those that were chosen.
    pub fn build(entries: &[Entry], chosen: &[usize]) -> Scratch {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
        let tree = folder.join("tree");
        let changed = changed_sources(entries);
        copy(root(), &tree, &changed);
        let mut cargo = Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned()));
        cargo
            .current_dir(&tree)
            .env("CARGO_TARGET_DIR", folder.join("target"));
        cargo.args([
            "test",
            "--no-run",
            "--message-format=json-render-diagnostics",
            "--config",
            "term.quiet=true",
        ]);
        let targets: BTreeSet<&str> = chosen.iter().map(|i| target(&entries[*i].test.0)).collect();
        for target in targets {
            match target {
                "lib" => cargo.arg("--lib"),
                test => cargo.args(["--test", test]),
            };
        }
        let built = cargo.stderr(Stdio::inherit()).output().expect("cargo runs");
        assert!(built.status.success(), "the broken copy does not build");
        let mut tests = BTreeMap::new();
        for line in String::from_utf8_lossy(&built.stdout).lines() {
            let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else {
                continue;
            };
            if let (Some(path), Some(true)) = (
                message["executable"].as_str(),
                message["profile"]["test"].as_bool(),
            ) {
                let library = message["target"]["kind"][0] == "lib";
                let name = if library {
                    "lib"
                } else {
                    message["target"]["name"].as_str().unwrap_or("")
                };
                tests.insert(name.to_owned(), PathBuf::from(path));
            }
        }
        Scratch { tree, tests }
    }

    /// The tests that fail although nothing is broken.
    pub fn failing_unbroken(&self, entries: &[Entry], chosen: &[usize]) -> Vec<String> {
        let tests: BTreeSet<&(String, String)> = chosen.iter().map(|i| &entries[*i].test).collect();
        let fails = |t: &&&(String, String)| self.run(t, None) != Fate::Unnoticed;
        tests
            .iter()
            .filter(fails)
            .map(|(a, b)| format!("{a} {b}"))
            .collect()
    }

    /// Runs the test of a change with its switch on.
    pub fn run_broken(&self, number: usize, entry: &Entry) -> Fate {
        self.run(&entry.test, Some(number))
    }

    fn run(&self, (file, name): &(String, String), broken: Option<usize>) -> Fate {
        let target = target(file);
        let name = match target {
            "lib" => name.clone(),
            _ => format!(
                "{}::{name}",
                file.trim_end_matches("/mod").replace('/', "::")
            ),
        };
        let mut test = Command::new(&self.tests[target]);
        test.current_dir(&self.tree)
            .args(["--exact", &name])
            .env("INSTA_UPDATE", "no")
            // The program that a test starts is that of the copy, beside the test.
            .env_remove("CARGO_BIN_EXE_spi");
        if let Some(number) = broken {
            test.env("SPI_BROKEN", number.to_string());
        }
        let output = tempfile::tempfile().expect("a temporary file");
        let copy = output.try_clone().expect("a second handle");
        let mut child = test
            .stdout(output)
            .stderr(Stdio::null())
            .spawn()
            .expect("a test starts");
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().expect("a test can be waited for") {
                break status;
            }
            if start.elapsed() > PATIENCE {
                child.kill().expect("a test can be ended");
                child.wait().expect("a test that was ended");
                return Fate::Endless;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        if !status.success() {
            return Fate::Noticed;
        }
        let said = std::io::read_to_string(rewound(copy)).expect("what a test says is text");
        assert!(said.contains("1 passed"), "{target} has no test `{name}`");
        Fate::Unnoticed
    }
}

fn rewound(mut file: fs::File) -> fs::File {
    use std::io::Seek;
    file.rewind().expect("a file can be read again");
    file
}

/// The sources with the switches in them.
fn changed_sources(entries: &[Entry]) -> BTreeMap<PathBuf, String> {
    let mut changes: BTreeMap<PathBuf, Vec<(Range<usize>, usize)>> = BTreeMap::new();
    for (i, e) in entries.iter().enumerate() {
        let path = root().join(&e.file);
        let source = fs::read_to_string(&path).expect("a source is text");
        let places = e.places(&source);
        let [place] = places.as_slice() else {
            panic!("{}: not exactly once in the source", e.title());
        };
        changes.entry(path).or_default().push((place.clone(), i));
    }
    changes.entry(root().join("src/lib.rs")).or_default();
    let mut changed = BTreeMap::new();
    for (path, mut places) in changes {
        let mut text = fs::read_to_string(&path).expect("a source is text");
        // Outer parts first, at each start, so that inner ones stand inside.
        places.sort_by_key(|(p, i)| (p.start, std::cmp::Reverse(p.end), *i));
        text = switched(&text, 0..text.len(), &places, entries);
        if path.ends_with("src/lib.rs") {
            text.insert_str(0, "#![allow(unused)]\n");
            text.push_str(SWITCH);
        }
        changed.insert(path, text);
    }
    changed
}

/// A part of the source with the changes inside it.
fn switched(
    source: &str,
    part: Range<usize>,
    places: &[(Range<usize>, usize)],
    entries: &[Entry],
) -> String {
    let mut text = String::new();
    let (mut at, mut next) = (part.start, 0);
    while let Some((place, number)) = places.get(next) {
        let inside = places[next + 1..]
            .iter()
            .take_while(|(p, _)| p.start < place.end)
            .count();
        let inner = &places[next + 1..next + 1 + inside];
        assert!(
            inner.iter().all(|(p, _)| p.end <= place.end),
            "{}: overlaps another",
            entries[*number].title()
        );
        text.push_str(&source[at..place.start]);
        let as_it_is = switched(source, place.clone(), inner, entries);
        let with = &entries[*number].with;
        let switch = format!("crate::broken::is({number})");
        text.extend(["(if ", &switch, " { ", with, " } else { ", &as_it_is, " })"]);
        at = place.end;
        next += 1 + inside;
    }
    text.push_str(&source[at..part.end]);
    text
}

/// Makes the copy like the tree, but for the changed files; what is the same already is left alone.
fn copy(from: &Path, to: &Path, changed: &BTreeMap<PathBuf, String>) {
    fs::create_dir_all(to).expect("a folder for the copy");
    let mut names = BTreeSet::new();
    for entry in fs::read_dir(from).expect("a folder").flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        if name == "target" || name == ".git" {
            continue;
        }
        let there = to.join(&name);
        names.insert(name);
        if path.is_dir() {
            copy(&path, &there, changed);
            continue;
        }
        let bytes = match changed.get(&path) {
            Some(text) => text.clone().into_bytes(),
            None => fs::read(&path).expect("a file of the tree"),
        };
        if fs::read(&there).ok().as_ref() != Some(&bytes) {
            fs::write(&there, bytes).expect("a file of the copy");
        }
    }
    for old in fs::read_dir(to).expect("the copy").flatten() {
        if !names.contains(&old.file_name()) {
            let path = old.path();
            let gone = if path.is_dir() {
                fs::remove_dir_all(&path)
            } else {
                fs::remove_file(&path)
            };
            gone.expect("what is no longer in the tree goes");
        }
    }
}
