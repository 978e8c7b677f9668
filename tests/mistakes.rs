//! One mistake per file: the source and the rendered message side by side.
//!
//! Every file of `tests/mistakes` is checked as `spi check` would check it, and the result is
//! compared with the snapshot of the same name. A file's name starts with the phase that finds the
//! mistake: `lex`, `syn`, `sem`.

use spi::base::source::{SourceMap, lines, load, render};
use spi::lang::sema::check_text;
use spi::process::TupleMode;
use spi::term::TermStore;
use std::fmt::Write;
use std::path::Path;

#[test]
fn every_mistake_gets_its_message() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mistakes");
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(&folder);
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder is there")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|e| e == "spi"))
        .collect();
    files.sort();
    settings.bind(|| {
        for path in files {
            let name = path
                .file_stem()
                .expect("a file has a name")
                .to_string_lossy();
            insta::assert_snapshot!(&*name, shown(&path));
        }
    });
}

fn shown(path: &Path) -> String {
    let mut map = SourceMap::new();
    let bytes = std::fs::read(path).expect("the file is there");
    let name = path
        .file_name()
        .expect("a file has a name")
        .to_string_lossy();
    let file = match load::decode(&mut map, &name, bytes) {
        Ok(file) => file,
        Err(diagnostic) => return render::to_string(&map, &[diagnostic]),
    };
    let diagnostics = check_text(&file, &TermStore::new(), TupleMode::default()).diagnostics;
    assert!(!diagnostics.is_empty(), "{name} is meant to be wrong");
    let mut out = String::new();
    for (number, line) in (1..).zip(lines::whole(&file.text)) {
        let line = line.strip_suffix('\n').unwrap_or(line);
        let _ = writeln!(
            out,
            "{number:>3} {}",
            line.escape_debug().to_string().replace("\\'", "'")
        );
    }
    let _ = write!(out, "\n{}", render::to_string(&map, &diagnostics));
    out
}
