//! Writes the tables of `docs/benchmarks.md`: `cargo bench --bench tables [WORD..]`, where words choose tables and rows by
//! what their names contain.
//!
//! Every row runs the built binary, start included, with one thread and with two. Verdict and count are asserted, for both,
//! before a figure is printed.

mod measure;
mod models;
mod rows;

use measure::{Run, run};
use rows::{Row, TABLES};

fn main() {
    // Cargo passes `--bench`.
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    for table in TABLES {
        let rows: Vec<Row> = (table.rows)()
            .into_iter()
            .filter(|row| {
                let name = format!("{} {}", table.title, row.name);
                words.iter().all(|w| name.contains(w.as_str()))
            })
            .collect();
        if rows.is_empty() {
            continue;
        }
        println!("\n## {}\n", table.title);
        println!(
            "| system | verdict | {} | 1 thread | 2 threads | peak memory |",
            table.counted
        );
        println!("|---|---|---|---|---|---|");
        for row in rows {
            let [one, two] = [1, 2].map(|threads| run(&row, threads));
            for (run, threads) in [(&one, 1), (&two, 2)] {
                assert_eq!(
                    run.verdict, row.verdict,
                    "{}: {threads} thread(s)",
                    row.name
                );
                assert_eq!(run.count, row.count, "{}: {threads} thread(s)", row.name);
            }
            println!(
                "| {} | {} | {} | {} | {} | {:.0} MB |",
                row.name,
                row.verdict,
                grouped(row.count),
                seconds(&one),
                seconds(&two),
                one.peak as f64 / 1024.0 / 1024.0,
            );
        }
    }
}

/// Processor time, and beside it the time on the clock where more than one thread makes a difference.
fn seconds(run: &Run) -> String {
    let one = |s: f64| match s {
        s if s < 0.01 => "< 0.01".to_owned(),
        s if s < 10.0 => format!("{s:.2}"),
        s => format!("{s:.0}"),
    };
    if run.cpu > 0.2 && run.clock < 0.8 * run.cpu {
        format!("{} s ({} s on the clock)", one(run.cpu), one(run.clock))
    } else {
        format!("{} s", one(run.cpu))
    }
}

/// A number with commas between thousands.
fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, d) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(d);
    }
    text
}
