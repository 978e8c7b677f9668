//! The replayer on every kind of claim: what it accepts, and what it says to spoilt witnesses.

use crate::reference;
use reference::{attack, load};
use spi::certify::{CertifyError, Evidence, MoveKind, Violation, Witness, replay};
use spi::process::{Program, System};
use spi::term::{NameClass, TermId, TermStore};

struct Case {
    store: TermStore,
    program: Program,
    system: System,
}

impl Case {
    fn new(text: &str) -> Self {
        let store = TermStore::new();
        let program = load::program(&store, text);
        let system = load::system(&store, &program, "S");
        Self {
            store,
            program,
            system,
        }
    }

    /// A witness by brute force for the claim of this number.
    fn witness(&self, claim: usize) -> Option<Witness> {
        let knows = &self.program.signature.knows;
        let claim = &self.program.claims[claim].kind;
        match attack::find(
            &self.store,
            &self.system,
            knows,
            claim,
            attack::Limits::default(),
        ) {
            attack::Answer::Found(witness) => Some(witness),
            attack::Answer::NotFound => None,
            attack::Answer::Unknown => panic!("too large for brute force"),
        }
    }

    fn replay(&self, claim: usize, witness: &Witness) -> Result<Evidence, CertifyError> {
        let knows = &self.program.signature.knows;
        let claim = &self.program.claims[claim].kind;
        replay(&self.store, &self.system, knows, claim, witness).map(|r| r.evidence)
    }

    fn copy(&self, label: &str, copy: u32) -> TermId {
        self.store.name(NameClass::Restricted, label, copy)
    }
}

#[test]
fn two_events_need_two_earlier_ones_only_if_the_claim_is_injective() {
    let case = Case::new(
        "channel c  public a\n\
         partial system S = event F(a). c<a> | c(x). event E(x) | c(y). event E(y)\n\
         agreement E(x) => F(x) in S\n\
         injective agreement E(x) => F(x) in S",
    );
    // The attacker knows `a` from the start, so the weaker claim fails, too: with another run.
    let single = case.witness(0).expect("the attacker sends `a` itself");
    assert!(case.replay(0, &single).is_ok());
    let mut run = case.witness(1).expect("an attack");
    assert!(case.replay(1, &run).is_ok());
    // After `F(a)` one `E(a)` is fine, the second is not.
    let case = Case::new(
        "channel c  public a\n\
         partial system S = new k. (event F(a). c<{a}k> | c(x). case x of {y}k in event E(y) \
           | c(x). case x of {y}k in event E(y))\n\
         agreement E(x) => F(x) in S\n\
         injective agreement E(x) => F(x) in S",
    );
    assert!(case.witness(0).is_none());
    run = case.witness(1).expect("a replay of the ciphertext");
    let Violation::Unmatched { events } = run.violation.clone() else {
        panic!("an agreement is violated by events");
    };
    assert_eq!(events.len(), 2);
    let Ok(Evidence::Unmatched(found)) = case.replay(1, &run) else {
        panic!("the replay is an attack");
    };
    assert_eq!(found[0].1, found[1].1);
    assert_eq!(
        case.replay(0, &run).unwrap_err(),
        CertifyError::WrongViolation
    );
    run.violation = Violation::Unmatched {
        events: vec![events[0]],
    };
    let rejected = case.replay(0, &run).unwrap_err();
    assert!(matches!(rejected, CertifyError::Matched { .. }));
    run.violation = Violation::Unmatched {
        events: vec![events[0], events[0]],
    };
    assert_eq!(
        case.replay(1, &run).unwrap_err(),
        CertifyError::WrongViolation
    );
}

#[test]
fn an_event_of_an_instance_that_speaks_for_a_spy_does_not_count() {
    let case = Case::new(
        "agent A  spy C  channel c\n\
         def R(a: Agent) = event E(a)\n\
         partial system S = R(C) | R(A) | c(x). event F(x)\n\
         agreement E(x) => F(x) in S\n\
         reachable E(x) in S",
    );
    let mut run = case.witness(0).expect("the event for A is not preceded");
    let (spy, honest) = (
        case.store.name(NameClass::Spy, "C", 0),
        case.store.public("A"),
    );
    let MoveKind::Event { args } = &run.moves[0].kind else {
        panic!("one event is enough");
    };
    assert_eq!(args, &[honest]);
    assert!(case.replay(0, &run).is_ok());
    let other = (0..case.system.steps.len() as u32)
        .map(spi::process::StepId)
        .find(|s| {
            matches!(&case.system.step(*s).action,
                spi::process::Action::Event { args, .. } if args == &[spy])
        })
        .unwrap();
    run.moves[0].step = other;
    run.moves[0].kind = MoveKind::Event { args: vec![spy] };
    assert_eq!(
        case.replay(0, &run).unwrap_err(),
        CertifyError::DishonestEvent { at: 0 }
    );
    // `reachable` asks for any instance.
    run.violation = Violation::Reached { event: 0 };
    assert!(case.replay(1, &run).is_ok());
}

#[test]
fn agents_known_only_at_run_time_decide_whether_a_name_counts() {
    let case = Case::new(
        "agent A  spy C  channel c\n\
         def R(a: Agent) = new n. c<a, n>\n\
         partial system S = c(x: Agent). R(x)\n\
         secrecy n in S",
    );
    let run = case.witness(0).expect("an attack for A");
    assert!(case.replay(0, &run).is_ok());
    let MoveKind::Receive { channel, .. } = run.moves[0].kind else {
        panic!("the agent is received");
    };
    let spy = case.store.name(NameClass::Spy, "C", 0);
    let mut for_spy = run.clone();
    for_spy.moves[0].kind = MoveKind::Receive {
        channel,
        message: spy,
    };
    let name = case.copy("n", 1);
    for_spy.moves[1].kind = MoveKind::Send {
        channel,
        message: case.store.pair(spy, name),
    };
    assert_eq!(
        case.replay(0, &for_spy).unwrap_err(),
        CertifyError::NotHonest { name }
    );
}

#[test]
fn a_target_may_pick_an_instance() {
    let case = Case::new(
        "agent A, B  channel c\n\
         def R(a: Agent, b: Agent) = new n. c<n>\n\
         partial system S = R(A, B) | R(B, A)\n\
         secrecy R(A, B).n in S",
    );
    let run = case.witness(0).expect("the name is sent");
    assert!(case.replay(0, &run).is_ok());
    let Violation::Leak { names, .. } = &run.violation else {
        panic!("a secrecy claim is violated by a leak");
    };
    assert_eq!(names, &[case.copy("n", 1)]);
    let other = Witness {
        violation: Violation::Leak {
            target: 0,
            names: vec![case.copy("n", 2)],
        },
        ..run
    };
    assert_eq!(
        case.replay(0, &other).unwrap_err(),
        CertifyError::NotACopy {
            name: case.copy("n", 2)
        }
    );
}

#[test]
fn a_value_is_secret_only_once_its_event_happened() {
    let case = Case::new(
        "channel c\n\
         partial system S = new k. (c<k>. c(x). [x is k] event E(x) | c(y). event E(y))\n\
         secrecy k after E(k) in S",
    );
    let run = case.witness(0).expect("the attacker knows what it sent");
    assert!(case.replay(0, &run).is_ok());
    let early = Witness {
        violation: Violation::LeakAfter { event: 0 },
        ..run
    };
    assert_eq!(
        case.replay(0, &early).unwrap_err(),
        CertifyError::NotTheEvent { at: 0 }
    );
}

#[test]
fn a_message_is_sendable_if_it_and_its_channel_can_be_derived() {
    let case = Case::new(
        "channel c  public a\n\
         partial system S = new p. new n. (c<{n}p> | p(x). c<p>)\n\
         unsendable c<{n}p> in S\n\
         unsendable c<n> in S",
    );
    let run = case.witness(0).expect("it was heard");
    assert!(matches!(case.replay(0, &run), Ok(Evidence::Sent { .. })));
    assert!(case.witness(1).is_none());
    let lie = Witness {
        violation: Violation::Sendable {
            names: vec![case.copy("n", 1)],
        },
        ..run
    };
    assert!(matches!(
        case.replay(1, &lie),
        Err(CertifyError::NotLeaked { .. })
    ));
}

#[test]
fn an_internal_message_is_not_heard() {
    let case = Case::new(
        "channel c, d\n\
         partial system S = new p, s. (p<s>. c<p> | p(x). d<x>)\n\
         secrecy s in S",
    );
    let run = case.witness(0).expect("the receiver passes it on");
    assert!(case.replay(0, &run).is_ok());
    assert!(matches!(run.moves[0].kind, MoveKind::Communicate { .. }));
    let silent = Witness {
        moves: run.moves[..1].to_vec(),
        ..run.clone()
    };
    assert!(matches!(
        case.replay(0, &silent),
        Err(CertifyError::NotLeaked { .. })
    ));
    // On a channel that the attacker lacks, it hears nothing.
    let mut heard = run;
    let MoveKind::Communicate {
        channel, message, ..
    } = heard.moves[0].kind
    else {
        panic!("checked above");
    };
    heard.moves[0].kind = MoveKind::Send { channel, message };
    heard.moves.truncate(1);
    assert_eq!(
        case.replay(0, &heard).unwrap_err(),
        CertifyError::Underivable {
            at: 0,
            term: channel
        }
    );
}

#[test]
fn a_step_runs_once() {
    let case = Case::new(
        "channel c\n\
         partial system S = new s. c<s>\n\
         secrecy s in S",
    );
    let mut run = case.witness(0).expect("it is sent");
    run.moves.push(run.moves[0].clone());
    let step = run.moves[0].step;
    assert_eq!(
        case.replay(0, &run).unwrap_err(),
        CertifyError::NotReady { at: 1, step }
    );
    run.moves[1].step = spi::process::StepId(1_000_000);
    assert!(matches!(
        case.replay(0, &run),
        Err(CertifyError::NotReady { at: 1, .. })
    ));
}

#[test]
fn roles_that_a_run_leaves_stuck_are_told() {
    let case = Case::new(
        "channel c  public a\n\
         partial system S = new s. (c<s> | c(x). [x is a] c<a>)\n\
         secrecy s in S",
    );
    let mut run = case.witness(0).expect("it is sent");
    let input = (0..case.system.steps.len() as u32)
        .map(spi::process::StepId)
        .find(|s| {
            matches!(
                case.system.step(*s).action,
                spi::process::Action::Input { .. }
            )
        })
        .unwrap();
    let c = case.store.public("c");
    for (message, stuck) in [(c, 1), (case.store.public("a"), 0)] {
        run.moves.truncate(1);
        run.moves.push(spi::certify::Move {
            step: input,
            kind: MoveKind::Receive {
                channel: c,
                message,
            },
        });
        let claim = &case.program.claims[0].kind;
        let done = replay(&case.store, &case.system, &[], claim, &run).unwrap();
        assert_eq!(done.stuck(&case.system).len(), stuck);
    }
}

#[test]
fn a_transparent_attacker_leaves_nobody_stuck_and_nobody_who_could_go_on() {
    // What is run after `s` was sent, and why that is no run of a transparent attacker.
    let stuck = "[k is a] c<a>";
    for (rest, accepted) in [
        ("0", true),
        ("[k is a] c<a> else 0", true),
        ("c(x). [x is k] 0", true),
        ("p<a>", true),
        (stuck, false),
        ("c<a>", false),
        ("event E(a)", false),
        ("( p<a> | p(x) )", false),
    ] {
        let case = Case::new(&format!(
            "channel c  public a\n\
             partial system S = new s, k, p. ( c<s>. {rest} | event F(k) )\n\
             secrecy s in S"
        ));
        let mut run = case.witness(0).expect("it is sent in the clear");
        assert!(case.replay(0, &run).is_ok());
        run.transparent = true;
        // The event is still to come.
        let waits = case.replay(0, &run).expect_err("an event needs nobody");
        assert!(matches!(
            waits,
            CertifyError::GoesOn { .. } | CertifyError::Stuck { .. }
        ));
        let f = case.system.steps.iter().position(|s| {
            matches!(&s.action, spi::process::Action::Event { args, .. } if args[0] == case.copy("k", 1))
        });
        run.moves.push(spi::certify::Move {
            step: spi::process::StepId(f.expect("it is there") as u32),
            kind: MoveKind::Event {
                args: vec![case.copy("k", 1)],
            },
        });
        match case.replay(0, &run) {
            Ok(_) => assert!(accepted, "{rest}"),
            Err(CertifyError::Stuck { .. }) => assert_eq!(rest, stuck),
            Err(CertifyError::GoesOn { .. }) => assert!(!accepted, "{rest}"),
            Err(other) => panic!("{rest}: {other}"),
        }
    }
}
