//! Reports as people see them, on the models of `tests/models` and `protocols`.

use spi::analysis::{Kept, Settings, Subject, check_claim};
use spi::base::limits::Silent;
use spi::base::source::SourceMap;
use spi::lang::sema::check_text;
use spi::present::report::{Context, Style, write};
use spi::process::TupleMode;
use spi::term::TermStore;

/// The reports about all claims of a file, one after the other.
fn report(name: &str, text: &str, settings: &Settings) -> String {
    let store = TermStore::new();
    let mut map = SourceMap::new();
    let file = map.add(name, text);
    let nested = check_text(&file, &store, TupleMode::Nested);
    let flat = check_text(&file, &store, TupleMode::Flat);
    assert!(nested.is_sound(), "{:?}", nested.diagnostics);
    let subject = Subject {
        store: &store,
        nested: &nested.program,
        flat: &flat.program,
        kept: &Kept::new(),
    };
    let style = Style {
        look: spi::base::source::render::Look::default(),
        timed: false,
        brief: false,
        told: false,
    };
    let mut out = Vec::new();
    for (n, f) in nested.program.claims.iter().zip(&flat.program.claims) {
        let result = check_claim(&subject, n, f, settings, &Silent).expect("it unfolds");
        let program = if settings.typed {
            &flat.program
        } else {
            &nested.program
        };
        let ctx = Context {
            store: &store,
            program,
            map: &map,
        };
        write(&mut out, ctx, &result, style).expect("memory");
        out.push(b'\n');
    }
    String::from_utf8(out).expect("text")
}

#[test]
fn lowe_s_attack() {
    insta::assert_snapshot!(report(
        "ns.spi",
        include_str!("../protocols/ns.spi"),
        &Settings::default()
    ));
}

#[test]
fn otway_rees_simplified() {
    insta::assert_snapshot!(report(
        "otway-rees.spi",
        include_str!("../protocols/papers/spycatcher-otway-rees.spi"),
        &Settings::default()
    ));
}
