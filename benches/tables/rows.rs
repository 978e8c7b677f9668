//! The rows of the tables, with what they must answer.

use super::models::{
    Channels, DENNING_SACCO, LOWE, OTWAY_REES, PRIVATE_AUTHENTICATION, Protocol, WIDE_MOUTHED_FROG,
    YAHALOM,
};

const NS_FILE: &str = include_str!("../../protocols/ns.spi");
const NSL_FILE: &str = include_str!("../../protocols/nsl.spi");
const PASSPORT: &str = include_str!("../models/passport.spi");
const S3A_NS: &str = include_str!("../../protocols/papers/s3a-ns.spi");
const S3A_WMF: &str = include_str!("../../protocols/papers/s3a-wmf.spi");
const S3A_FIG1: &str = include_str!("../../protocols/papers/s3a-fig1.spi");

/// A table.
pub struct Table {
    /// What it is about.
    pub title: &'static str,
    /// What is counted.
    pub counted: &'static str,
    /// Its rows.
    pub rows: fn() -> Vec<Row>,
}

/// A row.
pub struct Row {
    /// Its name.
    pub name: String,
    /// The file.
    pub text: String,
    /// The command and its options.
    pub args: Vec<&'static str>,
    /// The verdict that is expected.
    pub verdict: &'static str,
    /// The number of states or nodes that is expected.
    pub count: u64,
}

impl Row {
    /// Whether a state space is explored.
    pub fn is_space(&self) -> bool {
        self.args[0] == "lts"
    }
}

/// All tables.
pub const TABLES: &[Table] = &[
    Table {
        title: "Attacker search",
        counted: "states",
        rows: search,
    },
    Table {
        title: "Equivalence, one channel for all roles",
        counted: "nodes",
        rows: shared,
    },
    Table {
        title: "Equivalence, a channel for each role",
        counted: "nodes",
        rows: own,
    },
    Table {
        title: "State spaces",
        counted: "states",
        rows: spaces,
    },
];

/// The definitions of a file with so many initiators and responders, and secrecy of both nonces.
fn scaled(text: &str, each: usize) -> String {
    let end = text.find("\nsystem ").expect("the file has a system");
    let inits = ["Init(A, B)", "Init(A, C)", "Init(B, A)", "Init(B, C)"];
    let resps = ["Resp(B, A)", "Resp(A, B)", "Resp(B, A)", "Resp(A, B)"];
    let parts = [&inits[..each], &resps[..each]].concat();
    format!(
        "{}\npartial system Scaled = {}\nsecrecy Na, Nb in Scaled\n",
        &text[..end],
        parts.join(" | ")
    )
}

fn search() -> Vec<Row> {
    let row = |name: &str, text: &str, each: usize, verdict, count| Row {
        name: format!("{name} {each}+{each}"),
        text: scaled(text, each),
        args: vec!["check"],
        verdict,
        count,
    };
    vec![
        row("NS", NS_FILE, 1, "holds", 4),
        row("NS", NS_FILE, 2, "attack", 13),
        row("NS", NS_FILE, 3, "attack", 23),
        row("NS", NS_FILE, 4, "attack", 33),
        row("NSL", NSL_FILE, 1, "holds", 4),
        row("NSL", NSL_FILE, 2, "holds", 24),
        row("NSL", NSL_FILE, 3, "holds", 198),
        row("NSL", NSL_FILE, 4, "holds", 2276),
    ]
}

/// A row about so many sessions; the number of its roles is part of its name.
fn sessions(
    name: &str,
    protocol: &Protocol,
    channels: Channels,
    (honest, spied): (usize, usize),
    count: u64,
) -> Row {
    let roles = honest * protocol.session.len() + spied * protocol.spied.len();
    let plural = if honest == 1 { "" } else { "s" };
    let spy = match spied {
        0 => String::new(),
        n => format!(" and {n} with the spy"),
    };
    Row {
        name: format!("{name}, {honest} session{plural}{spy} ({roles} roles)"),
        text: protocol.sessions(channels, honest, spied),
        args: vec!["check"],
        verdict: "equivalent",
        count,
    }
}

fn passport(name: &str, system: &'static str, verdict: &'static str, count: u64) -> Row {
    Row {
        name: name.to_owned(),
        text: PASSPORT.to_owned(),
        args: vec!["check", "--system", system],
        verdict,
        count,
    }
}

fn shared() -> Vec<Row> {
    let row = |name, protocol, n, count| sessions(name, protocol, Channels::Shared, n, count);
    vec![
        row("Denning-Sacco", &DENNING_SACCO, (1, 0), 30),
        row("Denning-Sacco", &DENNING_SACCO, (2, 0), 803),
        row("Denning-Sacco", &DENNING_SACCO, (1, 1), 2010),
        row("Wide-Mouthed Frog", &WIDE_MOUTHED_FROG, (1, 0), 11),
        row("Wide-Mouthed Frog", &WIDE_MOUTHED_FROG, (2, 0), 64),
        row("Wide-Mouthed Frog", &WIDE_MOUTHED_FROG, (3, 0), 237),
        row("Wide-Mouthed Frog", &WIDE_MOUTHED_FROG, (4, 0), 673),
        row("Needham-Schroeder-Lowe", &LOWE, (1, 0), 39),
        row("Otway-Rees", &OTWAY_REES, (1, 0), 140),
        row("Yahalom (Lowe)", &YAHALOM, (1, 0), 425),
        row(
            "private authentication",
            &PRIVATE_AUTHENTICATION,
            (1, 0),
            48,
        ),
        row(
            "private authentication",
            &PRIVATE_AUTHENTICATION,
            (2, 0),
            8386,
        ),
        passport(
            "basic access control with an error, 2 sessions (4 roles)",
            "BacSame4",
            "not equivalent",
            1,
        ),
        passport(
            "passive authentication, 2 sessions (4 roles)",
            "Shared2",
            "equivalent",
            92,
        ),
    ]
}

fn own() -> Vec<Row> {
    let row = |name, protocol, n, count| sessions(name, protocol, Channels::Own, n, count);
    vec![
        row("Denning-Sacco", &DENNING_SACCO, (1, 0), 6),
        row("Denning-Sacco", &DENNING_SACCO, (2, 0), 19),
        row("Denning-Sacco", &DENNING_SACCO, (4, 0), 101),
        row("Denning-Sacco", &DENNING_SACCO, (4, 1), 366),
        row("Denning-Sacco", &DENNING_SACCO, (6, 0), 311),
        row("Denning-Sacco", &DENNING_SACCO, (10, 0), 1371),
        row("Denning-Sacco", &DENNING_SACCO, (16, 0), 5521),
        row("Wide-Mouthed Frog", &WIDE_MOUTHED_FROG, (4, 0), 13),
        row("Wide-Mouthed Frog", &WIDE_MOUTHED_FROG, (8, 0), 25),
        row("Needham-Schroeder-Lowe", &LOWE, (1, 0), 8),
        row("Needham-Schroeder-Lowe", &LOWE, (2, 0), 33),
        row("Needham-Schroeder-Lowe", &LOWE, (3, 0), 132),
        row("Needham-Schroeder-Lowe", &LOWE, (4, 0), 559),
        row("Needham-Schroeder-Lowe", &LOWE, (3, 1), 1246),
        row("Needham-Schroeder-Lowe", &LOWE, (5, 0), 2535),
        row("Needham-Schroeder-Lowe", &LOWE, (6, 0), 12_211),
        row("Otway-Rees", &OTWAY_REES, (1, 0), 11),
        row("Otway-Rees", &OTWAY_REES, (2, 0), 117),
        row("Otway-Rees", &OTWAY_REES, (3, 0), 1512),
        row("Yahalom (Lowe)", &YAHALOM, (1, 0), 16),
        row("Yahalom (Lowe)", &YAHALOM, (2, 0), 424),
        row("Yahalom (Lowe)", &YAHALOM, (3, 0), 16_231),
        row(
            "private authentication",
            &PRIVATE_AUTHENTICATION,
            (1, 0),
            10,
        ),
        row(
            "private authentication",
            &PRIVATE_AUTHENTICATION,
            (2, 0),
            44,
        ),
        row(
            "private authentication",
            &PRIVATE_AUTHENTICATION,
            (4, 0),
            755,
        ),
        row(
            "private authentication",
            &PRIVATE_AUTHENTICATION,
            (5, 0),
            3241,
        ),
        passport(
            "passive authentication, 2 sessions (4 roles)",
            "Own2",
            "equivalent",
            10,
        ),
        passport(
            "passive authentication, 3 sessions (6 roles)",
            "Own3",
            "equivalent",
            16,
        ),
    ]
}

fn spaces() -> Vec<Row> {
    let row = |name: &str, text: &str, args: &[&'static str], count| Row {
        name: name.to_owned(),
        text: text.to_owned(),
        args: [&["lts", "--semantics", "private"], args].concat(),
        verdict: "complete",
        count,
    };
    vec![
        row("figure 1", S3A_FIG1, &["--system", "Fig1"], 68),
        row("N-S 1+1", S3A_NS, &["--system", "NS11"], 36),
        row("N-S 1+2", S3A_NS, &["--system", "NS12"], 294),
        row("N-S 2+2", S3A_NS, &["--system", "NS22"], 1207),
        row("N-S 2+3", S3A_NS, &["--system", "NS23"], 13_330),
        row("WMF 3+3", S3A_WMF, &["--system", "WMF33"], 436),
    ]
}
