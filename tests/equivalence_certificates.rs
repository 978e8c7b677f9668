//! The checker of equivalences: it takes what the cones show, and refuses what was changed, or what can't be right.

use crate::pairs;
use crate::reference;
use pairs::Systems;
use reference::process::{P, Style, T, near_miss};
use reference::random::seeds;
use spi::base::limits::Silent;
use spi::base::source::SourceFile;
use spi::certify::Semantics;
use spi::certify::equivalence::{Certificate, EquivalenceError, Pair, Recipe, check, is_apart};
use spi::certify::file::{Asked, Header, read, written_equivalence};
use spi::engine::equiv::{Outcome, Shown, Surroundings, Way, compare_and_show};
use std::fmt::Write as _;
use std::sync::Arc;

const CHANNELS: &str = "channel c, d, e1, e2, e3, e4  public a, b, ok";

/// A ciphertext, its key, and somebody who waits for what is in it.
const LEFT: &str = "new k. new n. ( e1<{n}k> | e2(x). case x of {y}k in e2<H(y)> | e3<k>. e3(z). [z is n] e3<ok> )";
const RIGHT: &str = "new k. new n. ( e1<{H(n)}k> | e2(x). case x of {y}k in e2<H(y)> | e3<k>. e3(z). [z is H(n)] e3<ok> )";

fn around(systems: &Systems) -> Surroundings<'_> {
    Surroundings {
        knows: &systems.knows,
        spies: &systems.spies,
    }
}

/// What the cones say of two systems.
fn shown(systems: &Systems, symmetry: bool) -> (Outcome, Option<Shown>) {
    let mut options = pairs::explored();
    options.reductions.symmetry = symmetry;
    let (left, right) = (&systems.left, &systems.right);
    let around = around(systems);
    compare_and_show(&systems.store, left, right, &around, &options, &Silent)
}

fn checked(systems: &Systems, certificate: &Certificate) -> Result<(), EquivalenceError> {
    let pair = Pair {
        systems: [&systems.left, &systems.right],
        knows: &systems.knows,
        spies: &systems.spies,
    };
    check(&systems.store, pair, certificate, &|| false)
}

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

/// The system with a channel for each of its threads, the first thread twice.
fn simple(p: &P) -> P {
    match p {
        P::New(n, p) => P::New(n.clone(), Box::new(simple(p))),
        P::Par(parts) => {
            let again = parts.first().into_iter();
            let parts = parts.iter().take(3).chain(again).enumerate();
            P::Par(parts.map(|(i, p)| on(&format!("e{}", i + 1), p)).collect())
        }
        other => on("e1", other),
    }
}

#[test]
fn what_the_cones_call_equivalent_has_a_certificate_and_nothing_else_has() {
    let (mut taken, mut none, mut looks, mut others) = (0, 0, 0, 0);
    for seed in seeds(300) {
        let style = Style {
            threads: 2 + (seed % 2) as usize,
            length: 3 + usize::from(seed % 3 == 0),
            ..Style::default()
        };
        let (p, q) = near_miss(seed + 83_000, style);
        let (p, q) = (simple(&p).to_string(), simple(&q).to_string());
        let systems = Systems::of(CHANNELS, &p, &q);
        let (outcome, found) = shown(&systems, true);
        match outcome {
            Outcome::Equivalent(stats) if stats.way == Way::Cones => {
                // One that is not checked to its end is none; there are few.
                match found {
                    Some(found) => assert_eq!(checked(&systems, &found.certificate), Ok(())),
                    None => none += 1,
                }
                taken += 1;
            }
            Outcome::Distinguished(..) => {
                assert!(found.is_none());
                // All that either side can do, without a look at the other one.
                let mut forged = Certificate::default();
                let mut whole = true;
                for (side, system) in [&systems.left, &systems.right].into_iter().enumerate() {
                    let mut options = pairs::explored();
                    options.reductions.symmetry = false;
                    let around = around(&systems);
                    let (_, own) = compare_and_show(
                        &systems.store,
                        system,
                        system,
                        &around,
                        &options,
                        &Silent,
                    );
                    let Some(own) = own else {
                        whole = false;
                        continue;
                    };
                    let own = (*own.certificate).clone();
                    whole &= side == 0 || own.threads == forged.threads;
                    if side == 0 {
                        forged.threads.clone_from(&own.threads);
                        forged.bundles.clone_from(&own.bundles);
                        for bundle in &mut forged.bundles {
                            bundle.names = Default::default();
                        }
                    }
                    forged.facts[side].clone_from(&own.facts[side]);
                    forged.places[side].clone_from(&own.places[side]);
                }
                if !whole {
                    continue;
                }
                match checked(&systems, &forged) {
                    Err(EquivalenceError::Look { .. }) => looks += 1,
                    Err(_) => others += 1,
                    Ok(()) => panic!("not equivalent:\n{p}\n{q}"),
                }
            }
            _ => {}
        }
    }
    assert!(taken > 40 && none * 20 < taken, "{taken} {none}");
    assert!(looks > 20, "{looks} {others}");
}

#[test]
fn a_certificate_without_one_fact_or_place_is_refused() {
    let systems = Systems::of(CHANNELS, LEFT, RIGHT);
    let (_, found) = shown(&systems, true);
    let certificate = (*found.expect("they are equivalent").certificate).clone();
    assert_eq!(checked(&systems, &certificate), Ok(()));
    for side in [0, 1] {
        for at in 0..certificate.facts[side].len() {
            let mut fewer = certificate.clone();
            let fact = fewer.facts[side].remove(at);
            let told = checked(&systems, &fewer);
            assert!(told.is_err(), "without {fact:?}");
        }
        for at in 0..certificate.places[side].len() {
            let mut fewer = certificate.clone();
            let place = fewer.places[side].remove(at);
            let told = checked(&systems, &fewer);
            let missing = matches!(told, Err(EquivalenceError::Place { side: s, .. }) if s == side);
            assert!(missing, "without {place:?}: {told:?}");
        }
        // How one thing is computed, said of another.
        let facts = &certificate.facts[side];
        for (i, j) in (0..facts.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let mut changed = certificate.clone();
            changed.facts[side][i].recipe = facts[j].recipe.clone();
            assert!(checked(&systems, &changed).is_err(), "{i} as {j}");
        }
    }
    assert!(certificate.facts[0].len() > 3 && certificate.places[0].len() > 4);
}

#[test]
fn recipes_that_nobody_can_follow_are_refused() {
    let systems = Systems::of(CHANNELS, LEFT, RIGHT);
    let (_, found) = shown(&systems, true);
    let certificate = (*found.expect("they are equivalent").certificate).clone();
    let secret = systems.left.names[0].term;
    let store = &systems.store;
    let nothing = Arc::new(Recipe::Constant(store.zero()));
    let share = Recipe::Apply(spi::term::Op::Joint, vec![nothing.clone(), nothing]);
    for recipe in [Recipe::Constant(secret), Recipe::Choice(900), share] {
        let mut changed = certificate.clone();
        changed.facts[0][0].recipe = Arc::new(recipe);
        assert_eq!(
            checked(&systems, &changed),
            Err(EquivalenceError::Malformed)
        );
    }
    let mut changed = certificate.clone();
    changed.bundles.pop();
    assert!(checked(&systems, &changed).is_err());
    let mut changed = certificate;
    changed.threads.swap(0, 1);
    assert!(checked(&systems, &changed).is_err());
}

#[test]
fn what_is_no_exchange_is_refused() {
    let same = "new k. ( new n. e1<{n}k> | new n. e2<{n}k> )";
    let other = "new k. ( new n. e1<{n}k> | new n. e2<{k}n> )";
    let systems = Systems::of(CHANNELS, same, same);
    let certificate = shown(&systems, true)
        .1
        .expect("they are the same")
        .certificate;
    let classes: Vec<u32> = certificate.bundles[1..].iter().map(|b| b.class).collect();
    assert_eq!(classes, [0, 0], "one can take the place of the other");
    // The same bundles are said to be interchangeable where they are not.
    let systems = Systems::of(CHANNELS, other, other);
    let own = shown(&systems, true)
        .1
        .expect("they are the same")
        .certificate;
    let mut forged = (*own).clone();
    for bundle in &mut forged.bundles[1..] {
        bundle.class = 0;
    }
    let told = checked(&systems, &forged);
    assert_eq!(told, Err(EquivalenceError::Exchange { bundle: 2 }));
}

#[test]
fn systems_on_one_channel_are_shown_with_a_channel_for_each_process() {
    let [left, right] = [LEFT, RIGHT].map(|p| {
        ["e1", "e2", "e3"]
            .iter()
            .fold(p.to_owned(), |p, e| p.replace(e, "c"))
    });
    let systems = Systems::of(CHANNELS, &left, &right);
    let (outcome, found) = shown(&systems, true);
    assert!(
        matches!(outcome, Outcome::Equivalent(s) if s.by_role),
        "{outcome:?}"
    );
    let found = found.expect("a certificate");
    let apart = found.apart.expect("other systems");
    let given = [&systems.left, &systems.right];
    let store = &systems.store;
    assert!(is_apart(store, given, [&apart[0], &apart[1]]));
    assert!(!is_apart(
        store,
        [&systems.right, &systems.left],
        [&apart[0], &apart[1]]
    ));
    // Two processes on one channel are what nobody can tell apart.
    assert!(checked(&systems, &found.certificate).is_err());
    let header = header();
    let text = written_equivalence(store, given, Some(&apart), &header, &found.certificate);
    let file = SourceFile::anonymous("c.cert", &text.expect("it has a spelling"));
    let draft = read(&file).expect("a header");
    assert_eq!(draft.header, header);
    let again = draft.equivalence(store, given).expect("it is read");
    assert_eq!(again.certificate, *found.certificate);
    let read = again.apart.expect("other systems");
    assert!(is_apart(store, given, [&read[0], &read[1]]));
}

fn header() -> Header {
    Header {
        models: vec![1, 2],
        asked: Asked::Systems {
            left: Some("S".into()),
            right: None,
            preorder: false,
        },
        typed: false,
        unfold: 0,
        copies: 2,
        sessions: None,
        wider: false,
        semantics: Semantics::Classic,
    }
}

#[test]
fn whatever_stands_in_a_certificate_of_an_equivalence_reading_ends() {
    let systems = Systems::of(CHANNELS, LEFT, RIGHT);
    let found = shown(&systems, true).1.expect("they are equivalent");
    let given = [&systems.left, &systems.right];
    let text = written_equivalence(&systems.store, given, None, &header(), &found.certificate);
    let text = text.expect("it has a spelling");
    let verified = |text: &str| {
        let file = SourceFile::anonymous("c.cert", text);
        let draft = read(&file).ok()?;
        let read = draft.equivalence(&systems.store, given).ok()?;
        if read.apart.is_some() {
            return None;
        }
        checked(&systems, &read.certificate).ok()
    };
    assert!(verified(&text).is_some());
    for end in (0..text.trim_end().len()).step_by(7) {
        assert!(verified(&text[..end]).is_none(), "cut off at {end}");
    }
    let lines: Vec<&str> = text.lines().collect();
    for at in 0..lines.len() {
        let mut fewer = lines.clone();
        fewer.remove(at);
        // Without the first bundle the second one is everything.
        let told = verified(&fewer.join("\n"));
        let bundle = lines[at].starts_with("bundle");
        assert!(told.is_none() || bundle, "without `{}`", lines[at]);
    }
    // Recipes that double again and again are not written out.
    let start = text.find("0 = ").expect("a recipe");
    let mut doubled = text[..start].to_owned() + "0 = choice 0\n";
    for i in 1..64 {
        let before = i - 1;
        writeln!(doubled, "{i} = apply tuple ( {before} {before} )").expect("a string");
    }
    doubled += "fact left 63 choices 1 clock sends\nend\n";
    assert!(verified(&doubled).is_none());
    let mut seed = 5_u64;
    let mut next = |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % below
    };
    let scraps = [
        " ",
        "0",
        "1",
        "65535",
        "\n",
        ":",
        "=",
        "heard 0:0",
        "choices 99999",
        "left",
        "\"",
        "end",
    ];
    for _ in 0..500 {
        let mut changed = text.clone();
        let at = next(changed.len());
        let to = (at + next(4)).min(changed.len());
        changed.replace_range(at..to, scraps[next(scraps.len())]);
        // What is taken all the same is right by itself: the systems are equivalent.
        verified(&changed);
    }
}
