//! Equivalence for any number of copies: what is closed with some copies is so with more, and nothing tells such systems apart with few.

use crate::pairs;
use crate::reference;
use pairs::Systems;
use reference::process::{P, Style, near_miss};
use reference::random::{Random, seeds};
use spi::analysis::{self, ComparisonVerdict, Operand, Settings, compare_systems};
use spi::base::limits::{Budgets, Limits, Silent};
use spi::engine::equiv::{AnyNumber, Options, Surroundings, any_number};
use spi::lang::sema::system_from_process;
use spi::process::{
    Bounds, Closed, Program, Repetition, Shapes, System, TupleMode, unfold, unfold_repeated,
};
use spi::term::TermStore;

const NAMES: &str = "channel c, d  public a, b, ok";

/// Two processes with `!`, checked.
struct Pair {
    store: TermStore,
    programs: [Program; 2],
}

impl Pair {
    fn new(left: &str, right: &str) -> Self {
        Self::declared(NAMES, left, right)
    }

    fn declared(declarations: &str, left: &str, right: &str) -> Self {
        let store = TermStore::new();
        let programs = [left, right].map(|process| {
            let checked = system_from_process(declarations, process, &store, TupleMode::Nested);
            checked.unwrap_or_else(|d| panic!("{process}\n{d:#?}")).0
        });
        Self { store, programs }
    }

    fn closed(&self, side: usize) -> Closed {
        Closed::new(self.programs[side].system_named("P").expect("P"), vec![])
    }

    /// What the analysis says of any number of copies.
    fn analysed(&self, steps: usize) -> (Option<analysis::AnyNumber>, ComparisonVerdict) {
        let closed = [self.closed(0), self.closed(1)];
        let operand = |side: usize| Operand {
            program: &self.programs[side],
            closed: &closed[side],
        };
        let mut settings = Settings {
            budgets: Budgets {
                copied_steps: steps,
                cone_steps: 2_000,
                ..Budgets::default()
            },
            ..Settings::default()
        };
        settings.limits.states = Some(400);
        settings.search.workers = 1;
        let (store, left, right) = (&self.store, operand(0), operand(1));
        let comparison = compare_systems(store, left, right, false, &settings, &Silent);
        let comparison = comparison.expect("it unfolds");
        (comparison.any_number, comparison.verdict)
    }

    /// What role by role says of so many copies, `!` matched as they are written; the runs and looks if it is closed.
    fn with(&self, copies: u32) -> Option<(u64, u64)> {
        let mut shapes = Shapes::new();
        let bounds = Bounds {
            copies,
            ..Bounds::default()
        };
        let mut one = |side: usize| {
            let repetition = Repetition::default();
            let (program, closed) = (&self.programs[side], self.closed(side));
            let store = &self.store;
            unfold_repeated(program, store, &closed, bounds, &mut shapes, &repetition)
        };
        let (left, right) = (one(0).expect("left"), one(1).expect("right"));
        let options = Options {
            budgets: Budgets {
                copied_steps: 100_000,
                ..Budgets::default()
            },
            ..pairs::everything()
        };
        let around = Surroundings::default();
        match any_number(&self.store, &left, &right, &around, &options, &Silent) {
            AnyNumber::Closed(stats) => Some((stats.nodes, stats.configurations)),
            _ => None,
        }
    }

    /// What the joint exploration says of so many copies, in either semantics; `None` if it does not know.
    fn explored(self, copies: u32, states: u64) -> Option<bool> {
        let mut shapes = Shapes::new();
        let bounds = Bounds {
            copies,
            ..Bounds::default()
        };
        let closed = [self.closed(0), self.closed(1)];
        let mut one = |side: usize| -> System {
            let program = &self.programs[side];
            unfold(program, &self.store, &closed[side], bounds, &mut shapes).expect("it unfolds")
        };
        let (left, right) = (one(0), one(1));
        let systems = Systems {
            store: self.store,
            left,
            right,
            knows: Vec::new(),
            spies: Vec::new(),
        };
        let options = Options {
            limits: Limits {
                states: Some(states),
                ..Limits::default()
            },
            ..pairs::default()
        };
        systems.compare(&options).0
    }
}

fn is_closed(left: &str, right: &str) -> Option<u32> {
    match Pair::new(left, right).analysed(100_000) {
        (Some(analysis::AnyNumber::Closed(n)), verdict) => {
            assert!(matches!(verdict, ComparisonVerdict::Equivalent));
            Some(n)
        }
        _ => None,
    }
}

/// The threads of a random process, without the names that it makes.
fn threads(process: &P) -> Vec<String> {
    match process {
        P::New(_, inner) => threads(inner),
        P::Par(parts) => parts.iter().map(|p| format!("( {p} )")).collect(),
        other => vec![format!("( {other} )")],
    }
}

/// Ways to put threads under `!`. Those of two sides that are compared nest `!` to the same depth.
fn placed(way: usize, parts: &[String]) -> String {
    let each = |before: &str| {
        let parts: Vec<String> = parts.iter().map(|p| format!("{before}{p}")).collect();
        format!("( {} )", parts.join(" | "))
    };
    let first = |before: &str| {
        let parts = parts.iter().enumerate();
        let parts: Vec<String> = parts
            .map(|(i, p)| {
                if i == 0 {
                    p.clone()
                } else {
                    format!("{before}{p}")
                }
            })
            .collect();
        format!("( {} )", parts.join(" | "))
    };
    match way {
        0 => format!("new k. new n. new s. {}", each("!")),
        1 => format!("new k. new s. {}", each("!new n. ")),
        2 => format!("new k. {}", each("!new n. new s. ")),
        3 => format!("new s. !new k. new n. {}", each("")),
        4 => format!("new k. !new n. new s. {}", each("")),
        5 => format!("new k. new n. new s. {}", first("!")),
        6 => format!("new k. new s. ( {} | a<0> )", each("!new n. ")),
        // One `!` in another.
        7 => format!("new s. !new k. {}", each("!new n. ")),
        8 => format!("new s. !new k. !new n. {}", each("")),
        9 => format!("new s. !!new k. new n. {}", each("")),
        10 => format!("new s. !!new n. new k. {}", each("")),
        // After an action.
        11 => format!("new k. new n. c(x0). new s. {}", each("!")),
        _ => format!("new k. c<k>. !new n. new s. d(y0). {}", each("")),
    }
}

/// A random pair of systems with `!`.
fn pair(seed: u64) -> [String; 2] {
    let mut random = Random::new(seed);
    let style = Style {
        threads: 2,
        length: 1 + random.below(3),
        depth: 1 + random.below(2),
        otherwise: random.one_in(2),
        forks: random.one_in(6),
        ..Style::default()
    };
    let (p, q) = near_miss(seed + 91_000, style);
    let (left, right) = match random.below(4) {
        0 => (random.below(7), random.below(7)),
        1 => (7 + random.below(4), 7 + random.below(4)),
        _ => {
            let way = random.below(13);
            (way, way)
        }
    };
    let q = if random.one_in(3) { &p } else { &q };
    [placed(left, &threads(&p)), placed(right, &threads(q))]
}

#[test]
fn closed_systems_are_equivalent_with_few_copies_and_closed_with_more() {
    let (mut closed, mut open, mut other, mut explored) = (0, 0, 0, 0);
    for seed in seeds(120) {
        let [p, q] = pair(seed);
        let n = match Pair::new(&p, &q).analysed(8_000) {
            (Some(analysis::AnyNumber::Closed(n)), _) => n,
            (Some(analysis::AnyNumber::Open(_)), _) => {
                open += 1;
                continue;
            }
            (None, _) => {
                other += 1;
                continue;
            }
        };
        closed += 1;
        for copies in 1..=3 {
            let answer = Pair::new(&p, &q).explored(copies, 250);
            assert_ne!(answer, Some(false), "{seed}: {copies} copies\n{p}\n{q}");
            explored += u32::from(answer.is_some());
        }
        if let Some(counts) = Pair::new(&p, &q).with(n) {
            for more in 1..=2 {
                let again = Pair::new(&p, &q).with(n + more);
                assert_eq!(Some(counts), again, "{seed}: {n} + {more} copies\n{p}\n{q}");
            }
        }
    }
    println!("{closed} closed, {open} open, {other} other, {explored} explored");
    assert!(closed > 20 && other > 20, "{closed} {open} {other}");
    assert!(explored > closed, "{explored}");
}

/// A role that makes one step of a way of so many steps, and what is seen at its end.
fn steps(count: usize, end: &str) -> String {
    let mut role = format!("case x of {{y}}k{} in ( c<{end}> )", count - 1);
    for i in (0..count - 1).rev() {
        let next = i + 1;
        role = format!("case x of {{y}}k{i} in ( c<{{y}}k{next}> ) else ( {role} )");
    }
    let names: Vec<String> = (0..count).map(|i| format!("new k{i}. ")).collect();
    let names = names.concat();
    format!("{names}( c<{{a}}k0> | !c(x). {role} )")
}

#[test]
fn a_difference_that_needs_so_many_copies_is_not_missed() {
    for count in 2..=6 {
        let (left, right) = (steps(count, "ok"), steps(count, "b"));
        assert_eq!(is_closed(&left, &right), None, "{count} steps");
        let pair = Pair::new(&left, &right);
        for copies in 2..=count as u32 + 1 {
            assert_eq!(pair.with(copies), None, "{count} steps, {copies} copies");
        }
        // Without the difference it closes, when there is room for two ways to each step but the last.
        if count > 4 {
            continue;
        }
        let (pair, enough) = (Pair::new(&left, &left), 2 * count as u32 - 1);
        for copies in 2..enough {
            assert_eq!(pair.with(copies), None, "{count} steps, {copies} copies");
        }
        assert!(pair.with(enough).is_some(), "{count} steps");
    }
}

#[test]
fn chains_are_never_closed() {
    let chain = |first: &str| {
        format!("new k. new s. ( c<{{{first}}}k> | !c(x). case x of {{y}}k in c<{{H(y)}}k> )")
    };
    for copies in 2..=5 {
        assert_eq!(Pair::new(&chain("s"), &chain("H(s)")).with(copies), None);
        assert_eq!(Pair::new(&chain("s"), &chain("s")).with(copies), None);
    }
    assert_eq!(is_closed(&chain("s"), &chain("(s, s)")), None);
}

/// Asserts that the systems are not said to be equivalent for any number of copies, in either order.
fn not_closed(left: &str, right: &str) {
    for (left, right) in [(left, right), (right, left)] {
        assert_eq!(is_closed(left, right), None, "{left}\n{right}");
    }
}

/// Asserts that the systems are equivalent for any number of copies, in either order.
fn closed(left: &str, right: &str) {
    for (left, right) in [(left, right), (right, left)] {
        assert!(is_closed(left, right).is_some(), "{left}\n{right}");
    }
}

#[test]
fn a_name_made_outside_is_not_the_copies_own() {
    not_closed("new k. !c<{a}k>", "!new k. c<{a}k>");
    not_closed("new k. !c<H(k)>", "!new k. c<H(k)>");
    not_closed("new k. new n. !c<{n}k>", "new k. !new n. c<{n}k>");
    closed("new k. !new n. c<{n}k>", "!new k. new n. c<{n}k>");
    // The same one `!` further in.
    not_closed("!new k. !c<{a}k>", "!!new k. c<{a}k>");
    not_closed("!new k. !c<{a}k>", "!new k. c<{a}k>");
    // With one copy nobody can tell.
    assert_eq!(
        Pair::new("new k. !c<{a}k>", "!new k. c<{a}k>").with(1),
        None
    );
    closed("!new k. !new n. c<{n}k>", "!new k. new n. c<{n}k>");
}

#[test]
fn two_copies_may_be_needed_at_once() {
    let asks = |same: &str, other: &str| {
        format!(
            "new k. ( !new n. c<{{n}}k> | c(x). c(y). case x of {{v}}k in case y of {{w}}k in [v is w] d<{same}> else d<{other}> )"
        )
    };
    not_closed(&asks("a", "b"), &asks("a", "ok"));
    not_closed(&asks("a", "b"), &asks("ok", "b"));
    closed(&asks("a", "b"), &asks("a", "b"));
    // Three that differ.
    let three = |seen: &str| {
        format!(
            "new k. ( !new n. c<{{n}}k> | c(x). c(y). c(z). case x of {{u}}k in case y of {{v}}k in case z of {{w}}k in [u is v] 0 else [v is w] 0 else [u is w] 0 else d<{seen}> )"
        )
    };
    not_closed(&three("a"), &three("b"));
    closed(&three("a"), &three("a"));
}

#[test]
fn classes_that_share_a_key_work_together() {
    let system = |answer: &str| {
        format!(
            "new k. new l. new s. ( !new n. c<{{n}}k> | !c(x). case x of {{y}}k in d<{{(y, s)}}l> | !d(x). case x of {{(y, z)}}l in d<{answer}> )"
        )
    };
    not_closed(&system("H(z)"), &system("H(y)"));
    closed(&system("H((y, z))"), &system("H((z, y))"));
}

#[test]
fn identities_are_bundles() {
    let tag = "c(x). new n. c<{(n, x)}k>";
    // Who is seen again can't be told from somebody else.
    closed(&format!("!new k. !{tag}"), &format!("!new k. {tag}"));
    // A reader and its tag are copied together.
    let both = "( new n. c<{n}k> | c(x). case x of {y}k in c<H(y)> )";
    closed(&format!("!new k. {both}"), &format!("!new k. {both}"));
    not_closed(&format!("!new k. {both}"), &format!("new k. !{both}"));
    // Without what makes each answer a different one, tags can be traced.
    not_closed("!new k. !c(x). c<{x}k>", "!new k. c(x). c<{x}k>");
}

#[test]
fn copies_must_match_one_to_one() {
    // More of what is there already, but not as often.
    not_closed("!c<a>", "( c<a> | c<a> )");
    not_closed("!c<a>", "( c<a> | c<a> | c<a> )");
    not_closed("( !c<a> | c<b> )", "( !c<a> | c<b> | c<b> )");
    not_closed("!c(x). d<a>", "( c(x). d<a> | c(x). d<a> )");
    // One copy more or less does not matter.
    closed(
        "( !c(x). d<H(x)> | !d(x). c<x> )",
        "( !d(x). c<x> | !c(x). d<H(x)> )",
    );
    closed("!!c<a>", "!c<a>");
    closed("!( c<a> | !c<b> )", "!( c<a> | !!c<b> )");
}
