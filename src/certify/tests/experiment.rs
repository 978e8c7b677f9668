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
        10_000,
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
    let open = Arc::new(Recipe::Decrypt(heard(0), heard(1)));
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
    let open = Arc::new(Recipe::Decrypt(heard(0), heard(1)));
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
            Condition::Fails(Arc::new(Recipe::CheckSign(
                Arc::new(Recipe::DecryptPrivate(first, heard(1))),
                heard(0),
            ))),
            Condition::Fails(Arc::new(Recipe::Predecessor(heard(1)))),
        ],
        passes: Side::Left,
    };
    insta::assert_snapshot!(experiment.test_process(&s, &[]));
}
