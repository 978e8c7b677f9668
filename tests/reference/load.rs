//! From text to unfolded systems.

use spi::base::source::SourceFile;
use spi::lang::sema::check_text;
use spi::process::{Bounds, Closed, Program, Shapes, System, TupleMode, unfold};
use spi::term::TermStore;

/// Checks a text that must be right.
pub fn program(store: &TermStore, text: &str) -> Program {
    program_with(store, text, TupleMode::Nested)
}

/// Checks a text that must be right; tuples as asked for.
pub fn program_with(store: &TermStore, text: &str, tuples: TupleMode) -> Program {
    let checked = check_text(&SourceFile::anonymous("test.spi", text), store, tuples);
    assert!(checked.is_sound(), "{text}\n{:#?}", checked.diagnostics);
    checked.program
}

/// Whether a text is right.
pub fn is_sound(text: &str) -> bool {
    let file = SourceFile::anonymous("test.spi", text);
    check_text(&file, &TermStore::new(), TupleMode::Nested).is_sound()
}

/// Unfolds a system without parameters.
pub fn system(store: &TermStore, program: &Program, label: &str) -> System {
    unfolded(store, program, label, Bounds::default())
}

/// The same with all its tests, those included that guard nothing.
pub fn untrimmed(store: &TermStore, program: &Program, label: &str) -> System {
    let bounds = Bounds {
        trim: false,
        ..Bounds::default()
    };
    unfolded(store, program, label, bounds)
}

fn unfolded(store: &TermStore, program: &Program, label: &str, bounds: Bounds) -> System {
    let system = program.system_named(label).expect("the system is declared");
    let closed = Closed::new(system, vec![]);
    unfold(program, store, &closed, bounds, &mut Shapes::new()).expect("the system is small")
}

/// Two processes over common declarations, as systems.
pub fn pair(store: &TermStore, declarations: &str, p: &str, q: &str) -> (System, System) {
    let text = format!("{declarations}\npartial system P = {p}\npartial system Q = {q}\n");
    let program = program(store, &text);
    (system(store, &program, "P"), system(store, &program, "Q"))
}

/// The rows of a table under `tests/data`.
pub fn rows(table: &str) -> Vec<Vec<String>> {
    let path = format!("{}/tests/data/{table}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).expect("the table is there");
    text.lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .map(|l| l.split('\t').map(str::to_owned).collect())
        .collect()
}
