//! Simple systems, with a channel for each thread: compressed runs tell as much as all runs.

use crate::pairs;
use crate::reference;
use pairs::Systems;
use reference::process::{P, Style, T, near_miss};
use reference::random::seeds;
use spi::analysis::{Comparison, Settings, compare_claim};
use spi::base::limits::Silent;
use spi::base::source::SourceFile;
use spi::engine::equiv::Reductions;
use spi::lang::sema::check_text;
use spi::process::TupleMode;
use spi::term::TermStore;

const CHANNELS: &str = "channel c, d, e1, e2, e3, e4  public a, b, ok";

/// The process with one channel for everything that it does, and without forks.
fn on(channel: &str, p: &P) -> P {
    let c = || T::Atom(channel.to_owned());
    let next = |p: &P| Box::new(on(channel, p));
    match p {
        P::Nil => P::Nil,
        P::Par(parts) => parts.first().map_or(P::Nil, |p| on(channel, p)),
        P::New(n, p) => P::New(n.clone(), next(p)),
        P::Out(_, m, p) => P::Out(c(), m.clone(), next(p)),
        P::In(_, x, p) => P::In(c(), x.clone(), next(p)),
        P::Test(check, p, q) => P::Test(check.clone(), next(p), q.as_ref().map(|q| next(q))),
        P::Integer(t, p, x, q) => P::Integer(t.clone(), next(p), x.clone(), next(q)),
        P::Event(e, t, p) => P::Event(e.clone(), t.clone(), next(p)),
        P::Phase(n, p) => P::Phase(*n, next(p)),
    }
}

/// The system with a channel for each of its threads.
fn simple(p: &P) -> P {
    match p {
        P::New(n, p) => P::New(n.clone(), Box::new(simple(p))),
        P::Par(parts) => {
            let parts = parts.iter().take(4).enumerate();
            P::Par(parts.map(|(i, p)| on(&format!("e{}", i + 1), p)).collect())
        }
        other => on("e1", other),
    }
}

#[test]
fn compressed_runs_tell_as_much_as_all_runs() {
    let (mut same, mut different) = (0, 0);
    let (mut few, mut many) = (0, 0);
    for seed in seeds(300) {
        let style = Style {
            threads: 2 + (seed % 2) as usize,
            length: 3,
            ..Style::default()
        };
        let (p, q) = near_miss(seed + 31_000, style);
        let (p, q) = (simple(&p).to_string(), simple(&q).to_string());
        let systems = Systems::of(CHANNELS, &p, &q);
        let (answer, stats) = systems.compare(&pairs::default());
        let mut all = pairs::default();
        all.reductions.compress = false;
        let (expected, full) = systems.compare(&all);
        assert_eq!(answer, expected, "{p}\n{q}");
        if seed % 5 == 0 {
            let mut tree = pairs::default();
            tree.reductions = Reductions {
                compress: true,
                ..Reductions::none()
            };
            tree.reversed = true;
            assert_eq!(systems.compare(&tree).0, expected, "{p}\n{q}");
        }
        match answer {
            Some(true) => same += 1,
            _ => different += 1,
        }
        few += stats.nodes;
        many += full.nodes;
    }
    assert!(same > 50 && different > 50, "{same} {different}");
    assert!(few < many, "{few} {many}");
}

/// Compares two processes, through the pipeline.
fn compared(p: &str, q: &str, compression: bool) -> Comparison {
    let text = format!("{CHANNELS}\npartial system P = {p}\npartial system Q = {q}\nP ~ Q\n");
    let store = TermStore::new();
    let file = SourceFile::anonymous("pair.spi", &text);
    let checked = check_text(&file, &store, TupleMode::Nested);
    assert!(checked.is_sound(), "{:?}", checked.diagnostics);
    let settings = Settings {
        compression,
        ..Settings::default()
    };
    let claim = &checked.program.claims[0].kind;
    compare_claim(&store, &checked.program, claim, &settings, &Silent)
        .expect("the claim compares")
        .expect("the systems unfold")
}

#[test]
fn the_test_that_is_shown_is_a_shortest_one() {
    let mut different = 0;
    for seed in seeds(80) {
        let style = Style {
            threads: 2 + (seed % 2) as usize,
            length: 3,
            ..Style::default()
        };
        let (p, q) = near_miss(seed + 47_000, style);
        let (p, q) = (simple(&p).to_string(), simple(&q).to_string());
        let found = [true, false].map(|compression| {
            let found = compared(&p, &q, compression);
            let told = found.refutation()?;
            assert!(told.shortest, "{p}\n{q}");
            Some(told.experiment.actions.len())
        });
        assert_eq!(found[0], found[1], "{p}\n{q}");
        different += u32::from(found[0].is_some());
    }
    assert!(different > 20, "{different}");
}

#[test]
fn equal_sessions_on_channels_of_their_own_are_interchangeable() {
    let session = |c: &str| format!("new k. {c}(x). {c}<{{x}}k>. {c}(y). [y is {{a}}k] {c}<ok>");
    let all: Vec<String> = ["e1", "e2", "e3", "e4"].map(session).into();
    let nodes = |sessions: &[String], renaming: bool| {
        let text: Vec<String> = sessions.iter().map(|s| format!("( {s} )")).collect();
        let text = format!("( {} )", text.join(" | "));
        let other = text
            .replacen("{a}k", "{b}k", 1)
            .replacen("e1<ok>", "e1<ok, ok>", 1);
        let mut options = pairs::default();
        options.reductions.public_renaming = renaming;
        options.reductions.reflexive = false;
        assert_eq!(
            Systems::of(CHANNELS, &text, &other).compare(&options).0,
            Some(false)
        );
        let (answer, stats) = Systems::of(CHANNELS, &text, &text).compare(&options);
        assert_eq!(answer, Some(true));
        stats.nodes
    };
    for n in 2..=4 {
        let (few, many) = (nodes(&all[..n], true), nodes(&all[..n], false));
        assert!(few < many, "{n} sessions: {few} {many}");
    }
}

#[test]
fn the_condition_is_checked() {
    // Threads that share a channel, or fork, or use two channels: in full, whatever the option says.
    let pairs = [
        ("( e1<a> | e2<b> )", "e1<a>. e2<b>", false),
        ("( e1<a> | e1<b> )", "e1<a>. e1<b>", false),
        ("( e1<a> | e1<a> )", "e1<a>. e1<a>", true),
        ("e1(x). ( e1<a> | e1<b> )", "e1(x). e1<a>. e1<b>", false),
        (
            "( e1(x). e1<x> | e2<a> )",
            "( e1(x). e1<x> | e2<b> )",
            false,
        ),
        ("( e1(x). e1(y). e2<x> )", "( e1(x). e1(y). e2<y> )", false),
        // Unfinished blocks of different threads are not lost.
        (
            "( e1(x). [x is a] e1(y). e1<ok> | e2(x) )",
            "( e1(x). e1(y). [x is a] e1<ok> | e2(x) )",
            false,
        ),
        (
            "( e1(x). e1(y). [x is y] e1<ok> | e2(x). e2<x> )",
            "( e1(x). e1(y). [y is x] e1<ok> | e2(x). e2<x> )",
            true,
        ),
    ];
    for (p, q, expected) in pairs {
        let systems = Systems::of(CHANNELS, p, q);
        assert_eq!(
            systems.compare(&pairs::default()).0,
            Some(expected),
            "{p}\n{q}"
        );
    }
}
