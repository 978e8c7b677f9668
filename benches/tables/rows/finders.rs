//! Beside the attack finders: protocols of the library with the figures of others; how the number of role
//! instances tells; how long one claim takes from the start.

use super::super::answer::AS_EXPECTED;
use super::super::measure::Case;
use super::super::present::milliseconds;
use super::super::{Row, Table};
use super::search::file;

/// All claims of a file, and every assignment of agents to three role instances, beside the figures of others.
pub const FINDERS: Table = Table {
    key: "finders",
    title: "Attacker search beside the attack finders, CPU of ours in milliseconds, of the others in seconds: Scyther with at \
            most 3 runs, OFMC with 2 sessions, ProVerif; all claims",
    head: &[
        "protocol",
        "file",
        "as written: verdicts",
        "states",
        "CPU",
        "all of 3 instances: verdicts",
        "states",
        "CPU",
        "Scyther",
        "OFMC",
        "ProVerif",
    ],
    rows: finders,
};

/// More and more role instances.
pub const RUNS: Table = Table {
    key: "runs",
    title: "Attacker search, every assignment of agents to n role instances: Needham-Schroeder and Lowe's version with \
            a key server that is no agent, all claims of a system",
    head: &[
        "role instances",
        "verdicts",
        "states",
        "CPU, 1 thread",
        "clock, 1 thread",
        "clock, 2 threads",
        "peak memory",
        "Scyther, all claims",
    ],
    rows: runs,
};

/// One claim from the start of the process.
pub const START: Table = Table {
    key: "start",
    title: "One secrecy claim, start of the process included, median of 21 on the clock",
    head: &[
        "protocol",
        "verdict",
        "ours",
        "Scyther",
        "ProVerif",
        "OFMC, 1 / 2 / 3 sessions",
    ],
    rows: start,
};

/// What others take; `-` is not measured.
struct Rivals(&'static str, &'static str, &'static str);

fn finders() -> Vec<Row> {
    // `found` is what three role instances of any agents give: verdicts, states.
    let row =
        |name: &str, (path, text): (&str, &str), count, found: &'static str, rivals: Rivals| {
            let written = Case::new(path, text, &["check"], AS_EXPECTED, count);
            let args = ["check", "--sessions", "3"];
            let three = Case::new(format!("{path}, 3 instances"), text, &args, found, None);
            let path = format!("`{path}`");
            Row::new(name, move |sitting| {
                let written = sitting.measure(&written);
                let three = sitting.measure(&three);
                let Rivals(scyther, ofmc, proverif) = rivals;
                let rivals = [scyther, ofmc, proverif].map(str::to_owned);
                let mut cells = vec![path.clone()];
                for found in [written, three] {
                    let verdicts = if found.answer.is_finished() {
                        found.answer.tallied()
                    } else {
                        found.verdict()
                    };
                    cells.extend([verdicts, found.count(), found.fine_cpu()]);
                }
                cells.extend(rivals);
                cells
            })
        };
    vec![
        row(
            "Needham-Schroeder public key",
            file!("ns.spi"),
            Some(35),
            "holds, attack",
            Rivals("0.2", "-", "0.18"),
        ),
        row(
            "Needham-Schroeder-Lowe",
            file!("nsl.spi"),
            Some(0),
            "holds",
            Rivals("0.18", "-", "0.06"),
        ),
        row(
            "Otway-Rees",
            file!("otway-rees/otway-rees.spi"),
            Some(6),
            "attack, holds",
            Rivals("0.03", "5.4", "0.10"),
        ),
        row(
            "Otway-Rees, Paulson's flawed simplification",
            file!("otway-rees/simplified.spi"),
            Some(3),
            "attack, holds",
            Rivals("-", "-", "0.16"),
        ),
        row(
            "Yahalom",
            file!("yahalom/yahalom.spi"),
            Some(0),
            "holds",
            Rivals("0.015", "0.9", "0.05"),
        ),
        row(
            "Needham-Schroeder symmetric",
            file!("symmetric/nssk.spi"),
            Some(0),
            "holds",
            Rivals("0.02", "0.5", "0.11"),
        ),
        row(
            "Denning-Sacco symmetric",
            file!("symmetric/denning-sacco.spi"),
            Some(5),
            "holds",
            Rivals("0.006", "0.3", "0.025"),
        ),
        row(
            "Wide-Mouthed Frog",
            file!("wide-mouthed-frog/wmf.spi"),
            Some(6),
            "holds, attack",
            Rivals("0.003", "0.03", "-"),
        ),
        row(
            "Woo-Lam Pi",
            file!("woo-lam/pi.spi"),
            Some(281),
            "attack",
            Rivals("0.004", "0.1", "0.014"),
        ),
        row(
            "Woo-Lam mutual",
            file!("woo-lam/mutual.spi"),
            Some(99),
            "attack, holds",
            Rivals("0.34", "1.0", "-"),
        ),
        row(
            "Andrew secure RPC",
            file!("andrew/andrew.spi"),
            Some(8),
            "holds, attack",
            Rivals("0.16", "0.2", "-"),
        ),
        row(
            "Kao-Chow 1",
            file!("symmetric/kao-chow.spi"),
            Some(0),
            "holds",
            Rivals("0.05", "-", "-"),
        ),
        row(
            "Kao-Chow 2",
            file!("symmetric/kao-chow-2.spi"),
            Some(0),
            "holds",
            Rivals("0.08", "-", "-"),
        ),
        row(
            "Kao-Chow 3",
            file!("symmetric/kao-chow-3.spi"),
            Some(0),
            "holds",
            Rivals("0.4", "-", "-"),
        ),
        row(
            "KSL",
            file!("symmetric/ksl.spi"),
            Some(13),
            "holds, attack",
            Rivals("> 60", "-", "-"),
        ),
        row(
            "KSL (Lowe)",
            file!("symmetric/ksl-lowe.spi"),
            Some(0),
            "holds",
            Rivals("2.7", "-", "-"),
        ),
        row(
            "Neuman-Stubblebine (Hwang)",
            file!("neuman-stubblebine/hwang.spi"),
            Some(10),
            "holds, attack",
            Rivals("1.5", "-", "-"),
        ),
        row(
            "SPLICE/AS",
            file!("public-key/splice.spi"),
            Some(147),
            "attack",
            Rivals("0.27", "-", "-"),
        ),
        row(
            "SPLICE/AS (Hwang-Chen)",
            file!("public-key/splice-hwang-chen.spi"),
            Some(91),
            "holds",
            Rivals("0.27", "-", "-"),
        ),
        row(
            "SPLICE/AS (Clark-Jacob)",
            file!("public-key/splice-clark-jacob.spi"),
            Some(0),
            "holds",
            Rivals("0.18", "-", "-"),
        ),
    ]
}

/// The model with a key server that is no agent: nobody is assigned its part, and it has a key of its own.
fn server_apart(text: &str) -> String {
    text.replace("agent A, B, S", "agent A, B\nkeypair Ks")
        .replace("K(S)", "Ks")
        .replace("K(s)", "Ks")
        .replace("Server(s: Agent, ", "Server(")
        .replace("Server(S, ", "Server(")
}

fn runs() -> Vec<Row> {
    let ns = file!("public-key/ns-key-server.spi");
    let lowe = file!("public-key/nsl-key-server.spi");
    let row = |(path, text): (&str, &str), system, n: usize, verdict, scyther: &'static str| {
        let sessions = n.to_string();
        let args = ["check", "--system", system, "--sessions", &sessions];
        let name = format!("{path}, {n} instances");
        let case = Case::new(name, server_apart(text), &args, verdict, None).within(120);
        Row {
            long: n > 4,
            ..Row::new(format!("`{path}`, {n}"), move |sitting| {
                let found = sitting.measure(&case);
                let verdicts = if found.answer.is_finished() {
                    found.answer.tallied()
                } else {
                    found.verdict()
                };
                let mut cells = vec![verdicts, found.count()];
                cells.extend(found.costs());
                cells.push(scyther.to_owned());
                cells
            })
        }
    };
    vec![
        row(ns, "Lowe", 2, "holds", "0.03 s"),
        row(ns, "Lowe", 3, "holds", "0.25 s"),
        row(ns, "Lowe", 4, "attack", "1.9 s"),
        row(ns, "Lowe", 5, "attack", "17.5 s"),
        row(ns, "Lowe", 6, "attack", "> 60 s"),
        row(lowe, "NSL", 2, "holds", "-"),
        row(lowe, "NSL", 3, "holds", "-"),
        row(lowe, "NSL", 4, "holds", "-"),
        row(lowe, "NSL", 5, "holds", "-"),
    ]
}

fn start() -> Vec<Row> {
    let row = |name: &str, (path, text): (&str, &str), secret, verdict, rivals: Rivals| {
        let args = ["check", "--secrecy", secret];
        let case = Case::new(format!("{path}, start"), text, &args, verdict, None);
        Row::new(name, move |sitting| {
            let clock = sitting.starts(&case, 21);
            let Rivals(scyther, proverif, ofmc) = rivals;
            let rivals = [scyther, proverif, ofmc].map(str::to_owned);
            let mut cells = vec![verdict.to_owned(), milliseconds(clock)];
            cells.extend(rivals);
            cells
        })
    };
    vec![
        row(
            "Needham-Schroeder (`ns.spi --secrecy Nb`)",
            file!("ns.spi"),
            "Nb",
            "attack",
            Rivals("2.4 ms", "8.9 ms", "25 / 103 / 349 ms"),
        ),
        row(
            "Needham-Schroeder-Lowe (`nsl.spi --secrecy Na`)",
            file!("nsl.spi"),
            "Na",
            "holds",
            Rivals("1.9 ms", "7.5 ms", "26 / 251 / 13,500 ms"),
        ),
    ]
}
