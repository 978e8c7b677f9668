//! Comparisons: growth with the number of sessions, and systems of the size that the rivals were measured with.

use super::super::measure::Case;
use super::super::models::{DENNING_SACCO, LOWE, OTWAY_REES, YAHALOM};
use super::super::scenario::{
    Channels::{self, Own, Shared},
    Protocol,
};
use super::super::{Row, Table};
use super::pins::{MODELS, Model, Pin, Source};

/// One channel: growth.
pub const SHARED: Table = Table {
    key: "equiv-shared",
    title: "Equivalence, one public channel for all roles: growth",
    head: GROWTH,
    rows: || rows(Shared, false),
};

/// A channel for each role: growth.
pub const OWN: Table = Table {
    key: "equiv-own",
    title: "Equivalence, one public channel for each role instance: growth",
    head: GROWTH,
    rows: || rows(Own, false),
};

/// One channel: beside the rivals.
pub const BESIDE_SHARED: Table = Table {
    key: "equiv-shared-rivals",
    title: "Equivalence, one public channel for all roles: beside the rivals",
    head: BESIDE,
    rows: || rows(Shared, true),
};

/// A channel for each role: beside the rivals.
pub const BESIDE_OWN: Table = Table {
    key: "equiv-own-rivals",
    title: "Equivalence, one public channel for each role instance: beside the rivals",
    head: BESIDE,
    rows: || rows(Own, true),
};

/// What the reductions are worth.
pub const REDUCTIONS: Table = Table {
    key: "reductions",
    title: "What the reductions of the joint exploration are worth, in nodes",
    head: &[
        "system",
        "neither",
        "compressed runs",
        "and interchangeable channels",
    ],
    rows: reductions,
};

const GROWTH: &[&str] = &[
    "model",
    "sessions",
    "roles",
    "verdict",
    "nodes",
    "CPU, 1 thread",
    "clock, 1 thread",
    "clock, 2 threads",
    "peak memory",
];

const BESIDE: &[&str] = &[
    "model",
    "sessions",
    "roles",
    "verdict",
    "nodes",
    "CPU, 1 thread",
    "clock, 1 thread",
    "clock, 2 threads",
    "peak memory",
    "DeepSec 2.0.2",
    "AKISS 2.0",
];

fn rows(channels: Channels, rivals: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    for model in MODELS {
        let pins = model.pins.iter();
        for pin in pins.filter(|p| p.channels == channels && p.rivals.is_some() == rivals) {
            rows.push(row(model, pin));
        }
    }
    rows
}

fn row(model: &'static Model, pin: &'static Pin) -> Row {
    let Pin { honest, spied, .. } = *pin;
    let (text, roles) = match (&model.source, pin.rivals) {
        (Source::Made(make, beside), _) => (make(pin.channels, honest), 2 * honest + beside),
        (Source::Protocol(p), Some(_)) => (
            p.mixed(pin.channels, honest, spied),
            honest * p.size() + spied * p.size_with_spy(),
        ),
        (Source::Protocol(p), None) => (
            p.alike(pin.channels, honest, spied),
            honest * p.size() + spied * p.spied.len(),
        ),
    };
    let sessions = match spied {
        0 => honest.to_string(),
        n => format!("{honest} and {n} with the spy"),
    };
    let where_ = match pin.channels {
        Shared => "shared",
        Own => "own",
    };
    let name = format!("{}, {where_}, {sessions} ({roles} roles)", model.name);
    let case = Case::new(name, text, &["check"], model.verdict, pin.nodes);
    Row::new(model.name, move |sitting| {
        let found = sitting.measure(&case);
        let mut cells = vec![
            sessions.clone(),
            roles.to_string(),
            found.verdict(),
            found.count(),
        ];
        cells.extend(found.costs());
        cells.extend(pin.rivals.iter().flatten().map(|r| (*r).to_owned()));
        cells
    })
}

/// The joint exploration of the same systems without compressed runs, without interchangeable channels, and with both. `-` is not tried.
fn reductions() -> Vec<Row> {
    let row = |name: &str, protocol: &Protocol, sessions, nodes: [Option<u64>; 3]| {
        let text = protocol.alike(Own, sessions, 0);
        let off: [&[&str]; 3] = [
            &["check", "--no-reduction", "cones,compression,symmetry"],
            &["check", "--no-reduction", "cones,symmetry"],
            &["check", "--no-reduction", "cones"],
        ];
        let cases: Vec<Option<Case>> = off
            .iter()
            .zip(nodes)
            .map(|(args, nodes)| {
                let name = format!("{name} ({})", args.join(" "));
                let case = Case::new(name, text.clone(), args, "equivalent", nodes);
                nodes.map(|_| case)
            })
            .collect();
        Row::new(name, move |sitting| {
            let nodes = |case: &Option<Case>| match case {
                Some(case) => sitting.measure(case).count(),
                None => "-".to_owned(),
            };
            cases.iter().map(nodes).collect()
        })
    };
    vec![
        row(
            "Denning-Sacco, two sessions",
            &DENNING_SACCO,
            2,
            [Some(856), Some(40), Some(19)],
        ),
        row(
            "Denning-Sacco, four sessions",
            &DENNING_SACCO,
            4,
            [None, Some(2108), Some(101)],
        ),
        row(
            "Otway-Rees, two sessions",
            &OTWAY_REES,
            2,
            [None, Some(325), Some(117)],
        ),
        row(
            "Needham-Schroeder-Lowe, four sessions",
            &LOWE,
            4,
            [None, Some(14_474), Some(559)],
        ),
        row(
            "Yahalom (Lowe), two sessions",
            &YAHALOM,
            2,
            [None, Some(1949), Some(424)],
        ),
    ]
}
