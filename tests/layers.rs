//! The direction of the module dependencies: a module uses only those before it.
//!
//! The order is that of the essay in `src/lib.rs`; modules on one line may not use each other.

use std::fs;
use std::path::{Path, PathBuf};

/// The layers, lowest first.
const LAYERS: &[&[&str]] = &[
    &["cluster"],
    &["limits"],
    &["source"],
    &["syntax"],
    &["term"],
    &["process"],
    &["sema"],
    &["certify"],
    &["knowledge"],
    &["symbolic"],
    &["search", "equiv", "honest"],
    &["prove", "lts"],
    &["analysis"],
    &["report"],
    &["draw"],
    &["variants"],
    &["grade", "lsp"],
    &["cli"],
];

/// What a module may use besides itself, where "everything below" would be too much.
const ONLY: &[(&str, &[&str])] = &[
    ("cluster", &[]),
    ("source", &[]),
    ("syntax", &["source"]),
    ("term", &["cluster"]),
    ("process", &["term", "source"]),
    // The trusted core: nothing that proposes witnesses, and nothing of the language.
    ("certify", &["term", "process", "source"]),
    ("knowledge", &["term"]),
];

fn level(module: &str) -> Option<usize> {
    LAYERS.iter().position(|layer| layer.contains(&module))
}

fn allowed(from: &str, to: &str) -> bool {
    if from == to {
        return true;
    }
    if let Some((_, only)) = ONLY.iter().find(|(module, _)| *module == from) {
        return only.contains(&to);
    }
    match (level(from), level(to)) {
        (Some(from), Some(to)) => to < from,
        _ => false,
    }
}

fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

/// The modules that a file names after `crate::`, comments aside. `use crate::{a, b}` counts too.
fn uses(text: &str) -> Vec<String> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut item = String::new();
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    ',' if depth == 0 => found.push(std::mem::take(&mut item)),
                    _ if depth == 0 => item.push(c),
                    _ => {}
                }
            }
            found.push(item);
        } else {
            found.push(rest.to_owned());
        }
    }
    let word = |text: String| -> String {
        text.trim_start()
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect()
    };
    found
        .into_iter()
        .map(word)
        .filter(|w| !w.is_empty())
        .collect()
}

#[test]
fn modules_use_only_those_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    let mut wrong = Vec::new();
    for path in &files {
        let inner = path.strip_prefix(&root).expect("below the root");
        let from = inner
            .components()
            .next()
            .expect("a component")
            .as_os_str()
            .to_string_lossy();
        let from = from.trim_end_matches(".rs");
        if from == "lib" || from == "main" {
            continue;
        }
        assert!(
            level(from).is_some(),
            "`{from}` is in no layer: add it to the list and to src/lib.rs"
        );
        let text = fs::read_to_string(path).expect("a readable file");
        for to in uses(&text) {
            // Items at the root of the crate would have no layer.
            if level(&to).is_none() || !allowed(from, &to) {
                wrong.push(format!("{} uses `{to}`", inner.display()));
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_essay_and_the_declarations_of_the_library_name_the_same_modules() {
    let text = include_str!("../src/lib.rs");
    let essay: String = text.lines().filter(|l| l.starts_with("//!")).collect();
    for module in text.lines().filter_map(|l| l.strip_prefix("pub mod ")) {
        let module = module.trim_end_matches(';');
        assert!(level(module).is_some(), "`{module}` is in no layer");
        assert!(
            essay.contains(&format!("`{module}`")),
            "the essay does not name `{module}`"
        );
    }
}
