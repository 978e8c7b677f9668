//! The front end on a generated model, inside this process: processor time of each step.

use super::super::present::{median, seconds};
use super::super::{Row, Table};
use spi::base::source::SourceFile;
use spi::lang::sema::check_text;
use spi::lang::syntax::{format::format, lexer::lex, parse};
use spi::process::TupleMode;
use spi::term::TermStore;
use std::hint::black_box;
use std::time::Instant;

#[path = "../../models/generated.rs"]
mod generated;

/// Throughput of the steps.
pub const FRONTEND: Table = Table {
    key: "frontend",
    title: "Front end, a generated model, median of 5 on the clock (one thread)",
    head: &["step", "1 MB", "4 MB", "throughput"],
    rows: frontend,
};

fn frontend() -> Vec<Row> {
    let row = |name: &str, step: fn(&SourceFile)| {
        let title = name.to_owned();
        Row::new(name, move |sitting| {
            let [one, four] = [1, 4].map(|megabytes| {
                let (file, declarations) = generated::model(megabytes << 20);
                if let Some(fault) = generated::fault(&file, declarations) {
                    sitting.fail(&title, &fault);
                }
                let run = |_| {
                    let started = Instant::now();
                    step(black_box(&file));
                    started.elapsed().as_secs_f64()
                };
                median((0..5).map(run).collect())
            });
            let throughput = format!("{:.0} MB/s", 4.0 / four.max(1e-6));
            vec![seconds(one), seconds(four), throughput]
        })
    };
    vec![
        row("tokens", |file| drop(black_box(lex(file)))),
        row("tokens, brackets, tree", |file| {
            drop(black_box(parse(file)));
        }),
        row("the same, then names, types, claims and lowering", |file| {
            let store = TermStore::new();
            drop(black_box(check_text(file, &store, TupleMode::default())));
        }),
        row("tree and canonical layout (`spi fmt`)", |file| {
            drop(black_box(format(file)));
        }),
    ]
}
