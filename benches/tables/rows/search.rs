//! The attacker search: growth, files of the library, the Spycatcher paper.

use super::super::answer::AS_EXPECTED;
use super::super::measure::Case;
use super::super::{Row, Table};

/// Needham-Schroeder and Lowe's repair with a growing number of roles.
pub const GROWTH: Table = Table {
    key: "search",
    title: "Attacker search without proofs: Needham-Schroeder (NS) and Needham-Schroeder-Lowe (NSL), secrecy of both nonces",
    head: &[
        "initiators + responders",
        "verdict",
        "states",
        "CPU, 1 thread",
        "clock, 1 thread",
        "clock, 2 threads",
        "peak memory",
    ],
    rows: growth,
};

/// Files with all their claims.
pub const LIBRARY: Table = Table {
    key: "library",
    title: "Attacker search without proofs: files of the library, all claims, the typed search after each untyped attack included",
    head: &[
        "file",
        "claims",
        "states",
        "CPU, 1 thread",
        "clock, 1 thread",
        "clock, 2 threads",
        "peak memory",
    ],
    rows: library,
};

/// The protocols of the Spycatcher paper.
pub const SPYCATCHER: Table = Table {
    key: "spycatcher",
    title: "Attacker search: the protocols of the Spycatcher paper (500 MHz), with `--typed` and with `--all --typed`",
    head: &[
        "protocol",
        "paper, first attack",
        "paper, all attacks",
        "ours, first",
        "ours, all",
        "states, first / all",
    ],
    rows: spycatcher,
};

/// Needham-Schroeder-Lowe with a growing number of roles, proved for any number.
pub const PROOFS: Table = Table {
    key: "proofs",
    title: "Proofs: Needham-Schroeder-Lowe, secrecy of both nonces",
    head: &[
        "initiators + responders",
        "verdict",
        "clauses",
        "CPU, 1 thread",
        "clock, 1 thread",
        "clock, 2 threads",
        "peak memory",
    ],
    rows: proofs,
};

/// The search alone: nothing is proved beforehand.
const SEARCH: &[&str] = &["check", "--no-reduction", "proofs"];

const NS: &str = include_str!("../../../protocols/ns.spi");
const NSL: &str = include_str!("../../../protocols/nsl.spi");

/// The definitions of a file with so many initiators and responders, and secrecy of both nonces.
fn scaled(text: &str, each: usize) -> String {
    let end = text.find("\nsystem ").unwrap_or(text.len());
    let inits = ["Init(A, B)", "Init(A, C)", "Init(B, A)", "Init(B, C)"];
    let resps = ["Resp(B, A)", "Resp(A, B)"];
    let inits = inits.iter().cycle().take(each);
    let resps = resps.iter().cycle().take(each);
    let parts: Vec<&str> = inits.chain(resps).copied().collect();
    format!(
        "{}\npartial system Scaled = {}\nsecrecy Na, Nb in Scaled\n",
        &text[..end],
        parts.join(" | ")
    )
}

fn growth() -> Vec<Row> {
    let row = |name: &str, text: &str, each: usize, verdict, count| {
        let name = format!("{name} {each}+{each}");
        let case = Case::new(name.clone(), scaled(text, each), SEARCH, verdict, count);
        Row::new(name, move |sitting| {
            let found = sitting.measure(&case);
            let mut cells = vec![found.verdict(), found.count()];
            cells.extend(found.costs());
            cells
        })
    };
    vec![
        row("NS", NS, 1, "holds", Some(4)),
        row("NS", NS, 2, "attack", Some(13)),
        row("NS", NS, 3, "attack", Some(23)),
        row("NS", NS, 4, "attack", Some(33)),
        row("NS", NS, 5, "attack", None),
        row("NSL", NSL, 1, "holds", Some(4)),
        row("NSL", NSL, 2, "holds", Some(24)),
        row("NSL", NSL, 3, "holds", Some(198)),
        row("NSL", NSL, 4, "holds", Some(2276)),
        Row {
            long: true,
            ..row("NSL", NSL, 5, "holds", None)
        },
    ]
}

fn proofs() -> Vec<Row> {
    let row = |each: usize| {
        let name = format!("NSL {each}+{each}");
        let case = Case::new(
            name.clone(),
            scaled(NSL, each),
            &["check"],
            "holds",
            Some(0),
        );
        Row::new(name, move |sitting| {
            let found = sitting.measure(&case);
            let mut cells = vec![found.answer.tallied(), found.answer.clauses.to_string()];
            cells.extend(found.costs());
            cells
        })
    };
    [2, 4, 10, 50].map(row).into()
}

/// A file of the library, and its name.
macro_rules! file {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../protocols/", $path)))
    };
}
pub(super) use file;

fn library() -> Vec<Row> {
    let row = |(path, text): (&str, &str), count| {
        let case = Case::new(path, text, SEARCH, AS_EXPECTED, Some(count));
        Row::new(format!("`{path}`"), move |sitting| {
            let found = sitting.measure(&case);
            let mut cells = vec![found.answer.tallied(), found.count()];
            cells.extend(found.costs());
            cells
        })
    };
    vec![
        row(file!("otway-rees/otway-rees.spi"), 59),
        row(file!("otway-rees/abadi-needham.spi"), 612),
        row(file!("yahalom/yahalom.spi"), 239),
        row(file!("yahalom/yahalom-lowe.spi"), 830),
        row(file!("yahalom/yahalom-paulson.spi"), 75),
        row(file!("symmetric/kerberos.spi"), 121),
        row(file!("symmetric/carlsen.spi"), 1157),
        row(file!("symmetric/nssk-amended.spi"), 86),
        row(file!("woo-lam/mutual.spi"), 123),
        row(file!("neuman-stubblebine/hwang.spi"), 236),
    ]
}

fn spycatcher() -> Vec<Row> {
    let row = |name: &str, text: &str, system, verdict, paper: [&'static str; 2]| {
        let case = |more: &[&str]| {
            let args = [&["check", "--system", system, "--typed"], more].concat();
            let name = format!("{name} ({})", args.join(" "));
            Case::new(name, text, &args, verdict, None)
        };
        let cases = [case(&[]), case(&["--all"])];
        Row::new(name, move |sitting| {
            let [first, all] = [0, 1].map(|i| sitting.measure(&cases[i]));
            let mut cells: Vec<String> = paper.iter().map(|p| (*p).to_owned()).collect();
            cells.push(format!("{}, {}", first.verdict(), first.cpu()));
            cells.push(format!("{}, {}", all.verdict(), all.cpu()));
            cells.push(format!("{} / {}", first.count(), all.count()));
            cells
        })
    };
    let (_, ns) = file!("papers/spycatcher-ns.spi");
    let (_, otway_rees) = file!("papers/spycatcher-otway-rees.spi");
    vec![
        row(
            "Needham-Schroeder (`papers/spycatcher-ns.spi`)",
            ns,
            "NS_ABC",
            "attack",
            ["0.988 s", "2.25 s"],
        ),
        row(
            "Needham-Schroeder-Lowe (`nsl.spi`)",
            NSL,
            "NSL",
            "holds",
            ["none, 3.435 s", "none, 3.435 s"],
        ),
        row(
            "simplified Otway-Rees (`papers/spycatcher-otway-rees.spi`)",
            otway_rees,
            "OR_C",
            "attack",
            ["1.15 s", "4,702 s (30 attacks, 2 groups)"],
        ),
    ]
}
