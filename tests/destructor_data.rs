//! Random systems over random theories, with powers and with phases, labelled by other tools.
//!
//! `destructor-pairs.tsv` has pairs that `DeepSec` compared, `destructor-claims.tsv`, `exchange-claims.tsv` and `phase-claims.tsv` systems of which `ProVerif` said whether names stay secret,
//! events are reached, and events agree. A theory is declared once and called by its number. A part of them is run by default; `SPI_SEEDS` asks for more: `SPI_SEEDS=100000` for all.

use crate::pairs;
use crate::reference;
use pairs::{Systems, all_ways, everything};
use reference::process::HEADER;
use reference::random::seeds;
use spi::analysis::{Kept, Settings, Subject, Verdict, check_claim};
use spi::base::limits::Silent;
use spi::engine::search::Options;
use spi::process::{Bounds, ClaimKind, TupleMode};
use spi::term::TermStore;
use std::collections::HashMap;
use std::fmt::Write;

/// The rows of a table with the theory in the place of its number.
fn cases(table: &str) -> Vec<Vec<String>> {
    let mut theories: HashMap<String, String> = HashMap::new();
    let mut found = Vec::new();
    for mut row in pairs::rows(table) {
        if row[0] == "theory" {
            theories.insert(row[1].clone(), row[2].clone());
            continue;
        }
        let theory = theories[&row[1]].clone();
        row[1] = theory;
        found.push(row);
    }
    found
}

/// The rows that are run: every one, or a few of all parts.
fn chosen(all: usize, few: usize) -> impl Iterator<Item = usize> {
    let asked = seeds(few as u64);
    let count = (asked.end as usize).min(all).max(1);
    (0..count).map(move |i| i * all / count)
}

#[test]
fn pairs_are_what_deepsec_says() {
    let all = cases("destructor-pairs.tsv");
    assert!(all.len() >= 2_000, "{}", all.len());
    let (mut wrong, mut tally) = (Vec::new(), [0; 2]);
    for i in chosen(all.len(), 400) {
        let [verdict, theory, left, right] = all[i].as_slice() else {
            panic!("row {i} has four fields");
        };
        let systems = Systems::of(&format!("{HEADER}{theory}"), left, right);
        // Everything, and one mechanism off in turn.
        let ways = all_ways();
        for options in [everything(), ways[i % ways.len()].clone()] {
            let answer = systems.compare(&options).0;
            if answer != Some(verdict == "=") {
                wrong.push(format!(
                    "row {i}: {verdict} but {answer:?} with {options:?}\n{theory}\n  {left}\n  {right}"
                ));
            }
        }
        tally[usize::from(verdict == "=")] += 1;
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(tally.iter().all(|n| *n > 20), "{tally:?}");
}

/// The claims in the order of their verdicts.
const CLAIMS: &str = "secrecy k in S
secrecy n in S
secrecy s in S
reachable E(_) in S
reachable F(_) in S
agreement E(x) => F(x) in S
agreement F(x) => E(x) in S
injective agreement F(x) => E(x) in S
";

#[test]
fn claims_are_what_proverif_says() {
    claims_agree("destructor-claims.tsv", 250);
}

#[test]
fn claims_about_exchanges_are_what_proverif_says() {
    claims_agree("exchange-claims.tsv", 200);
}

#[test]
fn claims_about_phases_are_what_proverif_says() {
    claims_agree("phase-claims.tsv", 140);
}

/// One process is a system as it stands. Several are roles, each of them any number of times.
fn written(processes: &[String]) -> String {
    if let [system] = processes {
        return format!("partial system S = {system}");
    }
    let mut text = String::new();
    let mut calls = Vec::new();
    for (i, role) in processes.iter().enumerate() {
        let _ = writeln!(text, "def R{i}(k, n, s) = {role}");
        calls.push(format!("!R{i}(k, n, s)"));
    }
    let calls = calls.join(" | ");
    text + &format!("partial system S = new k. new n. new s. ( {calls} )")
}

/// Searches, and searches after proofs, for what a table's claims say: all of it, or a few rows.
fn claims_agree(table: &str, few: usize) {
    let all = cases(table);
    let verdicts = |row: &Vec<String>| row[0].chars().filter(|c| *c != '?').count();
    assert!(all.iter().map(verdicts).sum::<usize>() >= 2_000);
    let (mut wrong, mut tally, mut proofs_found) = (Vec::new(), [0; 2], 0);
    for i in chosen(all.len(), few) {
        let [said, theory, processes @ ..] = all[i].as_slice() else {
            panic!("row {i} has three fields");
        };
        let replicated = processes.len() > 1;
        let system = written(processes);
        let claims = CLAIMS.lines().zip(said.chars());
        let claims: Vec<(&str, bool)> = claims
            .filter(|(claim, c)| {
                let has = |e: &str| !claim.contains(e) || system.contains(&format!("event {e}"));
                *c != '?' && has("E(") && has("F(")
            })
            .map(|(claim, c)| (claim, c == '-'))
            .collect();
        let text: Vec<&str> = claims.iter().map(|(claim, _)| *claim).collect();
        let text = format!("{HEADER}{theory}\n{system}\n{}\n", text.join("\n"));
        let store = TermStore::new();
        let nested = reference::load::program(&store, &text);
        let flat = reference::load::program_with(&store, &text, TupleMode::Flat);
        let subject = Subject {
            store: &store,
            nested: &nested,
            flat: &flat,
            kept: &Kept::new(),
        };
        for proofs in [false, true] {
            let settings = Settings {
                search: Options {
                    workers: 1,
                    ..Options::default()
                },
                bounds: Bounds::default(),
                proofs,
                compare_typed: false,
                ..Settings::default()
            };
            for (n, (claim, attack)) in claims.iter().enumerate() {
                let (one, other) = (&nested.claims[n], &flat.claims[n]);
                let result = check_claim(&subject, one, other, &settings, &Silent);
                let result = result.expect("the system is small");
                let reachable = matches!(one.kind, ClaimKind::Reachable { .. });
                let found = match result.verdict {
                    Verdict::Attack(_) => Some(true),
                    Verdict::Holds { .. } => Some(reachable),
                    Verdict::Unreachable => Some(false),
                    Verdict::Internal(e) => panic!("row {i}, {claim}: {e:?}\n{text}"),
                    _ => None,
                };
                // Of many copies only a few are searched: what is missed must not be called proved.
                let proved = result.proof.is_some() && result.scope.copies.is_none();
                proofs_found += usize::from(proved);
                let agrees = match (replicated, attack) {
                    (false, _) => found == Some(*attack),
                    (true, true) => !proved,
                    (true, false) => found != Some(true),
                };
                if !agrees {
                    wrong.push(format!(
                        "row {i}, {claim}: {attack} but {found:?}, proofs {proofs}\n{text}"
                    ));
                }
                tally[usize::from(*attack)] += 1;
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(proofs_found > 50, "{proofs_found}");
    assert!(tally.iter().all(|n| *n > 50), "{tally:?}");
}
