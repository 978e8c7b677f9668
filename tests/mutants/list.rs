//! The lists of changes, and where a change goes in the source.

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// One change of the source.
#[derive(Debug)]
pub struct Entry {
    /// The list that it is in.
    pub list: String,
    /// The source file.
    pub file: String,
    /// A text of it, with the part that is replaced between `⟦` and `⟧`. Any white space stands for any other.
    pub text: String,
    /// What stands there instead: an expression, as the part that it replaces is one.
    pub with: String,
    /// The file of the test that notices, `lib` for unit tests, and its name.
    pub test: (String, String),
    /// What goes wrong otherwise.
    pub why: String,
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All changes, list by list in alphabetic order.
pub fn entries() -> Vec<Entry> {
    let folder = root().join("tests/mutants");
    let files = fs::read_dir(folder).expect("the folder is there");
    let mut paths: Vec<PathBuf> = files.map(|f| f.expect("readable").path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "txt"));
    paths.sort();
    paths.iter().flat_map(|p| read(p)).collect()
}

fn read(path: &Path) -> Vec<Entry> {
    let text = fs::read_to_string(path).expect("a list is text");
    let stem = path.file_stem().expect("a file").to_string_lossy();
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    let tidy = lines.collect::<Vec<_>>().join("\n");
    let blocks = tidy.split("\n\n").filter(|b| !b.trim().is_empty());
    blocks.map(|b| Entry::read(&stem, b)).collect()
}

impl Entry {
    fn read(list: &str, block: &str) -> Entry {
        let field = |key: &str| {
            let line = block
                .trim()
                .lines()
                .find_map(|l| l.strip_prefix(key)?.strip_prefix(' '));
            let line = line.unwrap_or_else(|| panic!("{list}: no `{key}` in\n{block}"));
            line.trim().to_owned()
        };
        assert_eq!(
            block.trim().lines().count(),
            5,
            "{list}: five lines each\n{block}"
        );
        let test = field("test");
        let (target, name) = test.split_once(' ').expect("a target and a test");
        Entry {
            list: list.to_owned(),
            file: field("file"),
            text: field("text"),
            with: field("with"),
            test: (target.to_owned(), name.trim().to_owned()),
            why: field("why"),
        }
    }

    /// How the change is called.
    pub fn title(&self) -> String {
        let part = self
            .text
            .split('⟦')
            .nth(1)
            .and_then(|t| t.split('⟧').next());
        format!(
            "{}: {} -> {}",
            self.file,
            part.unwrap_or(&self.text),
            self.with
        )
    }

    /// Whether the pattern chooses it.
    pub fn fits(&self, pattern: &str) -> bool {
        let all = format!(
            "{} {} {} {:?} {}",
            self.list,
            self.title(),
            self.text,
            self.test,
            self.why
        );
        all.contains(pattern)
    }

    /// What is wrong with it, if something is.
    pub fn misfit(&self) -> Option<String> {
        let complain = |what: &str| Some(format!("{}: {what}", self.title()));
        let Ok(source) = fs::read_to_string(root().join(&self.file)) else {
            return complain("no such file");
        };
        match self.places(&source).len() {
            0 => return complain("the text is not in the source"),
            1 => {}
            _ => return complain("the text is in the source more than once"),
        }
        let (target, name) = &self.test;
        let function = format!("fn {}(", name.rsplit("::").next().unwrap_or(name));
        let homes = if target == "lib" {
            sources(&root().join("src"))
        } else {
            vec![root().join(format!("tests/{target}.rs"))]
        };
        let is_there = |p: &PathBuf| fs::read_to_string(p).is_ok_and(|t| t.contains(&function));
        if !homes.iter().any(is_there) {
            return complain("there is no such test");
        }
        None
    }

    /// The bytes of the source that the change replaces, for each place where the text is found.
    pub fn places(&self, source: &str) -> Vec<Range<usize>> {
        let mut wanted = String::new();
        let mut marks = Vec::new();
        for c in self.text.chars() {
            match c {
                '⟦' | '⟧' => marks.push(wanted.len()),
                c => wanted.push(c),
            }
        }
        let &[start, end] = marks.as_slice() else {
            return Vec::new();
        };
        let (wanted, at) = squeezed(&wanted);
        let place = |m: usize| at.partition_point(|p| *p < m);
        let (start, end) = (place(start), place(end));
        let (source, at) = squeezed(source);
        let found = source.match_indices(&wanted);
        found
            .map(|(i, _)| at[i + start]..at[i + end - 1] + 1)
            .collect()
    }
}

/// The text without white space, and where each of its bytes was.
fn squeezed(text: &str) -> (String, Vec<usize>) {
    let mut bytes = String::new();
    let mut at = Vec::new();
    for (i, c) in text.char_indices().filter(|(_, c)| !c.is_whitespace()) {
        bytes.push(c);
        at.extend(i..i + c.len_utf8());
    }
    (bytes, at)
}

/// All Rust files of a folder.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}
