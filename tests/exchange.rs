//! Diffie-Hellman in all engines: against brute force, one engine against another, and with exponents exchanged.
//!
//! `SPI_SEEDS` asks for more systems.

use crate::pairs;
use crate::reference;
use crate::support;
use crate::support::space;
use pairs::{Systems, all_ways};
use reference::exchange::{self, HEADER, Spelling};
use reference::process::Style;
use reference::random::seeds;
use reference::{attack, load, trace};
use spi::analysis::{Kept, Settings, Subject, Verdict, check_claim};
use spi::base::limits::Silent;
use spi::engine::search::Options;
use spi::process::{ClaimKind, Program, TupleMode};
use spi::term::TermStore;
use support::words;

/// A file in both lowerings.
struct Case {
    text: String,
    store: TermStore,
    nested: Program,
    flat: Program,
}

impl Case {
    fn new(text: String) -> Self {
        let store = TermStore::new();
        let nested = load::program(&store, &text);
        let flat = load::program_with(&store, &text, TupleMode::Flat);
        Self {
            text,
            store,
            nested,
            flat,
        }
    }

    /// Whether a run is found for a claim, and the states looked at.
    fn found(&self, claim: usize, settings: &Settings) -> (Option<bool>, usize) {
        let subject = Subject {
            store: &self.store,
            nested: &self.nested,
            flat: &self.flat,
            kept: &Kept::new(),
        };
        let (nested, flat) = (&self.nested.claims[claim], &self.flat.claims[claim]);
        let result =
            check_claim(&subject, nested, flat, settings, &Silent).expect("the system is small");
        let reachable = matches!(nested.kind, ClaimKind::Reachable { .. });
        let found = match result.verdict {
            Verdict::Attack(_) => Some(true),
            Verdict::Holds { .. } => Some(reachable),
            Verdict::Unreachable => Some(false),
            Verdict::Inconclusive(_) | Verdict::Unconfirmed(_) => None,
            other => panic!("{}\n{other:?}\n{}", nested.text, self.text),
        };
        (found, result.stats.states as usize)
    }
}

fn settings(search: Options, proofs: bool, typed: bool) -> Settings {
    Settings {
        search: Options {
            workers: 1,
            ..search
        },
        proofs,
        typed,
        compare_typed: false,
        ..Settings::default()
    }
}

/// Each reduction switched off in turn, and the search after proofs.
fn variants() -> Vec<(&'static str, Settings)> {
    let all = Options::default();
    let without = [
        ("nothing", all),
        (
            "eager",
            Options {
                eager: false,
                ..all
            },
        ),
        (
            "sharing",
            Options {
                sharing: false,
                subsumption: false,
                ..all
            },
        ),
        (
            "subsumption",
            Options {
                subsumption: false,
                ..all
            },
        ),
        (
            "symmetry",
            Options {
                symmetry: false,
                ..all
            },
        ),
        (
            "pruning",
            Options {
                pruning: false,
                ..all
            },
        ),
    ];
    let searched = without.map(|(name, options)| (name, settings(options, false, false)));
    searched
        .into_iter()
        .chain([("searching", settings(all, true, false))])
        .collect()
}

fn style(seed: u64) -> Style {
    Style {
        mobile: seed.is_multiple_of(4),
        depth: 2 + usize::from(seed.is_multiple_of(3)),
        ..Style::default()
    }
}

#[test]
fn random_exchanges_agree_with_brute_force() {
    let limits = attack::Limits {
        states: 300,
        ..attack::Limits::default()
    };
    let (mut attacks, mut proofs, mut brute_force) = (0, 0, 0);
    for seed in seeds(150) {
        let Some(text) = exchange::claims_file(seed, style(seed), Spelling::default()) else {
            continue;
        };
        let case = Case::new(text);
        let system = load::system(&case.store, &case.nested, "S");
        for (i, claim) in case.nested.claims.iter().enumerate() {
            let brute = attack::find(&case.store, &system, &[], &claim.kind, limits);
            let missed = matches!(brute, attack::Answer::Found(_));
            brute_force += usize::from(missed);
            let mut all = Vec::new();
            for (name, settings) in variants() {
                let (found, _) = case.found(i, &settings);
                assert!(
                    !missed || found != Some(false),
                    "seed {seed}, `{}`, without {name}: missed {brute:#?}\n{}",
                    claim.text,
                    case.text
                );
                all.push(found);
            }
            assert!(
                all.iter().all(|v| *v == all[0]),
                "seed {seed}, `{}`: {all:?}\n{}",
                claim.text,
                case.text
            );
            match all[0] {
                Some(true) => attacks += 1,
                Some(false) => proofs += 1,
                None => {}
            }
        }
    }
    eprintln!("{attacks} attacks, {brute_force} found by brute force, {proofs} none");
    assert!(attacks > 0 && brute_force > 0 && proofs > 0);
}

/// What is proved, no search breaks; typed or not. A typed attack is an attack.
#[test]
fn no_search_breaks_what_is_proved() {
    let (mut proved, mut broken) = (0, 0);
    for seed in seeds(150) {
        let spelling = Spelling {
            typed: true,
            ..Spelling::default()
        };
        let Some(text) = exchange::claims_file(seed + 1_000, style(seed), spelling) else {
            continue;
        };
        let case = Case::new(text);
        for i in 0..case.nested.claims.len() {
            let with = case.found(i, &settings(Options::default(), true, false));
            let without = case.found(i, &settings(Options::default(), false, false));
            let typed = case.found(i, &settings(Options::default(), false, true));
            let told = format!("seed {seed}: {}\n{}", case.nested.claims[i].text, case.text);
            assert_eq!(with.0, without.0, "{told}");
            assert!(typed.0 != Some(true) || without.0 != Some(false), "{told}");
            proved += u32::from(with.1 == 0 && with.0 == Some(false));
            broken += u32::from(with.0 == Some(true));
        }
    }
    eprintln!("{proved} proved, {broken} broken");
    assert!(proved > 0 && broken > 0);
}

/// The order in which exponents are written is none of the engines' business.
#[test]
fn exchanged_exponents_change_nothing() {
    let mut compared = 0;
    for seed in seeds(120) {
        let file = |exchanged| {
            let spelling = Spelling {
                exchanged,
                ..Spelling::default()
            };
            exchange::claims_file(seed, style(seed), spelling)
        };
        let (Some(one), Some(other)) = (file(false), file(true)) else {
            continue;
        };
        if one == other {
            continue;
        }
        let (one, other) = (Case::new(one), Case::new(other));
        for i in 0..one.nested.claims.len() {
            for proofs in [false, true] {
                let settings = settings(Options::default(), proofs, false);
                assert_eq!(
                    one.found(i, &settings),
                    other.found(i, &settings),
                    "seed {seed}: {}\n{}\n{}",
                    one.nested.claims[i].text,
                    one.text,
                    other.text
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 0);
}

/// All ways to compare give one answer, and brute force none that contradicts it.
#[test]
fn comparisons_of_exchanges_agree_with_brute_force() {
    compare_all(0, false);
}

/// The same where every thread has channels of its own: the cones decide.
#[test]
fn comparisons_by_cones_agree_with_brute_force() {
    compare_all(3_000_000, true);
}

fn compare_all(first: u64, apart: bool) {
    let (mut tally, mut found, mut cones) = ([0; 2], 0, 0);
    let limits = trace::Limits {
        nodes: 300,
        ..trace::Limits::default()
    };
    for seed in seeds(60) {
        let style = Style {
            mobile: !apart && seed.is_multiple_of(4),
            threads: 3,
            ..style(seed)
        };
        let spelling = Spelling {
            apart,
            ..Spelling::default()
        };
        let Some((p, q)) = exchange::pair(first + seed, style, spelling) else {
            continue;
        };
        let systems = Systems::of(HEADER, &p, &q);
        let brute = trace::compare(&systems.store, &systems.left, &systems.right, &[], limits);
        let differs = matches!(brute, trace::Answer::Different(_));
        found += u32::from(differs);
        let mut first = None;
        for options in all_ways() {
            let (answer, stats) = systems.compare(&options);
            cones += u32::from(stats.way == spi::engine::equiv::Way::Cones);
            let told = || format!("seed {seed}: {answer:?}\n  {p}\n  {q}");
            assert!(answer.is_some(), "{}", told());
            assert_eq!(*first.get_or_insert(answer), answer, "{}", told());
            assert!(!differs || answer == Some(false), "{}\n{brute:#?}", told());
            tally[usize::from(answer == Some(true))] += 1;
        }
    }
    eprintln!("{tally:?}, {found} differences found by brute force, {cones} times by cones");
    assert!(tally.iter().all(|n| *n > 0) && found > 0);
    assert!(!apart || cones > 0, "the cones decide nothing");
}

/// State spaces: counted as drawn, and the same however the exponents are written.
#[test]
fn state_spaces_of_exchanges_agree() {
    let mut compared = 0;
    for seed in seeds(60) {
        let style = Style {
            length: 3,
            ..style(seed)
        };
        let file = |exchanged| {
            let spelling = Spelling {
                exchanged,
                ..Spelling::default()
            };
            exchange::claims_file(seed, style, spelling)
        };
        let (Some(one), Some(other)) = (file(false), file(true)) else {
            continue;
        };
        for symmetry in [true, false] {
            let figures = |text: &str, graph: bool| {
                let options = spi::engine::lts::Options {
                    symmetry,
                    graph,
                    ..spi::engine::lts::Options::default()
                };
                let space = space::explore(&TermStore::new(), text, "S", options).space;
                let s = space.stats;
                let counts = [s.states, s.matched, s.transitions, s.pruned, s.ends];
                (counts, s.depth, s.widest, space.trees)
            };
            let counted = figures(&one, false);
            assert_eq!(counted, figures(&one, true), "seed {seed}\n{one}");
            assert_eq!(
                counted,
                figures(&other, false),
                "seed {seed}\n{one}\n{other}"
            );
            compared += 1;
        }
    }
    assert!(compared > 0);
}

/// Two runs of one role that compute the key of each other: which of them is first does not matter.
#[test]
fn runs_of_one_role_are_interchangeable() {
    let text = "private s
def Role = new x. c<g^x>. c(y). d<{s}y^x>
partial system S = Role | Role
secrecy s in S";
    let case = Case::new(format!("{HEADER}{text}\n"));
    let with = case.found(0, &settings(Options::default(), false, false));
    let without = Options {
        symmetry: false,
        ..Options::default()
    };
    let without = case.found(0, &settings(without, false, false));
    assert_eq!((with.0, without.0), (Some(true), Some(true)));
    assert!(with.1 <= without.1, "{with:?} {without:?}");
}

fn verdicts(processes: &str, claims: &str) -> Vec<&'static str> {
    let text = format!("{HEADER}{processes}\n{claims}\n");
    words(&text, &settings(Options::default(), false, false))
}

/// Only the second unifier of the keys gives the attack: the exponents meet crosswise.
#[test]
fn exponents_meet_crosswise() {
    let text = "private s, x, y
partial system S = c<g^y>. c(z). let k = z^x in [k is g^y^x] c<s>
partial system T = c<g^x>. c(z). let k = z^y in [k is g^y^x] c<s>
partial system U = c(z, w). [g^z^w is g^a^b] [z is b] c<s>
partial system V = c(z, w). [g^z^w is g^a^b] [z is a] c<s>
partial system W = c(z, w). [g^z^w is g^a^b] [z is a] [w is a] c<s>
partial system X = [g^x^y is g^y^x] c<s>";
    let claims =
        "secrecy s in S secrecy s in T secrecy s in U secrecy s in V secrecy s in W secrecy s in X";
    assert_eq!(
        verdicts(text, claims),
        ["attack", "attack", "attack", "attack", "holds", "attack"]
    );
}

/// An exponent that the same test binds later: the replay waits for it.
#[test]
fn a_power_may_stand_before_its_base() {
    let text = "private s, k
partial system S = c<g^k>. c(z). let (x, =x^k) = z in [x is g] 0 else [x is one] 0 else c<s>
partial system T = c<g^k>. c(z). let (x, =x^a) = z in [x is g] 0 else [x is one] 0 else c<s>";
    let claims = "secrecy s in S secrecy s in T";
    assert_eq!(verdicts(text, claims), ["attack", "attack"]);
}

/// Two states that differ in what their keys are not, by one order of the exponents only.
#[test]
fn states_are_kept_apart_by_both_orders() {
    let text = "private s
def Wait(z, w) = c(v). [z is b] [w is a] c<s>
partial system S = c(z, w). c(u). [u is a] ([(z, w) is (a, b)] 0 else Wait(z, w)) else ([g^z^w is g^a^b] 0 else Wait(z, w))
partial system T = c(z, w). c(u). [u is a] ([g^z^w is g^a^b] 0 else Wait(z, w)) else ([(z, w) is (a, b)] 0 else Wait(z, w))";
    let claims = "secrecy s in S secrecy s in T";
    assert_eq!(verdicts(text, claims), ["attack", "attack"]);
}

/// Each power of what was received has five ways here: the shares and bases of two groups, the neutral element.
#[test]
fn powers_in_a_row_multiply() {
    let text = "group h private s
partial system S = c(x). c(y). c(z). c(w). d<x^a, y^a, z^a, w^a>. [(x, y, z, w) is (g, one, g^b, h^b)] c<s>";
    assert_eq!(verdicts(text, "secrecy s in S"), ["attack"]);
}

/// A key is made of the share of either exponent and the other one, which may come later than the key.
#[test]
fn keys_are_made_of_either_share() {
    let text = "private s, x, y
partial system S = c<{s}g^x^y>. c<g^x>. c<y>
partial system T = c<{s}g^x^y>. c<g^y>. c<x>
partial system U = c<{s}g^x^y>. c<x>. c<g^y>
partial system V = c<{s}g^x^y>. c<g^x, g^y>
partial system W = c<{s}(g^x^y, a)>. c<g^x>. c<g^x^y>";
    let claims = "secrecy s in S secrecy s in T secrecy s in U secrecy s in V secrecy s in W";
    assert_eq!(
        verdicts(text, claims),
        ["attack", "attack", "attack", "holds", "attack"]
    );
}

/// A negated test has an entry for each unifier.
#[test]
fn what_a_key_is_not_is_said_of_both_orders() {
    let text = "private s
partial system S = c(z, w). [g^z^w is g^a^b] 0 else [z is b] [w is a] c<s>
partial system T = c(z, w). [g^z^w is g^a^b] 0 else [z is a] [w is b] c<s>
partial system U = c(z, w). [g^z^w is g^a^b] 0 else [z is a] [w is a] c<s>";
    let claims = "secrecy s in S secrecy s in T secrecy s in U";
    assert_eq!(verdicts(text, claims), ["holds", "holds", "attack"]);
}

fn equivalent(p: &str, q: &str) -> bool {
    let systems = Systems::of(HEADER, p, q);
    let mut answers: Vec<Option<bool>> = all_ways().iter().map(|o| systems.compare(o).0).collect();
    answers.dedup();
    assert_eq!(answers.len(), 1, "{p}\n{q}");
    answers[0].expect("small systems are decided")
}

#[test]
fn exchanges_are_compared_by_what_can_be_computed() {
    let same = [
        // Nobody computes a key from two shares.
        (
            "new x. new y. c<g^x, g^y, g^x^y>",
            "new x. new y. new z. c<g^x, g^y, z>",
        ),
        ("new x. new y. c<g^x^y>", "new x. new y. c<H(x)>"),
        (
            "new x. new y. c<g^x>. c<g^x^y>",
            "new x. new y. c<g^x>. c<g^y^x>",
        ),
        (
            "new x. new y. c<g^x>. d<g^y>. c(z). [z is g^x^y] d<ok>",
            "new x. new y. c<g^y>. d<g^x>. c(z)",
        ),
        ("new x. c<g^x>. c<g^x^a>", "new x. c<g^x>. c<g^a^x>"),
        (
            "new x. c<g^x>. c(z). d<z^x>",
            "new x. c<g^x>. c(z). let k = z^x in d<k>",
        ),
    ];
    let different = [
        // A share can be raised, other values can't.
        ("new x. c<g^x>", "new x. c<x>"),
        ("new x. c<g^x>. c<g^x^a>", "new x. new y. c<g^x>. c<g^y^a>"),
        ("new x. new y. c<g^x>", "new x. new y. c<g^x^y>"),
        (
            "new x. new y. c<g^x, y, g^x^y>",
            "new x. new y. new z. c<g^x, y, g^z^y>",
        ),
        (
            "new x. new y. c<g^x, g^y>. d<y>. c<g^x^y>",
            "new x. new y. c<g^x, g^y>. d<y>. c<g^y^y>",
        ),
        ("c(z). d<z^a>", "c(z). d<a>"),
        // The share of either exponent, and the other one.
        (
            "new x. new y. c<g^y>. d<x>. c<g^x^y>",
            "new x. new y. new k. c<g^y>. d<x>. c<k>",
        ),
        (
            "new x. new y. c<g^x>. d<y>. c<g^x^y>",
            "new x. new y. new k. c<g^x>. d<y>. c<k>",
        ),
        // Either order of the exponents.
        (
            "c(z). c(w). [g^z^w is g^a^b] [z is a] d<ok>",
            "c(z). c(w). 0",
        ),
        (
            "c(z). c(w). [g^z^w is g^a^b] [z is b] d<ok>",
            "c(z). c(w). 0",
        ),
        (
            "new x. c<g^x>. c(z). d<z^x>",
            "new x. c<g^x>. c(z). new y. d<g^y>",
        ),
        ("c(z). let k = z^a in 0 else d<ok>", "c(z). d<ok>"),
    ];
    for (p, q) in same {
        assert!(equivalent(p, q), "{p}\n{q}");
    }
    for (p, q) in different {
        assert!(!equivalent(p, q), "{p}\n{q}");
    }
}

/// Who signs both shares and proves to have the key is told of one earlier event, not of all that came before.
#[test]
fn agreements_of_initiators_are_proved() {
    let text = "agent A, B
channel net
keypair K(Agent)
group g
public auth, key1
function kdf(Sym, Msg): Sym, mac(Data, Sym): Data
def Init(me: Agent, peer: Agent) =
  new x. net<g^x>. net(gy: Share, {=g^x, =gy}K(peer)+, =mac(0, kdf(gy^x, auth))).
  let k = kdf(gy^x, key1) in event Ready(me, k). net<{gy, g^x}K(me)-, mac(suc(0), kdf(gy^x, auth))>. event Done(me, peer, k)
def Resp(me: Agent) =
  net(gx: Share). new y.
  let k = kdf(gx^y, key1) in event Running(me, k). net<g^y, {gx, g^y}K(me)-, mac(0, kdf(gx^y, auth))>
partial system S = Init(A, B) | Resp(B)
injective agreement Done(a, b, k) => Running(b, k) in S
";
    let case = Case::new(text.to_owned());
    let proofs = settings(Options::default(), true, false);
    assert_eq!(
        case.found(0, &proofs),
        (Some(false), 0),
        "no state is searched"
    );
}
