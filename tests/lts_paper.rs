//! The trees of the S3A paper's examples, counted a second time by hand-written models.
//!
//! The models know nothing of terms: they say which messages a role accepts, given what was on the network when the
//! message was made. They count the tree in which undecided tests wait (`--late`), as in the paper. Tests that guard
//! nothing are left out, as everywhere in `spi`.

use crate::support::space;
use space::explore;
use spi::engine::equiv::Semantics;
use spi::engine::lts::Options;
use spi::term::TermStore;
use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;

fn nodes<S: Clone + Eq + Hash>(
    state: &S,
    next: &impl Fn(&S) -> Vec<S>,
    known: &mut HashMap<S, u128>,
) -> u128 {
    if let Some(n) = known.get(state) {
        return *n;
    }
    let below: u128 = next(state).iter().map(|s| nodes(s, next, known)).sum();
    known.insert(state.clone(), below + 1);
    below + 1
}

fn tree(text: &str, system: &str) -> Option<u128> {
    let options = Options {
        semantics: Semantics::Private,
        late: true,
        ..Options::default()
    };
    let store = TermStore::new();
    let space = explore(&store, text, system, options).space;
    space.trees.and_then(|t| t.full)
}

/// Whether `{M}k` was on the network.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Heard {
    cipher: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Hand {
    Sends,
    Waits,
    Holds(Heard),
    Answers,
    Done,
}

type Shake = (Heard, [Hand; 4]);

/// The first two are A, the others B.
#[allow(clippy::trivially_copy_pass_by_ref)]
fn shake(&(heard, roles): &Shake) -> Vec<Shake> {
    let mut all = Vec::new();
    for (i, role) in roles.iter().enumerate() {
        let mut to = |heard: Heard, hand: Hand| {
            let mut roles = roles;
            roles[i] = hand;
            all.push((heard, roles));
        };
        match (i < 2, role) {
            (true, Hand::Sends) => to(Heard { cipher: true }, Hand::Waits),
            (true, Hand::Waits) | (false, Hand::Answers) => to(heard, Hand::Done),
            (false, Hand::Waits) => to(heard, Hand::Holds(heard)),
            // The only message that B opens is {M}k, if it was there.
            (false, Hand::Holds(then)) if then.cipher => to(heard, Hand::Answers),
            _ => {}
        }
    }
    all
}

#[test]
fn figure_1() {
    let start = (
        Heard { cipher: false },
        [Hand::Sends, Hand::Sends, Hand::Waits, Hand::Waits],
    );
    // A thread that holds a message it can never open is gone at once in `spi`; that changes no count here, since it
    // would have no transition.
    let by_hand = nodes(&start, &shake, &mut HashMap::new());
    let text = include_str!("../protocols/papers/s3a-fig1.spi");
    assert_eq!(tree(text, "Fig1"), Some(by_hand));
    assert_eq!(by_hand, 31_251);
}

/// A message of Needham-Schroeder on the network. Nonces of initiators are their numbers; `None` is one of the attacker's.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Message {
    First(usize),
    Second {
        responder: usize,
        nonce: Option<usize>,
    },
    Third,
}

type Network = BTreeSet<Message>;

#[derive(Clone, PartialEq, Eq, Hash)]
enum Role {
    Opens,
    Waits,
    Holds(Network),
    Closes,
    Listens,
    Reads(Network),
    Replies(Option<usize>),
    Ends,
    Done,
}

type Session = (Network, Vec<Role>);

fn session((network, roles): &Session) -> Vec<Session> {
    let mut all = Vec::new();
    for (i, role) in roles.iter().enumerate() {
        let mut to = |sent: Option<Message>, role: Role| {
            let mut next = (network.clone(), roles.clone());
            next.0.extend(sent);
            next.1[i] = role;
            all.push(next);
        };
        match role {
            Role::Opens => to(Some(Message::First(i)), Role::Waits),
            Role::Waits => to(None, Role::Holds(network.clone())),
            // Only a responder that took this initiator's nonce can have answered with it.
            Role::Holds(then) => then
                .iter()
                .filter(|m| matches!(m, Message::Second { nonce, .. } if *nonce == Some(i)))
                .for_each(|_| to(None, Role::Closes)),
            Role::Closes => to(Some(Message::Third), Role::Done),
            Role::Listens => to(None, Role::Reads(network.clone())),
            Role::Reads(then) => {
                for m in then {
                    if let Message::First(nonce) = m {
                        to(None, Role::Replies(Some(*nonce)));
                    }
                }
                to(None, Role::Replies(None));
            }
            Role::Replies(nonce) => {
                let answer = Message::Second {
                    responder: i,
                    nonce: *nonce,
                };
                to(Some(answer), Role::Ends);
            }
            Role::Ends => to(None, Role::Done),
            Role::Done => {}
        }
    }
    all
}

#[test]
fn needham_schroeder() {
    let text = include_str!("../protocols/papers/s3a-ns.spi");
    for (system, initiators, responders, expected) in [
        ("NS11", 1, 1, 79),
        ("NS12", 1, 2, 35_815),
        ("NS22", 2, 2, 6_683_917),
    ] {
        let mut roles = vec![Role::Opens; initiators];
        roles.resize(initiators + responders, Role::Listens);
        let start = (Network::new(), roles);
        let by_hand = nodes(&start, &session, &mut HashMap::new());
        assert_eq!(by_hand, expected, "{system}");
        assert_eq!(tree(text, system), Some(by_hand), "{system}");
    }
}
