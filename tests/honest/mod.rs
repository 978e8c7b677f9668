//! Honest runs: each shown run is one by a checker of its own, and whoever is said to be stuck is stuck by brute force.

mod blame;
mod brute;
mod checker;
mod models;

use crate::reference;
use spi::analysis::{Gate, Settings, honest_run};
use spi::base::limits::Silent;
use spi::process::{Closed, Program, SystemId, TupleMode};
use spi::term::TermStore;

/// Random systems: of roles, of ciphertexts that open late, of threads.
fn texts(seed: u64) -> Vec<String> {
    use reference::{locks, mixture, protocol};
    vec![
        protocol::file(seed),
        locks::file(seed),
        mixture::file(seed, mixture::Form::Threads),
        mixture::file(seed, mixture::Form::Roles),
    ]
}

/// The program of a random text; some texts have mistakes.
fn sound(store: &TermStore, text: &str, tuples: TupleMode) -> Option<Program> {
    let file = spi::base::source::SourceFile::anonymous("test.spi", text);
    let checked = spi::lang::sema::check_text(&file, store, tuples);
    checked.is_sound().then_some(checked.program)
}

/// The gates of all systems of a text that can be run; `typed` as `--typed`.
fn gates(store: &TermStore, program: &Program, typed: bool) -> Vec<(String, Gate)> {
    let settings = Settings {
        typed,
        ..Settings::default()
    };
    (0u32..)
        .zip(&program.systems)
        .filter(|(_, s)| s.body.params.is_empty())
        .map(|(i, s)| {
            let closed = Closed::new(SystemId(i), Vec::new());
            let gate = honest_run(store, program, &closed, &settings, &Silent);
            (s.label.to_string(), gate.expect("the system unfolds"))
        })
        .collect()
}

/// The gate of the only system of a text.
fn gate(store: &TermStore, text: &str) -> Gate {
    let program = reference::load::program(store, text);
    gates(store, &program, false).remove(0).1
}
