//! State spaces beside the S3A paper and Brutus: counts, and what they cost.

use super::super::measure::{Case, Measured};
use super::super::present::{megabytes, seconds};
use super::super::{Row, Table};

/// Trees, graphs, and what the attacker search visits.
pub const COUNTS: Table = Table {
    key: "spaces",
    title: "State spaces, `spi lts --semantics private`",
    head: &[
        "system",
        "Brutus, none / symmetry",
        "S3A, none / symmetry",
        "tree",
        "graph",
        "graph with symmetry",
        "attacker search",
    ],
    rows: counts,
};

/// What the graph costs in both semantics.
pub const COSTS: Table = Table {
    key: "spaces-costs",
    title: "Cost of the graph with symmetry, and with internal communication on public channels (`--semantics classic`)",
    head: &[
        "system",
        "states",
        "CPU, 1 thread",
        "clock, 1 thread",
        "clock, 2 threads",
        "states per CPU second",
        "peak memory",
        "bytes per state",
        "classic: states",
        "classic: CPU",
        "classic: clock, 2 threads",
    ],
    rows: costs,
};

/// Counts as in the paper's rules.
pub const LATE: Table = Table {
    key: "spaces-late",
    title: "State spaces with `--late`",
    head: &[
        "system",
        "S3A, none",
        "tree, `--late`",
        "S3A, symmetry",
        "tree with symmetry, `--late`",
        "graph with symmetry, `--late`",
    ],
    rows: late,
};

const NS: &str = include_str!("../../../protocols/papers/s3a-ns.spi");
const WMF: &str = include_str!("../../../protocols/papers/s3a-wmf.spi");
const FIGURE: &str = include_str!("../../../protocols/papers/s3a-fig1.spi");

/// Needham-Schroeder with so many initiators and responders.
fn ns(initiators: usize, responders: usize) -> String {
    sized(
        NS,
        &[("Init(A, B)", initiators), ("Resp(B, A)", responders)],
        "Na, Nb",
    )
}

/// Wide-Mouthed Frog with so many of each role.
fn wmf(each: usize) -> String {
    let roles = [
        ("Init(A, B)", each),
        ("Server(A, B)", each),
        ("Resp(B, A)", each),
    ];
    sized(WMF, &roles, "Kab")
}

/// The roles of a file so many times, and a claim about their secrets.
fn sized(text: &str, roles: &[(&str, usize)], secrets: &str) -> String {
    let end = text.find("\nsystem ").unwrap_or(text.len());
    let parts: Vec<&str> = roles
        .iter()
        .flat_map(|(role, n)| std::iter::repeat_n(*role, *n))
        .collect();
    format!(
        "{}\npartial system Sized = {}\nsecrecy {secrets} in Sized\n",
        &text[..end],
        parts.join(" | ")
    )
}

/// The example of figure 1.
fn figure() -> String {
    FIGURE.replace("Fig1", "Sized")
}

fn space(name: &str, text: &str, args: &[&str], count: Option<u64>) -> Case {
    let args = [&["lts", "--system", "Sized", "--semantics"], args].concat();
    let name = format!("{name} ({})", args.join(" "));
    Case::new(name, text, &args, "complete", count).within(120)
}

fn figure_of(found: &Measured, name: &str) -> String {
    let value = found.answer.figures.get(name);
    value.cloned().unwrap_or_else(|| "-".to_owned())
}

fn counts() -> Vec<Row> {
    let row = |name: &str, text: String, published: [&'static str; 2], graphs: [Option<u64>; 3]| {
        let [plain, symmetric, search] = graphs;
        let plain = plain.map(|n| space(name, &text, &["private", "--no-symmetry"], Some(n)));
        let symmetric = space(name, &text, &["private"], symmetric);
        let search = search.map(|n| {
            let args = ["check", "--system", "Sized", "--no-reduction", "proofs"];
            Case::new(
                format!("{name} (check)"),
                text.clone(),
                &args,
                "holds",
                Some(n),
            )
        });
        Row::new(name, move |sitting| {
            let mut count = |case: &Option<Case>| match case {
                Some(case) => sitting.measure(case).count(),
                None => "-".to_owned(),
            };
            let (plain, search) = (count(&plain), count(&search));
            let found = sitting.measure(&symmetric);
            let mut cells: Vec<String> = published.iter().map(|p| (*p).to_owned()).collect();
            cells.extend([figure_of(&found, "tree"), plain, found.count(), search]);
            cells
        })
    };
    let long = |row| Row { long: true, ..row };
    vec![
        row(
            "figure 1",
            figure(),
            ["-", "2,206,186 / 215,268"],
            [Some(68), Some(68), Some(3)],
        ),
        row(
            "N-S 1+1",
            ns(1, 1),
            ["1,208 / 1,208", "81 / 81"],
            [Some(40), Some(36), Some(4)],
        ),
        row(
            "N-S 1+2",
            ns(1, 2),
            ["1,227,415 / 613,713", "36,233 / 17,365"],
            [Some(896), Some(294), Some(12)],
        ),
        row(
            "N-S 2+2",
            ns(2, 2),
            ["-", "9,007,163 / 2,176,344"],
            [Some(14_962), Some(1207), Some(15)],
        ),
        row(
            "N-S 2+3",
            ns(2, 3),
            ["-", "- / 390,126,070"],
            [None, Some(13_330), Some(55)],
        ),
        long(row(
            "N-S 2+3, also without symmetry",
            ns(2, 3),
            ["-", "- / 390,126,070"],
            [Some(875_932), Some(13_330), Some(55)],
        )),
        row("N-S 3+3", ns(3, 3), ["-", "-"], [None, Some(49_233), None]),
        row(
            "WMF 3+3",
            wmf(3),
            ["-", "- / 40,959,126"],
            [Some(9004), Some(436), Some(7)],
        ),
        row("WMF 4+4", wmf(4), ["-", "-"], [None, Some(1560), None]),
    ]
}

fn costs() -> Vec<Row> {
    let row = |name: &str, text: String, symmetry: bool, private, classic: Option<Option<u64>>| {
        let args: &[&str] = if symmetry {
            &["private"]
        } else {
            &["private", "--no-symmetry"]
        };
        let private = space(name, &text, args, private);
        let classic = classic.map(|count| space(name, &text, &["classic"], count));
        Row::new(name, move |sitting| {
            let found = sitting.measure(&private);
            let rate = found.answer.count as f64 / found.cpu.max(1e-6);
            let mut cells = vec![found.count()];
            cells.extend(found.costs());
            let peak = cells.pop().unwrap_or_else(|| megabytes(found.peak));
            cells.push(format!("{rate:.0}"));
            cells.push(peak);
            cells.push(figure_of(&found, "bytes per state"));
            match &classic {
                None => cells.extend(["-", "-", "-"].map(str::to_owned)),
                Some(case) => {
                    let found = sitting.measure(case);
                    let two = found.clock2.map_or("-".to_owned(), seconds);
                    cells.extend([found.count(), found.cpu(), two]);
                }
            }
            cells
        })
    };
    let long = |row| Row { long: true, ..row };
    vec![
        row("N-S 2+2", ns(2, 2), true, Some(1207), Some(Some(2980))),
        row("N-S 2+3", ns(2, 3), true, Some(13_330), Some(Some(30_683))),
        long(row(
            "N-S 2+3 without symmetry",
            ns(2, 3),
            false,
            Some(875_932),
            None,
        )),
        row("N-S 3+3", ns(3, 3), true, Some(49_233), None),
        long(row(
            "N-S 3+3, both semantics",
            ns(3, 3),
            true,
            Some(49_233),
            Some(None),
        )),
        long(row("N-S 3+4", ns(3, 4), true, Some(705_584), None)),
        long(row("N-S 4+4", ns(4, 4), true, Some(2_495_867), None)),
        row("WMF 3+3", wmf(3), true, Some(436), Some(Some(1208))),
        row("WMF 4+4", wmf(4), true, Some(1560), Some(Some(5744))),
        row("WMF 5+5", wmf(5), true, Some(4758), Some(Some(22_537))),
    ]
}

fn late() -> Vec<Row> {
    let row = |name: &str, text: String, none: &'static str, symmetry: &'static str, count| {
        let case = space(name, &text, &["private", "--late"], Some(count));
        Row::new(name, move |sitting| {
            let found = sitting.measure(&case);
            vec![
                none.to_owned(),
                figure_of(&found, "tree"),
                symmetry.to_owned(),
                figure_of(&found, "tree with symmetry"),
                found.count(),
            ]
        })
    };
    vec![
        row("N-S 1+1", ns(1, 1), "81", "81", 35),
        row("N-S 1+2", ns(1, 2), "36,233", "17,365", 331),
        row("N-S 2+2", ns(2, 2), "9,007,163", "2,176,344", 1617),
        row("N-S 2+3", ns(2, 3), "-", "390,126,070", 23_249),
        row("WMF 3+3", wmf(3), "-", "40,959,126", 1200),
        row("figure 1", figure(), "2,206,186", "215,268", 78),
    ]
}
