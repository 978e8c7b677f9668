//! Experiments on small pairs of systems.

use super::super::*;
use super::Builder;
use crate::process::{Proc, System, Type};
use crate::term::{NameClass, Op, TermId, TermStore};
use std::sync::Arc;

fn heard(k: usize) -> Arc<Recipe> {
    Arc::new(Recipe::Heard(k))
}

fn constant(t: TermId) -> Arc<Recipe> {
    Arc::new(Recipe::Constant(t))
}

fn hear(c: TermId) -> Probe {
    Probe::Hear {
        channel: constant(c),
    }
}

fn send(c: TermId, message: Arc<Recipe>) -> Probe {
    Probe::Send {
        channel: constant(c),
        message,
    }
}

fn distinguishes(
    s: &TermStore,
    (left, right): (&System, &System),
    actions: Vec<Probe>,
    conditions: Vec<Condition>,
    semantics: Semantics,
) -> Result<Distinguished, CertifyError> {
    let experiment = Experiment {
        actions,
        conditions,
        passes: Side::Left,
    };
    let subject = |system| Subject {
        system,
        initial: &[],
    };
    replay_experiment(
        s,
        subject(left),
        subject(right),
        &experiment,
        semantics,
        Effort::of(10_000),
    )
}

/// `new k. c<{m}k>. c<k>`.
fn key_later(s: &TermStore, m: TermId) -> System {
    let mut b = Builder::new(s);
    let c = s.public("c");
    let (site, k) = b.site("k", None);
    let nil = b.nil();
    let second = b.out(c, k, nil);
    let first = b.out(c, s.senc(m, k), second);
    let root = b.p.add(Proc::New(vec![site], first));
    b.system(root)
}

#[test]
fn a_key_that_is_sent_later_opens_the_ciphertext() {
    let s = TermStore::new();
    let [c, m1, m2] = ["c", "m1", "m2"].map(|l| s.public(l));
    let (p, q) = (key_later(&s, m1), key_later(&s, m2));
    let open = Arc::new(Recipe::Open(Op::Senc, heard(0), heard(1)));
    let told = distinguishes(
        &s,
        (&p, &q),
        vec![hear(c), hear(c)],
        vec![Condition::Equal(open.clone(), constant(m1))],
        Semantics::Classic,
    )
    .unwrap();
    assert_eq!(told.obstacle, Obstacle::Condition(0));
    assert_eq!(told.failing.followed, 2);
    let both = distinguishes(
        &s,
        (&p, &q),
        vec![hear(c), hear(c)],
        vec![Condition::Succeeds(open.clone())],
        Semantics::Classic,
    );
    assert_eq!(both, Err(CertifyError::BothPass));
    let never = distinguishes(
        &s,
        (&p, &q),
        vec![hear(c), hear(c)],
        vec![Condition::Equal(open, constant(m2))],
        Semantics::Classic,
    );
    assert_eq!(never, Err(CertifyError::NeverPasses));
}

#[test]
fn a_tester_uses_only_what_it_has() {
    let s = TermStore::new();
    let [c, m1, m2] = ["c", "m1", "m2"].map(|l| s.public(l));
    let (p, q) = (key_later(&s, m1), key_later(&s, m2));
    let k = s.name(NameClass::Restricted, "k", 1);
    for bad in [constant(k), heard(1), constant(s.hash(m1))] {
        let told = distinguishes(
            &s,
            (&p, &q),
            vec![hear(c)],
            vec![Condition::Equal(heard(0), bad)],
            Semantics::Classic,
        );
        assert_eq!(told, Err(CertifyError::BadRecipe));
    }
}

/// `c<a> | c(x). d<x>` against `c<a> | c(x)`: only an internal communication, or the tester, makes `d` move.
#[test]
fn internal_communication_on_a_public_channel_counts_in_the_classical_semantics() {
    let s = TermStore::new();
    let [a, c, d] = ["a", "c", "d"].map(|l| s.public(l));
    let system = |forward: bool| {
        let mut b = Builder::new(&s);
        let x = b.var(Type::Msg);
        let nil = b.nil();
        let then = if forward {
            b.out(d, s.var(x), nil)
        } else {
            b.nil()
        };
        let sender = b.out(c, a, nil);
        let receiver = b.input(c, x, then);
        let root = b.p.add(Proc::Par(vec![sender, receiver]));
        b.system(root)
    };
    let (p, q) = (system(true), system(false));
    let silent = |semantics| distinguishes(&s, (&p, &q), vec![hear(d)], vec![], semantics);
    let told = silent(Semantics::Classic).unwrap();
    assert!(matches!(
        told.passing.moves[0].kind,
        MoveKind::Communicate { .. }
    ));
    assert_eq!(told.obstacle, Obstacle::Action(0));
    assert_eq!(silent(Semantics::Private), Err(CertifyError::NeverPasses));
    let n = constant(s.name(NameClass::Attacker, "n", 1));
    distinguishes(
        &s,
        (&p, &q),
        vec![send(c, n.clone()), hear(d)],
        vec![Condition::Equal(heard(0), n)],
        Semantics::Private,
    )
    .unwrap();
}

#[test]
fn a_test_process_binds_what_it_takes_apart() {
    let s = TermStore::new();
    let [c, success] = ["c", "success"].map(|l| s.public(l));
    let n = constant(s.name(NameClass::Attacker, "x", 7));
    let open = Arc::new(Recipe::Open(Op::Senc, heard(0), heard(1)));
    let first = Arc::new(Recipe::Part {
        of: open.clone(),
        index: 0,
        arity: 2,
    });
    let experiment = Experiment {
        actions: vec![
            hear(c),
            hear(c),
            send(c, Arc::new(Recipe::Build(Op::Senc, vec![first.clone(), n]))),
        ],
        conditions: vec![
            Condition::Different(first.clone(), constant(success)),
            Condition::Fails(Arc::new(Recipe::Open(
                Op::Sign,
                Arc::new(Recipe::Open(Op::Aenc, first, heard(1))),
                heard(0),
            ))),
            Condition::Fails(Arc::new(Recipe::Predecessor(heard(1)))),
        ],
        passes: Side::Left,
    };
    insta::assert_snapshot!(experiment.test_process(&s, &[]));
}

/// `c<m>. d<m> | c<m>. d<m> | .. | c(x). e<x> | c(y). e<y> | ..`, so many of each.
fn crowd(s: &TermStore, n: usize) -> System {
    let mut b = Builder::new(s);
    let [c, d, e, m] = ["c", "d", "e", "m"].map(|l| s.public(l));
    let mut parts = Vec::new();
    for _ in 0..n {
        let nil = b.nil();
        let sent = b.out(d, m, nil);
        parts.push(b.out(c, m, sent));
        let nil = b.nil();
        let x = b.var(Type::Msg);
        let taken = b.out(e, s.var(x), nil);
        parts.push(b.input(c, x, taken));
    }
    let root = b.p.add(Proc::Par(parts));
    b.system(root)
}

#[test]
fn of_copies_it_does_not_matter_which_moves() {
    let s = TermStore::new();
    let (e, m) = (s.public("e"), s.public("m"));
    let (few, many) = (crowd(&s, 7), crowd(&s, 8));
    // Eight messages on e: only the larger crowd sends so many.
    let told = distinguishes(
        &s,
        (&many, &few),
        vec![hear(e); 8],
        vec![Condition::Equal(heard(7), constant(m))],
        Semantics::Classic,
    )
    .unwrap();
    assert_eq!(told.failing.followed, 7);
    assert!(told.tried < 500, "{}", told.tried);
}

#[test]
fn a_replay_stops_when_somebody_wants_to() {
    let s = TermStore::new();
    let system = crowd(&s, 2);
    let experiment = Experiment {
        actions: vec![hear(s.public("e"))],
        conditions: Vec::new(),
        passes: Side::Left,
    };
    let subject = Subject {
        system: &system,
        initial: &[],
    };
    let effort = Effort {
        configurations: 100,
        stopped: &|| true,
    };
    let replayed = replay_experiment(
        &s,
        subject,
        subject,
        &experiment,
        Semantics::Classic,
        effort,
    );
    assert_eq!(replayed.unwrap_err(), CertifyError::Stopped);
}

#[test]
fn an_experiment_without_an_action_numbers_what_is_heard_anew() {
    let s = TermStore::new();
    let c = s.public("c");
    let experiment = Experiment {
        actions: vec![hear(c), hear(c), send(c, heard(1)), hear(c)],
        conditions: vec![
            Condition::Equal(heard(2), heard(1)),
            Condition::Succeeds(heard(0)),
        ],
        passes: Side::Left,
    };
    let fewer = experiment.without(&[0]).unwrap();
    assert_eq!(fewer.actions, [hear(c), send(c, heard(0)), hear(c)]);
    assert_eq!(fewer.conditions, [Condition::Equal(heard(1), heard(0))]);
    assert!(experiment.without(&[1]).is_none());
    assert!(experiment.without(&[1, 2]).is_some());
}
