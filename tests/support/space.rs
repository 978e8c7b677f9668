//! Shared by the tests of state spaces: texts to spaces, and spaces to JSON.
#![allow(dead_code, clippy::needless_pass_by_value)]

use serde_json::Value;
use spi::analysis::{Operand, StateSpace, state_space};
use spi::base::limits::{Observer, Silent};
use spi::base::source::SourceFile;
use spi::engine::lts::Options;
use spi::lang::sema::check_text;
use spi::present::report::space::{Subject, write_json};
use spi::process::{Bounds, Closed, TupleMode};
use spi::term::TermStore;

/// Explores a system of a text.
pub fn explore(store: &TermStore, text: &str, system: &str, options: Options) -> StateSpace {
    explore_under(store, text, system, options, &Silent)
}

/// Explores a system of a text while somebody looks on.
pub fn explore_under(
    store: &TermStore,
    text: &str,
    system: &str,
    options: Options,
    observer: &dyn Observer,
) -> StateSpace {
    let file = SourceFile::anonymous("test.spi", text);
    let checked = check_text(&file, store, TupleMode::Nested);
    assert!(checked.is_sound(), "{:?}", checked.diagnostics);
    let id = checked
        .program
        .system_named(system)
        .expect("the text has the system");
    let closed = Closed::new(id, Vec::new());
    let subject = Operand {
        program: &checked.program,
        closed: &closed,
    };
    let bounds = Bounds {
        copies: 2,
        ..Bounds::default()
    };
    state_space(store, subject, bounds, options, observer).expect("the system unfolds")
}

/// The graph of a system of a text, as JSON.
pub fn json(text: &str, system: &str, options: Options) -> String {
    let store = TermStore::new();
    let options = Options {
        graph: true,
        ..options
    };
    let found = explore(&store, text, system, options);
    let mut out = Vec::new();
    let subject = Subject {
        store: &store,
        file: "test.spi",
        system,
        found: &found,
    };
    write_json(&mut out, subject).expect("memory can be written to");
    String::from_utf8(out).expect("JSON is text")
}

/// The graph of a system of a text, read back.
pub fn graph(text: &str, system: &str, options: Options) -> Value {
    serde_json::from_str(&json(text, system, options)).expect("JSON is JSON")
}
