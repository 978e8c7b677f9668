//! Every attack that is found is written as a process that breaks the claim when it is replayed, with the options that it was
//! found with.

use crate::reference;
use crate::support::is_large;
use reference::mixture::Form;
use reference::random::{Random, seeds};
use reference::{exchange, locks, mixture, noticing, process, protocol, roles};
use spi::analysis::{
    Attack, Effect, Kept, LimitSpec, Opponent, Settings, Subject, Verdict, check_claim,
    replay_attack,
};
use spi::base::limits::Silent;
use spi::base::source::SourceMap;
use spi::lang::sema::{check_attack, check_text};
use spi::present::report::{Context, Story, attack_file, reference as told};
use spi::process::{ClaimKind, TupleMode};
use spi::term::TermStore;
use std::path::Path;

/// The ways to look for an attack that a replay can follow.
fn ways() -> Vec<(&'static str, Settings)> {
    let plain = Settings {
        proofs: false,
        compare_typed: false,
        limits: LimitSpec {
            states: Some(3_000),
            ..LimitSpec::default()
        },
        ..Settings::default()
    };
    let mut transparent = plain;
    transparent.search.transparent = true;
    let typed = Settings {
        typed: true,
        ..plain
    };
    let sessions = Settings {
        sessions: Some(2),
        ..plain
    };
    vec![
        ("as it is", plain),
        ("typed", typed),
        ("transparent", transparent),
        ("two sessions", sessions),
    ]
}

/// Replays every attack on a file; how many there are.
fn replay_all(name: &str, text: &str, (way, settings): &(&str, Settings)) -> usize {
    let store = TermStore::new();
    let mut map = SourceMap::new();
    let file = map.add(name, text);
    let nested = check_text(&file, &store, TupleMode::Nested);
    if !nested.is_sound() {
        // A claim of a random file may be about what nobody does.
        return 0;
    }
    let flat = check_text(&file, &store, TupleMode::Flat);
    let subject = Subject {
        store: &store,
        nested: &nested.program,
        flat: &flat.program,
        kept: &Kept::new(),
    };
    let (program, tuples) = if settings.typed {
        (&flat.program, TupleMode::Flat)
    } else {
        (&nested.program, TupleMode::Nested)
    };
    let ctx = Context {
        store: &store,
        program,
        map: &map,
    };
    let mut count = 0;
    for (i, (n, f)) in (nested.program.claims.iter().zip(&flat.program.claims)).enumerate() {
        if matches!(
            n.kind,
            ClaimKind::Equivalence(..) | ClaimKind::Preorder(..) | ClaimKind::StrongSecrecy { .. }
        ) {
            continue;
        }
        let Ok(result) = check_claim(&subject, n, f, settings, &Silent) else {
            continue;
        };
        let runs: Vec<&Attack> = match &result.verdict {
            Verdict::Attack(attacks) => attacks.iter().collect(),
            Verdict::Holds { run: Some(run) } => vec![run],
            _ => Vec::new(),
        };
        for run in runs {
            let story = Story::of_attack(ctx, &told(ctx, &result), run);
            let emitted = attack_file(ctx, &result.claim, run, &story, "replay");
            let about = || format!("{name}, {way}: {}\n{emitted}\n{text}", n.text);
            let mut map = map.clone();
            let attack = map.add("attack.spi", &emitted);
            let models = std::slice::from_ref(&file);
            let read = check_attack(&mut map, models, &attack, &store, tuples);
            assert!(
                read.checked.diagnostics.is_empty(),
                "{:?}\n{}",
                read.checked.diagnostics,
                about()
            );
            let opponent = Opponent {
                program: &read.checked.program,
                system: read.system.unwrap_or_else(|| panic!("{}", about())),
                own: &read.own,
            };
            let again = replay_attack(
                &store,
                program,
                &program.claims[i],
                opponent,
                settings,
                &Silent,
            )
            .unwrap_or_else(|e| panic!("{e:?}\n{}", about()));
            let broken = matches!(again.effect, Effect::Breaks { .. });
            assert!(broken, "{}", about());
            count += 1;
        }
    }
    count
}

fn all_replay(seeds: std::ops::Range<u64>, text: impl Fn(u64) -> String) {
    for way in ways() {
        let attacks: usize = seeds
            .clone()
            .map(|seed| replay_all(&format!("seed {seed}"), &text(seed), &way))
            .sum();
        eprintln!("{}: {attacks} attacks", way.0);
    }
}

#[test]
fn attacks_on_random_protocols() {
    all_replay(seeds(40), protocol::file);
}

#[test]
fn attacks_on_random_processes() {
    all_replay(seeds(60), |seed| {
        let style = process::Style {
            mobile: seed % 2 == 0,
            ..process::Style::default()
        };
        process::claims_file(seed, style)
    });
}

#[test]
fn attacks_on_random_exchanges() {
    all_replay(seeds(60), |seed| {
        exchange::some_claims_file(seed, process::Style::default())
    });
}

#[test]
fn attacks_on_random_mixtures() {
    all_replay(seeds(40), |seed| mixture::file(seed, Form::Threads));
    all_replay(seeds(40), |seed| mixture::file(seed, Form::Roles));
}

#[test]
fn attacks_on_random_locks() {
    all_replay(seeds(20), locks::file);
}

#[test]
fn attacks_that_nobody_notices() {
    all_replay(seeds(60), noticing::file);
}

/// The text with types for names, and for the variables of most inputs.
fn with_types(seed: u64, text: &str) -> String {
    let mut random = Random::new(seed);
    let mut typed = String::new();
    let mut rest = text;
    // Inputs are written `c(x1).` here.
    while let Some(at) = rest.find("(x") {
        let (before, input) = rest.split_at(at);
        typed += before;
        let end = 2 + input[2..].chars().take_while(char::is_ascii_digit).count();
        typed += &input[..end];
        rest = &input[end..];
        let types = ["Nonce", "Sym", "Name", "Data", "Agent", "Msg"];
        if rest.starts_with(").") && !random.one_in(3) {
            typed += ": ";
            typed += *random.pick(&types);
        }
    }
    typed += rest;
    for (name, ty) in [
        ("k", "Sym"),
        ("s", "Data"),
        ("t", "Sym"),
        ("m", "Nonce"),
        ("Na", "Nonce"),
    ] {
        if random.one_in(2) {
            typed = typed.replace(&format!("new {name}."), &format!("new {name}: {ty}."));
        }
    }
    typed
}

#[test]
fn attacks_that_keep_to_types() {
    all_replay(seeds(60), |seed| with_types(seed, &noticing::file(seed)));
    all_replay(seeds(20), |seed| with_types(seed, &protocol::file(seed)));
}

#[test]
fn attacks_on_random_role_instances() {
    all_replay(seeds(30), |seed| roles::Stage::new(seed).written());
}

#[test]
fn attacks_on_the_library() {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols")];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(folder)
            .expect("the library is there")
            .map(|e| e.expect("an entry").path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "spi") && !is_large(&path) {
                let text = std::fs::read_to_string(&path).expect("it is text");
                let name = path.display().to_string();
                count += replay_all(&name, &text, &ways()[0]);
                count += replay_all(&name, &text, &ways()[1]);
                count += replay_all(&name, &text, &ways()[2]);
            }
        }
    }
    assert!(count > 100, "{count}");
}
