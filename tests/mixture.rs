//! Systems that mix features, by all engines: proofs against the search, the search against itself without its reductions and against
//! brute force, comparisons in all ways.

use crate::pairs;
use crate::reference;
use pairs::{Systems, all_ways};
use reference::mixture::{self, Form, Style};
use reference::random::seeds;
use reference::{attack, load, trace};
use spi::analysis::{Kept, LimitSpec, Settings, Subject, Verdict, check_claim};
use spi::base::limits::Silent;
use spi::base::source::SourceFile;
use spi::engine::equiv::{self, Semantics};
use spi::engine::search::Options;
use spi::lang::sema::check_text;
use spi::process::{ClaimKind, Proc, ProcId, Program, TupleMode};
use spi::term::TermStore;

/// A file that is right, lowered twice.
struct Case {
    text: String,
    store: TermStore,
    nested: Program,
    flat: Program,
}

impl Case {
    /// `None` if there is something wrong with the text.
    fn new(text: String) -> Option<Self> {
        let store = TermStore::new();
        let file = SourceFile::anonymous("test.spi", text.as_str());
        let lowered = |tuples| {
            let checked = check_text(&file, &store, tuples);
            checked.is_sound().then_some(checked.program)
        };
        let (nested, flat) = (lowered(TupleMode::Nested)?, lowered(TupleMode::Flat)?);
        Some(Self {
            text,
            store,
            nested,
            flat,
        })
    }

    /// The same with each role instance at the top twice.
    fn doubled(&self) -> (Program, Program) {
        (doubled(&self.nested), doubled(&self.flat))
    }

    /// Whether a run is found for a claim: an attack, or a run that reaches the event.
    fn found(
        &self,
        (nested, flat): (&Program, &Program),
        claim: usize,
        settings: &Settings,
    ) -> Option<bool> {
        let subject = Subject {
            store: &self.store,
            nested,
            flat,
            kept: &Kept::new(),
        };
        let (nested, flat) = (&nested.claims[claim], &flat.claims[claim]);
        let result = check_claim(&subject, nested, flat, settings, &Silent).ok()?;
        let reachable = matches!(nested.kind, ClaimKind::Reachable { .. });
        match result.verdict {
            Verdict::Attack(_) => Some(true),
            Verdict::Holds { .. } => Some(reachable),
            Verdict::Unreachable => Some(false),
            Verdict::Inconclusive(_) | Verdict::Unconfirmed(_) => None,
            other => panic!("{}\n{other:?}\n{}", nested.text, self.text),
        }
    }
}

fn twice(program: &mut Program, root: ProcId) -> ProcId {
    let doubled = match program.proc(root).clone() {
        Proc::Par(parts) => Proc::Par(parts.into_iter().map(|p| twice(program, p)).collect()),
        Proc::New(sites, then) => Proc::New(sites, twice(program, then)),
        Proc::Call { .. } => Proc::Par(vec![root; 2]),
        _ => return root,
    };
    program.add(doubled)
}

fn doubled(program: &Program) -> Program {
    let mut doubled = program.clone();
    for i in 0..doubled.systems.len() {
        let root = doubled.systems[i].body.root;
        doubled.systems[i].body.root = twice(&mut doubled, root);
    }
    doubled
}

const ALL: Options = Options {
    eager: true,
    sharing: true,
    subsumption: true,
    symmetry: true,
    pruning: true,
    transparent: false,
    all: false,
    workers: 1,
};

fn settings(search: Options) -> Settings {
    Settings {
        search,
        proofs: false,
        compare_typed: false,
        limits: LimitSpec {
            states: Some(600),
            ..LimitSpec::default()
        },
        ..Settings::default()
    }
}

/// Each reduction switched off in turn, then proofs before the search.
fn variants() -> Vec<(&'static str, Settings)> {
    let off = |change: &dyn Fn(&mut Options)| {
        let mut options = ALL;
        change(&mut options);
        settings(options)
    };
    vec![
        ("nothing", settings(ALL)),
        ("eager", off(&|o| o.eager = false)),
        (
            "sharing",
            off(&|o| {
                o.sharing = false;
                o.subsumption = false;
            }),
        ),
        ("subsumption", off(&|o| o.subsumption = false)),
        ("symmetry", off(&|o| o.symmetry = false)),
        ("pruning", off(&|o| o.pruning = false)),
        (
            "proof",
            Settings {
                proofs: true,
                ..settings(ALL)
            },
        ),
    ]
}

/// With the change, all variants that come to an answer have the same.
fn agree(case: &Case, claim: usize, what: &str, change: &dyn Fn(&mut Settings)) -> Option<bool> {
    let mut first: Option<(&str, bool)> = None;
    for (name, mut settings) in variants() {
        change(&mut settings);
        let Some(found) = case.found((&case.nested, &case.flat), claim, &settings) else {
            continue;
        };
        let (other, expected) = *first.get_or_insert((name, found));
        assert_eq!(
            found, expected,
            "{what}: without {name} and without {other}: `{}`\n{}",
            case.nested.claims[claim].text, case.text
        );
    }
    first.map(|(_, found)| found)
}

fn check(seed: u64, form: Form, tally: &mut [u32; 4]) {
    let Some(case) = Case::new(mixture::file(seed, form)) else {
        tally[3] += 1;
        return;
    };
    let system = load::system(&case.store, &case.nested, "S");
    let knows = &case.nested.signature.knows;
    let limits = attack::Limits {
        states: 150,
        ..attack::Limits::default()
    };
    for (i, claim) in case.nested.claims.iter().enumerate() {
        let told = format!("seed {seed}, `{}`\n{}", claim.text, case.text);
        let found = agree(&case, i, "", &|_| {});
        let typed = agree(&case, i, "typed", &|s| s.typed = true);
        let transparent = agree(&case, i, "transparent", &|s| s.search.transparent = true);
        if found == Some(false) {
            assert_ne!(typed, Some(true), "only with types: {told}");
            assert_ne!(transparent, Some(true), "only transparent: {told}");
            let brute = attack::find(&case.store, &system, knows, &claim.kind, limits);
            if let attack::Answer::Found(witness) = brute {
                panic!("missed: {told}\n{witness:#?}");
            }
        }
        match found {
            Some(true) => tally[0] += 1,
            Some(false) => tally[1] += 1,
            None => tally[2] += 1,
        }
        if matches!(claim.kind, ClaimKind::Reachable { .. }) || found != Some(false) {
            continue;
        }
        let proving = Settings {
            proofs: true,
            ..settings(ALL)
        };
        let subject = Subject {
            store: &case.store,
            nested: &case.nested,
            flat: &case.flat,
            kept: &Kept::new(),
        };
        let flat = &case.flat.claims[i];
        let proved = check_claim(&subject, claim, flat, &proving, &Silent).expect("it unfolds");
        if proved.scope.proved.is_some() {
            let (nested, flat) = case.doubled();
            let twice = case.found((&nested, &flat), i, &settings(ALL));
            assert_ne!(twice, Some(true), "proved, but there twice: {told}");
        }
    }
}

#[test]
fn threads_have_the_same_verdicts_in_all_ways() {
    let mut tally = [0; 4];
    for seed in seeds(60) {
        check(seed, Form::Threads, &mut tally);
    }
    eprintln!("attacks, holds, unknown, refused: {tally:?}");
    assert!(tally[0] > 20 && tally[1] > 20, "{tally:?}");
}

#[test]
fn roles_have_the_same_verdicts_in_all_ways() {
    let mut tally = [0; 4];
    for seed in seeds(60) {
        check(seed + 1_000_000, Form::Roles, &mut tally);
    }
    eprintln!("attacks, holds, unknown, refused: {tally:?}");
    assert!(tally[0] > 20 && tally[1] > 20, "{tally:?}");
}

/// The answer that all ways give which give one, after a change of their options.
fn answer(systems: &Systems, told: &str, change: &dyn Fn(&mut equiv::Options)) -> Option<bool> {
    let mut first = None;
    for (n, mut options) in all_ways().into_iter().enumerate() {
        options.limits.states = Some(2_000);
        change(&mut options);
        let Some(answer) = systems.compare(&options).0 else {
            continue;
        };
        let (other, expected) = *first.get_or_insert((n, answer));
        assert_eq!(answer, expected, "way {n} and way {other}: {told}");
    }
    first.map(|(_, answer)| answer)
}

fn compare(seed: u64, style: Style, tally: &mut [u32; 3]) {
    let (header, [p, q]) = mixture::pair(seed, style);
    let text = format!("{header}partial system P = {p}\npartial system Q = {q}\n");
    if Case::new(text).is_none() {
        return;
    }
    let systems = Systems::of(&header, &p, &q);
    let told = format!("seed {seed}\n{header}  {p}\n  {q}");
    let Some(equal) = answer(&systems, &told, &|_| {}) else {
        tally[2] += 1;
        return;
    };
    tally[usize::from(!equal)] += 1;
    let private = answer(&systems, &format!("private, {told}"), &|o| {
        o.semantics = Semantics::Private;
    });
    if style == Style::Apart {
        // Nobody talks to anybody else.
        assert!(private.is_none_or(|p| p == equal), "private: {told}");
    }
    let below = |systems: &Systems| {
        let change = |o: &mut equiv::Options| o.preorder = true;
        answer(systems, &format!("preorder, {told}"), &change)
    };
    let (there, back) = (below(&systems), below(&Systems::of(&header, &q, &p)));
    if let (Some(there), Some(back)) = (there, back) {
        assert_eq!(equal, there && back, "{there} {back}: {told}");
    }
    if equal {
        let limits = trace::Limits {
            nodes: 150,
            configs: 40,
            ..trace::Limits::default()
        };
        let (left, right) = (&systems.left, &systems.right);
        let found = trace::compare(&systems.store, left, right, &systems.knows, limits);
        if let trace::Answer::Different(e) = found {
            panic!("{told}\n{}", e.test_process(&systems.store, &[]));
        }
    }
}

fn compare_all(first: u64, style: Style) {
    let mut tally = [0; 3];
    for seed in seeds(50) {
        compare(seed + first, style, &mut tally);
    }
    eprintln!("equivalent, different, unknown: {tally:?}");
    assert!(tally[0] > 3 && tally[1] > 3, "{tally:?}");
}

#[test]
fn open_pairs_compare_the_same_in_all_ways() {
    compare_all(0, Style::Open);
}

#[test]
fn pairs_apart_compare_the_same_in_all_ways() {
    compare_all(2_000_000, Style::Apart);
}

#[test]
fn shared_pairs_compare_the_same_in_all_ways() {
    compare_all(3_000_000, Style::Shared);
}
