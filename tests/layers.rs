//! The direction of the module dependencies: a module uses only those before it.
//!
//! The order is that of the essay in `src/lib.rs`; modules on one line may not use each other.

use std::fs;
use std::path::{Path, PathBuf};

/// The layers, lowest first. A room in a group is named by both: `engine/search`.
const LAYERS: &[&[&str]] = &[
    &["base/cluster"],
    &["base/limits"],
    &["base/source"],
    &["lang/syntax"],
    &["term"],
    &["process"],
    &["lang/sema"],
    &["certify"],
    &["execute"],
    &["attacker/knowledge"],
    &["attacker/solver"],
    &["engine/search", "engine/joint", "engine/honest"],
    &["engine/cones", "engine/prove", "engine/lts"],
    &["engine/equiv"],
    &["analysis"],
    &["present/report"],
    &["present/draw"],
    &["course/variants"],
    &["course/grade", "course/repair", "front/lsp"],
    &["course/vary"],
    &["front/cli"],
];

/// What a module may use besides itself, where "everything below" would be too much.
const ONLY: &[(&str, &[&str])] = &[
    ("base/cluster", &[]),
    ("base/source", &[]),
    ("lang/syntax", &["base/source"]),
    ("term", &["base/cluster"]),
    ("process", &["term", "base/source"]),
    // The trusted core: nothing that proposes witnesses, and nothing of the language.
    ("certify", &["term", "process", "base/source"]),
    ("execute", &["term", "process", "certify"]),
    ("attacker/knowledge", &["term"]),
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

/// The layer that a path of modules is in.
fn layer(path: &[String]) -> Option<String> {
    let names = [
        path.first().cloned().unwrap_or_default(),
        path.iter().take(2).cloned().collect::<Vec<_>>().join("/"),
    ];
    names.into_iter().find(|name| level(name).is_some())
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

/// The paths that a file names from the root of the crate, comments aside, as lists of modules. The file is the module `at`:
/// `super` counts from there.
fn uses(text: &str, at: &[String]) -> Vec<Vec<String>> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let mut found = Vec::new();
    for (begin, _) in code.match_indices("crate::") {
        found.push(path(&code[begin + "crate::".len()..]));
    }
    // A chain of `super` that leaves the room. In a module of tests one of them leaves that module only.
    for (begin, _) in code.match_indices("super::") {
        let before = code[..begin].ends_with("::");
        let mut rest = &code[begin..];
        let mut out = 0;
        while let Some(inner) = rest.strip_prefix("super::") {
            rest = inner;
            out += 1;
        }
        if !before && out < at.len() {
            let mut whole = at[..at.len() - out].to_vec();
            let group = layer(&whole).is_none();
            whole.extend(path(rest));
            // What `super` means in a module of tests is one level deeper, and then in the room.
            if group && (layer(&whole).is_some() || rest.starts_with('{')) {
                found.push(whole);
            }
        }
    }
    found
}

/// The modules at the beginning of a path, up to what is in braces. At the root of the crate or of a group that is too little,
/// and the test says so.
fn path(text: &str) -> Vec<String> {
    let end = text
        .find(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':'))
        .unwrap_or(text.len());
    text[..end]
        .split("::")
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

/// The path of the module that a file is.
fn module(inner: &Path) -> Vec<String> {
    inner
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .filter(|part| part != "mod")
        .collect()
}

#[test]
fn modules_use_only_those_below_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    files.sort();
    let mut wrong = Vec::new();
    for file in &files {
        let inner = file.strip_prefix(&root).expect("below the root");
        let at = module(inner);
        let group = at.len() == 1 && inner.ends_with("mod.rs") && level(&at[0]).is_none();
        if group || at == ["lib"] || at == ["main"] {
            continue;
        }
        let from = layer(&at).unwrap_or_else(|| {
            panic!(
                "`{}` is in no layer: add it to the list and to src/lib.rs",
                inner.display()
            )
        });
        let text = fs::read_to_string(file).expect("a readable file");
        for used in uses(&text, &at) {
            // Items at the root of the crate would have no layer.
            match layer(&used) {
                Some(to) if allowed(&from, &to) => {}
                _ => wrong.push(format!("{} uses `{}`", inner.display(), used.join("::"))),
            }
        }
    }
    wrong.dedup();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_essay_of_the_library_names_all_layers() {
    let text = include_str!("../src/lib.rs");
    let essay: String = text.lines().filter(|l| l.starts_with("//!")).collect();
    for layer in LAYERS.concat() {
        for word in layer.split('/') {
            assert!(
                essay.contains(&format!("`{word}`")),
                "the essay does not name `{word}`"
            );
        }
    }
}
