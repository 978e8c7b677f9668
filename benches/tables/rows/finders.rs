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
    title: "Attacker search beside the attack finders, CPU seconds: Scyther with at most 3 runs, OFMC with 2 sessions, \
            ProVerif; all claims",
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
    title: "Attacker search, every assignment of agents to n role instances: Needham-Schroeder with key server, \
            secrecy of the responder's nonce",
    head: &[
        "role instances",
        "verdict",
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
                    cells.extend([verdicts, found.count(), found.cpu()]);
                }
                cells.extend(rivals);
                cells
            })
        };
    vec![
        row(
            "Needham-Schroeder public key",
            file!("ns.spi"),
            None,
            "holds, attack",
            Rivals("0.2", "-", "0.18"),
        ),
        row(
            "Needham-Schroeder-Lowe",
            file!("nsl.spi"),
            None,
            "holds",
            Rivals("0.18", "-", "0.06"),
        ),
        row(
            "Otway-Rees",
            file!("otway-rees/otway-rees.spi"),
            Some(59),
            "attack, holds",
            Rivals("0.03", "5.4", "0.10"),
        ),
        row(
            "Otway-Rees, Paulson's flawed simplification",
            file!("otway-rees/simplified.spi"),
            None,
            "attack, holds",
            Rivals("-", "-", "0.16"),
        ),
        row(
            "Yahalom",
            file!("yahalom/yahalom.spi"),
            Some(291),
            "holds",
            Rivals("0.015", "0.9", "0.05"),
        ),
        row(
            "Needham-Schroeder symmetric",
            file!("symmetric/nssk.spi"),
            None,
            "holds",
            Rivals("0.02", "0.5", "0.11"),
        ),
        row(
            "Denning-Sacco symmetric",
            file!("symmetric/denning-sacco.spi"),
            None,
            "holds",
            Rivals("0.006", "0.3", "0.025"),
        ),
        row(
            "Wide-Mouthed Frog",
            file!("wide-mouthed-frog/wmf.spi"),
            None,
            "holds, attack",
            Rivals("0.003", "0.03", "-"),
        ),
        row(
            "Woo-Lam Pi",
            file!("woo-lam/pi.spi"),
            None,
            "attack",
            Rivals("0.004", "0.1", "0.014"),
        ),
        row(
            "Woo-Lam mutual",
            file!("woo-lam/mutual.spi"),
            Some(124),
            "attack, holds",
            Rivals("0.34", "1.0", "-"),
        ),
        row(
            "Andrew secure RPC",
            file!("andrew/andrew.spi"),
            None,
            "holds, attack",
            Rivals("0.16", "0.2", "-"),
        ),
        row(
            "Kao-Chow 1",
            file!("symmetric/kao-chow.spi"),
            None,
            "holds",
            Rivals("0.05", "-", "-"),
        ),
        row(
            "Neuman-Stubblebine (Hwang)",
            file!("neuman-stubblebine/hwang.spi"),
            Some(282),
            "holds, attack",
            Rivals("1.5", "-", "-"),
        ),
    ]
}

fn runs() -> Vec<Row> {
    let (path, text) = file!("public-key/ns-key-server.spi");
    let row = |n: usize, verdict, scyther: &'static str| {
        let sessions = n.to_string();
        let args = ["check", "--system", "Lowe", "--secrecy", "Nb", "--sessions"];
        let args = [&args[..], &[sessions.as_str()]].concat();
        let case = Case::new(format!("{path}, {n} instances"), text, &args, verdict, None);
        Row {
            long: n > 3,
            ..Row::new(sessions.clone(), move |sitting| {
                let found = sitting.measure(&case.clone().within(120));
                let mut cells = vec![found.verdict(), found.count()];
                cells.extend(found.costs());
                cells.push(scyther.to_owned());
                cells
            })
        }
    };
    vec![
        row(2, "holds", "0.03 s"),
        row(3, "holds", "0.25 s"),
        row(4, "attack", "1.9 s"),
        row(5, "attack", "17.5 s"),
        row(6, "attack", "> 60 s"),
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
