//! Replays of Lowe's attack, and of the same run spoilt.

use super::super::*;
use super::{Builder, closed, nowhere, steps_of};
use crate::process::{
    ClaimKind, DefId, EventId, EventPattern, Proc, SecrecyTarget, SecretName, StepId, Strength,
    System, Type,
};
use crate::term::{FamilyId, FamilyKind, NameClass, TermId, TermStore};

fn send(step: StepId, channel: TermId, message: TermId) -> Move {
    Move {
        step,
        kind: MoveKind::Send { channel, message },
    }
}

fn receive(step: StepId, channel: TermId, message: TermId) -> Move {
    Move {
        step,
        kind: MoveKind::Receive { channel, message },
    }
}

fn event(step: StepId, args: Vec<TermId>) -> Move {
    Move {
        step,
        kind: MoveKind::Event { args },
    }
}

/// Needham-Schroeder: `Init(A, C) | Resp(B, A)`, with Lowe's attack on the responder's nonce.
struct Lowe {
    s: TermStore,
    system: System,
    secrecy: ClaimKind,
    agreement: ClaimKind,
    moves: Vec<Move>,
    nb: TermId,
}

fn pk(s: &TermStore, k: FamilyId, agent: TermId) -> TermId {
    s.pub_part(s.family(k, &[agent]))
}

/// Equations of `case x of {pattern}K(a)-`, with the hidden variable `z`.
fn decrypts(
    s: &TermStore,
    k: FamilyId,
    x: u32,
    pattern: TermId,
    agent: TermId,
    z: u32,
) -> Vec<(TermId, TermId)> {
    vec![
        (s.priv_part(s.family(k, &[agent])), s.priv_part(s.var(z))),
        (s.var(x), s.aenc(pattern, s.pub_part(s.var(z)))),
    ]
}

fn lowe() -> Lowe {
    let s = TermStore::new();
    let k = s.family_id(FamilyKind::KeyPair, "K", 1);
    let [agent_a, agent_b, net] = ["A", "B", "net"].map(|l| s.public(l));
    let spy = s.name(NameClass::Spy, "C", 0);
    let mut b = Builder::new(&s);
    // Init(a, b): net<{Na, a}K(b)+>. net(x). case x of {=Na, nb}K(a)- in net<{nb}K(b)+>
    let [pa, pb] = [b.var(Type::Agent), b.var(Type::Agent)];
    let (site_a, na) = b.site("Na", Some(DefId(0)));
    let [x, nb, z] = [b.var(Type::Msg), b.var(Type::Nonce), b.var(Type::Msg)];
    let (va, vb) = (s.var(pa), s.var(pb));
    let nil = b.nil();
    let third = b.out(net, s.aenc(s.var(nb), pk(&s, k, vb)), nil);
    let reply = decrypts(&s, k, x, s.pair(na, s.var(nb)), va, z);
    let test = b.test(reply, vec![nb, z], third);
    let second = b.input(net, x, test);
    let first = b.out(net, s.aenc(s.pair(na, va), pk(&s, k, vb)), second);
    let running = b.event(0, vec![va, vb, na], first);
    let root = b.p.add(Proc::New(vec![site_a], running));
    b.define("Init", vec![pa, pb], root);
    // Resp(b, a): net(x). case x of {na, =a}K(b)- in new Nb. net<{na, Nb}K(a)+>. net(y). case y of {=Nb}K(b)- in Done
    let [rb, ra] = [b.var(Type::Agent), b.var(Type::Agent)];
    let (site_b, fresh) = b.site("Nb", Some(DefId(1)));
    let [x, n, z, y, w] = [(); 5].map(|()| b.var(Type::Msg));
    let (va, vb) = (s.var(ra), s.var(rb));
    let nil = b.nil();
    let done = b.event(1, vec![vb, va, s.var(n)], nil);
    let test = b.test(decrypts(&s, k, y, fresh, vb, w), vec![w], done);
    let third = b.input(net, y, test);
    let second = b.out(net, s.aenc(s.pair(s.var(n), fresh), pk(&s, k, va)), third);
    let fresh_scope = b.p.add(Proc::New(vec![site_b], second));
    let hello = decrypts(&s, k, x, s.pair(s.var(n), va), vb, z);
    let test = b.test(hello, vec![n, z], fresh_scope);
    let root = b.input(net, x, test);
    b.define("Resp", vec![rb, ra], root);
    let init = b.call(0, vec![agent_a, spy]);
    let resp = b.call(1, vec![agent_b, agent_a]);
    let both = b.p.add(Proc::Par(vec![init, resp]));
    let system = b.system(both);

    let [na, nb] = ["Na", "Nb"].map(|l| s.name(NameClass::Restricted, l, 1));
    let (i, r) = (steps_of(&system, 1), steps_of(&system, 2));
    let [pka, pkb, pkc] = [agent_a, agent_b, spy].map(|a| pk(&s, k, a));
    let moves = vec![
        event(i[0], vec![agent_a, spy, na]),
        send(i[1], net, s.aenc(s.pair(na, agent_a), pkc)),
        receive(r[0], net, s.aenc(s.pair(na, agent_a), pkb)),
        send(r[1], net, s.aenc(s.pair(na, nb), pka)),
        receive(i[2], net, s.aenc(s.pair(na, nb), pka)),
        send(i[3], net, s.aenc(nb, pkc)),
        receive(r[2], net, s.aenc(nb, pkb)),
        event(r[3], vec![agent_b, agent_a, na]),
    ];
    let v = s.var(1000);
    let secrecy = ClaimKind::Secrecy {
        targets: [site_a, site_b]
            .map(|site| SecrecyTarget {
                term: v,
                names: vec![SecretName {
                    var: 1000,
                    sites: vec![site],
                    instance: None,
                }],
                text: "N".into(),
                span: nowhere(),
            })
            .to_vec(),
        system: closed(),
    };
    let [p, q, n] = [1000, 1001, 1002].map(|v| s.var(v));
    let pattern = |event, args| EventPattern {
        event: EventId(event),
        args,
        span: nowhere(),
    };
    let agreement = ClaimKind::Agreement {
        strength: Strength::Full,
        after: pattern(1, vec![p, q, n]),
        before: pattern(0, vec![q, p, n]),
        unless: Vec::new(),
        system: closed(),
    };
    Lowe {
        s,
        system,
        secrecy,
        agreement,
        moves,
        nb,
    }
}

impl Lowe {
    fn leak(&self, moves: Vec<Move>) -> Result<Replayed, CertifyError> {
        let witness = Witness {
            moves,
            violation: Violation::Leak {
                target: 1,
                names: vec![self.nb],
            },
            transparent: false,
        };
        replay(&self.s, &self.system, &[], &self.secrecy, &witness)
    }

    fn disagree(&self, moves: Vec<Move>, event: usize) -> Result<Replayed, CertifyError> {
        let witness = Witness {
            moves,
            violation: Violation::Unmatched {
                events: vec![event],
            },
            transparent: false,
        };
        replay(&self.s, &self.system, &[], &self.agreement, &witness)
    }
}

#[test]
fn lowes_attack_is_confirmed_with_its_story() {
    let l = lowe();
    let done = l.leak(l.moves[..6].to_vec()).unwrap();
    assert_eq!(done.moves.len(), 6);
    let made = done.moves[2].made.as_ref().unwrap();
    assert_eq!(made.sources(), [Source::Sent(1)]);
    let Evidence::Derived(proof) = &done.evidence else {
        panic!("a leak is evidenced by a derivation");
    };
    assert_eq!(proof.sources(), [Source::Sent(5)]);
    assert_eq!(done.moves[5].gained.len(), 2);
    assert!(done.moves[4].checked[0].passed);
    assert!(done.stuck(&l.system).is_empty());
    l.disagree(l.moves.clone(), 7).unwrap();
}

#[test]
fn every_shortened_run_is_rejected() {
    let l = lowe();
    for gap in 0..6 {
        let mut moves = l.moves[..6].to_vec();
        moves.remove(gap);
        assert!(l.leak(moves).is_err(), "without move {gap}");
    }
    for gap in 0..7 {
        let mut moves = l.moves.clone();
        moves.remove(gap);
        assert!(l.disagree(moves, 6).is_err(), "without move {gap}");
    }
}

#[test]
fn every_swap_that_matters_is_rejected() {
    let l = lowe();
    for i in 0..5 {
        let mut moves = l.moves[..6].to_vec();
        moves.swap(i, i + 1);
        assert!(l.leak(moves).is_err(), "moves {i} and {} swapped", i + 1);
    }
}

#[test]
fn a_changed_message_is_rejected() {
    let l = lowe();
    let foreign = l.s.name(NameClass::Attacker, "n", 1);
    for i in 0..6 {
        let mut moves = l.moves[..6].to_vec();
        match &mut moves[i].kind {
            MoveKind::Send { message, .. } | MoveKind::Receive { message, .. } => {
                *message = foreign;
            }
            MoveKind::Event { args } => args[2] = foreign,
            MoveKind::Communicate { .. } | MoveKind::Phase { .. } => {}
        }
        assert!(l.leak(moves).is_err(), "move {i} changed");
        let mut moves = l.moves[..6].to_vec();
        if let MoveKind::Send { channel, .. } | MoveKind::Receive { channel, .. } =
            &mut moves[i].kind
        {
            *channel = foreign;
            assert!(l.leak(moves).is_err(), "channel of move {i} changed");
        }
    }
}

#[test]
fn a_message_that_the_attacker_cannot_make_is_named() {
    let l = lowe();
    let mut moves = l.moves[..6].to_vec();
    let MoveKind::Receive { message, .. } = &mut moves[2].kind else {
        panic!("the responder receives");
    };
    *message = l.s.senc(l.nb, l.nb);
    let term = l.s.senc(l.nb, l.nb);
    assert_eq!(
        l.leak(moves).unwrap_err(),
        CertifyError::Underivable { at: 2, term }
    );
}

#[test]
fn a_nonce_made_for_a_spy_does_not_count() {
    let l = lowe();
    let name = l.s.name(NameClass::Restricted, "Na", 1);
    let witness = Witness {
        moves: l.moves[..2].to_vec(),
        violation: Violation::Leak {
            target: 0,
            names: vec![name],
        },
        transparent: false,
    };
    assert_eq!(
        replay(&l.s, &l.system, &[], &l.secrecy, &witness).unwrap_err(),
        CertifyError::NotHonest { name }
    );
}

#[test]
fn a_name_of_another_site_is_no_copy() {
    let l = lowe();
    let witness = Witness {
        moves: l.moves[..6].to_vec(),
        violation: Violation::Leak {
            target: 0,
            names: vec![l.nb],
        },
        transparent: false,
    };
    assert_eq!(
        replay(&l.s, &l.system, &[], &l.secrecy, &witness).unwrap_err(),
        CertifyError::NotACopy { name: l.nb }
    );
}

#[test]
fn a_violation_of_another_kind_is_rejected() {
    let l = lowe();
    let witness = Witness {
        moves: vec![],
        violation: Violation::Reached { event: 0 },
        transparent: false,
    };
    assert_eq!(
        replay(&l.s, &l.system, &[], &l.secrecy, &witness).unwrap_err(),
        CertifyError::WrongViolation
    );
}
