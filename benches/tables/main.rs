//! Writes the tables of `docs/benchmarks.md` as Markdown: `cargo bench --bench tables [-- WORD..]`.
//!
//! A word chooses the tables whose key begins with it and the rows whose name contains it, several words what all of them
//! choose: `search`, `library`, `equiv`, `equiv-own`, `equiv lowe`, `spaces`. With `-long` at its end it chooses those rows that
//! take long, which are left out otherwise: `equiv-long`. `SPI=FILE` in the environment measures another binary;
//! `LIMIT=SECONDS` sets the time after which a claim is given up, `KEEP=DIR` keeps the models that are made.
//!
//! Every row runs the binary, start included, with one thread and with two; verdict and, where it is pinned, count are
//! compared for both before anything is timed. What does not agree is reported at the end, with exit code 1; the other rows
//! are written all the same.

// Nobody uses a bench from outside.
#![allow(unreachable_pub)]

mod answer;
mod measure;
mod models;
mod present;
mod rows;
mod scenario;

use measure::Sitting;
use std::io::Write;
use std::process::ExitCode;

/// A table.
pub struct Table {
    /// The word that chooses it.
    pub key: &'static str,
    /// What it is about.
    pub title: &'static str,
    /// The heads of its columns.
    pub head: &'static [&'static str],
    /// Its rows.
    pub rows: fn() -> Vec<Row>,
}

/// Makes the cells of a row.
pub type Cells = Box<dyn Fn(&mut Sitting) -> Vec<String>>;

/// A row, which is measured when its cells are made.
pub struct Row {
    /// Its name, the first cell.
    pub name: String,
    /// Whether it is measured only on demand.
    pub long: bool,
    /// The other cells.
    pub cells: Cells,
}

impl Row {
    /// A row that does not take long.
    pub fn new(
        name: impl Into<String>,
        cells: impl Fn(&mut Sitting) -> Vec<String> + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            long: false,
            cells: Box::new(cells),
        }
    }
}

fn main() -> ExitCode {
    // Cargo passes `--bench`.
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with("--"))
        .collect();
    let mut sitting = Sitting::default();
    let mut written = 0;
    for table in rows::TABLES {
        let chosen: Vec<Row> = (table.rows)()
            .into_iter()
            .filter(|row| is_chosen(&words, table, row))
            .collect();
        if chosen.is_empty() {
            continue;
        }
        println!("\n**{}** (`{}`)\n", table.title, table.key);
        println!("| {} |", table.head.join(" | "));
        println!("|{}", "---|".repeat(table.head.len()));
        for row in chosen {
            let cells = (row.cells)(&mut sitting);
            println!("| {} | {} |", row.name, cells.join(" | "));
            // Whoever waits for a long table sees each row when it is there; a closed pipe ends the next one.
            let _ = std::io::stdout().flush();
            written += 1;
        }
    }
    if written == 0 {
        eprintln!("no row has all of these words: {}", words.join(" "));
        return ExitCode::from(2);
    }
    sitting.report()
}

/// Whether every word begins the key of the table or occurs in the name of the row.
fn is_chosen(words: &[String], table: &Table, row: &Row) -> bool {
    let name = row.name.to_lowercase();
    let long = words.iter().any(|w| w.ends_with("-long"));
    let matches = |word: &String| {
        let word = word.strip_suffix("-long").unwrap_or(word).to_lowercase();
        table.key.starts_with(&word) || name.contains(&word)
    };
    long == row.long && words.iter().all(matches)
}
