//! Throughput of the front end on generated models of 1 MB and 4 MB: the time per byte must not grow.
//!
//! Each run first makes sure that the text is read without a mistake and with the right number of
//! declarations.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use spi::process::TupleMode;
use spi::sema::check_text;
use spi::source::SourceFile;
use spi::syntax::{format::format, lexer::lex, parse};
use spi::term::TermStore;
use std::fmt::Write;
use std::hint::black_box;

/// Roles that are numbered, so that names differ and nothing is shared.
fn model(bytes: usize) -> (SourceFile, usize) {
    let mut text = String::from("agent A, B\nspy C\nchannel net\nkeypair K(Agent)\n");
    let mut declarations = 4;
    let mut number = 0;
    while text.len() < bytes {
        let _ = write!(
            text,
            "\n// Role number {number}.\ndef Init{number}(a: Agent, b: Agent) =\n  \
             new Na{number}: Nonce.\n  event Running{number}(a, b, Na{number}).\n  \
             net<{{Na{number}, a}}K(b)+>.\n  \
             net(x). case x of {{=Na{number}, nb: Nonce, =b}}K(a)- in\n  \
             [nb is Na{number}] net<{{nb, H(nb, (a, b))}}K(b)+>. 0 else net<{{[nb]}}K(b)+>.\n  \
             (event Commit{number}(a, b, Na{number}, nb) | !2 net<[{{a, suc(0)}}]K(a)->)\n\n\
             system S{number} = Init{number}(A, B) | Init{number}(A, C)\n\
             secrecy Na{number} in S{number} expect holds\n"
        );
        declarations += 3;
        number += 1;
    }
    (SourceFile::anonymous("generated.spi", &text), declarations)
}

fn frontend(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("frontend");
    group.sample_size(10);
    for megabytes in [1, 4] {
        let (file, declarations) = model(megabytes << 20);
        let (tree, diagnostics) = parse(&file);
        assert!(diagnostics.is_empty(), "{:?}", diagnostics.first());
        assert_eq!(tree.decls.len(), declarations);
        let checked = check_text(&file, &TermStore::new(), TupleMode::default());
        assert!(checked.is_sound(), "{:?}", checked.diagnostics.first());
        drop((tree, checked));

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
    group.finish();
}

criterion_group!(benches, frontend);
criterion_main!(benches);
