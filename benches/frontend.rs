//! Throughput of the front end on generated models of 1 MB and 4 MB: the time per byte must not grow.
//!
//! Each run first makes sure that the text is read without a mistake and with the right number of
//! declarations.

// Nobody uses a bench from outside.
#![allow(unreachable_pub)]

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use spi::base::source::SourceFile;
use spi::lang::sema::check_text;
use spi::lang::syntax::{format::format, lexer::lex, parse};
use spi::process::TupleMode;
use spi::term::TermStore;
use std::fmt::Write;
use std::hint::black_box;

#[path = "models/generated.rs"]
mod generated;

use generated::{fault, model};

fn frontend(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("frontend");
    group.sample_size(10);
    for megabytes in [1, 4] {
        let (file, declarations) = model(megabytes << 20);
        assert_eq!(fault(&file, declarations), None);

        group.throughput(Throughput::Bytes(file.text.len() as u64));
        let id = |what| BenchmarkId::new(what, format!("{megabytes} MB"));
        group.bench_function(id("lex"), |b| {
            b.iter_with_large_drop(|| lex(black_box(&file)));
        });
        group.bench_function(id("parse"), |b| {
            b.iter_with_large_drop(|| parse(black_box(&file)));
        });
        group.bench_function(id("check"), |b| {
            b.iter_batched(
                TermStore::new,
                |store| {
                    let checked = check_text(black_box(&file), &store, TupleMode::default());
                    (checked, store)
                },
                BatchSize::PerIteration,
            );
        });
        group.bench_function(id("format"), |b| {
            b.iter_with_large_drop(|| format(black_box(&file)));
        });
    }
    let file = functions();
    group.bench_function("check ten functions", |b| {
        b.iter_batched(
            TermStore::new,
            |store| {
                let checked = check_text(black_box(&file), &store, TupleMode::default());
                assert!(checked.diagnostics.is_empty());
                (checked, store)
            },
            BatchSize::PerIteration,
        );
    });
    group.finish();
}

/// A file with ten functions and ten destructors.
fn functions() -> SourceFile {
    let mut text = "channel c\n".to_owned();
    let mut made = Vec::new();
    for i in 0..10 {
        let _ = writeln!(text, "function f{i}(Msg, Sym): Data");
        let _ = writeln!(text, "destructor g{i}(f{i}(x, k), k) = x");
        made.push(format!("f{i}(g{i}(x, k), k)"));
    }
    let _ = writeln!(text, "system S = new k: Sym. c(x). c<{}>", made.join(", "));
    SourceFile::anonymous("functions.spi", &text)
}

criterion_group!(benches, frontend);
criterion_main!(benches);
